# SPDX-License-Identifier: GPL-2.0
# Expected: 90 s
"""What is sampled satisfies every filter of its session: a cgroup and those below it, processes left out with the children
that they make later, processors, the depth of a stack. Two sessions at once do not see each other's."""
import os
import pathlib
import shutil
import time

import pytest

import guest

GROUP = guest.CGROUPS / "targets"
ENTER = 'echo $$ >"$0/cgroup.procs" && exec "$@"'


@pytest.fixture(scope="module", autouse=True)
def group(folder):
    """A cgroup with one below it, and programs with names of their own."""
    (GROUP / "deep").mkdir(parents=True)
    for name in ("inside", "nested", "outside", "moved"):
        shutil.copy(guest.PROGRAMS / "sframe_victim", name)
    for name in ("forking", "except"):
        shutil.copy(guest.PROGRAMS / "fork_victim", name)
    yield GROUP
    time.sleep(0.5)
    (GROUP / "deep").rmdir()
    GROUP.rmdir()


@pytest.fixture
def start_in(programs):
    """start_in(GROUP, NAME): the program runs in a cgroup, or in none."""
    def start(group, name):
        if group is None:
            return programs.victim("./" + name)
        process = programs.start("sh", "-c", ENTER, group, "nice", "./" + name, 600)
        guest.wait_until(20, f"{name} is in its cgroup", lambda: str(process.pid) in guest.read(group / "cgroup.procs").split())
        return process
    return start


@pytest.fixture
def inside(start_in):
    """On the first processor."""
    process = start_in(GROUP, "inside")
    os.sched_setaffinity(process.pid, {0})
    return process


@pytest.fixture
def outside(start_in):
    """On the second."""
    process = start_in(None, "outside")
    os.sched_setaffinity(process.pid, {1})
    return process


@pytest.fixture
def beside(start_recording):
    """beside(NAME, OPTION...): a recording beside others, which is not waited for."""
    return lambda name, *options: start_recording(name, *options, "-F", 199)


def all_begin(recordings):
    for recording in recordings:
        recording.wait_begun()


def end_after(requests, *recordings):
    """Their reports, after so many more requests."""
    all_begin(recordings)
    guest.wait_for_requests(requests)
    return guest.end_all(*recordings)


@pytest.fixture
def crowd(start_in):
    """Processes by name, in the cgroup, below it and outside. Of those that fork, only children work: they are stopped and
    have none."""
    groups = {"inside": GROUP, "forking": GROUP, "except": GROUP, "nested": GROUP / "deep", "outside": None, "moved": None}
    processes = {name: start_in(group, name) for name, group in groups.items()}
    time.sleep(1)
    for name in ("except", "forking"):
        guest.halt(processes[name])
    time.sleep(2)
    return processes


def test_a_cgroup_is_sampled_with_those_below_it_but_for_processes_left_out(crowd, beside):
    """And a list of processes, but for one that is left out. Children are made when both sessions are there."""
    pid = {name: process.pid for name, process in crowd.items()}
    recordings = [beside("group", "--cgroup", "targets", "--exclude-pid", pid["except"]),
                  beside("named", "-p", f"{pid['outside']},{pid['inside']}", "--exclude-pid", pid["inside"])]
    all_begin(recordings)
    for name in ("except", "forking"):
        guest.go_on(crowd[name])
    guest.wait_for_requests(300)
    guest.write(GROUP / "cgroup.procs", pid["moved"])
    group, named = end_after(600, *recordings)
    for name, least in (("inside", 20), ("nested", 20), ("moved", 5)):
        assert group.of(name).samples >= least
    assert group.of("forking").processes >= 2
    assert not group.programs & {"except", "outside"}
    assert group.of("inside").complete >= 80
    assert group.session["target"] == "all"
    assert group.session["cgroup"] == "targets"
    assert group.session["excluded"] == [pid["except"]]
    assert named.programs == {"outside"}
    assert named.of("outside").samples >= 20
    assert named.session["excluded"] == [pid["inside"]]


