# SPDX-License-Identifier: GPL-2.0
"""Instructions of a function in what the function graph tracer wrote, where a nanosecond is one.

Usage: mean.py TRACE FUNCTION [SAMPLES]     the median of a call; or the sum by so many samples
"""
import re
import statistics
import sys

LINE = re.compile(r"([0-9.]+) us +\| +(\w+)")


def durations(path, function):
    with open(path, encoding="ascii", errors="replace") as trace:
        for line in trace:
            found = LINE.search(line)
            if found and found[2] == function:
                yield float(found[1]) * 1000


def main(path, function, samples=None):
    found = list(durations(path, function))
    if not found:
        sys.exit(f"mean.py: {function} was never called")
    print(round(sum(found) / int(samples) if samples else statistics.median(found)))


main(*sys.argv[1:])
