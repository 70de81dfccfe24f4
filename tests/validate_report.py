#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Validates reports: validate_report.py SCHEMA REPORT... Exit 1 if one is not valid.

Beyond the schema: indices lie in their lists, the lists of a stack have one
length, and requested = answered + the sum of lost.
"""
import json
import sys

import jsonschema


def broken_rules(report):
    sizes = {key: len(report[key]) for key in ("processes", "modules", "frames", "stacks")}
    for frame in report["frames"]:
        if frame["module"] is not None and frame["module"] >= sizes["modules"]:
            yield f"a frame's module {frame['module']} is not there"
    for stack in report["stacks"]:
        if any(frame >= sizes["frames"] for frame in stack["frames"]):
            yield "a stack's frame is not there"
        if not len(stack["frames"]) == len(stack["methods"]) == len(stack["stack_bytes"]):
            yield "a stack's lists differ in length"
    for sample in report["samples"]:
        if sample["process"] >= sizes["processes"]:
            yield f"a sample's process {sample['process']} is not there"
        for key in ("user_stack", "kernel_stack"):
            if sample[key] is not None and sample[key] >= sizes["stacks"]:
                yield f"a sample's {key} {sample[key]} is not there"
    yield from broken_depths(report)
    counters = report["counters"]
    if counters["requested"] != counters["answered"] + sum(counters["lost"].values()):
        yield "requested is not answered + lost"


def counted_bytes(stack):
    """What follows a step by the frame pointer counts in complete stacks only."""
    sizes, steps = stack["stack_bytes"], stack["methods"][1:] + [""]
    end = len(sizes) if stack["complete"] else next((i for i, step in enumerate(steps) if step in ("fp", "compat_fp")), len(sizes))
    return sum(size or 0 for size in sizes[:end])


def broken_depths(report):
    depths = report.get("stack_depth", {"threads": [], "functions": []})
    for thread in depths["threads"]:
        stacks = {s["user_stack"] for s in report["samples"] if (s["process"], s["tid"]) == (thread["process"], thread["tid"])}
        sums = {stack: counted_bytes(report["stacks"][stack]) for stack in stacks - {None}}
        if thread["bytes"] != max(sums.values()) or thread["bytes"] != sums[thread["user_stack"]]:
            yield f"thread {thread['tid']} is not as deep as its deepest stack"
    for function in depths["functions"]:
        stack = report["stacks"][function["user_stack"]]
        if (function["frame"], function["bytes"]) not in zip(stack["frames"], stack["stack_bytes"]):
            yield f"frame {function['frame']} is not that of its stack"


def main(schema_path, *report_paths):
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failed = False
    for path in report_paths:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        errors = [f"{e.json_path}: {e.message}" for e in validator.iter_errors(report)]
        for error in (errors or list(broken_rules(report)))[:20]:
            print(f"{path}: {error}", file=sys.stderr)
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
