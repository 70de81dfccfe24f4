# SPDX-License-Identifier: GPL-2.0
# Expected: 95 s; more of EVENTS=100000 (calls), ATTACHES=10000 (sessions), PROCESSORS=2, BENCH_CALLS=500 (calls that are measured)
"""Functions of the kernel are traced where they are called and where they return: each call is a sample, with the stacks of both
sides, its arguments and how long it took. Nothing is left of it afterwards."""
import contextlib
import json
import os
import pathlib
import platform
import re
import subprocess

import pytest

import guest
import kernel_text

ATTACHES = int(os.environ.get("ATTACHES", "60"))
BENCH_CALLS = os.environ.get("BENCH_CALLS", "500")
PROCESSORS = os.environ.get("PROCESSORS", "1")
EVENTS = int(os.environ.get("EVENTS", "2000"))
VICTIM = guest.PROGRAMS / "events_victim"
MACHINE = {"x86_64": "x64", "aarch64": "arm64"}[platform.machine()]
SYSTEM_CALL = f"__{MACHINE}_sys_getppid"
SLEEP = f"__{MACHINE}_sys_clock_nanosleep"
TRACING = pathlib.Path("/sys/kernel/tracing")
MS = 10**6
READ = "import os\nfd = os.open('/dev/zero', os.O_RDONLY)\nfor i in range(100): os.read(fd, 1234)"
# Some are called all the time, by interrupts too, one from within what notes calls, and one is a module's.
STORM = [SYSTEM_CALL, "vfs_read", "vfs_open", "do_filp_open", "try_to_wake_up", "hrtimer_interrupt", "task_work_add", "tun_chr_open"]
HAS_TYPES = pathlib.Path("/sys/kernel/btf/vmlinux").exists()
TUN_IS_MODULE = not pathlib.Path("/sys/module/tun").exists()  # before anything has inserted it
TRACERS = ["function", "nop", "function_graph", "nop"]
# Sleeps of 50 ms from the moment of the system call on; time.sleep() ends at a fixed time instead, and its call may begin late.
# How long each took, seen from outside of the call, goes to the file that is its argument.
SLEEPS = """
import ctypes, sys, time
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


@pytest.mark.parametrize("kind", ["", ":ret"], ids=["call", "return"])
def test_each_call_is_a_sample_with_both_stacks(kind):
    report = recorded("each", ["-e", f"func:{SYSTEM_CALL}{kind}"], VICTIM, "calls", EVENTS)
    samples = [sample for sample in calls_of(report, SYSTEM_CALL) if "do_call" in report.names_at(sample["user_stack"])]
    assert 0.9 * EVENTS <= len(samples) <= EVENTS and len(samples) + lost(report) >= EVENTS, (len(samples), lost(report))
    innermost = {report.names_at(sample["kernel_stack"])[0] for sample in samples}
    assert innermost == {report.json["functions"][samples[0]["function"]]["name"]}
    complete = [report.json["stacks"][sample["user_stack"]]["complete"] for sample in samples]
    assert sum(complete) >= 0.99 * len(samples)
    assert all(("duration_ns" in sample) == bool(kind) for sample in samples)


@pytest.mark.parametrize("kind, probe", [("", "kprobe"), (":ret", "kretprobe")], ids=["call", "return"])
def test_the_kernels_stack_is_that_of_a_probe(kind, probe):
    """Of the callers. The probe's lacks the function that has returned already; and on arm64 the caller of one that is entered: its
    frame record is not made yet, and the kernel's unwinder does not look at the link register."""
    report = recorded("both", ["-e", f"func:{SYSTEM_CALL}{kind}", "-e", f"{probe}:{SYSTEM_CALL}", "--kernel-stacks"], VICTIM, "calls", 100)
    ours, probed = (
        {tuple(report.names_at(sample["kernel_stack"])) for sample in report.json["samples"]
         if sample["event"] == event and "do_call" in report.names_at(sample["user_stack"])} for event in (0, 1))
    assert len(ours) == len(probed) == 1
    (ours,), (probed,) = ours, probed
    if kind:
        assert ours[1:] == probed
    elif MACHINE == "arm64":
        assert ours[1].startswith("invoke_syscall") and ours[2:] == probed[1:], (ours, probed)
    else:
        assert ours == probed


