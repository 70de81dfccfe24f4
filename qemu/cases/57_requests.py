# SPDX-License-Identifier: GPL-2.0
# Expected: 30 s; REQUESTS=2000 is how many are asked in each context
"""A module asks for stacks of its own, in tasks, softirqs, interrupts and NMIs: each request is answered once, for the right
task and image, or lost for a cause; what tasks that sleep owe can be taken back, and the module be removed under it. A session's
own books balance, and each file is announced once."""
import functools
import os
import platform
import subprocess

import pytest

import guest

STRESS_MODULE = "/root/uwind_stress.ko"
ACCOUNT = "/sys/kernel/debug/uwind_stress"
REQUESTS = int(os.environ.get("REQUESTS", "2000"))
PERIOD_US = os.environ.get("STRESS", "100")
FOR_EVER = 1000000000
SLEEPERS = 10


@functools.cache
def contexts():
    """Those that another processor sends. PREEMPT_RT has no softirqs but in threads; a kernel with KASAN has no NMIs in which work
    can be queued."""
    if not guest.SECOND_PROCESSOR.exists():
        return []
    names = ["hardirq"]
    if "PREEMPT_RT" not in os.uname().version:
        names.append("softirq")
    if platform.machine() == "x86_64" and " __asan_load8" not in guest.read("/proc/kallsyms"):
        names.append("nmi")
    return names


def kinds():
    """The same, as the account has them, and that of the tasks themselves."""
    return ["task"] + ["irq" if name == "hardirq" else name for name in contexts()]


class Account:
    """What the module has counted: of each context a line of pairs "WORD NUMBER", and totals."""

    def __init__(self):
        self.text = guest.read(ACCOUNT)
        self.lines = [line.split() for line in self.text.splitlines()]

    def __repr__(self):
        return "; ".join(line for line in self.text.splitlines() if not line.endswith(" 0"))

    def column(self, context, word):
        words = next(words[1:] for words in self.lines if words[0] == context)
        return int(dict(zip(words[::2], words[1::2]))[word])

    def total(self, word):
        return next(int(words[-1]) for words in self.lines if words[0] == word)

    def asked_enough(self):
        return all(self.column(kind, "asked") >= REQUESTS for kind in kinds())

    def all_answered(self):
        """What is answered is counted last."""
        return not self.total("open") and all(self.column(kind, "asked") == self.column(kind, "answered") for kind in kinds())


def wait_for_account(seconds, sentence, condition):
    """The account of which that is true."""
    def says():
        return f"{sentence}: {Account().text}{guest.run('ps', '-eLo', 'pid,tid,stat,wchan:24,comm')}"

    def found():
        account = Account()
        return account if condition(account) else None
    return guest.wait_until(seconds, says, found)


def wrong_totals(account):
    words = ("strange", "twice", "wrong_task", "wrong_image", "cancelled", "full")
    return {word: account.total(word) for word in words if account.total(word)}


def stop_stress():
    guest.run("rmmod", "uwind_stress")


@pytest.fixture
def stress():
    """stress(PARAMETER=VALUE...): the module asks. It goes before uwind does, and after what the test has started."""
    yield lambda **parameters: guest.run("insmod", STRESS_MODULE, *(f"{key}={value}" for key, value in parameters.items()))
    subprocess.run(["rmmod", "uwind_stress"], check=False, stderr=subprocess.DEVNULL)


@pytest.fixture
def victims(stress, programs):
    """Programs that work, and one that enters the kernel and leaves it all the time."""
    started = [programs.victim(name) for name in ("threads_victim", "fork_victim", "exec_victim")]
    return started + [programs.start("nice", "dd", "if=/dev/zero", "of=/dev/null", "bs=1", stderr=subprocess.DEVNULL)]


def ask_for_ever(programs, path, word):
    return programs.start(guest.PROGRAMS / "asker", path, word, FOR_EVER, stdout=subprocess.DEVNULL)


def test_what_a_full_socket_refuses_is_lost_and_all_else_has_arrived():
    guest.run(guest.PROGRAMS / "loss_check")


def test_a_file_without_a_path_is_announced_once():
    guest.run(guest.PROGRAMS / "files_check", "nameless")


def test_each_request_is_answered_once_for_the_right_task_and_image(stress, victims, programs, record):
    """A session beside it has the tables, and now and then a part of the same requests. A call that an interrupt was faster than
    shares its request. A thread that was asked on its way to sleep owes until it wakes: the recorder's do as they end."""
    recording = record("r", "-a", "-F", 49)
    first = ask_for_ever(programs, "/dev/zero", "x")
    guest.wait_for_tables("asker", "threads_victim", "fork_victim", "exec_victim", "libc.so.6")
    guest.kill(first)
    stress(contexts=",".join(contexts()), limit=REQUESTS, period_us=PERIOD_US)
    askers = [ask_for_ever(programs, ACCOUNT, "ask") for _ in range(2)]
    wait_for_account(60 + REQUESTS / 50, "enough is asked in each context", Account.asked_enough)
    for process in victims + askers:
        guest.kill(process)
    recording.end()
    account = wait_for_account(60, "each request has its answer", Account.all_answered)
    print(account)
    for kind in kinds():
        assert account.column(kind, "nomem") == 0, (kind, account)  # nothing is lost within the supply
        assert account.column(kind, "frames") > REQUESTS, (kind, account)
    assert account.column("task", "frames") > 10 * REQUESTS, account  # below ten calls there are ten frames
    assert not wrong_totals(account), f"{guest.NEVER_AGAIN}{wrong_totals(account)}"
    stop_stress()


def test_what_sleepers_owe_can_be_taken_back_and_the_module_removed_under_it(stress, programs):
    stress(sleepers=1, limit=1000)
    for _ in range(SLEEPERS):
        programs.start("sleep", 3600)
    wait_for_account(30, "ten sleep", lambda account: account.total("open") >= SLEEPERS)
    before = guest.status()["lost.cancelled"]
    guest.write(ACCOUNT, "cancel")
    assert Account().total("cancelled") == 1
    stop_stress()
    assert guest.status()["lost.cancelled"] - before >= SLEEPERS
    programs.kill()
    guest.renew_module("after all")
