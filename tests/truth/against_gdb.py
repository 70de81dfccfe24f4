# SPDX-License-Identifier: GPL-2.0
"""Run inside gdb: stops a program again and again, anywhere, and compares every thread's stack with the core's.

gdb -q -batch -nx -x against_gdb.py PROGRAM
Environment: TRUTH_ARGS, the program's arguments as a shell takes them; TRUTH_WALK, the program that walks;
TRUTH_STOPS, how many stacks; TRUTH_OUT, a file for the result; TRUTH_SEED; TRUTH_BITS, the program's word size.
"""
import json
import os
import random
import re
import subprocess

import gdb

BITS = int(os.environ["TRUTH_BITS"])
ON_ARM = os.uname().machine == "aarch64"
REGISTERS, SP = {
    (False, 64): (["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"] + ["r%d" % n for n in range(8, 16)] + ["rip"], "rsp"),
    (False, 32): (["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip"], "esp"),
    (True, 64): (["x%d" % n for n in range(31)] + ["sp", "pc"], "sp"),
    (True, 32): (["r%d" % n for n in range(13)] + ["sp", "lr", "pc"], "sp"),
}[ON_ARM, BITS]
THUMB = 1 << 5  # in CPSR
FP, LR = 29, 30  # of arm64
MASK = (1 << BITS) - 1
ADDRESS = (1 << 48) - 1  # without an authentication code
NO_FRAMES = (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME)  # gdb invents them from debug information
MOST_FRAMES = 1000
MOST_EXAMPLES = 3


