# SPDX-License-Identifier: GPL-2.0
# Expected: 60 s
# Needs: /usr/bin/addr2line
"""Lines and inlined functions that uwind symbolize finds for real programs with Debian's debug files: those of addr2line for the
same addresses, and, of perf's own recording, those that perf shows. An archive says the same when the files are gone, and frames
in a module of the kernel have the lines that addr2line says of its section."""
import collections
import pathlib
import platform
import re
import shutil
import sys

import pytest

import guest
import names
import source_lines

PYTHON = "import re, json\nfor i in range(400): json.loads(json.dumps({str(k): [k, str(k)] for k in range(200)})); sorted(range(3000), key=str); re.sub('1', 'a', str(list(range(500))))"
SQL = ("create table t(a integer primary key, b text); with recursive c(x) as (select 1 union all select x + 1 from c where x < 60000) "
       "insert into t select x, hex(randomblob(8)) from c; select count(*), sum(length(b)) from t where b like '%A%' group by a % 7;")
WITH_LINES = f"/usr/lib/{platform.machine()}-linux-gnu/debug"  # the C++ library, with its debugging information
WORK = {
    "python": [sys.executable, "-c", PYTHON],
    "sqlite": ["sqlite3", ":memory:", SQL],
    "c++": ["env", f"LD_LIBRARY_PATH={WITH_LINES}", "/root/programs/lines_victim", "5"],
}


def symbolized(name):
    said = guest.run("uwind", "symbolize", name)
    print(said)
    return guest.checked_report(name)


@pytest.mark.parametrize("work", WORK)
def test_lines_are_those_of_addr2line(work):
    guest.run("uwind", "record", "-F", 997, "-o", f"{work}.json", "--", *WORK[work])
    report = symbolized(f"{work}.json")
    source_lines.check(work, report)


def inlined_by_perf(name):
    """By place in a file: the functions that perf shows there besides the outermost, innermost first. It marks that one as inlined, too,
    where addr2line and the symbol table call it differently."""
    chains = collections.defaultdict(set)
    last, functions = None, []
    for line in [*guest.run("perf", "script", "--inline", "-F", "ip,sym", "-i", name).splitlines(), ""]:
        match = re.match(r"^\s+([0-9a-f]+) (.*?)( \(inlined\))?$", line)
        address = int(match[1], 16) if match else None
        if address != last and functions:
            chains[last].add(tuple(functions[:-1]))
            functions = []
        last = address
        if match:
            functions.append(names.plain(match[2]))
    return chains


def place_in_file(report, frame):
    """Where the frame is in its file, as perf shows that."""
    module, offset = report.json["modules"][frame["module"]], int(frame["offset"], 16)
    for segment in module.get("segments", []):
        start = int(segment["address"], 16)
        if start <= offset - 1 < start + segment["bytes"]:
            return offset - start + int(segment["offset"], 16)
    return offset


@pytest.mark.skipif(not shutil.which("perf"), reason="perf is not installed")
def test_inlined_functions_are_those_of_perf():
    guest.run("perf", "record", "-q", "-F", 199, "-e", "cpu-clock:u", "--call-graph", "dwarf,16384", "-o", "perf.data", "--", *WORK["python"])
    guest.run("uwind", "convert", "perf.data", "-o", "perf.json")
    report = symbolized("perf.json")
    theirs = inlined_by_perf("perf.data")
    exact = names.exact_frames(report.json)
    counts, differences = collections.Counter(), []
    for index, frame in enumerate(report.json["frames"]):
        if frame["module"] is None:
            continue
        place = place_in_file(report, frame) - (index not in exact)  # perf shows a caller by its call
        if place not in theirs:
            continue
        ours = tuple(names.plain(i["symbol"] or "??") for i in frame.get("inlined", []))
        counts["frames"] += 1
        counts["inlined"] += len(ours)
        counts["equal"] += ours in theirs[place]
        if ours not in theirs[place]:
            differences.append(f"{place:#x} {frame['symbol']}: {ours}, perf {theirs[place]}")
    guest.figure("lines_of_perf", **{name: counts[name] for name in ("frames", "inlined", "equal")})
    print("\n".join(differences[:20]))
    assert counts["frames"] > 30
    assert counts["equal"] >= 0.99 * counts["frames"]


