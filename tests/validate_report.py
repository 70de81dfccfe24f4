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
    counters = report["counters"]
    if counters["requested"] != counters["answered"] + sum(counters["lost"].values()):
        yield "requested is not answered + lost"


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
