# SPDX-License-Identifier: GPL-2.0
# Expected: 120 s
# Needs: /root/pprof/pprof
# Needs: /root/profiles/check_otlp.py
# Needs: /usr/bin/protoc
"""What uwind has recorded of real programs becomes profiles that others read: Go's pprof, and OTLP by its published files. They
find each sample, with the same stacks, names, places in files, times and values."""
import ast
import gzip
import sys

import pytest

import guest

PPROF = "/root/pprof/pprof"
WORK = {
    "python": [sys.executable, "-c", "sum(len(str(i)) for i in range(1500000))"],
    "threads": [guest.PROGRAMS / "threads_victim", "2"],
    "sort": ["sh", "-c", "seq 200000 | sort -R | sort -n | tail -1"],
}
FORMS = {"pprof": "pb.gz", "otlp": "otlp", "otlp-json": "otlp.json"}


def converted(work):
    """WORK.json in each format."""
    for form, end in FORMS.items():
        guest.run("uwind", "report", "-i", f"{work}.json", "--format", form, "-o", f"{work}.{end}")


def recorded(work, *options):
    guest.run("uwind", "record", "-F", 499, *options, "-o", f"{work}.json", "--", *WORK[work])
    converted(work)
    return guest.checked_report(f"{work}.json")


def checked(script, *arguments):
    """The figures of a check that found nothing wrong."""
    said = guest.run("/usr/bin/python3", f"/root/profiles/{script}", *arguments)
    print(said)
    return ast.literal_eval(said)


def check(work):
    """By both; their figures are the same."""
    by_otlp = checked("check_otlp.py", f"{work}.json", f"{work}.otlp", f"{work}.otlp.json")
    by_pprof = checked("check_pprof.py", f"{work}.json", f"{work}.pb.gz", PPROF)
    assert by_pprof == {**by_otlp, "top": by_pprof["top"]}
    return by_otlp


@pytest.mark.parametrize("work", WORK)
def test_other_readers_find_the_same(work):
    recorded(work, "--kernel-stacks")
    figures = check(work)
    assert figures["samples"] > 100 and figures["names"]
    guest.figure("profiles", work=work, **figures)


def test_several_events_and_times_off_the_cpu():
    recorded("sort", "-e", "cpu-clock", "-e", "page-faults", "-e", "offcpu")
    check("sort")
    said = guest.run(PPROF, "-symbolize=none", "-raw", "sort.pb.gz")
    for kind in ("cpu-clock/nanoseconds[dflt]", "page-faults/count", "offcpu/nanoseconds", "off_cpu:["):
        assert kind in said, said[:1000]


def test_lines_and_inlined_functions_are_there():
    recorded("python")
    guest.run("uwind", "symbolize", "python.json")
    converted("python")
    assert check("python")["inlined"] > 0


def test_record_writes_them_at_once():
    for end in (*FORMS.values(), "pprof"):
        guest.run("uwind", "record", "-F", 499, "-o", f"once.{end}", "--", *WORK["threads"])
    guest.run("uwind", "record", "-F", 499, "-o", "once.json", "--", *WORK["threads"])
    for name in ("once.pb.gz", "once.pprof"):
        assert "work" in guest.run(PPROF, "-symbolize=none", "-top", name)
    with pytest.raises(AssertionError, match="are not there"):  # it is another recording
        checked("check_pprof.py", "once.json", "once.pb.gz", PPROF)


def test_a_file_that_was_cut_short_or_changed_is_noticed():
    recorded("threads")
    with open("threads.otlp", "rb") as whole, gzip.open("threads.pb.gz", "rb") as packed:
        protobuf, profile = whole.read(), packed.read()
    with open("cut.otlp", "wb") as cut, gzip.open("cut.pb.gz", "wb") as cut_profile:
        cut.write(protobuf[:-1])
        cut_profile.write(profile[:-1])
    assert guest.result_of(PPROF, "-symbolize=none", "-top", "cut.pb.gz").returncode != 0
    assert guest.result_of("/usr/bin/python3", "/root/profiles/check_otlp.py", "threads.json", "cut.otlp", "threads.otlp.json").returncode != 0
    with open("more.otlp", "wb") as more:  # a field 99, which no such message has
        more.write(protobuf + b"\x98\x06\x01")
    said = guest.result_of("/usr/bin/python3", "/root/profiles/check_otlp.py", "threads.json", "more.otlp", "threads.otlp.json")
    assert said.returncode == 1 and "does not have" in said.stdout, said.stdout
