# SPDX-License-Identifier: GPL-2.0
"""A reader of logs of the kernel's text that shares nothing with uwind's: by uwind-text-log(5). And one of perf's records."""
import bisect
import collections
import ctypes
import mmap
import os
import struct

KINDS = ["unknown", "jump label", "static call", "kprobe", "ftrace", "BPF", "alternatives", "module load", "unexplained"]
PLACES = ["kernel", "module", "BPF", "out of line"]
COMES, AT_BEGIN, CONTENT_KNOWN = 1, 2, 4
BEFORE_KNOWN = 1

Area = collections.namedtuple("Area", "time comes at_begin known place address length name content")
Edit = collections.namedtuple("Edit", "time since known kind address what pid comm before after")
Loss = collections.namedtuple("Loss", "time count")
Look = collections.namedtuple("Look", "time bytes different tries")
End = collections.namedtuple("End", "time unplaced")


class Fields:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, size):
        value = int.from_bytes(self.data[self.at:self.at + size], "little")
        self.at += size
        return value

    def u32(self):
        return self.number(4)

    def u64(self):
        return self.number(8)

    def bytes(self):
        length = self.u32()
        found = self.data[self.at:self.at + length]
        assert len(found) == length
        self.at += length
        return found

    def text(self):
        return self.bytes().decode()


def area_in(fields):
    flags, place = fields.u32(), PLACES[fields.u32()]
    time, address, length = fields.u64(), fields.u64(), fields.u64()
    for _ in range(3):
        fields.u32()
    fields.text()
    name = fields.text()
    return Area(time, bool(flags & COMES), bool(flags & AT_BEGIN), bool(flags & CONTENT_KNOWN), place, address, length, name, fields.bytes())


def edit_in(fields):
    flags, kind = fields.u32(), KINDS[fields.u32()]
    since, time, address = fields.u64(), fields.u64(), fields.u64()
    pid = fields.u32()
    fields.u64()
    comm, what = fields.text(), fields.text()
    for _ in range(fields.u32()):
        fields.u64()
    return Edit(time, since, bool(flags & BEFORE_KNOWN), kind, address, what, pid, comm, fields.bytes(), fields.bytes())


READERS = {2: area_in, 3: edit_in, 4: lambda f: Loss(f.u64(), f.u64()), 5: lambda f: Look(f.u64(), f.u64(), f.u64(), f.u32()),
           6: lambda f: End(f.u64(), f.u64())}


class TextLog:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        assert data[:8] == b"uwindtxt"
        version, length = struct.unpack("<II", data[8:16])
        assert version == 1
        head = Fields(data[16:16 + length])
        self.arch, clock = head.u32(), head.u32()
        assert clock == 1
        self.begin, self.seconds = head.u64(), head.u64()
        self.boot_id, self.release = head.text(), head.text()
        self.entries, at = [], 16 + length
        while at < len(data):
            type_, length = struct.unpack("<II", data[at:at + 8])
            if type_ in READERS:
                self.entries.append(READERS[type_](Fields(data[at + 8:at + 8 + length])))
            at += 8 + length
        assert at == len(data)
        self.entries.sort(key=lambda entry: entry.time)

    def of(self, type_):
        return [entry for entry in self.entries if isinstance(entry, type_)]

    def base(self):
        return {area.address: area.content for area in self.of(Area) if area.at_begin}

    def replayed(self):
        """The areas at the end, by address."""
        state = State(self.base())
        for entry in self.entries:
            if isinstance(entry, Edit):
                state.write(entry, entry.before, entry.after)
            elif isinstance(entry, Area) and not entry.at_begin:
                (state.add if entry.comes else state.remove)(entry)
        return state.contents()

    def replayed_back(self, areas):
        """From the areas at the end to the base."""
        state = State(areas)
        for entry in reversed(self.entries):
            if isinstance(entry, Edit):
                state.write(entry, entry.after, entry.before)
            elif isinstance(entry, Area) and not entry.at_begin:
                (state.remove if entry.comes else state.add)(entry)
        return state.contents()


