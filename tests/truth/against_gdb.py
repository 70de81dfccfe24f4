# SPDX-License-Identifier: GPL-2.0
"""Run inside gdb: stops a program again and again, anywhere, and compares every thread's stack with the core's.

gdb -q -batch -nx -x against_gdb.py PROGRAM
Environment: TRUTH_ARGS, the program's arguments as a shell takes them; TRUTH_WALK, the program that walks;
TRUTH_STOPS, how many stacks; TRUTH_OUT, a file for the result; TRUTH_SEED.
"""
import json
import os
import random
import re
import subprocess

import gdb

X86 = ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"] + ["r%d" % n for n in range(8, 16)] + ["rip"]
ARM64 = ["x%d" % n for n in range(31)] + ["sp", "pc"]
ON_ARM64 = os.uname().machine == "aarch64"
REGISTERS, SP = (ARM64, "sp") if ON_ARM64 else (X86, "rsp")
FP, LR = 29, 30
MASK = (1 << 64) - 1
ADDRESS = (1 << 48) - 1  # without an authentication code
NO_FRAMES = (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME)  # gdb invents them from debug information
MOST_FRAMES = 1000
MOST_EXAMPLES = 3


class Walker:
    """The core, in a process of its own."""

    def __init__(self, pid):
        self.process = subprocess.Popen(
            [os.environ["TRUTH_WALK"], str(pid)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, what, registers):
        print(what, *("%x" % value for value in registers), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def stop_soon(self):
        print("stop", random.randrange(200, 8000), file=self.process.stdin, flush=True)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def number(frame, name):
    return int(frame.read_register(name)) & MASK


def gdb_stack():
    """[(pc, cfa or 0)], innermost first, and why it ends."""
    frames = []
    frame = gdb.newest_frame()
    last = frame
    while frame is not None and len(frames) < MOST_FRAMES:
        if frame.type() not in NO_FRAMES:
            frames.append(frame)
        last = frame
        frame = frame.older()
    cfas = [number(frame, SP) for frame in frames[1:]] + [0]
    return [(frame.pc(), cfa) for frame, cfa in zip(frames, cfas)], gdb.frame_stop_reason_string(
        last.unwind_stop_reason()
    )


def frame_records(registers):
    """AAPCS64 6.4.6: the return addresses on the chain of frame records that x29 begins, innermost first."""
    found, fp = [], registers[FP]
    while fp and fp % 8 == 0 and len(found) < MOST_FRAMES:
        try:
            record = gdb.selected_inferior().read_memory(fp, 16).tobytes()
        except gdb.error:
            return []
        above, address = (int.from_bytes(record[at : at + 8], "little") for at in (0, 8))
        found.append(address & ADDRESS)
        if above and above <= fp:
            return []
        fp = above
    return found


def records_agree(frames, registers):
    """Is this stack what the frame records say? A function without a record of its own is left by x30."""
    addresses, records = [frame[0] for frame in frames[1:]], frame_records(registers)
    by_lr = addresses[:1] == [registers[LR] & ADDRESS] and addresses[1:] == records
    return bool(records) and (by_lr or addresses == records)


def first_difference(ours, oracle):
    """Index of the frame that was unwound differently, or None."""
    for i, (mine, theirs) in enumerate(zip(ours, oracle)):
        if mine[0] != theirs[0]:
            return max(i - 1, 0)
        if mine[1] and theirs[1] and mine[1] != theirs[1]:
            return i
    return None


def difference(ours, oracle):
    """Index of the frame from which ours and the oracle's stack part, or None. What ours leaves out is no difference."""
    at = first_difference(ours["frames"], oracle)
    if at is not None or not ours["complete"] or len(ours["frames"]) == len(oracle):
        return at
    return min(len(ours["frames"]), len(oracle)) - 1


def verdict(ours, oracle, registers, ask_libunwind):
    """(class, index of the frame it is about)"""
    at = difference(ours, oracle)
    if at is None:
        return ("equal", 0) if ours["complete"] else ("short: " + ours["stop"], len(ours["frames"]) - 1)
    libunwind = ask_libunwind()
    if difference(ours, libunwind) is None:
        return "gdb alone differs", at
    if first_difference(oracle, libunwind) is None and len(oracle) == len(libunwind):
        return "WE alone differ", at
    if ON_ARM64 and records_agree(oracle, registers):
        return "WE differ from gdb and the frame records", at
    if ON_ARM64 and records_agree(ours["frames"], registers):
        return "only the frame records agree", at
    return "all three differ", at


class Tally:
    def __init__(self):
        self.stacks = 0
        self.frames = 0
        self.classes = {}

    def add(self, what, where, example):
        entry = self.classes.setdefault(what, {}).setdefault(where, {"times": 0, "examples": []})
        entry["times"] += 1
        if len(entry["examples"]) < MOST_EXAMPLES:
            entry["examples"].append(example())


def check_thread(walker, tally):
    registers = [number(gdb.newest_frame(), name) for name in REGISTERS]
    oracle, reason = gdb_stack()
    ours = walker.ask("ours", registers)
    tally.stacks += 1
    tally.frames += len(ours["frames"])
    what, at = verdict(ours, oracle, registers, lambda: walker.ask("both", registers)["libunwind"])
    if what == "equal":
        return

    def example():
        both = walker.ask("both", registers)
        return {"registers": registers, "gdb": oracle[:60], "gdb_stop": reason, **both}

    tally.add(what, ours["frames"][at][2] if ours["frames"] else "no frame", example)


def alive():
    return gdb.selected_inferior().pid != 0


def run_to_entry():
    """gdb does not know where the dynamic linker's own stack ends."""
    entry = re.search(r"Entry point: (0x[0-9a-f]+)", gdb.execute("info files", to_string=True)).group(1)
    gdb.execute("tbreak *" + entry, to_string=True)
    gdb.execute("continue", to_string=True)


def go_on():
    """To the next stop. False: the program has ended, or the thread that stopped."""
    try:
        gdb.execute("continue", to_string=True)
        for _ in range(random.randrange(3)):
            gdb.execute("stepi", to_string=True)
    except gdb.error:
        return False
    return alive()


def check_program(tally, wanted):
    gdb.execute("starti", to_string=True)
    walker = Walker(gdb.selected_inferior().pid)
    run_to_entry()
    while tally.stacks < wanted:
        walker.stop_soon()
        if not go_on():
            break
        for thread in gdb.selected_inferior().threads():
            thread.switch()
            check_thread(walker, tally)
    walker.close()


def main():
    for setting in (
        "pagination off",
        "confirm off",
        "backtrace past-main on",
        "backtrace past-entry on",
        "print thread-events off",
        "disable-randomization off",
        "debuginfod enabled off",
        "style enabled off",
    ):
        gdb.execute("set " + setting, to_string=True)
    gdb.execute("set args " + os.environ.get("TRUTH_ARGS", ""))
    gdb.execute("handle SIGPWR stop print nopass", to_string=True)
    random.seed(os.environ.get("TRUTH_SEED"))
    wanted = int(os.environ["TRUTH_STOPS"])
    tally = Tally()
    runs = 0
    while tally.stacks < wanted and runs < 500:
        runs += 1
        check_program(tally, wanted)
    if alive():
        gdb.execute("kill", to_string=True)
    with open(os.environ["TRUTH_OUT"], "w", encoding="utf-8") as out:
        json.dump({"stacks": tally.stacks, "frames": tally.frames, "classes": tally.classes}, out, indent=1)


main()
