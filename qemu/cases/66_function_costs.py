# SPDX-License-Identifier: GPL-2.0
# Expected: 35 s; more of BENCH_CALLS=500 (calls that are measured), PROCESSORS=2
"""What it costs that a function of the kernel is traced is measured in each situation."""
import json
import os
import pathlib

import pytest

import guest

BENCH_CALLS = os.environ.get("BENCH_CALLS", "500")
INSTANCES = pathlib.Path("/sys/kernel/tracing/instances")


@pytest.mark.usefixtures("processors")
def test_what_tracing_costs_is_measured_in_each_situation():
    before = set(INSTANCES.iterdir())
    costs = json.loads(guest.run("uwind", "bench", "ftrace", "--calls", BENCH_CALLS, "--format", "json"))
    assert [cost["others"] for cost in costs] == 6 * ["nothing"] + 6 * ["another function"] + 6 * ["all functions"]
    assert all(cost["call_ns"] > 0 for cost in costs)
    noted = [cost["added_ns"] for cost in costs if cost["tracer"] == "uwind, noted"]
    assert len(noted) == 3
    if guest.EXACT:
        assert min(noted) > 0
    assert set(INSTANCES.iterdir()) == before
    assert "another function" in guest.run("uwind", "bench", "ftrace", "--calls", 50)
