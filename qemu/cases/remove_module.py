#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Runs rmmod, and prints how many milliseconds that took, from its start to its end."""
import subprocess
import sys
import time

start = time.monotonic()
done = subprocess.run(["rmmod", "uwind"], check=False)
took = round((time.monotonic() - start) * 1000)
if done.returncode:
    sys.exit("remove_module.py: rmmod ended with status %d" % done.returncode)
print(took)
