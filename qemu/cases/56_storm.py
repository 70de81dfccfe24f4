# SPDX-License-Identifier: GPL-2.0
# Expected: 300 s
# Needs: /sys/kernel/debug/failslab
"""While everything runs, one in ten of the module's allocations fails: recordings and the service live through it or say why
not, each request has its answer or its loss, and afterwards all works as before. x86's kernel cannot tell who allocates by
the stack (FAULT_INJECTION_STACKTRACE_FILTER), so that nothing fails there."""
import pathlib
import re

import pytest

import guest

DEBUG = pathlib.Path("/sys/kernel/debug")
ALLOCATIONS = ("failslab", "fail_page_alloc")
KINDS = ALLOCATIONS + ("fail_usercopy",)
CAN_FAIL = (DEBUG / "failslab/require-start").exists()
MANY = 1000000
PERCENT = 10
ROUNDS = 4
VICTIMS = (("fork_victim", 3600), ("exec_victim", 3600), ("threads_victim", 3600), ("self_register", "work", 3600),
           ("short_lived", 3600), ("dlopen_victim", 3600))


def fault(key, value):
    """Of every kind of failure that has such a key."""
    for kind in KINDS:
        if (DEBUG / kind / key).exists():
            guest.write(DEBUG / kind / key, value)


def prepare_faults():
    """Without a word: each failure would be traced on the console."""
    for key, value in (("verbose", 0), ("min-order", 0), ("ignore-gfp-highmem", "N"), ("ignore-gfp-wait", "N")):
        fault(key, value)


def only_the_module():
    """By what stands on the kernel's stack."""
    start = int(guest.read("/sys/module/uwind/sections/.text"), 16)
    size = int(re.search(r"^uwind (\d+) ", guest.read("/proc/modules"), re.MULTILINE).group(1))
    for key, value in (("require-start", hex(start)), ("require-end", hex(start + size)), ("stacktrace-depth", 32),
                       ("times", MANY), ("interval", 1)):
        fault(key, value)


def failures():
    return sum(MANY - int(guest.read(DEBUG / kind / "times")) for kind in ALLOCATIONS)


class Storm:
    """Allocations fail by chance."""

    def begin(self, percent=PERCENT):
        for kind in ALLOCATIONS if CAN_FAIL else ():
            guest.write(DEBUG / kind / "probability", percent)

    def end(self):
        self.begin(0)


@pytest.fixture
def storm():
    prepare_faults()
    if CAN_FAIL:
        only_the_module()
    yield Storm()
    Storm().end()


def imbalance():
    """Every request since the module was loaded has its answer or its loss."""
    numbers = guest.status()
    return numbers["requested"] - numbers["answered"] - sum(n for name, n in numbers.items() if name.startswith("lost."))


def all_works():
    guest.run("uwind", "record", "-F", 499, "-o", "works.json", "--", guest.PROGRAMS / "sframe_victim", 4)
    program = guest.checked_report("works.json").of("sframe_victim")
    assert program.samples >= 100
    assert program.complete >= 90
    assert program.calls("work_recurse", "main")
    guest.wait_until(20, lambda: f"requested = answered + lost: {guest.status()}", lambda: not imbalance())


def says_why(text):
    return re.search("memory|buffer|bad address", text, re.IGNORECASE)


def where_it_waits(pid):
    """Its threads, in the kernel."""
    threads = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return "\n".join(guest.read(thread / name) for thread in threads for name in ("comm", "syscall", "stack"))


def end_within(seconds, process):
    """Its exit status; it may have ended by itself."""
    process.terminate()
    guest.wait_until(seconds, lambda: f"{process.args} ends: {where_it_waits(process.pid)}", lambda: process.poll() is not None)
    return process.returncode


def record_once():
    """Whether that was possible."""
    result = guest.result_of("uwind", "record", "-a", "-F", 199, "--duration", 3, "-o", "storm.json")
    print(result.stdout.splitlines()[-1], flush=True)
    if result.returncode == 0:
        guest.checked_report("storm.json")
    else:
        assert says_why(result.stdout)
    return result.returncode == 0


def start_idle(programs, name, *arguments, **options):
    """It leaves the processors to those that the case waits for."""
    return programs.start("nice", "-n", 19, guest.PROGRAMS / name, *arguments, **options)


@pytest.fixture
def survivor(programs):
    """It lives on, and what there was no memory for in the storm must not be missing later."""
    return start_idle(programs, "threads_victim", 3600)


def test_all_works_before():
    all_works()


def start_victims(programs):
    with open("victims.log", "w", encoding="utf-8") as log:
        return [start_idle(programs, *words, stdout=log, stderr=log) for words in VICTIMS]


def start_service(programs):
    with open("daemon.log", "w", encoding="utf-8") as log:
        return programs.start("uwindd", "--interval", 1, "--dir", "reports", stdout=log, stderr=log)


def check_survivor(process):
    guest.run("uwind", "record", "-F", 199, "-p", process.pid, "--duration", 5, "-o", "survivor.json")
    guest.kill(process)
    program = guest.checked_report("survivor.json").of("threads_victim")
    assert program.samples >= 100
    assert program.complete >= 90
    assert program.calls("work_recurse", "thread_work")


def test_recordings_and_the_service_live_through_it_or_say_why_not(storm, survivor, programs, record):
    through = record("through", "-a", "-F", 199)
    storm.begin()
    victims, service = start_victims(programs), start_service(programs)
    recorded = sum(record_once() for _ in range(ROUNDS))
    print(f"recordings: {recorded}, refused: {ROUNDS - recorded}", flush=True)
    if CAN_FAIL:
        guest.wait_until(60, lambda: f"allocations fail: {failures()}", lambda: failures() >= 200)
        print(f"failures: {failures()}", flush=True)
    assert end_within(100, service) == 0 or says_why(guest.read("daemon.log")), guest.read("daemon.log")
    storm.end()
    end_within(100, through.process)
    through.finish()
    for process in victims:
        guest.kill(process)
    all_works()
    check_survivor(survivor)
    guest.wait_for_no_tables()


def test_all_works_with_the_module_anew():
    guest.renew_module("after the storm")
    all_works()
