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


CALL, RETURN, PROBE, RETURN_PROBE = range(4)
# Of one system call its calls and its returns, and probes of both, in this order; then returns that a filter chooses.
EVENTS_RECORDED = ["-e", f"func:{SYSTEM_CALL}", "-e", f"func:{SYSTEM_CALL}:ret", "-e", f"kprobe:{SYSTEM_CALL},kretprobe:{SYSTEM_CALL}",
                   "-e", "func:vfs_read:ret", "--filter", "arg3 == 1234 && ret == 1234",
                   "-e", f"func:{SLEEP}:ret", "--filter", "duration > 40000000"]


@pytest.fixture(scope="module")
def report():
    """One recording: to find functions takes the kernel seconds of an emulated processor each time. The victim begins when its tables
    are there: of two programs on one processor one may have ended before the other has done anything."""
    os.mkfifo("begin")
    programs = guest.Programs()
    recorder = programs.start("uwind", "record", *EVENTS_RECORDED, "--kernel-stacks", "-o", "r.json", "--",
                              "sh", "-c", f"{VICTIM} calls {EVENTS} begin && python3 -c '{CALLS}' sleeps.txt")
    guest.wait_for_tables(VICTIM.name, "libc.so.6")
    guest.write("begin", "")
    assert recorder.wait() == 0
    yield guest.checked_report("r.json")
    programs.kill()


@pytest.mark.parametrize("event", [CALL, RETURN], ids=["call", "return"])
def test_each_call_is_a_sample_with_both_stacks(report, event):
    samples = [sample for sample in calls_of(report, SYSTEM_CALL)
               if sample["event"] == event and "do_call" in report.names_at(sample["user_stack"])]
    assert 0.9 * EVENTS <= len(samples) <= EVENTS and len(samples) + lost(report) >= EVENTS, (len(samples), lost(report))
    innermost = {report.names_at(sample["kernel_stack"])[0] for sample in samples}
    assert innermost == {report.json["functions"][samples[0]["function"]]["name"]}
    complete = [report.json["stacks"][sample["user_stack"]]["complete"] for sample in samples]
    assert sum(complete) >= 0.99 * len(samples)
    assert all(("duration_ns" in sample) == (event == RETURN) for sample in samples)


@pytest.mark.parametrize("event, probe", [(CALL, PROBE), (RETURN, RETURN_PROBE)], ids=["call", "return"])
def test_the_kernels_stack_is_that_of_a_probe(report, event, probe):
    """Of the callers. The probe's lacks the function that has returned already; and on arm64 the caller of one that is entered: its
    frame record is not made yet, and the kernel's unwinder does not look at the link register."""
    ours, theirs = (
        {tuple(report.names_at(sample["kernel_stack"])) for sample in report.json["samples"]
         if sample["event"] == of and "do_call" in report.names_at(sample["user_stack"])} for of in (event, probe))
    assert len(ours) == len(theirs) == 1
    (ours,), (theirs,) = ours, theirs
    if event == RETURN:
        assert ours[1:] == theirs
    elif MACHINE == "arm64":
        assert ours[1].startswith("invoke_syscall") and ours[2:] == theirs[1:], (ours, theirs)
    else:
        assert ours == theirs


@pytest.mark.skipif(not HAS_TYPES, reason="needs BTF, which this kernel does not have")
def test_arguments_have_the_names_and_values_that_the_kernels_types_say(report):
    samples = calls_of(report, "vfs_read")
    assert len(samples) + lost(report) >= 100 and len(samples) >= 90
    parameters = [parameters_of(report, sample) for sample in samples]
    assert all(set(one) == {"file", "buf", "count", "pos"} for one in parameters)
    assert {(one["count"], sample["returned"]) for one, sample in zip(parameters, samples)} == {(1234, 1234)}
    assert all(int(one["file"], 16) >> 56 == 0xff and 0 < int(one["buf"], 16) < 1 << 47 for one in parameters)
    function = report.json["functions"][samples[0]["function"]]
    assert function["parameters"][0]["type"] == "struct file *" and function["returns"] == {"type": "ssize_t", "kind": "signed"}


def test_a_return_says_how_long_the_call_took(report):
    samples = sorted(calls_of(report, SLEEP), key=lambda sample: sample["time_ns"])
    durations = [sample["duration_ns"] for sample in samples]
    outside = [int(line) for line in guest.read("sleeps.txt").split()]
    assert len(durations) == len(outside) == 20
    # The module, the program and the kernel's timer do not read the same clock.
    assert all(49 * MS <= duration <= took + MS for duration, took in zip(durations, outside)), list(zip(durations, outside))
    assert all(sample["returned"] in (0, "0x0") for sample in samples)
    table = guest.run("uwind", "report", "-i", report.path, "--event", f"func:{SLEEP}:ret")
    assert re.search(rf"^{SLEEP} +20 +[0-9.]+ +[0-9.]+ +[0-9.]+$", table, re.MULTILINE), table


def test_many_functions_at_once_and_nothing_is_left_of_them():
    """Nobody traces one of them any more."""
    before = guest.read(TRACING / "enabled_functions")
    guest.run("uwind", "record", "-a", "-e", "func:vfs_*,ksys_*,do_sys_*", "--force", "--duration", 1, "-o", "many.json")
    report = guest.checked_report("many.json")
    assert len(report.json["functions"]) >= 3
    assert guest.read(TRACING / "enabled_functions") == before
    guest.renew_module("after functions were traced")
