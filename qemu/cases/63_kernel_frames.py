# SPDX-License-Identifier: GPL-2.0
# Needs: /usr/bin/perf
# Expected: 120 s; EVENTS=300 is how many of each kind, 5,000 at most
"""The kernel's stacks are perf's, frame by frame: perf and uwind record the same events of the same program at the same time, and
each event's two stacks have the same addresses. /proc/kallsyms is what names are compared with."""
import bisect
import collections
import os
import platform
import re

import pytest

import guest

EVENTS = min(int(os.environ.get("EVENTS", "300")), 5000)
VICTIM = guest.PROGRAMS / "events_victim"
TRACING = "/sys/kernel/tracing"
SYSTEM_CALL = {"x86_64": "__x64_sys_getppid", "aarch64": "__arm64_sys_getppid"}[platform.machine()]
KERNEL = 1 << 63  # addresses from here on are the kernel's
EVENT_LINE = re.compile(r"^\s*(\d+)\s+(\d+)\.(\d{9}):")
FRAME_LINE = re.compile(r"^\s+([0-9a-f]+) (\S+?)(?:\+0x([0-9a-f]+))?$")

# A moment of a thread: when, and addresses and names of its kernel stack, innermost first; a name is (SYMBOL, OFFSET), or None.
Moment = collections.namedtuple("Moment", "time_ns addresses names")


@pytest.fixture(scope="module", name="symbols")
def symbols_of_the_kernel():
    """Names by address, and the addresses of functions of the module uwind."""
    names, own = collections.defaultdict(set), set()
    for line in guest.read("/proc/kallsyms").splitlines():
        words = line.split()
        names[int(words[0], 16)].add(words[2])
        if words[3:] in (["[uwind]"], ["[uwind_resident1]"]):
            own.add(int(words[0], 16))
    assert len(names) > 10000, "this user sees no addresses in /proc/kallsyms"
    return names, own


@pytest.fixture(scope="module", autouse=True)
def probes():
    """A probe of the kernel that both know by the same name, at the begin and at the end of a system call."""
    if not os.path.exists(f"{TRACING}/kprobe_events"):
        guest.result_of("mount", "-t", "tracefs", "tracefs", TRACING)
    guest.write(f"{TRACING}/kprobe_events", f"p:uwind_test/entered {SYSTEM_CALL}\nr:uwind_test/left {SYSTEM_CALL}\n")
    yield
    guest.write(f"{TRACING}/kprobe_events", "")


def both_recorded(event, of_perf, kind):
    """Moments of the program's threads, as uwind and as perf have recorded them. Perf's clock that counts a sleep of the machine, as
    uwind's does, cannot be had for tracepoints; this machine does not sleep."""
    guest.run("uwind", "record", "-e", event, "-c", 1, "--kernel-stacks", "-o", "ours.json", "--", "perf", "record", "-q", "-k", "monotonic",
              "-m", 1024, "-g", "-c", 1, "-e", of_perf, "-o", "perf.data", "--", VICTIM, kind, EVENTS)
    report = guest.checked_report("ours.json")
    text = guest.run("perf", "script", "-i", "perf.data", "--ns", "--show-lost-events", "--comm", "events_victim", "-F",
                     "tid,time,event,ip,sym,symoff")
    assert "PERF_RECORD_LOST" not in text, text
    return moments_of_uwind(report), moments_of_perf(text)


def moments_of_uwind(report):
    moments = collections.defaultdict(list)
    for sample in report.of("events_victim").all:
        if sample.get("event") != 0:
            continue
        stack = [] if sample["kernel_stack"] is None else report.json["stacks"][sample["kernel_stack"]]["frames"]
        frames = [report.json["frames"][index] for index in stack]
        moments[sample["tid"]].append(Moment(sample["time_ns"], [int(frame["address"], 16) for frame in frames],
                                             [frame["symbol"] and (frame["symbol"], frame["symbol_offset"]) for frame in frames]))
    return moments


