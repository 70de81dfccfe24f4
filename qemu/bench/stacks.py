# SPDX-License-Identifier: GPL-2.0
"""How many stacks of a recording reach the outermost frame of their thread. Standard library only."""
import functools
import json
import os
import re
import struct

PT_LOAD = 1
START_BYTES = 64  # of the code that a program or the dynamic linker begins with
STARTS = {"_start", "main", "__libc_start_main", "clone", "clone3", "__clone", "__clone3", "start_thread", "ret_from_fork"}
LOST = re.compile(r"PERF_RECORD_LOST(?:_SAMPLES)? lost (\d+)")
FRAME = re.compile(r"^\s+([0-9a-f]+) (.*) \((.*)\)$")


@functools.lru_cache(maxsize=None)
def entry_of(path):
    """The offset in a file of the code that it begins with; None: it has none."""
    try:
        with open(path, "rb") as file:
            head = file.read(64)
            if head[:5] != b"\x7fELF\x02":
                return None
            entry, table = struct.unpack_from("<QQ", head, 24)
            size, number = struct.unpack_from("<HH", head, 54)
            file.seek(table)
            headers = [struct.unpack_from("<IIQQQQ", file.read(size)) for _ in range(number)]
    except OSError:
        return None
    for kind, _, offset, address, _, in_file in headers:
        if kind == PT_LOAD and entry and address <= entry < address + in_file:
            return entry - address + offset
    return None


def is_outermost(frame):
    """Programs have no symbols of their own: '_start' is known by the place where the file says that it begins."""
    offset, symbol, path = frame
    if symbol.split("+")[0] in STARTS:
        return True
    entry = entry_of(os.path.realpath(path))
    return entry is not None and entry <= offset < entry + START_BYTES


def shares(samples, complete, lost):
    """A sample that is lost has a weight, too."""
    return {"samples": samples, "% complete": 100 * complete / max(samples, 1), "% lost": 100 * lost / max(samples + lost, 1)}


def of_perf(path):
    """perf script prints addresses of files as offsets; samples in the kernel without a frame of the program's count as incomplete."""
    samples = complete = lost = 0
    outer = None
    with open(path, encoding="utf-8", errors="replace") as text:
        for line in text:
            found = FRAME.match(line)
            if found:
                outer = (int(found[1], 16), found[2], found[3])
            elif LOST.search(line):
                lost += int(LOST.search(line)[1])
            elif line.strip():
                samples += 1
                complete += outer is not None and is_outermost(outer)
                outer = None
    complete += outer is not None and is_outermost(outer)
    return shares(samples, complete, lost)


def of_uwind(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    weight = sum(sample["weight"] for sample in report["samples"])
    complete = sum(
        sample["weight"] for sample in report["samples"]
        if sample["user_stack"] is not None and report["stacks"][sample["user_stack"]]["complete"]
    )
    return {
        **shares(weight, complete, sum(report["counters"]["lost"].values())),
        "bytes per sample": os.path.getsize(path) / max(weight, 1),
        "bytes per sample on the socket": report["counters"]["message_bytes"] / max(weight, 1),
    }
