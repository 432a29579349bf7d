"""takt plan on models whose weights are absent, and of many layers."""

import json
import tempfile
import unittest
from pathlib import Path

import onnx
from onnx import TensorProto, helper

import bundle
import env

WIDTH = 256
BYTES = WIDTH * WIDTH * 4


def absent(layer):
    """A weight in a file that is not there."""
    tensor = TensorProto(name=f"w{layer}", data_type=TensorProto.FLOAT, dims=[WIDTH, WIDTH])
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="absent.bin")
    tensor.external_data.add(key="offset", value=str(layer * BYTES))
    tensor.external_data.add(key="length", value=str(BYTES))
    return tensor


def deep_model(layers):
    nodes, weights, value = [], [], "x"
    for layer in range(layers):
        weights.append(absent(layer))
        nodes.append(helper.make_node("MatMul", [value, f"w{layer}"], [f"p{layer}"]))
        nodes.append(helper.make_node("Relu", [f"p{layer}"], [f"y{layer}"], name=f"relu{layer}"))
        value = f"y{layer}"
    shape = ["batch", WIDTH]
    graph = helper.make_graph(
        nodes,
        "deep",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(value, TensorProto.FLOAT, shape)],
        weights,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


class PlanTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.model = Path(folder.name) / "deep.onnx"

    def plan(self, layers, *options):
        onnx.save(deep_model(layers), self.model)
        return json.loads(bundle.call([env.TAKT, "plan", self.model, "--json", *options]).stdout)

    def test_weights_may_be_absent(self):
        plan = self.plan(8, "--pp", 2, "--tp", 2)
        self.assertEqual([stage["ranks"] for stage in plan["stages"]], [[0, 1], [2, 3]])
        held = sum(2 * stage["weightBytes"] for stage in plan["stages"])
        self.assertEqual(held, 8 * BYTES)
        names = [name for stage in plan["stages"] for name in stage["operations"]]
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("relu7", names)

    def test_takt_and_latency_are_those_of_the_stages(self):
        plan = self.plan(9, "--pp", 3)
        seconds = [stage["predictedSeconds"] for stage in plan["stages"]]
        self.assertAlmostEqual(plan["taktSeconds"], max(seconds))
        self.assertAlmostEqual(plan["latencySeconds"], sum(seconds))

    def test_many_layers(self):
        plan = self.plan(400, "--pp", 8, "--tp", 2)
        for stage in plan["stages"]:
            self.assertEqual(sum("relu" in name for name in stage["operations"]), 50)

    def test_compiling_needs_the_weights(self):
        onnx.save(deep_model(2), self.model)
        done = bundle.call([env.TAKT, "compile", self.model], check=False)
        self.assertEqual(done.returncode, 4)
        self.assertIn("absent.bin", done.stderr)
