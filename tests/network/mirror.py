#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Serves, on loopback, a mirror of a Debian that consists of a few packages: names, sums and noise, nothing to unpack.

Usage: mirror.py FOLDER SUITE ARCH COUNT     makes the mirror in FOLDER, prints its address, serves until it is ended
The packages are called noise1 … noiseCOUNT, and each depends on the one before; orphan depends on one that is missing. The first N
requests for a file are answered with 404 if there is a file of its name and ".absent", which says N.
"""
import functools
import hashlib
import http.server
import os
import pathlib
import sys

PACKAGE_BYTES = 150_000


def write_package(folder, arch, package, depends):
    """Its stanza in the index."""
    name = "pool/%s_1_%s.deb" % (package, arch)
    content = os.urandom(PACKAGE_BYTES)
    (folder / name).write_bytes(content)
    lines = ["Package: %s" % package, "Version: 1", "Architecture: %s" % arch, "Filename: %s" % name,
             "Size: %d" % len(content), "SHA256: %s" % hashlib.sha256(content).hexdigest(), "Description: noise"]
    if depends:
        lines.append("Depends: %s" % depends)
    return "\n".join(lines) + "\n"


def write_packages(folder, arch, count):
    depends = {"noise1": None, "orphan": "gone"} | {"noise%d" % number: "noise%d" % (number - 1) for number in range(2, count + 1)}
    return "\n".join(write_package(folder, arch, *pair) for pair in depends.items()).encode()


def write_mirror(folder, suite, arch, count):
    index = pathlib.PurePath("main", "binary-" + arch, "Packages")
    dist = folder / "dists" / suite
    (dist / index).parent.mkdir(parents=True)
    (folder / "pool").mkdir()
    packages = write_packages(folder, arch, count)
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

    def send_head(self):
        absent = pathlib.Path(self.translate_path(self.path) + ".absent")
        left = int(absent.read_text()) if absent.exists() else 0
        if left:
            absent.write_text(str(left - 1))
            self.send_error(404)
            return None
        return super().send_head()


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
