# SPDX-License-Identifier: GPL-2.0
# Expected: 25 s
"""Functions that are to be traced are chosen by name and pattern; of what cannot be, it is said why."""
import pytest

import guest

READ_ZEROES = "import os\nfd = os.open('/dev/zero', os.O_RDONLY)\nfor i in range(100): os.read(fd, 1234)"


def test_patterns_and_periods():
    guest.run("uwind", "record", "-e", "func:vfs_rea?,vfs_open/period=10,name=files/", "-o", "patterns.json",
              "--", "python3", "-c", READ_ZEROES)
    report = guest.checked_report("patterns.json")
    assert [event["name"] for event in report.session["events"]] == ["files"]
    found = {function["name"] for function in report.json["functions"]}
    assert "vfs_read" in found and found <= {"vfs_read", "vfs_open"}
    samples = report.json["samples"]
    assert all(sample["period"] == 10 for sample in samples) and len(samples) >= 10


# What is typed, and what the message says.
WRONG = [
    ("func:", "a function is missing"),
    ("func:vfs_raed", "do you mean vfs_read?"),
    ("func:no_such_*", "no function of the kernel that can be traced matches"),
    ("func:vfs_read:u", "is not :ret"),
    ("func:vfs_read/freq=9/", "no frequency"),
    ("{func:vfs_read}:u", "no modifiers"),
    ("func:*", "--force"),
]


@pytest.mark.parametrize("event, message", WRONG, ids=[wrong[0] for wrong in WRONG])
def test_what_is_wrong_is_said(event, message):
    said = guest.run("uwind", "record", "-e", event, "--", "true", status=64)
    assert message in said, said


def test_a_function_that_nobody_may_trace_is_told_apart():
    said = guest.run("uwind", "record", "-e", "func:rcu_is_watching", "--", "true", status=64)
    assert "lets nobody trace rcu_is_watching" in said, said
