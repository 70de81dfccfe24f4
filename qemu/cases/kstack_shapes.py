# SPDX-License-Identifier: GPL-2.0
"""The module whose functions have frames of each kind (tests/kmod/kstack_shapes.c): what calls them, and how they look."""
import contextlib
import pathlib
import re

import guest
import kernel_stacks
from kernel_stacks import COMPLETE, KernelStacks

MODULE = "/root/kstack_shapes.ko"
PARAMETERS = pathlib.Path("/sys/module/kstack_shapes/parameters")
CHAIN = ["shapes_bottom", "shapes_many", "shapes_arguments", "shapes_aligned", "shapes_dynamic", "shapes_huge", "shapes_large",
         "shapes_small", "shapes_caller"]


@contextlib.contextmanager
def loaded():
    """The module, and the kernel's symbols with its own."""
    guest.run("insmod", MODULE)
    try:
        yield kernel_stacks.Symbols()
    finally:
        guest.run("rmmod", "kstack_shapes")


def walked(symbols, functions, parameter, text):
    """The stacks that were kept while text was written to the module's parameter. None: that cannot be done."""
    with KernelStacks([symbols.address(name) for name in functions], symbols=symbols) as stacks:
        try:
            guest.write(PARAMETERS / parameter, text)
        except OSError:
            return None
        return stacks.read()[1]


def chain_of(stacks, names):
    """The frames of the one stack that has those functions."""
    found = [stack for stack in stacks if stack.frames[0].name == names[0] and names[1] in [frame.name for frame in stack.frames]]
    assert len(found) == 1, [kernel_stacks.shown(stack) for stack in stacks]
    assert found[0].flags & COMPLETE, kernel_stacks.shown(found[0])
    return found[0]


def code():
    """Instructions of each function, as objdump writes them: offset and text."""
    functions, name, start = {}, None, 0
    for line in guest.run("objdump", "-d", "--no-show-raw-insn", MODULE).splitlines():
        if begun := re.match(r"^([0-9a-f]+) <(\w+)>:$", line):
            start, name = int(begun[1], 16), begun[2]
            functions[name] = []
        elif (found := re.match(r"^ *([0-9a-f]+):\t(.*)$", line)) and name:
            functions[name].append((int(found[1], 16) - start, found[2]))
    return functions
