"""Chains behind products and convolutions that once came out wrong, in whole numbers."""

import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import bundle
import oracle


def numbers(*shape):
    count = int(np.prod(shape, dtype=int))
    return (np.arange(count, dtype=np.float32).reshape(shape) * 7 % 11) - 5


def model(nodes, constants, shape):
    value = helper.make_tensor_value_info
    tensors = [numpy_helper.from_array(np.asarray(v, np.float32), k) for k, v in constants.items()]
    graph = helper.make_graph(
        nodes,
        "chain",
        [value("x", TensorProto.FLOAT, shape)],
        [value("y", TensorProto.FLOAT, None)],
        tensors,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


node = helper.make_node


class ChainTest(unittest.TestCase):
    def check(self, made, shape):
        with tempfile.TemporaryDirectory() as folder:
            path, out = Path(folder) / "m.onnx", Path(folder) / "m.takt"
            onnx.save(onnx.shape_inference.infer_shapes(made), path)
            inputs = {"x": numbers(*shape)}
            want = oracle.Reference(path)(inputs)
            bundle.compile_model(path, out)
            (got,) = bundle.run_bundle(out, [inputs], ["y"], Path(folder) / "run")
            np.testing.assert_array_equal(got["y"], want["y"])

    def test_two_ceilings(self):
        for middle in ([], [node("Add", ["c", "w"], ["d"])]):
            nodes = [
                node("MatMul", ["x", "w"], ["p"]),
                node("Clip", ["p", "zero", "six"], ["c"]),
                *middle,
                node("Clip", ["d" if middle else "c", "zero", "two"], ["y"]),
            ]
            constants = {"w": numbers(8, 8), "zero": 0, "six": 6, "two": 2}
            self.check(model(nodes, constants, [8, 8]), [8, 8])

    def test_ceiling_without_end(self):
        nodes = [
            node("Conv", ["x", "w"], ["p"]),
            node("Clip", ["p", "zero", "high"], ["y"]),
        ]
        constants = {"w": numbers(4, 4, 1, 1), "zero": 0, "high": np.inf}
        self.check(model(nodes, constants, [1, 4, 5, 5]), [1, 4, 5, 5])

    def test_one_number_beside_a_bias(self):
        for kind in ("Mul", "Add"):
            nodes = [
                node("Gemm", ["x", "w", "b"], ["p"]),
                node(kind, ["p", "two"], ["y"]),
            ]
            constants = {"w": numbers(8, 6), "b": numbers(6), "two": [2]}
            self.check(model(nodes, constants, [3, 8]), [3, 8])

    def test_resize_that_keeps_one_size(self):
        nodes = [node("Resize", ["x", "", "scales"], ["y"], mode="nearest")]
        constants = {"scales": [1, 1, 1.2, 2]}
        self.check(model(nodes, constants, [1, 2, 4, 4]), [1, 2, 4, 4])
