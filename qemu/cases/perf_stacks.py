# SPDX-License-Identifier: GPL-2.0
"""Kernel stacks of one command, recorded by perf and by uwind at the same time: each event's two stacks have the same addresses, and
names that /proc/kallsyms has there."""
import bisect
import collections
import re

import guest

KERNEL = 0xffff << 48  # addresses from here on are the kernel's; perf's frames in user space may be anything
EVENT_LINE = re.compile(r"^\s*(\d+)\s+(\d+)\.(\d{9}):")
FRAME_LINE = re.compile(r"^\s+([0-9a-f]+) (\S+?)(?:\+0x([0-9a-f]+))?$")

# A moment of a thread: when, and addresses and names of its kernel stack, innermost first; a name is (SYMBOL, OFFSET), or None.
Moment = collections.namedtuple("Moment", "time_ns addresses names")


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


def both_recorded(event, of_perf, comm, *command):
    """uwind's report, and moments of the threads of that name as uwind and as perf have recorded them. Perf's clock that counts a
    sleep of the machine, as uwind's does, cannot be had for tracepoints; this machine does not sleep."""
    guest.run("uwind", "record", "-e", event, "-c", 1, "--kernel-stacks", "-o", "ours.json", "--", "perf", "record", "-q", "-k", "monotonic",
              "-m", 1024, "-g", "-c", 1, "-e", of_perf, "-o", "perf.data", "--", *command)
    report = guest.checked_report("ours.json")
    text = guest.run("perf", "script", "-i", "perf.data", "--ns", "--show-lost-events", "--comm", comm, "-F", "tid,time,event,ip,sym,symoff")
    assert "PERF_RECORD_LOST" not in text, text
    return report, moments_of_uwind(report, comm), moments_of_perf(text)


def moments_of_uwind(report, comm):
    moments = collections.defaultdict(list)
    for sample in report.of(comm).all:
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


def nearest(times, time):
    """The index of the time that is nearest."""
    at = bisect.bisect(times, time)
    return min((index for index in (at - 1, at) if 0 <= index < len(times)), key=lambda index: abs(times[index] - time))


def paired(ours, theirs):
    """Pairs of moments of a thread, of which each is nearest to the other: at an event one handler runs right after the other."""
    times, perfs_times = [moment.time_ns for moment in ours], [moment.time_ns for moment in theirs]
    if not theirs:
        return []
    found = [(mine, nearest(perfs_times, time)) for mine, time in enumerate(times)]
    return [(ours[mine], theirs[perfs]) for mine, perfs in found if nearest(times, perfs_times[perfs]) == mine]


def wrong_names(moment, names):
    """Frames whose symbol /proc/kallsyms does not have at that place."""
    return [(hex(address), name) for address, name in zip(moment.addresses, moment.names)
            if name is None or name[0] not in names[address - name[1]]]


def show(moment):
    return [f"{address:x} {name[0]}+{name[1]:#x}" if name else f"{address:x}" for address, name in zip(moment.addresses, moment.names)]


def compared(symbols, event, ours, theirs):
    """Pairs of uwind's and perf's moments, of which each is as it should be; what happened in the module is left out."""
    names, own = symbols
    theirs = without_uwinds(theirs, own)
    pairs = [pair for tid in ours for pair in paired(ours[tid], theirs.get(tid, []))]
    different = [(show(mine), show(perfs)) for mine, perfs in pairs if mine.addresses != perfs.addresses]
    print(f"{event}: {len(pairs)} stacks compared, {len(different)} differ, {sum(len(mine.addresses) for mine, _ in pairs)} frames, "
          f"{len({tuple(mine.addresses) for mine, _ in pairs})} different stacks; of {number_of(ours)} and {number_of(theirs)}", flush=True)
    assert not different, (len(different), different[0])
    assert not [wrong for mine, _ in pairs for wrong in wrong_names(mine, names)]
    return pairs


def number_of(moments):
    return sum(map(len, moments.values()))
