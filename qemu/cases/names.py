#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compares the names in a JSON report with addr2line's for the same addresses. Standard library only.

Usage: names.py REPORT MODULE=DEBUGFILE...
  MODULE       the end of a module's path, such as /libc.so.6
  DEBUGFILE    what addr2line and readelf are asked about

Every distinct (module, offset) is looked up; a return address belongs to the call in front of it. Prints how many
names are equal, and every difference with its class; fails if one has no class, or if a name of ours is not that of
a symbol which begins where we say and whose size covers the address.
"""
import collections
import json
import re
import subprocess
import sys

Symbol = collections.namedtuple("Symbol", "start size type name")
Place = collections.namedtuple("Place", "address name start")  # name and start of our symbol, or None

# What compilers add to the name of a copy, or of a part, of a function.
SUFFIX = re.compile(r"( \[clone [^]]*\]|\.(constprop|part|isra|cold|lto_priv|localalias)(\.\d+)*)+$")
EXAMPLES = 5  # of each class
CODE = ("FUNC", "IFUNC", "NOTYPE")


def output_of(*command, text=None):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True, text=True).stdout


class SymbolTable:
    """The functions of one file, as readelf shows them."""

    def __init__(self, path):
        self.symbols, self.by_start = [], collections.defaultdict(list)
        for line in output_of("readelf", "-sW", "--demangle", path).splitlines():
            fields = line.split(None, 7)
            if len(fields) < 8 or not fields[0].rstrip(":").isdigit() or fields[3] not in CODE or fields[6] == "UND":
                continue
            symbol = Symbol(int(fields[1], 16), int(fields[2], 0), fields[3], fields[7].split("@")[0])
            if symbol.name.startswith("$"):  # arm64's marks between code and data
                continue
            self.symbols.append(symbol)
            self.by_start[symbol.start].append(symbol)

    def names_at(self, start):
        return {symbol.name for symbol in self.by_start.get(start, [])}

    def starts_of(self, name):
        return {symbol.start for symbol in self.symbols if symbol.name == name}

    def covering(self, address):
        return [s for s in self.symbols if s.start <= address < s.start + s.size and s.type != "NOTYPE"]

    def nearest_before(self, address):
        """The symbols with the greatest start up to the address, whatever their size."""
        start = max((s.start for s in self.symbols if s.start <= address), default=None)
        return self.by_start.get(start, [])


def addr2line_places(path, addresses):
    """For each address the functions that it is in by inlining, innermost first, each with "FILE:LINE"; "??" where addr2line knows none."""
    text = "".join("%#x\n" % a for a in addresses)
    said = output_of("addr2line", "-a", "-f", "-i", "-C", "-e", str(path), text=text).splitlines()
    starts = [i for i, line in enumerate(said) if re.fullmatch(r"0x[0-9a-f]{16}", line)] + [len(said)]
    return {int(said[start], 16): list(zip(said[start + 1:end:2], said[start + 2:end:2])) for start, end in zip(starts, starts[1:])}


def ask_addr2line(path, addresses):
    """The functions alone; [] if addr2line knows none."""
    return {address: [function for function, _ in places if function != "??"]
            for address, places in addr2line_places(path, addresses).items()}


def exact_frames(report):
    """Frames whose address is that of an instruction, not of one behind a call."""
    exact = set()
    for stack in report["stacks"]:
        exact.update(f for f, method in zip(stack["frames"], stack["methods"]) if method in ("pc", "sigframe"))
    return exact


def places_in(report, module_end):
    exact, places = exact_frames(report), set()
    for index, frame in enumerate(report["frames"]):
        module = frame["module"]
        if module is None or not report["modules"][module]["path"].endswith(module_end):
            continue
        offset = int(frame["offset"], 16)
        start = offset - frame["symbol_offset"] if frame["symbol"] is not None else None
        places.add(Place(offset - (index not in exact), frame["symbol"], start))
    return sorted(places, key=lambda p: p.address)


def plain(name):
    """Without what a copy of a function adds, nor the blanks and tags that demanglers disagree about."""
    return re.sub(r"\[abi:[^]]*\]|\s", "", SUFFIX.sub("", name))


def same_function(ours, theirs):
    return plain(ours) == plain(theirs)


def unqualified(name):
    """The bare name: no scope, template arguments, parameters, return type or mark of a copy."""
    name = SUFFIX.sub("", name).replace("(anonymous namespace)", "unnamed").replace("operator()", "operator")
    bare, depth = "", 0
    for character in name:
        if character == "(" and depth == 0:
            break
        depth += (character in "<{") - (character in ">}")
        if depth == 0 and character not in ">}":
            bare += character
    return bare.rsplit("::", 1)[-1].rsplit(" ", 1)[-1]


def is_bare(theirs, ours):
    """A static C++ function has no mangled name in the debugging information: addr2line shows the source's."""
    return unqualified(ours) == unqualified(theirs) and plain(ours) != plain(theirs)


