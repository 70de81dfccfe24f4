# SPDX-License-Identifier: GPL-2.0
"""A program of BPF that loops, without a library: bpf(2), with the attributes as <linux/bpf.h> has them."""
import ctypes
import os
import platform
import struct

SYS_BPF = {"x86_64": 321, "aarch64": 280}[platform.machine()]
PROG_LOAD, PROG_TEST_RUN = 5, 10
SOCKET_FILTER = 1
ROUNDS = 1000  # the verifier goes through each of them
LIBC = ctypes.CDLL(None, use_errno=True)

MOV, ADD, JUMP_IF_NOT, EXIT = 0xb7, 0x07, 0x55, 0x95
INSTRUCTION = struct.Struct("<BBhi")  # the second byte has both registers


def instructions(step):
    return b"".join(INSTRUCTION.pack(*one) for one in [
        (MOV, 0, 0, 0),
        (MOV, 1, 0, ROUNDS),
        (ADD, 0, 0, step),
        (ADD, 1, 0, -1),
        (JUMP_IF_NOT, 1, -3, 0),
        (EXIT, 0, 0, 0),
    ])


def call(command, attributes):
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    result = LIBC.syscall(SYS_BPF, command, buffer, len(attributes))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


class LoopingProgram:
    """In the kernel until it is closed. Programs of different steps have different code of the same length."""

    def __init__(self, name, step):
        self.name = name
        code = ctypes.create_string_buffer(instructions(step))
        text = ctypes.create_string_buffer(b"GPL")
        self.fd = call(PROG_LOAD, struct.pack("<IIQQIIQII16s", SOCKET_FILTER, (len(code) - 1) // INSTRUCTION.size, ctypes.addressof(code),
                                              ctypes.addressof(text), 0, 0, 0, 0, 0, name.encode()))

    def run(self, times):
        packet = ctypes.create_string_buffer(64)
        call(PROG_TEST_RUN, struct.pack("<IIIIQQIIIIQQ", self.fd, 0, len(packet), 0, ctypes.addressof(packet), 0, times, 0, 0, 0, 0, 0))

    def close(self):
        os.close(self.fd)