@pytest.mark.skipif(not HAS_TYPES, reason="needs BTF, which this kernel does not have")
def test_arguments_have_the_names_and_values_that_the_kernels_types_say():
    report = recorded("arguments", ["-e", "func:vfs_read:ret", "--filter", "arg3 == 1234 && ret == 1234"], "python3", "-c", READ)
    samples = calls_of(report, "vfs_read")
    assert len(samples) + lost(report) >= 100 and len(samples) >= 90
    parameters = [parameters_of(report, sample) for sample in samples]
    assert all(set(one) == {"file", "buf", "count", "pos"} for one in parameters)
    assert {(one["count"], sample["returned"]) for one, sample in zip(parameters, samples)} == {(1234, 1234)}
    assert all(int(one["file"], 16) >> 56 == 0xff and 0 < int(one["buf"], 16) < 1 << 47 for one in parameters)
    function = report.json["functions"][samples[0]["function"]]
    assert function["parameters"][0]["type"] == "struct file *" and function["returns"] == {"type": "ssize_t", "kind": "signed"}


def test_a_return_says_how_long_the_call_took():
    events = ["-e", f"func:{SLEEP}:ret", "--filter", "duration > 40000000"]
    report = recorded("sleeps", events, "python3", "-c", SLEEPS, "sleeps.txt")
    samples = sorted(calls_of(report, SLEEP), key=lambda sample: sample["time_ns"])
    durations = [sample["duration_ns"] for sample in samples]
    outside = [int(line) for line in guest.read("sleeps.txt").split()]
    assert len(durations) == len(outside) == 20
    # The module, the program and the kernel's timer do not read the same clock.
    assert all(49 * MS <= duration <= took + MS for duration, took in zip(durations, outside)), list(zip(durations, outside))
    assert all(sample["returned"] in (0, "0x0") for sample in samples)
    table = guest.run("uwind", "report", "-i", report.path)
    assert re.search(rf"^{SLEEP} +20 +[0-9.]+ +[0-9.]+ +[0-9.]+$", table, re.MULTILINE), table


def test_patterns_and_periods():
    report = recorded("patterns", ["-e", "func:vfs_rea?,vfs_open/period=10,name=files/"], "python3", "-c", READ)
    assert [event["name"] for event in report.session["events"]] == ["files"]
    found = {function["name"] for function in report.json["functions"]}
    assert "vfs_read" in found and found <= {"vfs_read", "vfs_open"}
    samples = report.json["samples"]
    assert all(sample["period"] == 10 for sample in samples) and len(samples) >= 10


# What is typed, and what the message says.
WRONG = [
    ("func:", "a function is missing"),
    ("func:vfs_raed", "do you mean vfs_read?"),
    ("func:no_such_*", "no function of the kernel that can be traced matches"),
    ("func:vfs_read:u", "is not :ret"),
    ("func:vfs_read/freq=9/", "no frequency"),
    ("{func:vfs_read}:u", "no modifiers"),
    ("func:*", "--force"),
]


@pytest.mark.parametrize("event, message", WRONG, ids=[wrong[0] for wrong in WRONG])
def test_what_is_wrong_is_said(event, message):
    said = guest.run("uwind", "record", "-e", event, "--", "true", status=64)
    assert message in said, said


def test_a_function_that_nobody_may_trace_is_told_apart():
    said = guest.run("uwind", "record", "-e", "func:rcu_is_watching", "--", "true", status=64)
    assert "lets nobody trace rcu_is_watching" in said, said


def test_many_functions_at_once_and_nothing_is_left_of_them():
    """Nobody traces one of them any more."""
    before = guest.read(TRACING / "enabled_functions")
    guest.run("uwind", "record", "-a", "-e", "func:vfs_*,ksys_*,do_sys_*", "--force", "--duration", 3, "-o", "many.json")
    report = guest.checked_report("many.json")
    assert len(report.json["functions"]) >= 3
    assert guest.read(TRACING / "enabled_functions") == before
    guest.renew_module("after functions were traced")


