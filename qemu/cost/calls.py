#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What calls cost, in a guest whose time counts its instructions: the shortest of several measurements, in nanoseconds.

Usage: calls.py NAME...     prints them as JSON
"""
import json
import mmap
import os
import subprocess
import sys
import time

MEASUREMENTS = 9


def fork():
    if (pid := os.fork()) == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def execute():
    os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)


def map_code():
    """And unmap it."""
    mmap.mmap(PROGRAM, 65536, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC).close()


PROGRAM = os.open("/bin/sh", os.O_RDONLY)
CALLS = {"getppid": (os.getppid, 20000), "fork, exit and wait": (fork, 50), "spawn true and wait": (execute, 20),
         "mmap of code and munmap": (map_code, 500)}


def shortest(function, times):
    """Nanoseconds a call, Python's own share included."""
    took = []
    for _ in range(MEASUREMENTS):
        begun = time.monotonic_ns()
        for _ in range(times):
            function()
        took.append((time.monotonic_ns() - begun) / times)
    return min(took)


def print_figures(subject, keys, state, calls):
    """Of an interpreter of its own, as one that has run for a while is faster."""
    said = subprocess.run([sys.executable, __file__, *calls], check=True, capture_output=True, text=True)
    for name, instructions in json.loads(said.stdout).items():
        print(f"figure: {subject} {keys} call=\"{name}\" state=\"{state}\" instructions={instructions}", flush=True)


if __name__ == "__main__":
    print(json.dumps({name: round(shortest(*CALLS[name])) for name in sys.argv[1:]}))
