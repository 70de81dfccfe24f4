# SPDX-License-Identifier: GPL-2.0
# Expected: 75 s
"""Who may open /dev/uwind without privilege sees only their own processes, as ptrace has it, and nothing of others; what such
users register serves only their own processes, and is charged to them."""
import os
import pathlib
import shutil
import subprocess
import time

import pytest

import guest

GROUP = 61000
ANN, BEN, EVE = 61001, 61002, 61003  # Eve is not in the group
DEVICE = "/dev/uwind"
PRIVILEGED = pathlib.Path("/usr/bin/privileged")  # where set-user-ID counts
COPIES = {"busy": "member", "hide": "member", "become": "member", "spoil": "member", "unused": "sleeper",
          **{name: name for name in ("sframe_victim", "events_victim", "counters_check", "dlopen_victim", "plugin.so")}}


def as_user(user):
    """A command's prefix."""
    groups = "--clear-groups" if user == EVE else f"--groups={GROUP}"
    return ("setpriv", f"--reuid={user}", f"--regid={user}", groups, "env", "HOME=/tmp")


@pytest.fixture(scope="module", autouse=True)
def users(folder):
    """The group may open the device; each user has a folder, and there are programs with names of their own."""
    shutil.chown(DEVICE, group=GROUP)
    for user in (ANN, BEN, EVE):
        os.mkdir(str(user), mode=0o755)
        os.chown(str(user), user, user)
    for name, program in COPIES.items():
        shutil.copy(guest.PROGRAMS / program, name)
    shutil.copy(guest.PROGRAMS / "member", PRIVILEGED)
    PRIVILEGED.chmod(0o4755)
    yield
    shutil.chown(DEVICE, group=0)
    PRIVILEGED.unlink()


@pytest.fixture
def others(programs):
    """Ben and root work."""
    return [programs.start(*as_user(BEN), "./busy", "busy", 300), programs.start("./busy", "busy", 300)]


@pytest.fixture
def start_as(programs):
    """start_as(USER, NAME, COMMAND...): the user's program of that name."""
    def start(user, name, *command):
        process = programs.start(*as_user(user), *command)
        guest.wait_until(guest.PATIENCE, f"{name} runs", lambda: guest.read(f"/proc/{process.pid}/comm").strip() == name)
        return process
    return start


@pytest.fixture
def start_as_ann(start_as):
    """start_as_ann(NAME, COMMAND...): her program of that name."""
    return lambda name, *command: start_as(ANN, name, *command)


@pytest.fixture
def own(start_as_ann):
    return start_as_ann("sframe_victim", "./sframe_victim", 300)


def is_hidden(process):
    """/proc shows others' and undumpable processes as root's."""
    return os.stat(f"/proc/{process.pid}/environ").st_uid == 0


@pytest.fixture
def unseen(start_as_ann):
    """Ann's, but not hers to see: one hides itself, one is privileged."""
    processes = [start_as_ann("hide", "./hide", "hide", 300), start_as_ann("privileged", "privileged", "busy", 300)]
    guest.wait_until(guest.PATIENCE, "Ann cannot see them", lambda: all(map(is_hidden, processes)))
    return processes


@pytest.fixture
def record_as_ann(record):
    """record_as_ann(NAME, OPTION...): the report of some hundred samples."""
    def take(name, *options):
        recording = record(f"{ANN}/{name}", "-F", 499, *options, prefix=as_user(ANN))
        guest.wait_for_requests(300)
        return recording.end()
    return take


def record_command(user, name, *command, options=(), status=0):
    """What record says of it."""
    prefix = as_user(user) if user else ()
    path = f"{user}/{name}.json" if user else f"{name}.json"
    return guest.run(*prefix, "uwind", "record", *options, "-o", path, "--", *command, status=status)


def test_who_is_not_in_the_group_is_refused_and_told_what_to_do():
    assert "join its group" in record_command(EVE, "eve", "./sframe_victim", 1, status=77)


def test_the_contract_holds_for_members():
    """Rates, numbers, other processes, others' descriptors."""
    said = guest.run(guest.PROGRAMS / "member_check", GROUP, ANN, BEN, "unused").splitlines()
    assert [line for line in said if not line.startswith("ok")] == []
    assert len(said) > 50


def test_what_is_sent_to_a_reader_reaches_no_other_socket_however_the_reader_ends():
    print(guest.run(guest.PROGRAMS / "reader_attack", 8, EVE))


def test_a_member_sees_only_their_own_processes(others, own, unseen, record_as_ann):
    report = record_as_ann("all", "-a")
    assert report.of("sframe_victim").samples >= 100
    assert report.of("sframe_victim").complete >= 60
    assert not report.programs & {"busy", "hide", "privileged"}


def timers():
    """The kernel's timers of counters."""
    return guest.read("/proc/timer_list").count(", perf_swevent_hrtimer,")


def timers_in_looks(number):
    found = 0
    for _ in range(number):
        found += timers()
        time.sleep(0.1)
    return found


