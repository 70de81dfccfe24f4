#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Prints what the demo's report says about each program, and fails if it is less than what uwind promises.

Usage: demo-assert.py [--stacks] report.json     --stacks prints the hottest and the deepest stack of each program
"""
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "qemu" / "cases"))
import report as reports  # noqa: E402  (their folder is known only now)
import rules  # noqa: E402

PROGRAMS = ("python3", "perl", "gawk", "sqlite3", "openssl", "xz", "sframe_victim", "dlopen_victim")
LEAST_SAMPLES = 200
STARTING = 0.5  # the share of its samples in which a program's tables may still be on their way
LEAST_SETTLED_PERCENT = 99.5
LEAST_PERCENT = 90.0
MOST_LOST_PERCENT = 1.0


def complete_after(program, skipped):
    """Percent, without a share of the samples, the earliest."""
    return reports.percent(program.weight(lambda stack: stack["complete"], skipped), program.weight(skipped=skipped))


def print_table(report):
    print("%-15s %8s %10s %10s %6s  %s" % ("program", "samples", "complete", "2nd half", "depth", "why not"))
    for comm in PROGRAMS:
        program = report.of(comm)
        why_not = program.count(lambda stack: None if stack["complete"] else stack["stop"])
        why_not.pop(None, None)
        print("%-15s %8d %9.2f%% %9.2f%% %6d  %s" % (
            comm, program.samples, program.complete, complete_after(program, STARTING), max(program.depths, default=0),
            ", ".join("%s %d" % r for r in why_not.most_common()) or "-"))


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
        for sample in report.of(comm).all:
            if sample["user_stack"] is not None:
                weights[sample["user_stack"]] += sample["weight"]
        if not weights:
            continue
        stacks = report.json["stacks"]
        hottest, weight = weights.most_common(1)[0]
        print_stack(report, "%s: hottest (%d samples)" % (comm, weight), stacks[hottest])
        print_stack(report, "%s: deepest" % comm, stacks[max(weights, key=lambda i: len(stacks[i]["frames"]))])


def problems_of(report, comm):
    program = report.of(comm)
    if program.samples < LEAST_SAMPLES:
        yield "%s: %d samples, fewer than %d" % (comm, program.samples, LEAST_SAMPLES)
    for part, skipped, least in (("its second half", STARTING, LEAST_SETTLED_PERCENT), ("all", 0, LEAST_PERCENT)):
        percent = complete_after(program, skipped)
        if percent < least:
            yield "%s: %.3f %% of %s are complete, fewer than %.1f" % (comm, percent, part, least)
    yield from rules.rule_bottom(report, comm)


def main(arguments):
    report = reports.Report(arguments[-1])
    print_table(report)
    if "--stacks" in arguments:
        print_stacks(report)
    counters = report.json["counters"]
    print("\nrequested %d, answered %d, lost %s" % (counters["requested"], counters["answered"], counters["lost"]))
    problems = [p for comm in PROGRAMS for p in problems_of(report, comm)]
    problems += rules.rule_schema(report) + rules.rule_balance(report)
    problems += rules.rule_lost(report, MOST_LOST_PERCENT)
    problems += rules.rule_table(report, "/sframe_victim", "sframe-v1")
    problems += rules.rule_chain(report, "dlopen_victim", "plugin_work", "main")
    for problem in problems:
        print("not so: %s" % problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