@pytest.fixture(name="traceable", scope="module")
def fixture_traceable():
    """Addresses of functions that can be traced, by name."""
    names = set(re.findall(r"^vfs_\S+", guest.read(TRACING / "available_filter_functions"), re.MULTILINE))
    return {name: address for name, address in kernel_text.functions("vfs_").items() if name in names}


def call_sites(text, functions):
    """What is around their first instructions."""
    return {name: text.at(address - 32, 64) for name, address in functions.items()}


@pytest.mark.usefixtures("processors")
@pytest.mark.parametrize("kind", ["", ":ret"], ids=["call", "return"])
def test_call_sites_are_patched_while_they_are_traced_and_byte_for_byte_as_before_afterwards(record, traceable, kind):
    text = kernel_text.KernelText()
    before = call_sites(text, traceable)
    recording = record("sites", "-a", "-e", f"func:vfs_*{kind}", "--force")
    during = call_sites(text, traceable)
    recording.end()
    untouched = [name for name in before if during[name] == before[name]]
    assert len(before) >= 30 and not untouched, untouched
    assert call_sites(text, traceable) == before


def beside_others(turn):
    """What else traces functions, and modules that come and go."""
    if turn % 3 == 1:
        with contextlib.suppress(OSError), open(TRACING / "set_ftrace_filter", "a", encoding="ascii") as chosen:
            chosen.write("*:mod:tun")  # besides: to open it to write it anew means all functions
    guest.write(TRACING / "current_tracer", TRACERS[turn % len(TRACERS)])
    if TUN_IS_MODULE:
        guest.result_of("modprobe", *(["-r"] if turn % 2 else []), "tun")  # may be in use just now


@pytest.fixture(name="processors")
def fixture_processors(request):
    """One, unless the emulator is known to be good for two: in QEMU 7.2, a processor may go on with breakpoints that another one has
    removed already. A kernel that patches itself hangs there, without this module, too."""
    if PROCESSORS == "1":
        request.getfixturevalue("one_processor")


@pytest.fixture(name="other_tracers")
def fixture_other_tracers():
    if TUN_IS_MODULE:
        guest.run("modprobe", "tun")
    guest.write(TRACING / "set_ftrace_filter", "vfs_*")
    yield
    guest.write(TRACING / "current_tracer", "nop")
    guest.write(TRACING / "set_ftrace_filter", "")


def storm(programs):
    """Sessions that trace functions until they have been made, and at least three turns of other tracers. Returns what the sessions
    say, and how many turns there were."""
    running = [programs.start(guest.PROGRAMS / "attach_functions", ATTACHES // 2, seed, *STORM, stdout=subprocess.PIPE, text=True)
               for seed in (1, 2)]
    turns = 0
    while turns < 3 or any(one.poll() is None for one in running):
        beside_others(turns)
        turns += 1
    assert not any(one.returncode for one in running)
    return [list(map(int, re.findall(r"\d+", one.stdout.read()))) for one in running], turns


@pytest.mark.usefixtures("processors", "other_tracers")
def test_attached_and_detached_beside_others_that_do_the_same(programs):
    """Of calls and returns, stock tracers' and their own, of functions of modules, too. A complaint of the kernel's ends the run."""
    said, turns = storm(programs)
    for made, refused, events in said:
        assert made + refused == ATTACHES // 2 and made >= ATTACHES // 4 and events > made, said
    guest.renew_module(f"after {ATTACHES} sessions, and {turns} turns of other tracers")


@pytest.mark.usefixtures("processors")
def test_what_tracing_costs_is_measured_in_each_situation():
    costs = json.loads(guest.run("uwind", "bench", "ftrace", "--calls", BENCH_CALLS, "--format", "json"))
    assert [cost["others"] for cost in costs] == 6 * ["nothing"] + 6 * ["another function"] + 6 * ["all functions"]
    assert all(cost["call_ns"] > 0 for cost in costs)
    noted = [cost["added_ns"] for cost in costs if cost["tracer"] == "uwind, noted"]
    assert len(noted) == 3
    if guest.EXACT:
        assert min(noted) > 0
    assert not list((TRACING / "instances").iterdir())
    assert "another function" in guest.run("uwind", "bench", "ftrace", "--calls", 50)
