#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A report of many samples is read, and written again, in little memory.

Usage: large_report.py UWIND SAMPLES MEBIBYTES
Prints the largest resident memory of uwind for each form, and fails if one is beyond so many MiB.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

FRAMES, STACKS, THREADS, CPUS = 5_000, 50_000, 400, 8
FORMS = {"json": "json.zst", "folded": "folded", "summary": "txt"}


def entries(name, count, entry):
    yield f'"{name}": ['
    for i in range(count):
        yield ("," if i else "") + entry(i) + "\n"
    yield "],\n"


def process(i):
    return f'{{"pid": {1000 + i}, "comm": "worker", "exe": "/bin/worker", "start_time_ns": 1, "word_bits": 64}}'


def frame(i):
    return f'{{"address": "{4096 * i:#x}", "module": 0, "offset": "{4096 * i:#x}", "symbol": "function_{i}", "symbol_offset": 0, "kernel": false}}'


def stack(i):
    frames = [(i * step + step) % FRAMES for step in range(1, 21)]
    return f'{{"frames": {frames}, "methods": {str(["pc"] + ["eh_frame"] * 19)}, "stack_bytes": {[16] * 20}, "stop": "outermost"}}'.replace("'", '"')


def sample(i):
    thread = i * 7919 % THREADS
    return (f'{{"time_ns": {10**12 + i // CPUS * 10_101_010 + thread}, "process": {thread}, "pid": {1000 + thread}, "tid": {1000 + thread}, '
            f'"cpu": {i % CPUS}, "cookie": {(i % CPUS << 48) + i}, "user_stack": {i * 104729 % STACKS}, "kernel_stack": null, "weight": 1, '
            '"event": 0, "period": 10101010}')


def report(samples):
    yield ('{"schema": "uwind-report/1", "host": {"kernel": "6.1", "arch": "x86_64", "hostname": "host", "boot_id": "", "uwind": "0", "abi": 1},'
           '"session": {"event": "cpu-clock", "frequency_hz": 99, "started": "2026-01-01T00:00:00Z", "duration_ns": 1, "target": "all",'
           '"events": [{"name": "cpu-clock", "frequency_hz": 99}]},\n')
    yield from entries("processes", THREADS, process)
    yield '"modules": [{"path": "/bin/worker", "build_id": null, "table": null, "rows": 0, "bytes": 0}],\n'
    yield from entries("frames", FRAMES, frame)
    yield from entries("stacks", STACKS, stack)
    yield from entries("samples", samples, sample)
    yield f'"counters": {{"requested": {samples}, "answered": {samples}, "lost": {{"pending": 0}}, "stops": {{"outermost": {samples}}}}}}}\n'


def largest_memory(command):
    """Of a program's own, in MiB."""
    pid = subprocess.Popen(command).pid
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, command
    return usage.ru_maxrss / 1024


def main():
    uwind, samples, most = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        compressed = pathlib.Path(folder, "report.json.zst")
        with open(compressed, "wb") as out, subprocess.Popen(["zstd", "-q", "-1"], stdin=subprocess.PIPE, stdout=out, text=True) as zstd:
            zstd.stdin.writelines(report(samples))
        for form, end in FORMS.items():
            used = largest_memory([uwind, "report", "-i", compressed, "--format", form, "-o", f"{folder}/out.{end}"])
            print(f"figure: large_report form={form} samples={samples} mib={used:.0f}")
            assert used <= most, f"{form} took {used:.0f} MiB"
        again = largest_memory([uwind, "report", "-i", f"{folder}/out.json.zst", "--check"])
        assert again <= most, f"--check took {again:.0f} MiB"


if __name__ == "__main__":
    main()
