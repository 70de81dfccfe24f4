# SPDX-License-Identifier: GPL-2.0
"""The usual number of frames of a recording, and its bytes a sample: what uwind's socket or perf's file took.

Usage: figures.py uwind REPORT.json | perf PERF.DATA
"""
import json
import os
import statistics
import subprocess
import sys


def of_uwind(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    frames = [len(report["stacks"][sample["user_stack"]]["frames"]) for sample in report["samples"]]
    return frames, report["counters"]["message_bytes"]


def of_perf(path):
    command = ["perf", "script", "--no-inline", "-i", path, "-F", "ip"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [len(block.split()) for block in text.split("\n\n") if block.strip()], os.path.getsize(path)


found, size = (of_perf if sys.argv[1] == "perf" else of_uwind)(sys.argv[2])
print(round(statistics.median(found)), round(size / len(found)))
