"""The bars of issue 3: the road from an ONNX model to a bundle that ranks run."""

import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import bad_inputs
import bundle
import env
import model_inputs
import models
import oracle
import suites
from bar import Bar, Figure

sys.path.insert(0, str(env.ROOT / "test" / "Execution"))
import run_model

GRID = (1, 2, 2)


def in_clean_root(command, minutes):
    """Runs a command of the repository on a bare Debian; (seconds, output)."""
    script = env.ROOT / "tools" / "lib" / "clean_root.sh"
    done = bundle.call([script, *command], seconds=minutes * 60 * 2)
    *lines, last = done.stdout.strip().splitlines()
    return float(last.removeprefix("seconds: ")), lines


def clean_machine(context):
    seconds, lines = in_clean_root(["tools/quickstart"], 25)
    difference = next(line for line in reversed(lines) if "largest difference" in line)
    return Figure(f"{seconds / 60:.1f} minutes, {difference}", seconds <= 25 * 60)


def all_grids(context):
    worst, misses, count = [], [], 0
    for model in context.models():
        reference = oracle.Reference(model.path)
        expected = [reference(inputs) for inputs in model.sets]
        for grid in models.ALL_GRIDS:
            count += 1
            with tempfile.TemporaryDirectory() as work:
                try:
                    agreement = run_model.check(model, grid, work, expected)
                except (bundle.TaktError, AssertionError) as error:
                    misses.append(f"{model.name} {grid}: {error}")
                    continue
            worst.append(agreement)
            if not agreement:
                misses.append(f"{model.name} {grid}: {agreement}")
    text = f"{count - len(misses)} of {count} model-grid pairs agree"
    if worst:
        text += f"; nearest to the limit: {oracle.worst_of(worst)}"
    return Figure(text, not misses, "\n".join(misses))


@contextlib.contextmanager
def other_load():
    """One busy process per core."""
    spin = [sys.executable, "-c", "while True: pass"]
    processes = [subprocess.Popen(spin) for _ in range(os.cpu_count())]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def repeatable(context, runs=20):
    model = context.model("minilm")
    with tempfile.TemporaryDirectory() as work:
        compiled = Path(work) / "minilm.takt"
        bundle.compile_model(model.path, compiled, GRID)
        answers = set()
        with other_load():
            for run in range(runs):
                results = bundle.run_bundle(
                    compiled, model.sets, ["sentence_embedding"], Path(work) / f"run{run}"
                )
                answers.add(b"".join(result["sentence_embedding"].tobytes() for result in results))
    return Figure(f"{len(answers)} different result(s) in {runs} runs", len(answers) == 1)


def symbolic_sizes(context):
    model = context.model("minilm")
    shapes = [(batch, seq) for batch in (1, 2, 5, 8) for seq in (1, 2, 17, 128, 512)]
    sets = [model_inputs.minilm_inputs(100 + index, *shape) for index, shape in enumerate(shapes)]
    with tempfile.TemporaryDirectory() as work:
        compiled = Path(work) / "minilm.takt"
        bundle.compile_model(model.path, compiled, GRID)
        results = bundle.run_bundle(compiled, sets, ["sentence_embedding"], Path(work) / "run")
    reference = oracle.Reference(model.path)
    found = [
        oracle.compare(got, reference(inputs), model.relative) for got, inputs in zip(results, sets)
    ]
    misses = [f"batch, seq = {shape}: {one}" for shape, one in zip(shapes, found) if not one]
    text = f"{len(shapes) - len(misses)} of {len(shapes)} shapes agree; worst: {oracle.worst_of(found)}"
    return Figure(text, not misses, "\n".join(misses))


def collectives(context):
    counts = suites.run_lit(env.BUILD / "test", arguments=["--filter", "collectives"])
    return Figure(
        f"lit tests that count collectives: {counts}", counts.passed > 0 and not counts.failed
    )


def interpreter(context):
    counts = suites.Counts()
    select = "--gtest_filter=*Interpreter*"
    for binary in suites.unit_binaries():
        listed = bundle.call([binary, "--gtest_list_tests", select], check=False).stdout
        if any(line.startswith("  ") for line in listed.splitlines()):
            counts += suites.run_gtest(binary, [select])
    return Figure(f"interpreter tests: {counts}", counts.passed > 0 and not counts.failed)


def compile_time(context):
    model = context.model("minilm")
    seconds = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as work:
            start = time.monotonic()
            bundle.compile_model(model.path, Path(work) / "minilm.takt", GRID)
            seconds.append(time.monotonic() - start)
    median = statistics.median(seconds)
    return Figure(f"{median:.1f} s (median of 3)", median <= 10)


def clean_build(context):
    with tempfile.TemporaryDirectory() as work:
        configure = [
            "cmake",
            "--preset",
            "release",
            "-S",
            env.ROOT,
            "-B",
            work,
            f"-DTAKT_DEPS_DIR={env.DEPS}",
        ]
        start = time.monotonic()
        bundle.call(["env", "CCACHE_DISABLE=1", *configure])
        build = ["ninja", "-C", work, "-j2", "all", "takt-unit-tests"]
        bundle.call(["env", "CCACHE_DISABLE=1", *build], seconds=3600)
        build_seconds = time.monotonic() - start
    run_seconds, lines = in_clean_root([".ci/run"], 45)
    text = f"build {build_seconds / 60:.1f} minutes; .ci/run {run_seconds / 60:.1f} minutes ({lines[-1]})"
    return Figure(text, build_seconds <= 20 * 60 and run_seconds <= 45 * 60)


def bad_input(context):
    programs = [env.TAKT]
    sanitized = env.ROOT / "build" / "asan" / "bin" / "takt"
    if sanitized.exists():
        programs.append(sanitized)
    good, misses = bad_inputs.run_all(programs)
    note = (
        ""
        if len(programs) == 2
        else "not under AddressSanitizer: build/asan is not there (cmake --preset asan)"
    )
    text = f"{good} of {good + len(misses)} cases right"
    return Figure(
        text + (", half of them under AddressSanitizer" if not note else ""),
        not misses,
        "\n".join([*misses, note]),
    )


BARS = [
    Bar(
        1,
        "clean Debian 12: tools/quickstart",
        "ends within 25 minutes, agrees to 1e-4",
        clean_machine,
        slow=True,
    ),
    Bar(
        2,
        "four models on eight grids, all input sets",
        "every difference <= 1e-4 x max(1, largest output)",
        all_grids,
    ),
    Bar(3, "20 runs of one bundle with other load", "bitwise equal", repeatable),
    Bar(
        4,
        "one minilm bundle, 4 batches x 5 sequence lengths",
        "all right (1e-5 x largest output)",
        symbolic_sizes,
    ),
    Bar(
        5,
        "all-reduces per transformer block at tp = 2",
        "2 with fast links, 0 with very slow ones",
        collectives,
    ),
    Bar(
        6,
        "interpreter over every op, states, n in {2, 3, 4, 6}",
        "all equal, integers exact",
        interpreter,
    ),
    Bar(7, "takt compile of minilm", "<= 10 s", compile_time),
    Bar(
        8,
        "clean build on 2 cores; .ci/run on an empty machine",
        "<= 20 minutes; <= 45 minutes",
        clean_build,
        slow=True,
    ),
    Bar(
        9,
        "bad input",
        "one clear line, documented exit code, nothing left behind, no crash",
        bad_input,
    ),
]
