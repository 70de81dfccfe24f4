# SPDX-License-Identifier: GPL-2.0
# Needs: /usr/bin/perf
# Expected: 120 s; EVENTS=300 is how many of each kind, 5,000 at most
"""The kernel's stacks are perf's, frame by frame: perf and uwind record the same events of the same program at the same time."""
import os
import platform

import pytest

import guest
import perf_stacks

EVENTS = min(int(os.environ.get("EVENTS", "300")), 5000)
VICTIM = guest.PROGRAMS / "events_victim"
TRACING = "/sys/kernel/tracing"
SYSTEM_CALL = {"x86_64": "__x64_sys_getppid", "aarch64": "__arm64_sys_getppid"}[platform.machine()]


@pytest.fixture(scope="module", autouse=True)
def probes():
    """A probe of the kernel that both know by the same name, at the begin and at the end of a system call."""
    if not os.path.exists(f"{TRACING}/kprobe_events"):
        guest.result_of("mount", "-t", "tracefs", "tracefs", TRACING)
    guest.write(f"{TRACING}/kprobe_events", f"p:uwind_test/entered {SYSTEM_CALL}\nr:uwind_test/left {SYSTEM_CALL}\n")
    yield
    guest.write(f"{TRACING}/kprobe_events", "")


# The event for uwind, for perf, what the program does, how many of its EVENTS there are at least, and what a name in each
# stack contains.
KINDS = [
    ("syscalls:sys_enter_getppid", None, "calls", 1, None),
    ("syscalls:sys_exit_getppid", None, "calls", 1, None),
    ("uwind_test:entered", None, "calls", 1, "sys_getppid"),
    ("uwind_test:left", None, "calls", 1, None),
    (f"kprobe:{SYSTEM_CALL}", "uwind_test:entered", "calls", 1, "sys_getppid"),
    ("signal:signal_deliver", None, "signals", 1, "get_signal"),
    ("sched:sched_switch", None, "switches", 0.5, "sched"),
    ("timer:hrtimer_start", None, "switches", 0.5, None),
    ("kmem:mm_page_alloc", None, "faults", 1, "alloc_pages"),
    ("page-faults", None, "faults", 1, None),
]


@pytest.mark.parametrize("event, of_perf, kind, least, function", KINDS, ids=[kind[0].replace("/", "_") for kind in KINDS])
def test_stacks_are_perfs_frame_by_frame(symbols, event, of_perf, kind, least, function):
    report, ours, theirs = perf_stacks.both_recorded(event, of_perf or event, "events_victim", VICTIM, kind, EVENTS)
    lost = perf_stacks.events_lost(report)
    pairs = perf_stacks.compared(symbols, event, ours, theirs, lost)
    assert pairs and len(pairs) + lost >= 0.95 * least * EVENTS
    if function:
        assert all(any(name and function in name[0] for name in mine.names) for mine, _ in pairs)
