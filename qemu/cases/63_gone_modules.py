# SPDX-License-Identifier: GPL-2.0
# Needs: /usr/bin/perf
# Expected: 90 s; TURNS=3 is how often each module and program comes
"""Kernel frames have the names of the time of their sample: modules and BPF programs come, work, go, and others come to their
places, all during one recording. What each was called is read from /proc/kallsyms while it is there."""
import bisect
import collections
import fcntl
import os
import pathlib
import platform
import re
import struct
import time

import pytest

import guest
from looping_program import LoopingProgram

TURNS = int(os.environ.get("TURNS", "3"))
WORK_MS, INIT_MS = 1500, 500
CPUS_SEEN_S = 2  # a recording looks for them twice a second
MODULES = ("passing_one", "passing_two")
BPF = "bpf"
PAGE = 4096
PROGRAM_BYTES = {"x86_64": 64, "aarch64": 128}[platform.machine()]  # none is shorter
WATCH_TEXT, WATCH_MODULES, MOST_WATCHES = 0xc050f70d, 1, 8  # UWIND_IOC_WATCH_TEXT
RECORD = ("-e", "cpu-clock", "-F", 199, "--kernel-stacks", "-a")


def now():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class Life:
    """One owner's time in memory, with its symbols."""

    def __init__(self, owner, symbols, since, bytes_):
        self.owner, self.since, self.until = owner, since, None
        self.symbols = sorted(symbols)
        self.start = self.symbols[0][0]
        self.end = self.start + bytes_

    def names_at(self, address):
        """All symbols that begin where the last one before the address does."""
        at = bisect.bisect_right(self.symbols, (address, chr(0x10ffff))) - 1
        return {name for start, name in self.symbols if start == self.symbols[at][0]}, self.symbols[at][0]


def code_of(owner, pattern=".*"):
    lines = re.findall(rf"^([0-9a-f]+) [tTwW] ({pattern})\t\[{owner}\]$", guest.read("/proc/kallsyms"), re.MULTILINE)
    return [(int(address, 16), name) for address, name in lines]


def section(module, name):
    path = pathlib.Path(f"/sys/module/{module}/sections/{name}")
    return int(guest.read(path), 16) if path.exists() else None


def module_comes_and_goes(module):
    """What it was, and where its init was."""
    begun = now()
    guest.run("insmod", f"/root/{module}.ko", f"init_ms={INIT_MS}")
    symbols = code_of(module)
    life = Life(module, symbols, now(), PAGE - min(symbols)[0] % PAGE)
    init = section(module, ".init.text")
    initialised = now()
    guest.write(f"/sys/module/{module}/parameters/work_ms", WORK_MS)
    life.until = now()
    guest.run("rmmod", module)
    return life, (init, begun, initialised)


def program_comes_and_goes(number):
    name = f"passing_{number}"
    program = LoopingProgram(name, number)
    try:
        symbols = code_of(BPF, f"bpf_prog_[0-9a-f]+_{name}")
        assert len(symbols) == 1, symbols
        life = Life(BPF, symbols, now(), PROGRAM_BYTES)
        end = time.monotonic() + WORK_MS / 1000
        while time.monotonic() < end:
            program.run(1000)
        life.until = now()
    finally:
        program.close()
    return life


def frames_of(report):
    """(time, frame, whether it is a return address) of each kernel frame of each sample."""
    for sample in report.json["samples"]:
        if sample["kernel_stack"] is None:
            continue
        stack = report.json["stacks"][sample["kernel_stack"]]
        for index, method in zip(stack["frames"], stack["methods"]):
            yield sample["time_ns"], report.json["frames"][index], method == "kernel"


def owner_of(report, frame):
    return None if frame["module"] is None else report.json["modules"][frame["module"]]["path"].strip("[]")


def called(report, frame):
    return f"{frame['symbol']}+{frame['symbol_offset']} of {owner_of(report, frame)}"


def judged(report, lives):
    """How many frames of each life's functions there are by name; each is as it was called then."""
    counted, wrong = [collections.Counter() for _ in lives], []
    for at, frame, returns in frames_of(report):
        address = int(frame["address"], 16) - returns
        for life, names in zip(lives, counted):
            if not life.since <= at <= life.until or not life.start <= address < life.end:
                continue
            expected, start = life.names_at(address)
            if owner_of(report, frame) != life.owner or frame["symbol"] not in expected or frame["symbol_offset"] != address - start + returns:
                wrong.append(f"{address:x} of {life.owner}: {expected} at {start:x}, not {called(report, frame)}")
            names[frame["symbol"]] += 1
    assert not wrong, collections.Counter(wrong).most_common(5)
    return counted


def places_taken_twice(lives):
    """Pairs of different owners one of which lay where the other had."""
    return [(one, other) for at, one in enumerate(lives) for other in lives[at + 1:]
            if {name for _, name in one.symbols} != {name for _, name in other.symbols} and one.start < other.end and other.start < one.end]


@pytest.fixture(autouse=True)
def left_modules():
    yield
    for module in MODULES:
        guest.result_of("rmmod", module)