def moments_of_perf(text):
    """What perf script has printed; frames in user space are left out."""
    moments = collections.defaultdict(list)
    for line in text.splitlines():
        event, frame = EVENT_LINE.match(line), FRAME_LINE.match(line)
        if event:
            moment = Moment(int(event[2]) * 10**9 + int(event[3]), [], [])
            moments[int(event[1])].append(moment)
        elif frame and int(frame[1], 16) >= KERNEL:
            moment.addresses.append(int(frame[1], 16))
            moment.names.append(None if frame[2] == "[unknown]" else (frame[2], int(frame[3] or "0", 16)))
    return moments


def without_uwinds(moments, own):
    """What happened while the module answered, which it leaves out."""
    def is_own(moment):
        return any(name and address - name[1] in own for address, name in zip(moment.addresses, moment.names))
    return {tid: [moment for moment in all_of_it if not is_own(moment)] for tid, all_of_it in moments.items()}


def paired(ours, theirs):
    """Pairs of moments of a thread. At an event one handler runs after the other, always in the same order."""
    times = [moment.time_ns for moment in theirs]
    found = []
    for perf_is_first in (True, False):
        pairs = {}
        for moment in ours:
            at = bisect.bisect(times, moment.time_ns) - perf_is_first
            if 0 <= at < len(theirs):
                pairs.setdefault(at, moment)
        found.append([(moment, theirs[at]) for at, moment in pairs.items()])
    return max(found, key=len)


def wrong_names(moment, names):
    """Frames whose symbol /proc/kallsyms does not have at that place."""
    return [(hex(address), name) for address, name in zip(moment.addresses, moment.names)
            if name is None or name[0] not in names[address - name[1]]]


def show(moment):
    return [f"{address:x} {name[0]}+{name[1]:#x}" if name else f"{address:x}" for address, name in zip(moment.addresses, moment.names)]


# The event for uwind, for perf, what the program does, how many of its EVENTS there are at least, and what a name in each
# stack contains.
KINDS = [
    ("syscalls:sys_enter_getppid", None, "calls", 1, None),
    ("syscalls:sys_exit_getppid", None, "calls", 1, None),
    ("uwind_test:entered", None, "calls", 1, "sys_getppid"),
    ("uwind_test:left", None, "calls", 1, None),
    (f"kprobe:{SYSTEM_CALL}", "uwind_test:entered", "calls", 1, "sys_getppid"),
    ("signal:signal_deliver", None, "signals", 1, "get_signal"),
    ("sched:sched_switch", None, "switches", 0.5, "sched"),
    ("timer:hrtimer_start", None, "switches", 0.5, None),
    ("kmem:mm_page_alloc", None, "faults", 1, "alloc_pages"),
    ("page-faults", None, "faults", 1, None),
]


@pytest.mark.parametrize("event, of_perf, kind, least, function", KINDS, ids=[kind[0].replace("/", "_") for kind in KINDS])
def test_stacks_are_perfs_frame_by_frame(symbols, event, of_perf, kind, least, function):
    names, own = symbols
    ours, theirs = both_recorded(event, of_perf or event, kind)
    theirs = without_uwinds(theirs, own)
    pairs = [pair for tid in ours for pair in paired(ours[tid], theirs.get(tid, []))]
    assert len(pairs) >= 0.95 * least * EVENTS, (len(pairs), sum(map(len, ours.values())), sum(map(len, theirs.values())))
    different = [(show(mine), show(perfs)) for mine, perfs in pairs if mine.addresses != perfs.addresses]
    print(f"{event}: {len(pairs)} stacks compared, {len(different)} differ, {sum(len(mine.addresses) for mine, _ in pairs)} frames, "
          f"{len({tuple(mine.addresses) for mine, _ in pairs})} different stacks", flush=True)
    assert not different, (len(different), different[0])
    assert not [wrong for mine, _ in pairs for wrong in wrong_names(mine, names)]
    if function:
        assert all(any(name and function in name[0] for name in mine.names) for mine, _ in pairs)
