# SPDX-License-Identifier: GPL-2.0
# Expected: 30 s
"""How deep stacks are, in bytes: each frame's size is the difference of two CFAs, as the program itself and gdb have them, and
each thread's deepest stack is found, however long ago it was. gdb is asked where it is installed."""
import json
import platform
import re
import shutil
import signal
import subprocess

import pytest

import guest

VICTIMS = [name for name in ("depth_victim", "depth_victim_32") if (guest.PROGRAMS / name).exists()]
# Frames of depth_victim whose sizes the program knows: all but the leaf's, and the thread's first ones.
KINDS = ["bottom", "small", "large", "variable", "arguments"] + 21 * ["recursion"]
EXPECTED = {
    "main": ["leaf", *KINDS, "all_kinds", "run", "main"],
    "thread": ["leaf", *KINDS, "all_kinds", "run"],
    "alloca": ["leaf", "bottom", "small", "allocated", "run"],
    "brief": ["leaf", *KINDS, "all_kinds", "run"],
    "signal": ["leaf", "bottom", "small", "large", "on_signal"],
}
OF_ARM = platform.machine() == "aarch64"
AT_LEAST = {"large": 16000, "variable": 8 * 1234, "allocated": 70000}  # what arrays take

GDB = """
import gdb, json, re
for setting in ("pagination off", "backtrace past-main on", "backtrace past-entry on"):
    gdb.execute("set " + setting)
def bounds(frame):
    frame.select()
    cfa = int(re.search("frame at (0x[0-9a-f]+)", gdb.execute("info frame", to_string=True)).group(1), 16)
    return int(frame.read_register("sp")) & (1 << 64) - 1, cfa
def frames(thread):
    thread.switch()
    frame = gdb.newest_frame()
    while frame.older():
        if frame.type() == gdb.SIGTRAMP_FRAME:
            yield None
        elif frame.type() == gdb.NORMAL_FRAME:
            yield bounds(frame)
        frame = frame.older()
print("SAID " + json.dumps({thread.ptid[1]: list(frames(thread)) for thread in gdb.selected_inferior().threads()}))
"""


class Held:
    """What a program is that goes down, and what was recorded of it. It has ended."""

    def __init__(self, name):
        running = guest.Programs()
        try:
            self.victim = running.start("nice", guest.PROGRAMS / name, "hold", stdout=subprocess.PIPE, text=True)
            self.record(guest.Recording(running, name, "--stack-depth", "-F", 499, "-p", self.victim.pid).wait_begun())
        finally:
            running.kill()
        self.by_tid = {thread["tid"]: thread for thread in self.report.json["stack_depth"]["threads"]}

    def record(self, recording):
        guest.wait_for_requests(100)
        self.victim.send_signal(signal.SIGUSR1)
        self.threads, self.cfas = self.read_said()
        guest.wait_for_requests(500)
        self.victim.send_signal(signal.SIGUSR1)
        guest.wait_for_requests(200)
        self.report = recording.end()
        self.limits = guest.read(f"/proc/{self.victim.pid}/limits")
        self.gdb = said_by_gdb(self.victim.pid)

    def read_said(self):
        threads, cfas = {}, {}
        for line in iter(self.victim.stdout.readline, "END\n"):
            words = line.split()
            if words[0] == "THREAD":
                name, threads[words[1]] = words[1], int(words[2])
                cfas[name] = []
            else:
                cfas[name].insert(0, (words[0], int(words[1], 16)))
        return threads, cfas

    def stack(self, thread):
        return self.report.json["stacks"][self.by_tid[self.threads[thread]]["user_stack"]]

    def names(self, thread):
        return self.report.names_at(self.by_tid[self.threads[thread]]["user_stack"])


def said_by_gdb(pid):
    if not shutil.which("gdb"):
        return None
    guest.write("depths.py", GDB)
    said = guest.run("gdb", "-q", "-batch", "-nx", "-p", pid, "-x", "depths.py")
    return {int(tid): frames for tid, frames in json.loads(re.search("^SAID (.*)$", said, re.MULTILINE).group(1)).items()}


@pytest.fixture(scope="module")
def held():
    made = {}

    def get(name):
        if name not in made:
            made[name] = Held(name)
        return made[name]
    return get


def test_programs_of_both_word_sizes_are_tried_where_they_are(held):
    assert [held(name).report.json["processes"][0]["word_bits"] for name in VICTIMS] == [64, 32][:len(VICTIMS)]