def test_modules_that_are_gone_have_their_names(record):
    recording = record("modules", *RECORD)
    lives, inits = [], []
    for _ in range(TURNS):
        for module in (MODULES[0], MODULES[0], MODULES[1], MODULES[1]):
            life, init = module_comes_and_goes(module)
            lives.append(life)
            inits.append(init)
    report = recording.end()
    assert "unwatched" not in report.session, recording.log()
    assert report.counters["kernel_regions_lost"] == 0
    counted = judged(report, lives)
    twice = places_taken_twice(lives)
    print(f"{len(lives)} modules, {len(twice)} pairs at one place, frames: {sum(counted, collections.Counter())}, "
          f"not read in time: {report.counters['kernel_modules_unread']}", flush=True)
    for life, names in zip(lives, counted):
        assert names[f"{life.owner}_inner"] >= 10 and names[f"{life.owner}_work"] >= 10, (life.owner, names)
    check_inits(report, lives, inits)
    build_ids = {module["path"]: module["build_id"] for module in report.json["modules"] if "passing" in module["path"]}
    assert set(build_ids) == {f"[{module}]" for module in MODULES} and len(set(build_ids.values())) == 2 and all(build_ids.values())


def check_inits(report, lives, inits):
    """A module's init has gone before anyone but the recording could read its symbols."""
    named = collections.Counter()
    for at, frame, returns in frames_of(report):
        address = int(frame["address"], 16) - returns
        for life, (init, begun, initialised) in zip(lives, inits):
            if init is None or not begun <= at <= initialised or not init <= address < init + 0x100:
                continue
            assert owner_of(report, frame) == life.owner, frame
            assert frame["symbol"] in (None, f"{life.owner}_begin", "init_module", "passing_init"), frame
            named[frame["symbol"] is not None] += 1
    print(f"frames of modules' init: {named[True]} with a symbol, {named[False]} without", flush=True)
    assert sum(named.values()) >= 10 * len(lives)


def test_programs_that_are_gone_have_their_names(record, programs):
    recording = record("programs", *RECORD)
    perf = programs.start("perf", "record", "-q", "-a", "-k", "monotonic", "-e", "cpu-clock", "-F", 199, "-o", "perf.data")
    guest.wait_until(60, "perf records", lambda: os.path.exists("perf.data") and os.path.getsize("perf.data"))
    time.sleep(2)
    lives = [program_comes_and_goes(1 + turn % 5) for turn in range(2 * TURNS)]
    perf.terminate()
    perf.wait()
    report = recording.end()
    assert "unwatched" not in report.session, recording.log()
    assert report.counters["kernel_regions_lost"] == 0
    counted = judged(report, lives)
    print(f"{len(lives)} programs, {len(places_taken_twice(lives))} pairs at one place, {sum(sum(counted, collections.Counter()).values())} frames",
          flush=True)
    for life, names in zip(lives, counted):
        assert sum(names.values()) >= 10, (life.symbols, names)
    ours, perfs = bpf_places(report), places_of_perf()
    print(f"{len(ours)} names of programs at their places, of which perf has {len(perfs)}", flush=True)
    assert perfs and perfs <= ours, (sorted(ours), sorted(perfs))


def test_programs_of_a_cpu_that_comes_online_have_their_names(record):
    second = pathlib.Path("/sys/devices/system/cpu/cpu1/online")
    guest.write(second, 0)
    try:
        recording = record("late_cpu", *RECORD)
    finally:
        guest.write(second, 1)
    time.sleep(CPUS_SEEN_S)
    os.sched_setaffinity(0, {1})
    try:
        life = program_comes_and_goes(1)
    finally:
        os.sched_setaffinity(0, {0, 1})
    (names,) = judged(recording.end(), [life])
    assert sum(names.values()) >= 10, (life.symbols, names)


def bpf_places(report):
    return {(int(frame["address"], 16) - frame["symbol_offset"], frame["symbol"]) for _, frame, _ in frames_of(report)
            if owner_of(report, frame) == BPF and "passing" in (frame["symbol"] or "")}


def places_of_perf():
    text = guest.run("perf", "script", "-i", "perf.data", "-F", "ip,sym,symoff")
    found = re.findall(r"^\s*([0-9a-f]+) (bpf_prog_[0-9a-f]+_passing_\d+)(?:\+0x([0-9a-f]+))?", text, re.MULTILINE)
    return {(int(address, 16) - int(offset or "0", 16), name) for address, name, offset in found}


@pytest.fixture
def other_watches():
    """As many as there may be."""
    with open("/dev/uwind", "rb", buffering=0) as device:
        watches = []
        for _ in range(MOST_WATCHES):
            watch = bytearray(struct.pack("<IIIi64s", 80, WATCH_MODULES, 1 << 16, 0, b""))
            fcntl.ioctl(device, WATCH_TEXT, watch)
            watches.append(struct.unpack_from("<i", watch, 12)[0])
        yield
        for fd in watches:
            os.close(fd)


@pytest.mark.usefixtures("other_watches")
def test_a_recording_that_cannot_watch_modules_says_so(record):
    """What is there when it ends is named by that."""
    guest.run("insmod", f"/root/{MODULES[0]}.ko")
    recording = record("unwatched", *RECORD)
    guest.write(f"/sys/module/{MODULES[0]}/parameters/work_ms", WORK_MS)
    report = recording.end()
    assert report.session["unwatched"] == ["modules"]
    assert "modules that come or go are not watched" in recording.log()
    names = collections.Counter(frame["symbol"] for _, frame, _ in frames_of(report) if owner_of(report, frame) == MODULES[0])
    assert names[f"{MODULES[0]}_inner"] >= 10, names
