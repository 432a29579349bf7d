"""Gives weights to graphs whose weights are ConstantOfShape nodes.

ONNX's light tests fill every weight with one number, so that their outputs are the
same for any input. Here each gets values of its own, scaled by what it is to the
node that takes it, so that the outputs depend on the inputs."""

import zlib
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

# Mean and deviation of BatchNormalization's operands from the second on; scales
# below 1 keep the sums of residual blocks from growing.
NORMALIZATION = {1: (0.5, 0.1), 2: (0.0, 0.1), 3: (0.0, 0.1), 4: (1.0, 0.1)}


def values_of(name, shape, node, place):
    """float32 values of the weight that `node` takes as its operand `place`."""
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    values = generator.standard_normal(shape, dtype=np.float32)
    if node.op_type == "BatchNormalization":
        mean, deviation = NORMALIZATION[place]
        return np.float32(mean) + np.float32(deviation) * values
    if len(shape) < 2:
        return np.float32(0.02) * values
    fan_in = np.prod(shape[1:])
    return values * np.float32(np.sqrt(2 / fan_in))


def refill(source, target):
    """Writes `source` with seeded weights to `target`."""
    model = onnx.load(source)
    graph = model.graph
    shapes = {
        tensor.name: numpy_helper.to_array(tensor)
        for tensor in graph.initializer
        if tensor.data_type == onnx.TensorProto.INT64
    }
    users = {
        name: (node, place) for node in graph.node for place, name in enumerate(node.input) if name
    }
    kept = []
    for node in graph.node:
        if node.op_type != "ConstantOfShape":
            kept.append(node)
            continue
        name, shape = node.output[0], tuple(shapes[node.input[0]])
        values = values_of(name, shape, *users[name])
        graph.initializer.append(numpy_helper.from_array(values, name))
    nodes = [onnx.NodeProto.FromString(node.SerializeToString()) for node in kept]
    del graph.node[:]
    graph.node.extend(nodes)
    used = {name for node in nodes for name in node.input}
    for field in (graph.initializer, graph.input):
        for entry in [entry for entry in field if entry.name not in used]:
            field.remove(entry)
    model.ir_version = max(model.ir_version, 4)  # initializers need be no inputs
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, target)