class Walker:
    """The core, in a process of its own."""

    def __init__(self, pid):
        self.process = subprocess.Popen(
            [os.environ["TRUTH_WALK"], str(pid), str(BITS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, what, registers):
        print(what, *("%x" % value for value in registers), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def stop_in(self, microseconds):
        print("stop", microseconds, file=self.process.stdin, flush=True)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def number(frame, name):
    return int(frame.read_register(name)) & MASK


def registers_of(frame):
    """By DWARF number, pc last: in Thumb code that is odd."""
    registers = [number(frame, name) for name in REGISTERS]
    if ON_ARM and BITS == 32 and number(frame, "cpsr") & THUMB:
        registers[-1] |= 1
    return registers


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


def is_call_x86(code):
    """Do these 8 bytes end with a call? (Intel SDM, volume 2: E8, and FF /2 with each addressing form.)"""
    forms = {2: (0b11, 0b00), 3: (0b01, 0b00), 4: (0b01,), 6: (0b10, 0b00), 7: (0b10, 0b00)}
    indirect = any(code[-n] == 0xFF and code[1 - n] >> 3 & 7 == 2 and code[1 - n] >> 6 in modes for n, modes in forms.items())
    return code[-5] == 0xE8 or indirect


def is_call_arm(code):
    """Do these 8 bytes end with bl or blx, in either instruction set? (ARMv7-A/R, A8.8.25 and A8.8.26.)"""
    first, second = (int.from_bytes(code[at : at + 2], "little") for at in (4, 6))
    word = second << 16 | first
    thumb = (first & 0xF800 == 0xF000 and second & 0xC000 == 0xC000) or second & 0xFF87 == 0x4780
    return thumb or word & 0x0F000000 == 0x0B000000 or word & 0xFE000000 == 0xFA000000 or word & 0x0FFFFFF0 == 0x012FFF30


SIGRETURNS = (
    b"\x58\xb8\x77\x00\x00\x00\xcd\x80",  # i386, the vDSO's __kernel_sigreturn
    b"\xb8\xad\x00\x00\x00\xcd\x80",  # and __kernel_rt_sigreturn
    b"\x4f\xf0\x77\x07\x00\xdf",  # 32-bit Arm, glibc's __default_sa_restorer
    b"\x4f\xf0\xad\x07\x00\xdf",  # and __default_rt_sa_restorer
)


def is_signal_frame(pc):
    """The handler's return address: the kernel puts it there, and it interrupts its caller anywhere."""
    return gdb.selected_inferior().read_memory(pc, 8).tobytes().startswith(SIGRETURNS)


# glibc's _dl_runtime_resolve of arm64 where _dl_fixup returns: mov x16, x0; ldp q0, q1, [sp, #80].
RESOLVER = b"\xf0\x03\x00\xaa\xe0\x87\x42\xad"


def is_resolver(pc):
    """Its CFI lacks the pair that the PLT pushes, x30 in it, so that gdb and libunwind go wrong there. A golden stack."""
    try:
        return ON_ARM and gdb.selected_inferior().read_memory(pc, 8).tobytes() == RESOLVER
    except (gdb.error, OverflowError):  # a return address that is none
        return False


def were_called(frames):
    """Is there a call before each return address?"""
    is_call = is_call_arm if ON_ARM else is_call_x86
    try:
        signals = [is_signal_frame(frame[0]) for frame in frames]
        returns = [frame[0] for i, frame in enumerate(frames) if i and not signals[i] and not signals[i - 1]]
        before = [gdb.selected_inferior().read_memory(pc - 8, 8).tobytes() for pc in returns]
    except (gdb.error, OverflowError):  # the latter below address 8
        return False
    return all(is_call(code) for code in before)


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


def verdict_by_calls(ours, oracle):
    """
    For what libunwind does not tell; it walks programs of its own word size only. Of two stacks one is wrong if a
    return address in it has no call before it, or if it ends early and the other one, whose return addresses all have,
    is complete.
    """
    mine, theirs = were_called(ours["frames"]), were_called(oracle)
    if mine and (not theirs or (ours["complete"] and len(oracle) < len(ours["frames"]))):
        return "gdb alone differs"
    return "WE differ from gdb and the calls" if theirs and not mine else "all three differ"


def verdict(ours, oracle, registers, ask_libunwind):
    """(class, index of the frame it is about)"""
    at = difference(ours, oracle)
    if at is None:
        return ("equal", 0) if ours["complete"] else ("short: " + ours["stop"], len(ours["frames"]) - 1)
    if BITS == 32:
        return verdict_by_calls(ours, oracle), at
    libunwind = ask_libunwind()
    if difference(ours, libunwind) is None:
        return "gdb alone differs", at
    if first_difference(oracle, libunwind) is None and len(oracle) == len(libunwind):
        return "WE alone differ", at
    if ON_ARM and records_agree(oracle, registers):
        return "WE differ from gdb and the frame records", at
    if ON_ARM and records_agree(ours["frames"], registers):
        return "only the frame records agree", at
    if is_resolver(ours["frames"][at][0]):
        return "known: the resolver's CFI", at
    # Where a thread begins, behind its system call, neither of them knows that nobody called it.
    by_calls = "all three differ" if ON_ARM else verdict_by_calls(ours, oracle)
    return "only the calls agree" if by_calls == "gdb alone differs" else by_calls, at


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
    registers = registers_of(gdb.newest_frame())
    oracle, reason = gdb_stack()
    ours = walker.ask("ours", registers)
    tally.stacks += 1
    tally.frames += len(ours["frames"])
    what, at = verdict(ours, oracle, registers, lambda: walker.ask("both", registers)["libunwind"])
    if what == "equal":
        return

    def example():
        both = walker.ask("both" if BITS == 64 else "ours", registers)
        return {"registers": registers, "gdb": oracle[:60], "gdb_stop": reason, **both}

    tally.add(what, ours["frames"][at][2] if ours["frames"] else "no frame", example)


def alive():
    return gdb.selected_inferior().pid != 0


def leave_linker(walker):
    """gdb does not know where the dynamic linker's own stack ends; nor, of 32-bit Arm, which instructions a breakpoint replaces."""
    if ON_ARM and BITS == 32:
        walker.stop_in(2000000)
        gdb.execute("continue", to_string=True)
        return
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
    leave_linker(walker)
    while tally.stacks < wanted:
        walker.stop_in(random.randrange(200, 8000))
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
