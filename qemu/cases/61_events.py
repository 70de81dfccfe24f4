# SPDX-License-Identifier: GPL-2.0
# Expected: 60 s; EVENTS=100000 is how many of each kind
"""Events of each kind are counted one by one: there are as many samples as it happened, each with its stack, its event and
what it stands for. Filters choose by fields, several events are told apart, and what is not there is said."""
import os
import platform
import re

import pytest

import guest

EVENTS = int(os.environ.get("EVENTS", "2000"))
VICTIM = guest.PROGRAMS / "events_victim"
SYSTEM_CALL = {"x86_64": "__x64_sys_getppid", "aarch64": "__arm64_sys_getppid"}[platform.machine()]
GETPPID = {"x86_64": 110, "aarch64": 173}[platform.machine()]


def recorded(name, events, kind, *options):
    """The report of a recording of one kind of things, which happen EVENTS times."""
    path = f"{name}.json"
    guest.run("uwind", "record", *events, *options, "-o", path, "--", VICTIM, kind, EVENTS)
    return guest.checked_report(path)


def recorded_switches():
    """The same of switches to other threads, and how many of them were made for want of something, and how many in all."""
    said = guest.run("uwind", "record", "-e", "sched:sched_switch", "--kernel-stacks", "-o", "switches.json", "--", VICTIM, "switches",
                     EVENTS)
    waited, preempted = map(int, re.search(r"^(\d+) (\d+)$", said, re.MULTILINE).groups())
    return guest.checked_report("switches.json"), waited, waited + preempted


def innermost(report, sample):
    """The function of the innermost frame in user space, and the offset in it."""
    frame = report.json["frames"][report.json["stacks"][sample["user_stack"]]["frames"][0]]
    return frame["symbol"], frame["symbol_offset"]


def by_function(report, function, event=0):
    """Samples of an event with that function in their stack in user space."""
    return [sample for sample in report.json["samples"]
            if sample.get("event") == event and function in report.names_at(sample["user_stack"])]


def check_all_there(report, samples, least=EVENTS, most=EVENTS):
    """Each time is there, or was lost and is counted."""
    counters = report.counters
    lost = sum(counters[name] for name in ("events_lost", "events_dropped", "events_own")) + report.lost["dropped"]
    assert 0.9 * least <= len(samples) <= most, (len(samples), lost)
    assert len(samples) + lost >= least, (len(samples), lost)
    assert all(sample["weight"] == 1 for sample in samples)


# Event, what the program does, the function that does it, a function of the kernel's stack. A function's own pages may fault.
KINDS = [
    ("syscalls:sys_enter_getppid", "calls", "do_call", None),
    ("syscalls:sys_exit_getppid", "calls", "do_call", None),
    ("page-faults", "faults", "do_fault", None),
    ("signal:signal_deliver", "signals", "do_signal", "get_signal"),
    (f"kprobe:{SYSTEM_CALL}", "calls", "do_call", "sys_getppid"),
    (f"kretprobe:{SYSTEM_CALL}", "calls", "do_call", None),
    (f"uprobe:{VICTIM}:traced_function", "traced", "do_traced", None),
    (f"uretprobe:{VICTIM}:traced_function", "traced", "do_traced", None),
]


@pytest.mark.parametrize("event, kind, function, kernel", KINDS, ids=[kind[0].replace("/", "_") for kind in KINDS])
def test_each_time_is_a_sample(event, kind, function, kernel):
    report = recorded("kind", ["-e", event], kind, "-c", 1, "--kernel-stacks")
    samples = by_function(report, function)
    check_all_there(report, samples, most=EVENTS + (10 if kind == "faults" else 0))
    assert report.session["events"][0]["name"] == event
    assert all(sample["period"] == 1 for sample in samples)
    complete = [report.json["stacks"][sample["user_stack"]]["complete"] for sample in samples]
    assert sum(complete) >= 0.99 * len(samples)
    if kernel:
        assert all(any(kernel in name for name in report.names_at(sample["kernel_stack"])) for sample in samples)


def test_each_switch_to_another_thread_is_a_sample():
    report, waited, most = recorded_switches()
    samples = by_function(report, "do_switch")
    assert waited >= EVENTS // 2
    check_all_there(report, samples, least=waited, most=most)
    assert all(any("schedule" in name for name in report.names_at(sample["kernel_stack"])) for sample in samples)


def test_a_probed_function_is_the_innermost_frame_and_its_caller_at_its_return():
    entered = recorded("entered", ["-e", f"uprobe:{VICTIM}:traced_function"], "traced")
    assert {innermost(entered, sample) for sample in by_function(entered, "traced_function")} == {("traced_function", 0)}
    left = recorded("left", ["-e", f"uretprobe:{VICTIM}:traced_function"], "traced")
    assert {innermost(left, sample)[0] for sample in by_function(left, "do_traced")} == {"do_traced"}


