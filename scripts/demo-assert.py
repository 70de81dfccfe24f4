#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Prints what the demo's report says about each program, and fails if it is less than what uwind promises.

Usage: demo-assert.py [--stacks] report.json     --stacks prints the hottest and the deepest stack of each program
"""
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "qemu" / "cases"))
import report as reports  # noqa: E402  (its folder is known only now)

PROGRAMS = ("python3", "perl", "gawk", "sqlite3", "openssl", "xz", "sframe_victim", "dlopen_victim")
LEAST_SAMPLES = 200
STARTING = 0.5  # the share of its samples in which a program's tables may still be on their way
LEAST_SETTLED_PERCENT = 99.5
LEAST_PERCENT = 90.0
MOST_LOST_PERCENT = 1.0


def print_table(report):
    print("%-15s %8s %10s %10s %6s  %s" % ("program", "samples", "complete", "2nd half", "depth", "why not"))
    for comm in PROGRAMS:
        depth = max((len(s["frames"]) for s, _ in report.stacks(comm)), default=0)
        print("%-15s %8d %9.2f%% %9.2f%% %6d  %s" % (
            comm, report.weight(comm), report.complete_percent(comm),
            report.complete_percent(comm, STARTING), depth,
            ", ".join("%s %d" % r for r in report.why_not(comm).most_common()) or "-"))


def print_stack(report, title, stack):
    names = report.names(stack)
    print("\n%s, %d frames, ends: %s" % (title, len(names), stack["stop"]))
    lines = ["  %-12s %s" % pair for pair in zip(stack["methods"], names)]
    if len(lines) > 24:
        lines[14:-8] = ["  ... %d more ..." % (len(lines) - 22)]
    print("\n".join(lines))


def print_stacks(report):
    for comm in PROGRAMS:
        weights = collections.Counter()
        for sample in report.samples.get(comm, []):
            if sample["user_stack"] is not None:
                weights[sample["user_stack"]] += sample["weight"]
        if not weights:
            continue
        stacks = report.json["stacks"]
        hottest, weight = weights.most_common(1)[0]
        print_stack(report, "%s: hottest (%d samples)" % (comm, weight), stacks[hottest])
        print_stack(report, "%s: deepest" % comm, stacks[max(weights, key=lambda i: len(stacks[i]["frames"]))])


def problems_of(report, comm):
    if report.weight(comm) < LEAST_SAMPLES:
        yield "%s: %d samples, fewer than %d" % (comm, report.weight(comm), LEAST_SAMPLES)
    for part, skipped, least in (("its second half", STARTING, LEAST_SETTLED_PERCENT), ("all", 0, LEAST_PERCENT)):
        percent = report.complete_percent(comm, skipped)
        if percent < least:
            yield "%s: %.3f %% of %s are complete, fewer than %.1f" % (comm, percent, part, least)
    yield from reports.rule_bottom(report, comm)


def main(arguments):
    report = reports.Report(arguments[-1])
    print_table(report)
    if "--stacks" in arguments:
        print_stacks(report)
    counters = report.json["counters"]
    print("\nrequested %d, answered %d, lost %s" % (counters["requested"], counters["answered"], counters["lost"]))
    problems = [p for comm in PROGRAMS for p in problems_of(report, comm)]
    problems += reports.rule_schema(report) + reports.rule_balance(report)
    problems += reports.rule_lost(report, MOST_LOST_PERCENT)
    problems += reports.rule_table(report, "/sframe_victim", "sframe-v1")
    problems += reports.rule_chain(report, "dlopen_victim", "plugin_work", "main")
    for problem in problems:
        print("not so: %s" % problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