@pytest.mark.parametrize("name", VICTIMS)
@pytest.mark.parametrize("thread", EXPECTED)
def test_the_deepest_stack_of_each_thread_is_found(held, name, thread):
    """Those of "brief" are shallow at the end as they were at the beginning."""
    assert held(name).names(thread)[:len(EXPECTED[thread])] == EXPECTED[thread]
    assert held(name).by_tid[held(name).threads[thread]]["exact"] == (thread != "signal")
    assert held(name).stack(thread)["complete"]


@pytest.mark.parametrize("name", VICTIMS)
@pytest.mark.parametrize("thread", EXPECTED)
def test_sizes_are_differences_of_the_cfas_that_the_program_has(held, name, thread):
    known = held(name).cfas[thread]
    names, sizes = held(name).names(thread), held(name).stack(thread)["stack_bytes"]
    first = names.index(known[0][0])
    ends = len(known) if thread != "signal" else len(known) - 1  # then comes another stack
    assert names[first:first + ends] == [function for function, _ in known[:ends]]
    own = [outer[1] - inner[1] for inner, outer in zip(known[:ends], known[1:ends])]
    assert sizes[first + 1:first + ends] == own and own
    for function, size in zip(names, sizes):
        assert function not in AT_LEAST or AT_LEAST[function] <= size <= AT_LEAST[function] + 256, (function, size)


@pytest.mark.parametrize("name", VICTIMS)
@pytest.mark.parametrize("thread", sorted(set(EXPECTED) - {"brief"}))
def test_sizes_and_depths_are_those_of_gdb(held, name, thread):
    if not held(name).gdb:
        pytest.skip("needs gdb")
    frames = held(name).gdb[held(name).threads[thread]]
    sizes = [frame and frame[1] - frame[0] for frame in frames]  # CFA less SP; null: a signal's
    ours = held(name).stack(thread)["stack_bytes"]
    print(f"{name}, {thread}: {sizes}")
    more = ours[len(sizes):-1]
    assert ours[:len(sizes)] == sizes and ours[-1] is None
    assert not more or (len(more) == 1 and OF_ARM and name.endswith("_32"))  # gdb takes the function that starts threads for the outermost
    assert held(name).by_tid[held(name).threads[thread]]["bytes"] - sum(more) == sum(size or 0 for size in sizes)
    if thread != "signal":
        assert sum(sizes) == frames[-1][1] - frames[0][0]


@pytest.mark.parametrize("name", VICTIMS)
def test_the_first_threads_stack_has_room(held, name):
    process = held(name).report.json["processes"][0]
    deepest = held(name).by_tid[held(name).victim.pid]["bytes"]
    assert deepest < process["stack"]["mapped_bytes"] <= process["stack"]["limit_bytes"]
    assert process["stack"]["limit_bytes"] == int(re.search(r"^Max stack size +(\d+)", held(name).limits, re.MULTILINE).group(1))


@pytest.mark.parametrize("name", VICTIMS)
def test_functions_with_large_frames_come_first_and_the_form_shows_both(held, name):
    report = held(name).report
    largest = [report.json["frames"][entry["frame"]]["symbol"] for entry in report.json["stack_depth"]["functions"]]
    assert largest[:3] == ["allocated", "large", "variable"]
    text = guest.run("uwind", "report", "-i", report.path, "--format", "stack-depth")
    bytes_of_main = held(name).by_tid[held(name).victim.pid]["bytes"]
    assert re.search(rf"^{name[:15]} .* {bytes_of_main} +\d+ +\d+$", text, re.MULTILINE), text
    assert re.search(rf"^  0\) +{bytes_of_main} +\d+   leaf\+0x", text, re.MULTILINE), text


def test_a_stack_that_is_deep_once_is_caught_as_its_pages_are_touched():
    frames = 3000
    guest.run("uwind", "record", "--stack-depth", "--max-depth", 4096, "-e", "page-faults:u", "-c", 1, "-o", "dip.json", "--",
              guest.PROGRAMS / "depth_victim", "dip", frames)
    report = guest.checked_report("dip.json")
    deepest = report.json["stack_depth"]["threads"][0]
    names = report.names_at(deepest["user_stack"])
    print(f"{deepest['bytes']} bytes, in {names[0]}")
    assert deepest["exact"] and names.count("recursion") == frames + 1 and "large" in names, names[:9]


def test_the_report_has_no_depths_unless_they_are_asked_for():
    guest.run("uwind", "record", "-o", "plain.json", "--", guest.PROGRAMS / "threads_victim", 1)
    plain = guest.checked_report("plain.json")
    assert "stack_depth" not in plain.json and not any("stack" in process for process in plain.json["processes"])
    text = guest.run("uwind", "report", "-i", "plain.json", "--format", "stack-depth")
    assert re.search(r"^threads_victim +\d+ +\d+ +\d+ +(>=)?\d+ +- +-$", text, re.MULTILINE), text
