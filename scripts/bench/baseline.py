# SPDX-License-Identifier: GPL-2.0
"""The committed baseline: ratios, never times, and what became of them."""
import json

from figures import GUESTS, LAST, STEPS

LEAST_RUNS = 3  # that a baseline is made of; where time counts instructions, one
MOST_GONE = 10  # of the baseline's ratios that are named if they were not measured

# So much worse than the baseline a ratio may be before that is said: what runs on a busy machine differ by. Steps that are
# remembered may collide, which depends on addresses.
TOLERANCES = {"warm": 0.25, "empty": 0.4, "remembered": 0.4, "lowering": 0.25, "memory": 0.1, "guests": 0.2}


def tolerance_of(figure):
    if figure.group in GUESTS:
        return TOLERANCES["guests"]
    if figure.unit == "KiB":
        return TOLERANCES["memory"]
    if figure.of.endswith((STEPS, LAST)):
        return TOLERANCES["remembered"]
    return TOLERANCES[figure.key.get("caches", "lowering")]


def read(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise SystemExit(f"{path} is no JSON ({error}): renew it with 'make bench RENEW=1'") from error


def write(path, ratios, machine, runs):
    if runs < LEAST_RUNS and not machine.get("guest"):
        raise SystemExit(f"a baseline is made of {LEAST_RUNS} runs at least, and there are {runs}: 'make bench RENEW=1'")
    lines = ",\n".join(f"  {json.dumps(name)}: {ratio:.3g}" for name, (_, _, ratio) in ratios.items())
    head = {"runs": runs, "machine": {name: value for name, value in machine.items() if name != "kernel"}}
    said = ",\n".join(f" {json.dumps(name)}: {json.dumps(value)}" for name, value in head.items())
    path.write_text("{\n" + said + ',\n "ratios": {\n' + lines + "\n }\n}\n", encoding="utf-8")


class Comparison:
    """This run's ratios with the baseline's."""

    def __init__(self, ratios, baseline):
        self.before = baseline["ratios"] if baseline else {}
        self.ratios = ratios
        self.worse = [name for name in ratios if self.is_worse(name)]
        self.gone = [name for name in self.before if name not in ratios]

    def is_worse(self, name):
        _, figure, ratio = self.ratios[name]
        return name in self.before and ratio < self.before[name] * (1 - tolerance_of(figure))

    def lines(self):
        for name in self.worse:
            before, now = self.before[name], self.ratios[name][2]
            yield f"WORSE: {name}: {now:.2f} times, the baseline has {before:.2f}: {100 * (1 - now / before):.0f} % less"
        for name in self.gone[:MOST_GONE]:
            yield f"not measured here, but in the baseline: {name}"
        if len(self.gone) > MOST_GONE:
            yield f"nor were {len(self.gone) - MOST_GONE} more of the baseline"

    def verdict(self):
        if not self.before:
            return "There is no baseline to compare with: 'make bench RENEW=1' makes one."
        allowed = ", ".join(f"{100 * value:.0f} % ({name})" for name, value in TOLERANCES.items())
        compared = sum(name in self.before for name in self.ratios)
        return f"{len(self.worse)} of {compared} ratios are worse than the baseline by more than {allowed}."
