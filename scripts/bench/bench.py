#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Runs the benchmarks, shows ratios to others of the same run, and compares these with the committed baseline.

Usage: bench.py run OUT RUNS          each benchmark so often: OUT/raw/N.jsonl, a record a line; OUT/machine.json
       bench.py show OUT BASELINE     prints the table; OUT/GROUP.json, bench.md, plots, and figures.log for measured.py
       bench.py guest OUT FOLDER      takes what a guest left in FOLDER (qemu/bench): guest.json and a file of records a group
       bench.py renew OUT BASELINE    makes the baseline of what OUT has

A ratio that is worse than the baseline's is said, and is no failure: times depend on what else a machine does.
"""
import json
import os
import pathlib
import shutil
import sys

import baseline
import machine
import measure
import page
import plots
from figures import GROUPS, LAST, STEPS, UNW_BACKTRACE, UNW_STEP, ratios_of, read_runs

# Of docs/measured/walk.json: a row, the stack, and the contestant whose figures it has.
WALKERS = {
    "uwind": ("plain", ".eh_frame"),
    "uwind, steps remembered": ("plain", ".eh_frame" + STEPS),
    "uwind, as the last time": ("plain", ".eh_frame" + LAST),
    "uwind, .sframe": ("plain", "SFrame"),
    "uwind, frame pointers": ("framed", "frame pointers"),
    "libunwind": ("plain", UNW_STEP),
    "libunwind, unw_backtrace": ("plain", UNW_BACKTRACE),
    "glibc, backtrace": ("plain", "glibc backtrace"),
    "libdw": ("plain", "libdw"),
}
WALKED_FRAMES = "100"

# Of docs/measured/table.json: a row, and the reader of libLLVM-14 whose figures it has.
LOWERED = {"libLLVM-14, `.eh_frame`": "CFI alone", "libLLVM-14, and code without CFI": "CFI and code"}


def run(out, runs):
    raw, load = out / "raw", os.getloadavg()[0]
    shutil.rmtree(raw, ignore_errors=True)
    raw.mkdir(parents=True)
    for number in range(1, runs + 1):
        print(f"run {number} of {runs}", flush=True)
        measure.run(raw / f"{number}.jsonl")
    write_json(out / "machine.json", machine.describe(load))


def take_guest(out, folder):
    raw = out / "raw"
    shutil.rmtree(raw, ignore_errors=True)
    raw.mkdir(parents=True)
    left = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.jsonl"))]
    (raw / "1.jsonl").write_text("".join(left), encoding="utf-8")
    write_json(out / "machine.json", machine.describe_guest(folder))


def write_json(path, content):
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def write_lines(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def group_json(group, runs, ratios, described):
    return {
        "group": group,
        "machine": described,
        "runs": [[figure.as_json() for figure in run.values() if figure.group == group] for run in runs],
        "ratios": {name: round(ratio, 3) for name, (pair, _, ratio) in ratios.items() if pair.group == group},
    }


def value_of(figures, group, of, unit, **key):
    figure = figures.get((group, tuple(sorted(key.items())), of, unit))
    return figure.value if figure else None


def figure_line(subject, names, values):
    """For measured.py; nothing if there are no values."""
    said = [f"{name}={value:.{2 if name == 'bytes' else 1}f}" for name, value in values.items() if value is not None]
    words = [f'"{name}={value}"' for name, value in names.items()]
    return [f"figure: {subject} {' '.join(words + said)}"] if said else []


def measured_lines(figures):
    for walker, (stack, of) in WALKERS.items():
        places = {"hot": ("warm", of), "cold": ("empty", of)}
        if of == UNW_STEP:
            places["first"] = ("empty", of + ", code not seen before")
        values = {
            name: value_of(figures, "frames", contestant, "ns per frame", stack=stack, frames=WALKED_FRAMES, caches=caches)
            for name, (caches, contestant) in places.items()
        }
        yield from figure_line("walk", {"walker": walker}, values)
    for table, of in LOWERED.items():
        values = {name: value_of(figures, "lowering", of, f"{unit} per row", file="libLLVM") for name, unit in (("lower", "ns"), ("bytes", "bytes"))}
        yield from figure_line("table", {"table": table}, values)
    made_up = value_of(figures, "lookups", "ours", "bytes per row", **{"in": "rows of a table", "nr": "1000000"})
    yield from figure_line("table", {"table": "1,000,000 made-up rows"}, {"bytes": made_up})


def described_machine(out):
    try:
        return json.loads((out / "machine.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SystemExit(f"{out}/machine.json: {error}: 'make bench' makes it") from error


def show(out, baseline_path):
    runs, described = read_runs(out / "raw"), described_machine(out)
    ratios = ratios_of(runs)
    comparison = baseline.Comparison(ratios, baseline.read(baseline_path))
    for group in (group for group in GROUPS if any(figure.group == group for run in runs for figure in run.values())):
        write_json(out / f"{group}.json", group_json(group, runs, ratios, described))
    drawn = plots.draw(runs[-1], out)
    write_lines(out / "bench.md", page.markdown(comparison, runs[-1], described, drawn))
    write_lines(out / "figures.log", measured_lines(runs[-1]))
    print("\n".join(page.terminal(comparison, described)) + "\n")
    print("\n".join([*comparison.lines(), comparison.verdict()]))


def renew(out, baseline_path):
    runs = read_runs(out / "raw")
    baseline.write(baseline_path, ratios_of(runs), described_machine(out), len(runs))
    print(f"{baseline_path}: the ratios of {len(runs)} runs")


def main(arguments):
    verb, *rest = arguments or [""]
    if verb == "run" and len(rest) == 2 and rest[1].isdigit() and int(rest[1]):
        run(pathlib.Path(rest[0]), int(rest[1]))
    elif verb in ("guest", "show", "renew") and len(rest) == 2:
        {"guest": take_guest, "show": show, "renew": renew}[verb](*map(pathlib.Path, rest))
    else:
        print(__doc__, file=sys.stderr)
        return 64
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
