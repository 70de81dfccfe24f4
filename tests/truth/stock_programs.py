#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compares the stacks of stock programs with gdb's, a few at a time: see against_gdb.py.

usage: stock_programs.py TRUTH_WALK STACKS [PROGRAM]...     STACKS: of each program
Prints a table; exit status 1 if a stack of ours was wrong, or gdb's in more than one of a hundred. A stack is wrong
if libunwind sides with the other one. All three differ in arm64's assembly, which has no CFI, so that both of them
guess: there the chain of frame records is asked (the column "records" is where it sides with us), and what it cannot
tell either is unclear, in at most one of a hundred. On amd64 calls are asked instead, and nothing may be unclear. Of 32-bit programs libunwind knows nothing: a
stack is wrong if a return address in it has no call before it, and the other one's have; gdb's may be as often as it likes.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
PROGRAMS = os.environ.get("TRUTH_PROGRAMS", os.path.join(TREE, "build/amd64/programs"))
SECONDS = 300
GDB_WRONG, UNCLEAR, SHORT = "gdb alone differs", "all three differ", "short: "
RECORDS = ("only the frame records agree", "only the calls agree")

PYTHON = "def f(n):\n return n if n < 2 else f(n - 1) + f(n - 2)\nwhile True: f(20); sorted(str(i) for i in range(5000))\n"
PERL = "sub f { my $n = shift; $n < 2 ? $n : f($n - 1) + f($n - 2) } while (1) { f(15); sort { $a <=> $b } map { rand } 1 .. 2000 }"
AWK = 'function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) } BEGIN { while (1) { f(15); s = sprintf("%f", rand()); gsub(/[0-9]/, "x", s) } }'
SQL = """WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3000000)
SELECT count(DISTINCT printf('%d', n % 1000)), sum(n % 7) FROM c ORDER BY 1;
"""
BASH = 'f() { if (($1 < 2)); then echo $1; else echo $(($1)); f $(($1 - 1)); fi; }; while :; do x=$(f 3); for ((i = 0; i < 500; i++)); do y=${x//1/2}; done; done'
CXX = "#include <regex>\n#include <map>\n#include <iostream>\nint main() { std::regex r(\"a*b\"); return std::regex_match(\"aab\", r); }\n"
GDB = "import gdb\nwhile True:\n for i in range(200): gdb.parse_and_eval('%d * 3 + 1' % i)\n gdb.execute('info line main', to_string=True)\n"


def workload(folder):
    """{name: (program, arguments as a shell takes them)}"""

    def file(name, text):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    big = os.path.join(folder, "big")
    with open(big, "wb") as out:
        out.write(os.urandom(24 << 20))
    cc1plus, expanded = "cc1plus", os.path.join(folder, "big.ii")
    if shutil.which("g++"):
        cc1plus = subprocess.check_output(["g++", "-print-prog-name=cc1plus"], text=True).strip()
        subprocess.check_call(["g++", "-E", "-o", expanded, file("big.cpp", CXX)])
    quiet = " > /dev/null 2>&1"
    return {
        "python3": (sys.executable, file("a.py", PYTHON)),
        "perl": ("perl", file("a.pl", PERL)),
        "gawk": ("gawk", "-f " + file("a.awk", AWK)),
        "sqlite3": ("sqlite3", ":memory: < " + file("a.sql", SQL) + quiet),
        "openssl": ("openssl", "speed -seconds 100 rsa2048" + quiet),
        "libcrypto": ("openssl", "speed -seconds 100 -evp sha256" + quiet),
        "xz": ("xz", "-9 -T2 -k -c " + big + " > /dev/null"),
        "bash": ("bash", file("a.sh", BASH)),
        "git": ("git", "-C " + TREE + " log -p --stat" + quiet),
        "gdb": ("gdb", "-q -batch -nx -x " + file("a_gdb.py", GDB) + " /usr/bin/xz" + quiet),
        "cc1plus": (cc1plus, "-quiet -O2 -fpreprocessed " + expanded + " -o /dev/null"),
        "threads": (os.path.join(PROGRAMS, "threads_victim"), "300"),
        "signed": (os.path.join(PROGRAMS, "threads_victim_signed"), "300"),  # arm64
    }


