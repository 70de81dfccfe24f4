# SPDX-License-Identifier: GPL-2.0
# Expected: 60 s
# Needs: /root/kstack_shapes.ko
"""The deepest stacks of the kernel beside the stock tracer's of the same calls: each difference has a reason."""
import contextlib
import difflib
import platform
import re
import subprocess
import time
import types

import pytest

import guest
import kernel_stacks
import kernel_text
import kstack_shapes
from kernel_stacks import COMPLETE, CPU, CROSSES, ENTERED, EXACT, INTERRUPTED, TASK, TRACING, KernelStacks, sum_of
from kstack_shapes import CHAIN, PARAMETERS

CALLS_TRACERS = ("ftrace_call", "ftrace_common", "ftrace_regs_call", "arch_ftrace_ops_list_func", "uw_kstack_look")
SIGNED = " paca" in guest.read("/proc/cpuinfo")
ARM64 = platform.machine() == "aarch64"


@pytest.fixture(name="symbols", scope="module")
def fixture_symbols():
    with guest.processors(), kstack_shapes.loaded() as symbols:
        yield symbols


@contextlib.contextmanager
def stock_tracer():
    guest.write("/proc/sys/kernel/stack_tracer_enabled", 1)
    try:
        yield
    finally:
        guest.write("/proc/sys/kernel/stack_tracer_enabled", 0)
        guest.write(TRACING / "stack_max_size", 0)


def alike(name):
    return name.split(".")[0]


def below_record(instructions):
    """Bytes of a function's frame that lie below its frame record, but for dynamic ones. None: no record."""
    below, constants = None, {}
    for text in instructions:
        text = text.split("//")[0].strip()
        if found := re.fullmatch(r"stp\tx29, x30, \[sp(?:, #(-?\d+))?\](!?)", text):
            below = 0 if found[2] else int(found[1] or 0)
        elif found := re.fullmatch(r"mov\t(\w+), #(\w+)", text):
            constants[found[1]] = int(found[2], 0)
        elif (found := re.fullmatch(r"sub\tsp, sp, #?(\w+)", text)) and below is not None and (found[1] in constants or found[1][0] != "x"):
            below += constants[found[1]] if found[1] in constants else int(found[1], 0)
        elif text == "ret":
            break
    return below


class Code:
    """Functions' instructions, from the kernel's memory."""

    def __init__(self, symbols):
        self.symbols, self.text = symbols, kernel_text.KernelText()

    def below_record(self, name):
        if name.startswith("0x"):
            return None
        address = self.symbols.address(name)
        with open("function.bin", "wb") as file:
            file.write(self.text.at(address, 1024))
        lines = guest.run("objdump", "-D", "-b", "binary", "-m", "aarch64", "--no-show-raw-insn", "function.bin").splitlines()
        return below_record([line.split("\t", 1)[1] for line in lines if re.match(r"^ *[0-9a-f]+:\t", line)])


def expected_of_stock(frame, caller, code):
    """What the stock tracer says of a frame: on arm64 what lies between its record and its caller's."""
    bytes_ = frame.static + frame.dynamic
    if not ARM64:
        return bytes_
    here, there = code.below_record(frame.name), code.below_record(caller.name) if caller else None
    if here is None or there is None:
        return None
    return bytes_ - here - frame.dynamic + there + caller.dynamic


def without_gone(stock, frames):
    """Of a module that has gone, the stock tracer names addresses only, and names of ours are those of others."""
    addresses = {name for _, _, name in stock}
    return [frame._replace(name=hex(frame.pc)) if hex(frame.pc) in addresses else frame for frame in frames]


def pairs(stock, frames):
    """Lines of the stock tracer and frames of the same functions: their indexes, the innermost first."""
    theirs, ours = [alike(name) for _, _, name in stock], [alike(frame.name) for frame in frames]
    blocks = difflib.SequenceMatcher(a=theirs, b=ours, autojunk=False).get_matching_blocks()
    return [(block.a + i, block.b + i) for block in blocks for i in range(block.size)]


