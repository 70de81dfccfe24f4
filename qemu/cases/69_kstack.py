# SPDX-License-Identifier: GPL-2.0
# Expected: 60 s with OFFSETS=4; OFFSETS=N looks at every N-th instruction only
# Needs: /root/kstack_shapes.ko
"""The deepest stacks of the kernel: each frame is as big as the compiler says it is, in every context, and wherever a function was
interrupted its caller is there."""
import contextlib
import errno
import fcntl
import json
import os
import platform
import re

import pytest

import guest
import kernel_stacks
import kstack_shapes
from kernel_stacks import EXACT, INTERRUPTED, REGISTERS, KernelStacks, sum_of
from kstack_shapes import CHAIN, MODULE, chain_of, walked

ARM64 = platform.machine() == "aarch64"
TRACING = kernel_stacks.TRACING
OFFSETS = int(os.environ.get("OFFSETS", "1"))
SLACK = 128 if "debug" in os.uname().release else 48  # of alloca(): alignment, and KASAN's red zones


@pytest.fixture(name="symbols", scope="module")
def fixture_symbols():
    with guest.processors(), kstack_shapes.loaded() as symbols:
        yield symbols


@pytest.fixture(name="usage", scope="module")
def fixture_usage():
    """What the compiler said of each function: bytes, and whether it knows them all."""
    lines = (line.split() for line in guest.read(MODULE.replace(".ko", ".su")).splitlines())
    return {place.split(":")[-1]: (int(bytes_), kind) for place, bytes_, kind in lines}


@pytest.fixture(name="code", scope="module")
def fixture_code():
    return kstack_shapes.code()


@pytest.mark.parametrize("context", ["task", "softirq", "irq"])
@pytest.mark.parametrize("dynamic", [0, 16, 333, 2048])
def test_each_frame_is_as_big_as_the_compiler_says(symbols, usage, context, dynamic):
    stack = chain_of(walked(symbols, ["shapes_bottom"], "run", f"{context} {dynamic}"), CHAIN)
    shown = kernel_stacks.shown(stack)
    assert [frame.name for frame in stack.frames[:len(CHAIN)]] == CHAIN, shown
    assert stack.kind == {"task": "syscall"}.get(context, context), shown
    for frame in stack.frames[1:len(CHAIN)]:
        said, kind = usage[frame.name]
        assert frame.flags & EXACT, (frame, shown)
        if frame.name == "shapes_dynamic":
            assert 0 <= frame.static + frame.dynamic - said - dynamic <= SLACK, (frame, said, shown)
            if ARM64:
                assert frame.static == said, (frame, shown)
        elif frame.name == "shapes_aligned" or "dynamic" in kind:
            assert abs(frame.static + frame.dynamic - said) <= 64, (frame, said, shown)  # rounded down at run time
        else:
            assert (frame.static, frame.dynamic) == (said, 0), (frame, said, shown)
    assert stack.depth == sum_of(stack), shown


@pytest.mark.skipif(not ARM64, reason="the code of x86-64 is not read: its tables are")
def test_static_bytes_are_what_the_instructions_subtract(symbols, code):
    """Another oracle: the constants of sub sp, sp and stp …, [sp, #-n]!"""
    stack = chain_of(walked(symbols, ["shapes_bottom"], "run", "task 333"), CHAIN)
    for frame in stack.frames[1:len(CHAIN)]:
        subtracted = sum(subtractions(code[frame.name]))
        assert frame.static == subtracted or frame.name == "shapes_aligned", (frame, subtracted, code[frame.name])
    assert stack.frames[0].ahead == sum(subtractions(code["shapes_bottom"]))


def subtractions(instructions):
    constants = {}
    for _, text in instructions:
        text = text.split("//")[0].strip()
        if found := re.fullmatch(r"mov\t(\w+), #(\w+)", text):
            constants[found[1]] = int(found[2], 0)
        elif found := re.fullmatch(r"sub\tsp, sp, #(\w+)(, lsl #12)?", text):
            yield int(found[1], 0) << (12 if found[2] else 0)
        elif (found := re.fullmatch(r"sub\tsp, sp, (x\d+)", text)) and found[1] in constants:
            yield constants[found[1]]
        elif found := re.search(r"\[sp, #-(\w+)\]!", text):
            yield int(found[1], 0)


