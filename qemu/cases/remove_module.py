#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Removes the module as rmmod does, and prints how many milliseconds the kernel took; the start of a program is not in it,
nor the scheduler's choice between programs: this one is a real-time one meanwhile.

A stack walk holds the module while it runs, and the kernel refuses then (EAGAIN). So the program tries again every millisecond
until RMMOD_LIMIT_MS (environment, usually 1000) have passed, and the milliseconds are those from the first try to the last."""
import ctypes
import errno
import os
import platform
import sys
import time

DELETE_MODULE = {"x86_64": 176, "aarch64": 106}[platform.machine()]
LIMIT_MS = int(os.environ.get("RMMOD_LIMIT_MS", "1000"))

libc = ctypes.CDLL(None, use_errno=True)


def remove():
    """Returns 0 or the errno."""
    return ctypes.get_errno() if libc.syscall(DELETE_MODULE, b"uwind", os.O_NONBLOCK) else 0


os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
start = time.monotonic()
while (error := remove()) == errno.EAGAIN and (time.monotonic() - start) * 1000 < LIMIT_MS:
    time.sleep(0.001)
took = round((time.monotonic() - start) * 1000)
if error:
    sys.exit(f"remove_module.py: delete_module: {os.strerror(error)} after {took} ms")
print(took)