def word_bits(program):
    """ELF's EI_CLASS."""
    with open(program, "rb") as file:
        return 32 * file.read(5)[4]


def compare(program, arguments, walk, stacks, folder):
    result = os.path.join(folder, "result.json")
    if os.path.exists(result):
        os.unlink(result)
    environment = dict(os.environ, SHELL="/bin/sh", TRUTH_ARGS=arguments, TRUTH_WALK=walk)
    environment.update(TRUTH_BITS=str(word_bits(program)), TRUTH_STOPS=str(stacks), TRUTH_OUT=result, TRUTH_SEED="1", GIT_PAGER="cat")
    command = ["gdb", "-q", "-batch", "-nx", "-x", os.path.join(HERE, "against_gdb.py"), program]
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        sys.exit("stock_programs.py: gdb did not come to an end with %s in %d s" % (program, SECONDS))
    if not os.path.exists(result):
        sys.exit("stock_programs.py: gdb gave no result for %s:\n%s" % (program, done.stderr.decode()[-2000:]))
    with open(result, encoding="utf-8") as data:
        return json.load(data)


def times(result, wanted):
    return sum(place["times"] for what, places in result["classes"].items() if wanted(what) for place in places.values())


def describe(result):
    return ", ".join(
        "%s at %s: %d" % (what, where, place["times"])
        for what, places in sorted(result["classes"].items())
        for where, place in sorted(places.items(), key=lambda item: -item[1]["times"])[:3]
    )


def keep_examples(name, result):
    """Where TRUTH_KEEP says, with registers and all three stacks."""
    if "TRUTH_KEEP" in os.environ and result["classes"]:
        with open(os.path.join(os.environ["TRUTH_KEEP"], name + ".json"), "w", encoding="utf-8") as out:
            json.dump(result, out)


def main():
    walk, stacks, only = os.path.abspath(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    narrow = False
    sums = dict.fromkeys(("stacks", "frames", "short", "gdb", "records", "unclear", "WE"), 0)
    print("%-10s %7s %8s %6s %6s %8s %8s %6s  where" % ("program", *sums))
    with tempfile.TemporaryDirectory() as folder:
        for name, (program, arguments) in workload(folder).items():
            path = shutil.which(program)
            if (only and name not in only) or not path:
                print("%-10s not compared%s" % (name, "" if path else ": it is not installed"))
                continue
            narrow |= word_bits(os.path.realpath(path)) == 32
            result = compare(os.path.realpath(path), arguments, walk, stacks, folder)
            counts = {
                "stacks": result["stacks"],
                "frames": result["frames"],
                "short": times(result, lambda what: what.startswith(SHORT)),
                "gdb": times(result, lambda what: what == GDB_WRONG),
                "records": times(result, lambda what: what in RECORDS),
                "unclear": times(result, lambda what: what == UNCLEAR),
                "WE": times(result, lambda what: what.startswith("WE ")),
            }
            print("%-10s %7d %8d %6d %6d %8d %8d %6d  %s" % (name, *counts.values(), describe(result)), flush=True)
            keep_examples(name, result)
            sums = {what: sums[what] + count for what, count in counts.items()}
    print(", ".join("%s %d" % item for item in sums.items()))
    unclear_allowed = sums["stacks"] // 100 if narrow or os.uname().machine == "aarch64" else 0
    bad = sums["WE"] or sums["unclear"] > unclear_allowed or (sums["gdb"] * 100 > sums["stacks"] and not narrow)
    sys.exit(1 if bad or not sums["stacks"] else 0)


if __name__ == "__main__":
    main()
