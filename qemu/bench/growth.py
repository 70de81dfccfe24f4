# SPDX-License-Identifier: GPL-2.0
"""What grows with registered ranges, processes and files in the kernel, while registrations go on: a record a line on stdout.

Usage: growth.py [PART]...      in a guest whose time counts its instructions, with one processor
"""
import json
import os
import re
import statistics
import subprocess
import sys
import time

from profilers import Uwind
from programs import FOLDER

GROWTH = "/root/programs/growth"
TRACING = "/sys/kernel/tracing"
EXTRA = f"/lib/modules/{os.uname().release}/extra"
LINE = re.compile(r"([0-9.]+) us +\| +(\w+)")
EMPTY = "uw_request_suits"  # a function that does next to nothing: what the tracer itself adds
MOST = 4000  # ranges of a process, of the 4,096 that it may have: some are left for registrations that go on
PARAMETERS = {"self_quota_tables": 8192, "self_quota_kib": 262144, "member_quota_kib": 524288, "range_quota": 4000000,
              "space_quota": 30000, "table_budget_mib": 4096}
FORKS, SAMPLED_HZ, SAMPLED_S, FOREVER = 200, 1999, 0.25, 100000


def record(of, unit, value, **key):
    print(json.dumps({"group": "growth", **key, "of": of, "unit": unit, "samples": [round(value, 3)]}), flush=True)


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(str(text))


def set_parameters(**more):
    for name, value in {**PARAMETERS, **more}.items():
        write(f"/sys/module/uwind/parameters/{name}", value)


def remove_module():
    """Milliseconds of it."""
    begun = time.monotonic()
    subprocess.run(["rmmod", "uwind"], check=True)
    return 1000 * (time.monotonic() - begun)


def insert_module():
    subprocess.run(["insmod", f"{EXTRA}/uwind.ko"], check=True)
    set_parameters()


class Crowd:
    """Processes with ranges; once it is there, all have registered or inherited them."""

    def __init__(self, ranges, processes, verb, number=FOREVER):
        self.process = subprocess.Popen([GROWTH, str(ranges), str(processes), verb, str(number)], stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise SystemExit(f"{GROWTH} {ranges} {processes} {verb} did not begin")

    def __enter__(self):
        time.sleep(0.2)
        return self

    def __exit__(self, *_):
        """Its children end with it."""
        self.process.kill()
        self.process.wait()
        time.sleep(0.5)


def traced(function, pid):
    """The median of a call's instructions while the process is sampled, the tracer's own share among them."""
    write(f"{TRACING}/set_ftrace_filter", function)
    write(f"{TRACING}/current_tracer", "function_graph")
    write(f"{TRACING}/trace", "")
    recording = Uwind()
    recording.start(pid, SAMPLED_HZ)
    write(f"{TRACING}/tracing_on", 1)
    time.sleep(SAMPLED_S)
    write(f"{TRACING}/tracing_on", 0)
    recording.stop()
    with open(f"{TRACING}/trace", encoding="ascii", errors="replace") as trace:
        found = [float(match[1]) * 1000 for match in map(LINE.search, trace) if match and match[2] == function]
    write(f"{TRACING}/current_tracer", "nop")
    if not found:
        raise SystemExit(f"{function} was never called")
    return statistics.median(found)


def lookups():
    """Of walks that remember no step, so that each frame is looked up."""
    set_parameters(step_cache="N", trails="N")
    series = {
        "ranges of a process": [(nr, nr, 1) for nr in (1, 10, 100, 1000, MOST)],
        "ranges of all processes": [(nr, min(nr, MOST), -(-nr // MOST)) for nr in (1000, 100000, 1000000)],
        "processes": [(nr, 1, nr) for nr in (1, 10, 100, 1000, 10000)],
    }
    with Crowd(1, 1, "work") as crowd:
        own = traced(EMPTY, crowd.process.pid)
    for of, steps in series.items():
        smallest = None
        for nr, ranges, processes in steps:
            with Crowd(ranges, processes, "work") as crowd:
                took = traced("request_walk", crowd.process.pid) - own
            smallest = smallest or took
            record("uwind", "instructions of a walk", took, **{"in": of, "nr": str(nr)})
            record("the smallest", "instructions of a walk", smallest, **{"in": of, "nr": str(nr)})
    print(f"growth: a process may have 4,096 ranges: the series goes on with {MOST} in each of several processes", file=sys.stderr)
    set_parameters(step_cache="Y", trails="Y")


def fork_us(ranges):
    """The median. A child inherits its ranges as it begins to run, so its life is measured, too."""
    done = subprocess.run([GROWTH, str(ranges), "1", "fork", str(FORKS)], check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1]) / 1000


def forks():
    for ranges in (1, 500, MOST):
        key = {"in": "a fork and its child's end, by ranges", "nr": str(ranges)}
        record("uwind", "µs", fork_us(ranges), **key)
        recording = Uwind()
        recording.start(os.getpid(), 99)
        record("uwind, and recorded", "µs", fork_us(ranges), **key)
        recording.stop()
        remove_module()
        record("without the module", "µs", fork_us(ranges), **key)
        insert_module()


def unloads():
    for processes in (1, 100, 1000, 10000):
        with Crowd(100, processes, "wait"):
            took = remove_module()
        record("uwind", "ms of rmmod", took, **{"in": "unloading, by processes of 100 ranges", "nr": str(processes)})
        insert_module()


def table_kib():
    status = subprocess.run(["uwind", "status"], check=True, capture_output=True, text=True).stdout
    return int(re.search(r"^table_bytes\s+(\d+)", status, re.MULTILINE)[1]) / 1024


def libraries():
    """Files that differ, in the order of their names, without those that only a program's first library may be."""
    folder = "/usr/lib/x86_64-linux-gnu" if os.uname().machine == "x86_64" else "/usr/lib/aarch64-linux-gnu"
    paths = (os.path.join(folder, name) for name in sorted(os.listdir(folder)) if re.search(r"\.so\.[0-9.]+$", name) and "san" not in name)
    return [path for path in paths if not os.path.islink(path)]


HOLDER = "import ctypes, sys, time\nfor path in sys.argv[1:]:\n try: ctypes.CDLL(path, mode=1)\n except OSError: pass\nprint('ready', flush=True)\ntime.sleep(100000)"


def memory_of_files():
    for number in (1, 10, 50):
        holder = subprocess.Popen([sys.executable, "-c", HOLDER, *libraries()[:number]], stdout=subprocess.PIPE, text=True)
        holder.stdout.readline()
        recording = Uwind()
        recording.start(holder.pid, 99)
        time.sleep(2)
        record("uwind", "KiB of tables", table_kib(), **{"in": "memory, by libraries of a process", "nr": str(number)})
        recording.stop()
        holder.kill()
        holder.wait()


PARTS = {part.__name__: part for part in (lookups, forks, unloads, memory_of_files)}


def main(*names):
    os.makedirs(FOLDER, exist_ok=True)
    write(f"{TRACING}/buffer_size_kb", 4096)
    write(f"{TRACING}/tracing_on", 0)
    write("/proc/sys/kernel/pid_max", 65536)
    set_parameters()
    for name in names or PARTS:
        PARTS[name]()
        print(f"growth: {name} done after {time.monotonic():.0f} s of guest time", file=sys.stderr)


main(*sys.argv[1:])
