# SPDX-License-Identifier: GPL-2.0
# Expected: 90 s
# Needs: /usr/bin/perf
"""What perf has recorded becomes a report: as many samples as perf script shows, stacks that are at least as complete, and
functions that are the same where perf has them. Deferred chains are joined with their samples."""
import collections
import os
import platform
import re
import shutil
import sys

import pytest

import guest

PERF = os.environ.get("PERF", "perf")
SHOWN = 5
START = {"_start", "clone", "clone3", "__clone", "__clone3", "thread_start"}


def perf(*arguments):
    return guest.run(PERF, *arguments)


def recorded(name, *options, command):
    """The name of a recording of a command."""
    perf("record", "-q", "-o", name, *options, "--", *command)
    return name


def converted(name):
    guest.run("uwind", "convert", name, "-o", f"{name}.json")
    return guest.checked_report(f"{name}.json")


Frame = collections.namedtuple("Frame", "address name")
SAMPLE = re.compile(r"\s\d+\s+\d+\.\d+:\s+\S+:")


def script(name):
    """perf script's samples: lists of frames of user space, innermost first. "" stands for a function without a name."""
    text = perf("script", "--no-inline", "-F", "comm,tid,time,event,ip,sym", "-i", name)
    samples = []
    for block in filter(SAMPLE.search, re.split(r"\n\s*\n", text)):  # others are warnings, of lost chunks for example
        frames = [frame_of(line) for line in block.splitlines() if re.match(r"^\s+[0-9a-f]+ ", line)]
        samples.append(addresses(frames))
    return samples


def addresses(frames):
    """Without what is none: a chain of frame pointers may lead through anything."""
    return [frame for frame in frames if frame.address < 1 << 56]


def frame_of(line):
    address, _, symbol = line.strip().partition(" ")
    return Frame(int(address, 16), "" if symbol == "[unknown]" else re.sub(r"(@.*)?(\+0x[0-9a-f]+)?$", "", symbol))


def stacks(report):
    """The same of our report; addresses are those in files."""
    frames = [Frame(int(frame["offset"], 16), frame["symbol"] or "") for frame in report.json["frames"]]
    for sample in sorted(report.json["samples"], key=lambda sample: sample["time_ns"]):
        stack = sample["user_stack"]
        yield [] if stack is None else [frames[index] for index in report.json["stacks"][stack]["frames"]]


def ends_at_start(frames):
    """perf has no name for the entry of a stripped program."""
    names = [frame.name for frame in frames[-2:]]
    return bool(names) and (names[-1] in START or names == ["__libc_start_main", ""])


def share_at_start(samples):
    samples = [frames for frames in samples if frames]
    return sum(map(ends_at_start, samples)) / max(len(samples), 1)


def complete(report):
    """Of samples with a user stack."""
    found = [report.json["stacks"][sample["user_stack"]]["complete"] for sample in report.json["samples"] if sample["user_stack"] is not None]
    return sum(found) / max(len(found), 1)


def check_against_perf(report, oracle):
    assert len(report.json["samples"]) == len(oracle) > 50
    assert report.requested == len(oracle)
    assert report.accounted == report.requested
    ours = list(stacks(report))
    print(f"{len(oracle)} samples; at their thread's start: perf {share_at_start(oracle):.4f}, uwind {share_at_start(ours):.4f}; "
          f"complete {complete(report):.4f}; frames: perf {sum(map(len, oracle))}, uwind {sum(map(len, ours))}")
    for own, theirs in zip(ours, oracle):
        if ends_at_start(theirs) and not ends_at_start(own):
            print(f"uwind's: {own}\nperf's: {theirs}")
    assert share_at_start(ours) >= share_at_start(oracle) - 0.01
    assert complete(report) >= share_at_start(oracle) - 0.01
    walked = [(own, theirs) for own, theirs in zip(ours, oracle) if ends_at_start(theirs)]
    others = [(own, theirs) for own, theirs in walked if not is_same_stack(own, theirs)]
    shortened = [pair for pair in others if leaves_out(*pair)]
    different = [pair for pair in others if not leaves_out(*pair)]
    print(f"of {len(walked)} that perf has walked to the end, {len(different)} differ, and of {len(shortened)} it leaves frames out")
    for own, theirs in different[:SHOWN] + shortened[:SHOWN]:
        print(f"uwind's: {in_words(own)}\nperf's:  {in_words(theirs)}")
    if len(walked) >= len(oracle) / 2:  # Of programs that perf hardly gets through, it is no oracle.
        assert len(different) <= 0.01 * len(walked)
        assert len(shortened) <= 0.05 * len(walked)


def is_same(own, theirs):
    """A caller's address is its call's for one of the two, and where it returns to for the other; one may be that in memory.
    Functions have several names."""
    return (own.address - theirs.address) % 4096 in (0, 1)


def is_same_stack(own, theirs):
    return len(own) == len(theirs) and all(map(is_same, own, theirs))


def leaves_out(own, theirs):
    """Whether perf's stack is ours without some of its frames between the first and the last. Where perf's library finds no CFI,
    as in the dynamic linker of a process that has just begun, it follows frame pointers, and leaves out who calls a function
    without one."""
    rest = iter(own)
    found = all(any(is_same(frame, wanted) for frame in rest) for wanted in theirs)
    return found and is_same(own[0], theirs[0]) and is_same(own[-1], theirs[-1])


