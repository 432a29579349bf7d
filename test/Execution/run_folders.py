#!/usr/bin/env python3
"""Compiles and runs every model of folders that hold stored answers.

usage: run_folders.py [--grid DP PP TP]... FOLDER...

Below each FOLDER: NAME/model.onnx with inputs_I.npz and outputs_I.npz (keys are
tensor names), and invalid/NAME/model.onnx, which must be refused. Each model ends
as `right`, `refused` (with the reason), or `WRONG`; the exit code is not 0 where
one is wrong.
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lib"))

import numpy as np
import onnx

import bundle
import oracle

# Exit codes of a refusal: unsupported operation, bad input.
REFUSALS = (3, 4)


def tolerance(values):
    """Relative to max(1, largest output): f16 carries 11 bits, bf16 8."""
    if any(value.dtype.kind == "V" for value in values.values()):
        return 3e-2
    halves = any(value.dtype.itemsize == 2 for value in values.values())
    return 4e-3 if halves else 1e-4


BITS = "__bf16bits"


def tensors(path):
    """Arrays by tensor name. numpy has no bfloat16: its bits are stored under a
    name of their own, and become the raw 16 bits that a request takes."""
    return {
        name.removesuffix(BITS): value.view("V2") if name.endswith(BITS) else value
        for name, value in np.load(path).items()
    }


def numbers(value):
    """The raw bits of bfloat16 as float32; other arrays as they are."""
    if value.dtype.kind != "V":
        return value
    return (value.view(np.uint16).astype(np.uint32) << 16).view(np.float32)


def compare(results, expected):
    for index, (got, want) in enumerate(zip(results, expected)):
        for name, value in want.items():
            if got[name].shape != value.shape or got[name].dtype != value.dtype:
                yield f"set {index}, {name}: {got[name].dtype}{got[name].shape} where {value.dtype}{value.shape} was expected"
            elif not value.size:
                continue
            else:
                difference = oracle.largest_difference(numbers(got[name]), numbers(value))
                allowed = oracle.allowed_difference(numbers(value)) * tolerance(want) / 1e-4
                if difference > allowed:
                    yield f"set {index}, {name}: {difference:.1e} of {allowed:.1e} allowed"


def check(folder, grid):
    """How a model with stored answers ends: (`right`|`refused`|`WRONG`, why)."""
    model = onnx.load(folder / "model.onnx", load_external_data=False)
    sets = [tensors(path) for path in sorted(folder.glob("inputs_*.npz"))]
    expected = [tensors(path) for path in sorted(folder.glob("outputs_[0-9].npz"))]
    names = [output.name for output in model.graph.output]
    with tempfile.TemporaryDirectory() as work:
        try:
            bundle.compile_model(folder / "model.onnx", Path(work) / "m.takt", grid)
            results = bundle.run_bundle(Path(work) / "m.takt", sets, names, Path(work) / "run")
        except bundle.TaktError as error:
            kind = "refused" if error.code in REFUSALS else "WRONG"
            return kind, f"exit code {error.code}: {'; '.join(error.stderr.split(chr(10))[:4])}"
        except AssertionError as error:
            return "WRONG", str(error)
    faults = list(compare(results, expected))
    return ("WRONG", "; ".join(faults)) if faults else ("right", "")


def check_invalid(folder):
    """An invalid model must be refused in one line."""
    with tempfile.TemporaryDirectory() as work:
        command = [bundle.env.TAKT, "compile", folder / "model.onnx", "-o", Path(work) / "m.takt"]
        done = bundle.call(command, check=False)
    if done.returncode in REFUSALS and done.stderr.startswith("error: "):
        return "right", done.stderr.split("\n")[0]
    return "WRONG", f"exit code {done.returncode}: {done.stderr.strip()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--grid", nargs=3, type=int, action="append", metavar=("DP", "PP", "TP"))
    arguments = parser.parse_args()
    counts = {"right": 0, "refused": 0, "WRONG": 0}

    def show(name, end):
        counts[end[0]] += 1
        print(f"{end[0]:8} {name}  {end[1]}", flush=True)

    for root in arguments.folders:
        for model in sorted(root.glob("*/model.onnx")):
            for grid in map(tuple, arguments.grid or [(1, 1, 1)]):
                name = f"{model.parent.name} {'x'.join(map(str, grid))}"
                show(name, check(model.parent, grid))
        for model in sorted(root.glob("invalid/*/model.onnx")):
            show(f"invalid/{model.parent.name}", check_invalid(model.parent))
    print(", ".join(f"{count} {end}" for end, count in counts.items()))
    return 1 if counts["WRONG"] else 0


if __name__ == "__main__":
    sys.exit(main())
