# SPDX-License-Identifier: GPL-2.0
"""Programs that are sampled, each with a fixed amount of work. Standard library only."""
import os
import pwd
import random
import re
import subprocess
import time
import urllib.request

SEED = 1
FOLDER = "/tmp/bench"
USER = 999  # PostgreSQL refuses to be root

PYTHON = """
import json
class Node:
    def __init__(self, depth):
        self.left, self.right = (Node(depth - 1), Node(depth - 1)) if depth else (None, None)
    def count(self):
        return 1 + sum(child.count() for child in (self.left, self.right) if child)
for _ in range(12):
    assert Node(11).count() == 4095
    json.loads(json.dumps([{"a": i, "b": [str(i)] * 5} for i in range(1500)]))
    sorted((i * 7919 % 10007 for i in range(8000)), key=lambda n: (n % 13, n))
"""

SQL = """
create table t(a integer primary key, b text, c integer);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 25000)
insert into t select i, hex(i * 7919 % 10007), i % 97 from n;
create index x on t(b);
select count(*) from t u join t v on u.b = v.b;
select c, count(*), sum(length(b)), max(b) from t group by c order by 3 desc;
"""

NGINX = """
daemon off; master_process off; user root; pid /tmp/bench/nginx.pid; error_log stderr crit;
events { worker_connections 64; }
http { access_log off; server { listen 127.0.0.1:8080; root /tmp/bench/www; gzip on; gzip_types text/plain; gzip_min_length 1; } }
"""


def write(name, text):
    path = os.path.join(FOLDER, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def c_source(functions):
    """A file of functions that differ."""
    chance = random.Random(SEED)
    for number in range(functions):
        factor, other = chance.randrange(3, 99), chance.randrange(number + 1)
        call = f"f{other}(n / 2, to)" if other < number else "n"
        yield (f"unsigned f{number}(unsigned n, unsigned *to) {{ unsigned s = {factor};\n"
               f" for (unsigned i = 0; i < n; i++) {{ if (i % {factor}) s += to[i] * {factor}u; else s ^= to[i] >> {factor % 31}; to[i] = s; }}\n"
               f" switch (s % 5) {{ case 0: return s + {call}; case 1: return s * {factor}; case 2: return ~s; default: return s - n; }} }}\n")


class Program:
    """What is sampled is the work itself and its children, or a server of it that runs already."""

    server = None  # its process

    def prepare(self):
        """Once, before anything is measured."""

    def begin(self):
        """Before each recording."""

    def end(self):
        if self.server:
            self.server.terminate()
            self.server.wait()
            self.server = None

    def seconds_of(self, said, seconds):
        """What a fixed amount of work took: the seconds of the command, or what it has said."""
        return seconds


class Python(Program):
    name = "python3"

    def command(self):
        return ["python3", "-c", PYTHON]


class Gcc(Program):
    name = "gcc"

    def prepare(self):
        write("work.c", "".join(c_source(20)))

    def command(self):
        return ["gcc", "-O2", "-c", "-o", f"{FOLDER}/work.o", f"{FOLDER}/work.c"]


class Sqlite(Program):
    name = "sqlite3"

    def command(self):
        return ["sqlite3", ":memory:", SQL]


class Nginx(Program):
    """Seconds of so many requests, as wrk works for a fixed time."""

    name, requests = "nginx", 10000

    def prepare(self):
        write("nginx.conf", NGINX)
        os.makedirs("/var/lib/nginx", exist_ok=True)
        os.makedirs("/var/log/nginx", exist_ok=True)
        chance = random.Random(SEED)
        write("www/page.txt", " ".join(str(chance.randrange(1000)) for _ in range(1000)))

    def begin(self):
        self.server = subprocess.Popen(["nginx", "-c", f"{FOLDER}/nginx.conf"])
        wait_until(lambda: urllib.request.urlopen("http://127.0.0.1:8080/page.txt").read())

    def command(self):
        return ["wrk", "-t1", "-c4", "-d1s", "-H", "Accept-Encoding: gzip", "http://127.0.0.1:8080/page.txt"]

    def seconds_of(self, said, seconds):
        return self.requests / float(re.search(r"^Requests/sec:\s*([0-9.]+)", said, re.MULTILINE)[1])


class Postgres(Program):
    name, where, transactions = "postgres", "/usr/lib/postgresql/15/bin", 600
    connection = ["-h", FOLDER + "/pg", "-U", "postgres"]
    settings = {"fsync": "off", "autovacuum": "off", "jit": "off", "listen_addresses": "", "unix_socket_directories": FOLDER + "/pg",
                "checkpoint_timeout": "1h"}

    def prepare(self):
        add_user()
        data = f"{FOLDER}/pg"
        os.makedirs(data)
        os.chown(data, USER, USER)
        self.run("initdb", "-D", data, "-A", "trust", "--no-sync", "-U", "postgres")
        self.begin()
        self.run("pgbench", *self.connection, "-q", "-i", "-s", "1", "postgres")
        self.end()

    def run(self, name, *arguments):
        subprocess.run([f"{self.where}/{name}", *arguments], check=True, user=USER, group=USER, capture_output=True, env={"PATH": os.environ["PATH"]})

    def begin(self):
        command = [f"{self.where}/postgres", "-D", f"{FOLDER}/pg", *(f"-c{name}={value}" for name, value in self.settings.items())]
        self.server = subprocess.Popen(command, user=USER, group=USER, stderr=subprocess.DEVNULL)
        wait_until(lambda: self.run("psql", *self.connection, "-c", "select 1", "postgres"))

    def command(self):
        return [f"{self.where}/pgbench", *self.connection, "-n", f"--random-seed={SEED}", "-c", "1", "-t", str(self.transactions), "postgres"]


def add_user():
    try:
        pwd.getpwuid(USER)
    except KeyError:
        for path, line in (("/etc/passwd", f"postgres:x:{USER}:{USER}::/tmp:/bin/sh\n"), ("/etc/group", f"postgres:x:{USER}:\n")):
            with open(path, "a", encoding="utf-8") as file:
                file.write(line)


def wait_until(succeeds):
    """A server that begins."""
    for _ in range(200):
        try:
            succeeds()
            return
        except (OSError, subprocess.CalledProcessError):
            time.sleep(0.1)
    succeeds()


PROGRAMS = {program.name: program for program in (Python(), Gcc(), Sqlite(), Nginx(), Postgres())}
