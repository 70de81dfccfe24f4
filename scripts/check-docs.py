#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Looks after Markdown files and READMEs, and prints each thing that is not as it should be.

Usage: check-docs.py                  checks
       check-docs.py --wrap FILE...   wraps lines that are too long

- no line has more than 120 columns, but for rows of tables, headings and lines of one link
- every folder with files has a README.md; below the first level, the nearest README above may name the folder instead
- docs/measured.md and the figures in other documents agree with their data (scripts/measured.py check)
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = 120
FILLED = range(95, 171)  # a paragraph with such lines was wrapped before, and is wrapped as one
TREES = ("kmod", "daemon", "tests", "qemu", "scripts", "docs", "include")
# Their READMEs speak for the folders in them: inputs of a fuzzer each, a toolchain each, a folder of what is tested each.
ALIKE = ("tests/fuzz/corpus/", "tests/sframe/set/", "tests/unit/")
FENCE, EXEMPT = re.compile(r"^ *```"), re.compile(r"^\||^#|^<!--|^\[[^]]*\]: ")
ITEM = re.compile(r"^( *)([-*] |\d+\. )?")
WORD = re.compile(r"(?:`[^`]*`|\[[^]]*\]\([^)]*\)|\S)+")
MARKER = re.compile(r"[-+*#|>]+|\d+[.)]")  # at the beginning of a line it would mean something else


def tracked(*patterns):
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z", "--", *patterns]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted(name for name in said.split("\0") if name and (ROOT / name).is_file())


def long_lines(name):
    for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1):
        if len(line) > COLUMNS and not EXEMPT.match(line) and len(WORD.findall(line)) > 1:
            yield f"{name}:{number}: {len(line)} columns, at most {COLUMNS}"


def has_readme(folder):
    if (ROOT / folder / "README.md").exists() or folder.startswith(ALIKE):
        return True
    above = pathlib.PurePath(folder)
    name = above.name
    while len(above.parts) > 1:
        above = above.parent
        readme = ROOT / above / "README.md"
        if readme.exists():
            return bool(re.search(rf"\b{re.escape(name)}\b", readme.read_text(encoding="utf-8"), re.IGNORECASE))
    return False


def folders_without_readme():
    folders = {str(pathlib.PurePath(name).parent) for name in tracked(*TREES)}
    folders |= {name.split("/")[0] for name in folders}
    return [f"{folder}: no README.md says what may live there" for folder in sorted(folders) if not has_readme(folder)]


def words_of(text):
    """A word that would be taken for a list's marker stays with the one before it."""
    words = []
    for word in WORD.findall(text):
        if words and MARKER.fullmatch(word):
            words[-1] += " " + word
        else:
            words.append(word)
    return words


def wrapped(line, text, indent):
    """line: how the first one begins. indent: of those after it."""
    line += text[0]
    for word in text[1:]:
        if len(line) + 1 + len(word) > COLUMNS:
            yield line
            line = indent + word
        else:
            line += " " + word
    yield line


def wrapped_paragraph(lines):
    """A list's item, or lines of text."""
    if all(len(line) <= COLUMNS for line in lines):
        yield from lines
        return
    begin = ITEM.match(lines[0])[0]
    indent = " " * len(begin)
    sentences = all(re.search(r"[.:;]$", line) for line in lines)  # a line each: stays so
    filled = not sentences and all(len(line) in FILLED for line in lines[:-1])
    for lines_of_one in [lines] if filled else [[line] for line in lines]:
        first = begin if lines_of_one[0] is lines[0] else indent
        text = " ".join(line.strip() for line in lines_of_one)
        yield from wrapped(first, words_of(text[len(begin.strip()):].strip() if first == begin else text), indent)


def paragraphs(lines):
    """Lists of lines that belong together; code and tables are single lines."""
    part, code = [], False
    for line in lines:
        fence = bool(FENCE.match(line))
        alone = code or fence or not line.strip() or EXEMPT.match(line)
        if part and (alone or ITEM.match(line)[2]):
            yield part, False
            part = []
        if alone:
            yield [line], True
        else:
            part.append(line)
        code ^= fence
    if part:
        yield part, False


def wrap(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [new for part, alone in paragraphs(lines) for new in (part if alone else wrapped_paragraph(part))]
    path.write_text("\n".join(found) + "\n", encoding="utf-8")


def main(arguments):
    if arguments[:1] == ["--wrap"]:
        for name in arguments[1:]:
            wrap(pathlib.Path(name))
        return 0
    if arguments:
        sys.exit(__doc__)
    found = [problem for name in tracked("*.md") for problem in long_lines(name)] + folders_without_readme()
    print("\n".join(found), end="\n" if found else "")
    figures = subprocess.run([sys.executable, ROOT / "scripts/measured.py", "check"], check=False).returncode
    return bool(found or figures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
