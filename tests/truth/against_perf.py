#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""In a guest: what the stock kernel gives `perf record -g` beside our stacks, of the same processes in the same seconds.

usage: against_perf.py SECONDS [PROGRAM]...     of stock_programs.py; SECONDS: of each
Prints a table in percent. A stack of perf's is right if its callers are those of some complete stack of ours in that
process; short if they begin like one and end too early; wrong if no stack of ours begins so. Exit status 1 if there is
nothing to compare, or ours are complete less often than perf's are right.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from stock_programs import word_bits, workload

SETTLE_SECONDS = 5  # programs begin, and tables are made
FREQUENCY = "499"


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
        return json.load(report), perf_stacks(theirs)


def perf_stacks(path):
    text = subprocess.check_output(["perf", "script", "-i", path, "-F", "ip"], text=True, stderr=subprocess.DEVNULL)
    stacks = [stack.split() for stack in text.split("\n\n")]
    return [tuple(int(address, 16) & ~1 for address in stack) for stack in stacks if stack]


def even(report, stack):
    return tuple(int(report["frames"][i]["address"], 16) & ~1 for i in stack["frames"])


def known_callers(report):
    """(callers of complete stacks, all that callers begin with)"""
    complete, beginnings = set(), set()
    for stack in report["stacks"]:
        callers = even(report, stack)[1:]
        if stack["complete"]:
            complete.add(callers)
        beginnings.update(callers[:n] for n in range(len(callers) + 1))
    return complete, beginnings


def classify(stacks, report):
    """{class: number of perf's stacks}"""
    complete, beginnings = known_callers(report)
    counts = {"right": 0, "short": 0, "wrong": 0}
    for stack in stacks:
        callers = stack[1:]
        counts["right" if callers in complete else "short" if callers in beginnings else "wrong"] += 1
    return counts


def ours_complete(report):
    samples = [(report["stacks"][s["user_stack"]], s["weight"]) for s in report["samples"] if s["user_stack"] is not None]
    whole = sum(weight for _, weight in samples)
    return sum(weight for stack, weight in samples if stack["complete"]), whole


def compare(program, arguments, seconds, folder):
    process = subprocess.Popen(
        "exec " + program + " " + arguments, shell=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(SETTLE_SECONDS)
    report, stacks = record(process.pid, seconds, folder)
    process.send_signal(signal.SIGKILL)
    process.wait()
    complete, whole = ours_complete(report)
    return {"ours": whole, "complete": complete, "perf": len(stacks), **classify(stacks, report)}


def percent(part, whole):
    return "%.1f %%" % (100 * part / whole) if whole else "none"


def show(name, bits, row):
    shares = [percent(row["complete"], row["ours"])] + [percent(row[what], row["perf"]) for what in ("right", "short", "wrong")]
    print("| %s | %s | %d | %s | %d | %s | %s | %s |" % (name, bits, row["ours"], shares[0], row["perf"], *shares[1:]), flush=True)


def main():
    seconds, only = int(sys.argv[1]), sys.argv[2:]
    sums = {}
    print("| program | bits | our stacks | complete | perf's stacks | right and complete | short | wrong |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, (program, arguments) in workload(folder).items():
            path = shutil.which(program)
            if name not in only or not path:
                continue
            bits = word_bits(os.path.realpath(path))
            row = compare(path, arguments, seconds, folder)
            show(name, bits, row)
            total = sums.setdefault(bits, dict.fromkeys(row, 0))
            for what, count in row.items():
                total[what] += count
    for bits, total in sums.items():
        show("all", bits, total)
    bad = any(not t["perf"] or t["complete"] * t["perf"] < t["right"] * t["ours"] for t in sums.values())
    sys.exit(1 if bad or not sums else 0)


main()
