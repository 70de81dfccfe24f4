#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What calls cost while nothing is traced, as figures: without the module, with it, and after a session has traced functions.

Usage: idle.py NAME=VALUE..., keys of all of them. In a guest whose time counts its instructions.
"""
import os
import pathlib
import subprocess
import sys
import time

import calls

SETTLED_S = 20  # of the guest, whose time is not even before that
EXTRA = pathlib.Path("/lib/modules", os.uname().release, "extra")
KEYS = " ".join(sys.argv[1:])


def print_figures(state):
    calls.print_figures("idle", KEYS, state, ["getppid", "fork, exit and wait"])


def trace_functions():
    subprocess.run(["uwind", "record", "-a", "-e", "func:*getppid*,vfs_*,do_exit", "--force", "--duration", "1", "-o", "/tmp/idle.json"],
                   check=True)


def main():
    time.sleep(SETTLED_S)
    subprocess.run(["rmmod", "uwind"], check=True)
    print_figures("without the module")
    subprocess.run(["insmod", EXTRA / "uwind.ko"], check=True)
    print_figures("with it")
    trace_functions()
    print_figures("after functions were traced")


main()
