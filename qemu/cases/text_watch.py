# SPDX-License-Identifier: GPL-2.0
"""What changes the kernel's text, by UWIND_IOC_WATCH_TEXT (include/uapi/uwind_text.h)."""
import dataclasses
import fcntl
import os
import select
import struct

WATCH = struct.Struct("<IIIi64s")
RECORD = struct.Struct("<IHH5Q4I16s16Q")
WATCH_TEXT = 3 << 30 | WATCH.size << 16 | 0xf7 << 8 | 13
MODULES, CHANGES = 1, 2
NONE, CHANGE, FLUSH, MODULE_LIVE, MODULE_GOING, LOST = range(6)
MAX_RECORD = 8400
ROOM = 1 << 20


@dataclasses.dataclass
class Record:
    type: int
    after_ns: int
    before_ns: int
    address: int
    bytes: int
    physical: int
    pid: int
    tid: int
    cpu: int
    comm: str
    callers: tuple
    old: bytes = b""
    new: bytes = b""
    name: str = ""
    pages: tuple = ()

    @property
    def end(self):
        return self.address + self.bytes


def parse(data):
    """The record at the start of data, and the rest of it."""
    size, type_, nr_callers, after, before, address, bytes_, physical, pid, tid, cpu, _, comm, *callers = RECORD.unpack_from(data)
    assert RECORD.size <= size <= min(MAX_RECORD, len(data)) and size % 8 == 0, size
    record = Record(type_, after, before, address, bytes_, physical, pid, tid, cpu, comm.rstrip(b"\0").decode(errors="replace"),
                    tuple(callers[:nr_callers]))
    more = data[RECORD.size:size]
    if type_ == CHANGE:
        record.old, record.new = more[:bytes_], more[bytes_:2 * bytes_]
        assert len(record.new) == bytes_ and len(more) - 2 * bytes_ < 8
    elif type_ == FLUSH:
        record.pages = struct.unpack(f"<{len(more) // 8}Q", more)
    elif type_ in (MODULE_LIVE, MODULE_GOING):
        record.name = more.rstrip(b"\0").decode()
    return record, data[size:]


class TextWatch:
    """A watch, until it is closed, as the end of a with statement does."""

    def __init__(self, flags=MODULES | CHANGES, room=ROOM):
        argument = bytearray(WATCH.pack(WATCH.size, flags, room, -1, b""))
        device = os.open("/dev/uwind", os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.ioctl(device, WATCH_TEXT, argument)
        except OSError as error:
            error.why = WATCH.unpack(argument)[4].rstrip(b"\0").decode()
            raise
        finally:
            os.close(device)
        self.fd = WATCH.unpack(argument)[3]
        os.set_blocking(self.fd, False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        os.close(self.fd)

    def read(self):
        """What it has reported by now."""
        records = []
        while select.select([self.fd], [], [], 0)[0]:
            data = os.read(self.fd, 1 << 20)
            while data:
                record, data = parse(data)
                records.append(record)
        return records