@pytest.mark.parametrize("function", ["shapes_small", "shapes_large", "shapes_huge", "shapes_dynamic", "shapes_aligned", "shapes_late",
                                      "shapes_leaf"])
def test_wherever_a_function_is_interrupted_its_caller_is_known(symbols, usage, code, function):
    """And where its frame ends: at the same place for each instruction, those of its prologue and epilogue too."""
    ends, looked, refused = set(), 0, 0
    for offset, text in code[function][::OFFSETS]:
        stacks = walked(symbols, ["shapes_probed"], "probe", f"{function} {offset}")
        if stacks is None:
            refused += 1
            continue
        if not stacks:
            print(f"# not executed: {function}+{offset}: {text}")
        for stack in [one for one in stacks if any(frame.flags & INTERRUPTED and frame.name == function for frame in one.frames)]:
            at = next(i for i, frame in enumerate(stack.frames) if frame.flags & INTERRUPTED and frame.name == function)
            interrupted, caller = stack.frames[at], stack.frames[at + 1]
            where = (hex(offset), text, kernel_stacks.shown(stack))
            assert interrupted.pc - symbols.address(function) == offset, where
            assert stack.frames[at - 1].flags & REGISTERS, where
            assert caller.name == "shapes_caller" and interrupted.flags & EXACT and caller.flags & EXACT, where
            ends.add(caller.depth - stack.frames[at + 2].depth)  # each system call begins at another depth
            looked += 1
    assert ends == {usage["shapes_caller"][0]}, (ends, looked, refused, [kernel_stacks.shown(stack) for stack in stacks or []])
    guest.figure("kstack_interrupted", function=function, looked=looked, instructions=len(code[function]), refused=refused)
    assert looked >= (len(code[function]) - refused) / OFFSETS / 2 and looked > 3


@pytest.mark.parametrize("tracer", ["function_graph", "function"])
def test_beside_other_tracers_functions_have_their_own_names(symbols, tracer):
    guest.write(TRACING / "set_ftrace_filter", "shapes_*")
    guest.write(TRACING / "current_tracer", tracer)
    try:
        stack = chain_of(walked(symbols, ["shapes_bottom"], "run", "task 333"), CHAIN)
        irq = chain_of(walked(symbols, ["shapes_bottom"], "run", "irq 333"), CHAIN)
    finally:
        guest.write(TRACING / "current_tracer", "nop")
        guest.write(TRACING / "set_ftrace_filter", "")
    for one in (stack, irq):
        assert [frame.name for frame in one.frames[:len(CHAIN)]] == CHAIN, kernel_stacks.shown(one)
        assert symbols.address("return_to_handler") not in {frame.pc for frame in one.frames}
        assert all(frame.flags & EXACT for frame in one.frames[1:len(CHAIN)]), kernel_stacks.shown(one)


def test_with_many_functions_graphed_no_frame_is_the_tracers(symbols):
    """Not all: to patch them twice takes an emulated processor so long that the kernel complains."""
    for pattern in ("vfs_*", "do_*", "mas_*", "handle_*"):
        with open(TRACING / "set_ftrace_filter", "a", encoding="ascii") as chosen:
            chosen.write(pattern)
    guest.write(TRACING / "current_tracer", "function_graph")
    try:
        with KernelStacks(symbols=symbols) as stacks:
            guest.run("ls", "/proc/self")
            _, kept = stacks.read()
    finally:
        guest.write(TRACING / "current_tracer", "nop")
        guest.write(TRACING / "set_ftrace_filter", "")
    handler = symbols.address("return_to_handler")
    assert kept and not [kernel_stacks.shown(stack) for stack in kept if handler in {frame.pc for frame in stack.frames}]


def test_return_probes_leave_no_trace_in_the_list(symbols):
    guest.write(TRACING / "kprobe_events", "r:shapes shapes_huge")
    guest.write(TRACING / "events/kprobes/shapes/enable", 1)
    try:
        stack = chain_of(walked(symbols, ["shapes_bottom"], "run", "task 333"), CHAIN)
    finally:
        guest.write(TRACING / "events/kprobes/shapes/enable", 0)
        guest.write(TRACING / "kprobe_events", "")
    assert [frame.name for frame in stack.frames[:len(CHAIN)]] == CHAIN, kernel_stacks.shown(stack)


