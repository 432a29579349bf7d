"""Bars of issue 5 about schedules: known spans, and the proof of freedom from deadlock."""

import json
import subprocess

import env
from bar import Bar, Figure

BENCH = env.BUILD / "test" / "Bench" / "bin" / "takt-schedule-bench"
SECONDS = 2.0
LISTS = 1000


def run_bench(*arguments):
    done = subprocess.run(
        [BENCH, *arguments], stdout=subprocess.PIPE, text=True, check=True, timeout=600
    )
    return json.loads(done.stdout)


def spans(context):
    """Every figure is that of the simulator; a `fault` is what it or the prover objects to."""
    sets = run_bench("--figures")
    figures = [figure for listed in sets.values() for figure in listed]
    slowest = max(figure["seconds"] for figure in figures)
    lines = [
        f"{figure['schedule']}: {figure['quantity']} {figure['measured']:g} "
        f"(known {figure['known']:g}), {figure['seconds']:.2f} s"
        for figure in sets["golden"]
    ]
    lines += [
        f"{figure['schedule']}: {figure['quantity']} {figure['measured']:g}, known "
        f"{figure['known']:g} {figure['fault']}  MISSED"
        for figure in figures
        if not figure["reached"]
    ]
    counts = ", ".join(
        f"{sum(figure['reached'] for figure in listed)} of {len(listed)} {name}"
        for name, listed in sets.items()
    )
    good = all(figure["reached"] for figure in figures) and slowest < SECONDS
    return Figure(f"{counts}; slowest made in {slowest:.2f} s", good, "\n".join(lines))


def prover(context):
    found = run_bench("--mutants", str(LISTS))["mutants"]
    text = (
        f"{found['faulty'] - found['missed']} of {found['faulty']} faulty lists found "
        f"({found['stuck']} stuck in the simulator, {found['chains']} shown as a cycle), "
        f"{found['accused']} of {found['correct']} correct ones accused; slowest proof "
        f"{found['slowestProofSeconds'] * 1e3:.1f} ms"
    )
    enough = found["faulty"] >= LISTS and found["correct"] >= LISTS
    return Figure(
        text, enough and not found["missed"] and not found["accused"], found["firstWrong"]
    )


BARS = [
    Bar(
        2,
        "schedules against known spans and formulas, ZB-V without a bubble; simulated and proven",
        f"all equal or better; each made in < {SECONDS:g} s",
        spans,
    ),
    Bar(
        8,
        f"{LISTS} random lists with a planted fault, as many correct ones; the simulator judges",
        "all faults found, no correct list accused",
        prover,
    ),
]
