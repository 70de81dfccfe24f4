# SPDX-License-Identifier: GPL-2.0
"""What it costs to sample real programs, each with a fixed amount of work, by uwind and by perf: a record a line on stdout.

Usage: workloads.py [PROGRAM,... [HZ,...]]      in a guest whose time counts its instructions
"""
import json
import os
import subprocess
import sys
import time

from profilers import known_profilers
from programs import FOLDER, PROGRAMS

RATES = ("99", "999", "4999")
NOTHING = "no profiler"


def record(program, hz, of, unit, value):
    figure = {"group": "workloads", "program": program.name, "rate": f"{hz} Hz", "of": of, "unit": unit, "samples": [round(value, 6)]}
    print(json.dumps(figure), flush=True)


# Static: perf 6.1 seems to take a library's place for the one that it had before exec(), and then finds no stack through it.
WAITING = ["/bin/busybox", "sh", "-c", 'read -r word; exec "$@"', "sh"]


class Work:
    """A command that waits, in the process that it will have."""

    def __init__(self, command):
        self.process = subprocess.Popen([*WAITING, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def run(self):
        """What it says, and its seconds. It is not waited for: its profiler may want to look at it."""
        begun = time.monotonic()
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        said = self.process.stdout.read()
        ended = os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        if ended.si_status:
            raise SystemExit(f"the work failed with {ended.si_status}: {said[-2000:]}")
        return said, time.monotonic() - begun

    def end(self):
        self.process.communicate()


def measure(program, profiler, hz):
    """Seconds of the work, and the profiler's figures by unit."""
    program.begin()
    work = Work(program.command())
    if profiler:
        profiler.start((program.server or work.process).pid, hz)
    said, seconds = work.run()
    figures = profiler.stop() if profiler else {}
    work.end()
    program.end()
    if profiler:
        figures.update(profiler.found())
    return program.seconds_of(said, seconds), figures


def tell(program, hz, profiler, plain):
    seconds, figures = measure(program, profiler, hz)
    record(program, hz, profiler.name, "times as long", seconds / plain)
    for unit, value in figures.items():
        record(program, hz, profiler.name, unit, value)
    whole = sum(value for unit, value in figures.items() if unit.startswith("ms of"))
    record(program, hz, profiler.name, "ms of the profiler", whole)


def main(programs=",".join(PROGRAMS), rates=",".join(RATES)):
    os.makedirs(FOLDER, exist_ok=True)
    # So that the work's end is noticed before its profiler does.
    os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    profilers = list(known_profilers())
    for program in (PROGRAMS[name] for name in programs.split(",")):
        program.prepare()
        measure(program, None, None)
        measure(program, profilers[0], "99")
        plain, _ = measure(program, None, None)
        for hz in rates.split(","):
            record(program, hz, NOTHING, "seconds of the work", plain)
            for profiler in profilers:
                tell(program, hz, profiler, plain)
        print(f"{program.name}: done after {time.monotonic():.0f} s of guest time", file=sys.stderr)


main(*sys.argv[1:])
