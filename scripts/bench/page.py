# SPDX-License-Identifier: GPL-2.0
"""The table of ratios for a terminal, and the page out/bench/bench.md."""
from figures import GROUPS
from machine import sentence

TITLES = {
    "frames": "A frame of a real stack",
    "lowering": "Making tables",
    "lookups": "A lookup",
    "workloads": "Real programs",
    "growth": "Growth",
    "rate": "Records",
}
UNITS = {"ms": "time", "KiB": "peak of memory"}


FINE = ("times as long",)  # units whose values are near one


def shown(value, unit=None):
    if unit in FINE:
        return f"{value:.3f}"
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 1 else f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def block_title(block):
    group, *key, unit = block
    return ", ".join([TITLES[group], *key, UNITS.get(unit, unit)]).replace("warm", "caches warm").replace("empty", "caches empty")


class Block:
    """A table: its columns, and rows of cells by column."""

    def __init__(self, block):
        self.block, self.columns, self.rows = block, [], {}

    def add(self, row, column, cell):
        if column not in self.columns:
            self.columns.append(column)
        self.rows.setdefault(row, {})[column] = cell

    def cells(self):
        for row, cells in self.rows.items():
            yield row, [cells.get(column, "") for column in self.columns]


def in_order(blocks):
    return sorted(blocks.values(), key=lambda block: GROUPS.index(block.block[0]))


def ratio_blocks(comparison):
    blocks = {}
    for name, (pair, figure, ratio) in comparison.ratios.items():
        block = blocks.setdefault(figure.block(), Block(figure.block()))
        cell = shown(ratio, figure.unit) + ("!" if name in comparison.worse else "")
        block.add(f"{pair.other} / {pair.ours}", figure.column(), cell)
    return in_order(blocks)


def value_blocks(figures):
    blocks = {}
    for figure in figures.values():
        block = blocks.setdefault(figure.block(), Block(figure.block()))
        block.add(figure.of, figure.column(), shown(figure.value, figure.unit))
    return in_order(blocks)


def terminal(comparison, machine):
    """Lines of one table."""
    blocks = ratio_blocks(comparison)
    wide = max((len(row) for block in blocks for row in block.rows), default=0)
    yield sentence(machine)
    yield "How many times as much the other takes, or of what is good how much less it gets; more is better. '!': worse than the baseline."
    for block in blocks:
        yield ""
        yield block_title(block.block)
        yield " " * (wide + 2) + "".join(f"{column:>11}" for column in block.columns)
        for row, cells in block.cells():
            yield "  " + row.ljust(wide) + "".join(f"{cell:>11}" for cell in cells)


def markdown_table(block, what):
    yield "| " + " | ".join([what, *block.columns]) + " |"
    yield "| --- |" + " ---: |" * len(block.columns)
    for row, cells in block.cells():
        yield "| " + " | ".join([row, *cells]) + " |"
    yield ""


def markdown(comparison, figures, machine, plots):
    yield "# What it takes, next to others"
    yield ""
    yield sentence(machine).replace("\n", "\n\n")
    yield ""
    yield comparison.verdict()
    yield ""
    yield from (f"- {line}" for line in comparison.lines())
    yield ""
    yield "## How many times as much the other takes"
    yield ""
    for block in ratio_blocks(comparison):
        yield f"### {block_title(block.block)}"
        yield ""
        yield from markdown_table(block, "other / ours")
    yield "## The figures of the last run"
    yield ""
    yield "Each is the lower quartile of a start's samples, and the mean of the starts; the JSON files have them, and the spread."
    yield ""
    for block in value_blocks(figures):
        yield f"### {block_title(block.block)}"
        yield ""
        yield from markdown_table(block, block.block[-1])
    yield from (f"![{plot.stem}]({plot.name})" for plot in plots)