class Comparison:
    """Of a stack of the stock tracer's and one of ours: how many lines are the same, and what explains the others. Shifted: the bytes
    below a frame record are counted with the callee. Stale: an old return address was taken for the frame's, and the next line has the
    rest, or a later one if those in between are of the same old call. No record: where the frame record lies is not known. Where return
    addresses are signed, it finds none of them, and all is one line. The function that was entered has taken nothing yet."""

    def __init__(self, stock, frames, code):
        self.reasons = {"same": 0, "shifted": 0, "stale": 0, "no_record": 0}
        self.unexplained, frames = [], without_gone(stock, [frame for frame in frames if not frame.flags & ENTERED])
        self.missed = [frame.name for frame in frames]
        if SIGNED and len(stock) == 1 and stock[0][0] == stock[0][1]:
            return
        found = pairs(stock[1:], frames)
        self.missed = [frame.name for i, frame in enumerate(frames) if i not in {b for _, b in found}]
        self.unexplained += [line for i, line in enumerate(stock[1:]) if i not in {a for a, _ in found}]
        carried = 0
        for a, b in found:
            carried = self.explain(stock[1 + a], frames[b], frames[b + 1] if b + 1 < len(frames) else None, carried, code)
        if carried:
            self.unexplained.append(("bytes that no line has", carried))

    def explain(self, line, frame, caller, carried, code):
        """Returns how many bytes the next line has for this one."""
        size, expected = line[1], expected_of_stock(frame, caller, code)
        if size == frame.static + frame.dynamic and not carried:
            self.reasons["same"] += 1
        elif expected is None:
            self.reasons["no_record"] += 1
        elif size == expected and not carried:
            self.reasons["shifted"] += 1
        elif size == expected:  # its caller's is an old one, too, just as far away
            self.reasons["stale"] += 1
            return carried
        elif not carried or expected + carried == size:
            self.reasons["stale"] += 1
            return expected + carried - size
        else:
            self.unexplained.append((frame, caller, line, carried))
        return 0

    def tell(self, work, stock, frames):
        guest.figure("kstack_stock", work=work, lines=len(stock), frames=len(frames), **self.reasons, missed=len(self.missed),
                     unexplained=len(self.unexplained))
        for depth, size, name in stock:
            print(f"# stock {depth:6} {size:6} {name}")
        for frame in frames:
            print(f"# ours  {frame.depth:6} {frame.static:6} {frame.dynamic:6} {frame.flags:2} {frame.name}")
        print(f"# missed there: {self.missed}; unexplained: {self.unexplained}")


def stock_and_ours(symbols, function, act):
    """Of the same function, where both look at nothing else, the deepest call. Where that was what begins ours, anew: the kernel gives
    each system call another offset."""
    for _ in range(8):
        with stock_tracer(), KernelStacks([symbols.address(function)], symbols=symbols) as stacks:
            guest.write(TRACING / "stack_max_size", 0)
            began = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
            act()
            stock, kept = kernel_stacks.stock(), stacks.read()[1]
        on_tasks = [stack for stack in kept if not stack.on]
        assert stock and on_tasks
        deepest = max(on_tasks, key=lambda stack: stack.depth)
        if deepest.time_ns >= began:
            return stock, deepest.frames
    raise AssertionError(f"{function} is never called as deeply as by what begins to look at it: {kernel_stacks.shown(deepest)}")


@contextlib.contextmanager
def filtered(function):
    """The stock tracer looks at nothing else."""
    guest.write(TRACING / "stack_trace_filter", function)
    try:
        yield
    finally:
        guest.write(TRACING / "stack_trace_filter", "")


