#!/usr/bin/env python3
"""The ONNX node tests, an oracle that knows nothing of this compiler.

usage: node_tests.py [--grid DP PP TP]... [--survey | NAME...]

Without names: those of supported.txt. --survey runs all tests that come with the
onnx package and prints how each ends; a test that is right and not in
supported.txt, or in it and not right, is a failure there.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lib"))

import numpy as np
import onnx
from onnx import numpy_helper

import bundle

FOLDER = Path(onnx.__file__).parent / "backend" / "test" / "data" / "node"
LIST = Path(__file__).with_name("supported.txt")
UNSUPPORTED = 3
TOLERANCE = 1e-4


def read_tensors(data_set, kind, names):
    """INPUT_I.pb or OUTPUT_I.pb of a data set, by tensor name."""
    tensors = {}
    for index, name in enumerate(names):
        path = data_set / f"{kind}_{index}.pb"
        if path.exists():
            proto = onnx.TensorProto.FromString(path.read_bytes())
            tensors[name] = numpy_helper.to_array(proto)
    return tensors


def differences(expected, actual):
    for name, want in expected.items():
        got = actual[name]
        if got.shape != want.shape or got.dtype != want.dtype:
            yield f"{name}: {got.dtype}{got.shape} where {want.dtype}{want.shape} was expected"
        elif not np.allclose(got, want, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True):
            yield f"{name}: differs"


def check(name, grid):
    """`right`, `refused`, or what is wrong."""
    folder = FOLDER / name
    model = onnx.load(folder / "model.onnx")
    inputs = [port.name for port in model.graph.input]
    outputs = [port.name for port in model.graph.output]
    work = Path(tempfile.mkdtemp())
    try:
        bundle.compile_model(folder / "model.onnx", work / "out.takt", grid)
        data = sorted(folder.glob("test_data_set_*"))
        sets = [read_tensors(data_set, "input", inputs) for data_set in data]
        results = bundle.run_bundle(work / "out.takt", sets, outputs, work / "run")
        faults = [
            fault
            for data_set, result in zip(data, results)
            for fault in differences(read_tensors(data_set, "output", outputs), result)
        ]
        return "; ".join(faults) or "right"
    except bundle.TaktError as error:
        return "refused" if error.code == UNSUPPORTED else str(error)
    finally:
        shutil.rmtree(work)


def supported():
    lines = LIST.read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def survey(grid):
    """Every test of the package; the ones whose end disagrees with the list."""
    known, wrong = set(supported()), []
    for folder in sorted(FOLDER.iterdir()):
        end = check(folder.name, grid)
        print(folder.name, end, flush=True)
        if (end == "right") != (folder.name in known) or end not in ("right", "refused"):
            wrong.append(f"{folder.name}: {end}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--grid", nargs=3, type=int, action="append", metavar=("DP", "PP", "TP"))
    parser.add_argument("--survey", action="store_true")
    arguments = parser.parse_args()
    faults = []
    for grid in arguments.grid or [(1, 1, 1)]:
        if arguments.survey:
            faults += survey(grid)
            continue
        for name in arguments.names or supported():
            end = check(name, grid)
            if end != "right":
                faults.append(f"{name} at {' '.join(map(str, grid))}: {end}")
    print("\n".join(faults) or "all right")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