def test_several_events_are_told_apart():
    report = recorded("several", ["-e", "cpu-clock/freq=999/", "-e", "page-faults/period=1/,syscall:getppid"], "calls")
    assert [event["name"] for event in report.session["events"]] == ["cpu-clock", "page-faults", "syscalls:sys_enter_getppid"]
    check_all_there(report, by_function(report, "do_call", event=2))
    assert not by_function(report, "do_call", event=1)
    clock = [sample for sample in report.json["samples"] if sample["event"] == 0]
    assert clock and all(sample["period"] == sample["weight"] * (10**9 // 999) for sample in clock)


def test_filters_choose_by_fields():
    report = recorded("filter", ["-e", "raw_syscalls:sys_enter", "--filter", f"id == {GETPPID} && comm ~ \"events_*\""], "calls")
    samples = by_function(report, "do_call")
    check_all_there(report, samples)
    assert len(report.json["samples"]) == len(samples)
    none = recorded("none", ["-e", "raw_syscalls:sys_enter", "--filter", f"id == {GETPPID} && comm == nobody"], "calls")
    assert none.json["samples"] == []


def test_kernel_threads_have_the_kernels_stack(start_recording):
    recording = start_recording("all", "-a", "-e", "sched:sched_switch", "--kernel-stacks").wait_begun()
    guest.run(VICTIM, "switches", 200)
    report = recording.end()
    threads = [sample for sample in report.json["samples"] if sample["user_stack"] is None and sample["kernel_stack"] is not None]
    assert any("kthread" in report.names_at(sample["kernel_stack"]) for sample in threads)
    folded = guest.run("uwind", "report", "-i", report.path, "--format", "folded", "--comm", "events_victim")
    assert any("do_switch" in line and line.rstrip().split(" ")[0].endswith("_[k]") for line in folded.splitlines()), folded


def test_events_that_come_too_fast_are_counted(start_recording):
    """A hundred thousand a second and more, with kernel stacks. A report of more would fill the guest."""
    calls = min(20 * EVENTS, 20000)
    recording = start_recording("fast", "-a", "-e", "raw_syscalls:sys_enter", "-e", "raw_syscalls:sys_exit", "--kernel-stacks").wait_begun()
    guest.run(VICTIM, "calls", calls)
    report = recording.end()
    counters = report.counters
    got = sum(sample["weight"] for sample in report.json["samples"] if sample.get("event") in (0, 1)
              and report.json["processes"][sample["process"]]["comm"] == "events_victim")
    assert got > 0
    assert got + counters["events_lost"] + counters["events_dropped"] + counters["samples_not_kept"] >= 2 * calls
    assert counters["events_unmatched"] == 0


# 4,096 pages in one system call.
POPULATE = "import mmap; mmap.mmap(-1, 4096 * mmap.PAGESIZE, flags=mmap.MAP_SHARED | 0x8000)"


@pytest.mark.usefixtures("one_processor")
def test_what_finds_its_ring_full_is_counted():
    """On the only processor nobody sends anything as long as a thread with a real-time priority allocates pages."""
    guest.run("uwind", "record", "-e", "kmem:mm_page_alloc", "--kernel-stacks", "-o", "full.json", "--", "chrt", "-f", 50, "python3", "-c",
              POPULATE)
    report = guest.checked_report("full.json")
    lost = report.counters["events_lost"]
    assert report.lost["overrun"] == lost >= 1000
    assert len(report.json["samples"]) + lost >= 4096


@pytest.mark.skipif(not guest.SECOND_PROCESSOR.exists(), reason="needs two processors")
def test_a_processor_that_comes_back_counts_again(start_recording, set_file):
    recording = start_recording("online", "-a", "-e", "sched:sched_switch").wait_begun()
    set_file(guest.SECOND_PROCESSOR, 0)
    guest.write(guest.SECOND_PROCESSOR, 1)
    before = guest.status()["requested"]
    process = guest.subprocess.Popen(["taskset", "-c", "1", VICTIM, "switches", "500"], stdout=guest.subprocess.DEVNULL)
    assert process.wait() == 0
    report = recording.end()
    switches = by_function(report, "do_switch")
    assert guest.status()["requested"] > before
    assert sum(sample["cpu"] == 1 for sample in switches) >= 400, len(switches)


def test_what_is_not_there_is_said():
    said = guest.run("uwind", "record", "-e", "cylces", "--", "true", status=64)
    assert "cycles" in said
    said = guest.run("uwind", "record", "-e", "sched:sched_swich", "--", "true", status=64)
    assert "sched_switch" in said
    said = guest.run("uwind", "record", "-e", "sched:sched_switch", "--filter", "prev_pidd == 1", "--", "true", status=64)
    assert "prev_pid" in said
    said = guest.run("uwind", "record", "-e", "kprobe:no_such_function_here", "--", "true", status=64)
    assert "no_such_function_here" in said


def test_what_uwind_does_itself_is_left_out():
    """A function that each answer calls: were it sampled, no thread would come back from its first answer."""
    calls = max(EVENTS, 50000)  # fewer may be over before the clock has ticked
    guest.run("uwind", "record", "-e", "kprobe:uw_sender_answer", "-e", "cpu-clock", "-F", 499, "-o", "own.json", "--", VICTIM, "calls", calls)
    report = guest.checked_report("own.json")
    assert report.counters["events_own"] > 0
    assert report.of("events_victim").samples > 0
