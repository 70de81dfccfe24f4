# SPDX-License-Identifier: GPL-2.0
# Expected: 340 s; TIMES=1000 is how often each thing is toggled, PROCESSORS=2 on how many
"""The kernel changes its text, as often as wanted, while a log is made: replayed forwards it gives what is in memory at the end,
backwards what was there at the beginning. What changed it is named, and what was there before and after can be shown."""
import json
import os
import pathlib
import platform
import subprocess
import time
import types

import pytest

import bpf_trampoline
import guest
import kernel_text
import text_log

TIMES = int(os.environ.get("TIMES", "3"))
TRACING = pathlib.Path("/sys/kernel/tracing")
KEY = "sched_schedstats"
ASKS_THE_KEY = "dequeue_task_rt"
SCHEDSTATS = f"/proc/sys/kernel/{KEY}"
IS_X86 = platform.machine() == "x86_64"
LINUX = tuple(map(int, platform.release().split(".")[:2]))
PROBED = "vfs_write"
TRAPPED = "vfs_fsync_range"
TRACED = "vfs_*"
BY_BPF = "vfs_llseek"
MODULE = "tun"
KEY_IS_NAMED = f" {KEY}\n" in guest.read("/proc/kallsyms")  # not without CONFIG_KALLSYMS_ALL, as in Debian's 6.1 of arm64
NOP = bytes.fromhex("0f1f440000")
NOPS = [NOP, bytes.fromhex("6690"), bytes.fromhex("1f2003d5")]
SETTLES_S = 1  # a kprobe is optimised after some ticks
NS = 10**9


def after_the_call(text, function):
    """The offset of an instruction that no function tracer changes."""
    if not IS_X86:
        return 16
    return 9 if text.at(function + 4, 5) == NOP else 5  # before the call there may be an endbr64, or what has replaced it


def toggle_key(value):
    guest.write(SCHEDSTATS, value)


def trace(tracer, functions):
    guest.write(TRACING / "set_ftrace_filter", functions)
    guest.write(TRACING / "current_tracer", tracer)


def trace_nothing():
    guest.write(TRACING / "current_tracer", "nop")
    guest.write(TRACING / "set_ftrace_filter", "")


def change_probes(line):
    """Python's own files seek to the end to append, which this one refuses."""
    fd = os.open(TRACING / "kprobe_events", os.O_WRONLY | os.O_APPEND)
    try:
        os.write(fd, f"{line}\n".encode())
    finally:
        os.close(fd)


def probe(name, place):
    change_probes(f"p:{name} {place}")
    guest.write(TRACING / f"events/kprobes/{name}/enable", 1)


def probe_nothing(name):
    guest.write(TRACING / f"events/kprobes/{name}/enable", 0)
    change_probes(f"-:{name}")


class Log:
    """uwind text-log in the background."""

    def __init__(self, path, *options):
        self.path, self.said = path, path + ".said"
        with open(self.said, "w", encoding="utf-8") as said:
            self.process = subprocess.Popen(["uwind", "text-log", "-v", "-o", path, *map(str, options)], stdout=said, stderr=said)
        guest.wait_until(120, lambda: f"the log begins: {guest.read(self.said)}",
                         lambda: "the log has begun" in guest.read(self.said) or self.process.poll() is not None)
        assert self.process.poll() is None, guest.read(self.said)

    def end(self):
        self.process.terminate()
        assert self.process.wait() == 0, guest.read(self.said)
        print(guest.read(self.said).splitlines()[-1], flush=True)
        return text_log.TextLog(self.path)


def now():
    return time.monotonic_ns()


def work(place, pokes):
    """Everything that changes text, TIMES times. Returns moments between the changes."""
    moments = {"before": now()}
    has_bpf = bpf_trampoline.is_possible(BY_BPF)
    for turn in range(TIMES):
        toggle_key(1)
        moments[f"on {turn}"] = now()
        toggle_key(0)
        trace(("function", "function_graph")[turn % 2], TRACED)
        trace_nothing()
        probe("trapped", place)
        if turn == 0:
            time.sleep(SETTLES_S)
            moments["probed"] = now()
        probe_nothing("trapped")
        if has_bpf:
            bpf_trampoline.Trampoline(BY_BPF).close()
        guest.run("modprobe", MODULE)
        guest.run("modprobe", "-r", MODULE)
        if pokes:
            pokes.drain()
    probe("entered", PROBED)
    probe_nothing("entered")
    trace("function", "")
    moments["all traced"] = now()
    trace_nothing()
    moments["after"] = now()
    moments["has bpf"] = has_bpf
    return moments


@pytest.fixture(name="run", scope="module")
def fixture_run(folder):
    """One log of all that changes."""
    del folder
    with guest.processors(), guest.patient_watchdog():
        yield logged()


