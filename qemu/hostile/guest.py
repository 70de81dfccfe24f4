#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What a hostile user costs others, in a guest as root, as lines of a table: beside nobody, beside the same cgroup with plain
work, forks and mappings, and beside a user who goes for every limit of the module. Says what is not so, and fails then.

Usage: guest.py stranger|member SECONDS     beside that user; beside the others a fifth, and at least 15
"""
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

PROGRAMS = "/root/programs/"
CGROUPS = "/sys/fs/cgroup/"
USER = 61001
FOLDER = "/tmp/hostile"
LIMITS = {"cpu.max": "50000 100000", "memory.max": str(256 << 20), "pids.max": "2400"}

LEAST_WORK = 0.85  # of what others do beside plain work
MOST_MEDIAN = 2.0  # times the median beside plain work or nobody, whichever is more
MOST_LATE = 3.0  # and what 99.9 % wait at most, or so many us
LATE_US = 1000
MOST_WORST = 3.0  # and the worst, or so many us: beside plain work fork took 22,000 once, and 1,600 in another run
WORST_US = 10000
# A kernel that preempts its own code stops tasks while they fork and hold the lock of a library: the worst is chance there.
PREEMPT_MODE = "/sys/kernel/debug/sched/preempt"
# docs/limits.md: what is not charged to the cgroup is messages (4 MiB of each of four sessions), open requests, files and
# spaces, all of which walks make; and what the kernel has not yet given back of processes that ended.
OUTSIDE_MIB = 32
# A kernel with KASAN, lockdep and kmemleak keeps what is freed for a while, and checks most of it outside of the cgroup's time:
# there, what counts is that it has nothing to report. It preempts tasks in RCU's read sections; in a cgroup that has used its
# time up they would hold a grace period up for so long that what waits to be freed fills the memory. So this one has time.
CHECKS_ITSELF = os.path.exists("/sys/kernel/debug/kmemleak")
SLOWER_LIMITS = {"cpu.max": "max 100000"}
HUNG_S = 600
STALL_S = 300
MAX_FILES = 1024  # of which an eighth is one user's
# Lower than usual, so that a slow machine meets them in a short run.
PARAMETERS = {"max_files": MAX_FILES, "self_quota_tables": 128, "self_quota_kib": 6144, "member_quota_kib": 12288,
              "range_quota": 16384}
SLOWER_PARAMETERS = {"max_files": MAX_FILES // 8, "self_quota_tables": 16, "self_quota_kib": 768, "member_quota_kib": 1536,
                     "range_quota": 2048}
ROOTS_FILES = 200
LEFT_MIB = 16  # of the kernel's own caches
LOG_LINES = 11  # in five seconds, with the kernel's own about those it has left out

# Which refusal each kind of call must have met, and what uwind status must count.
MET = {
    "stranger": ["open EACCES", "small-section EDQUOT", "large-section EDQUOT", "input EDQUOT", "late-section EFBIG",
                 "broken-section EBADMSG"],
    "member": ["small-section EDQUOT", "large-section EDQUOT", "input EDQUOT", "late-section EFBIG",
               "broken-section EBADMSG", "session EBUSY", "rate EINVAL", "ask-one EAGAIN", "ask EDQUOT", "tie ENOSPC",
               "table EDQUOT", "bind ENOSPC", "bind EDQUOT"],
}
COUNTED = {"stranger": ["sections_refused", "files_refused", "children_missed"],
           "member": ["sections_refused", "files_refused", "children_missed", "counters_failed"]}

ROW_NAMES = {"plain": "plain work", "stranger": "the stranger", "member": "the member"}
CALLS = ("mmap", "fork", "exec")

bad = []


def want(good, sentence):
    if not good:
        bad.append(sentence)
        print("not so: " + sentence, flush=True)


def read(path):
    with open(path, encoding="ascii") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def preempts():
    """Whether this kernel preempts its own code."""
    if os.path.exists(PREEMPT_MODE):
        return "(full)" in read(PREEMPT_MODE) or "(lazy)" in read(PREEMPT_MODE)
    return " PREEMPT" in os.uname().version


def status():
    lines = subprocess.run(["uwind", "status"], check=True, capture_output=True, text=True).stdout.splitlines()
    return {key: int(value) for key, value in (line.split(None, 1) for line in lines) if value.isdigit()}


def available():
    """In bytes, with the free pages on the processors' own lists: tens of megabytes that MemAvailable leaves out."""
    listed = sum(int(count) for count in re.findall(r"^ +count: +(\d+)$", read("/proc/zoneinfo"), re.MULTILINE))
    return (int(re.search(r"MemAvailable: *(\d+)", read("/proc/meminfo")).group(1)) << 10) + listed * resource.getpagesize()


def settled_memory():
    """Available bytes, when what can be given back is."""
    time.sleep(2)
    write("/proc/sys/vm/drop_caches", "3")
    time.sleep(1)
    return available()


def last_log_line():
    """The kernel numbers its messages."""
    number, fd = 0, os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    try:
        while True:
            try:
                number = int(os.read(fd, 8192).split(b",")[1])
            except BrokenPipeError:
                pass
    except BlockingIOError:
        return number
    finally:
        os.close(fd)


