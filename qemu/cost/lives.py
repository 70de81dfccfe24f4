#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What processes' lives and mappings cost, as figures: while nothing is recorded, while all is and /proc alone says what runs, and
while the kernel tells of them. What the recorder does with what it is told is included: there is one processor.

Usage: lives.py NAME=VALUE..., keys of all of them. In a guest whose time counts its instructions, with one processor.
"""
import contextlib
import json
import pathlib
import subprocess
import sys
import time

import calls

SETTLED_S = 20  # of the guest, whose time is not even before that
TYPES = "/sys/kernel/btf/vmlinux"
LOG = pathlib.Path("/tmp/lives.log")


@contextlib.contextmanager
def recording(is_told):
    """At one sample a second, so that samples cost next to nothing."""
    with LOG.open("w", encoding="utf-8") as log:
        recorder = subprocess.Popen(["uwind", "record", "-v", "-a", "-F", "1", "-o", "/tmp/lives.json"], stderr=log)
    while "sampling has begun" not in LOG.read_text(encoding="utf-8"):
        if recorder.poll() is not None:
            raise SystemExit(LOG.read_text(encoding="utf-8"))
        time.sleep(0.5)
    time.sleep(SETTLED_S)
    yield
    recorder.terminate()
    assert recorder.wait() == 0, LOG.read_text(encoding="utf-8")
    unwatched = json.loads(pathlib.Path("/tmp/lives.json").read_text(encoding="utf-8"))["session"].get("unwatched", [])
    assert ("processes" in unwatched) != is_told, unwatched


@contextlib.contextmanager
def without_types():
    """Of the kernel, which programs that follow lives need."""
    subprocess.run(["mount", "--bind", "/dev/null", TYPES], check=True)
    yield
    subprocess.run(["umount", TYPES], check=True)


def print_figures(state):
    calls.print_figures("followed", " ".join(sys.argv[1:]), state, [name for name in calls.CALLS if name != "getppid"])


def main():
    time.sleep(SETTLED_S)
    print_figures("nothing is recorded")
    with without_types(), recording(is_told=False):
        print_figures("recorded, /proc alone")
    with recording(is_told=True):
        print_figures("recorded, told by the kernel")


main()
