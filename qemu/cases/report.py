# SPDX-License-Identifier: GPL-2.0
"""A JSON report as an object, for cases that assert what it says. Standard library only."""
import collections
import json

COMPLETE = {"outermost", "zero_ra", "zero_fp", "thread_start"}
HOST_KEYS = ("kernel", "arch", "hostname", "boot_id", "uwind", "abi")


def percent(part, whole):
    return 100 * part / whole if whole else 0.0


def follows(names, inner, outer):
    """Compilers add suffixes such as .constprop.0, C++ argument lists."""
    inside = [i for i, n in enumerate(names) if inner in n]
    return bool(inside) and any(outer in n for n in names[inside[0] + 1:])


class Program:
    """The samples of the processes of one name, in the order of their times. Shares are of their weights, in percent."""

    def __init__(self, report, comm):
        self.report, self.comm = report, comm
        self.all = report.by_program.get(comm, [])

    def __repr__(self):
        stops = dict(self.count(lambda stack: stack["stop"]).most_common())
        return f"<{self.comm}: {len(self.all)} samples, {self.complete:.2f} % complete, stops {stops}>"

    def stacks(self, skipped=0.0):
        """Pairs (stack, weight), without a share of the samples, the earliest."""
        for sample in self.all[int(skipped * len(self.all)):]:
            if sample["user_stack"] is not None:
                yield self.report.json["stacks"][sample["user_stack"]], sample["weight"]

    def weight(self, wanted=lambda stack: True, skipped=0.0):
        """Of the stacks that are wanted."""
        return sum(weight for stack, weight in self.stacks(skipped) if wanted(stack))

    def count(self, key):
        """The weight of its stacks by what key(stack) says."""
        counted = collections.Counter()
        for stack, weight in self.stacks():
            counted[key(stack)] += weight
        return counted

    @property
    def samples(self):
        return self.weight()

    @property
    def processes(self):
        return len({sample["process"] for sample in self.all})

    @property
    def complete(self):
        return self.complete_besides(None)

    def complete_besides(self, reason):
        """Those that end for this reason are left out."""
        return percent(self.weight(lambda stack: stack["complete"]), self.weight(lambda stack: stack["stop"] != reason))

    def stopped(self, reason):
        return percent(self.weight(lambda stack: stack["stop"] == reason), self.samples)

    def calls(self, inner, outer):
        """The weight of stacks in which outer has called inner, directly or not."""
        return self.weight(lambda stack: follows(self.report.names(stack), inner, outer))

    @property
    def depths(self):
        """Weights by number of frames."""
        return self.count(lambda stack: len(stack["frames"]))


class Report:
    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as file:
            self.json = json.load(file)
        self.by_program = collections.defaultdict(list)
        for sample in sorted(self.json["samples"], key=lambda s: s["time_ns"]):
            self.by_program[self.json["processes"][sample["process"]]["comm"]].append(sample)

    def __repr__(self):
        return f"<report {self.path}>"

    def of(self, comm):
        return Program(self, comm)

    @property
    def programs(self):
        """Those that there are samples of."""
        return {comm for comm, samples in self.by_program.items() if samples}

    @property
    def session(self):
        return self.json["session"]

    @property
    def counters(self):
        return self.json["counters"]

    @property
    def lost(self):
        """Requests by cause; pending ones are among them."""
        return collections.Counter(self.counters["lost"])

    @property
    def requested(self):
        return self.counters["requested"]

    @property
    def accounted(self):
        """Each request has its answer or its loss: as many as were requested."""
        return self.counters["answered"] + sum(self.lost.values())

    def cpus(self, skipped=0.0):
        """Where samples were taken, but for a share of the time, the first."""
        times = [sample["time_ns"] for sample in self.json["samples"]]
        start = min(times) + skipped * (max(times) - min(times)) if times else 0
        return {sample["cpu"] for sample in self.json["samples"] if sample["time_ns"] >= start}

    def name(self, index):
        frame = self.json["frames"][index]
        if frame["symbol"] is not None:
            return frame["symbol"]
        if frame["module"] is None:
            return frame["address"]
        return "%s+%s" % (self.module(index).rsplit("/", 1)[-1], frame["offset"])

    def module(self, index):
        module = self.json["frames"][index]["module"]
        return "" if module is None else self.json["modules"][module]["path"]

    def names(self, stack):
        return [self.name(i) for i in stack["frames"]]

    def names_at(self, index):
        """Of the stack that a sample names so; none where there is none."""
        return [] if index is None else self.names(self.json["stacks"][index])

    def tables(self, path):
        """Of the modules whose path contains this."""
        return {m["path"]: m["table"] for m in self.json["modules"] if path in m["path"]}

    @property
    def methods(self):
        """How frames were found."""
        return {method for stack in self.json["stacks"] for method in stack["methods"]}

    def problems(self):
        """Keys, types and indices that are not as documented."""
        found = {f"host lacks {key}" for key in HOST_KEYS if key not in self.json["host"]}
        if self.json["schema"] != "uwind-report/1":
            found.add(f"schema is {self.json['schema']}")
        for stack in self.json["stacks"]:
            found.update(self.problems_of_stack(stack))
        for sample in self.json["samples"]:
            found.update(self.problems_of_sample(sample))
        for thread in self.json.get("stack_depth", {"threads": []})["threads"]:
            if thread["exact"] and thread["bytes"] != sum(size or 0 for size in self.json["stacks"][thread["user_stack"]]["stack_bytes"]):
                found.add("a thread's depth is not the sum of its frames")
        if any(f["module"] is not None and f["module"] >= len(self.json["modules"]) for f in self.json["frames"]):
            found.add("a frame names a module that is not there")
        return sorted(found)

    def problems_of_stack(self, stack):
        frames = stack["frames"]
        if any(i >= len(self.json["frames"]) for i in frames):
            yield "a stack names a frame that is not there"
        if not len(frames) == len(stack["methods"]) == len(stack["stack_bytes"]):
            yield "frames, methods and stack_bytes of a stack differ in length"
        if stack["complete"] != (stack["stop"] in COMPLETE):
            yield f"complete does not follow from stop {stack['stop']}"
        if not stack["stop"] or stack["stop"] == "none":
            yield "a stack ended without a reason"
        if stack["methods"] and stack["methods"][0] != "pc":
            yield f"the innermost frame was found by {stack['methods'][0]}, not by pc"

    def problems_of_sample(self, sample):
        for key in ("user_stack", "kernel_stack"):
            if sample[key] is not None and sample[key] >= len(self.json["stacks"]):
                yield "a sample names a stack that is not there"
        if sample["weight"] < 1:
            yield "a sample has no weight"