def unnamed_class(place, theirs, table):
    near = table.nearest_before(place.address)
    if table.covering(place.address):
        return None
    if any(s.size == 0 and s.name == theirs for s in near):
        return "a symbol without a size: we name only what a size covers"
    if any(s.size and s.start + s.size <= place.address and s.name == theirs for s in near):
        return "behind the symbol's end: addr2line names it after the one before"
    if not any(s.size and s.start + s.size > place.address for s in near):
        return "no symbol covers it: the name is from debugging information alone"
    return None


def class_of(place, chain, table):
    """Why the names differ; None: no good reason. table has checked our own name already."""
    theirs = chain[0] if chain else None
    if place.name is None:
        return unnamed_class(place, theirs, table)
    if theirs is None:
        return "addr2line has no name: it looks at debugging information first, and that has none here"
    aliases = table.names_at(place.start)
    if any(s.type == "IFUNC" for s in table.by_start[place.start]):
        return "IFUNC: a name of the function that chooses"
    if theirs in aliases:
        return "alias: two names for one start"
    if same_function(place.name, theirs):
        return "a compiler's copy or part of a function: its symbol has a suffix"
    if is_bare(theirs, place.name):
        return "static C++ function: addr2line leaves out scope and parameters"
    if len(chain) == 1:
        return "alias of a compiler's copy or part" if any(same_function(a, theirs) for a in aliases) else None
    if any(same_function(a, chain[-1]) or is_bare(chain[-1], a) for a in aliases):
        return "inlined: addr2line names the inlined function, we the one that it is inlined into"
    return None


def wrong_symbol(place, table):
    """Our own rule: the symbol begins there, and its size covers the address."""
    if place.name is None:
        return False
    here = table.by_start.get(place.start, [])
    is_there = any(same_name(s.name, place.name) for s in here)
    return not is_there or place.address >= max(s.start + s.size for s in here)


def same_name(readelfs, ours):
    return re.sub(r"\s", "", readelfs) == re.sub(r"\s", "", ours)


class Comparison:
    def __init__(self):
        self.equal, self.classes, self.bad = 0, collections.defaultdict(list), []

    def add(self, module, place, chain, table):
        theirs = chain[0] if chain else None
        line = "%s+%#x: ours %s, addr2line %s" % (module, place.address, place.name, " < ".join(chain) or None)
        if wrong_symbol(place, table):
            self.bad.append(line + ": no such symbol covers it")
        elif (place.name is None) == (theirs is None) and (place.name is None or same_name(theirs, place.name)):
            self.equal += 1
        else:
            self.classes[class_of(place, chain, table)].append(line)

    def print(self):
        print("equal %d" % self.equal)
        for name, lines in sorted(self.classes.items(), key=lambda item: -len(item[1])):
            print("%d: %s" % (len(lines), name or "NO CLASS"))
            for line in lines if name is None else lines[:EXAMPLES]:
                print("    " + line[:300])
        for line in self.bad:
            print("BAD %s" % line)
        return not self.bad and None not in self.classes


def main(arguments):
    with open(arguments[0], encoding="utf-8") as file:
        report = json.load(file)
    good, comparison = True, Comparison()
    for argument in arguments[1:]:
        module, _, path = argument.partition("=")
        places, table = places_in(report, module), SymbolTable(path)
        chains = ask_addr2line(path, [p.address for p in places])
        named = sum(p.name is not None for p in places)
        print("%s: %d places, %d of them named" % (module, len(places), named))
        good = good and named > 0
        for place in places:
            comparison.add(module.rsplit("/", 1)[-1], place, chains.get(place.address, []), table)
    return 0 if comparison.print() and good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
