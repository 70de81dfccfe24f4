# SPDX-License-Identifier: GPL-2.0
# Expected: 40 s
"""Sessions, sections and the module itself give back the memory that they took. What is lost each time makes the kernel's
memory grow each time; what stops growing is a cache of the kernel's."""
import pathlib
import time

import guest

ROUNDS = 12
WINDOW = 4  # rounds; the percpu allocator has up to four pages in reserve
SESSIONS = 150  # of which the least that can be lost, 32 bytes for a processor, is a page
SETTLED = 0.3  # seconds: what the kernel frees later is the same after each round
SLABS = pathlib.Path("/sys/kernel/slab")


def objects():
    """How many there are, by cache: exactly, once no processor keeps free ones."""
    caches = [cache for cache in SLABS.iterdir() if "kmalloc" in cache.name]
    for cache in caches:
        guest.write(cache / "shrink", 1)
    return {cache.name: int(guest.read(cache / "objects").split()[0]) for cache in caches}


def kib():
    words = (line.split() for line in guest.read("/proc/meminfo").splitlines())
    return {line[0]: int(line[1]) for line in words if line[0] in ("VmallocUsed:", "Percpu:")}


def memory():
    time.sleep(SETTLED)
    return objects() | kib()


def grows(action):
    """What never stops to, by name, with its sizes. The first time fills caches."""
    action()
    sizes = [memory()]
    suspects = set(sizes[0])
    while suspects and len(sizes) <= ROUNDS:
        action()
        sizes.append(memory())
        if len(sizes) > WINDOW:
            suspects = {name for name in suspects if sizes[-1][name] > sizes[-1 - WINDOW][name]}
    return {name: [size[name] for size in sizes] for name in suspects}


def test_sessions_and_sections_leave_no_memory():
    assert not grows(lambda: guest.run(guest.PROGRAMS / "session_cycles", SESSIONS))


def test_a_module_that_goes_leaves_no_memory():
    def live():
        guest.run("uwind", "record", "-F", 499, "-o", "r.json", "--", guest.PROGRAMS / "sframe_victim", 0.3)
        guest.renew_module("after a recording")

    assert not grows(live)
