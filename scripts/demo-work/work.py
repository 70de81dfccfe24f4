# SPDX-License-Identifier: GPL-2.0
"""Endless work for python3: recursion, JSON, regular expressions, hashing, sorting with a callback."""
import functools
import hashlib
import json
import re

WORDS = re.compile(r"(\w+)\s+(?=\w*a)")
TEXT = "a callchain is a list of return addresses and every frame has a caller " * 8


def ackermann(m, n):
    if m == 0:
        return n + 1
    return ackermann(m - 1, 1 if n == 0 else ackermann(m, n - 1))


def tree(depth):
    return {"depth": depth, "children": [tree(depth - 1) for _ in range(3)] if depth else []}


def by_hash(a, b):
    a, b = hashlib.sha256(a.encode()).digest(), hashlib.sha256(b.encode()).digest()
    return (a > b) - (a < b)


while True:
    ackermann(2, 6)
    json.loads(json.dumps(tree(5), indent=1))
    sorted(WORDS.findall(TEXT), key=functools.cmp_to_key(by_hash))
