#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Reads a JSON report and says which of the given rules it breaks. Standard library only.

Usage: report.py FILE RULE...
  schema                      keys, types and indices are as documented
  balance                     requested = answered + the sum of lost (pending among it)
  lost:PERCENT                at most so many requests were lost, kernel threads aside
  samples:COMM:N              at least N samples (by weight) of that program
  processes:COMM:N            at least N different processes of it
  complete:COMM:PERCENT[:REASON]  at least so many of its stacks are complete, those that end for REASON left out
  stop:COMM:REASON:PERCENT    at least so many of its stacks end for that reason
  agrees:COMM                 in the second half of its samples no stack differs from the shadow stack
  absent:COMM                 no sample is of COMM
  lost_some:CAUSE             some requests were lost for that cause
  cpus:N                      samples were taken on so many processors, after the first half of the time too
  bottom:COMM                 its complete stacks end in _start or where threads start
  chain:COMM:INNER:OUTER      in some stack of it, OUTER called INNER, directly or not
  called:COMM:OUTER:PERCENT   of its stacks whose innermost frame is in no file, in at least so many OUTER has called that
  depth:COMM:FRAMES           its stacks have at most so many frames, and those that end for depth exactly so many
  on:CPU                      every sample was asked for on that processor
  session:KEY:TEXT            the session says so of itself
  deep:COMM:N                 some stack of it has at least N frames
  bytes:N                     a sample took at most N bytes of messages
  known:PERCENT               of at least so many samples the stack had been told in the same message
  only:COMM                   there is no sample of any other program
  table:MODULE:KIND           a module whose path contains MODULE has such a table
  method:MODULE:METHOD        some frame in MODULE was found that way
  unnamed:MODULE              frames in MODULE have no symbol, but for the entry function
  bounded:FILE                each process has at most as many stacks as FILE says were asked for ("process PID N"; PID 0
                              counts for those that FILE does not name)
  asked:FILE                  nobody else has asked: FILE's sum is what was requested, but for what found no request
