# SPDX-License-Identifier: GPL-2.0
"""Runs the benchmarks, and keeps what they print: a record a line."""
import json
import os
import pathlib
import stat
import subprocess

PROGRAMS = pathlib.Path("build/bench/tests")
STARTS = {"bench_walk": 15, "bench_lookup": 3}  # each has other addresses, with which remembered steps may collide
READERS = {"cfi": "CFI alone", "all": "CFI and code", "rows": "libdw, each row", "entries": "libdw, entries alone"}

# Of the installed system: so many files, and so many bytes of them, in the order of their names.
MAX_FILES = 10000
MAX_BYTES = 8 << 30
SYSTEM = ("/usr/bin", "/usr/lib")

# A program or a library that is wanted alone: the largest of these.
SINGLE = {
    "libc": ["/lib/*-linux-gnu/libc.so.6"],
    "libLLVM": ["/usr/lib/*-linux-gnu/libLLVM-14.so.1"],
    "node": ["/usr/lib/*-linux-gnu/libnode.so.*", "/usr/bin/node"],
}


def single_files():
    """Those that are installed."""
    for name, patterns in SINGLE.items():
        found = [path.resolve() for pattern in patterns for path in pathlib.Path("/").glob(pattern[1:])]
        if found:
            yield name, [str(max(found, key=lambda path: path.stat().st_size))]
        else:
            print(f"left out: {name}, as none of {', '.join(patterns)} is installed (scripts/setup.sh bench.list)")


def is_program(path):
    """An ELF program or library: e_type is ET_EXEC or ET_DYN, of either byte order."""
    with open(path, "rb") as file:
        head = file.read(18)
    return head[:4] == b"\x7fELF" and len(head) == 18 and max(head[16:18]) in (2, 3) and min(head[16:18]) == 0


def regular_files(folder):
    for parent, folders, names in os.walk(folder):
        folders.sort()
        yield from (os.path.join(parent, name) for name in sorted(names))


def system_files():
    """Each file once, whatever its names are."""
    seen, paths, left_out, room = set(), [], 0, MAX_BYTES
    for path in (path for folder in SYSTEM for path in regular_files(folder)):
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode) or (status.st_dev, status.st_ino) in seen or not is_program(path):
            continue
        seen.add((status.st_dev, status.st_ino))
        if len(paths) == MAX_FILES or status.st_size > room:
            left_out += 1
            continue
        room -= status.st_size
        paths.append(path)
    print(f"the installed system: {len(paths)} programs and libraries, {(MAX_BYTES - room) / 1e9:.1f} GB; {left_out} left out")
    return paths


def lines_of(program, *arguments, stdin=""):
    command = [str(PROGRAMS / program), *arguments]
    if not os.access(command[0], os.X_OK):
        raise SystemExit(f"{command[0]} is missing: 'make bench' builds it")
    done = subprocess.run(command, input=stdin, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed with {done.returncode}: what it said is above")
    return done.stdout.splitlines()


def lowering(name, paths, times):
    """A reader in a process of its own, for its peak of memory."""
    for reader, of in READERS.items():
        said = json.loads(lines_of("bench_lower", reader, str(times), stdin="\n".join(paths) + "\n")[0])
        rows, common = max(said["rows"], 1), {"group": "lowering", "file": name, "of": of}
        yield {**common, "unit": "ms", "samples": [took / 1e6 for took in said["samples"]]}
        unit = "ns per entry" if reader == "entries" else "ns per row"
        yield {**common, "unit": unit, "samples": [took / rows for took in said["samples"]]}
        yield {**common, "unit": "KiB", "samples": [said["peak_kb"]]}
        yield {**common, "unit": "files", "samples": [said["files"]]}
        yield {**common, "unit": "rows", "samples": [said["rows"]]}
        if said["bytes"]:
            yield {**common, "unit": "bytes per row", "samples": [said["bytes"] / rows]}


def records():
    for program, starts in STARTS.items():
        for _ in range(starts):
            yield from lines_of(program)
    for name, paths in single_files():
        yield from map(json.dumps, lowering(name, paths, 10))
    yield from map(json.dumps, lowering("the system", system_files(), 2))


def run(path):
    path.write_text("\n".join(records()) + "\n", encoding="utf-8")