class Cgroup:
    def __init__(self, name, limits):
        self.path = CGROUPS + name + "/"
        os.mkdir(self.path)
        for limit, value in limits.items():
            write(self.path + limit, value)

    def start(self, command, **options):
        """Its first process may not be chosen when the cgroup is out of memory."""
        def enter():
            write(self.path + "cgroup.procs", "0")
            write("/proc/self/oom_score_adj", "-1000")
        return subprocess.Popen(command, preexec_fn=enter, text=True, **options)

    def memory(self):
        return int(read(self.path + "memory.current"))

    def cpu_seconds(self):
        return int(re.search(r"usage_usec (\d+)", read(self.path + "cpu.stat")).group(1)) / 1e6

    def end(self):
        write(self.path + "cgroup.kill", "1")
        for _ in range(600):
            if "populated 0" in read(self.path + "cgroup.events"):
                break
            time.sleep(0.1)
        for _ in range(100):
            try:
                os.rmdir(self.path)
                return
            except OSError:
                time.sleep(0.1)
        want(False, f"the cgroup {self.path} ends")


class Recorder:
    """Root samples everything, as a service would: walks are what makes most things grow."""
    def __init__(self):
        self.cgroup = Cgroup("recorder", {})
        with open("/tmp/recorder.log", "w", encoding="utf-8") as log:
            self.process = self.cgroup.start(["uwind", "record", "-v", "-a", "-F", "499", "-o", "/tmp/recorder.json",
                                              "--duration", "100000"], stdout=log, stderr=log)
        for _ in range(600):
            if "sampling has begun" in read("/tmp/recorder.log"):
                return
            time.sleep(0.1)
        sys.exit("guest.py: the recorder does not begin: " + read("/tmp/recorder.log"))

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        want(self.process.wait() == 0, "the recorder ends well: " + read("/tmp/recorder.log"))
        self.cgroup.end()


