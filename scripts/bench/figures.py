# SPDX-License-Identifier: GPL-2.0
"""Figures: what the benchmarks have printed, a value of each, and ratios of two of the same run."""
import json
import statistics

GUESTS = ("workloads", "growth", "rate")  # measured in a guest, whose time counts its instructions (qemu/bench)
GROUPS = ("frames", "lowering", "lookups", *GUESTS)
# Of a group's tables: a part of the key.
COLUMNS = {"frames": "frames", "lowering": "file", "lookups": "nr", "workloads": "program", "growth": "nr", "rate": "frames"}
MORE = ("% complete", "records a second")  # units of which more is better
NOTHING = {"% complete": 10}  # so little is chance: perf 6.1 finds most stacks or none where programs share libraries
# Units of which less is better, and what is counted is the same; and those others.
COMPARED = ("ns per frame", "ns per lookup", "ms", "KiB", "times as long", "bytes per sample", "ms of the profiler",
            "instructions of a walk", "µs", *MORE)
OWN = ("group", "of", "unit", "samples")  # of a record, beside its key


def quartile(samples, which=1):
    ordered = sorted(samples)
    return ordered[which * len(ordered) // 4]


class Figure:
    """One contestant's, of one run, which may have started its program several times."""

    def __init__(self, record):
        self.group, self.of, self.unit, samples = (record[name] for name in OWN)
        self.key = {name: value for name, value in record.items() if name not in OWN}
        self.starts = [samples]
        self.value = quartile(samples)

    def add(self, other):
        """The lower quartile of each start, as what else a machine does only adds to a time; and the mean of the starts, as
        each has other addresses, and what collides in a cache."""
        self.starts += other.starts
        self.value = statistics.mean(map(quartile, self.starts))

    def spread(self):
        """Of all samples, from the lower quartile to the upper one, as a part of the value."""
        samples = [sample for start in self.starts for sample in start]
        return (quartile(samples, 3) - quartile(samples)) / self.value if self.value else 0.0

    def block(self):
        """The table that it stands in: its key but for the column, and its unit."""
        column = COLUMNS[self.group]
        return (self.group, *(value for name, value in self.key.items() if name != column), self.unit)

    def column(self):
        return self.key[COLUMNS[self.group]]

    def name(self):
        return (self.group, tuple(sorted(self.key.items())), self.of, self.unit)

    def as_json(self):
        said = {**self.key, "of": self.of, "unit": self.unit, "value": round(self.value, 3)}
        return {**said, "repetitions": sum(map(len, self.starts)), "spread": round(self.spread(), 3), "samples": self.starts}


class Pair:
    """Ours and another: how many times the other's value is ours. More is better."""

    def __init__(self, group, ours, other):
        self.group, self.ours, self.other = group, ours, other

    def fits(self, figure):
        return (figure.group, figure.of) == (self.group, self.ours) and figure.unit in COMPARED

    def ratio(self, figure, other):
        """None if the one that it is of is next to nothing."""
        above, below = (figure.value, other.value) if figure.unit in MORE else (other.value, figure.value)
        return above / below if below > NOTHING.get(figure.unit, 0) else None


STEPS, LAST = ", steps remembered", ", as the last time"
UNW_STEP, UNW_BACKTRACE = "libunwind unw_step", "libunwind unw_backtrace"
METHODS = ("SFrame", ".eh_frame", "frame pointers")
OTHERS = ("perf fp", "perf dwarf,8192", "perf dwarf,65528", "perf fp,defer", "without the module", "the smallest")

# Those that remember frames are compared with the one that does, too.
PAIRS = [
    *(Pair("frames", method, UNW_STEP) for method in METHODS),
    Pair("frames", ".eh_frame", "glibc backtrace"),
    Pair("frames", ".eh_frame", "libdw"),
    *(Pair("frames", method + STEPS, UNW_BACKTRACE) for method in METHODS),
    *(Pair("frames", method + LAST, UNW_BACKTRACE) for method in METHODS),
    Pair("lowering", "CFI alone", "libdw, each row"),
    Pair("lowering", "CFI and code", "libdw, each row"),
    Pair("lowering", "CFI alone", "libdw, entries alone"),
    Pair("lookups", "ours", "std::map"),
    Pair("lookups", "ours", "std::upper_bound"),
    *(Pair(group, "uwind", other) for group in GUESTS for other in OTHERS),
]


def read_run(path):
    """Figures by name."""
    figures = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            figure = Figure(json.loads(line))
        except (ValueError, KeyError, IndexError) as error:
            raise SystemExit(f"{path}:{number}: this is no record of a benchmark ({error}): run 'make bench' again") from error
        if figure.name() in figures:
            figures[figure.name()].add(figure)
        else:
            figures[figure.name()] = figure
    return figures


def read_runs(folder):
    runs = [read_run(path) for path in sorted(folder.glob("*.jsonl"))]
    if not runs:
        raise SystemExit(f"{folder} has no run: 'make bench' makes one")
    return runs


def ratio_name(pair, figure):
    """As it stands in the baseline."""
    return " | ".join([pair.group, *figure.key.values(), figure.unit, pair.ours, pair.other])


def ratios_of_run(figures):
    """{name: (pair, figure of ours, ratio)}"""
    ratios = {}
    for figure in figures.values():
        for pair in PAIRS:
            other = figures.get((figure.group, tuple(sorted(figure.key.items())), pair.other, figure.unit))
            if pair.fits(figure) and other and pair.ratio(figure, other) is not None:
                ratios[ratio_name(pair, figure)] = (pair, figure, pair.ratio(figure, other))
    return ratios


def ratios_of(runs):
    """The median of the runs' ratios, each of two figures of the same run."""
    found = [ratios_of_run(run) for run in runs]
    return {
        name: (pair, figure, statistics.median(run[name][2] for run in found if name in run))
        for run in found
        for name, (pair, figure, _) in run.items()
    }