def test_processors_are_chosen_and_with_them_a_cgroup_by_its_path(inside, outside, beside):
    first, second, none = end_after(400, beside("first", "-C", 0, "-a"), beside("second", "-a", "--cgroup", GROUP, "-C", "0-1"),
                                    beside("none", "-C", 1, "--cgroup", "/targets"))
    assert first.of("inside").samples >= 20
    assert "outside" not in first.programs
    assert first.session["cpus"] == "0"
    assert second.programs == {"inside"}
    assert second.of("inside").samples >= 20
    assert second.session["cpus"] == "0-1"
    assert not none.programs & {"inside", "outside"}


def test_no_other_processor_is_sampled(inside, outside, beside):
    """Alone: no other session's requests are answered along with its own."""
    report, = end_after(200, beside("alone", "-C", 0))
    assert report.of("inside").samples >= 20
    assert "outside" not in report.programs
    assert report.cpus() == {0}
    assert report.session["target"] == "all"


def is_cut_at(program, depth):
    """No stack has more frames, and those that end for that have as many."""
    cut = {len(stack["frames"]) for stack, _ in program.stacks() if stack["stop"] == "depth"}
    return max(program.depths, default=0) <= depth and cut <= {depth}


def test_stacks_are_cut_at_a_depth_beside_a_session_without(inside, beside):
    short, deep = end_after(300, beside("short", "--max-depth", 10, "-p", inside.pid), beside("deep", "-p", inside.pid))
    program = short.of("inside")
    assert program.samples >= 20
    assert is_cut_at(program, 10), program.depths
    assert program.stopped("depth") >= 20
    assert short.session["max_depth"] == 10
    assert deep.of("inside").samples >= 20
    assert deep.of("inside").complete >= 80


def test_a_cgroup_that_goes_has_nobody_any_more(inside, beside):
    """And its session does not hold its folder."""
    (GROUP / "gone").mkdir()
    recording = beside("gone", "--cgroup", "targets/gone").wait_begun()
    (GROUP / "gone").rmdir()
    time.sleep(1)
    assert "inside" not in recording.end().programs


def test_the_service_has_the_same_filters(inside, programs):
    def reports():
        return sorted(pathlib.Path("reports").rglob("*.json"))
    with open("uwindd.log", "w", encoding="utf-8") as log:
        service = programs.start("uwindd", "--interval", 2, "--dir", "reports", "-G", "/targets", "-C", 0, "--max-depth", 10,
                                 stdout=log, stderr=log)
    guest.wait_until(60, lambda: f"the service writes reports: {guest.read('uwindd.log')}", lambda: len(reports()) >= 2)
    guest.end(service, lambda: guest.read("uwindd.log"))
    report = guest.Report(reports()[1])
    assert report.problems() == []
    assert report.programs <= {"inside"}
    assert is_cut_at(report.of("inside"), 10), report.of("inside").depths
    assert report.session["cgroup"] == "/targets"


REFUSED = {
    "no_cgroup": ("cgroup nowhere: there is none below /sys/fs/cgroup", "--cgroup", "nowhere"),
    "folder": ("cgroup /tmp: is a folder, but not a cgroup", "--cgroup", "/tmp"),
    "file": ("cgroup targets/cgroup.procs: not a cgroup, but a file", "--cgroup", "targets/cgroup.procs"),
    "cpu": ("no CPU 999: this machine has 0-", "-C", "0,999"),
    "process": ("no process 999999: check", "-p", "999999"),
    "excluded": ("no process 999999: check", "-a", "--exclude-pid", "999999"),
}


def refusal(*options):
    return guest.run("uwind", "record", "-o", "no.json", "--duration", 1, *options, status=64)


@pytest.mark.parametrize("message, options", [(words[0], words[1:]) for words in REFUSED.values()], ids=REFUSED)
def test_what_is_not_there_is_refused_by_name(message, options):
    assert message in refusal(*options)


def test_a_cgroup_of_version_1_is_refused(folder):
    old = pathlib.Path(folder, "old")
    old.mkdir()
    guest.run("mount", "-t", "cgroup", "-o", "none,name=old", "old", old)
    try:
        assert f"cgroup {old}: is of version 1" in refusal("--cgroup", old)
    finally:
        guest.run("umount", old)
