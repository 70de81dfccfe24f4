# SPDX-License-Identifier: GPL-2.0
"""Plots of a run, as SVG. Needs python3-matplotlib."""
import re

from figures import COLUMNS, GROUPS, GUESTS
from page import block_title

TIMES = ("ns per frame", "ns per lookup", "ns per row", "KiB")
BARS = ("lowering", "workloads", "rate")


def blocks_of(figures):
    """{block: {contestant: [(column, figure)]}}"""
    blocks = {}
    for figure in figures.values():
        if figure.unit in TIMES or figure.group in GUESTS:
            blocks.setdefault(figure.block(), {}).setdefault(figure.of, []).append((figure.column(), figure))
    return dict(sorted(blocks.items(), key=lambda item: GROUPS.index(item[0][0])))


def draw_lines(axes, block, contestants):
    for number, (name, points) in enumerate(contestants.items()):
        style = "-" if number % 2 == 0 else "--"
        axes.plot([int(column) for column, _ in points], [figure.value for _, figure in points], style, marker=".", label=name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(COLUMNS[block[0]].replace("nr", "number"))


def draw_bars(axes, _, contestants):
    columns = list(dict.fromkeys(column for points in contestants.values() for column, _ in points))
    width = 0.8 / len(contestants)
    for number, (name, points) in enumerate(contestants.items()):
        places = [columns.index(column) + number * width for column, _ in points]
        axes.bar(places, [figure.value for _, figure in points], width, label=name)
    axes.set_xticks([place + 0.4 - width / 2 for place in range(len(columns))], columns)


def file_name(block):
    group, *key, unit = block
    words = [*key, unit if group in GUESTS else "memory" if unit == "KiB" else ""]
    words = re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-")
    return "-".join(filter(None, [group, words])) + ".svg"


def draw(figures, folder):
    """The paths of the plots."""
    try:
        import matplotlib
    except ImportError:
        print("no plots: python3-matplotlib is not installed (scripts/setup.sh bench.list)")
        return []
    matplotlib.use("svg")
    from matplotlib import pyplot

    paths = []
    for block, contestants in blocks_of(figures).items():
        figure, axes = pyplot.subplots(figsize=(9, 6))
        axes.set_prop_cycle(color=matplotlib.colormaps["tab20"].colors)
        (draw_bars if block[0] in BARS else draw_lines)(axes, block, contestants)
        axes.set_title(block_title(block))
        axes.set_ylabel(block[-1])
        axes.grid(True, which="both", linewidth=0.3)
        axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.01, 1))
        paths.append(folder / file_name(block))
        figure.savefig(paths[-1], bbox_inches="tight", metadata={"Date": None})
        pyplot.close(figure)
    return paths
