#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What became of each case that a guest began: from the KTAP that it printed (qemu/cases/README.md), and its kernel's complaints.

Usage: verdicts.py LOG [CONSOLE]
A line each, in the order in which they ended; names have no blanks:
  ok NAME SECONDS
  FAIL NAME SECONDS      the case failed, the kernel complained while it ran, or the machine was lost in it
  WRONG NAME SECONDS     so that trying it again proves nothing: the case says "never again: ", or a complaint is about uwind itself
  skip NAME REASON       of a case's own results those that were skipped, as NAME:RESULT
Why a case failed although it says ok is on standard error.
"""
import pathlib
import re
import subprocess
import sys

COMPLAINTS = pathlib.Path(__file__).resolve().parents[2] / "qemu" / "complaints.awk"
NAME = r"(?P<name>\d+_[a-z0-9_]+)"
BEGIN = re.compile(rf"# {NAME} is expected to take .*")
SECONDS = re.compile(rf"# {NAME}: (?P<seconds>\d+) s")
RESULT = re.compile(rf"(?P<failed>not )?ok \d+ {NAME}(?: # SKIP (?P<reason>.*))?")
SKIPPED_WITHIN = re.compile(r"  ok \d+ (?:- )?(?P<name>\S+).* # SKIP (?P<reason>.*)")
NEVER_AGAIN = re.compile(r"  .*never again: ")


class Guest:
    """The lines so far, and the verdicts from them."""

    def __init__(self, complaints):
        self.complaints, self.verdicts = complaints, []
        self.forget()

    def forget(self):
        self.running, self.seconds, self.is_wrong, self.skipped = None, 0, False, []

    def add(self, line):
        if found := BEGIN.fullmatch(line):
            self.running = found["name"]
        elif found := SECONDS.fullmatch(line):
            self.seconds = int(found["seconds"])
        elif found := SKIPPED_WITHIN.fullmatch(line):
            self.skipped.append(found)
        elif NEVER_AGAIN.match(line):
            self.is_wrong = True
        elif found := RESULT.fullmatch(line):
            self.end(found["name"], bool(found["failed"]), found["reason"])

    def end(self, name, failed, reason=None):
        self.verdicts += [f"skip {name}:{result['name']} {result['reason']}" for result in self.skipped]
        kinds = self.complaints.pop(name, set())
        if kinds and not failed:
            print(f"{name}: the kernel complained", file=sys.stderr)
        if reason is not None:
            self.verdicts.append(f"skip {name} {reason}")
        elif failed or kinds:
            self.verdicts.append(f"{'WRONG' if self.is_wrong or 'ours' in kinds else 'FAIL'} {name} {self.seconds}")
        else:
            self.verdicts.append(f"ok {name} {self.seconds}")
        self.forget()

    def lose(self):
        """The machine is gone, and with it the case that ran, or its boot if it did not get to the first."""
        begun = self.running or ("00_boot" if not self.verdicts else None)
        if begun:
            print(f"{begun}: the machine was lost", file=sys.stderr)
            self.end(begun, True)


def complaints_in(console):
    """Their kinds by case."""
    kinds = {}
    if console and pathlib.Path(console).exists():
        said = subprocess.run(["awk", "-f", COMPLAINTS, console], env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}, check=True,
                              capture_output=True).stdout.decode(errors="replace")
        for line in said.splitlines():
            case, kind, _ = line.split("\t", 2)
            kinds.setdefault(case, set()).add(kind)
    return kinds


def main(log, console=None):
    guest = Guest(complaints_in(console))
    for line in pathlib.Path(log).read_text(encoding="utf-8", errors="replace").splitlines():
        guest.add(line)
    guest.lose()
    print("".join(f"{verdict}\n" for verdict in guest.verdicts), end="")


main(*sys.argv[1:])
