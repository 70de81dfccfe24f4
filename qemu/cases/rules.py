#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Reads a JSON report and says which of the given rules it breaks: what shell cases ask of a report. Standard library only.

Usage: rules.py FILE RULE...
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
  counted:COUNTER             that counter of the report's is not 0
  bottom:COMM                 its complete stacks end in _start or where threads start
  finished_later:COMM:N       at least N of its samples lacked a table, and were finished later
  never_later                 no sample of any program was
  alike:COMM:INNER            its complete stacks that begin in INNER are all the same, whether finished later or not
  chain:COMM:INNER:OUTER      in some stack of it, OUTER called INNER, directly or not
  never:COMM:INNER:OUTER      in no stack of it, OUTER called INNER
  called:COMM:OUTER:PERCENT   of its stacks whose innermost frame is in no file, in at least so many OUTER has called that
  deep:COMM:N                 some stack of it has at least N frames
  bytes:N:M                   messages took at most N bytes for each sample, and M for each message: its head, and a
                              whole stack for the others to differ from
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
import sys

from report import Report, percent

BOTTOMS = {"_start", "clone", "__clone", "clone3", "__clone3", "start_thread", "thread_start"}


def rule_schema(report):
    return report.problems()


def rule_balance(report):
    if report.requested == report.accounted:
        return []
    return [f"requested {report.requested}, answered, lost and pending {report.accounted}"]


def rule_lost(report, most):
    """Kernel threads have no user stack and are not a loss."""
    lost = {cause: number for cause, number in report.lost.items() if cause not in ("kthread", "pending")}
    found = percent(sum(lost.values()), report.requested - report.lost["kthread"])
    return [f"{found:.2f} % lost: {lost}"] if found > float(most) else []


def rule_samples(report, comm, least):
    return [] if report.of(comm).samples >= int(least) else [str(report.of(comm))]


def rule_processes(report, comm, least):
    found = report.of(comm).processes
    return [] if found >= int(least) else [f"{comm} has {found} processes"]


def rule_complete(report, comm, least, besides=None):
    found = report.of(comm).complete_besides(besides)
    return [] if found >= float(least) else [f"{found:.2f} %: {report.of(comm)}"]


def rule_stop(report, comm, reason, least):
    found = report.of(comm).stopped(reason)
    return [] if found >= float(least) else [f"{found:.2f} %: {report.of(comm)}"]


def rule_agrees(report, comm):
    differ = report.of(comm).weight(lambda stack: stack["stop"] == "shadow_stack", 0.5)
    return [f"{differ} late samples of {comm} differ from the shadow stack"] if differ else []


def rule_absent(report, comm):
    return [str(report.of(comm))] if comm in report.programs else []


def rule_lost_some(report, cause):
    return [] if report.lost[cause] else [f"lost: {dict(report.lost)}"]


def rule_counted(report, counter):
    return [] if report.counters.get(counter) else [f"counters.{counter} is 0"]


def rule_bottom(report, comm):
    wrong = [stack for stack, _ in report.of(comm).stacks()
             if stack["complete"] and stack["stop"] != "thread_start" and report.names(stack)[-1] not in BOTTOMS]
    frames = [", ".join(f"{name} ({method})" for name, method in zip(report.names(stack), stack["methods"])) for stack in wrong[:1]]
    return [f"{len(wrong)} complete stacks of {comm} end elsewhere, {wrong[0]['stop']}: {frames[0]}"] if wrong else []


def is_late(stack):
    return stack.get("finished") == "later"


def rule_finished_later(report, comm, least):
    found = report.of(comm).weight(is_late)
    print(f"{found} samples of {comm} were finished later")
    return [] if found >= int(least) else [f"{found} samples of {comm} were finished later"]


def rule_never_later(report):
    late = sum(map(is_late, report.json["stacks"]))
    sent = report.counters["unfinished"]
    return [f"{late} stacks were finished later, {sent} samples came with bytes"] if late or sent else []


def rule_alike(report, comm, inner):
    found = collections.defaultdict(collections.Counter)
    for stack, weight in report.of(comm).stacks():
        names = report.names(stack)
        if stack["complete"] and inner in names[0]:
            found[tuple(names)][is_late(stack)] += weight
    print(f"{len(found)} different stacks of {comm} in {inner}: {[dict(kinds) for kinds in found.values()]}")
    if len(found) == 1 and len(next(iter(found.values()))) == 2:
        return []
    return [f"stacks in {inner}, by whether they were finished later: {dict(found)}"]


def rule_chain(report, comm, inner, outer):
    return [] if report.of(comm).calls(inner, outer) else [f"no stack of {comm} has {inner} called by {outer}"]


def rule_never(report, comm, inner, outer):
    wrong = report.of(comm).calls(inner, outer)
    return [f"{wrong} stacks of {comm} have {inner} called by {outer}"] if wrong else []


def rule_called(report, comm, outer, least):
    stacks = [(s, w) for s, w in report.of(comm).stacks() if report.json["frames"][s["frames"][0]]["module"] is None]
    total = sum(w for _, w in stacks)
    found = percent(sum(w for s, w in stacks if report.names(s)[1:2] == [outer]), total)
    print(f"{outer} has called {found:.1f} % of {total} stacks of {comm} outside of files")
    return [] if found >= float(least) else [f"{outer} has called {found:.2f} % of {total}"]


def rule_deep(report, comm, least):
    deepest = max(report.of(comm).depths, default=0)
    return [] if deepest >= int(least) else [f"the deepest stack of {comm} has {deepest} frames"]


def rule_bytes(report, of_sample, of_message):
    samples, messages, found = len(report.json["samples"]), report.counters["messages"], report.counters["message_bytes"]
    print(f"{found / samples if samples else 0.0:.1f} bytes for each of {samples} samples")
    is_right = 0 < found <= samples * float(of_sample) + messages * float(of_message)
    return [] if is_right else [f"{samples} samples take {found} bytes of {messages} messages"]


def rule_known(report, least):
    told, known = (report.counters["stacks_" + word] for word in ("told", "known"))
    found = percent(known, told + known)
    return [] if found >= float(least) else [f"{found:.2f} % of {told + known} stacks were known"]


def rule_only(report, comm):
    others = report.programs - {comm}
    return [f"there are samples of {sorted(others)}"] if others else []


def rule_table(report, path, kind):
    tables = report.tables(path)
    return [] if kind in tables.values() else [f"tables of {path}: {tables}"]


def rule_method(report, path, method):
    for stack in report.json["stacks"]:
        for frame, found_by in zip(stack["frames"], stack["methods"]):
            if found_by == method and path in report.module(frame):
                return []
    return [f"no frame in {path} was found by {method}"]


def rule_unnamed(report, path):
    frames = [f for i, f in enumerate(report.json["frames"]) if path in report.module(i)]
    names = {f["symbol"] for f in frames} - {None, "_start"}
    return [] if frames and not names else [f"{len(frames)} frames in {path}, named {sorted(names)}"]


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
    return [f"process {pid} has {answered[pid]} answers, but {asked[pid]} were asked for"
            for pid in answered if answered[pid] > asked[pid]]


def rule_asked(report, path):
    asked = sum(processes_asked(path).values())
    if 0 <= report.requested - asked <= report.lost["nomem"]:
        return []
    return [f"{report.requested} requests, but {asked} were asked for; lost: {dict(report.lost)}"]


def main(arguments):
    report, status = Report(arguments[0]), 0
    for rule in arguments[1:]:
        name, *parameters = rule.split(":")
        for problem in globals()["rule_" + name](report, *parameters):
            print(f"{arguments[0]}: {rule}: {problem}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
