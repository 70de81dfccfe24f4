# SPDX-License-Identifier: GPL-2.0
# Needs: /usr/lib/postgresql/15/bin/postgres
# Expected: 150 s; TRANSACTIONS=100 is how many of each
"""Events of databases at work, sqlite3 and PostgreSQL under pgbench, which wait for what they have written to be on a disk: the
kernel's stacks are perf's, frame by frame, and the stacks in user space are complete."""
import os
import platform
import sys

import pytest

import database_work
import guest
import perf_stacks

TRANSACTIONS = int(os.environ.get("TRANSACTIONS", "100"))
DISK = "/tmp/database.img"
FOLDER = database_work.programs.FOLDER
WAIT = {"x86_64": "epoll_wait", "aarch64": "epoll_pwait"}[platform.machine()]


@pytest.fixture(scope="module", autouse=True)
def databases():
    """On a file system of Debian's kernel."""
    guest.run("modprobe", "-a", "loop", "ext4")
    guest.run("truncate", "-s", "512M", DISK)
    guest.run("mkfs.ext4", "-q", DISK)
    os.makedirs(FOLDER)
    guest.run("mount", "-o", "loop", DISK, FOLDER)
    database_work.Synchronised().prepare()
    guest.run("uwind", "table", "keep", f"{database_work.Synchronised.where}/postgres")
    yield
    guest.run("umount", FOLDER)
    os.remove(DISK)


# Each name, and at least how many of it there are in a transaction.
EVENTS = {
    "sqlite3": [("syscalls:sys_enter_fdatasync", 2), ("ext4:ext4_sync_file_enter", 2), ("block:block_bio_queue", 1),
                ("sched:sched_switch", 1), ("kmem:mm_page_alloc", 0.5)],
    "postgres": [("syscalls:sys_enter_fdatasync", 1), ("ext4:ext4_sync_file_enter", 1), (f"syscalls:sys_enter_{WAIT}", 1),
                 ("sched:sched_switch", 2), ("page-faults", 5)],
}


@pytest.fixture(scope="module", name="walked")
def walked_stacks():
    """Of each program: how many stacks in user space there were, and how many of them were complete."""
    return {program: [0, 0] for program in EVENTS}


def stacks_at_work(report, samples):
    """Without those of the server's start, in which it parses names of time zones in frames of 24 KiB: where a table comes late,
    16 KiB of the stack are there to go on with."""
    begin = min((sample["time_ns"] for sample in report.of("pgbench").all), default=0)
    for sample in samples.all:
        if sample["user_stack"] is not None and sample["time_ns"] >= begin:
            yield report.json["stacks"][sample["user_stack"]]


@pytest.mark.parametrize("program, event, least", [(program, *event) for program, events in EVENTS.items() for event in events])
def test_the_kernels_half_is_perfs(symbols, walked, program, event, least):
    report, ours, theirs = perf_stacks.both_recorded(event, event, program, sys.executable, database_work.__file__, program, TRANSACTIONS)
    pairs = perf_stacks.compared(symbols, f"{program}, {event}", ours, theirs, perf_stacks.events_lost(report))
    assert len(pairs) >= least * TRANSACTIONS
    samples = report.of(program)
    print(samples, flush=True)
    at_work = list(stacks_at_work(report, samples))
    walked[program][0] += len(at_work)
    walked[program][1] += sum(stack["complete"] for stack in at_work)


@pytest.mark.parametrize("program", EVENTS)
def test_the_half_in_user_space_is_complete(walked, program):
    number, complete = walked[program]
    print(f"{program}: {complete} of {number} stacks in user space are complete", flush=True)
    assert number >= TRANSACTIONS
    assert complete >= 0.999 * number
