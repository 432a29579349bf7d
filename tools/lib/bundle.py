"""Compiles models and runs bundles through the programs that users call."""

import re
import subprocess
from pathlib import Path

import numpy as np

import env

SECONDS = 600


class TaktError(Exception):
    """A program of ours failed: its command, exit code and standard error."""

    def __init__(self, command, code, stderr):
        self.code, self.stderr = code, stderr
        text = " ".join(map(str, command))
        super().__init__(f"'{text}' ended with exit code {code}: {stderr.strip()}")


def call(command, seconds=SECONDS, check=True):
    """Runs a program; its CompletedProcess. Exit code -1000: it hung."""
    command = list(map(str, command))
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=seconds
        )
    except subprocess.TimeoutExpired:
        done = subprocess.CompletedProcess(command, -1000, "", f"no end within {seconds} s")
    if check and done.returncode != 0:
        raise TaktError(command, done.returncode, done.stderr)
    return done


def compile_model(model, bundle, grid=(1, 1, 1), extra=(), takt=None):
    dp, pp, tp = grid
    options = ["--dp", dp, "--pp", pp, "--tp", tp, *extra]
    call([takt or env.TAKT, "compile", model, "-o", bundle, *options])


def file_name(tensor):
    """The file of a tensor: characters other than letters, digits, `.`, `-` and
    `_` become `_`."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", tensor) + ".npy"


def write_requests(folder, sets):
    """FOLDER/REQUEST/INPUT.npy; requests are named by their number, so that
    their order by name is their order here."""
    for index, inputs in enumerate(sets):
        request = Path(folder) / f"{index:04}"
        request.mkdir(parents=True)
        for name, value in inputs.items():
            np.save(request / file_name(name), value)


def read_results(folder, count, names):
    """The outputs `names` of `count` requests, as dicts of arrays."""
    results = []
    for index in range(count):
        request = Path(folder) / f"{index:04}"
        files = {file_name(name): name for name in names}
        found = {path.name for path in request.glob("*")} if request.is_dir() else set()
        if found != set(files):
            raise AssertionError(
                f"{request} holds {sorted(found)} where {sorted(files)} were expected"
            )
        results.append({name: np.load(request / file) for file, name in files.items()})
    return results


def run_bundle(bundle, sets, names, work, extra=()):
    """Runs all input sets as one stream of requests below the empty or absent
    folder `work`; a list of dicts of outputs."""
    work = Path(work)
    write_requests(work / "requests", sets)
    run = [Path(bundle) / "run", "--requests", work / "requests", "--output", work / "results"]
    call([*run, *extra])
    return read_results(work / "results", len(sets), names)