def logged():
    toggle_key(0)
    text = kernel_text.KernelText()
    functions = kernel_text.functions("")
    offset = after_the_call(text, functions[TRAPPED])
    log = Log("all.text", "--interval", 5)
    pokes = text_log.PerfPokes() if IS_X86 else None
    moments = work(f"{TRAPPED}+{offset}", pokes)
    time.sleep(SETTLES_S)
    records = pokes.read() if pokes else None
    # The log's own probes are in it, and go with it: memory is read while they are there.
    memory = {address: text.at(address, len(content)) for address, content in text_log.TextLog(log.path).replayed().items()}
    found = types.SimpleNamespace(log=log.end(), memory=memory, moments=moments, records=records, functions=functions, offset=offset,
                                  path="all.text")
    edits = found.log.of(text_log.Edit)
    for edit in [edit for edit in edits if edit.kind == "unknown"][:10]:
        print(f"# {edit}")
    guest.figure("text_log", times=TIMES, changes=len(edits), bytes=os.path.getsize(found.path), kinds=len({edit.kind for edit in edits}))
    found.end = found.log.replayed()
    return found


def test_replayed_forwards_it_is_what_memory_has_at_the_end(run):
    assert sum(map(len, run.end.values())) > 5 << 20
    names = {area.address: (area.place, area.name) for area in run.log.of(text_log.Area) if area.comes}
    different = [(hex(address), names[address]) for address, content in run.end.items() if run.memory.get(address) != content]
    assert not different, different


def test_replayed_backwards_it_is_what_was_there_at_the_beginning(run):
    assert run.log.replayed_back(run.end) == run.log.base()


def test_nothing_is_lost_or_unexplained(run):
    assert not [loss for loss in run.log.of(text_log.Loss) if loss.count]
    looks = run.log.of(text_log.Look)
    assert len(looks) >= 2 and not [look for look in looks if look.different], looks
    assert not [edit for edit in run.log.of(text_log.Edit) if edit.kind == "unexplained"]