def test_on_the_same_call_each_difference_has_a_reason(symbols):
    """On x86-64 both lists are the same, from the function on that was entered. On arm64 the stock tracer takes what a function has
    below its frame record, which is most of it, for its callee's, and misses the last line. On both it looks for return addresses in
    all that is on the stack, and may find an old one."""
    with filtered("shapes_bottom"):
        stock, ours = stock_and_ours(symbols, "shapes_bottom", lambda: guest.write(PARAMETERS / "run", "task 333"))
    assert [frame.name for frame in ours[:len(CHAIN)]] == CHAIN
    found = Comparison(stock, ours, Code(symbols))
    found.tell("a chain of functions", stock, ours)
    assert not found.unexplained
    assert ARM64 or not found.missed


def work():
    subprocess.run("find / -xdev -type f | head -n 3000 >/dev/null; dd if=/dev/zero of=/tmp/filled bs=64k count=20; sync /tmp/filled; "
                   "rm /tmp/filled; modprobe tun; modprobe -r tun", shell=True, check=False, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


@pytest.fixture(name="run", scope="module")
def fixture_run(symbols, folder):
    """Real work under both."""
    del folder
    with stock_tracer(), KernelStacks(tasks=256, symbols=symbols) as stacks:
        work()
        counts, kept = stacks.read()
        assert len(kernel_stacks.stock()) > 1 or SIGNED
    return types.SimpleNamespace(counts=counts, kept=kept)


def test_the_deepest_of_real_work(run):
    """Stacks are complete, each frame's bytes add up to the depth, and what calls tracers is not on the stack that was looked at. On
    one that an interrupt has left for its own it may be, and has a frame."""
    kept = run.kept
    complete = sum(bool(stack.flags & COMPLETE) for stack in kept)
    frames = [frame for stack in kept for frame in stack.frames]
    exact = sum(bool(frame.flags & EXACT) for frame in frames)
    inexact = sorted({frame.name for frame in frames if not frame.flags & (EXACT | ENTERED)})
    guest.figure("kstack", stacks=len(kept), complete=complete, frames=len(frames), exact=exact, entries=run.counts["entries"],
                 walked=run.counts["walked"])
    print(f"# not exact: {' '.join(inexact[:20])}; {run.counts}")
    assert {stack.kind for stack in kept} >= {"syscall", "kthread", "irq"} and {stack.type for stack in kept} == {CPU, TASK}
    assert complete >= 0.95 * len(kept), [kernel_stacks.shown(stack) for stack in kept if not stack.flags & COMPLETE]
    assert exact >= 0.97 * len(frames)
    for stack in kept:
        if stack.flags & COMPLETE and all(frame.flags & (EXACT | ENTERED) for frame in stack.frames):
            assert stack.depth == sum_of(stack), kernel_stacks.shown(stack)
    callers = [(stack, frame) for stack in kept for frame in stack.frames if frame.name.startswith(CALLS_TRACERS)]
    own = [kernel_stacks.shown(stack) for stack, frame in callers if frame.on == stack.on]
    print("\n".join(own))
    assert not own
    assert all(frame.static for _, frame in callers if frame.flags & EXACT and not frame.flags & INTERRUPTED)
    assert run.counts["entries"] > 1000 and run.counts["walked"] >= len(kept)
    assert any(frame.flags & CROSSES for frame in frames)


# Called from deep within system calls, each of another kind.
LEAVES = ["call_rcu", "kmem_cache_alloc", "get_page_from_freelist", "try_to_wake_up", "dput", "touch_atime", "kfree", "__kmalloc"]


@pytest.mark.parametrize("leaf", LEAVES)
def test_of_real_work_each_difference_has_a_reason(symbols, leaf):
    """The deepest call of one function. Of all functions it would be another one: in what the stock tracer keeps of them are our own."""
    if leaf not in symbols.names or not re.search(rf"^{leaf}$", guest.read(TRACING / "available_filter_functions"), re.MULTILINE):
        pytest.skip("this kernel has no such function that can be traced")
    with filtered(leaf):
        stock, ours = stock_and_ours(symbols, leaf, work)
    found = Comparison(stock, ours, Code(symbols))
    found.tell(f"real work, {leaf}", stock, ours)
    assert not found.unexplained