# Fields of struct uwind_kstack after its size, and what the module says.
WRONG = [
    ((2, 0, 0, 0), errno.EINVAL),      # unknown flag
    ((1, 0, 0, 0), errno.EINVAL),      # by task, without room
    ((0, 16, 0, 0), errno.EINVAL),     # room, not by task
    ((1, 4097, 0, 0), errno.EINVAL),   # too much of it
    ((0, 0, 65537, 8), errno.EINVAL),  # too many functions
    ((0, 0, 1, 0), errno.EINVAL),      # no functions
    ((0, 0, 0, 8), errno.EINVAL),      # functions, but none
    ((0, 0, 1, 8), errno.EFAULT),      # not in memory
]


@pytest.mark.parametrize("fields, error", WRONG)
def test_what_is_wrong_is_refused(fields, error):
    assert refusal(kernel_stacks.REQUEST.pack(kernel_stacks.REQUEST.size, *fields)) == error


def test_structs_may_grow_by_zeros_only():
    request = kernel_stacks.REQUEST.pack(kernel_stacks.REQUEST.size + 8, 2, 0, 0, 0)
    assert refusal(request + bytes(8)) == errno.EINVAL  # as of the known ones
    assert refusal(request + b"\1" + bytes(7)) == errno.E2BIG
    assert refusal(bytes(4) + request[4:]) == errno.EINVAL


def test_a_function_that_cannot_be_traced_is_refused(symbols):
    address = symbols.address("shapes_bottom") + 16  # after its call of tracers
    with pytest.raises(OSError) as raised:
        KernelStacks([address], symbols=symbols)
    assert raised.value.errno == errno.EINVAL


def test_four_at_a_time_and_each_ends_with_its_descriptor(symbols):
    functions = [symbols.address("shapes_bottom")]
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(KernelStacks(functions, symbols=symbols))
        with pytest.raises(OSError) as raised:
            KernelStacks(functions, symbols=symbols)
        assert raised.value.errno == errno.EBUSY
    with KernelStacks(functions, symbols=symbols) as stacks:
        with pytest.raises(OSError) as raised:
            os.read(stacks.fd, 16)
        assert raised.value.errno == errno.EINVAL


def refusal(request):
    """What the ioctl says of those bytes. 0: nothing."""
    device = os.open("/dev/uwind", os.O_RDWR)
    try:
        os.close(fcntl.ioctl(device, kernel_stacks.IOC, bytearray(request)))
    except OSError as said:
        return said.errno
    finally:
        os.close(device)
    return 0


def test_the_command_shows_them_and_writes_a_report():
    text = guest.run("uwind", "kstack", "--functions", "vfs_*", "--", "ls", "/proc/self")
    assert "syscall, on the stack of the task" in text and "Largest frames" in text and re.search(r"vfs_\w+\+0x", text), text
    guest.run("uwind", "kstack", "--per", "task", "--top", 2, "--duration", 1, "--format", "json", "-o", "stacks.json")
    kept = json.loads(guest.read("stacks.json"))["kernel_stacks"]
    assert len(kept["stacks"]) == 2 and {stack["of"] for stack in kept["stacks"]} == {"task"}
    assert "Largest frames" in guest.run("uwind", "report", "-i", "stacks.json")
    assert "no function of the kernel" in guest.run("uwind", "kstack", "--functions", "no_such_*", "--", "true", status=64)


def test_a_command_that_is_ended_has_no_status_of_its_own():
    guest.run("uwind", "kstack", "--functions", "vfs_*", "--duration", 1, "--", "sleep", 600)


def test_the_module_stays_while_stacks_are_kept(symbols):
    with KernelStacks([symbols.address("shapes_bottom")], symbols=symbols) as stacks:
        assert guest.result_of("rmmod", "uwind").returncode == 1
        guest.write(kstack_shapes.PARAMETERS / "run", "task 16")
        chain_of(stacks.read()[1], CHAIN)


def test_nothing_is_left_of_it(symbols):
    before = guest.read(TRACING / "enabled_functions")
    with KernelStacks(tasks=16, symbols=symbols):
        assert guest.read(TRACING / "enabled_functions") != before
    assert guest.read(TRACING / "enabled_functions") == before
    guest.renew_module("after kernel stacks were kept")
