"""Copies around the length from which they bypass the cache, at even and odd
places: equal bytes, and nothing beyond them."""

import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

import bundle

# Rows of 4 floats: 128 KiB are 8,192 of them.
LENGTHS = (1, 8191, 8192, 8193, 8200, 8207, 20001)


def concat_model():
    """[2, past, 4] and [2, 1, 4] one after the other, as a decoder does."""
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("Concat", ["past", "new"], ["present"], axis=1)],
        "cache",
        [
            value("past", TensorProto.FLOAT, [2, "past", 4]),
            value("new", TensorProto.FLOAT, [2, 1, 4]),
        ],
        [value("present", TensorProto.FLOAT, [2, "total", 4])],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


class LargeCopyTest(unittest.TestCase):
    def test_any_length_and_place(self):
        random = np.random.default_rng(1)
        with tempfile.TemporaryDirectory() as folder:
            model, out = Path(folder) / "cache.onnx", Path(folder) / "cache.takt"
            onnx.save(concat_model(), model)
            bundle.compile_model(model, out)
            requests = [
                {
                    "past": random.random((2, length, 4), np.float32),
                    "new": random.random((2, 1, 4), np.float32),
                }
                for length in LENGTHS
            ]
            results = bundle.run_bundle(out, requests, ["present"], Path(folder) / "run")
        for request, result in zip(requests, results):
            want = np.concatenate([request["past"], request["new"]], axis=1)
            np.testing.assert_array_equal(result["present"], want)