def in_words(frames):
    return " < ".join(f"{frame.name or '?'}:{frame.address:x}" for frame in frames)


WORK = {
    "threads": [guest.PROGRAMS / "threads_victim", "2"],
    "python": [sys.executable, "-c", "sum(len(str(i)) for i in range(1500000))"],
    "sort": ["sh", "-c", "seq 200000 | sort -R | sort -n | tail -1"],
}


@pytest.mark.parametrize("work", WORK)
def test_copied_stacks_are_at_least_as_complete_as_perfs(work):
    name = recorded(f"{work}.data", "-e", "cpu-clock", "-F", "199", "--call-graph", "dwarf,16384", command=WORK[work])
    report = converted(name)
    check_against_perf(report, script(name))
    assert report.session["converted"]["from"] == "perf.data"
    assert report.session["events"][0]["name"] == "cpu-clock"


@pytest.mark.skipif(platform.machine() == "aarch64", reason="perf puts callers of leaf functions into these chains, by their CFI")
def test_chains_of_frame_pointers_are_taken_over():
    name = recorded("fp.data", "-e", "cpu-clock", "-F", "199", "-g", command=WORK["python"])
    report, oracle = converted(name), script(name)
    assert len(report.json["samples"]) == len(oracle)
    ours = list(map(addresses, stacks(report)))
    same = [len(own) >= len(theirs) and all(map(is_same, own, theirs)) for own, theirs in zip(ours, oracle)]
    assert sum(same) == len(same), [pair for pair in zip(same, ours, oracle) if not pair[0]][:2]


def test_several_events_are_told_apart():
    name = recorded("several.data", "-e", "cpu-clock,page-faults", "-g", command=WORK["sort"])
    report = converted(name)
    by_event = collections.Counter(report.session["events"][sample["event"]]["name"] for sample in report.json["samples"])
    text = perf("script", "-F", "event", "-i", name)
    lines = [line.strip() for line in text.splitlines()]
    assert by_event == collections.Counter(line.rstrip(":") for line in lines if line.endswith(":") and line != "Warning:")


def test_kernel_frames_are_named():
    name = recorded("kernel.data", "-e", "cpu-clock", "-F", "199", "-g", command=WORK["sort"])
    report = converted(name)
    kernel = [frame for frame in report.json["frames"] if frame["kernel"]]
    assert kernel
    assert sum(frame["symbol"] is not None for frame in kernel) >= 0.99 * len(kernel)


def test_a_program_that_was_replaced_is_not_used():
    shutil.copy(shutil.which("xz"), "worker")
    name = recorded("replaced.data", "-e", "cpu-clock", "-F", "199", "--call-graph", "dwarf", "--buildid-all", command=[
        "sh", "-c", "head -c 6000000 /dev/urandom | ./worker -9 > /dev/null"])
    before = converted(name)
    shutil.rmtree(os.path.expanduser("~/.debug"), ignore_errors=True)
    shutil.copy(shutil.which("python3"), "other")
    os.replace("other", "worker")
    after = converted(name)
    assert before.counters["files_changed"] == 0
    assert after.counters["files_changed"] == 1
    assert before.of("worker").complete > after.of("worker").complete
    assert len(before.json["samples"]) == len(after.json["samples"])


def test_what_is_no_recording_is_refused():
    for text, why in ((b"", "only 0 bytes"), (b"x" * 500, "is no perf.data file")):
        with open("broken.data", "wb") as file:
            file.write(text)
        assert why in guest.run("uwind", "convert", "broken.data", status=64)
    name = recorded("cut.data", "-e", "cpu-clock", "-g", command=["true"])
    os.truncate(name, os.path.getsize(name) // 2)
    assert "cut off" in guest.run("uwind", "convert", name, status=64)


def knows_deferred():
    """Whether this perf and this kernel defer chains. An older perf takes the word, and does nothing about it."""
    version = tuple(map(int, re.search(r"(\d+)\.(\d+)", perf("--version")).groups()))
    if platform.machine() != "x86_64" or version < (6, 19):
        return False
    return guest.result_of(PERF, "record", "-q", "-e", "cpu-clock", "--call-graph", "fp,defer", "-o", "defer.data", "true").returncode == 0


def test_deferred_chains_are_joined_with_their_samples():
    if not knows_deferred():
        pytest.skip("this perf or this kernel does not defer chains")
    name = recorded("deferred.data", "-e", "cpu-clock", "-F", "199", "--call-graph", "fp,defer", command=WORK["python"])
    report, oracle = converted(name), script(name)
    assert len(report.json["samples"]) == len(oracle)
    ours = list(stacks(report))
    print(f"{len(oracle)} samples of deferred chains; at their thread's start: perf {share_at_start(oracle):.4f}, uwind {share_at_start(ours):.4f}; "
          f"complete {complete(report):.4f}; frames: perf {sum(map(len, oracle))}, uwind {sum(map(len, ours))}")
    assert sum(map(len, ours)) >= sum(map(len, oracle))
    assert share_at_start(ours) >= share_at_start(oracle)
    assert any(sample["cookie"] for sample in report.json["samples"])
