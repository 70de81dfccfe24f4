#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Removes the module as rmmod does, and prints how many milliseconds the kernel took; the start of a program is not in it."""
import ctypes
import os
import platform
import sys
import time

DELETE_MODULE = {"x86_64": 176, "aarch64": 106}[platform.machine()]

libc = ctypes.CDLL(None, use_errno=True)
start = time.monotonic()
failed = libc.syscall(DELETE_MODULE, b"uwind", os.O_NONBLOCK)
took = round((time.monotonic() - start) * 1000)
if failed:
    sys.exit("remove_module.py: delete_module: " + os.strerror(ctypes.get_errno()))
print(took)
