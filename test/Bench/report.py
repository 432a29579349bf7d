"""Turns results into a line, and into docs/Performance.md."""

import datetime
import importlib.metadata
import os
import subprocess
from pathlib import Path

import env


def milliseconds(seconds):
    return f"{seconds * 1e3:.2f}" if seconds < 0.1 else f"{seconds * 1e3:.1f}"


def line(row):
    parts = [f"{row.case:34}"]
    for name, summary in row.summaries.items():
        text = f"{name} {milliseconds(summary.seconds)} ms (self {summary.spread:.2f})"
        if name in row.ratios:
            text += f" ratio {row.ratios[name]:.3f}"
        parts.append(text)
    return "   ".join(parts)


def cpu_model():
    for entry in Path("/proc/cpuinfo").read_text().splitlines():
        if entry.startswith("model name"):
            return entry.split(":", 1)[1].strip()
    return "unknown"


def versions(peers):
    """Versions of what took part."""
    takt = subprocess.run([env.TAKT, "--version"], capture_output=True, text=True).stdout
    found = {"takt": takt.splitlines()[0].removeprefix("takt").strip() if takt else "unknown"}
    return found | {peer: importlib.metadata.version(peer) for peer in peers}


def table(rows, peers):
    takt = "| Takt ms | Takt with itself |"
    head = "".join(f" {peer} ms | with itself | Takt / {peer} |" for peer in peers)
    yield f"| model {takt}{head}"
    yield "|---" * (3 + 3 * len(peers)) + "|"
    for row in rows:
        ours = next(iter(row.summaries.values()))
        cells = [row.case, milliseconds(ours.seconds), f"{ours.spread:.2f}"]
        for peer in peers:
            theirs = row.summaries[peer]
            cells += [milliseconds(theirs.seconds), f"{theirs.spread:.2f}", f"{row.ratios[peer]:.2f}"]
        yield "| " + " | ".join(cells) + " |"


def page(rows, options, effort):
    """The text of docs/Performance.md."""
    peers = options.against
    grid = " x ".join(map(str, options.grid))
    names = ", ".join(f"{name} {version}" for name, version in versions(peers).items())
    return "\n".join(
        [
            "# Performance",
            "",
            "Written by `tools/bench --write`; the numbers are one machine's on one day.",
            "",
            f"- {datetime.date.today()}, {cpu_model()}, {os.cpu_count()} cores",
            f"- {names}",
            f"- grid (dp x pp x tp) {grid}, {options.threads} thread(s) per rank; the others "
            "get as many threads as all ranks together; each pinned to its cores",
            f"- median request of {effort.rounds} interleaved rounds of about "
            f"{effort.seconds:g} s; f32; inputs from a seed, the same for all",
            "- each answer was compared with ONNX Runtime's (optimiser off) before it was timed",
            "",
            *table(rows, peers),
            "",
            "*with itself*: median of the odd rounds against that of the even ones. A ratio",
            "(below 1: Takt takes less time) that is nearer to 1 than these means nothing.",
            "",
            "## Measure yourself",
            "",
            "```",
            "tools/bench minilm --sequence 64 --batch 4",
            "tools/bench path/to/model.onnx --dim height=224 --dim width=224 --grid 1 2 1",
            "tools/bench --shared DIR --write",
            "```",
            "",
            "`tools/bench --help` lists the options. OpenVINO takes part where the Python",
            "package `openvino` is installed in `.deps/venv`. Real-size graphs come from the",
            "folder of `--shared`; their seeded weights are kept in `.deps/real`.",
            "",
        ]
    )
