#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""In a guest: what the stock kernel gives `perf record -g` beside our stacks, of the same processes in the same seconds.

usage: against_perf.py SECONDS CONTROLS [PROGRAM]...     SECONDS: of each; PROGRAM: of stock_programs.py
Prints a table in percent. A stack of perf's is right if its callers are those of some complete stack of ours in that
process; short if they begin like one and end too early; alone if it has none; skipped if right or short but for its
first caller, which is missing; wrong if no stack of ours is like that. As many of perf's as of ours whose callers were
met once can be right and were met by perf alone: they count as wrong. CONTROLS is a folder with programs that frame
pointers tell everything of, so most of perf's stacks must be right or short. Exit status 1 if a control's are not, if
there is nothing to compare, or if ours are complete less often than COMPLETE_LEAST.
"""
import collections
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from stock_programs import word_bits, workload

SETTLE_SECONDS = 5  # programs begin, and tables are made
FREQUENCY = "499"
CONTROL_LEAST = 0.9  # of its stacks
COMPLETE_LEAST = 0.97  # of ours, of all programs with words of one size
CLASSES = ("right", "short", "alone", "skipped", "wrong")
SAMPLE = re.compile(r"PERF_RECORD_SAMPLE\(.*?: (\d+)/")
CHAIN = re.compile(r"\.\.\.\.\. +\d+: ([0-9a-f]{16})$")
MARKERS = 2**64 - 4096  # from here on, what a chain says of itself


def record(pid, seconds, folder):
    """(our report, perf's stacks as tuples of addresses, innermost first)"""
    ours, theirs = os.path.join(folder, "ours.json"), os.path.join(folder, "perf.data")
    perf = ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", FREQUENCY, "-g", "-p", str(pid), "-o", theirs]
    both = [
        subprocess.Popen(["uwind", "record", "-F", FREQUENCY, "-p", str(pid), "--duration", str(seconds), "-o", ours]),
        subprocess.Popen(perf + ["--", "sleep", str(seconds)]),
    ]
    if any(process.wait() for process in both):
        sys.exit("against_perf.py: a recording failed")
    with open(ours, encoding="utf-8") as report:
        return json.load(report), perf_stacks(theirs, pid)


def perf_stacks(path, pid):
    """The kernel's chains of that process. perf script prints offsets in files instead, and on arm64 adds callers."""
    stacks, mine = [], False
    dump = subprocess.Popen(["perf", "report", "-D", "-i", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in dump.stdout:
        sample, address = SAMPLE.search(line), CHAIN.match(line)
        if sample:
            mine = int(sample[1]) == pid
            if mine:
                stacks.append([])
        elif address and mine and int(address[1], 16) < MARKERS:
            stacks[-1].append(int(address[1], 16) & ~1)
    if dump.wait():
        sys.exit("against_perf.py: perf cannot read what it recorded")
    return [tuple(stack) for stack in stacks]


def even(report, stack):
    return tuple(int(report["frames"][i]["address"], 16) & ~1 for i in stack["frames"])


def beginnings(stacks):
    return {callers[:n] for callers in stacks for n in range(len(callers) + 1)}


def known_callers(report):
    """{class: callers that belong into it}"""
    stacks = {(even(report, stack)[1:], stack["complete"]) for stack in report["stacks"]}
    short = beginnings(callers for callers, _ in stacks)
    return {
        "right": {callers for callers, complete in stacks if complete},
        "alone": {()},
        "short": short,
        "skipped": beginnings(callers[1:] for callers, _ in stacks),
    }


def classify(stacks, report):
    """{class: number of perf's stacks}"""
    known = known_callers(report)
    counts = dict.fromkeys(CLASSES, 0)
    for stack in stacks:
        counts[next((what for what in known if stack[1:] in known[what]), "wrong")] += 1
    return counts


def count_ours(report):
    """{what: number of our stacks}"""
    counts, met = {"ours": 0, "complete": 0}, collections.Counter()
    for sample in report["samples"]:
        if sample["user_stack"] is None:
            continue
        stack = report["stacks"][sample["user_stack"]]
        counts["ours"] += sample["weight"]
        counts["complete"] += sample["weight"] * stack["complete"]
        met[even(report, stack)[1:]] += sample["weight"]
    return {**counts, "once": sum(times == 1 for times in met.values())}


def compare(program, arguments, seconds, folder):
    process = subprocess.Popen(
        "exec " + program + " " + arguments, shell=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(SETTLE_SECONDS)
    report, stacks = record(process.pid, seconds, folder)
    process.send_signal(signal.SIGKILL)
    process.wait()
    return {**count_ours(report), "perf": len(stacks), **classify(stacks, report)}


def percent(part, whole):
    return "%.1f %%" % (100 * part / whole) if whole else "none"


def show(name, bits, row):
    shares = [percent(row[what], row["ours"]) for what in ("complete", "once")]
    shares += [str(row["perf"])] + [percent(row[what], row["perf"]) for what in CLASSES]
    print("| %s | %s | %d | %s |" % (name, bits, row["ours"], " | ".join(shares)), flush=True)


def compare_programs(names, seconds, folder):
    """{bits: sums of the rows}"""
    sums = {}
    for name, (program, arguments) in workload(folder).items():
        path = shutil.which(program)
        if name not in names or not path:
            continue
        bits = word_bits(os.path.realpath(path))
        row = compare(path, arguments, seconds, folder)
        show(name, bits, row)
        total = sums.setdefault(bits, dict.fromkeys(row, 0))
        for what, count in row.items():
            total[what] += count
    for bits, total in sums.items():
        show("all", bits, total)
    return sums


def controls_hold(controls, seconds, folder):
    """Each of them is measured."""
    held = []
    for name in sorted(os.listdir(controls)):
        path = os.path.join(controls, name)
        row = compare(path, "", seconds, folder)
        show(name, word_bits(path), row)
        held.append(row["right"] + row["short"] >= CONTROL_LEAST * max(row["perf"], 1))
    return held and all(held)


def main():
    seconds, controls, names = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    print("| program | bits | our stacks | complete | met once | perf's stacks | " + " | ".join(CLASSES) + " |")
    print("|---" * (6 + len(CLASSES)) + "|")
    with tempfile.TemporaryDirectory() as folder:
        held = controls_hold(controls, seconds, folder)
        sums = compare_programs(names, seconds, folder)
    bad = any(not t["perf"] or t["complete"] < COMPLETE_LEAST * t["ours"] for t in sums.values())
    sys.exit(0 if held and sums and not bad else 1)


main()
