"""Maximum pooling of NaN and infinities, beside ONNX Runtime.

ONNX Runtime's answer for a window with NaN depends on where in a vector it lies, and
one of only -inf gives -inf or the lowest number. ONNX's own reference passes NaN over:
that is what counts there.
"""

import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

import bundle
import oracle

KERNEL, PAD = 3, 1


def max_pool_model(path, shape):
    node = helper.make_node(
        "MaxPool", ["x"], ["y"], kernel_shape=[KERNEL] * 2, pads=[PAD] * 4, strides=[1, 1]
    )
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in "xy"]
    graph = helper.make_graph([node], "pool", ports[:1], ports[1:])
    opset = helper.make_opsetid("", 17)
    onnx.save(helper.make_model(graph, opset_imports=[opset], ir_version=8), path)


def windows(x):
    """[.., height, width, taps]; the padding counts as -inf."""
    around = [(0, 0), (0, 0), (PAD, PAD), (PAD, PAD)]
    padded = np.pad(x, around, constant_values=-np.inf)
    view = np.lib.stride_tricks.sliding_window_view(padded, (KERNEL, KERNEL), axis=(2, 3))
    return view.reshape(*x.shape, KERNEL * KERNEL)


def pooled(x):
    """What the compiled model and ONNX Runtime make of `x`."""
    with tempfile.TemporaryDirectory() as work:
        path = Path(work) / "pool.onnx"
        max_pool_model(path, x.shape)
        bundle.compile_model(path, Path(work) / "pool.takt")
        results = bundle.run_bundle(Path(work) / "pool.takt", [{"x": x}], ["y"], Path(work) / "run")
        return results[0]["y"], oracle.Reference(path)({"x": x})["y"]


class PoolingTest(unittest.TestCase):
    def check(self, channels, special):
        """`special` values at many places of an image with `channels` channels."""
        random = np.random.default_rng(channels)
        x = random.standard_normal((2, channels, 9, 11)).astype(np.float32)
        x[random.random(x.shape) < 0.3] = special
        x[0, 0, 2:7, 2:8] = special  # some windows hold nothing else
        got, reference = pooled(x)
        want = np.fmax.reduce(windows(x), axis=-1, initial=-np.inf)
        np.testing.assert_array_equal(got, want)
        agreed = np.isfinite(want) & ~np.isnan(windows(x)).any(axis=-1)
        np.testing.assert_array_equal(got[agreed], reference[agreed])
        self.assertGreater(agreed.sum(), 0)

    def test_infinities_are_the_least(self):
        for channels in (1, 3, 16):
            self.check(channels, -np.inf)

    def test_nan_is_passed_over(self):
        for channels in (1, 3, 16):
            self.check(channels, np.nan)

    def test_infinity_is_the_largest(self):
        x = np.zeros((1, 4, 5, 5), np.float32)
        x[0, 1, 2, 2] = np.inf
        got, reference = pooled(x)
        np.testing.assert_array_equal(got, reference)


if __name__ == "__main__":
    unittest.main()
