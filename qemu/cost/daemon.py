#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What uwindd costs at its defaults, beside a guest's processes: its processor time, what naming took of that, its memory.

Usage: daemon.py NAME=VALUE..., keys of the figure. In a guest whose time counts its instructions, four nanoseconds each.
Environment: PROCESSES (2000), MEASURED_S (600)
"""
import json
import os
import pathlib
import re
import resource
import select
import subprocess
import sys
import time

PROCESSES = int(os.environ.get("PROCESSES", "2000"))
MEASURED_S = int(os.environ.get("MEASURED_S", "600"))
SETTLED_S = 30  # in which all that runs is found
AT_ONCE = 4     # at work; the others wait for a line
SHORT_EACH_S = 1
NS_PER_INSTRUCTION = 4
PATIENCE_S = 120
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
REPORTS = pathlib.Path("/tmp/reports")
NAMING = re.compile(r"(\d+) ms of it to name")

# Each works for some milliseconds when a line arrives, and answers with one. Of 20: so many are of the kind.
KINDS = [
    (12, ["dash", "-c", "f() { i=0; while [ $i -lt 400 ]; do i=$((i + 1)); done; }; while read -r x; do f; echo; done"]),
    (3, ["bash", "-c", "f() { for ((i = 0; i < 200; i++)); do :; done; }; while read -r x; do f; echo; done"]),
    (3, ["perl", "-e", "$| = 1; sub f { my $s = 0; $s += length($_ x 3) for 1..4000; $s } while (<>) { f(); print qq(\\n) }"]),
    (1, ["gawk", "function f(i, s) { for (i = 0; i < 6000; i++) s = s + i % 7; return s } { f(); print \"\"; fflush() }"]),
    (1, ["python3", "-c", "import sys\ndef f(): return sum(len(str(i)) for i in range(2000))\n"
                          "for _ in sys.stdin: f(); print(flush=True)"]),
]
SHORT = [["ls", "-lR", "/etc"], ["grep", "-rc", "a", "/etc/default"], ["xz", "-1kc", "/bin/dash"],
         ["openssl", "dgst", "-sha256", "/bin/bash"], ["sqlite3", ":memory:", "select sum(length(hex(randomblob(50)))) from "
                                                       "(with n(x) as (select 1 union all select x + 1 from n where x < 2000) select x from n)"]]


class Crowd:
    """Processes that work in turn: so many at once that the processor always has something to do."""

    def __init__(self, number):
        self.answers, answer = os.pipe()
        self.next, self.asked, self.short = 0, 0, None
        commands = [command for share, command in KINDS for _ in range(share)]
        self.members = [subprocess.Popen(commands[i % len(commands)], stdin=subprocess.PIPE, stdout=answer, bufsize=0)
                        for i in range(number)]

    def ask(self):
        self.members[self.next].stdin.write(b"\n")
        self.next = (self.next + 7) % len(self.members)  # has no factor of 2,000: all kinds, in turn
        self.asked += 1

    def start_short(self):
        """The one before has had its time."""
        if self.short:
            self.short.wait()
        command = SHORT[int(time.monotonic()) % len(SHORT)]
        self.short = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def work_for(self, seconds):
        end = time.monotonic() + seconds
        due = time.monotonic()
        for _ in range(AT_ONCE):
            self.ask()
        while time.monotonic() < end:
            for _ in self.answered():
                self.asked -= 1
                self.ask()
            if time.monotonic() >= due:
                due += SHORT_EACH_S
                self.start_short()
        while self.asked:
            self.asked -= len(self.answered())

    def answered(self):
        if not select.select([self.answers], [], [], PATIENCE_S)[0]:
            raise SystemExit(f"nobody has answered for {PATIENCE_S} s")
        return os.read(self.answers, AT_ONCE)

    def end(self):
        for member in self.members:
            member.stdin.close()
        for process in [*self.members, self.short]:
            process.wait()


def processor_s(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def status_mib(pid, key):
    text = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(re.search(rf"^{key}:\s+(\d+) kB", text, re.M).group(1)) / 1024


def begin_service():
    log = open("/tmp/uwindd.log", "w", encoding="utf-8")
    return subprocess.Popen(["uwindd", "--verbose", "--dir", REPORTS], stdout=log, stderr=log)


def naming_ms_in(log):
    """Milliseconds to name and write the reports of a part of its log."""
    costs = list(map(int, NAMING.findall(log)))
    assert len(costs) >= MEASURED_S // 10 - 2, f"{len(costs)} reports:\n{log[-2000:]}"
    return sum(costs)


def log_text():
    return pathlib.Path("/tmp/uwindd.log").read_text(encoding="utf-8")


def samples_since(number):
    """In the reports but the first so many: samples, complete ones, processes that were sampled."""
    samples = complete = 0
    sampled = set()
    for path in sorted(REPORTS.glob("*.json"))[number:]:
        report = json.loads(path.read_text(encoding="utf-8"))
        samples += len(report["samples"])
        stacks = [sample["user_stack"] for sample in report["samples"] if sample["user_stack"] is not None]
        complete += sum(report["stacks"][stack]["complete"] for stack in stacks)
        sampled |= {report["processes"][sample["process"]]["pid"] for sample in report["samples"]}
    return samples, complete, len(sampled)


def measure(service, crowd):
    begun, spent, said, before = time.monotonic(), processor_s(service.pid), len(log_text()), len(list(REPORTS.glob("*.json")))
    crowd.work_for(MEASURED_S)
    seconds, spent = time.monotonic() - begun, processor_s(service.pid) - spent
    naming_s = naming_ms_in(log_text()[said:]) / 1000
    samples, complete, sampled = samples_since(before)
    return {"seconds": round(seconds), "samples": samples, "complete": complete, "sampled": sampled,
            "percent": round(100 * (spent - naming_s) / seconds, 2), "naming_percent": round(100 * naming_s / seconds, 2),
            "per_sample": round((spent - naming_s) * 1e9 / NS_PER_INSTRUCTION / samples),
            "naming_per_sample": round(naming_s * 1e9 / NS_PER_INSTRUCTION / samples),
            "rss_mib": round(status_mib(service.pid, "VmRSS")), "peak_mib": round(status_mib(service.pid, "VmHWM"))}


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (2 * PROCESSES + 1000,) * 2)
    crowd = Crowd(PROCESSES)
    crowd.work_for(SETTLED_S)
    service = begin_service()
    try:
        crowd.work_for(SETTLED_S)
        begin_s = processor_s(service.pid)
        figures = {"processes": PROCESSES, **measure(service, crowd), "begin_s": begin_s}
    finally:
        service.terminate()
        service.wait(PATIENCE_S)
    crowd.end()
    print("figure: daemon", *sys.argv[1:], *(f"{name}={value}" for name, value in figures.items()), flush=True)
    assert service.returncode == 0, log_text()[-2000:]


main()
