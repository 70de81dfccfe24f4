# SPDX-License-Identifier: GPL-2.0
"""Kernel stacks of one command, recorded by perf and by uwind at the same time: each event's two stacks have the same addresses, and
names that /proc/kallsyms has there. Moments of a thread are in the order of their times; one of the two may lack some."""
import collections
import re

import guest

KERNEL = 0xffff << 48  # addresses from here on are the kernel's; perf's frames in user space may be anything
SHOWN = 3  # pairs that differ
RECORDINGS = 3  # that perf may spoil
UNPAIRED = 1000  # moments of a thread that one of the two may lack
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
    """uwind's report, and moments of the threads of that name as uwind and as perf have recorded them. If perf has lost events, as
    happens on a busy machine, it cannot say what is right: both record the command again."""
    for _ in range(RECORDINGS):
        report, text = recorded_once(event, of_perf, comm, *command)
        lost = re.search(r"PERF_RECORD_LOST.*", text)
        if not lost:
            return report, moments_of_uwind(report, comm), moments_of_perf(text)
        print(f"{event}: perf has lost events: {lost[0]}", flush=True)
    raise AssertionError(f"perf has lost events of {event} in each of {RECORDINGS} recordings: there is nothing to compare with")


def recorded_once(event, of_perf, comm, *command):
    """uwind's report, and what perf script prints. Perf's clock that counts a sleep of the machine, as uwind's does, cannot be had
    for tracepoints; this machine does not sleep."""
    guest.run("uwind", "record", "-e", event, "-c", 1, "--kernel-stacks", "-o", "ours.json", "--", "perf", "record", "-q", "-k", "monotonic",
              "-m", 1024, "-g", "-c", 1, "-e", of_perf, "-o", "perf.data", "--", *command)
    report = guest.checked_report("ours.json")
    return report, guest.run("perf", "script", "-i", "perf.data", "--ns", "--show-lost-events", "--comm", comm,
                             "-F", "tid,time,event,ip,sym,symoff")


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


def same_runs(ours, theirs):
    """The most moments that are the same on both sides, in their order, as diff finds the lines of two files (E. Myers, An O(ND)
    Difference Algorithm). A linked list of runs, the last one first: ((index in ours, index in theirs, length), earlier runs)."""
    reached = {1: (0, None)}  # by index in ours less index in theirs: how far in ours, and the runs up to there
    for unpaired in range(UNPAIRED + 1):
        for diagonal in range(-unpaired, unpaired + 1, 2):
            below, above = reached.get(diagonal - 1), reached.get(diagonal + 1)
            if below is None or (above is not None and below[0] < above[0]):
                at, runs = above
            else:
                at, runs = below[0] + 1, below[1]
            begin, end = at, end_of_run(ours, theirs, at, at - diagonal)
            if end > begin:
                runs = ((begin, begin - diagonal, end - begin), runs)
            if end >= len(ours) and end - diagonal >= len(theirs):
                return runs
            reached[diagonal] = end, runs
    raise AssertionError(f"uwind has {len(ours)} moments of a thread, and perf {len(theirs)}: more than {UNPAIRED} are not in both")


def end_of_run(ours, theirs, at, perfs_at):
    """The index in ours of the first moment from there on that is not the same on both sides."""
    while at < len(ours) and perfs_at < len(theirs) and same(ours[at], theirs[perfs_at]):
        at, perfs_at = at + 1, perfs_at + 1
    return at


def paired(ours, theirs):
    """Pairs of moments of a thread that are the same, and the others of each side: those that the other side has not seen, or has
    with another stack."""
    pairs, left, runs = [], ([], []), [(len(ours), len(theirs), 0)]
    found = same_runs(ours, theirs) if theirs else None
    while found:
        run, found = found
        runs.append(run)
    at = perfs_at = 0
    for begin, perfs_begin, length in reversed(runs):
        left[0].extend(ours[at:begin])
        left[1].extend(theirs[perfs_at:perfs_begin])
        at, perfs_at = begin + length, perfs_begin + length
        pairs += zip(ours[begin:at], theirs[perfs_begin:perfs_at])
    return pairs, left


def without_repeated(addresses):
    """For arm64's tracepoints perf has the place twice: its caller's registers are those of the record that names it."""
    return addresses[1:] if addresses[:1] == addresses[1:2] else addresses


def wrong_names(moment, names):
    """Frames whose symbol /proc/kallsyms does not have at that place."""
    return [(hex(address), name) for address, name in zip(moment.addresses, moment.names)
            if name is None or name[0] not in names[address - name[1]]]


def show(moment):
    return [f"{address:x} {name[0]}+{name[1]:#x}" if name else f"{address:x}" for address, name in zip(moment.addresses, moment.names)]


def events_lost(report):
    """Of uwind, which has counted them."""
    return report.counters["events_lost"] + report.counters["events_dropped"]


def compared(symbols, event, ours, theirs, lost=0):
    """Pairs of uwind's and perf's moments that are the same. Those that only one of the two has seen are left out, and so is what
    happened in the module. lost: how many events uwind says it has lost, each of which can look like a stack that differs."""
    names, own = symbols
    theirs = without_uwinds(theirs, own)
    pairs, different = [], []
    for tid in ours:
        of_thread, left = paired(ours[tid], theirs.get(tid, []))
        pairs += of_thread
        different += zip(*left)  # a stack that differs is left on both sides
    print(f"{event}: {len(pairs)} stacks compared, {len(different)} differ, {sum(len(mine.addresses) for mine, _ in pairs)} frames, "
          f"{len({tuple(mine.addresses) for mine, _ in pairs})} different stacks; of {number_of(ours)} and {number_of(theirs)}; "
          f"uwind has lost {lost}", flush=True)
    for mine, perfs in different[:SHOWN]:
        print(f"uwind's: {show(mine)}\nperf's: {show(perfs)}", flush=True)
    assert len(different) <= lost
    assert not [wrong for mine, _ in pairs for wrong in wrong_names(mine, names)]
    return pairs


def number_of(moments):
    return sum(map(len, moments.values()))
