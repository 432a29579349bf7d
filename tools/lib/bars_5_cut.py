"""Bar of issue 5 about stage cuts: a public benchmark with known optima."""

import json
import re
import subprocess
from pathlib import Path

import env
from bar import Bar, Figure

BENCH = env.BUILD / "test" / "Bench" / "bin" / "takt-planner-bench"
SECONDS = 2.0
NO_INPUTS = Figure("not run", None, "needs --shared: the inputs are not in the repository")


def known_optima(folder):
    """FOLDER/NAME -> the value in the benchmark's table."""
    row = re.compile(r"^\| (\w+/[\w-]+) \(\d+\) \| ([0-9.]+)")
    rows = map(row.match, (folder / "README.md").read_text().splitlines())
    return {found[1]: found[2] for found in rows if found}


def agrees(value, known):
    """To the digits that the table gives."""
    digits = len(known.partition(".")[2])
    return abs(value - float(known)) <= 0.51 * 10**-digits


def optima(context):
    if not context.shared:
        return NO_INPUTS
    folder = Path(context.shared) / "planner-bench"
    lines, good = [], True
    known = known_optima(folder)
    for name, value in known.items():
        path = folder / "throughput-inputs" / f"{name}.json"
        done = subprocess.run(
            [BENCH, "--json", path], stdout=subprocess.PIPE, text=True, check=True, timeout=60
        )
        (answer,) = json.loads(done.stdout)
        reached = (
            answer["proven"] and answer["seconds"] < SECONDS and agrees(answer["takt"], value)
        )
        good &= reached
        proven = "proven" if answer["proven"] else "not proven"
        verdict = "" if reached else "  MISSED"
        lines.append(
            f"{name}: {answer['takt']:.4f} (known {value}), {proven}, "
            f"{answer['seconds']:.2f} s{verdict}"
        )
    good &= len(known) == 16
    return Figure(f"{len(known)} inputs, verified on their own nodes", good, "\n".join(lines))


BARS = [
    Bar(
        1,
        "the device-placement benchmark: least largest load, one thread",
        f"the known optimum on all 16, proven, each in < {SECONDS:g} s",
        optima,
    ),
]
