# SPDX-License-Identifier: GPL-2.0
# Expected: 75 s; TIMES is how often a program waits, 100 ms each time; EXACT=1 compares more closely
"""Times off the CPU are what the program itself has measured, each with the stack of the function that waited, why, and who ended
it. Beside a clock, they make up the time that has passed."""
import collections
import os
import platform
import re
import subprocess
import time

import pytest

import guest

TIMES = int(os.environ.get("TIMES", "20"))
VICTIM = guest.PROGRAMS / "offcpu_victim"
CLOCK_NANOSLEEP = {"x86_64": "230", "aarch64": "115"}[platform.machine()]
MS = 10**6
# The scheduler and the module read their clocks at different moments of a switch; a busy host may stop the processor in between.
ROOM = 0.02 if guest.EXACT else 0.05
# What is in the names of functions in which threads wait for locks of the kernel's own.
KERNEL_LOCKS = ("rt_spin", "mutex", "rwsem", "down_read")

# What the program says: how long it was off its CPU in its function, at least and at most, and how often it waited there.
Said = collections.namedtuple("Said", "least_ns most_ns waits")


def recorded(kind, *options, event="offcpu"):
    """The report, and what the program says."""
    path = f"off-{kind}.json"
    said = guest.run("uwind", "record", "-e", event, *options, "-o", path, "--", VICTIM, kind, TIMES)
    return guest.checked_report(path), Said(*map(int, said.splitlines()[0].split()))


def of_function(report, function, outside=None):
    """Times off the CPU with the one function in their stack in user space, and without the other."""
    off = [(sample, report.names_at(sample["user_stack"])) for sample in report.json["samples"] if "off_ns" in sample]
    return [sample for sample, names in off if function in names and outside not in names]


def total(samples):
    return sum(sample["off_ns"] for sample in samples)


def check_total(samples, said):
    """Time for which others keep the thread from running is in both bounds."""
    assert (1 - ROOM) * said.least_ns <= total(samples) <= (1 + ROOM) * said.most_ns, (total(samples), said)


def waits_of(report, samples):
    """The samples of a thread that waited, but not for a lock of the kernel's own, whose owner a busy host may have stopped."""
    return [sample for sample in samples if sample["reason"] != "preempted" and not is_kernel_lock(report, sample)]


def is_kernel_lock(report, sample):
    return any(lock in name for name in report.names_at(sample["kernel_stack"]) for lock in KERNEL_LOCKS)


def events_lost(report):
    return report.counters["events_lost"] + report.counters["events_dropped"]


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
    report, said = recorded(kind)
    samples = of_function(report, function)
    waits = waits_of(report, samples)
    check_total(samples, said)
    check_complete(report, samples)
    assert len({sample["pid"] for sample in report.json["samples"]}) == 1  # nobody else's
    assert len(waits) == said.waits, [(sample["reason"], sample["off_ns"]) for sample in samples]
    if by_thread:  # that thread has seen the wait, and ends it 100 ms later
        assert said.waits == TIMES and all(sample["off_ns"] >= 99 * MS for sample in waits)
    assert all(sample["reason"] == reason and sample["syscall"] == call for sample in waits), {
        (sample["reason"], sample["syscall"], sample["wait_channel"]) for sample in waits}
    assert all(sample["wait_channel"] for sample in waits)
    assert not any("schedule" in sample["wait_channel"] for sample in waits)
    check_wakers(report, waits, by_thread)


def check_wakers(report, waits, by_thread):
    wakers = [sample["waker"] for sample in waits]
    assert all(wakers)
    if not by_thread:
        assert all(waker["interrupt"] for waker in wakers)
        return
    assert all(waker["pid"] == wait["pid"] and waker["tid"] != wait["tid"] for waker, wait in zip(wakers, waits))
    assert all("do_wake" in report.names_at(waker["user_stack"]) for waker in wakers)
    assert all(any("wake" in name for name in report.names_at(waker["kernel_stack"])) for waker in wakers)


def test_a_thread_that_others_keep_from_running_is_preempted():
    """The program asks the kernel for how long, in delay_ns(), before and after its work. The thread is preempted there, too,
    whether before or after the kernel's answer is not known."""
    report, said = recorded("preempted", event="offcpu/period=1/")
    samples = of_function(report, "do_run", outside="delay_ns")
    asking = of_function(report, "delay_ns")
    most = total(samples) + total(asking)
    assert (1 - ROOM) * total(samples) <= said.least_ns <= (1 + ROOM) * most, (total(samples), total(asking), said)
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
    room = 0.1 if guest.EXACT else 0.2
    assert (1 - room) * wall - late <= known <= (1 + room) * wall, (wall, known, late, report.counters["throttled"], len(mine))
    folded = guest.run("uwind", "report", "-i", "wall.json", "--format", "folded", "-e", "cpu-clock", "-e", "offcpu", "--comm", "python3")
    microseconds = sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines())
    assert 0.99 * known <= 1000 * microseconds <= known


def boottime_ns():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def is_asleep(process):
    """Whether the process waits in clock_nanosleep(). If it is only about to, the kernel says "running"."""
    return guest.read(f"/proc/{process.pid}/syscall").split()[0] == CLOCK_NANOSLEEP


