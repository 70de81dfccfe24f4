#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Stands in for systemd: makes a notification socket and writes each message that comes to it, one line each.

Usage: notify_listener.py SOCKET FILE
"""
import socket
import sys


def main():
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind(sys.argv[1])
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        while True:
            print(listener.recv(4096).decode().replace("\n", " "), file=file, flush=True)


main()
