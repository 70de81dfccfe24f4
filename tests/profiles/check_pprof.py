#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Compares a profile in pprof's format with the JSON report that it was made of, as Go's pprof reads it:
check_pprof.py REPORT PROFILE PPROF...    (PPROF...: the command, such as go tool pprof)

Each sample of the report with a stack is there, with its labels, values, and its frames, whose names and places in files are
the same; and pprof's own sums by function are those of the report. Prints figures; exit 1 and why if something is wrong.
"""
import collections
import re
import subprocess
import sys

import expected

LOCATION = re.compile(r"^\s*(\d+): (0x[0-9a-f]+) (?:M=(\d+) )?(.*)$")
LINE = re.compile(r"^\s*(.*) (\S*?):(\d+)(?::\d+)? s=0\(\)$")
MAPPING = re.compile(r"^(\d+): (0x[0-9a-f]+)/(0x[0-9a-f]+)/(0x[0-9a-f]+) (.*?) (?:([0-9a-f]*) )?((?:\[..\])*)$")
LABEL = re.compile(r"(\w+):\[((?:[^\]]|\](?!\s|$))*)\]")

Mapping = collections.namedtuple("Mapping", "start limit offset path build_id flags")


def said_by(pprof, profile, *options):
    return subprocess.run([*pprof, "-symbolize=none", *options, profile], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout


def sections_of(text):
    """Lines by the title above them."""
    sections, title = collections.defaultdict(list), ""
    for line in text.splitlines():
        if line in ("Samples:", "Locations", "Mappings"):
            title = line
        else:
            sections[title].append(line)
    return sections


def mappings_of(lines):
    found = [MAPPING.match(line) for line in lines if line]
    return {int(one[1]): Mapping(int(one[2], 16), int(one[3], 16), int(one[4], 16), one[5], one[6] or "", one[7]) for one in found}


def locations_of(lines, mappings):
    """Frames by number; where an address is, is the mapping's: those of several processes may be one."""
    frames, last = {}, None
    for line in lines:
        head = LOCATION.match(line)
        place = head[4] if head else line
        if head:
            last, mapping = int(head[1]), mappings.get(int(head[3] or 0))
            address = int(head[2], 16)
            within = None if mapping is None else address - mapping.start + mapping.offset
            assert mapping is None or mapping.start <= address < mapping.limit, f"{line} is not within {mapping}"
            kernel = mapping is not None and expected.is_kernel(mapping.path)
            frames[last] = expected.Frame("" if mapping is None else mapping.path, address, within, (), kernel)
        function = LINE.match(place)
        if function:
            lines_ = frames[last].lines + ((function[1], function[2], int(function[3])),)
            frames[last] = frames[last]._replace(lines=lines_)
    return frames


def samples_of(lines, frames):
    """Values by type, frames and labels of each."""
    types, found, stacks = [word.removesuffix("[dflt]") for word in lines[0].split()], [], {}
    for line in lines[1:]:
        values = re.match(r"^((?:\s*\d+)+): ([\d ]*)$", line)
        if values:
            numbers = [int(word) for word in values[1].split()]
            if values[2] not in stacks:
                stacks[values[2]] = tuple(frames[int(word)] for word in values[2].split())
            found.append((dict(zip(types, numbers)), stacks[values[2]], {}))
        else:
            found[-1][2].update({key: value for key, value in LABEL.findall(line)})
    return found


def number(label):
    return int(label.split()[0])


def without_mapping(frame):
    """Without what several processes share, or the report does not know."""
    return frame._replace(address=0, place=None)


def their_sample(values, frames, labels, texts):
    counted = {name: value for name, value in values.items() if value}
    return (number(labels.get("pid", "0")), number(labels.get("tid", "0")), int(labels["cpu"]), labels["comm"], number(labels["timestamp_ns"]),
            tuple(sorted(counted.items())), texts.of(frames))


def expected_sample(sample, types, texts):
    """Types are NAME/UNIT."""
    counted = {f"{sample.event}_samples/count": sample.weight}
    if sample.period:
        counted[next(name for name in types if name.rpartition("/")[0] == sample.event)] = sample.period
    return (sample.pid, sample.tid, sample.cpu, sample.comm, sample.time_ns, tuple(sorted(counted.items())),
            texts.of(sample.frames))


def check_places(samples, found):
    """The same places of the same files, wherever these were mapped."""
    ours = {frame._replace(address=0) for frame in expected.all_frames(sample.frames for sample in samples) if frame.place is not None}
    theirs = {frame._replace(address=0) for frame in expected.all_frames(frames for _, frames, _ in found)}
    assert ours <= theirs, f"places that are not there: {list(ours - theirs)[:3]}"


def check_build_ids(report, mappings):
    known = {(module["path"], module["build_id"] or "") for module in report["modules"]}
    assert {(mapping.path, mapping.build_id) for mapping in mappings.values()} <= known, mappings


def leaves_of(samples):
    """Weights by innermost function."""
    leaves = collections.Counter()
    for sample in samples:
        if sample.frames[0].lines:
            leaves[sample.frames[0].lines[0][0]] += sample.weight
    return leaves


def check_top(samples, pprof, profile):
    """Of functions that have a name that is no other's when pprof has made it short."""
    event = samples[0].event
    said = said_by(pprof, profile, "-top", "-nodecount=100000", "-nodefraction=0", f"-sample_index={event}_samples")
    flat = {}
    for line in said.splitlines():
        row = re.match(r"^\s*(\d+)\s+[\d.]+%\s+[\d.]+%\s+\d+\s+[\d.]+%\s+(.*?)( \(inline\)| \(partial-inline\))?$", line)
        if row:
            flat[row[2]] = int(row[1])
    leaves = leaves_of([sample for sample in samples if sample.event == event])
    differing = {name: (count, flat.get(name, 0)) for name, count in leaves.items() if flat.get(name, 0) != count}
    assert leaves and not differing, f"sums by function: {list(differing.items())[:5]}"
    return sum(leaves.values())


def check_traces(samples, pprof, profile):
    """As many lines for each sample as there are functions in its stack."""
    blocks = re.split(r"^-+\+-+$", said_by(pprof, profile, "-traces"), flags=re.MULTILINE)[1:]
    depths = [sum(not re.match(r"^\s*\w+:\s", line) for line in block.splitlines() if line) for block in blocks]
    differing = expected.difference((sum(max(len(frame.lines), 1) for frame in sample.frames) for sample in samples),
                                    (depth for depth in depths if depth))
    assert not differing, f"depths of traces: {differing}"


def check(report_path, profile, *pprof):
    """The figures."""
    report = expected.load(report_path)
    samples = list(expected.samples_of(report))
    sections = sections_of(said_by(pprof, profile, "-raw"))
    mappings = mappings_of(sections["Mappings"])
    found = samples_of(sections["Samples:"], locations_of(sections["Locations"], mappings))
    types = sections["Samples:"][0].replace("[dflt]", "").split()
    texts = expected.Texts(without_mapping)
    differing = expected.difference((expected_sample(sample, types, texts) for sample in samples),
                                    (their_sample(*one, texts) for one in found))
    assert not differing, differing
    check_places(samples, found)
    check_build_ids(report, mappings)
    figures = expected.figures(samples)
    if samples:
        figures["top"] = check_top(samples, pprof, profile)
        check_traces(samples, pprof, profile)
    return figures


if __name__ == "__main__":
    print(check(*sys.argv[1:]))
