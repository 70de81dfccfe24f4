#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Counts the methods and data members of C++ classes as their bodies declare them; needs universal-ctags.

Usage: classes.py [FOLDER]     names the classes in FOLDER (daemon) that are too big

A class has at most 25 methods and 15 data members (static ones are not counted). A struct is a row of data: only its
methods are counted. A bigger one gives the reason in a line "// Size: REASON" of the comment directly above it.
"""
import dataclasses
import pathlib
import re
import subprocess
import sys

MOST_METHODS = 25
MOST_MEMBERS = 15
FORMAT = "\t".join(("%K", "%s", "%N", "%F", "%n", "%e", "%{C++.properties}"))


@dataclasses.dataclass
class Class:
    name: str
    is_struct: bool
    file: str
    first_line: int
    last_line: int
    methods: int = 0
    members: int = 0

    def excess(self):
        """What there is too much of, in words."""
        found = []
        if self.methods > MOST_METHODS:
            found.append(f"{self.methods} methods, at most {MOST_METHODS}")
        if self.members > MOST_MEMBERS and not self.is_struct:
            found.append(f"{self.members} data members, at most {MOST_MEMBERS}")
        return "; ".join(found)

    def has_reason(self):
        lines = pathlib.Path(self.file).read_text().splitlines()
        for line in reversed(lines[:self.first_line - 1]):
            if re.match(r"\s*// Size: \S", line):
                return True
            if not re.match(r"\s*(//|template\b)", line):
                return False
        return False


def tags(folder):
    """(kind, scope, name, file, first line, last line, properties) of each class and of what is declared in one."""
    listed = subprocess.run(["ctags", "-x", f"--_xformat={FORMAT}", "--fields-C++=+{properties}", "--kinds-C++=pfmsc",
                             "--languages=C++", "--langmap=C++:+.h", "-R", str(folder)],
                            check=True, capture_output=True, text=True).stdout
    return [line.split("\t") for line in listed.splitlines()]


def find_classes(folder):
    """Every class and struct in the folder's files, by file and position."""
    found, others = {}, []
    for kind, scope, name, file, first, last, properties in tags(folder):
        if kind in ("class", "struct"):
            full = f"{scope}::{name}" if scope else name
            found[full, file] = Class(name, kind == "struct", file, int(first), int(last))
        else:
            others.append((kind, scope, file, int(first), properties))
    for kind, scope, file, line, properties in others:
        owner = found.get((scope, file))
        if not owner or not owner.first_line <= line <= owner.last_line:
            continue  # a function of no class, or a definition outside its class
        owner.methods += kind != "member"
        owner.members += kind == "member" and "static" not in properties
    return sorted(found.values(), key=lambda owner: (owner.file, owner.first_line))


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "daemon"
    for found in find_classes(folder):
        if found.excess() and not found.has_reason():
            print(f"{found.file}: {found.name} has {found.excess()}")


if __name__ == "__main__":
    main()
