# SPDX-License-Identifier: GPL-2.0
# Expected: 60 s
# Needs: /trixie/usr/bin/perl
"""Programs of another Debian release in a container of their own root and pid namespace, and of an overlay in which a library was
replaced: their paths are those that they see, their names those of the files that they run, and both of their pids are known."""
import contextlib
import os
import pathlib
import shutil
import stat
import subprocess
import time

import pytest

import guest

ROOT = pathlib.Path("/trixie")
CGROUP = guest.CGROUPS / "machine.slice/machine-other\\x2drelease.scope"
WORK = "sub f { my $n = shift; return $n ? f($n - 1) + 1 : length(sprintf('%d', $n)) } my $end = (times)[0] + SECONDS; f(20) while (times)[0] < $end"
CONTAINER = ["env", "LC_ALL=C", "unshare", "--mount", "--pid", "--fork", "--kill-child", "chroot", ROOT, "/usr/bin/perl", "-e"]


def build_id(path):
    lines = guest.run("readelf", "-n", path).splitlines()
    return next(line.split()[-1] for line in lines if "Build ID" in line)


def symbols_of(path):
    """Names by the functions' addresses: each may have several."""
    names = {}
    for line in guest.run("readelf", "--dyn-syms", "-sW", "--demangle", path).splitlines():
        fields = line.split(None, 7)
        if len(fields) == 8 and fields[3] in ("FUNC", "IFUNC") and fields[6] != "UND":
            names.setdefault(fields[7].split("@")[0], []).append((int(fields[1], 16), int(fields[2], 0)))
    return names


@pytest.fixture(scope="module", autouse=True)
def device_of_the_container():
    """Perl reads what -e says as if it came from there."""
    device = ROOT / "dev/null"
    device.parent.mkdir(exist_ok=True)
    if not device.exists():
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))


@pytest.fixture(name="cgroup")
def container_cgroup():
    """Named as systemd names a machine's."""
    CGROUP.mkdir(parents=True)
    yield CGROUP
    guest.wait_until(10, "the container is empty", lambda: not guest.read(CGROUP / "cgroup.procs"))
    CGROUP.rmdir()
    CGROUP.parent.rmdir()


def start(programs, cgroup, seconds):
    """Perl in the container, for so many seconds of processor time."""
    command = [*CONTAINER, WORK.replace("SECONDS", str(seconds))]
    return programs.start("sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', cgroup, *command)


def in_container(report):
    return [p for p in report.json["processes"] if p.get("container") == "other-release" and p["comm"] == "perl"]


def check_modules(report):
    """The files are those of the container, whatever lies at these paths here."""
    modules = {m["path"]: m for m in report.json["modules"]}
    libraries = [path for path in modules if path.startswith("/") and "libc.so" in path]
    assert modules["/usr/bin/perl"]["build_id"] == build_id(ROOT / "usr/bin/perl")
    assert [modules[path]["build_id"] for path in libraries] == [build_id(ROOT / path[1:]) for path in libraries]


def check_names(report):
    """Each of perl's names is that of a function of this perl, at this place."""
    functions = symbols_of(ROOT / "usr/bin/perl")
    index = next(i for i, m in enumerate(report.json["modules"]) if m["path"] == "/usr/bin/perl")
    frames = [frame for frame in report.json["frames"] if frame["module"] == index and frame["symbol"]]
    assert len(frames) > 10
    for frame in frames:
        offset = int(frame["offset"], 16)
        assert frame["symbol"] == "_start" or any(begin <= offset <= begin + size for begin, size in functions[frame["symbol"]]), frame


def test_a_container_of_another_release(programs, record, cgroup):
    perl = start(programs, cgroup, 8)
    guest.wait_until(10, "perl runs", lambda: len(guest.read(cgroup / "cgroup.procs").split()) >= 2)
    pid = int(guest.read(cgroup / "cgroup.procs").split()[-1])
    report = record("container", "-p", pid, "-F", 499)
    time.sleep(3)
    report = report.end()
    programs.running.remove(perl)
    perl.kill()
    perl.wait()
    assert [(p["pid"], p["namespace_pid"], p["exe"]) for p in in_container(report)] == [(pid, 1, "/usr/bin/perl")]
    assert in_container(report)[0]["cgroup"] == "/" + str(cgroup.relative_to(guest.CGROUPS))
    of_perl = report.of("perl")
    assert of_perl.samples > 500 and of_perl.complete >= 99, of_perl
    check_modules(report)
    check_names(report)


def test_processes_of_a_container_that_are_gone(programs, record, cgroup):
    recording = record("short", "-a", "-F", 499)
    for _ in range(30):
        assert start(programs, cgroup, 0.05).wait() == 0
    programs.running.clear()
    report = recording.end()
    processes = in_container(report)
    numbers = {i for i, p in enumerate(report.json["processes"]) if p in processes}
    samples = [s for s in report.json["samples"] if s["process"] in numbers]
    complete = [s for s in samples if s["user_stack"] is not None and report.json["stacks"][s["user_stack"]]["complete"]]
    print(f"in a container: {len(processes)} processes, {len(samples)} samples, {len(complete)} complete", flush=True)
    guest.figure("processes", kind="in a container", processes=len(processes), samples=len(samples), complete=len(complete))
    assert len(processes) == 30
    assert all(p["namespace_pid"] == 1 and p["exe"] == "/usr/bin/perl" and p["exit_time_ns"] for p in processes), processes
    assert len(complete) >= 0.995 * len(samples)
    assert all(p["arguments"][0] == "/usr/bin/perl" for p in processes)


@pytest.fixture(name="merged")
def overlay(folder):
    """The tests' programs, in which a file may be replaced."""
    base = pathlib.Path(folder) / "overlay"
    base.mkdir(exist_ok=True)
    guest.run("mount", "-t", "tmpfs", "tmpfs", base)
    for name in ("lower", "upper", "work", "merged"):
        (base / name).mkdir()
    for name in ("dlopen_victim", "plugin.so"):
        shutil.copy(guest.PROGRAMS / name, base / "lower")
    guest.run("mount", "-t", "overlay", "overlay", "-o", f"lowerdir={base}/lower,upperdir={base}/upper,workdir={base}/work", base / "merged")
    with contextlib.ExitStack() as stack:
        stack.callback(guest.run, "umount", base)
        stack.callback(guest.run, "umount", base / "merged")
        yield base / "merged"


def replace_library(merged):
    """By one whose function has another name in its symbol table, and the same for dlsym()."""
    new = merged / "plugin.new"
    shutil.copy(guest.PROGRAMS / "plugin.so", new)
    guest.run("objcopy", "--redefine-sym", "plugin_work=plugin_replaced", new)
    os.rename(new, merged / "plugin.so")


@pytest.mark.parametrize("replaced", [False, True], ids=["lower", "upper"])
def test_files_of_an_overlay(record, merged, replaced):
    if replaced:
        replace_library(merged)
    recording = record(f"overlay-{replaced}", "-a", "-F", 499)
    subprocess.run([merged / "dlopen_victim", "2", "1"], check=True)
    report = recording.end()
    victim = report.of("dlopen_victim")
    assert victim.samples > 300 and victim.complete >= 99, victim
    paths = {m["path"] for m in report.json["modules"]}
    assert {str(merged / "dlopen_victim"), str(merged / "plugin.so")} <= paths, paths
    names = ("plugin_work", "plugin_replaced")
    assert victim.calls(names[replaced], "main") > 100
    assert victim.calls(names[not replaced], "main") == 0
