# SPDX-License-Identifier: GPL-2.0
"""Profilers, each beside the same work: what they find, write and take. Standard library only."""
import json
import os
import re
import signal
import subprocess
import sys
import time

import stacks

FOLDER = "/tmp/bench"


def cpu_ms(process):
    """Of all its threads until now; it may have ended, but not been waited for."""
    return 1000 * time.clock_gettime((~process.pid << 3) | 2)


def wait_ms(process):
    """Its processor time, and that of the children that it has waited for."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return 1000 * (usage.ru_utime + usage.ru_stime)


class Recording:
    """Of a process and its children from now on: begins with start(), and ends with stop()."""

    output = f"{FOLDER}/recording"

    def start(self, pid, hz):
        self.process = self.begin(pid, hz)
        self.before = cpu_ms(self.process)

    def end(self):
        """Its milliseconds from its beginning to its end."""
        self.process.send_signal(signal.SIGINT)
        took = wait_ms(self.process)
        self.check()
        return took

    def stop(self):
        """The profiler's milliseconds before, during and after the work."""
        during = cpu_ms(self.process)
        whole = self.end()
        times = {"before": self.before, "during": during - self.before, "after": whole - during + self.afterwards()}
        return {f"ms of the profiler {when} the work": took for when, took in times.items()}

    def known(self):
        """Why this machine does not have it, or None."""

    def check(self):
        """Of how it has ended."""

    def afterwards(self):
        """Milliseconds of what it takes to have the stacks."""
        return 0.0


class Uwind(Recording):
    name = "uwind"

    def begin(self, pid, hz):
        """Tables are kept by the recording before the first that counts."""
        self.log = f"{FOLDER}/uwind.log"
        with open(self.log, "w", encoding="utf-8") as log:
            process = subprocess.Popen(["uwind", "record", "-v", "-F", str(hz), "-p", str(pid), "-o", self.output], stderr=log)
        while "sampling has begun" not in self.said():
            if process.poll() is not None:
                raise SystemExit(f"uwind ended before it began: {self.said()}")
            time.sleep(0.05)
        return process

    def said(self):
        with open(self.log, encoding="utf-8") as log:
            return log.read()

    def check(self):
        if self.process.returncode:
            raise SystemExit(f"uwind ended with {self.process.returncode}: {self.said()}")

    def found(self):
        return stacks.of_uwind(self.output)

    def counted(self):
        """Samples, and those that are lost or were not taken."""
        with open(self.output, encoding="utf-8") as file:
            counters = json.load(file)["counters"]
        lost = sum(number for cause, number in counters["lost"].items() if cause != "pending")
        return counters["answered"], lost + counters["periods_missed"]


class Perf(Recording):
    """What it has ended with is of no interest: a signal has ended it."""

    def __init__(self, *graph):
        self.graph = graph
        self.name = "perf fp" if graph == ("-g",) else f"perf {graph[-1]}"

    def begin(self, pid, hz):
        """It says when it has begun."""
        (commands, tell), (hear, answers) = os.pipe(), os.pipe()
        command = ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(hz), *self.graph, "-p", str(pid), "-o", self.output,
                   "-D", "-1", f"--control=fd:{commands},{answers}"]
        process = subprocess.Popen(command, pass_fds=(commands, answers), stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        os.write(tell, b"enable\n")
        if not os.read(hear, 16).startswith(b"ack"):
            raise SystemExit(f"'{' '.join(command)}' did not begin")
        self.pipes = (tell, hear)
        return process

    def check(self):
        for pipe in self.pipes:
            os.close(pipe)

    def afterwards(self):
        with open(self.output + ".txt", "wb") as text:
            script = subprocess.Popen(["perf", "script", "--no-inline", "-i", self.output, "-F", "pid,event,ip,sym,dso", "--show-lost-events"], stdout=text,
                                      stderr=subprocess.DEVNULL)
            took = wait_ms(script)
        if script.returncode:
            raise SystemExit(f"perf script failed with {script.returncode}")
        return took

    def found(self):
        found = stacks.of_perf(self.output + ".txt")
        found["bytes per sample"] = os.path.getsize(self.output) / max(found["samples"], 1)
        os.remove(self.output + ".txt")
        return found

    def counted(self):
        text = subprocess.run(["perf", "report", "--stats", "-i", self.output], capture_output=True, text=True, check=True).stdout
        numbers = {name: int(number) for name, number in re.findall(r"^\s*(\w+) events:\s+(\d+)", text, re.MULTILINE)}
        return numbers.get("SAMPLE", 0), numbers.get("LOST", 0) + numbers.get("LOST_SAMPLES", 0) + numbers.get("THROTTLE", 0)

    def known(self):
        """An older perf takes 'fp,defer' for 'fp'."""
        done = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", *self.graph, "-o", self.output, "true"], capture_output=True,
                              text=True, check=False)
        if done.returncode:
            return (done.stderr.strip() or "it failed").splitlines()[0]
        events = subprocess.run(["perf", "evlist", "-v", "-i", self.output], capture_output=True, text=True, check=True).stdout
        return "this perf does not know it" if "defer" in self.graph[-1] and "defer" not in events else None


PROFILERS = [Uwind(), Perf("-g"), Perf("--call-graph", "dwarf,8192"), Perf("--call-graph", "dwarf,65528"), Perf("--call-graph", "fp,defer")]


def known_profilers():
    for profiler in PROFILERS:
        reason = profiler.known()
        if reason:
            print(f"left out: {profiler.name}: {reason}", file=sys.stderr)
        else:
            yield profiler
