# SPDX-License-Identifier: GPL-2.0
# Expected: 120 s
"""What goes wrong around a recording: processors, readers and memory that go away, several recorders, targets that do not
run. After each, the module can be removed at once."""
import pathlib
import re
import shutil
import subprocess
import time

import pytest

import guest

CPU = guest.SECOND_PROCESSOR
SOCKET_LIMIT = "/proc/sys/net/core/rmem_max"
FROZEN = guest.CGROUPS / "frozen"
WITHOUT_NET_ADMIN = ("setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin")
FILL_MIB, LEFT_MIB = 900, 400  # a file takes most of the memory, which is quicker


@pytest.fixture
def load(programs):
    return programs.victim("threads_victim")


@pytest.fixture
def second_cpu():
    yield
    guest.write(CPU, 1)


def go_and_come(requests):
    """A processor, after so many requests."""
    guest.wait_for_requests(requests, seconds=30)
    guest.write(CPU, 0)
    time.sleep(1)
    guest.write(CPU, 1)
    time.sleep(4)


def test_samples_come_back_with_their_processor(load, record, second_cpu):
    recording = record("hotplug", "-a", "-F", 499)
    go_and_come(500)
    report = recording.end()
    assert report.of("threads_victim").samples >= 100
    assert len(report.cpus(skipped=0.5)) >= 2


def test_so_do_those_of_a_session_of_that_processor_alone(load, record, second_cpu):
    recording = record("chosen", "-a", "-C", 1, "-F", 499)
    go_and_come(50)
    report = recording.end()
    assert report.of("threads_victim").samples >= 50
    assert report.cpus() == report.cpus(skipped=0.5) == {1}
    guest.renew_module("after a processor has come back")


def test_a_reader_that_stops_loses_records_and_goes_on(load, record, set_file):
    """They are counted."""
    set_file(SOCKET_LIMIT, 4096)
    recording = record("reader", "-a", "-F", 1999, prefix=WITHOUT_NET_ADMIN)
    guest.wait_for_requests(500, seconds=30)
    guest.halt(recording.process)
    guest.wait_until(60, lambda: f"what it does not take is dropped: {guest.status()}", lambda: guest.status()["lost.dropped"])
    guest.go_on(recording.process)
    time.sleep(2)
    report = recording.end()
    assert report.of("threads_victim").samples >= 20
    assert report.lost["dropped"] > 0
    guest.renew_module("after a reader that stopped")


def test_no_more_tables_are_made_than_the_budget_allows(load, record, set_parameter):
    """Code without one is left by its frame pointer, if it has any, and all is sampled; with bytes of stack it is finished."""
    set_parameter("table_budget_mib", 0)
    recording = record("budget", "-F", 199, "--stack-bytes", 0, "-p", load.pid)
    time.sleep(2)
    report = recording.end()
    assert report.of("threads_victim").samples >= 20
    assert "eh_frame" not in report.methods
    assert "eh_frame" not in report.tables("").values()
    assert guest.status()["tables_refused"] > 0
    recording = record("budget_later", "-F", 199, "-p", load.pid)
    time.sleep(2)
    program = recording.end().of("threads_victim")
    assert program.complete >= 80  # finished here, with tables that the module has refused
    set_parameter("table_budget_mib", 256)
    recording = record("budget_back", "-F", 199, "-p", load.pid)
    time.sleep(2)
    program = recording.end().of("threads_victim")
    assert program.samples >= 20
    assert program.complete >= 80
    guest.renew_module("after the budget's end")


def wait_for_sessions(number):
    guest.wait_until(120, lambda: f"{number} sessions sample: {guest.status()}", lambda: guest.status()["sessions"] == number)


