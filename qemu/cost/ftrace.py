#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What tracing a function of the kernel costs, as figures. Usage: ftrace.py NAME=VALUE..., keys of all of them"""
import json
import subprocess
import sys


def main():
    keys = " ".join(sys.argv[1:])
    said = subprocess.run(["uwind", "bench", "ftrace", "--calls", "5000", "--format", "json"], check=True, capture_output=True, text=True)
    for cost in json.loads(said.stdout):
        print(f"figure: ftrace {keys} others=\"{cost['others']}\" tracer=\"{cost['tracer'] or 'none'}\" call={cost['call_ns']:.0f} "
              f"added={cost['added_ns']:.0f}")


main()
