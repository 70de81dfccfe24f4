# SPDX-License-Identifier: GPL-2.0
# Expected: 90 s; SHARE of the samples that are complete and SAMPLED processes are less where others use the processors, too
"""Processes that are gone before anyone asks: each is in the report with its program, its arguments, its parent and its end, and
its stacks are complete and have names. They are told of by the kernel, as they begin, map files and end."""
import collections
import contextlib
import os
import shutil
import subprocess

import guest
import names

SHORT_ONES = int(os.environ.get("SHORT_ONES", "200"))
SHARE = float(os.environ.get("SHARE", "0.995"))
SAMPLED = int(os.environ.get("SAMPLED", str(9 * SHORT_ONES // 10)))
AT_ONCE = 4
SECONDS = "0.05"
TABLES = {name: names.SymbolTable(guest.PROGRAMS / name) for name in ("dlopen_victim", "plugin.so")}


def live(program, number):
    """It loads a library in the middle of its life."""
    return subprocess.Popen([program, SECONDS, SECONDS, f"life-{number}"])


@contextlib.contextmanager
def own_copies(number):
    """A program and a library that nobody has seen before, and nobody will see again."""
    folder = os.path.abspath(f"copies-{number}")
    os.mkdir(folder)
    try:
        yield shutil.copy(guest.PROGRAMS / "dlopen_victim", folder), shutil.copy(guest.PROGRAMS / "plugin.so", folder)
    finally:
        shutil.rmtree(folder)


@contextlib.contextmanager
def the_same(_):
    yield guest.PROGRAMS / "dlopen_victim", guest.PROGRAMS / "plugin.so"


def live_all(files):
    """Some at a time. Their pids."""
    pids = []
    for first in range(0, SHORT_ONES, AT_ONCE):
        with contextlib.ExitStack() as stack:
            programs = [stack.enter_context(files(number))[0] for number in range(first, first + AT_ONCE)]
            running = [live(program, first + i) for i, program in enumerate(programs)]
            pids += [process.pid for process in running]
            assert [process.wait() for process in running] == [0] * AT_ONCE
    return pids


def without_name(report, sample):
    """Its frames in functions of the program and its library, and in no file."""
    frames = [report.json["frames"][i] for i in report.json["stacks"][sample["user_stack"]]["frames"]]
    places = [(frame["module"] is not None and report.json["modules"][frame["module"]]["path"], frame) for frame in frames]
    return [(path, frame["offset"]) for path, frame in places if not path or (not frame["symbol"] and has_symbol(path, frame["offset"]))]


def has_symbol(path, offset):
    """A function with a size; what the linker adds has none (_init, register_tm_clones, entries of the PLT)."""
    table = TABLES.get(os.path.basename(path))
    return table and table.covering(int(offset, 16))


def check(report, pids, kind):
    processes = {p["pid"]: p for p in report.json["processes"] if p["comm"] == "dlopen_victim"}
    samples = [sample for sample in report.json["samples"] if sample["pid"] in set(pids)]
    of_victims = [sample for sample in samples if report.json["processes"][sample["process"]]["comm"] == "dlopen_victim"]
    stops = collections.Counter("lost" if s["user_stack"] is None else report.json["stacks"][s["user_stack"]]["stop"] for s in of_victims)
    complete = [s for s in of_victims if s["user_stack"] is not None and report.json["stacks"][s["user_stack"]]["complete"]]
    nameless = collections.Counter(place for s in complete for place in without_name(report, s))
    named = [s for s in complete if not without_name(report, s)]
    counters = {name: report.counters[name] for name in ("files_not_opened", "files_not_followed", "unfinished", "unfinished_left",
                                                         "unfinished_gone", "tables_made", "periods_missed", "throttled",
                                                         "lives_lost")}
    told = [p for p in processes.values() if p["exe"] and p.get("arguments") and p.get("parent_pid") and p.get("exit_time_ns")]
    print(f"{kind}: {len(processes)} processes sampled, {len(told)} told of, {len(of_victims)} samples, {len(complete)} complete, "
          f"{len(named)} with names; {dict(stops)} {counters}; without names: {nameless.most_common(5)}", flush=True)
    guest.figure("processes", kind=kind, processes=len(processes), told=len(told), samples=len(of_victims), complete=len(complete),
                 named=len(named))
    assert len(processes) >= SAMPLED
    # A kernel that can be preempted while it tells of one process may not tell of another.
    assert len(told) >= len(processes) - counters["lives_lost"], [{**p, "arguments": ""} for p in processes.values() if p not in told][:3]
    assert len(told) >= 0.95 * len(processes)
    assert len(named) >= SHARE * len(of_victims), (stops, nameless.most_common(20))


def test_short_lives_of_the_same_files(record):
    recording = record("same", "-a", "-F", "499")
    pids = live_all(the_same)
    check(recording.end(), pids, "the same files")


def test_short_lives_of_files_that_are_gone_with_them(record):
    recording = record("copies", "-a", "-F", "499")
    pids = live_all(own_copies)
    check(recording.end(), pids, "files of their own")
