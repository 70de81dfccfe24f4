# SPDX-License-Identifier: GPL-2.0
"""Lines and inlined functions of a report that uwind symbolize has named, beside addr2line's for the same addresses."""
import collections
import pathlib

import guest
import names

DEBUG = pathlib.Path("/usr/lib/debug/.build-id")

Found = collections.namedtuple("Found", "address functions lines files")


def debug_file(module):
    build_id = module["build_id"] or "--"
    path = DEBUG / build_id[:2] / f"{build_id[2:]}.debug"
    return path if path.exists() else None


def found_of(frame, exact):
    """Innermost first; what the function itself is called is a matter of symbols."""
    places = [(i["symbol"], i["source"]) for i in frame.get("inlined", [])] + [("", frame["source"])]
    return Found(int(frame["offset"], 16) - (not exact), [names.plain(symbol or "??") for symbol, _ in places[:-1]],
                 [source["line"] for _, source in places], [file_name(source["file"] or "??") for _, source in places])


def file_name(path):
    return path.rsplit("/", 1)[-1]


def addr2lines(path, addresses):
    """The same of addr2line, by address; of what has no line nothing."""
    return {address: found_by_addr2line(address, places) for address, places in names.addr2line_places(path, addresses).items()}


def found_by_addr2line(address, places):
    parts = [place.split(" (")[0].rpartition(":") for _, place in places]
    return Found(address, [names.plain(function) for function, _ in places[:-1]],
                 [int(line) if line.isdigit() and line != "0" else None for _, _, line in parts], [file_name(file) for file, _, _ in parts])


def frames_by_module(report):
    exact = names.exact_frames(report.json)
    by_module = collections.defaultdict(list)
    for index, frame in enumerate(report.json["frames"]):
        if "source" in frame:
            by_module[frame["module"]].append(found_of(frame, index in exact))
    return by_module


def compare(report):
    """Of binutils 2.40, the innermost place of units of DWARF 5 has a wrong file where a unit changes files: told apart."""
    counts, differences = collections.Counter(), []
    for index, frames in frames_by_module(report).items():
        module = report.json["modules"][index]
        theirs = addr2lines(debug_file(module) or module["path"], sorted({frame.address for frame in frames}))
        for ours in frames:
            other = theirs[ours.address]
            same = (ours.functions, ours.lines, ours.files[1:]) == (other.functions, other.lines, other.files[1:])
            counts["frames"] += 1
            counts["inlined"] += len(ours.functions)
            counts["equal"] += same
            counts["other_file"] += same and ours.files[0] != other.files[0]
            if not same:
                differences.append(f"{module['path']}: {ours}\n  addr2line: {other}")
    return counts, differences


def check(work, report):
    """All but one in a hundred are the same."""
    counts, differences = compare(report)
    guest.figure("lines", work=work, **{name: counts[name] for name in ("frames", "inlined", "equal", "other_file")})
    print("\n".join(differences[:20]))
    assert counts["frames"] > 30
    assert len(differences) <= 0.01 * counts["frames"]
    assert counts["other_file"] <= 0.1 * counts["frames"]
