#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""How the source is laid out, in numbers: files per folder, circles of includes, methods per class, sizes of functions,
stretches that stand twice, lines of shell. Prints a table; needs universal-ctags and git.

Usage: house.py [COMMIT]     of the working tree, or of a commit
"""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

import classes

CODE = (".c", ".h", ".cpp")
PLACES = ("kmod", "daemon", "include")
STRETCH = 8  # lines that stand twice, blanks and braces left out


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def checked_out(commit, folder):
    archive = subprocess.run(["git", "archive", commit], check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)


def sources(root):
    for place in PLACES:
        yield from sorted(path for path in (root / place).rglob("*") if path.suffix in CODE and path.is_file())


def files_per_folder(root):
    return collections.Counter(str(path.parent.relative_to(root)) for path in sources(root))


def stem(root, path):
    """X_parts.h is the inside of X."""
    return re.sub(r"_parts$", "", str(path.relative_to(root).with_suffix("")))


def included(root, path, name):
    """The file that an include names: beside it, or from one of the roots that are on the include path."""
    for base in (path.parent, root / "kmod", root / "kmod/core", root / "kmod/port", root / "daemon", root / "include/uapi"):
        if (base / name).is_file():
            return base / name
    return None


def edges(root):
    graph = collections.defaultdict(set)
    for path in sources(root):
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(), re.M):
            other = included(root, path, name)
            if other and stem(root, other) != stem(root, path):
                graph[stem(root, path)].add(stem(root, other))
    return graph


def reachable(graph, start):
    seen, left = set(), [start]
    while left:
        for other in graph.get(left.pop(), ()):
            if other not in seen:
                seen.add(other)
                left.append(other)
    return seen


def circles(root):
    """Sets of files, by name without suffix, each of which includes all others of the set in the end."""
    graph = edges(root)
    reach = {node: reachable(graph, node) for node in list(graph)}
    found = {frozenset(other for other in reach[node] if node in reach.get(other, ())) for node in graph if node in reach[node]}
    return sorted(found, key=len, reverse=True)


def lines_per_function(root):
    listed = run("ctags", "-x", "--_xformat=%n\t%e\t%F", "--kinds-C=f", "--kinds-C++=f", "--languages=C,C++", "-R",
                 *(str(root / place) for place in PLACES))
    spans = (line.split("\t") for line in listed.splitlines())
    return sorted(int(end) - int(start) + 1 for start, end, _ in spans if end.isdigit())


def stretches(root):
    """How many windows of STRETCH lines stand in more than one place."""
    places = collections.Counter()
    for path in sources(root):
        if path.suffix == ".h":
            continue
        lines = [line.strip() for line in path.read_text().splitlines()]
        lines = [line for line in lines if line not in ("", "{", "}", "};") and not line.startswith(("#", "//", "*", "/*"))]
        places.update({"\n".join(lines[i:i + STRETCH]) for i in range(len(lines) - STRETCH + 1)})
    return sum(1 for number in places.values() if number > 1)


def lines_of_shell(root):
    files = [path for path in root.rglob("*.sh") if "build" not in path.relative_to(root).parts[:1]]
    return sum(len(path.read_text().splitlines()) for path in files)


def measure(root):
    folders = files_per_folder(root)
    for folder, number in folders.most_common(5):
        print(f"| files in {folder} | {number} |")
    print(f"| folders; files in the fullest | {len(folders)}; {folders.most_common(1)[0][1]} |")
    found = circles(root)
    print(f"| circles of includes; files in them | {len(found)}; {sum(map(len, found))} |")
    for circle in found:
        print(f"| … | {', '.join(sorted(circle))} |")
    large = sorted(((found.methods, found.name) for found in classes.find_classes(root / "daemon")
                    if found.methods > classes.MOST_METHODS), reverse=True)
    named = ", ".join(f"{name} {number}" for number, name in large) or "none"
    print(f"| classes with more than {classes.MOST_METHODS} methods | {named} |")
    sizes = lines_per_function(root)
    print(f"| functions; lines: median, 90 %, most | {len(sizes)}; {sizes[len(sizes) // 2]}, {sizes[len(sizes) * 9 // 10]}, "
          f"{sizes[-1]} |")
    print(f"| stretches of {STRETCH} lines that stand twice | {stretches(root)} |")
    print(f"| lines of shell | {lines_of_shell(root)} |")


def main():
    top = pathlib.Path(run("git", "rev-parse", "--show-toplevel").strip())
    if len(sys.argv) < 2:
        measure(top)
        return
    with tempfile.TemporaryDirectory() as folder:
        checked_out(sys.argv[1], folder)
        measure(pathlib.Path(folder))


main()
