#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The figures of docs/measured.md: data in docs/measured/SUBJECT.json, prose in docs/measured/template.md.

Usage: measured.py collect [OUT]     figures of the runs whose logs are below OUT (out/check)
       measured.py render            writes docs/measured.md, and the figures that other documents cite
       measured.py check             fails if it is not what render writes, or a figure is not as it should be

docs/measured/README.md describes the format.
"""
import datetime
import json
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "docs/measured"
TEMPLATE = DATA / "template.md"
CITED = DATA / "cited.json"
PAGE = ROOT / "docs/measured.md"
NOTE = "<!-- Made by scripts/measured.py: change docs/measured/ instead. -->"
MARK = re.compile(r"^<!-- table: (\w+) -->$", re.MULTILINE)
NUMBER = re.compile(r"(?:[<>≥≤])?\d[\d,]*(?:\.\d+)?")
LONE_NUMBER = re.compile(r"(?<![\w.+-])\d[\d,.]*(?![\w+-])")
OWN = ("date", "commit", "command")  # of a row, beside its keys and figures
COLUMNS = 120


class Table:
    """One subject: its columns, and its rows as dictionaries of keys, figures and what is said of them."""

    def __init__(self, path):
        self.path, self.name = path, path.stem
        data = json.loads(path.read_text(encoding="utf-8"))
        self.command, self.keys, self.rows = data["command"], data["columns"], data["rows"]
        self.figures = {figure["name"]: figure for figure in data["figures"]}
        self.sources = data.get("collect", [])

    def write(self):
        """A record on each line."""
        parts = [("command", json.dumps(self.command, ensure_ascii=False)), ("columns", json.dumps(self.keys))]
        parts += [("figures", lines_of(self.figures.values()))]
        if self.sources:
            parts += [("collect", lines_of(self.sources))]
        names = [*self.keys, *self.figures, *OWN]
        parts += [("rows", lines_of({name: row[name] for name in names if name in row} for row in self.rows))]
        text = ",\n".join(f' "{name}": {value}' for name, value in parts)
        self.path.write_text("{\n" + text + "\n}\n", encoding="utf-8")

    def find(self, keys):
        return next((row for row in self.rows if all(row[key] == keys[key] for key in self.keys)), None)

    def row(self, keys):
        """Which it has afterwards."""
        found = self.find(keys)
        if found is None:
            found = {key: keys[key] for key in self.keys}
            self.rows.append(found)
        return found

    def command_of(self, row):
        """With the row's own names, as it was run."""
        return row.get("command", self.command).format(**{key: row[key] for key in self.keys})

    def numbers(self):
        return [name for name, figure in self.figures.items() if not figure.get("text")]

    def shown(self, name, row):
        """A figure as it stands in its cell."""
        value, figure = row.get(name), self.figures[name]
        if value is None or isinstance(value, str):
            return value or ""
        return f"{value:,.{figure.get('decimals', 0)}f}"

    def cells(self):
        titles = [figure["title"] + (", " + figure["unit"] if "unit" in figure else "") for figure in self.figures.values()]
        yield self.keys + titles
        yield ["---"] * len(self.keys) + ["---" if figure.get("text") else "---:" for figure in self.figures.values()]
        for row in self.rows:
            yield [row[key] for key in self.keys] + [self.shown(name, row) for name in self.figures]

    def origin(self):
        """Below the table: what made it, and when."""
        named = {key: key.upper() for key in self.keys}
        groups = {}
        for row in self.rows:
            groups.setdefault(row.get("command", self.command).format(**named), []).append(row["date"])
        for command, dates in groups.items():
            days = min(dates) if min(dates) == max(dates) else f"{min(dates)} to {max(dates)}"
            yield f"{command} ({days})"

    def rendered(self):
        if not self.rows:
            named = {key: key.upper() for key in self.keys}
            return "\n".join(wrapped(f"(No run of {self.command.format(**named)} has been collected.)"))
        table = "\n".join("| " + " | ".join(row) + " |" for row in self.cells())
        return table + "\n\n" + "\n".join(wrapped("Made by " + "; ".join(self.origin()) + "."))


def lines_of(records):
    return "[\n" + ",\n".join("  " + json.dumps(record, ensure_ascii=False) for record in records) + "\n ]"


def wrapped(text):
    """Commands in backquotes are not broken."""
    line = ""
    for word in re.findall(r"(?:`[^`]*`|\S)+", text):
        if line and len(line) + 1 + len(word) > COLUMNS:
            yield line
            line = word
        else:
            line = line + " " + word if line else word
    yield line


def tables():
    return {path.stem: Table(path) for path in sorted(DATA.glob("*.json")) if path != CITED}


