#!/usr/bin/env python3
"""The ONNX node tests, an oracle that knows nothing of this compiler.

usage: node_tests.py [--grid DP PP TP]... [--survey | NAME...]

Without names: those of supported.txt. --survey runs all tests that come with the
onnx package and prints how each ends; a test that is right and not in
supported.txt, or in it and not right, is a failure there.

Operands that say how a result is shaped (axes, bounds, pads, ..) become constants of
the model: takt wants them so, while the tests feed them as inputs.
"""

import argparse
import concurrent.futures
import os
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
# By element type; two units in the last place of a result near 1 for the short ones.
TOLERANCES = {"float16": 1e-3, "bfloat16": 1.6e-2}
TOLERANCE = 1e-4
# Operators and the operands of theirs that become constants.
SHAPING = {
    **{op: [1] for op in ("Expand", "OneHot", "Reshape", "Split", "Squeeze", "Tile", "TopK")},
    **{op: [1] for op in ("CumProd", "CumSum", "Unsqueeze", "Upsample")},
    **{f"Reduce{kind}": [1] for kind in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean")},
    **{f"Reduce{kind}": [1] for kind in ("Min", "Prod", "Sum", "SumSquare")},
    "ConstantOfShape": [0],
    "Pad": [1, 3],
    "Range": [0, 1, 2],
    "Resize": [2, 3],
    "Slice": [1, 2, 3, 4],
}


def read_tensors(data_set, kind, names):
    """INPUT_I.pb or OUTPUT_I.pb of a data set, by tensor name."""
    tensors = {}
    for index, name in enumerate(names):
        path = data_set / f"{kind}_{index}.pb"
        if path.exists():
            proto = onnx.TensorProto.FromString(path.read_bytes())
            tensors[name] = numpy_helper.to_array(proto)
    return tensors


def fix_shaping_inputs(model, tensors):
    """Turns graph inputs that are operands of `SHAPING` into initializers."""
    fixed = {
        node.input[index]
        for node in model.graph.node
        for index in SHAPING.get(node.op_type, [])
        if index < len(node.input) and node.input[index] in tensors
    }
    kept = [port for port in model.graph.input if port.name not in fixed]
    del model.graph.input[:]
    model.graph.input.extend(kept)
    for name in sorted(fixed):
        model.graph.initializer.append(numpy_helper.from_array(tensors[name], name))


def has_tensors_only(model):
    ports = [*model.graph.input, *model.graph.output]
    return all(port.type.WhichOneof("value") == "tensor_type" for port in ports)


def differences(expected, actual):
    for name, want in expected.items():
        got = actual[name]
        # NPY files have no bfloat16, only its bytes.
        if got.dtype.kind == "V" and got.dtype.itemsize == want.dtype.itemsize:
            got = got.view(want.dtype)
        limit = TOLERANCES.get(want.dtype.name, TOLERANCE)
        if got.shape != want.shape or got.dtype != want.dtype:
            yield f"{name}: {got.dtype}{got.shape} where {want.dtype}{want.shape} was expected"
        elif not np.allclose(got, want, rtol=limit, atol=limit, equal_nan=True):
            yield f"{name}: differs"


def check(name, grid):
    """`right`, `refused`, or what is wrong."""
    folder = FOLDER / name
    model = onnx.load(folder / "model.onnx")
    inputs = [port.name for port in model.graph.input]
    outputs = [port.name for port in model.graph.output]
    work = Path(tempfile.mkdtemp())
    try:
        # Sequences and optionals must be refused before anyone reads their data.
        data = sorted(folder.glob("test_data_set_*")) if has_tensors_only(model) else []
        sets = [read_tensors(data_set, "input", inputs) for data_set in data]
        fix_shaping_inputs(model, sets[0] if sets else {})
        onnx.save(model, work / "model.onnx")
        bundle.compile_model(work / "model.onnx", work / "out.takt", grid)
        left = {port.name for port in model.graph.input}
        sets = [{name: x for name, x in one.items() if name in left} for one in sets]
        results = bundle.run_bundle(work / "out.takt", sets, outputs, work / "run")
        faults = [
            fault
            for data_set, result in zip(data, results)
            for fault in differences(read_tensors(data_set, "output", outputs), result)
        ]
        if not data:
            return "compiled, although it is not about tensors"
        return "; ".join(faults) or "right"
    except bundle.TaktError as error:
        return "refused" if error.code == UNSUPPORTED else str(error)
    finally:
        shutil.rmtree(work)


def supported():
    lines = LIST.read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def check_all(names, grid):
    """Each name with how it ends, in order; as many at once as there are cores."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from zip(names, pool.map(lambda name: check(name, grid), names))


def survey(grid):
    """Every test of the package; the ones whose end disagrees with the list."""
    known, wrong = set(supported()), []
    for name, end in check_all([folder.name for folder in sorted(FOLDER.iterdir())], grid):
        print(name, end, flush=True)
        if (end == "right") != (name in known) or end not in ("right", "refused"):
            wrong.append(f"{name}: {end}")
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
        for name, end in check_all(arguments.names or supported(), grid):
            if end != "right":
                faults.append(f"{name} at {' '.join(map(str, grid))}: {end}")
    print("\n".join(faults) or "all right")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
