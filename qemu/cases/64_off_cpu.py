# SPDX-License-Identifier: GPL-2.0
# Expected: 60 s; TIMES is how often a program waits, 100 ms each time
"""Times off the CPU are what the program itself has measured, within two in a hundred, each with the stack of the function that
waited, why, and who ended it. Beside a clock, they make up the time that has passed."""
import os
import platform
import subprocess
import time

import pytest

import guest

TIMES = int(os.environ.get("TIMES", "20"))
VICTIM = guest.PROGRAMS / "offcpu_victim"
MS = 10**6


def recorded(kind, *options, times=TIMES):
    """The report, and how long the program says that it was off its CPU."""
    path = f"off-{kind}.json"
    said = guest.run("uwind", "record", "-e", "offcpu", *options, "-o", path, "--", VICTIM, kind, times)
    return guest.checked_report(path), int(said.splitlines()[0])


def of_function(report, function, outside=None):
    """Times off the CPU with the one function in their stack in user space, and without the other."""
    off = [(sample, report.names_at(sample["user_stack"])) for sample in report.json["samples"] if "off_ns" in sample]
    return [sample for sample, names in off if function in names and outside not in names]


def total(samples):
    return sum(sample["off_ns"] for sample in samples)


def check_total(samples, measured):
    assert 0.98 * measured <= total(samples) <= 1.02 * measured, (total(samples), measured)


def check_complete(report, samples):
    stacks = [report.json["stacks"][sample["user_stack"]] for sample in samples]
    assert all(stack["complete"] for stack in stacks), [stack["stop"] for stack in stacks]


# What the program does, the function that waits, why, the system call, and whether a thread of its own wakes it.
KINDS = [
    ("sleeps", "do_sleep", "sleep", "clock_nanosleep", False),
    ("locks", "do_lock", "lock", "futex", True),
    ("pipes", "do_read", "io", "read", True),
    ("faults", "do_fault", "page_fault", None, True),
]


@pytest.mark.parametrize("kind, function, reason, call, by_thread", KINDS, ids=[kind[0] for kind in KINDS])
def test_a_wait_has_its_length_its_reason_and_its_waker(kind, function, reason, call, by_thread):
    report, measured = recorded(kind)
    samples = of_function(report, function)
    long = [sample for sample in samples if sample["off_ns"] >= 50 * MS]
    # Where spinlocks are mutexes (PREEMPT_RT), a thread may wait for one of the kernel's, too, for a moment.
    waits = [sample for sample in samples if sample["reason"] != "preempted" and sample["off_ns"] >= MS]
    check_total(samples, measured)
    check_complete(report, samples)
    assert len({sample["pid"] for sample in report.json["samples"]}) == 1  # nobody else's
    assert 0.8 * TIMES <= len(long) <= TIMES  # on a busy host, a thread may be late for its lock
    assert all(sample["reason"] == reason and sample["syscall"] == call for sample in waits), {
        (sample["reason"], sample["syscall"], sample["wait_channel"]) for sample in waits}
    assert all(sample["wait_channel"] for sample in waits)
    assert not any("schedule" in sample["wait_channel"] for sample in waits)
    check_wakers(report, long, by_thread)


def check_wakers(report, waits, by_thread):
    wakers = [sample["waker"] for sample in waits]
    assert all(wakers)
    if not by_thread:
        assert all(waker["interrupt"] for waker in wakers)
        return
    assert all(waker["pid"] == wait["pid"] and waker["tid"] != wait["tid"] for waker, wait in zip(wakers, waits))
    assert all("do_wake" in report.names_at(waker["user_stack"]) for waker in wakers)
    assert all(any("wake" in name for name in report.names_at(waker["kernel_stack"])) for waker in wakers)


def test_a_fault_inside_a_system_call_is_walked_through():
    """The page is missed by the kernel: its stack goes on beyond the exception."""
    report, _ = recorded("copies", times=5)
    waits = [sample for sample in of_function(report, "do_copy") if sample["off_ns"] >= 50 * MS]
    assert len(waits) >= 4
    for sample in waits:
        names = report.names_at(sample["kernel_stack"])
        assert {"handle_userfault", "vfs_read"} <= set(names), names


def test_a_thread_that_others_keep_from_running_is_preempted():
    report, measured = recorded("preempted")
    samples = of_function(report, "do_run", outside="delay_ns")
    asking = of_function(report, "delay_ns")  # it is delayed there, too: before the answer, that is in it, and after it, not
    assert 0.98 * total(samples) <= measured <= 1.02 * (total(samples) + total(asking)), (total(samples), total(asking), measured)
    check_complete(report, samples)
    assert {(sample["reason"], sample["state"]) for sample in samples} == {("preempted", "R")}
    assert all(sample["waker"] is None for sample in samples)


