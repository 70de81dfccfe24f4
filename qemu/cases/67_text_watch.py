# SPDX-License-Identifier: GPL-2.0
# Expected: 60 s; PROCESSORS=2 is on how many
"""What changes the kernel's text is reported, with the bytes that were there and those that are: arm64 only. Modules that come and go
are reported everywhere."""
import bisect
import ctypes
import errno
import os
import pathlib
import platform
import re
import socket
import statistics
import sys
import threading
import time

import pytest

import guest
import kernel_text
from text_watch import CHANGE, CHANGES, FLUSH, LOST, MODULE_GOING, MODULE_LIVE, MODULES, TextWatch

IS_ARM64 = platform.machine() == "aarch64"
TRACING = pathlib.Path("/sys/kernel/tracing")
SCHEDSTATS = "/proc/sys/kernel/sched_schedstats"
PROBES = "/sys/kernel/debug/kprobes/list"
PROBED = ["__set_fixmap", "caches_clean_inval_pou"]
TUN_IS_MODULE = guest.result_of("modprobe", "-n", "tun").returncode == 0 and not pathlib.Path("/sys/module/tun").exists()
PAGE = os.sysconf("SC_PAGESIZE")
SO_ATTACH_FILTER = 26
BREAKPOINT = bytes.fromhex("800020d4")  # of a kprobe
SLEEPER = "import sys, time; sys.path.insert(0, '.'); import text_watch; w = text_watch.TextWatch(); print('watches', flush=True); time.sleep(3600)"

on_arm64 = pytest.mark.skipif(not IS_ARM64, reason="needs arm64: on x86-64, perf says it")
on_stock = pytest.mark.skipif(not (kernel_text.CORE.exists() and os.path.exists(SCHEDSTATS)),
                              reason=f"needs {kernel_text.CORE} and kernel.sched_schedstats")
with_tun = pytest.mark.skipif(not TUN_IS_MODULE, reason="needs tun as a module")
pytestmark = pytest.mark.usefixtures("processors")


@pytest.fixture(name="no_tun")
def fixture_no_tun():
    """It is not there, before and afterwards."""
    guest.result_of("modprobe", "-r", "tun")
    yield
    guest.write(TRACING / "current_tracer", "nop")
    guest.result_of("modprobe", "-r", "tun")


class Names:
    """Of addresses of the kernel, and of its modules."""

    def __init__(self):
        lines = (line.split() for line in guest.read("/proc/kallsyms").splitlines())
        found = [(int(line[0], 16), line[2], line[1]) for line in lines]
        self.edges = {name: address for address, name, _ in found if name in ("_stext", "_etext")}
        symbols = sorted((address, name) for address, name, kind in found if kind in "tT")
        self.addresses, self.names = [address for address, _ in symbols], [name for _, name in symbols]
        self.by_name = dict(zip(self.names, self.addresses))

    def edge(self, name):
        return self.edges[name]

    def at(self, address):
        return self.names[bisect.bisect(self.addresses, address) - 1]

    def of(self, addresses):
        return [self.at(address) for address in addresses]


@pytest.fixture(name="names", scope="module")
def fixture_names():
    return Names()


class Image:
    """The kernel's text as it is now, without its modules'."""

    def __init__(self, names):
        self.start, self.end = names.edge("_stext"), names.edge("_etext")
        self.bytes = bytearray(kernel_text.KernelText().at(self.start, self.end - self.start))

    def write(self, record, old, new):
        if not self.start <= record.address < self.end:
            return
        at = record.address - self.start
        assert self.bytes[at:at + len(old)] == old, (hex(record.address), bytes(self.bytes[at:at + len(old)]).hex(), record)
        self.bytes[at:at + len(new)] = new

    def forwards(self, changes):
        for record in changes:
            self.write(record, record.old, record.new)

    def backwards(self, changes):
        for record in reversed(changes):
            self.write(record, record.new, record.old)


def changes_of(records):
    assert not [record for record in records if record.type == LOST]
    return [record for record in records if record.type == CHANGE]


def toggle_static_keys():
    now = guest.read(SCHEDSTATS).strip()
    guest.write(SCHEDSTATS, 1 - int(now))
    guest.write(SCHEDSTATS, now)


def toggle_probe():
    guest.write(TRACING / "kprobe_events", "p:watched vfs_write")
    guest.write(TRACING / "events/kprobes/watched/enable", 1)
    guest.write(TRACING / "events/kprobes/watched/enable", 0)
    guest.write(TRACING / "kprobe_events", "")


def trace_functions(pattern="vfs_*"):
    guest.write(TRACING / "set_ftrace_filter", pattern)
    for tracer in ("function", "nop", "function_graph", "nop"):
        guest.write(TRACING / "current_tracer", tracer)
    guest.write(TRACING / "set_ftrace_filter", "")


