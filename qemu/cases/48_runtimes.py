# SPDX-License-Identifier: GPL-2.0
# Expected: 240 s
# Needs: /root/runtimes/recursion.js
"""Programs of node, Java, Go, Rust and OCaml, each of which recurses through known functions: these have their names, stacks are complete,
and perf, go tool nm and nm have the same names for the same code."""
import bisect
import collections
import pathlib
import re

import pytest

import guest
import source_lines

RUNTIMES = pathlib.Path("/root/runtimes")
SECONDS = 20  # an emulated processor takes half of them to start a virtual machine
NODE = ["node", "--interpreted-frames-native-stack"]
JAVA = ["java", "-XX:+PreserveFramePointer", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit", "-cp", RUNTIMES, "Recursion"]
WORK = {
    "node": [*NODE, "--perf-basic-prof", RUNTIMES / "recursion.js"],
    "node_dump": [*NODE, "--perf-prof", RUNTIMES / "recursion.js"],
    "java": JAVA,
    "go": [RUNTIMES / "go_stripped"],
    "rust_legacy": [RUNTIMES / "rust_legacy"],
    "rust_v0": [RUNTIMES / "rust_v0"],
    "ocaml": [RUNTIMES / "ocaml_recursion"],
}
# What grind, descend and their caller are called.
FUNCTIONS = {
    "node": (r":.?grind ", r":.?descend ", r":.?endure "),
    "node_dump": (r":.?grind ", r":.?descend ", r":.?endure "),
    "java": (r"Recursion.(grind|descend)\(", r"Recursion.descend\(", r"Recursion.main\(|Interpreter"),
    "go": (r"^main.grind$", r"^main.descend$", r"^main.main$"),
    "rust_legacy": (r"^recursion::work::grind$", r"^recursion::work::descend$", r"^recursion::main$"),
    "rust_v0": (r"^recursion::work::grind$", r"^recursion::work::descend::<i16>$", r"^recursion::main$"),
    "ocaml": (r"^camlRecursion__grind_\d+$", r"^camlRecursion__descend_\d+$", r"^camlRecursion__entry$"),
}


# They have changed to another stack, or are where a thread begins: nothing leads further, as far as Go's tables say.
ENDS = {"go": {"time.now", "runtime.clone", "runtime.mcall", "runtime.morestack", "runtime.systemstack"}}


def recorded(work, *options):
    program = WORK[work]
    if not pathlib.Path(program[0]).exists() and program[0] not in ("node", "java"):
        pytest.skip(f"{program[0]} is not made for this architecture")
    guest.run("uwind", "record", "-F", 199, *options, "-o", f"{work}.json", "--", *program, SECONDS)
    return guest.checked_report(f"{work}.json")


def user_stacks(report):
    """Stacks with their weights, and names of their frames."""
    for sample in report.json["samples"]:
        if sample["user_stack"] is not None:
            stack = report.json["stacks"][sample["user_stack"]]
            yield stack, sample["weight"], [report.json["frames"][index]["symbol"] or "" for index in stack["frames"]]


def has_all(names, patterns):
    """Functions that match, the inner ones first."""
    at = 0
    for pattern in patterns:
        found = [i for i in range(at, len(names)) if re.search(pattern, names[i])]
        if not found:
            return False
        at = found[0] + 1
    return True


@pytest.mark.parametrize("work", WORK)
def test_functions_have_their_names_and_stacks_are_complete(work):
    report = recorded(work)
    weights, stops = collections.Counter(), collections.Counter()
    recursing = 0
    for stack, weight, names in user_stacks(report):
        weights["all"] += weight
        weights["complete"] += weight * stack["complete"]
        weights["ends"] += weight * (not stack["complete"] and names[-1] in ENDS.get(work, ()))
        stops[stack["stop"], names[-1]] += weight * (not stack["complete"])
        if re.search(FUNCTIONS[work][0], names[0]):
            weights["leaf"] += weight
            weights["leaf_complete"] += weight * stack["complete"]
            weights["called"] += weight * has_all(names, FUNCTIONS[work])
            recursing = max(recursing, sum(bool(re.search(FUNCTIONS[work][1], name)) for name in names))
    counters = {name: report.counters[name] for name in report.counters if name.startswith("code_")}
    guest.figure("runtimes", work=work, samples=weights["all"], complete=weights["complete"], ends=weights["ends"], leaf=weights["leaf"],
                 leaf_complete=weights["leaf_complete"], called=weights["called"], deepest=recursing)
    print(counters, {stop: count for stop, count in stops.most_common(10) if count})
    assert weights["leaf"] > 100
    assert weights["called"] >= 0.99 * weights["leaf"]
    assert weights["leaf_complete"] >= 0.99 * weights["leaf"]
    assert weights["complete"] + weights["ends"] >= 0.98 * weights["all"]


def perf_names(work):
    """What perf calls the code of uwind's recording, by address; it reads the same map."""
    guest.run("uwind", "report", "-i", f"{work}.json", "--format", "perf-data", "-o", f"{work}.data")
    names = collections.defaultdict(set)
    for line in guest.run("perf", "script", "--no-inline", "-F", "ip,sym", "--max-stack", 1000, "-i", f"{work}.data").splitlines():
        match = re.match(r"^\s+([0-9a-f]+) (.*)$", line)
        if match:
            names[int(match[1], 16)].add(match[2])
    return names


def generated_frames(report):
    exact = {frame for stack in report.json["stacks"] for frame, method in zip(stack["frames"], stack["methods"]) if method in ("pc", "sigframe")}
    for index, frame in enumerate(report.json["frames"]):
        path = report.json["modules"][frame["module"]]["path"] if frame["module"] is not None else ""
        if re.search(r"perf-\d+\.map$|jit-\d+\.dump$", path):
            yield int(frame["address"], 16) - (index not in exact), frame


@pytest.mark.parametrize("work", ["node", "java"])
def test_perf_calls_generated_code_the_same(work):
    report = recorded(work)
    theirs = perf_names(work)
    counts, differing = collections.Counter(), []
    for address, frame in generated_frames(report):
        counts["frames"] += 1
        same = frame["symbol"] in theirs[address]
        counts["same"] += same
        if not same:
            differing.append((hex(address), frame["symbol"], theirs[address]))
    guest.figure("names_of_perf", work=work, **{name: counts[name] for name in ("frames", "same")})
    print(differing[:10])
    assert counts["frames"] > 20
    assert counts["same"] >= 0.97 * counts["frames"]


class MapEntries:
    """A perf map, as far as it says something: the last entry that covers an address."""

    def __init__(self, path):
        self.entries = []
        for line in path.read_text(errors="replace").splitlines():
            start, size, name = line.split(" ", 2)
            self.entries.append((int(start, 16), int(size, 16), name))

    def names_at(self, address):
        return {name for start, size, name in self.entries if start <= address < start + size}


def test_a_jitdump_says_what_the_map_of_the_same_process_says():
    WORK["both"] = [*NODE, "--perf-prof", "--perf-basic-prof", RUNTIMES / "recursion.js"]
    report = recorded("both")
    dumped = [(address, frame) for address, frame in generated_frames(report)
              if report.json["modules"][frame["module"]]["path"].endswith(".dump")]
    entries = MapEntries(max(pathlib.Path("/tmp").glob("perf-*.map"), key=lambda path: path.stat().st_mtime))
    same = sum(frame["symbol"] in entries.names_at(address) for address, frame in dumped)
    guest.figure("names_of_jitdump", frames=len(dumped), same=same)
    print([(hex(address), frame["symbol"], entries.names_at(address)) for address, frame in dumped if frame["symbol"] not in entries.names_at(address)][:5])
    assert len(dumped) > 20
    assert same >= 0.99 * len(dumped)


def test_names_of_a_stripped_go_program_are_those_of_go_tool_nm():
    report = recorded("go")
    # In assembly, functions have ".abi0" after their names in the symbol table alone.
    listed = sorted((int(address, 16), name) for address, name in
                    re.findall(r"^ *([0-9a-f]+) [Tt] (.*?)(?:\.abi0)?$", (RUNTIMES / "go_names").read_text(), re.MULTILINE))
    starts = [address for address, _ in listed]
    counts, differing = collections.Counter(), []
    for frame in report.json["frames"]:
        if frame["module"] is None or not report.json["modules"][frame["module"]]["path"].endswith("go_stripped") or not frame["symbol"]:
            continue
        start = int(frame["offset"], 16) - frame["symbol_offset"]
        names = {listed[i][1] for i in range(bisect.bisect_left(starts, start), bisect.bisect_right(starts, start))}
        counts["frames"] += 1
        counts["same"] += frame["symbol"] in names
        if frame["symbol"] not in names:
            differing.append((frame["symbol"], hex(start), names))
    guest.figure("names_of_go", **{name: counts[name] for name in ("frames", "same")})
    assert counts["frames"] > 20
    assert not differing, differing[:10]


def test_lines_of_a_rust_program_are_those_of_addr2line():
    program = RUNTIMES / "rust_lines"
    if not program.exists():
        pytest.skip(f"{program} is not made for this architecture")
    guest.run("uwind", "record", "-F", 997, "-o", "rust.json", "--", program, 5)
    print(guest.run("uwind", "symbolize", "rust.json"))
    source_lines.check("rust", guest.checked_report("rust.json"))