class State:
    """The text at one moment. What an entry says of the state before it is so."""

    def __init__(self, areas):
        self.areas = {address: bytearray(content) for address, content in areas.items()}
        self.order = sorted(self.areas)

    def contents(self):
        return {address: bytes(content) for address, content in self.areas.items()}

    def add(self, area):
        assert area.address not in self.areas, area[:8]
        self.areas[area.address] = bytearray(area.content)
        bisect.insort(self.order, area.address)

    def remove(self, area):
        assert self.areas.pop(area.address) == area.content, area[:8]
        self.order.remove(area.address)

    def write(self, edit, old, new):
        index = bisect.bisect_right(self.order, edit.address) - 1
        if index < 0:
            return
        content, at = self.areas[self.order[index]], edit.address - self.order[index]
        if at < len(content):
            assert content[at:at + len(old)] == old, edit
            content[at:at + len(new)] = new


class PerfPokes:
    """PERF_RECORD_TEXT_POKE of all CPUs, as the kernel tells them to anyone who asks."""
    ATTRIBUTES = struct.Struct("<IIQQQQQIIQQQQIiQIHHIIQ")
    SYSTEM_CALL = {"x86_64": 298, "aarch64": 241}
    PAGES = 4096

    def __init__(self):
        sample_type = 1 << 1 | 1 << 2 | 1 << 7  # TID, TIME, CPU
        flags = 1 << 18 | 1 << 25 | 1 << 33  # sample_id_all, use_clockid, text_poke
        attributes = self.ATTRIBUTES.pack(1, self.ATTRIBUTES.size, 9, 0, sample_type, 0, flags, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)
        buffer = ctypes.create_string_buffer(attributes, len(attributes))
        libc = ctypes.CDLL(None, use_errno=True)
        self.rings = []
        for cpu in online():
            fd = libc.syscall(self.SYSTEM_CALL[os.uname().machine], buffer, -1, cpu, -1, 8)
            assert fd >= 0, os.strerror(ctypes.get_errno())
            self.rings.append(mmap.mmap(fd, (self.PAGES + 1) * mmap.PAGESIZE))
        self.data = [bytearray() for _ in self.rings]

    def drain(self):
        """What has been told since then is kept, and makes room."""
        for ring, data in zip(self.rings, self.data):
            size = self.PAGES * mmap.PAGESIZE
            head, tail = struct.unpack("<QQ", ring[1024:1040])
            assert head - tail <= size, (head, tail)
            first, end = tail % size, tail % size + head - tail
            pages = mmap.PAGESIZE
            data += ring[pages + first:pages + min(end, size)] + ring[pages:pages + max(end - size, 0)]
            ring[1032:1040] = struct.pack("<Q", head)

    def read(self):
        """(time, address, before, after) of each, in the order of time. What had no room fails. Left out are those without new
        bytes: a kprobe does not need moved instructions any more, which stay as they are."""
        self.drain()
        return sorted(record for data in self.data for record in records_in(data))


def records_in(data):
    at = 0
    while at < len(data):
        type_, _, size = struct.unpack_from("<IHH", data, at)
        assert type_ != 2, "records are lost"
        if type_ == 20:
            address, old, new = struct.unpack_from("<QHH", data, at + 8)
            end = (20 + old + new + 7) // 8 * 8  # of what is told before the times; the size may be too large on 6.1
            time = struct.unpack_from("<Q", data, at + end + 8)[0]
            if new:
                yield time, address, bytes(data[at + 20:at + 20 + old]), bytes(data[at + 20 + old:at + 20 + old + new])
        at += size


def online():
    with open("/sys/devices/system/cpu/online", encoding="ascii") as file:
        for part in file.read().strip().split(","):
            first, _, last = part.partition("-")
            yield from range(int(first), int(last or first) + 1)