def toggle_module():
    guest.result_of("modprobe", "tun")
    guest.result_of("modprobe", "-r", "tun")


@on_arm64
@on_stock
@pytest.mark.usefixtures("no_tun")
@pytest.mark.parametrize("act", [toggle_static_keys, toggle_probe, trace_functions, toggle_module])
def test_text_is_what_its_changes_made_of_it(names, act):
    """Byte for byte, forwards and backwards."""
    with TextWatch() as watch:
        image = Image(names)
        before, start_ns = bytes(image.bytes), time.monotonic_ns()
        watch.read()
        for _ in range(3):
            act()
        guest.write(SCHEDSTATS, 1 - int(guest.read(SCHEDSTATS)))  # so that it ends otherwise than it began
        after, end_ns = bytes(Image(names).bytes), time.monotonic_ns()
        changes = changes_of(watch.read())
        guest.write(SCHEDSTATS, 1 - int(guest.read(SCHEDSTATS)))
    assert len(changes) > 10 and before != after
    image.forwards(changes)
    assert image.bytes == after
    image.backwards(changes)
    assert image.bytes == before
    assert all(start_ns <= record.after_ns <= record.before_ns <= end_ns for record in changes)
    assert all(first.before_ns <= second.after_ns for first, second in zip(changes, changes[1:]))
    widths = [record.before_ns - record.after_ns for record in changes]
    guest.figure("text_widths", act=act.__name__.replace("_", " "), changes=len(changes), median=statistics.median(widths) / 1000,
                 most=max(widths) / 1000)


@on_arm64
@on_stock
def test_a_change_says_who_made_it(names):
    with TextWatch() as watch:
        watch.read()
        guest.write(SCHEDSTATS, 1 - int(guest.read(SCHEDSTATS)))
        changes = changes_of(watch.read())
        guest.write(SCHEDSTATS, 1 - int(guest.read(SCHEDSTATS)))
    assert len(changes) > 10
    for record in changes:
        assert (record.pid, record.tid) == (os.getpid(), threading.get_native_id())
        assert record.comm == guest.read("/proc/self/comm").strip()
        callers = names.of(record.callers)
        assert "__jump_label_update" in callers and any("static_key" in name for name in callers), callers


@on_arm64
def test_a_probe_is_a_breakpoint_that_comes_and_goes(names):
    with TextWatch() as watch:
        watch.read()
        toggle_probe()
        changes = [record for record in changes_of(watch.read()) if record.address == names.by_name["vfs_write"]]
    assert len(changes) == 2
    assert changes[0].new == changes[1].old == BREAKPOINT and changes[0].old == changes[1].new


@on_arm64
def test_each_function_that_is_traced_is_changed(names):
    traceable = set(re.findall(r"^vfs_\S+", guest.read(TRACING / "available_filter_functions"), re.MULTILINE))
    functions = {name: address for name, address in kernel_text.functions("vfs_").items() if name in traceable}
    with TextWatch() as watch:
        watch.read()
        trace_functions()
        changed = {names.at(record.address) for record in changes_of(watch.read())}
    assert len(functions) > 30 and set(functions) <= changed, set(functions) - changed


class Filter(ctypes.Structure):
    """struct sock_fprog: a program that takes each packet."""
    _fields_ = [("nr", ctypes.c_ushort), ("steps", ctypes.c_void_p)]

    def __init__(self):
        self.code = (ctypes.c_ulonglong * 2)(0x28 | 12 << 32, 0x06 | 0xffff << 32)
        super().__init__(2, ctypes.addressof(self.code))


@on_arm64
@on_stock
def test_a_program_of_bpf_is_reported_where_it_lies(names):
    """It is written before it is text (6.1), or as text is."""
    program = Filter()
    with TextWatch() as watch, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as filtered:
        watch.read()
        filtered.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, bytes(program))
        text = kernel_text.KernelText()
        records = watch.read()
        flushes = [record for record in records if record.type == FLUSH and "bpf_int_jit_compile" in names.of(record.callers)]
        assert flushes, [names.of(record.callers) for record in records]
        for record in changes_of(records):
            flushed = next(flush for flush in records if flush.type == FLUSH and record.physical & -PAGE in flush.pages)
            page = flushed.pages.index(record.physical & -PAGE)
            address = record.address or (flushed.address & -PAGE) + page * PAGE + record.physical % PAGE
            later = [one for one in changes_of(records) if one.before_ns > record.before_ns and one.physical & -PAGE == record.physical & -PAGE]
            assert later or text.at(address, record.bytes) == record.new


def code_of_tun():
    """Where its main section of code begins."""
    return int(guest.read("/sys/module/tun/sections/.text"), 16)