@pytest.mark.skipif(not IS_X86, reason="needs x86, where perf tells of changes")
def test_it_has_the_records_that_perf_has(run):
    """Debian's perf asks for them only with Intel PT, which no emulator has: another reader of the kernel's records is compared."""
    first, last = run.records[0][0], run.records[-1][0]
    ours = [edit for edit in run.log.of(text_log.Edit) if edit.since == edit.time]
    assert len(run.records) > 10 * TIMES
    count = len(run.records)
    begin = next(i for i, edit in enumerate(ours) if edit.time >= first - NS // 1000 and edit.address == run.records[0][1])
    assert len(ours) >= begin + count and ours[begin + count - 1].time >= last - NS // 1000
    for edit, (_, address, before, after) in zip(ours[begin:], run.records):
        assert (edit.address, edit.after) == (address, after)
        assert edit.before == before if before else not edit.known


def edits_of(run, kind):
    return [edit for edit in run.log.of(text_log.Edit) if edit.kind == kind]


def of_the_key(run):
    """By its name, or where the kernel names no data, by a function that asks it."""
    edits = edits_of(run, "jump label")
    return [edit for edit in edits if edit.what == KEY] if KEY_IS_NAMED else [edit for edit in edits if edit.what == ASKS_THE_KEY]


def test_a_static_keys_changes_have_its_name(run):
    edits = of_the_key(run)
    assert len(edits) >= 2 * TIMES and len(edits) % (2 * TIMES) == 0
    assert {edit.pid for edit in edits} == {os.getpid()}
    assert {edit.comm for edit in edits} == {guest.read(f"/proc/{os.getpid()}/comm").strip()}


def test_a_kprobe_has_its_functions_name(run):
    place = run.functions[TRAPPED] + run.offset
    edits = [edit for edit in edits_of(run, "kprobe") if edit.address == place]
    assert len(edits) >= 2 * TIMES
    assert {edit.what for edit in edits} == {TRAPPED}


def test_traced_functions_have_their_names(run):
    entries = {address: name for name, address in run.functions.items()}
    named = {edit.what for edit in edits_of(run, "ftrace")}
    assert {"vfs_read", "vfs_open", PROBED} <= named
    assert len(named & set(entries.values())) > 1000
    # Where each call site says which tracer it calls (CALL_OPS), ftrace's own code stays as it is.
    assert (IS_X86 or LINUX < (6, 2)) == any(edit.what.startswith("ftrace_") for edit in edits_of(run, "ftrace"))


def test_a_trampoline_of_bpf_and_who_calls_it(run):
    if not run.moments["has bpf"]:
        pytest.skip("this kernel attaches no BPF program to the entry of a function")
    edits = [edit for edit in edits_of(run, "BPF") if edit.what == BY_BPF]
    assert len(edits) >= 2 * TIMES
    areas = [area for area in run.log.of(text_log.Area) if area.place == "BPF" and area.name.startswith("bpf_trampoline")]
    assert len([area for area in areas if area.comes]) >= TIMES
    assert any("does_nothing" in area.name for area in run.log.of(text_log.Area))


def test_a_modules_text_comes_and_goes(run):
    areas = [area for area in run.log.of(text_log.Area) if area.name == MODULE and area.place == "module"]
    came, went = ([area for area in areas if area.comes == comes] for comes in (True, False))
    assert len(came) == len(went) == TIMES
    assert all(area.known and len(area.content) > 8192 for area in came)


def shown(run, moment, address, length, *options):
    ns = run.moments[moment] if isinstance(moment, str) and moment in run.moments else moment
    at = f"{ns // NS}.{ns % NS:09}" if isinstance(ns, int) else ns
    return guest.run("uwind", "text-at", "-i", run.path, *options, at, address, length)


def test_text_is_shown_before_and_after_a_change(run):
    edit = next(edit for edit in of_the_key(run) if edit.before in NOPS)
    length = len(edit.before)
    for moment, wanted in (("before", edit.before), ("on 0", edit.after), ("after", edit.before)):
        answer = json.loads(shown(run, moment, hex(edit.address), length, "--format", "json"))
        (only,) = answer["possible"]
        assert only["bytes"] == wanted.hex()
        assert sum(len(one["bytes"]) for one in only["instructions"]) == 2 * length
    assert "nop" in shown(run, "before", hex(edit.address), length)
    assert (" jmp" if IS_X86 else " b ") in shown(run, "on 0", hex(edit.address), length)


def test_a_traced_function_is_shown_with_its_call(run):
    entry = 4 if IS_X86 and run.offset == 9 else 0
    traced = shown(run, "all traced", f"vfs_read+{entry:#x}", 5 if IS_X86 else 12)
    assert ("call" if IS_X86 else "bl ") in traced, traced
    assert ("call" if IS_X86 else "bl ") not in shown(run, "after", f"vfs_read+{entry:#x}", 5 if IS_X86 else 12)


@pytest.mark.skipif(not IS_X86, reason="needs objdump's syntax of x86")
def test_it_is_disassembled_as_objdump_does(run):
    address, length = run.functions["vfs_read"], 64
    answer = json.loads(shown(run, "end", hex(address), length, "--format", "json"))
    ours = [(one["address"], one["bytes"]) for one in answer["possible"][0]["instructions"]]
    pathlib.Path("code.bin").write_bytes(bytes.fromhex(answer["possible"][0]["bytes"]))
    lines = guest.run("objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "--insn-width=16", f"--adjust-vma={address:#x}", "code.bin")
    theirs = [(f"0x{line.split(':')[0].strip()}", "".join(line.split("\t")[1].split())) for line in lines.splitlines()
              if line.count("\t") >= 2]
    assert ours[:-1] == theirs[:len(ours) - 1] and len(ours) > 8


def test_what_is_wrong_is_said(run):
    for arguments, message in (
            (("later", "vfs_read", 4), "is no time"),
            (("+999999", "vfs_read", 4), "covers"),
            (("end", "no_such_function", 4), "is no address"),
            (("end", "0x1000", 4), "no text of the kernel that the log covers")):
        said = guest.run("uwind", "text-at", "-i", run.path, *arguments, status=64)
        assert message in said, said
    said = guest.run("uwind", "report", "-i", run.path, "--format", "folded", status=64)
    assert "has no stacks" in said


def test_a_report_sums_up_and_lists(run):
    said = guest.run("uwind", "report", "-i", run.path)
    assert "jump label" in said and (KEY in said or not KEY_IS_NAMED)
    lines = guest.run("uwind", "report", "-i", run.path, "--changes").splitlines()
    assert len(lines) > len(run.log.of(text_log.Edit))
    guest.run("uwind", "report", "-i", run.path, "--format", "json", "-o", "all.json")
    report = json.loads(guest.read("all.json"))["text_changes"]
    assert sum(report["sums"]["kinds"].values()) == len(run.log.of(text_log.Edit)) and report["complete"]


def test_a_log_that_is_killed_can_be_read(run):
    del run
    log = Log("killed.text")
    toggle_key(1)
    toggle_key(0)
    time.sleep(SETTLES_S)
    guest.kill(log.process)
    with open("killed.text", "ab") as file:
        file.write(b"\3\0\0\0\xff")
    said = guest.run("uwind", "report", "-i", "killed.text")
    assert "cut short" in said and (KEY if KEY_IS_NAMED else ASKS_THE_KEY) in said


def test_a_command_is_logged_until_it_ends():
    assert guest.result_of("uwind", "text-log", "-o", "command.text", "--", "sh", "-c", "exit 3").returncode == 3
    said = guest.run("uwind", "text-log", "-o", "short.text", "--duration", 1)
    assert "compared with memory" in said
    assert "no log of kernel text" in guest.run("uwind", "text-at", "-i", "/etc/passwd", "end", "0xffffffff81000000", 4, status=78)