class Beside:
    """What others measure beside one cgroup, or none."""
    def __init__(self, who, seconds, recorder):
        self.who, self.seconds = who, seconds
        base, line, used = available() + recorder.cgroup.memory(), last_log_line(), recorder.cgroup.cpu_seconds()
        cgroup = Cgroup("hostile", LIMITS | (SLOWER_LIMITS if CHECKS_ITSELF else {})) if who != "nobody" else None
        hostile = self.start_hostile(cgroup) if cgroup else None
        others = [subprocess.Popen([PROGRAMS + "bystander"] + arguments, stdout=subprocess.PIPE, text=True)
                  for arguments in (["worker", str(seconds)], [str(seconds), "100"])]
        self.outside, self.inside = 0, 0
        while others[0].poll() is None or others[1].poll() is None:
            time.sleep(1)
            inside = cgroup.memory() if cgroup else 0
            self.inside = max(self.inside, inside)
            self.outside = max(self.outside, base - available() - inside - recorder.cgroup.memory())
        self.work = sum(float(number) for number in others[0].stdout.read().split())
        self.latency = re.findall(r"(\w+): worst (\d+) us, 99.9 % (\d+) us, median (\d+) us", others[1].stdout.read())
        self.lines = last_log_line() - line
        self.recorder = (recorder.cgroup.cpu_seconds() - used) / seconds
        self.cpu = cgroup.cpu_seconds() / seconds if cgroup else 0
        self.refusals = self.end_hostile(hostile) if hostile else []
        if cgroup:
            cgroup.end()
        want(len(self.latency) == len(CALLS) and self.work > 0, f"others measure beside {who}")

    def start_hostile(self, cgroup):
        return cgroup.start(["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "./hostile", self.who],
                            stdout=subprocess.PIPE, cwd=FOLDER)

    def end_hostile(self, hostile):
        """What it counted, a line for each kind of call."""
        hostile.send_signal(signal.SIGUSR1)
        lines = []
        while not lines or not lines[-1].startswith("bind"):
            lines.append(hostile.stdout.readline())
            if not lines[-1]:
                want(False, f"the {self.who} lives to the end")
                break
        return [line.split() for line in lines]

    def counted(self, call, result):
        for name, *counts in self.refusals:
            if name == call:
                return int(dict(zip(counts[::2], counts[1::2])).get(result, 0))
        return 0

    def waits(self, which):
        """In us, by call. which: 0 the worst, 1 of 99.9 %, 2 the median."""
        return {name: int(waits[which]) for name, *waits in self.latency}

    def row(self, control):
        times = " | ".join(f"{worst} | {late} | {median}" for _, worst, late, median in self.latency)
        work = 100 * self.work / control.work
        return (f"| {ROW_NAMES.get(self.who, self.who)} | {self.seconds} | {work:.1f} | {times} | "
                f"{self.cpu:.2f} | {self.recorder:.2f} | {self.inside >> 20} | {self.outside >> 20} | {self.lines * 60 / self.seconds:.0f} |")


def judge_waits(nobody, control, hostile, which, most, most_us):
    for name, wait in hostile.waits(which).items():
        usual = max(beside.waits(which)[name] for beside in (nobody, control))
        want(wait <= max(most * usual, most_us),
             f"others do not wait for it in {name}: {('worst', '99.9 %', 'median')[which]} {wait} us, not {usual}")


def judge_cost(nobody, control, hostile):
    want(hostile.work >= LEAST_WORK * control.work, f"others get their work done: {hostile.work / control.work:.1%} of it")
    judge_waits(nobody, control, hostile, 2, MOST_MEDIAN, 0)
    judge_waits(nobody, control, hostile, 1, MOST_LATE, LATE_US)
    if not preempts():
        judge_waits(nobody, control, hostile, 0, MOST_WORST, WORST_US)
    usual = max(nobody.outside, control.outside)
    want(hostile.outside <= usual + (OUTSIDE_MIB << 20), f"memory is charged: {hostile.outside >> 20} MiB are not")


def judge_refusals(hostile, before, after):
    """A kernel that checks itself is too slow for all of them to be met in the time."""
    missing = [f"it met {met}" for met in MET[hostile.who] if not hostile.counted(*met.split())]
    missing += [f"{name} is counted" for name in COUNTED[hostile.who] if after[name] <= before[name]]
    if CHECKS_ITSELF and len(missing) <= len(MET[hostile.who]) / 2:
        print("note: not in this time: " + ", ".join(missing))
        return
    for sentence in missing:
        want(False, sentence)


def judge(nobody, control, hostile, before, after):
    if not CHECKS_ITSELF:
        judge_cost(nobody, control, hostile)
    want(hostile.lines <= LOG_LINES * (hostile.seconds / 5 + 2), f"the log is not flooded: {hostile.lines} lines")
    judge_refusals(hostile, before, after)
    for call, *counts in hostile.refusals:
        if counts:
            print(f"| {call} | " + ", ".join(f"{a} {b}" for a, b in zip(counts[::2], counts[1::2])) + " |")
    print("| uwind status | " + ", ".join(f"{name} {after[name] - before[name]}" for name in COUNTED[hostile.who]) + " |", flush=True)


def nothing_is_left(memory):
    """Of the users, and of the recorder, before and after the module is gone."""
    for _ in range(300):
        now = status()
        left = {name: now[name] for name in ("tables", "table_bytes", "sessions", "requests_open") if now[name]}
        if now["spaces"] > 60:  # of those who live
            left["spaces"] = now["spaces"]
        if not left:
            break
        time.sleep(0.1)
    want(not left, f"nothing is left of it: {left}")
    want(now["files"] <= MAX_FILES // 8 + ROOTS_FILES, f"files that nobody maps go: {now['files']} are left")
    took = subprocess.run(["python3", "/root/hostile/remove_module.py"], check=False, capture_output=True, text=True)
    want(took.returncode == 0 and int(took.stdout) < 1000, f"the module goes within a second: {took.stdout}{took.stderr}")
    shutil.rmtree(FOLDER)
    os.remove("/tmp/recorder.json")
    lost = memory - settled_memory()
    print(f"| afterwards | files {now['files']}, spaces {now['spaces']}, memory {lost >> 10} KiB |")
    print(f"figure: hostile_rmmod rmmod={took.stdout.strip()}", flush=True)
    want(CHECKS_ITSELF or lost < LEFT_MIB << 20, f"memory comes back: {lost >> 10} KiB do not")


def main():
    who, seconds = sys.argv[1], int(sys.argv[2])
    write(CGROUPS + "cgroup.subtree_control", "+cpu +memory +pids")
    memory = settled_memory()
    parameters = PARAMETERS
    if CHECKS_ITSELF:
        parameters = PARAMETERS | SLOWER_PARAMETERS
        write("/proc/sys/kernel/hung_task_timeout_secs", str(HUNG_S))
        write("/sys/module/rcupdate/parameters/rcu_cpu_stall_timeout", str(STALL_S))
    for name, value in parameters.items():
        write("/sys/module/uwind/parameters/" + name, str(value))
    os.mkdir(FOLDER)
    for program in ("hostile", "lives_victim"):
        shutil.copy(PROGRAMS + program, FOLDER)
    if who == "member":
        os.chown("/dev/uwind", 0, USER)
        os.chmod("/dev/uwind", 0o660)
    recorder = Recorder()
    rows = [Beside(name, max(15, seconds // 5), recorder) for name in ("nobody", "plain")]
    before = status()
    rows.append(Beside(who, seconds, recorder))
    after = status()
    recorder.end()
    print(f"{os.uname().release}: {who}; times in us, memory in MiB")
    print("| beside | seconds | others' work, % | " + " | ".join(f"{call} worst | 99.9 % | median" for call in CALLS) +
          " | CPUs used inside | by the recorder | memory inside | outside | log lines a minute |")
    print("|" + "---|" * 17)
    for row in rows:
        print(row.row(rows[1]))
    judge(*rows, before, after)
    nothing_is_left(memory)
    sys.exit(bool(bad))


main()