@with_tun
@pytest.mark.usefixtures("no_tun")
@pytest.mark.parametrize("flags", [MODULES, pytest.param(MODULES | CHANGES, marks=on_arm64)], ids=["modules", "all"])
def test_modules_that_come_and_go_are_reported(flags):
    with TextWatch(flags) as watch:
        guest.run("modprobe", "tun")
        code = code_of_tun()
        guest.run("modprobe", "-r", "tun")
        records = [record for record in watch.read() if record.type in (MODULE_LIVE, MODULE_GOING)]
    live, going = (record for record in records if record.name == "tun")
    assert (live.type, going.type) == (MODULE_LIVE, MODULE_GOING)
    assert live.address <= code < live.end and (going.address, going.bytes) == (live.address, live.bytes)
    assert live.before_ns == live.after_ns < going.before_ns and live.comm == "modprobe"


@on_arm64
@with_tun
@pytest.mark.usefixtures("no_tun")
@pytest.mark.parametrize("when", ["before", "after"])
def test_changes_of_a_modules_text_have_addresses(when):
    """Of one that was there before the watch began, and of one that came afterwards."""
    if when == "before":
        guest.run("modprobe", "tun")
    with TextWatch() as watch:
        guest.run("modprobe", "tun")
        watch.read()
        code, length = code_of_tun(), int(guest.read("/sys/module/tun/coresize"))
        trace_functions("*:mod:tun")
        changes = changes_of(watch.read())
    inside = [record for record in changes if code <= record.address < code + length]
    assert len(inside) > 30 and all(record.address for record in changes)


@on_arm64
@with_tun
@pytest.mark.usefixtures("no_tun")
def test_a_change_without_an_address_has_it_from_the_flush_that_follows():
    """As a module comes, before anybody knows it."""
    with TextWatch() as watch:
        guest.run("modprobe", "tun")
        records = watch.read()
    waiting = []
    for record in records:
        if record.type == CHANGE and not record.address:
            waiting.append(record.physical & -PAGE)
        elif record.type == FLUSH:
            assert len(record.pages) == (record.end - 1) // PAGE - record.address // PAGE + 1
            waiting = [place for place in waiting if place not in record.pages]
    assert not waiting, waiting


@with_tun
@pytest.mark.usefixtures("no_tun")
def test_eight_watch_at_a_time_and_each_gets_all():
    watches = [TextWatch(MODULES) for _ in range(8)]
    try:
        with pytest.raises(OSError) as refused:
            TextWatch(MODULES)
        toggle_module()
        seen = [[(record.type, record.name, record.before_ns) for record in watch.read()] for watch in watches]
    finally:
        for watch in watches:
            watch.close()
    assert refused.value.errno == errno.EBUSY
    assert len(seen[0]) >= 2 and all(one == seen[0] for one in seen), seen


@on_arm64
def test_what_has_no_room_is_counted():
    before = guest.status()["text_lost"]
    with TextWatch(CHANGES, 64 << 10) as watch:
        trace_functions()
        records = watch.read()
        lost = [record for record in records if record.type == LOST]
        assert lost and records[-1].type == LOST and all(record.after_ns <= record.before_ns for record in lost)
        assert sum(record.bytes for record in lost) == guest.status()["text_lost"] - before
        toggle_probe()
        assert changes_of(watch.read())


@pytest.mark.skipif(IS_ARM64, reason="needs x86-64")
def test_changes_are_refused_where_perf_says_them():
    with pytest.raises(OSError) as refused:
        TextWatch(MODULES | CHANGES)
    assert refused.value.errno == errno.EOPNOTSUPP and "text_poke" in refused.value.why


def probed(names):
    """What is where the watch's probes are."""
    text = kernel_text.KernelText()
    return {name: text.at(names.by_name[name], 8) for name in PROBED}


@on_arm64
@on_stock
def test_nothing_is_left_of_a_watch_whose_program_is_killed(names, programs):
    """And the module cannot go while it is there."""
    before = probed(names)
    assert not set(PROBED) & set(re.findall(r"(\w+)\+", guest.read(PROBES)))
    watcher = programs.start(sys.executable, "-c", SLEEPER, cwd=guest.CASES, stdout=-1)
    watcher.stdout.readline()
    during = probed(names)
    assert all(during[name][:4] != before[name][:4] for name in PROBED)
    assert guest.result_of("rmmod", "uwind").returncode != 0
    guest.kill(watcher)
    guest.wait_until(20, lambda: f"no probes: {guest.read(PROBES)}",
                     lambda: not set(PROBED) & set(re.findall(r"(\w+)\+", guest.read(PROBES))))
    assert probed(names) == before
    guest.renew_module("after a watcher was killed")
