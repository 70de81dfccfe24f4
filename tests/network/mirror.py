#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Serves, on loopback, a mirror of a Debian that consists of a few packages: names, sums and noise, nothing to unpack.

Usage: mirror.py FOLDER SUITE ARCH COUNT     makes the mirror in FOLDER, prints its address, serves until it is ended
The packages are called noise1 … noiseCOUNT, and each depends on the one before.
"""
import functools
import hashlib
import http.server
import os
import pathlib
import sys

PACKAGE_BYTES = 150_000


def write_package(folder, arch, number):
    """Its stanza in the index."""
    name = "pool/noise%d_1_%s.deb" % (number, arch)
    content = os.urandom(PACKAGE_BYTES)
    (folder / name).write_bytes(content)
    lines = ["Package: noise%d" % number, "Version: 1", "Architecture: %s" % arch, "Filename: %s" % name,
             "Size: %d" % len(content), "SHA256: %s" % hashlib.sha256(content).hexdigest(), "Description: noise"]
    if number > 1:
        lines.append("Depends: noise%d" % (number - 1))
    return "\n".join(lines) + "\n"


def write_mirror(folder, suite, arch, count):
    index = pathlib.PurePath("main", "binary-" + arch, "Packages")
    dist = folder / "dists" / suite
    (dist / index).parent.mkdir(parents=True)
    (folder / "pool").mkdir()
    packages = "\n".join(write_package(folder, arch, number) for number in range(1, count + 1)).encode()
    (dist / index).write_bytes(packages)
    by_hash = (dist / index).parent / "by-hash" / "SHA256"
    by_hash.mkdir(parents=True)
    (by_hash / hashlib.sha256(packages).hexdigest()).write_bytes(packages)
    (dist / "Release").write_text("\n".join((
        "Origin: Debian", "Suite: stable", "Codename: %s" % suite, "Components: main", "Architectures: %s" % arch,
        "Date: Sat, 31 Jan 2026 00:00:00 UTC", "Acquire-By-Hash: yes", "SHA256:",
        " %s %d %s" % (hashlib.sha256(packages).hexdigest(), len(packages), index), "")))


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """A client that goes away is no news."""


def main():
    folder, suite, arch, count = sys.argv[1:]
    folder = pathlib.Path(folder)
    write_mirror(folder, suite, arch, int(count))
    server = Server(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    print("http://127.0.0.1:%d" % server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
