# SPDX-License-Identifier: GPL-2.0
"""The deepest stacks of the kernel, by the ioctl itself (include/uapi/uwind_kstack.h), and those of the stock tracer."""
import bisect
import collections
import fcntl
import os
import pathlib
import re
import struct

TRACING = pathlib.Path("/sys/kernel/tracing")
REQUEST = struct.Struct("=IIIIQ")
IOC = 3 << 30 | REQUEST.size << 16 | 0xf7 << 8 | 48
BY_TASK = 1
COUNTS, CPU, TASK = 1, 2, 3
KINDS = ["syscall", "exception", "kthread", "idle", "softirq", "irq", "nmi"]
STACK = struct.Struct("=IIQIiiIIHBB16sB7x")
FRAME = struct.Struct("=QIIIBBH")
COUNT_NAMES = ["entries", "walked", "missed_busy", "missed_nested", "missed_own", "missed_rcu", "missed_stack",
               "tasks_displaced", "tasks_missed"]
EXACT, INTERRUPTED, REGISTERS, CROSSES, ENTERED = 1, 2, 4, 8, 16
COMPLETE, TRUNCATED = 1, 2

Frame = collections.namedtuple("Frame", "pc depth static dynamic flags on ahead name")
Stack = collections.namedtuple("Stack", "type time_ns cpu tid pid depth stack_bytes kind flags comm on frames")


class Symbols:
    def __init__(self):
        with open("/proc/kallsyms", encoding="ascii") as file:
            lines = [line.split() for line in file]
        # Code that a module had for its start only has its names still, where another one's code may lie by now.
        found = sorted((int(line[0], 16), line[-1] == "[kstack_shapes]", line[2]) for line in lines if line[1] in "tTwW")
        self.addresses, self.names = [address for address, _, _ in found], [name for _, _, name in found]

    def name(self, address):
        return self.names[bisect.bisect_right(self.addresses, address) - 1]

    def address(self, name):
        return self.addresses[self.names.index(name)]


class KernelStacks:
    """with KernelStacks(addresses) as stacks: …; stacks.read()"""

    def __init__(self, functions=(), tasks=0, symbols=None):
        self.symbols = symbols or Symbols()
        device = os.open("/dev/uwind", os.O_RDWR)
        addresses = struct.pack(f"={len(functions)}Q", *functions)
        self.buffer = bytearray(addresses or b"\0")
        import ctypes  # pylint: disable=import-outside-toplevel
        pointer = ctypes.addressof((ctypes.c_char * len(self.buffer)).from_buffer(self.buffer)) if functions else 0
        request = bytearray(REQUEST.pack(REQUEST.size, BY_TASK if tasks else 0, tasks, len(functions), pointer))
        try:
            self.fd = fcntl.ioctl(device, IOC, request)
        finally:
            os.close(device)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)

    def read(self):
        """Counts by name, and stacks."""
        os.lseek(self.fd, 0, os.SEEK_SET)
        data = b""
        while piece := os.read(self.fd, 1 << 20):
            data += piece
        counts, stacks = {}, []
        while data:
            size, type_ = struct.unpack_from("=II", data)
            if type_ == COUNTS:
                counts = dict(zip(COUNT_NAMES, struct.unpack_from(f"={len(COUNT_NAMES)}Q", data, 8)))
            else:
                stacks.append(self.stack(data[:size], type_))
            data = data[size:]
        return counts, stacks

    def stack(self, data, type_):
        _, _, time_ns, cpu, tid, pid, depth, stack_bytes, nr, kind, flags, comm, on = STACK.unpack_from(data)
        frames = []
        for i in range(nr):
            values = FRAME.unpack_from(data, STACK.size + i * FRAME.size)
            exact_pc = values[4] & (INTERRUPTED | ENTERED)
            frames.append(Frame(*values, self.symbols.name(values[0] - (0 if exact_pc else 1))))
        return Stack(type_, time_ns, cpu, tid, pid, depth, stack_bytes, KINDS[kind], flags,
                     comm.split(b"\0")[0].decode(errors="replace"), on, frames)


def sum_of(stack):
    """Of the frames on the stack of the innermost one."""
    frames = [frame for frame in stack.frames if frame.on == stack.on]
    return sum(frame.static + frame.dynamic for frame in frames)


def stock():
    """The stock tracer's list: (depth, size, name)."""
    text = (TRACING / "stack_trace").read_text(encoding="ascii")
    return [(int(depth), int(size), name)
            for depth, size, name in re.findall(r"^ *\d+\) +(\d+) +(\d+) +([^\s+]+)\+?", text, re.MULTILINE)]


def shown(stack):
    lines = [f"{stack.kind} {stack.comm} cpu {stack.cpu} depth {stack.depth} of {stack.stack_bytes} flags {stack.flags} on {stack.on}"]
    for i, frame in enumerate(stack.frames):
        lines.append(f"{i:3}) {frame.depth:6} {frame.static:6} {frame.dynamic:6} {frame.flags:2} {frame.on} {frame.ahead:5} {frame.name}")
    return "\n".join(lines)
