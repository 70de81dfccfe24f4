# SPDX-License-Identifier: GPL-2.0
"""Records a second to one reader before the first is lost, by uwind and by perf: a record a line on stdout.

Usage: rate.py      in a guest whose time counts its instructions, with one processor
"""
import json
import os
import subprocess
import sys
import time

from profilers import known_profilers
from programs import FOLDER

WAY, DEPTH, SECONDS = "other", "39", 0.25  # each stack is new
RATES = (2000, 5000, 10000, 15000, 20000, 40000, 80000)


def sampled(profiler, hz):
    """Records a second, or 0 if one was lost."""
    with subprocess.Popen(["/root/programs/deep_framed", WAY, DEPTH, "100000"]) as victim:
        time.sleep(0.1)
        profiler.start(victim.pid, hz)
        begun = time.monotonic()
        time.sleep(SECONDS)
        took = time.monotonic() - begun
        victim.kill()
    profiler.end()
    samples, lost = profiler.counted()
    print(f"rate: {profiler.name}, {hz} Hz: {samples} in {took:.2f} s, {lost} lost", file=sys.stderr)
    return 0 if lost else samples / took


def highest(profiler):
    """Until one is lost, or the processor has no time for more."""
    best = 0
    for hz in RATES:
        reached = sampled(profiler, hz)
        if reached <= best:
            break
        best = reached
    return best


def main():
    os.makedirs(FOLDER, exist_ok=True)
    with open("/proc/sys/kernel/perf_cpu_time_max_percent", "w", encoding="ascii") as file:
        file.write("0")
    for profiler in known_profilers():
        figure = {"group": "rate", "frames": "45", "of": profiler.name, "unit": "records a second"}
        print(json.dumps({**figure, "samples": [round(highest(profiler))]}), flush=True)


main()