def render(all_tables):
    title, text = TEMPLATE.read_text(encoding="utf-8").split("\n", 1)
    return f"{title}\n\n{NOTE}\n" + MARK.sub(lambda mark: all_tables[mark[1]].rendered(), text)


# --- sentences of other documents, with {} for each figure ---

def citations():
    return json.loads(CITED.read_text(encoding="utf-8"))


def cited_figures(citation, all_tables):
    for subject, *keys, figure in citation["figures"]:
        table = all_tables[subject]
        row = table.find(dict(zip(table.keys, keys)))
        yield table.shown(figure, row) if row else f"(no row {', '.join(keys)} in {subject}.json)"


def cite(citation, all_tables):
    """Brings the figures of a sentence up to date, wherever its lines are broken. What has no figure is left to check."""
    path = ROOT / citation["in"]
    words = r"\s+".join(re.escape(word) for word in citation["says"].split())
    text = path.read_text(encoding="utf-8")
    found = re.search(words.replace(re.escape("{}"), f"({NUMBER.pattern})"), text)
    figures = list(cited_figures(citation, all_tables))
    if not found or not all(map(NUMBER.fullmatch, figures)):
        return
    for number, figure in reversed(list(enumerate(figures, 1))):
        text = text[:found.start(number)] + figure + text[found.end(number):]
    path.write_text(text, encoding="utf-8")


# --- collect ---

def number(text):
    text = text.replace(",", "").replace("*", "")
    if not re.fullmatch(r"\d+(\.\d+)?", text):
        return text
    return float(text) if "." in text else int(text)


def joined(operation, before, value):
    """What several places of one run say of a figure."""
    if operation == "count":
        return (before or 0) + 1
    if before is None or operation == "last":
        return value
    return {"sum": before + value, "max": max(before, value), "min": min(before, value)}[operation]


class Gathered:
    """Of one run: {keys of a row: {figure: value}}"""

    def __init__(self, table):
        self.table, self.rows = table, {}

    def add(self, names):
        """Names of keys and figures; NAME_2 is another place of NAME."""
        names = {name: value for name, value in names.items() if value is not None}
        keys = tuple(names.get(key) for key in self.table.keys)
        if None in keys:
            return
        row = self.rows.setdefault(keys, {})
        for name, value in names.items():
            plain = re.sub(r"_\d+$", "", name)
            figure = self.table.figures.get(plain)
            if figure:
                value = value if figure.get("text") else number(value)
                operation = "sum" if plain != name else figure.get("join", "last")
                row[plain] = joined(operation, row.get(plain), value)

    def store(self, date, commit):
        """Only rows of which every number was found that they had; returns the keys of those."""
        for keys, found in self.rows.items():
            named = dict(zip(self.table.keys, keys))
            before = self.table.find(named) or {}
            absent = {name: figure["absent"] for name, figure in self.table.figures.items() if "absent" in figure}
            found = absent | found
            if any(name not in found and before.get(name) is not None for name in self.table.numbers()):
                continue
            self.table.row(named).update(found, date=date, commit=commit)
            yield keys


def read_lines(source, text, names, gathered):
    for pattern in source["lines"]:
        for match in re.finditer(pattern, text, re.MULTILINE):
            gathered.add(source.get("row", {}) | names | match.groupdict())


def read_matrix(_, text, names, gathered):
    """tests/truth/matrix/run.sh: for each compiler, the lowest share of right stacks over all options and positions."""
    for line in re.findall(r"^\| \w+ \| (?:gcc|clang) \| .* \|$", text, re.MULTILINE):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        abi, compiler, _, instructions, kind = cells[:5]
        shares = [number(cell.split()[0]) for cell in cells[5:-3] if " of " in cell]
        keys = {"ABI": abi if instructions == "-" else f"{abi}, {instructions}", "compiler": compiler, "tables": kind}
        gathered.add(names | keys | {"lowest": str(min(shares)), "wrong": cells[-2]})


def read_figures(_, text, names, gathered):
    """Lines "figure: SUBJECT NAME=VALUE...", of keys and figures; a value with blanks is quoted."""
    for subject, rest in re.findall(r"^figure: (\w+) (.+)$", text, re.MULTILINE):
        if subject == gathered.table.name:
            gathered.add(names | dict(word.split("=", 1) for word in shlex.split(rest)))


READERS = {"lines": read_lines, "matrix": read_matrix, "figures": read_figures}


def failed(log, out):
    """A step that failed has no figures."""
    results, junit = log.parent / "results", out / "junit.xml"
    if results.exists() and f"FAIL {log.stem} " in results.read_text(encoding="utf-8"):
        return True
    tests = re.findall(r'<testcase name="([^"]+)"[^>]* status="fail"', junit.read_text(encoding="utf-8") if junit.exists() else "")
    return log.parent == out and log.stem in tests


