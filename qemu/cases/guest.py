# SPDX-License-Identifier: GPL-2.0
"""What cases in Python share: the guest's files and programs, the module and its numbers, and recordings. Waiting ends when
what is waited for is there; the limit is for what never comes."""
import collections
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from report import Report

CASES = pathlib.Path(__file__).resolve().parent
PROGRAMS = pathlib.Path("/root/programs")
PARAMETERS = pathlib.Path("/sys/module/uwind/parameters")
CGROUPS = pathlib.Path("/sys/fs/cgroup")
SECOND_PROCESSOR = pathlib.Path("/sys/devices/system/cpu/cpu1/online")  # if there is one
RMMOD_LIMIT_MS = int(os.environ.get("RMMOD_LIMIT_MS", "1000"))
PATIENCE = 120  # seconds until something that is waited for counts as not coming
NEVER_AGAIN = "never again: "  # before what only wrong code brings about (README.md)
EXACT = bool(os.environ.get("EXACT"))  # set on quiet machines: figures are compared closely


def read(path):
    return pathlib.Path(path).read_text(encoding="utf-8", errors="replace")


def write(path, text):
    pathlib.Path(path).write_text(str(text), encoding="ascii")


def wait_until(seconds, sentence, condition):
    """Until condition() is true, and returns that; sentence says what it is, or is a function that does."""
    __tracebackhide__ = True
    end = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {sentence if isinstance(sentence, str) else sentence()}")
        time.sleep(0.1)
    return found


def result_of(*command, **options):
    """The command's exit status and output, standard error with it."""
    return subprocess.run(list(map(str, command)), check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", **options)


def run(*command, status=0, **options):
    """The command's output; its exit status is as wanted."""
    result = result_of(*command, **options)
    assert result.returncode == status, f"{result.args}: {result.stdout}"
    return result.stdout


def status():
    """The module's numbers, by name; those it does not have are 0."""
    words = (line.split() for line in run("uwind", "status").splitlines())
    return collections.Counter({pair[0]: int(pair[1]) for pair in words if len(pair) == 2 and pair[1].isdigit()})


def wait_for_requests(number, seconds=PATIENCE):
    """Until so many more stacks have been asked for."""
    wanted = status()["requested"] + number
    wait_until(seconds, lambda: f"{wanted} stacks are asked for: {status()}", lambda: status()["requested"] >= wanted)


def wait_for_tables(*files):
    wait_until(PATIENCE, lambda: f"{files} have tables: {run('uwind', 'list')}", lambda: has_tables(files))


def has_tables(files):
    listed = run("uwind", "list")
    return all(f"/{file}" in listed for file in files)


def wait_for_no_tables():
    wait_until(PATIENCE, lambda: f"nobody leaves tables: {run('uwind', 'list')}", lambda: not status()["tables"])


def parameter(name):
    return PARAMETERS / name


def module_file():
    return pathlib.Path("/lib/modules", os.uname().release, "extra/uwind.ko")


def is_loaded():
    return os.path.exists("/sys/module/uwind/initstate")


def insert_module():
    """With what stays in the kernel, unless that is there."""
    for resident in module_file().parent.glob("uwind_resident*.ko"):
        if not os.path.exists(f"/sys/module/{resident.stem}"):
            run("insmod", resident)
    if not is_loaded():
        run("insmod", module_file())
    wait_until(PATIENCE, "/dev/uwind is there", pathlib.Path("/dev/uwind").is_char_device)


def remove_module():
    """As rmmod does, within RMMOD_LIMIT_MS. Returns the milliseconds until the kernel had removed the module."""
    took = int(run(sys.executable, CASES / "remove_module.py"))
    assert took < RMMOD_LIMIT_MS
    return took


def renew_module(when):
    print(f"rmmod took {remove_module()} ms {when}", flush=True)
    insert_module()


class Programs:
    """What a test has started; it ends with the test."""

    def __init__(self):
        self.running = []

    def start(self, *command, **options):
        """In the background."""
        process = subprocess.Popen(list(map(str, command)), **options)
        self.running.append(process)
        return process

    def victim(self, name, *arguments, **options):
        """One of the tests' programs, or a copy that has a folder in its name: it works, and others come first."""
        program = name if "/" in str(name) else PROGRAMS / name
        return self.start("nice", program, *(arguments or [3600]), **options)

    def kill(self):
        for process in self.running:
            process.kill()
        for process in self.running:
            process.wait()
        self.running.clear()


def end(process, why=""):
    """Asks it to end, and it ends well."""
    process.terminate()
    assert process.wait() == 0, why() if callable(why) else why


def kill(process):
    process.kill()
    process.wait()


def halt(process):
    """It has stopped when this returns."""
    process.send_signal(signal.SIGSTOP)
    wait_until(PATIENCE, f"{process.args} stops",
               lambda: re.search(r"^State:\s+T", read(f"/proc/{process.pid}/status"), re.MULTILINE))


def go_on(process):
    process.send_signal(signal.SIGCONT)


def checked_report(path):
    """A report is as documented, and has each request's answer or loss."""
    report = Report(path)
    assert report.problems() == []
    books = f"{report.requested} requests, {report.accounted} answered or lost: {dict(report.lost)}"
    assert report.requested == report.accounted, NEVER_AGAIN + books
    return report


class Recording:
    """uwind record NAME.json in the background."""

    def __init__(self, programs, name, *options, prefix=()):
        self.name, self.path, self.log_path = name, f"{name}.json", f"{name}.log"
        with open(self.log_path, "w", encoding="utf-8") as log:
            self.process = programs.start(*prefix, "uwind", "record", "-v", *options, "--duration", 3600, "-o", self.path,
                                          stdout=log, stderr=log)
        self.pid = self.process.pid

    def log(self):
        return read(self.log_path)

    def wait_begun(self, seconds=PATIENCE):
        """Its tables are there, and it samples."""
        wait_until(seconds, lambda: f"{self.name} samples: {self.log()}", lambda: "sampling has begun" in self.log())
        return self

    def end(self):
        """Its report."""
        self.process.terminate()
        return self.finish()

    def finish(self):
        """Its report, when it has been asked to end."""
        assert self.process.wait() == 0, self.log()
        print(f"{self.name}, at {int(float(read('/proc/uptime').split()[0]))} s: {self.log().splitlines()[-1]}", flush=True)
        return checked_report(self.path)


def end_all(*recordings):
    """Their reports, all of them ended at about the same time."""
    for recording in recordings:
        recording.process.terminate()
    return [recording.finish() for recording in recordings]
