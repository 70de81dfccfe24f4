# SPDX-License-Identifier: GPL-2.0
"""What a run was made on, and its programs."""
import json
import os
import pathlib
import re
import subprocess

BUSY = 0.5  # processes that wait for a processor, before the run: more than that disturb it


def said(*command):
    """Nothing if it fails: the source may be no clone."""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def first(pattern, path):
    match = re.search(pattern, pathlib.Path(path).read_text(encoding="utf-8"), re.MULTILINE)
    return match[1].strip() if match else "unknown"


def describe(load_before):
    changed = said("git", "status", "--porcelain", "--untracked-files=no")
    memory_kb = int(first(r"^MemTotal:\s*(\d+)", "/proc/meminfo"))
    return {
        "cpu": first(r"^(?:model name|CPU part)\s*:(.*)", "/proc/cpuinfo"),
        "cores": os.cpu_count(),
        "memory": f"{memory_kb / 2**20:.1f} GiB",
        "kernel": os.uname().release,
        "compiler": said("c++", "--version").splitlines()[0],
        "commit": (said("git", "rev-parse", "--short", "HEAD") or "unknown") + (", changed since" if changed else ""),
        "load": f"{load_before:.1f} before, {os.getloadavg()[0]:.1f} after",
        "quiet": load_before <= BUSY,
    }


def describe_guest(folder):
    """A guest's machine.json: what it has left there, and the machine that it was emulated on."""
    described = describe(os.getloadavg()[0])
    described["guest"] = json.loads((folder / "guest.json").read_text(encoding="utf-8"))
    return described


def guest_sentence(machine):
    of = machine["guest"]
    told = f"A guest: {of['arch']}, Linux {of['kernel']}, one processor whose time counts instructions, of 1 ns each; {of['perf']}"
    return f"{told}; commit {machine['commit']}"


def sentence(machine):
    if machine.get("guest"):
        return guest_sentence(machine)
    told = "{cpu}, {cores} cores, {memory}; Linux {kernel}; {compiler}; commit {commit}; load {load}".format(**machine)
    return told if machine["quiet"] else told + "\nThe machine was busy with something else: ratios bear that better than times."