def logs_of(out):
    files = (path for path in out.rglob("*") if path.suffix == ".log" or path.name in ("results", "console"))
    return [(path, str(path.relative_to(out))) for path in sorted(files) if path.is_file() and not failed(path, out)]


def text_of(log):
    """What a case in a guest prints is nested in KTAP, as "  # LINE"."""
    return re.sub("^ +# ", "", log.read_text(encoding="utf-8", errors="replace"), flags=re.MULTILINE)


def commit_of(out):
    """Of the tree that the logs lie in, which may be another clone."""
    said = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=out, capture_output=True, text=True, check=False)
    if said.returncode:
        sys.exit(f"measured.py: {out} lies in no clone, so that nobody knows what was run: collect where the run was")
    return said.stdout.strip()


def collect(out):
    logs, commit, texts = logs_of(out), commit_of(out), {}
    for table in tables().values():
        runs = {}
        for source in table.sources:
            for path, name in logs:
                match = re.fullmatch(source["log"], name)
                if not match:
                    continue
                text = texts.setdefault(path, text_of(path))
                gathered, times = runs.setdefault(name.split("/")[0], (Gathered(table), []))
                READERS[source.get("reader", "lines")](source, text, match.groupdict(), gathered)
                times.append(path.stat().st_mtime)
        for gathered, times in runs.values():
            stored = list(gathered.store(datetime.date.fromtimestamp(max(times)).isoformat(), commit))
            for keys in gathered.rows:
                print(f"{table.name}: {', '.join(keys)}{'' if keys in stored else ': not all of its figures are there'}")
        if any(gathered.rows for gathered, _ in runs.values()):
            table.write()


# --- check ---

def row_problems(table, row):
    where = f"{table.path.name}: {', '.join(row.get(key, '?') for key in table.keys)}"
    names = [*table.keys, *table.figures, *OWN]
    yield from (f"{where}: there is no column {name}" for name in row if name not in names)
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", row.get("date", "")):
        yield f"{where}: no date"
    if "`" not in table.command_of(row):
        yield f"{where}: no command"
    for name in table.numbers():
        shown = table.shown(name, row)
        if shown and not NUMBER.fullmatch(shown):
            yield f"{where}: {name} is not one number: {shown}"


def cell_problems(table):
    for line in table.cells():
        for cell in line:
            if ";" in cell or len(LONE_NUMBER.findall(cell)) > 1:
                yield f"{table.path.name}: more than one number in a cell: {cell}"


def source_problems(table):
    """A group of a pattern that is no column is a typing error."""
    for source in table.sources:
        patterns = [source["log"], *source.get("lines", [])]
        for name in (name for pattern in patterns for name in re.compile(pattern).groupindex):
            plain = re.sub(r"_\d+$", "", name)
            if plain not in table.keys and plain not in table.figures:
                yield f"{table.path.name}: a pattern has '{name}', which is no column"


def table_problems(table):
    keys = [tuple(row.get(key) for key in table.keys) for row in table.rows]
    yield from (f"{table.path.name}: two rows of {', '.join(key)}" for key in set(keys) if keys.count(key) > 1)
    for row in table.rows:
        yield from row_problems(table, row)
    yield from cell_problems(table)
    yield from source_problems(table)


def cited_problems(all_tables):
    for citation in citations():
        sentence = citation["says"].format(*cited_figures(citation, all_tables))
        text = " ".join((ROOT / citation["in"]).read_text(encoding="utf-8").split())
        if sentence not in text:
            yield f"{citation['in']} does not say what was measured: {sentence}"


def problems():
    all_tables = tables()
    marks = MARK.findall(TEMPLATE.read_text(encoding="utf-8"))
    if sorted(marks) != sorted(all_tables):
        yield f"template.md and the data differ: {', '.join(sorted(set(marks) ^ set(all_tables)))}"
        return
    if re.search(r"^\|", TEMPLATE.read_text(encoding="utf-8"), re.MULTILINE):
        yield "template.md has a table of its own"
    for table in all_tables.values():
        yield from table_problems(table)
    yield from cited_problems(all_tables)
    if PAGE.read_text(encoding="utf-8") != render(all_tables):
        yield "docs/measured.md is not what 'scripts/measured.py render' writes"


def main(arguments):
    verb = arguments[0] if arguments else ""
    if verb == "collect" and len(arguments) <= 2:
        collect(pathlib.Path(arguments[1] if len(arguments) == 2 else ROOT / "out/check"))
    elif verb == "render" and len(arguments) == 1:
        all_tables = tables()
        PAGE.write_text(render(all_tables), encoding="utf-8")
        for citation in citations():
            cite(citation, all_tables)
    elif verb == "check" and len(arguments) == 1:
        found = list(problems())
        print("\n".join(found), end="\n" if found else "")
        return bool(found)
    else:
        sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
