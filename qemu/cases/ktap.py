# SPDX-License-Identifier: GPL-2.0
"""pytest's verdicts as KTAP (README.md): a result for each test, its seconds and why it failed in diagnostic lines before it."""
import collections
import signal

import pytest


def say(line):
    print(line, flush=True)


def explain(text):
    for line in text.splitlines():
        say(f"# {line}")


class Ktap:
    """A test has three reports: of what it needs, of itself, and of what puts its things away."""

    def __init__(self):
        self.number = 0
        self.reports = collections.defaultdict(list)

    def pytest_collection_finish(self, session):
        say("KTAP version 1")
        say(f"1..{len(session.items)}")

    def pytest_collectreport(self, report):
        if report.failed:
            explain(report.longreprtext)

    def pytest_internalerror(self, excrepr):
        explain(str(excrepr))

    def pytest_runtest_logreport(self, report):
        self.reports[report.nodeid].append(report)
        if report.when == "teardown":
            self.number += 1
            self.say_result(report.nodeid.split("::", 1)[1].replace(" ", "_"), self.reports.pop(report.nodeid))

    def say_result(self, name, reports):
        for report in reports:
            if report.failed:
                explain(report.longreprtext)
        say(f"# {name}: {sum(report.duration for report in reports):.1f} s")
        if any(report.failed for report in reports):
            say(f"not ok {self.number} {name}")
        elif any(report.skipped for report in reports):
            reason = next(report.longrepr[2] for report in reports if report.skipped)
            say(f"ok {self.number} {name} # SKIP {reason.removeprefix('Skipped: ')}")
        else:
            say(f"ok {self.number} {name}")


def pytest_sessionstart(session):
    """run-all.sh ends a case that takes too long: the test that runs fails where it waits, and is the last."""
    def stop(*_):
        session.shouldstop = "the case took too long"
        pytest.fail("the case does not end in time")
    signal.signal(signal.SIGTERM, stop)


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    config.pluginmanager.unregister(name="terminalreporter")
    config.pluginmanager.register(Ktap())
