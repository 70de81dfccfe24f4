# SPDX-License-Identifier: GPL-2.0
"""A BPF program that does nothing, at the entry of a function of the kernel, by a trampoline (fentry)."""
import ctypes
import errno
import os
import struct

SYSTEM_CALL = {"x86_64": 321, "aarch64": 280}
PROG_LOAD, RAW_TRACEPOINT_OPEN = 5, 17
TRACING, TRACE_FENTRY = 26, 24
FUNC = 12
# Bytes that follow the 12 of a type, by kind; those with a list: and for each of its members.
FOLLOWS = {1: (4, 0), 3: (12, 0), 4: (0, 12), 5: (0, 12), 6: (0, 8), 13: (0, 8), 14: (4, 0), 15: (0, 12), 17: (4, 0), 19: (0, 12)}
RETURN_0 = struct.pack("<BBhiBBhi", 0xb7, 0, 0, 0, 0x95, 0, 0, 0)


def type_of_function(name):
    """The number of its type in the kernel's own types (BTF)."""
    with open("/sys/kernel/btf/vmlinux", "rb") as file:
        data = file.read()
    head_bytes, type_offset, type_bytes, text_offset, _ = struct.unpack("<5I", data[4:24])
    texts = data[head_bytes + text_offset:]
    at, end, number = head_bytes + type_offset, head_bytes + type_offset + type_bytes, 1
    while at < end:
        name_offset, info, _ = struct.unpack("<3I", data[at:at + 12])
        kind, members = info >> 24 & 0x1f, info & 0xffff
        if kind == FUNC and texts[name_offset:texts.index(b"\0", name_offset)].decode() == name:
            return number
        once, each = FOLLOWS.get(kind, (0, 0))
        at += 12 + once + each * members
        number += 1
    raise AssertionError(f"no type of {name}")


def bpf(command, attributes):
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(SYSTEM_CALL[os.uname().machine], command, buffer, len(attributes))
    if fd < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return fd


class Trampoline:
    """While it is open."""

    def __init__(self, function):
        instructions, licence = ctypes.create_string_buffer(RETURN_0, len(RETURN_0)), ctypes.create_string_buffer(b"GPL")
        attributes = bytearray(128)
        struct.pack_into("<IIQQIIQII", attributes, 0, TRACING, 2, ctypes.addressof(instructions), ctypes.addressof(licence), 0, 0, 0, 0, 0)
        attributes[48:64] = b"does_nothing\0\0\0\0"
        struct.pack_into("<II", attributes, 64, 0, TRACE_FENTRY)
        struct.pack_into("<I", attributes, 108, type_of_function(function))
        self.program = bpf(PROG_LOAD, bytes(attributes))
        self.attached = bpf(RAW_TRACEPOINT_OPEN, struct.pack("<QII", 0, self.program, 0))

    def close(self):
        os.close(self.attached)
        os.close(self.program)


def is_possible(function):
    """False: this kernel attaches none so."""
    try:
        Trampoline(function).close()
    except (OSError, FileNotFoundError) as error:
        assert error.errno in (errno.EOPNOTSUPP, 524, errno.ENOENT, errno.EINVAL), error
        return False
    return True