def test_what_sleeps_at_the_end_is_reported_with_what_is_known(programs, record):
    """It has no stack in user space, since it has not come back there."""
    recording = record("still", "-a", "-e", "offcpu")
    begin = boottime_ns()
    sleeper = programs.start("sleep", 3600)
    guest.wait_until(guest.PATIENCE, "the program sleeps", lambda: is_asleep(sleeper))
    asleep = boottime_ns()
    time.sleep(1)
    least = boottime_ns() - asleep
    report = recording.end()
    still = [sample for sample in report.json["samples"] if sample.get("still") and sample["pid"] == sleeper.pid]
    assert len(still) == 1
    assert still[0]["user_stack"] is None
    assert least - MS <= still[0]["off_ns"] <= boottime_ns() - begin
    assert (still[0]["reason"], still[0]["syscall"], still[0]["state"]) == ("sleep", "clock_nanosleep", "S")
    assert report.names_at(still[0]["kernel_stack"])


def test_a_wait_within_a_function_whose_return_is_probed():
    """The kernel may not walk on through it; a warning of its ends the run."""
    call = {"x86_64": "__x64_sys_clock_nanosleep", "aarch64": "__arm64_sys_clock_nanosleep"}[platform.machine()]
    report, said = recorded("sleeps", "--kernel-stacks", "-e", f"kretprobe:{call}")
    samples = of_function(report, "do_sleep")
    check_total(samples, said)
    check_complete(report, samples)
    waits = waits_of(report, samples)
    assert len(waits) == said.waits, [(sample["reason"], sample["off_ns"]) for sample in samples]
    assert all(report.names_at(sample["kernel_stack"]) for sample in waits)
    returns = [sample for sample in report.json["samples"] if sample.get("event") == 1]
    assert len(returns) == TIMES


def events_of(report, number):
    """Samples of the event of that number, in the order of their times."""
    samples = [sample for sample in report.json["samples"] if sample.get("event") == number]
    return sorted(samples, key=lambda sample: sample["time_ns"])


def test_only_times_of_the_least_length_count():
    report, said = recorded("sleeps", "-e", f"offcpu/period={100 * MS},name=long/")
    assert [event["name"] for event in report.session["events"]] == ["offcpu", "long"]
    every, long = ([sample["off_ns"] for sample in events_of(report, number)] for number in range(2))
    assert len(every) >= said.waits - events_lost(report)
    assert events_lost(report) or long == [off_ns for off_ns in every if off_ns >= 100 * MS]


def test_only_so_many_times_a_second_count_and_who_wakes_need_not():
    """Of a thousand times of a millisecond five are noted on each CPU in a second. The others are counted as throttled."""
    events = [f"offcpu/period=1,limit={limit},wakers=0,name={name}/" for name, limit in (("few", 5), ("all", 1000000))]
    guest.run("uwind", "record", "-e", events[0], "-e", events[1], "-o", "few.json", "--", VICTIM, "sleeps", 1000, 1)
    report = guest.checked_report("few.json")
    few, every = events_of(report, 0), events_of(report, 1)
    throttled = report.counters["throttled"]
    assert throttled > 0
    assert abs(len(every) - len(few) - throttled) <= events_lost(report), (len(every), len(few), throttled, events_lost(report))
    assert few and all(sample["waker"] is None for sample in few + every)
    for cpu in report.cpus():
        times = [sample["time_ns"] for sample in few if sample["cpu"] == cpu]
        # Eleven in a row are in three seconds at least, and between the first and the last of them lies a whole one.
        assert all(later - sooner >= 999 * MS for sooner, later in zip(times, times[10:])), times


def waits_so_far(process):
    """How often its main thread has waited."""
    return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", guest.read(f"/proc/{process.pid}/status"), re.MULTILINE)[1])


def wait_for_waits(process, number):
    wanted = waits_so_far(process) + number
    guest.wait_until(guest.PATIENCE, f"process {process.pid} waits {number} times", lambda: waits_so_far(process) >= wanted)


def said_to_be_lost(report):
    """Times, or their stacks, that are not in the report because there were too many."""
    return events_lost(report) + report.counters["throttled"] + sum(report.lost[why] for why in ("nomem", "dropped", "overrun"))


def test_switched_on_and_off_at_random_nothing_is_lost_unseen(programs, start_recording):
    """Four sessions that begin and end while threads wait for one another. One thread waits several times in each session, which
    has samples of that, or says that some were lost."""
    kinds = ("locks", "pipes", "sleeps", "faults")
    victims = {kind: programs.start(VICTIM, kind, 100000, stdout=subprocess.DEVNULL) for kind in kinds}
    for _ in range(4):
        recordings = [start_recording(f"r{number}", "-a", "-e", f"offcpu/period={1 + number}/") for number in range(4)]
        for recording in recordings:
            recording.wait_begun()
            wait_for_waits(victims["pipes"], 5)
            report = recording.end()
            assert of_function(report, "do_read") or said_to_be_lost(report), recording.log()
    guest.renew_module("after sessions of times off the CPU")
