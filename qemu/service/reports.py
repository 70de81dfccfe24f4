#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Questions about all reports in a folder.

usage: reports.py FOLDER complete COMM    percent of COMM's samples with complete stacks; exit 1: fewer than 90, or no samples
       reports.py FOLDER gap              the longest time between two samples, in seconds
       reports.py FOLDER frequency        of the newest report
"""
import glob
import json
import os
import sys


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def complete(reports, comm):
    whole = total = 0
    for report in reports:
        for sample in report["samples"]:
            if report["processes"][sample["process"]]["comm"] != comm or sample["user_stack"] is None:
                continue
            total += sample["weight"]
            whole += sample["weight"] * report["stacks"][sample["user_stack"]]["complete"]
    print("%d samples of %s, %.2f %% complete" % (total, comm, 100 * whole / max(total, 1)))
    return 0 if total and whole >= 0.9 * total else 1


def gap(reports):
    times = sorted(sample["time_ns"] for report in reports for sample in report["samples"])
    print("%.1f" % (max((b - a for a, b in zip(times, times[1:])), default=0) / 1e9))
    return 0


def frequency(reports):
    print(reports[-1]["session"].get("frequency_hz", "none"))
    return 0


def main():
    reports = [load(path) for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.json")))]
    question = {"complete": complete, "gap": gap, "frequency": frequency}[sys.argv[2]]
    return question(reports, *sys.argv[3:])


sys.exit(main())
