#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Which functions of the module a sample's instructions belong to, as lines for scripts/measured.py.

Usage: profile.py KEY=VALUE... OTHER_SHORT OTHER_LONG SAME_SHORT SAME_LONG

Each is a folder and the name of a log in it, FOLDER:LOG, of a guest that ran profile.sh: FOLDER/counts has an address and a
number in a line. What a recording takes once is the same in a short and in a long one: the difference is what samples take.
"""
import bisect
import collections
import pathlib
import re
import sys

LEAST = 100  # instructions of a function that has a line of its own
SYMBOL = re.compile(r"([0-9a-f]+) [tT] (\S+)\s+\[uwind\]$")
SAMPLES = re.compile(r"samples (\d+)$")


class Guest:
    def __init__(self, run):
        folder, log = run.split(":")
        self.symbols, self.samples = [], 0
        for line in pathlib.Path(log).read_text(encoding="utf-8").splitlines():
            if symbol := SYMBOL.search(line):
                self.symbols.append((int(symbol[1], 16), symbol[2]))
            elif samples := SAMPLES.search(line):
                self.samples = int(samples[1])
        if not self.symbols or not self.samples:
            raise SystemExit(f"{log}: no functions of the module, or no samples")
        self.symbols.sort()
        self.times = collections.Counter()
        for line in (pathlib.Path(folder) / "counts").read_text(encoding="utf-8").splitlines():
            address, times = line.split()
            self.times[self.function_at(int(address, 16))] += int(times)
        del self.times[None]

    def function_at(self, address):
        """None: that of another module. The last function's end is not known; init has its own place, at the end."""
        i = bisect.bisect_right(self.symbols, (address, "~")) - 1
        return self.symbols[i][1] if 0 <= i < len(self.symbols) - 1 else None


def of_a_sample(short, long):
    samples = long.samples - short.samples
    if samples < 100:
        raise SystemExit(f"{short.samples} and {long.samples} samples: the long recording is not longer")
    return {name: max(times - short.times[name], 0) / samples for name, times in long.times.items()}


def lines_of(new, known):
    alone = [name for name in sorted(new | known, key=lambda name: -new.get(name, 0)) if max(new.get(name, 0), known.get(name, 0)) >= LEAST]
    yield from ((f"`{name}`", new.get(name, 0), known.get(name, 0)) for name in alone)
    yield "others", *(sum(times for name, times in way.items() if name not in alone) for way in (new, known))
    yield "in all", sum(new.values()), sum(known.values())


keys, runs = sys.argv[1:-4], [Guest(run) for run in sys.argv[-4:]]
for function, *instructions in lines_of(of_a_sample(*runs[:2]), of_a_sample(*runs[2:])):
    print("figure: profile", *keys, f'"function={function}"', *(f"{name}={value:.0f}" for name, value in zip(("new", "known"), instructions)))
