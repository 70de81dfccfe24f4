# SPDX-License-Identifier: GPL-2.0
# Expected: 40 s; more of ATTACHES=10000 (sessions), PROCESSORS=2
"""Functions of the kernel are traced beside others who do the same. Their call sites are patched meanwhile, and byte for byte as
before afterwards."""
import contextlib
import os
import pathlib
import platform
import re
import subprocess

import pytest

import guest
import kernel_text

ATTACHES = int(os.environ.get("ATTACHES", "60"))
SYSTEM_CALL = {"x86_64": "__x64_sys_getppid", "aarch64": "__arm64_sys_getppid"}[platform.machine()]
TRACING = pathlib.Path("/sys/kernel/tracing")
# Some are called all the time, by interrupts too, one from within what notes calls, and one is a module's.
STORM = [SYSTEM_CALL, "vfs_read", "vfs_open", "do_filp_open", "try_to_wake_up", "hrtimer_interrupt", "task_work_add", "tun_chr_open"]
TUN_IS_MODULE = not pathlib.Path("/sys/module/tun").exists()  # before anything has inserted it
TRACERS = ["function", "nop", "function_graph", "nop"]


@pytest.fixture(name="traceable", scope="module")
def fixture_traceable():
    """Addresses of functions that can be traced, by name."""
    names = set(re.findall(r"^vfs_\S+", guest.read(TRACING / "available_filter_functions"), re.MULTILINE))
    return {name: address for name, address in kernel_text.functions("vfs_").items() if name in names}


def call_sites(text, functions):
    """What is around their first instructions."""
    return {name: text.at(address - 32, 64) for name, address in functions.items()}


@pytest.mark.usefixtures("processors")
def test_call_sites_are_patched_while_they_are_traced_and_byte_for_byte_as_before_afterwards(record, traceable):
    """Of calls, and of the returns of other functions."""
    text = kernel_text.KernelText()
    before = call_sites(text, traceable)
    recording = record("sites", "-a", "-e", "func:vfs_[!a-l]*", "-e", "func:vfs_[a-l]*:ret", "--force")
    during = call_sites(text, traceable)
    recording.end()
    untouched = [name for name in before if during[name] == before[name]]
    kinds = {name[4] <= "l" for name in before}
    assert len(before) >= 30 and len(kinds) == 2 and not untouched, untouched
    assert call_sites(text, traceable) == before


def beside_others(turn):
    """What else traces functions, and modules that come and go."""
    if turn % 3 == 1:
        with contextlib.suppress(OSError), open(TRACING / "set_ftrace_filter", "a", encoding="ascii") as chosen:
            chosen.write("*:mod:tun")  # besides: to open it to write it anew means all functions
    guest.write(TRACING / "current_tracer", TRACERS[turn % len(TRACERS)])
    if TUN_IS_MODULE:
        guest.result_of("modprobe", *(["-r"] if turn % 2 else []), "tun")  # may be in use just now


@pytest.fixture(name="other_tracers")
def fixture_other_tracers():
    if TUN_IS_MODULE:
        guest.run("modprobe", "tun")
    guest.write(TRACING / "set_ftrace_filter", "vfs_*")
    yield
    guest.write(TRACING / "current_tracer", "nop")
    guest.write(TRACING / "set_ftrace_filter", "")


def storm(programs):
    """Sessions that trace functions until they have been made, and at least three turns of other tracers. Returns what the sessions
    say, and how many turns there were."""
    running = [programs.start(guest.PROGRAMS / "attach_functions", ATTACHES // 2, seed, *STORM, stdout=subprocess.PIPE, text=True)
               for seed in (1, 2)]
    turns = 0
    while turns < 3 or any(one.poll() is None for one in running):
        beside_others(turns)
        turns += 1
    assert not any(one.returncode for one in running)
    return [list(map(int, re.findall(r"\d+", one.stdout.read()))) for one in running], turns


@pytest.mark.usefixtures("processors", "other_tracers")
def test_attached_and_detached_beside_others_that_do_the_same(programs):
    """Of calls and returns, stock tracers' and their own, of functions of modules, too. A complaint of the kernel's ends the run."""
    said, turns = storm(programs)
    for made, refused, events in said:
        assert made + refused == ATTACHES // 2 and made >= ATTACHES // 4 and events > made, said
    guest.renew_module(f"after {ATTACHES} sessions, and {turns} turns of other tracers")