def without_sources(report):
    """Each frame's address, name, line and inlined functions."""
    return [(frame["address"], frame["symbol"], frame.get("source"), frame.get("inlined")) for frame in report.json["frames"]]


def test_an_archive_needs_no_other_file():
    guest.run("uwind", "record", "-F", 499, "-o", "packed.json", "--", *WORK["sqlite"])
    print(guest.run("uwind", "archive", "packed.json"))
    names_in_it = guest.run("tar", "--zstd", "-tf", "packed.tar.zst").split()
    guest.run("uwind", "symbolize", "-q", "packed.json", "-o", "there.json")
    gone = source_lines.DEBUG.with_name("gone")
    source_lines.DEBUG.rename(gone)
    try:
        guest.run("uwind", "symbolize", "-q", "packed.json", "-o", "without.json")
        print(guest.run("uwind", "symbolize", "packed.tar.zst", "-o", "alone.json"))
    finally:
        gone.rename(source_lines.DEBUG)
    there, alone, without = (guest.checked_report(name) for name in ("there.json", "alone.json", "without.json"))
    assert without_sources(alone) == without_sources(there)
    assert without_sources(without) != without_sources(there)
    lines = sum(bool(frame.get("source") and frame["source"]["line"]) for frame in alone.json["frames"])
    guest.figure("archive", files=len(names_in_it), bytes=pathlib.Path("packed.tar.zst").stat().st_size, lines=lines)
    assert names_in_it[0] == "report.json" and lines > 20
    assert all(re.fullmatch(r"\.build-id/[0-9a-f]{2}/[0-9a-f]{38}(\.debug)?", name) for name in names_in_it[1:]), names_in_it


def lines_of_section(path, section, offsets):
    """The function and line that addr2line says of each offset in a section, innermost first, as our frames have them."""
    said = guest.run("addr2line", "-a", "-f", "-i", "-s", "-j", section, "-e", path, *(f"{offset:#x}" for offset in offsets)).splitlines()
    starts = [i for i, line in enumerate(said) if line.startswith("0x")] + [len(said)]
    return {int(said[start], 16): list(zip(said[start + 1:end:2], (place.split(" (")[0] for place in said[start + 2:end:2])))
            for start, end in zip(starts, starts[1:])}


def without_first_file(places):
    """addr2line may call the innermost one's wrong: see source_lines.compare()."""
    function, place = places[0]
    return [(function, place.rpartition(":")[2]), *places[1:]]


def test_frames_in_a_module_of_the_kernel_have_lines(tmp_path):
    module = "passing_one"
    debug = tmp_path / "lib/modules" / platform.release()
    debug.mkdir(parents=True)
    shutil.copy(f"/root/{module}.ko", debug)
    guest.run("insmod", f"/root/{module}.ko")
    text = int(guest.read(f"/sys/module/{module}/sections/.text"), 16)
    guest.run("uwind", "record", "-e", "cpu-clock", "-F", 499, "--kernel-stacks", "-o", "module.json", "--",
              "sh", "-c", f"echo 3000 >/sys/module/{module}/parameters/work_ms")
    guest.run("rmmod", module)
    print(guest.run("uwind", "symbolize", "--debug-dir", tmp_path, "module.json"))
    report = guest.checked_report("module.json")
    exact = names.exact_frames(report.json)
    frames = {}
    for index, frame in enumerate(report.json["frames"]):
        if frame["module"] is not None and report.json["modules"][frame["module"]]["path"] == f"[{module}]":
            frames.setdefault(int(frame["address"], 16) - (index not in exact) - text, frame)
    theirs = lines_of_section(f"/root/{module}.ko", ".text", sorted(frames))
    for offset, frame in frames.items():
        places = [(i["symbol"], i["source"]) for i in frame.get("inlined", [])] + [(frame["symbol"], frame["source"])]
        ours = [(symbol, f"{source_lines.file_name(source['file'])}:{source['line'] or '?'}") for symbol, source in places]
        assert without_first_file(ours) == without_first_file(theirs[offset]), frame
    guest.figure("module_lines", frames=len(frames), inlined=sum(len(frame.get("inlined", [])) for frame in frames.values()))
    assert len(frames) > 5
