# SPDX-License-Identifier: GPL-2.0
# Expected: 90 s
# Needs: /usr/bin/perf
"""What uwind has recorded becomes a perf.data that Debian's perf opens: as many samples, the same stacks, functions of the same
names; and perf report, annotate and diff show them."""
import collections
import re
import sys

import pytest

import guest
import names

USER = 1 << 56  # addresses below are of user space
WORK = {
    "python": [sys.executable, "-c", "sum(len(str(i)) for i in range(1500000))"],
    "threads": [guest.PROGRAMS / "threads_victim", "2"],
    "sort": ["sh", "-c", "seq 200000 | sort -R | sort -n | tail -1"],
}

Sample = collections.namedtuple("Sample", "thread addresses functions")


def perf(*arguments):
    return guest.run("perf", *arguments)


def recorded(work, *options):
    """The report of a recording, and the name of the same as perf.data."""
    guest.run("uwind", "record", "-F", 499, *options, "-o", f"{work}.json", "--", *WORK[work])
    guest.run("uwind", "report", "-i", f"{work}.json", "--format", "perf-data", "-o", f"{work}.data")
    return guest.checked_report(f"{work}.json"), f"{work}.data"


def perf_samples(name):
    """In the order of their times."""
    samples = []
    for block in re.split(r"\n\s*\n", perf("script", "--no-inline", "--max-stack", 1000, "-F", "tid,time,event,ip,sym", "-i", name)):
        head, *lines = block.strip("\n").splitlines() or [""]
        if not re.match(r"^\s*\d+\s+\d+\.\d+:", head):
            continue
        frames = [line.strip().partition(" ") for line in lines]
        samples.append(Sample(int(head.split()[0]), [int(address, 16) for address, _, _ in frames], [name for _, _, name in frames]))
    return samples


def own_samples(report):
    """Of a caller the address in its call, as in the file."""
    exact = names.exact_frames(report.json)
    frames = report.json["frames"]
    for sample in sorted(report.json["samples"], key=lambda sample: sample["time_ns"]):
        indices = [index for key in ("kernel_stack", "user_stack") if sample[key] is not None
                   for index in report.json["stacks"][sample[key]]["frames"]]
        if indices:
            yield Sample(sample["tid"], [int(frames[i]["address"], 16) - (i not in exact) for i in indices],
                         [frames[i]["symbol"] for i in indices])


def is_same(own, other):
    """perf shows addresses of user space as places in the file."""
    return own == other if own >= USER else (own - other) % 4096 == 0


def same_addresses(own, other):
    return len(own.addresses) == len(other.addresses) and all(map(is_same, own.addresses, other.addresses))


def bare(name):
    """perf leaves out parameters, and has other aliases of libc's functions."""
    return re.sub("^(__GI_)?_*|_generic$", "", names.unqualified(re.sub("@.*", "", name)))


def same_names(ours, theirs):
    """Of frames that we have a name for: how many perf gives the same one, and how many there are."""
    pairs = collections.Counter()
    others = collections.Counter()
    for own, other in zip(ours, theirs):
        for mine, its in zip(own.functions, other.functions):
            if mine is None or (mine, its) == ("_start", "[unknown]"):  # perf has no name for the entry of a stripped program
                continue
            same = bare(mine) == bare(its)
            pairs[same] += 1
            others[(mine, its)] += not same
    print(f"names of uwind and perf that differ: {others.most_common(10)}")
    return pairs[True], pairs.total()


@pytest.mark.parametrize("work", WORK)
def test_perf_script_has_the_same_samples(work):
    report, name = recorded(work, "--kernel-stacks")
    ours, theirs = list(own_samples(report)), perf_samples(name)
    assert len(ours) == len(theirs) > 100
    assert [s.thread for s in ours] == [s.thread for s in theirs]
    differing = [(own, other) for own, other in zip(ours, theirs) if not same_addresses(own, other)]
    assert not differing, (len(differing), differing[:2])
    same, number = same_names(ours, theirs)
    deepest = max(len(s.addresses) for s in ours)
    guest.figure("perf_data", work=work, samples=len(ours), stacks=len({tuple(s.addresses) for s in ours}), deepest=deepest,
                 names=number, same=same)
    assert same >= 0.97 * number


def test_record_writes_it_at_once():
    guest.run("uwind", "record", "-F", 499, "-o", "once.perf.data", "--", *WORK["threads"])
    assert len(perf_samples("once.perf.data")) > 100


def test_processes_begin_and_end():
    report, name = recorded("sort")
    sampled = {sample["process"] for sample in report.json["samples"] if sample["user_stack"] is not None}
    processes = [report.json["processes"][i] for i in sampled]
    shown = perf("script", "--show-task-events", "-i", name)
    for event, key in (("FORK", "parent_pid"), ("EXIT", "exit_time_ns")):
        pids = {int(pid) for pid in re.findall(rf"PERF_RECORD_{event}\((\d+):", shown)}
        assert pids == {p["pid"] for p in processes if key in p} and len(pids) >= 4, (event, pids)


def test_events_keep_their_names():
    _, name = recorded("sort", "-e", "cpu-clock", "-e", "page-faults")
    events = {line.split(",")[0].strip() for line in perf("evlist", "-i", name).splitlines()}
    assert events == {"cpu-clock", "page-faults"}


def test_perf_report_annotate_and_diff_show_it():
    report, name = recorded("threads")
    hottest = re.search(r"^\s+[\d.]+%\s+\S+\s+\S+\s+\[\.\] (\S+)", perf("report", "--stdio", "--no-children", "-g", "none", "-i", name), re.MULTILINE)
    leaves = collections.Counter(report.name(report.json["stacks"][sample["user_stack"]]["frames"][0])
                                 for sample in report.json["samples"] if sample["user_stack"] is not None)
    assert hottest[1] == leaves.most_common(1)[0][0]
    annotated = perf("annotate", "--stdio", "-i", name, "-s", hottest[1])
    assert re.search(r"^\s+[1-9]\d?\.\d+ .*:", annotated, re.MULTILINE), annotated[:2000]
    recorded("python")
    assert hottest[1] in perf("diff", name, "python.data")


def test_a_file_that_was_cut_short_is_refused():
    _, name = recorded("sort")
    with open(name, "rb") as whole, open("cut.data", "wb") as cut:
        cut.write(whole.read()[:5000])
    assert guest.result_of("perf", "script", "-i", "cut.data").returncode != 0
    assert "cut off" in guest.run("uwind", "convert", "cut.data", "-o", "cut.json", status=64)


def test_it_can_be_converted_back():
    report, name = recorded("python")
    guest.run("uwind", "convert", name, "-o", "back.json")
    back = guest.checked_report("back.json")
    assert len(back.json["samples"]) == len(list(own_samples(report)))
    assert max(back.of("python3").depths) == max(report.of("python3").depths)
