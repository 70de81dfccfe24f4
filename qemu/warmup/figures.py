# SPDX-License-Identifier: GPL-2.0
"""Of a recording of everything: its samples with a user stack, how many of them are complete, and uwind's part of all samples.

Usage: figures.py ARCH NAME REPORT
"""
import sys

sys.path.insert(0, "/root/cases")
from report import Report, percent

arch, name, path = sys.argv[1:]
report = Report(path)
samples = report.json["samples"]
stacks = report.json["stacks"]
walked = sum(s["weight"] for s in samples if s["user_stack"] is not None)
complete = sum(s["weight"] for s in samples if s["user_stack"] is not None and stacks[s["user_stack"]]["complete"])
own = sum(s["weight"] for s in report.by_program["uwind"])
made, kept = (report.counters[f"tables_{word}"] for word in ("made", "kept"))
print(f"figure: warmup run={name} arch={arch} samples={walked} complete={percent(complete, walked):.2f} "
      f"own={percent(own, sum(s['weight'] for s in samples)):.2f} tables={made} kept={kept}")
