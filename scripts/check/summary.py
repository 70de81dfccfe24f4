#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Counts what CTest wrote as JUnit: names what failed and what was skipped, and ends with "N passed, N failed".

Usage: summary.py JUNIT        exits with 1 if a test failed, or none passed
A test that could not run because what it needs failed counts as failed. One that says how many cases it had (tests/unit/main.cpp)
counts as so many.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree

LAST_LINES = 40


def verdict(case):
    skipped = case.find("skipped")
    if case.find("failure") is not None:
        return "failed"
    if skipped is None:
        return "passed"
    return "skipped" if "SKIP_RETURN_CODE" in skipped.get("message", "") else "not run"


def output_of(case):
    return (case.findtext("system-out") or "").strip().splitlines()


CASES = re.compile(r"cases: (\d+) passed, (\d+) failed, (\d+) skipped(?:: (.*))?")


def count(groups):
    """Passed, failed and skipped, of all. Says of which tests some cases were skipped."""
    counts = {"passed": 0, "failed": 0, "skipped": 0, "not run": 0}
    for name, tests in groups.items():
        for test in tests:
            said = CASES.fullmatch("".join(output_of(test)[-1:]))
            numbers = dict(zip(("passed", "failed", "skipped"), (int(number) for number in said.groups()[:3]))) if said else {}
            if not numbers.get(name):  # it does not say how its own verdict came about
                numbers = {name: 1}
            elif name == "passed" and numbers["skipped"]:
                print(f"skip {numbers['skipped']} of {test.get('name')}: {said[4]}")
            for verdict_, number in numbers.items():
                counts[verdict_] += number
    return counts["passed"], counts["failed"] + counts["not run"], counts["skipped"]


def main():
    try:
        cases = list(ElementTree.parse(sys.argv[1]).iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        print(f"summary.py: {sys.argv[1]}: {error}: CTest did not get to its end", file=sys.stderr)
        cases = []
    groups = {"passed": [], "failed": [], "skipped": [], "not run": []}
    for case in cases:
        groups[verdict(case)].append(case)
    for case in groups["skipped"]:
        print(f"skip {case.get('name')}: {' '.join(output_of(case)[-1:])}")
    for case in groups["not run"]:
        print(f"FAIL {case.get('name')}: what it needs has failed")
    for case in groups["failed"]:
        print(f"FAIL {case.get('name')} ({float(case.get('time') or 0):.0f} s)")
        for line in output_of(case)[-LAST_LINES:]:
            print(f"     | {line}")
    passed, failed, skipped = count(groups)
    print(f"{skipped} skipped")
    print(f"{passed} passed, {failed or int(not cases)} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