def test_a_members_counters_interrupt_nobody_but_their_own_threads(others, record, start_as_ann):
    """While Ann sleeps there is no timer of one, whoever else works: it was two in each look, one for each processor, when
    counters were of CPUs; the recorder is one of hers, and runs now and then. Each thread that she starts has one while it
    runs, and those of a program that only came to be hers within a second."""
    recording = record(f"{ANN}/timers", "-a", "-F", 9999, prefix=as_user(ANN))
    if os.uname().release.startswith("6.1."):
        assert "only what runs in user mode" in recording.log()
    time.sleep(2)
    assert timers_in_looks(20) < 20
    start_as_ann("busy", "./busy", "busy", 300)
    guest.wait_until(guest.PATIENCE, "a thread of Ann's has a counter", timers)
    guest.wait_for_requests(1000)
    program = recording.end().of("busy")
    assert program.samples >= 20


def test_a_member_samples_their_own_processes_by_number(others, own, record_as_ann):
    report = record_as_ann("own", "-p", own.pid)
    assert report.programs == {"sframe_victim"}
    assert report.of("sframe_victim").samples >= 200


def test_no_others_by_number(unseen):
    for pid in [process.pid for process in unseen] + [1]:
        said = guest.run(*as_user(ANN), "uwind", "record", "-p", pid, "--duration", 1, "-o", f"{ANN}/no.json", status=77)
        assert f"process {pid}: not yours to see" in said


def test_a_program_that_becomes_a_privileged_one_is_lost_from_sight():
    record_command(ANN, "become", "./become", "become", 3, PRIVILEGED, "busy", 3, options=("-F", 499))
    report = guest.checked_report(f"{ANN}/become.json")
    assert report.of("become").samples >= 100
    assert "privileged" not in report.programs


@pytest.fixture
def spoiled_table(folder, programs):
    """Ann's, for a program that others run, too."""
    with open("spoil.log", "w", encoding="utf-8") as log:
        programs.start(*as_user(ANN), "./spoil", "spoil", f"{folder}/dlopen_victim", stdout=log, stderr=subprocess.STDOUT)
    guest.wait_until(guest.PATIENCE, lambda: f"a member ties a table: {guest.read('spoil.log')}",
                     lambda: "tied" in guest.read("spoil.log"))


@pytest.mark.usefixtures("spoiled_table")
class TestWhatAMemberSpoils:
    @pytest.mark.parametrize("user", [BEN, None], ids=["bens", "roots"])
    def test_is_in_nobody_elses_recording(self, user):
        record_command(user, "dlopen", "./dlopen_victim", 3, 2, options=("-F", 199))
        program = guest.checked_report(f"{user}/dlopen.json" if user else "dlopen.json").of("dlopen_victim")
        assert program.complete >= 60
        assert program.calls("plugin_work", "main")

    def test_is_listed_for_root_only(self):
        assert "dlopen_victim" in guest.run("uwind", "list")
        assert "dlopen_victim" not in guest.run(*as_user(BEN), "uwind", "list")


def test_what_a_member_registers_is_charged_and_recording_goes_on_without(set_parameter, start_as, record):
    set_parameter("member_quota_kib", 16)
    program = start_as(BEN, "sframe_victim", "./sframe_victim", 300)
    recording = record(f"{BEN}/quota", "-F", 199, "-p", program.pid, prefix=as_user(BEN))
    guest.wait_for_requests(300)
    assert recording.end().of("sframe_victim").samples >= 100
    assert "quota" in recording.log().lower()


def test_a_member_counts_what_perf_lets_them_count(set_file):
    """The kernel's own events are root's, and of others no kernel stack is shown."""
    set_file("/proc/sys/kernel/perf_event_paranoid", 2)
    checks = guest.run(*as_user(ANN), "./counters_check", "member")
    assert [line for line in checks.splitlines() if not line.startswith("ok")] == []
    assert len(checks.splitlines()) >= 30
    said = record_command(ANN, "switches", "./events_victim", "switches", 10, options=("-e", "sched:sched_switch"), status=77)
    assert "tracefs" in said
    record_command(ANN, "off", "./events_victim", "switches", 10, options=("-e", "offcpu"), status=77)
    record_command(ANN, "faults", "./events_victim", "faults", 100, options=("-e", "page-faults", "-c", 1, "--kernel-stacks"))
    report = guest.checked_report(f"{ANN}/faults.json")
    assert report.of("events_victim").calls("do_fault", "main") >= 90
    assert all(sample["kernel_stack"] is None for sample in report.json["samples"])


def test_a_member_gets_no_kernel_stacks_even_where_the_kernel_may_be_counted(set_file):
    """Root does, of the same work."""
    set_file("/proc/sys/kernel/perf_event_paranoid", 1)
    for user, name in ((ANN, f"{ANN}/kernel"), (None, "kernel")):
        record_command(user, "kernel", "./events_victim", "calls", 1_000_000, options=("-e", "cpu-clock", "-F", 999, "--kernel-stacks"))
        samples = guest.checked_report(f"{name}.json").json["samples"]
        assert samples
        assert any(sample["kernel_stack"] is not None for sample in samples) == (user is None)