def test_a_clock_and_times_off_the_cpu_are_the_time_that_passes():
    """Of one thread that works for a while, and sleeps for a while."""
    program = "import time\nfor i in range(50):\n  end = time.monotonic() + 0.05\n  while time.monotonic() < end: pass\n  time.sleep(0.05)"
    guest.run("uwind", "record", "-e", "cpu-clock", "-e", "offcpu", "-F", 999, "-o", "wall.json", "--", "python3", "-c", program)
    report = guest.checked_report("wall.json")
    mine = [sample for sample in report.json["samples"] if report.json["processes"][sample["process"]]["comm"] == "python3"]
    spans = [(sample["time_ns"] - sample.get("off_ns", 0), sample["time_ns"]) for sample in mine]
    wall = max(end for _, end in spans) - min(start for start, _ in spans)
    late = report.counters["periods_missed"] * 10**9 // 999  # a busy host delays the clock's interrupts
    known = sum(sample["period"] for sample in mine)
    assert 0.9 * wall - late <= known <= 1.1 * wall, (wall, known, late, report.counters["throttled"], len(mine))
    folded = guest.run("uwind", "report", "-i", "wall.json", "--format", "folded", "-e", "cpu-clock", "-e", "offcpu", "--comm", "python3")
    microseconds = sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines())
    assert 0.99 * known <= 1000 * microseconds <= known


def test_what_sleeps_at_the_end_is_reported_with_what_is_known(programs, record):
    """It has no stack in user space, since it has not come back there."""
    recording = record("still", "-a", "-e", "offcpu")
    sleeper = programs.start("sleep", 3600)
    time.sleep(3)
    report = recording.end()
    still = [sample for sample in report.json["samples"] if sample.get("still") and sample["pid"] == sleeper.pid]
    assert len(still) == 1
    assert still[0]["user_stack"] is None and still[0]["off_ns"] >= 1000 * MS
    assert (still[0]["reason"], still[0]["syscall"], still[0]["state"]) == ("sleep", "clock_nanosleep", "S")
    assert report.names_at(still[0]["kernel_stack"])


def test_a_wait_within_a_function_whose_return_is_probed():
    """The kernel may not walk on through it; a warning of its ends the run."""
    call = {"x86_64": "__x64_sys_clock_nanosleep", "aarch64": "__arm64_sys_clock_nanosleep"}[platform.machine()]
    report, measured = recorded("sleeps", "--kernel-stacks", "-e", f"kretprobe:{call}")
    samples = of_function(report, "do_sleep")
    check_total(samples, measured)
    check_complete(report, samples)
    waits = [sample for sample in samples if sample["off_ns"] >= 50 * MS]
    assert len(waits) == TIMES
    assert all(report.names_at(sample["kernel_stack"]) for sample in waits)
    returns = [sample for sample in report.json["samples"] if sample.get("event") == 1]
    assert len(returns) == TIMES


def test_only_times_of_the_least_length_count():
    report, _ = recorded("sleeps", "-e", "offcpu/period=1000000000,name=long/", times=5)
    assert [event["name"] for event in report.session["events"]] == ["offcpu", "long"]
    assert {sample["event"] for sample in of_function(report, "do_sleep")} == {0}


def test_only_so_many_times_a_second_count_and_who_wakes_need_not():
    guest.run("uwind", "record", "-e", "offcpu/limit=5,wakers=0/", "-o", "few.json", "--", VICTIM, "pipes", TIMES)
    report = guest.checked_report("few.json")
    assert report.counters["throttled"] > 0
    assert report.json["samples"] and all(sample["waker"] is None for sample in report.json["samples"])


def test_switched_on_and_off_at_random_nothing_is_lost_unseen(programs):
    """Four sessions that begin and end while threads wait for one another."""
    for kind in ("locks", "pipes", "sleeps", "faults"):
        programs.start(VICTIM, kind, 100000, stdout=subprocess.DEVNULL)
    found = 0
    for round_ in range(4):
        recordings = [programs.start("uwind", "record", "-a", "-e", f"offcpu/period={1 + number}/", "--duration", 1 + number / 2, "-o",
                                     f"r{number}.json", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for number in range(4)]
        assert all(recording.wait() == 0 for recording in recordings), round_
        found += sum(len(of_function(guest.checked_report(f"r{number}.json"), "do_read")) for number in range(4))
    assert found >= 4 * 4
    guest.renew_module("after sessions of times off the CPU")
