# SPDX-License-Identifier: GPL-2.0
"""The kernel's own code as it is in memory, by /proc/kcore (an ELF core file, see elf(5))."""
import collections
import pathlib
import re
import struct

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
PT_LOAD = 1
CORE = pathlib.Path("/proc/kcore")


class KernelText:
    def __init__(self):
        # pylint: disable-next=consider-using-with
        self.file = open(CORE, "rb", buffering=0)
        header = HEADER.unpack(self.file.read(HEADER.size))
        self.file.seek(header[5])
        headers = [PROGRAM_HEADER.unpack(self.file.read(PROGRAM_HEADER.size)) for _ in range(header[10])]
        self.segments = [(address, bytes_, offset) for type_, _, offset, address, _, bytes_, _, _ in headers if type_ == PT_LOAD]

    def at(self, address, length):
        offset = next(offset + address - start for start, bytes_, offset in self.segments if start <= address < start + bytes_)
        self.file.seek(offset)
        text = self.file.read(length)
        assert len(text) == length, (hex(address), len(text))
        return text


def functions(prefix):
    """Addresses by name, of the kernel's own functions whose names begin so, and that have a name of their own."""
    with open("/proc/kallsyms", encoding="ascii") as file:
        found = re.findall(rf"^([0-9a-f]+) [tT] ({prefix}\S+)$", file.read(), re.MULTILINE)
    times = collections.Counter(name for _, name in found)
    return {name: int(address, 16) for address, name in found if times[name] == 1}
