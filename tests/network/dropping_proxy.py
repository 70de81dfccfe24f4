#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Runs a command behind an HTTP proxy on loopback that drops every Nth download, and says at the end what became of them.

Usage: dropping_proxy.py [--every N] [--manner MANNER]... [--log FILE] [--direct] -- COMMAND...      default: every tenth
What is dropped is reset, answered with nothing (empty), cut off in the middle (cut), cut off and reset (cut and reset), in turn; or
only in the given manners. The command gets the proxy in
http_proxy and, before what apt is configured with, in UWIND_PROXY; its exit status is this one's. The proxy asks the one that
apt, or http_proxy, names, if there is one and --direct does not say that it is not needed. Of https it sees no downloads, only connections: it drops those.
"""
import argparse
import http.client
import http.server
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import urllib.parse

MANNERS = ("reset", "empty", "cut", "cut and reset")
CHUNK = 65536
TIMEOUT_S = 60
HOP_BY_HOP = {"connection", "proxy-connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
              "proxy-authorization"}


class Book:
    """What was asked for, and what became of it."""

    def __init__(self, every, manners, log):
        self.every = every
        self.manners = manners
        self.log = log
        self.lock = threading.Lock()
        self.downloads = 0
        self.dropped = dict.fromkeys(MANNERS, 0)
        self.waiting = {}  # dropped and not served since: how often
        self.served_later = 0

    def manner_of_next(self, name):
        """How this download is dropped; None: it is not."""
        with self.lock:
            self.downloads += 1
            if self.every == 0 or self.downloads % self.every:
                return None
            manner = self.manners[sum(self.dropped.values()) % len(self.manners)]
            self.dropped[manner] += 1
            self.waiting[name] = self.waiting.get(name, 0) + 1
            self.write("%s: %s" % (manner, name))
            return manner

    def served(self, name):
        with self.lock:
            self.served_later += self.waiting.pop(name, 0)

    def broken(self, name, error):
        with self.lock:
            self.write("not by this proxy: %s: %s" % (name, error))

    def write(self, text):
        if self.log:
            self.log.write(text + "\n")
            self.log.flush()

    def summary(self):
        manners = ", ".join("%s %d" % pair for pair in self.dropped.items())
        lines = ["%d downloads, %d dropped (%s), %d of these came later, %d never" % (
            self.downloads, sum(self.dropped.values()), manners, self.served_later, sum(self.waiting.values()))]
        return "\n".join(lines + ["never came: " + name for name in self.waiting])


def upstream_proxy():
    """(host, port) of the proxy that this machine needs; None: it needs none."""
    asked = subprocess.run(["apt-config", "shell", "P", "Acquire::http::Proxy"], capture_output=True, text=True, check=False)
    url = asked.stdout.strip().removeprefix("P=").strip("'") or os.environ.get("http_proxy", "")
    if not url or url == "DIRECT":
        return None
    parts = urllib.parse.urlsplit(url)
    return parts.hostname, parts.port or 80


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = TIMEOUT_S
    book = upstream = None

    def setup(self):
        super().setup()
        self.connections = {}
        self.gone = False

    def finish(self):
        for connection in self.connections.values():
            connection.close()
        if not self.gone:
            super().finish()

    def log_message(self, *_):
        pass

    def leave(self, reset):
        """Closes the client's connection, in mid-air if need be."""
        self.wfile.flush()
        if reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            self.connection.shutdown(socket.SHUT_RDWR)
        os.close(self.connection.detach())
        self.gone = self.close_connection = True

    def ask(self, url, fresh=False):
        """The answer of the server, or of the next proxy; a kept connection may have ended meanwhile: tried again with a fresh one."""
        place = self.upstream or (url.hostname, url.port or 80)
        path = self.path if self.upstream else urllib.parse.urlunsplit(("", "", url.path or "/", url.query, ""))
        if fresh or place not in self.connections:
            self.connections[place] = http.client.HTTPConnection(*place, timeout=TIMEOUT_S)
        connection = self.connections[place]
        kept = connection.sock is not None
        try:
            connection.putrequest(self.command, path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in HOP_BY_HOP:
                    connection.putheader(name, value)
            connection.endheaders()
            return connection.getresponse()
        except (http.client.HTTPException, OSError):
            connection.close()
            if not kept:
                raise
            return self.ask(url, fresh=True)

    def send_head(self, answer):
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, value)
        if answer.length is None and answer.status not in (204, 304) and self.command != "HEAD":
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()

    def copy(self, answer, limit):
        """Passes the answer's body on, up to so many bytes."""
        left = limit
        while left is None or left > 0:
            data = answer.read(CHUNK if left is None else min(CHUNK, left))
            if not data:
                return
            self.wfile.write(data)
            left = None if left is None else left - len(data)

    def forward(self, url, manner):
        answer = self.ask(url)
        self.send_head(answer)
        self.copy(answer, (answer.length or 0) // 2 if manner else None)
        if manner:
            self.connections.popitem()[1].close()
            self.leave(manner == "cut and reset")
        else:
            self.book.served(self.path)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        manner = self.book.manner_of_next(self.path) if self.command == "GET" else None
        if manner in ("reset", "empty"):
            self.leave(manner == "reset")
            return
        try:
            self.forward(url, manner)
        except (http.client.HTTPException, OSError) as error:
            self.book.broken(self.path, error)
            if not self.gone:
                self.leave(reset=True)

    do_HEAD = do_GET

    def tunnel_to(self, name):
        if self.upstream:
            server = socket.create_connection(self.upstream, TIMEOUT_S)
            server.sendall(("CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (name, name)).encode())
            return server
        host, _, port = name.rpartition(":")
        server = socket.create_connection((host.strip("[]"), int(port)), TIMEOUT_S)
        self.send_response_only(200)
        self.end_headers()
        return server

    def relay(self, server, limit):
        passed = 0
        while limit is None or passed < limit:
            for source in select.select([server, self.connection], [], [], TIMEOUT_S)[0] or [None]:
                data = source.recv(CHUNK) if source else b""
                if not data:
                    return
                (self.connection if source is server else server).sendall(data)
                passed += len(data) if source is server else 0

    def do_CONNECT(self):
        manner = self.book.manner_of_next(self.path)
        try:
            with self.tunnel_to(self.path) as server:
                self.relay(server, CHUNK if manner else None)
            if not manner:
                self.book.served(self.path)
        except OSError as error:
            self.book.broken(self.path, error)
        self.leave(reset=bool(manner))


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 64
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that goes away is no news."""

    def shutdown_request(self, request):
        if request.fileno() >= 0:
            super().shutdown_request(request)


def run(command, address):
    environment = dict(os.environ, UWIND_PROXY=address)
    for name in ("http_proxy", "https_proxy"):
        environment[name] = address
    process = subprocess.Popen(command, env=environment)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: process.send_signal(number))
    status = process.wait()
    return status if status >= 0 else 128 - status


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].split(": ", 1)[1].split("  ")[0])
    parser.add_argument("--every", type=int, default=10, help="0: none")
    parser.add_argument("--manner", choices=MANNERS, action="append")
    parser.add_argument("--log", type=argparse.FileType("w"))
    parser.add_argument("--direct", action="store_true")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    Handler.book = Book(arguments.every, arguments.manner or MANNERS, arguments.log)
    Handler.upstream = None if arguments.direct else upstream_proxy()
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    status = run(arguments.command, "http://127.0.0.1:%d" % server.server_port)
    server.shutdown()
    print("dropping_proxy.py: " + Handler.book.summary(), file=sys.stderr)
    sys.exit(status)


if __name__ == "__main__":
    main()
