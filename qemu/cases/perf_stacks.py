# SPDX-License-Identifier: GPL-2.0
"""Kernel stacks of one command, recorded by perf and by uwind at the same time: each event's two stacks have the same addresses, and
names that /proc/kallsyms has there. Moments of a thread are in the order of their times."""
import collections
import re

import guest

KERNEL = 0xffff << 48  # addresses from here on are the kernel's; perf's frames in user space may be anything
AHEAD = 64  # moments in which a pair is looked for
EVENT_LINE = re.compile(r"^\s*(\d+)\s+\d+\.\d{9}:")
FRAME_LINE = re.compile(r"^\s+([0-9a-f]+) (\S+?)(?:\+0x([0-9a-f]+))?$")

# A moment of a thread: addresses and names of its kernel stack, innermost first; a name is (SYMBOL, OFFSET), or None.
Moment = collections.namedtuple("Moment", "addresses names")


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
        moments[sample["tid"]].append(Moment([int(frame["address"], 16) for frame in frames],
                                             [frame["symbol"] and (frame["symbol"], frame["symbol_offset"]) for frame in frames]))
    return moments


def moments_of_perf(text):
    """What perf script has printed; frames in user space are left out."""
    moments = collections.defaultdict(list)
    for line in text.splitlines():
        event, frame = EVENT_LINE.match(line), FRAME_LINE.match(line)
        if event:
            moment = Moment([], [])
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


def same(mine, perfs):
    return mine.addresses in (perfs.addresses, without_repeated(perfs.addresses))


def paired(ours, theirs):
    """Pairs of moments of a thread, in the order of their times, and how many have no other: one of the two may not have seen them.
    Of a thread with all of its moments on both sides, each has one."""
    pairs, left, at, perfs_at = [], [0, 0], 0, 0
    while at < len(ours) and perfs_at < len(theirs):
        skip, perfs_skip = skipped(ours[at:at + AHEAD], theirs[perfs_at:perfs_at + AHEAD])
        left = [left[0] + skip, left[1] + perfs_skip]
        at, perfs_at = at + skip, perfs_at + perfs_skip
        pairs.append((ours[at], theirs[perfs_at]))
        at, perfs_at = at + 1, perfs_at + 1
    return pairs, [left[0] + len(ours) - at, left[1] + len(theirs) - perfs_at]


def skipped(ours, theirs):
    """How many of one side come before the next pair that is the same; (0, 0) if there is none."""
    for skip in range(max(len(ours), len(theirs))):
        if skip < len(ours) and same(ours[skip], theirs[0]):
            return skip, 0
        if skip < len(theirs) and same(ours[0], theirs[skip]):
            return 0, skip
    return 0, 0


def without_repeated(addresses):
    """For arm64's tracepoints perf has the place twice: its caller's registers are those of the record that names it."""
    return addresses[1:] if addresses[:1] == addresses[1:2] else addresses


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
    pairs, unseen = [], 0
    for tid in ours:
        of_thread, left = paired(ours[tid], theirs.get(tid, []))
        pairs += of_thread
        unseen += min(left)  # one that differs is left on both sides
    different = [(show(mine), show(perfs)) for mine, perfs in pairs if not same(mine, perfs)]
    print(f"{event}: {len(pairs)} stacks compared, {len(different)} differ, {sum(len(mine.addresses) for mine, _ in pairs)} frames, "
          f"{len({tuple(mine.addresses) for mine, _ in pairs})} different stacks; of {number_of(ours)} and {number_of(theirs)}", flush=True)
    if different:
        print(f"uwind's: {different[0][0]}\nperf's: {different[0][1]}", flush=True)
    assert len(different) + unseen == 0
    assert not [wrong for mine, _ in pairs for wrong in wrong_names(mine, names)]
    return pairs


def number_of(moments):
    return sum(map(len, moments.values()))