"""
import collections
import json
import sys

COMPLETE = {"outermost", "zero_ra", "zero_fp", "thread_start"}
BOTTOMS = {"_start", "clone", "__clone", "clone3", "__clone3", "start_thread", "thread_start"}


class Report:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.json = json.load(file)
        self.samples = collections.defaultdict(list)
        for sample in sorted(self.json["samples"], key=lambda s: s["time_ns"]):
            self.samples[self.json["processes"][sample["process"]]["comm"]].append(sample)

    def stacks(self, comm, skipped=0):
        """Pairs (stack, weight) of a program, without a share of its samples, the earliest."""
        samples = self.samples.get(comm, [])
        for sample in samples[int(skipped * len(samples)):]:
            if sample["user_stack"] is not None:
                yield self.json["stacks"][sample["user_stack"]], sample["weight"]

    def weight(self, comm, skipped=0):
        return sum(w for _, w in self.stacks(comm, skipped))

    def complete_percent(self, comm, skipped=0, besides=None):
        total = sum(w for s, w in self.stacks(comm, skipped) if s["stop"] != besides)
        good = sum(w for s, w in self.stacks(comm, skipped) if s["complete"])
        return 100 * good / total if total else 0.0

    def why_not(self, comm):
        """Stop reasons of the stacks that are not complete, most frequent first."""
        reasons = collections.Counter()
        for stack, weight in self.stacks(comm):
            if not stack["complete"]:
                reasons[stack["stop"]] += weight
        return reasons

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

    def lost(self):
        """Pairs (cause, requests); kernel threads have no user stack and are not a loss."""
        return {c: n for c, n in self.json["counters"]["lost"].items() if c not in ("kthread", "pending")}

    def lost_percent(self):
        counters = self.json["counters"]
        asked = counters["requested"] - counters["lost"].get("kthread", 0)
        return 100 * sum(self.lost().values()) / asked if asked > 0 else 0.0


def check_stack(json_report, stack, problems):
    frames = stack["frames"]
    if any(i >= len(json_report["frames"]) for i in frames):
        problems.append("a stack names a frame that is not there")
    if not len(frames) == len(stack["methods"]) == len(stack["stack_bytes"]):
        problems.append("frames, methods and stack_bytes of a stack differ in length")
    if stack["complete"] != (stack["stop"] in COMPLETE):
        problems.append("complete does not follow from stop %s" % stack["stop"])
    if not stack["stop"] or stack["stop"] == "none":
        problems.append("a stack ended without a reason")
    if stack["methods"] and stack["methods"][0] != "pc":
        problems.append("the innermost frame was found by %s, not by pc" % stack["methods"][0])


def rule_schema(report):
    problems, root = [], report.json
    if root["schema"] != "uwind-report/1":
        problems.append("schema is %s" % root["schema"])
    for key in ("kernel", "arch", "hostname", "boot_id", "uwind", "abi"):
        if key not in root["host"]:
            problems.append("host lacks %s" % key)
    for stack in root["stacks"]:
        check_stack(root, stack, problems)
    for sample in root["samples"]:
        for key in ("user_stack", "kernel_stack"):
            if sample[key] is not None and sample[key] >= len(root["stacks"]):
                problems.append("a sample names a stack that is not there")
        if sample["weight"] < 1:
            problems.append("a sample has no weight")
    for frame in root["frames"]:
        if frame["module"] is not None and frame["module"] >= len(root["modules"]):
            problems.append("a frame names a module that is not there")
    return sorted(set(problems))


def rule_balance(report):
    counters = report.json["counters"]
    lost = sum(counters["lost"].values())
    if counters["requested"] != counters["answered"] + lost:
        return ["requested %d, answered %d, lost and pending %d" % (counters["requested"], counters["answered"], lost)]
    return []


def rule_lost(report, percent):
    if report.lost_percent() > float(percent):
        return ["%.2f %% lost: %s" % (report.lost_percent(), report.lost())]
    return []


def rule_samples(report, comm, least):
    weight = report.weight(comm)
    return [] if weight >= int(least) else ["%s has %d samples" % (comm, weight)]


def rule_processes(report, comm, least):
    found = len({s["process"] for s in report.samples.get(comm, [])})
    return [] if found >= int(least) else ["%s has %d processes" % (comm, found)]


def rule_complete(report, comm, percent, besides=None):
    found = report.complete_percent(comm, besides=besides)
    if found >= float(percent):
        return []
    return ["%.2f %% of %s are complete; the others: %s" % (found, comm, dict(report.why_not(comm)))]


def rule_stop(report, comm, reason, percent):
    stacks = list(report.stacks(comm))
    total = sum(w for _, w in stacks)
    found = 100 * sum(w for s, w in stacks if s["stop"] == reason) / total if total else 0.0
    if found >= float(percent):
        return []
    return ["%.2f %% of %s end for %s; all: %s" % (found, comm, reason, collections.Counter(s["stop"] for s, _ in stacks))]


def rule_lost_some(report, cause):
    return [] if report.json["counters"]["lost"].get(cause, 0) else ["lost: %s" % report.json["counters"]["lost"]]


def rule_counted(report, counter):
    return [] if report.json["counters"].get(counter) else [f"counters.{counter} is 0"]


def rule_cpus(report, number):
    times = sorted(s["time_ns"] for s in report.json["samples"])
    middle = (times[0] + times[-1]) / 2 if times else 0
    late = {s["cpu"] for s in report.json["samples"] if s["time_ns"] > middle}
    return [] if len(late) >= int(number) else ["late samples come from the processors %s" % sorted(late)]


def rule_bottom(report, comm):
    ends = collections.Counter()
    for stack, weight in report.stacks(comm):
        if stack["complete"] and stack["stop"] != "thread_start" and report.names(stack)[-1] not in BOTTOMS:
            ends[report.names(stack)[-1]] += weight
    return ["complete stacks of %s end in %s" % (comm, dict(ends))] if ends else []


def follows(names, inner, outer):
    """Compilers add suffixes such as .constprop.0, C++ argument lists."""
    inside = [i for i, n in enumerate(names) if inner in n]
    return bool(inside) and any(outer in n for n in names[inside[0] + 1:])


def rule_chain(report, comm, inner, outer):
    if any(follows(report.names(s), inner, outer) for s, _ in report.stacks(comm)):
        return []
    return ["no stack of %s has %s called by %s" % (comm, inner, outer)]


def rule_never(report, comm, inner, outer):
    wrong = sum(w for s, w in report.stacks(comm) if follows(report.names(s), inner, outer))
    return ["%d stacks of %s have %s called by %s" % (wrong, comm, inner, outer)] if wrong else []


def rule_called(report, comm, outer, percent):
    stacks = [(s, w) for s, w in report.stacks(comm) if report.json["frames"][s["frames"][0]]["module"] is None]
    total = sum(w for _, w in stacks)
    found = 100 * sum(w for s, w in stacks if report.names(s)[1:2] == [outer]) / total if total else 0.0
    return [] if found >= float(percent) else ["%s has called %.2f %% of %d" % (outer, found, total)]


def rule_deep(report, comm, least):
    deepest = max((len(s["frames"]) for s, _ in report.stacks(comm)), default=0)
    return [] if deepest >= int(least) else ["the deepest stack of %s has %d frames" % (comm, deepest)]


def rule_bytes(report, most):
    samples = len(report.json["samples"])
    found = report.json["counters"]["message_bytes"] / samples if samples else 0.0
    print("%.1f bytes for each of %d samples" % (found, samples))
    return [] if 0 < found <= float(most) else ["a sample takes %.1f bytes" % found]


def rule_known(report, percent):
    told, known = (report.json["counters"]["stacks_" + word] for word in ("told", "known"))
    found = 100 * known / (told + known) if told + known else 0.0
    return [] if found >= float(percent) else ["%.2f %% of %d stacks were known" % (found, told + known)]


def rule_only(report, comm):
    others = {c: len(s) for c, s in report.samples.items() if c != comm}
    return ["there are samples of %s" % others] if others else []


def rule_agrees(report, comm):
    differ = sum(w for s, w in report.stacks(comm, 0.5) if s["stop"] == "shadow_stack")
    return ["%d late samples of %s differ from the shadow stack" % (differ, comm)] if differ else []


def rule_absent(report, comm):
    return ["%s has %d samples" % (comm, len(report.samples[comm]))] if report.samples.get(comm) else []


def rule_depth(report, comm, frames):
    wrong = collections.Counter(len(s["frames"]) for s, _ in report.stacks(comm)
                                if len(s["frames"]) > int(frames) or s["stop"] == "depth" and len(s["frames"]) != int(frames))
    return ["stacks of %s by their number of frames: %s" % (comm, dict(wrong))] if wrong else []


def rule_on(report, cpu):
    found = {s["cpu"] for s in report.json["samples"]}
    return [] if found == {int(cpu)} else ["samples come from the processors %s" % sorted(found)]


def rule_session(report, key, text):
    found = report.json["session"].get(key)
    return [] if str(found) == text else ["the session's %s is %s" % (key, found)]


def rule_table(report, path, kind):
    tables = {m["path"]: m["table"] for m in report.json["modules"] if path in m["path"]}
    return [] if kind in tables.values() else ["tables of %s: %s" % (path, tables)]


def rule_method(report, path, method):
    for stack in report.json["stacks"]:
        for frame, found_by in zip(stack["frames"], stack["methods"]):
            if found_by == method and path in report.module(frame):
                return []
    return ["no frame in %s was found by %s" % (path, method)]


def rule_unnamed(report, path):
    frames = [f for i, f in enumerate(report.json["frames"]) if path in report.module(i)]
    names = {f["symbol"] for f in frames} - {None, "_start"}
    return [] if frames and not names else ["%d frames in %s, named %s" % (len(frames), path, sorted(names))]


def processes_asked(path):
    """Requests by process; under 0 those of processes that are not named."""
    asked = collections.Counter()
    with open(path, encoding="utf-8") as file:
        for words in map(str.split, file):
            if words[0] == "process":
                asked[int(words[1])] += int(words[2])
    return asked


def rule_bounded(report, path):
    asked, answered = processes_asked(path), collections.Counter()
    for sample in report.json["samples"]:
        answered[sample["pid"] if sample["pid"] in asked else 0] += sample["weight"]
    return ["process %d has %d answers, but %d were asked for" % (pid, answered[pid], asked[pid])
            for pid in answered if answered[pid] > asked[pid]]


def rule_asked(report, path):
    counters, asked = report.json["counters"], sum(processes_asked(path).values())
    at_once = counters["requested"] - asked
    if 0 <= at_once <= counters["lost"].get("nomem", 0):
        return []
    return ["%d requests, but %d were asked for; lost: %s" % (counters["requested"], asked, counters["lost"])]


def main(arguments):
    report, status = Report(arguments[0]), 0
    for rule in arguments[1:]:
        name, *parameters = rule.split(":")
        for problem in globals()["rule_" + name](report, *parameters):
            print("%s: %s: %s" % (arguments[0], rule, problem))
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
