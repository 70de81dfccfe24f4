# SPDX-License-Identifier: GPL-2.0
"""Run inside gdb: stops a program again and again, anywhere, and compares every thread's stack with the core's.

gdb -q -batch -nx -x against_gdb.py --args PROGRAM [ARGUMENT]...
Environment: TRUTH_WALK, the program that walks; TRUTH_STOPS, how many stacks; TRUTH_OUT, a file for the result.
"""
import json
import os
import random
import signal
import subprocess
import threading

import gdb

X86 = ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"] + ["r%d" % n for n in range(8, 16)] + ["rip"]
ARM64 = ["x%d" % n for n in range(31)] + ["sp", "pc"]
REGISTERS, SP = (ARM64, "sp") if os.uname().machine == "aarch64" else (X86, "rsp")
MASK = (1 << 64) - 1
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
        if frame.type() != gdb.INLINE_FRAME:
            frames.append(frame)
        last = frame
        frame = frame.older()
    cfas = [number(frame, SP) for frame in frames[1:]] + [0]
    return [(frame.pc(), cfa) for frame, cfa in zip(frames, cfas)], gdb.frame_stop_reason_string(
        last.unwind_stop_reason()
    )


def first_difference(ours, oracle):
    """Index of the frame that was unwound differently, or None."""
    for i, (mine, theirs) in enumerate(zip(ours, oracle)):
        if mine[0] != theirs[0]:
            return max(i - 1, 0)
        if mine[1] and theirs[1] and mine[1] != theirs[1]:
            return i
    return None


def verdict(ours, oracle):
    """(class, index of the frame it is about)"""
    at = first_difference(ours["frames"], oracle)
    if at is not None:
        return "different", at
    if not ours["complete"]:
        return "short: " + ours["stop"], len(ours["frames"]) - 1
    if len(ours["frames"]) < len(oracle):
        return "gdb is longer", len(ours["frames"]) - 1
    if len(ours["frames"]) > len(oracle):
        return "gdb is shorter", len(oracle) - 1
    return "equal", 0


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
    what, at = verdict(ours, oracle)
    if what == "equal":
        return

    def example():
        both = walker.ask("both", registers)
        return {"registers": registers, "gdb": oracle, "gdb_stop": reason, **both}

    tally.add(what, ours["frames"][at][2] if ours["frames"] else "no frame", example)


def interrupt_soon(pid):
    timer = threading.Timer(random.uniform(0.0002, 0.003), os.kill, (pid, signal.SIGPWR))
    timer.start()
    return timer


def alive():
    return gdb.selected_inferior().pid != 0


def check_program(tally, wanted):
    gdb.execute("starti", to_string=True)
    pid = gdb.selected_inferior().pid
    walker = Walker(pid)
    while tally.stacks < wanted:
        timer = interrupt_soon(pid)
        gdb.execute("continue", to_string=True)
        timer.join()
        if not alive():
            break
        for _ in range(random.randrange(3)):
            gdb.execute("stepi", to_string=True)
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
        "startup-with-shell off",
        "style enabled off",
    ):
        gdb.execute("set " + setting, to_string=True)
    gdb.execute("handle SIGPWR stop noprint nopass", to_string=True)
    random.seed(os.environ.get("TRUTH_SEED"))
    wanted = int(os.environ["TRUTH_STOPS"])
    tally = Tally()
    runs = 0
    while tally.stacks < wanted and runs < 50:
        runs += 1
        check_program(tally, wanted)
    if alive():
        gdb.execute("kill", to_string=True)
    with open(os.environ["TRUTH_OUT"], "w", encoding="utf-8") as out:
        json.dump({"stacks": tally.stacks, "frames": tally.frames, "classes": tally.classes}, out, indent=1)


main()