def test_two_recordings_and_two_services_see_the_same_program(load, programs, start_recording):
    services = [programs.start("uwindd", "--interval", 3600, "--dir", name) for name in ("one", "two")]
    wait_for_sessions(2)
    recordings = [start_recording(name, "-F", 199, "-p", load.pid) for name in ("first", "second")]
    wait_for_sessions(4)
    guest.wait_for_requests(1000)
    for report in guest.end_all(*recordings):
        assert report.of("threads_victim").samples >= 100
        assert report.of("threads_victim").complete >= 80
    guest.wait_for_requests(1500)
    guest.end(services[0])
    guest.kill(services[1])
    report = guest.Report(sorted(pathlib.Path("one").rglob("*.json"))[-1])
    assert report.problems() == []
    assert report.of("threads_victim").samples >= 20
    guest.wait_for_no_tables()
    guest.renew_module("after several")


def test_a_library_is_replaced_on_disk_while_it_is_mapped(programs, record):
    for name in ("dlopen_victim", "plugin.so"):
        shutil.copy(guest.PROGRAMS / name, ".")
    victim = programs.victim("./dlopen_victim", 600, 1)
    recording = record("replaced", "-F", 499, "-p", victim.pid)
    for _ in range(3):
        time.sleep(2)
        shutil.copy(guest.PROGRAMS / "plugin.so", "new.so")
        pathlib.Path("new.so").rename("plugin.so")
    program = recording.end().of("dlopen_victim")
    assert program.samples >= 200
    assert program.complete >= 80
    assert program.calls("plugin_work", "main")


@pytest.fixture
def frozen_group():
    FROZEN.mkdir(exist_ok=True)
    yield FROZEN
    guest.write(FROZEN / "cgroup.freeze", 0)
    FROZEN.rmdir()


def test_the_module_does_not_wait_for_programs_that_are_stopped_or_frozen(frozen_group, programs, record):
    """With requests open; and they go on unharmed."""
    stopped, cold = (programs.victim("threads_victim") for _ in range(2))
    guest.write(frozen_group / "cgroup.procs", cold.pid)
    recording = record("suspended", "-a", "-F", 1999)
    guest.wait_for_requests(2000, seconds=60)
    guest.halt(stopped)
    guest.write(frozen_group / "cgroup.freeze", 1)
    time.sleep(1)
    program = recording.end().of("threads_victim")
    assert program.samples >= 100
    guest.renew_module("under those who are suspended")
    guest.go_on(stopped)
    guest.write(frozen_group / "cgroup.freeze", 0)
    time.sleep(1)
    for program in (stopped, cold):
        assert program.poll() is None
        program.terminate()
        program.wait(30)


def may_kill_all(score):
    """What of each process tells the kernel's killer whether it may be chosen."""
    for path in pathlib.Path("/proc").glob("[0-9]*/oom_score_adj"):
        try:
            guest.write(path, score)
        except OSError:
            pass  # it has ended


def choose_first(programs, score, *command):
    return programs.start("sh", "-c", f'echo {score} >/proc/self/oom_score_adj && exec "$@"', "sh", *command)


def fill_memory(path):
    available = int(re.search(r"MemAvailable: *(\d+)", guest.read("/proc/meminfo")).group(1)) // 1024
    size = min(max(available - LEFT_MIB, 0), FILL_MIB)
    subprocess.run(["dd", "if=/dev/zero", f"of={path}", "bs=1M", f"count={size}"], check=False, stderr=subprocess.DEVNULL)


@pytest.fixture
def little_memory(folder):
    path = pathlib.Path(folder, "fill")
    fill_memory(path)
    yield
    path.unlink()
    may_kill_all(0)


def test_memory_runs_out_and_the_recording_goes_on(little_memory, programs, record):
    """The killer may strike again before the memory has come back: not us, and not the guest's own."""
    recording = record("memory", "-a", "-F", 999)
    may_kill_all(-1000)
    for _ in range(3):
        choose_first(programs, 900, "sleep", 300)
    eater = choose_first(programs, 1000, guest.PROGRAMS / "lives_victim", "eats")
    guest.wait_until(60, "memory runs out", lambda: eater.poll() is not None)
    may_kill_all(0)
    program = recording.end().of("lives_victim")
    assert program.samples >= 20
    guest.renew_module("after memory ran out")
