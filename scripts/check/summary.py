#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Counts what CTest wrote as JUnit: names what failed and what was skipped, and ends with "N passed, N failed".

Usage: summary.py JUNIT [PRESET SECONDS]      exits with 1 if a test failed, or none passed
A test that could not run because what it needs failed counts as failed. One that says how many cases it had (tests/unit/main.cpp)
counts as so many. Cases that passed only when they were tried again alone are listed in the file "unsteady" beside JUNIT
(machines.sh), and in unsteady.json for programs; more than three of them count as one failure. Those in the file "kept" have their
verdict from before.
With the preset of CTest that ran, and the seconds that it took, a file "verdict" beside JUNIT has these, the commit that was tested,
and the numbers.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

LAST_LINES = 40
UNSTEADY_MOST = 3
CASES = re.compile(r"cases: (\d+) passed, (\d+) failed, (\d+) skipped(?:: (.*))?")


def verdict(case):
    skipped = case.find("skipped")
    if case.find("failure") is not None:
        return "failed"
    if skipped is None:
        return "passed"
    return "skipped" if "SKIP_RETURN_CODE" in skipped.get("message", "") else "not run"


def output_of(case):
    return (case.findtext("system-out") or "").strip().splitlines()


def cases_of(test, verdict_of_all):
    """How many cases of a test have passed, failed and were skipped."""
    said = CASES.fullmatch("".join(output_of(test)[-1:]))
    numbers = dict(zip(("passed", "failed", "skipped"), map(int, said.groups()[:3]))) if said else {}
    if not numbers.get(verdict_of_all):  # its own verdict came about in another way
        return {verdict_of_all: 1}
    if verdict_of_all == "passed" and numbers["skipped"]:
        print(f"skip {numbers['skipped']} of {test.get('name')}: {said[4]}")
    return numbers


def count(groups):
    """Cases of all tests that passed, failed and were skipped."""
    sums = collections.Counter()
    for name, tests in groups.items():
        for test in tests:
            sums.update(cases_of(test, name))
    return sums["passed"], sums["failed"] + sums["not run"], sums["skipped"]


def unsteady_beside(junit):
    """Cases that passed at a later try: name, try, the first boot's folder and the last one's. Says which, and keeps them."""
    try:
        lines = (junit.parent / "unsteady").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    cases = [dict(zip(("case", "try", "failed_in", "passed_in"), line.split())) for line in lines]
    (junit.parent / "unsteady.json").write_text(json.dumps(cases, indent=1) + "\n", encoding="utf-8")
    print("unsteady:")
    for case in cases:
        print("  {case}: passed alone, try {try}; logs: {failed_in}, {passed_in}".format(**case))
    return cases


def say_kept(junit):
    """How many cases did not need to run (kept.sh)."""
    try:
        kept = len((junit.parent / "kept").read_text(encoding="utf-8").splitlines())
    except FileNotFoundError:
        return
    print(f"{kept} cases have their verdict from before, with the same contents: AGAIN=1 runs them again")


def git(*arguments):
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False).stdout.strip()


def write_verdict(path, **values):
    """A line for each value: its name, a blank, and it."""
    values = {"commit": git("rev-parse", "HEAD"), "tree": "changed" if git("status", "--porcelain") else "clean"} | values
    path.write_text("".join(f"{name} {value}\n" for name, value in values.items()), encoding="utf-8")


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
    junit = pathlib.Path(sys.argv[1])
    unsteady = unsteady_beside(junit)
    say_kept(junit)
    if len(unsteady) > UNSTEADY_MOST:
        print(f"FAIL {len(unsteady)} cases are unsteady, more than {UNSTEADY_MOST}: the machine or the tree is not well")
    passed, failed, skipped = count(groups)
    failed = failed + (len(unsteady) > UNSTEADY_MOST) or int(not cases)
    if len(sys.argv) > 2:
        write_verdict(junit.parent / "verdict", tests=sys.argv[2], passed=passed, failed=failed, skipped=skipped,
                      unsteady=len(unsteady), seconds=sys.argv[3])
    print(f"{skipped} skipped")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
