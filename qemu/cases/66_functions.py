# SPDX-License-Identifier: GPL-2.0
# Expected: 40 s; EVENTS=100000 is how many calls
"""Functions of the kernel are traced where they are called and where they return: each call is a sample, with the stacks of both
sides, its arguments and how long it took. Nobody traces one of them afterwards."""
import os
import pathlib
import platform
import re

import pytest

import guest

EVENTS = int(os.environ.get("EVENTS", "2000"))
VICTIM = guest.PROGRAMS / "events_victim"
MACHINE = {"x86_64": "x64", "aarch64": "arm64"}[platform.machine()]
SYSTEM_CALL = f"__{MACHINE}_sys_getppid"
SLEEP = f"__{MACHINE}_sys_clock_nanosleep"
TRACING = pathlib.Path("/sys/kernel/tracing")
MS = 10**6
HAS_TYPES = pathlib.Path("/sys/kernel/btf/vmlinux").exists()
# Reads of 1,234 bytes. Then sleeps of 50 ms from the moment of the system call on; time.sleep() ends at a fixed time instead, and
# its call may begin late. How long each took, seen from outside of the call, goes to the file that is its argument.
CALLS = """
import ctypes, os, sys, time
fd = os.open("/dev/zero", os.O_RDONLY)
for i in range(100):
    os.read(fd, 1234)
libc = ctypes.CDLL(None)
with open(sys.argv[1], "w") as took:
    for i in range(20):
        begin = time.monotonic_ns()
        libc.usleep(50000)
        print(time.monotonic_ns() - begin, file=took)
"""


def recorded(name, events, *command):
    path = f"{name}.json"
    guest.run("uwind", "record", *events, "-o", path, "--", *command)
    return guest.checked_report(path)


def calls_of(report, function):
    """The samples of calls of that function. A system call without arguments is one for both ABIs of x86."""
    names = {function, function.replace("__x64_", "__ia32_")}
    return [sample for sample in report.json["samples"]
            if "function" in sample and report.json["functions"][sample["function"]]["name"] in names]


def parameters_of(report, sample):
    """Its arguments by name."""
    function = report.json["functions"][sample["function"]]
    return dict(zip((parameter["name"] for parameter in function["parameters"]), sample["arguments"]))


def lost(report):
    counters = report.counters
    return sum(counters[name] for name in ("events_lost", "events_dropped", "events_own", "periods_missed")) + report.lost["dropped"]


@pytest.fixture(scope="module")
def calls():
    """Of one system call: events 0 and 1 are its calls and its returns."""
    return recorded("calls", ["-e", f"func:{SYSTEM_CALL}", "-e", f"func:{SYSTEM_CALL}:ret"], VICTIM, "calls", EVENTS)


@pytest.fixture(scope="module")
def probed():
    """The same, and probes of it, which are events 2 and 3."""
    events = ["-e", f"func:{SYSTEM_CALL}", "-e", f"func:{SYSTEM_CALL}:ret", "-e", f"kprobe:{SYSTEM_CALL},kretprobe:{SYSTEM_CALL}"]
    return recorded("probed", [*events, "--kernel-stacks"], VICTIM, "calls", 100)


@pytest.fixture(scope="module")
def filtered():
    """Returns that a filter chooses."""
    return recorded("filtered", ["-e", "func:vfs_read:ret", "--filter", "arg3 == 1234 && ret == 1234",
                                 "-e", f"func:{SLEEP}:ret", "--filter", "duration > 40000000"], "python3", "-c", CALLS, "sleeps.txt")


@pytest.mark.parametrize("event", [0, 1], ids=["call", "return"])
def test_each_call_is_a_sample_with_both_stacks(calls, event):
    samples = [sample for sample in calls_of(calls, SYSTEM_CALL)
               if sample["event"] == event and "do_call" in calls.names_at(sample["user_stack"])]
    assert 0.9 * EVENTS <= len(samples) <= EVENTS and len(samples) + lost(calls) >= EVENTS, (len(samples), lost(calls))
    innermost = {calls.names_at(sample["kernel_stack"])[0] for sample in samples}
    assert innermost == {calls.json["functions"][samples[0]["function"]]["name"]}
    complete = [calls.json["stacks"][sample["user_stack"]]["complete"] for sample in samples]
    assert sum(complete) >= 0.99 * len(samples)
    assert all(("duration_ns" in sample) == bool(event) for sample in samples)


@pytest.mark.parametrize("event", [0, 1], ids=["call", "return"])
def test_the_kernels_stack_is_that_of_a_probe(probed, event):
    """Of the callers. The probe's lacks the function that has returned already; and on arm64 the caller of one that is entered: its
    frame record is not made yet, and the kernel's unwinder does not look at the link register."""
    ours, theirs = (
        {tuple(probed.names_at(sample["kernel_stack"])) for sample in probed.json["samples"]
         if sample["event"] == of and "do_call" in probed.names_at(sample["user_stack"])} for of in (event, event + 2))
    assert len(ours) == len(theirs) == 1
    (ours,), (theirs,) = ours, theirs
    if event == 1:
        assert ours[1:] == theirs
    elif MACHINE == "arm64":
        assert ours[1].startswith("invoke_syscall") and ours[2:] == theirs[1:], (ours, theirs)
    else:
        assert ours == theirs


@pytest.mark.skipif(not HAS_TYPES, reason="needs BTF, which this kernel does not have")
def test_arguments_have_the_names_and_values_that_the_kernels_types_say(filtered):
    samples = calls_of(filtered, "vfs_read")
    assert len(samples) + lost(filtered) >= 100 and len(samples) >= 90
    parameters = [parameters_of(filtered, sample) for sample in samples]
    assert all(set(one) == {"file", "buf", "count", "pos"} for one in parameters)
    assert {(one["count"], sample["returned"]) for one, sample in zip(parameters, samples)} == {(1234, 1234)}
    assert all(int(one["file"], 16) >> 56 == 0xff and 0 < int(one["buf"], 16) < 1 << 47 for one in parameters)
    function = filtered.json["functions"][samples[0]["function"]]
    assert function["parameters"][0]["type"] == "struct file *" and function["returns"] == {"type": "ssize_t", "kind": "signed"}


def test_a_return_says_how_long_the_call_took(filtered):
    samples = sorted(calls_of(filtered, SLEEP), key=lambda sample: sample["time_ns"])
    durations = [sample["duration_ns"] for sample in samples]
    outside = [int(line) for line in guest.read("sleeps.txt").split()]
    assert len(durations) == len(outside) == 20
    # The module, the program and the kernel's timer do not read the same clock.
    assert all(49 * MS <= duration <= took + MS for duration, took in zip(durations, outside)), list(zip(durations, outside))
    assert all(sample["returned"] in (0, "0x0") for sample in samples)
    table = guest.run("uwind", "report", "-i", filtered.path, "--event", f"func:{SLEEP}:ret")
    assert re.search(rf"^{SLEEP} +20 +[0-9.]+ +[0-9.]+ +[0-9.]+$", table, re.MULTILINE), table


def test_many_functions_at_once_and_nothing_is_left_of_them():
    """Nobody traces one of them any more."""
    before = guest.read(TRACING / "enabled_functions")
    guest.run("uwind", "record", "-a", "-e", "func:vfs_*,ksys_*,do_sys_*", "--force", "--duration", 3, "-o", "many.json")
    report = guest.checked_report("many.json")
    assert len(report.json["functions"]) >= 3
    assert guest.read(TRACING / "enabled_functions") == before
    guest.renew_module("after functions were traced")
