# SPDX-License-Identifier: GPL-2.0
"""What a JSON report has of samples with stacks, in the form in which the checks of other formats find it."""
import collections
import json

# period: None if it is not known for all samples of the event.
Sample = collections.namedtuple("Sample", "pid tid cpu comm time_ns event weight period frames")
# place: in the file; None if the report has no segments of it. lines: (name, file, line), innermost first.
Frame = collections.namedtuple("Frame", "path address place lines kernel")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def is_kernel(path):
    return path.startswith("[") and path != "[vdso]"


def text_of(report, frame):
    """Of a frame without a symbol."""
    if frame["module"] is None:
        return f"[{frame['address']}]"
    return f"[{report['modules'][frame['module']]['path'].rsplit('/', 1)[-1]}+{frame['offset']}]"


def line_of(name, source):
    source = source or {"file": None, "line": None}
    return name, source["file"] or "", source["line"] or 0


def lines_of(report, frame):
    lines = [line_of(inlined["symbol"] or "??", inlined["source"]) for inlined in frame.get("inlined", [])]
    if lines or frame["symbol"] is not None or "source" in frame:
        lines.append(line_of(frame["symbol"] or text_of(report, frame), frame.get("source")))
    return tuple(lines)


def place_of(module, address):
    for segment in module.get("segments", []):
        start = int(segment["address"], 16)
        if start <= address < start + segment["bytes"]:
            return address - start + int(segment["offset"], 16)
    return None


def frame_of(report, index, method):
    frame = report["frames"][index]
    back = 0 if method in ("pc", "sigframe") or int(frame["address"], 16) == 0 else 1
    module = {"path": ""} if frame["module"] is None else report["modules"][frame["module"]]
    place = None if frame["kernel"] else place_of(module, int(frame["offset"], 16) - back)
    return Frame(module["path"], int(frame["address"], 16) - back, place, lines_of(report, frame), frame["kernel"])


def frames_of(report, sample):
    """The kernel's, then the thread's."""
    return tuple(frame_of(report, index, method) for key in ("kernel_stack", "user_stack") if sample[key] is not None
                 for index, method in zip(report["stacks"][sample[key]]["frames"], report["stacks"][sample[key]]["methods"]))


def event_of(report, sample):
    events = report["session"].get("events", [])
    if not events:
        return report["session"]["event"]
    return events[sample["event"]]["name"] if sample.get("event") is not None else "requests"


def samples_of(report):
    """Those with a stack, as they come."""
    with_stack = [s for s in report["samples"] if s["user_stack"] is not None or s["kernel_stack"] is not None]
    without_period = {event_of(report, s) for s in with_stack if s.get("period") is None}
    stacks = {}
    for sample in with_stack:
        key = sample["kernel_stack"], sample["user_stack"]
        if key not in stacks:
            stacks[key] = frames_of(report, sample)
        event = event_of(report, sample)
        yield Sample(sample["pid"], sample["tid"], sample["cpu"], report["processes"][sample["process"]]["comm"],
                     sample["time_ns"], event, sample["weight"], None if event in without_period else sample["period"], stacks[key])


class Texts:
    """Of stacks, which are the same objects wherever they are the same: what of them is compared. Made once, since texts are
    compared faster than tuples of tuples."""

    def __init__(self, of_frame):
        self.of_frame, self.kept = of_frame, {}

    def of(self, frames):
        if id(frames) not in self.kept:
            self.kept[id(frames)] = frames, repr([self.of_frame(frame) for frame in frames])
        return self.kept[id(frames)][1]


def all_frames(stacks):
    """Each once, of many stacks that are the same objects."""
    return {frame for frames in {id(frames): frames for frames in stacks}.values() for frame in frames}


def figures(samples):
    """What a check prints, by name."""
    stacks = {frames: None for frames in {id(sample.frames): sample.frames for sample in samples}.values()}
    names = sum(bool(frame.lines) for stack in stacks for frame in stack)
    return {"samples": len(samples), "stacks": len(stacks), "deepest": max(map(len, stacks), default=0), "names": names,
            "inlined": sum(max(len(frame.lines) - 1, 0) for stack in stacks for frame in stack)}


def difference(ours, theirs):
    """Of two collections as multisets: the first that only one of them has. None: they are the same."""
    ours, theirs = collections.Counter(ours), collections.Counter(theirs)
    if ours == theirs:
        return None
    only_ours, only_theirs = ours - theirs, theirs - ours
    return (f"{only_ours.total()} of {ours.total()} are not there, such as {next(iter(only_ours), None)}; "
            f"{only_theirs.total()} are not ours, such as {next(iter(only_theirs), None)}")
