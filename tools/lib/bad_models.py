"""Makes ONNX files that `takt compile` must refuse."""

import shutil

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import env

GOOD = env.DEPS / "models" / "mnist_like" / "model.onnx"


def absent(folder):
    return folder / "nothing.onnx"


def empty(folder):
    path = folder / "model.onnx"
    path.write_bytes(b"")
    return path


def not_protobuf(folder):
    path = folder / "model.onnx"
    path.write_text("This is a letter, not a model.\n" * 40)
    return path


def truncated(folder):
    """Cut within the weights."""
    path = folder / "model.onnx"
    data = GOOD.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    return path


UNSUPPORTED = [
    ("first_gate", "FancyGate", "com.acme", 3),
    ("rois", "MaxRoiPool", "", 17),
    ("second_gate", "OtherGate", "com.acme", 3),
]


def unknown_operations(folder):
    """Three operations that Takt has not, among ones that it has."""
    nodes = [
        helper.make_node("FancyGate", ["x"], ["a"], "first_gate", domain="com.acme"),
        helper.make_node("Relu", ["a"], ["b"], "relu"),
        helper.make_node("MaxRoiPool", ["b", "rois"], ["c"], "rois", pooled_shape=[1, 1]),
        helper.make_node("OtherGate", ["c"], ["y"], "second_gate", domain="com.acme"),
    ]
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 4, 4]),
        helper.make_tensor_value_info("rois", TensorProto.FLOAT, [1, 5]),
    ]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, 1, 1])]
    graph = helper.make_graph(nodes, "unknown", inputs, outputs)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.acme", 3)]
    path = folder / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return path


def external(folder, location, offset=0, length=64):
    """y = x + w, where the 16 numbers of w lie in another file."""
    folder.mkdir(exist_ok=True)
    weight = numpy_helper.from_array(np.ones(16, np.float32), "w")
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, "offset": offset, "length": length}.items():
        entry = weight.external_data.add()
        entry.key, entry.value = key, str(value)
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [16]) for name in "xy"]
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"], "add")],
        "external",
        value[:1],
        value[1:],
        [weight],
    )
    path = folder / "model.onnx"
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(model.SerializeToString())
    return path


def outside_by_parent(folder):
    (folder / "secret.bin").write_bytes(bytes(64))
    return external(folder / "inner", "../secret.bin")


def outside_by_root(folder):
    (folder / "secret.bin").write_bytes(bytes(64))
    return external(folder / "inner", str(folder / "secret.bin"))


def outside_by_link(folder):
    (folder / "secret.bin").write_bytes(bytes(64))
    path = external(folder / "inner", "weights.bin")
    (path.parent / "weights.bin").symlink_to(folder / "secret.bin")
    return path


def past_the_end(folder):
    (folder / "weights.bin").write_bytes(bytes(64))
    return external(folder, "weights.bin", offset=32)


def huge_offset(folder):
    (folder / "weights.bin").write_bytes(bytes(64))
    return external(folder, "weights.bin", offset=2**63 - 32)


def missing_external(folder):
    return external(folder, "weights.bin")


def wrong_length(folder):
    (folder / "weights.bin").write_bytes(bytes(64))
    return external(folder, "weights.bin", length=60)


def good(folder):
    return shutil.copyfile(GOOD, folder / "model.onnx")


# (what is wrong, the function that makes it, exit code)
CASES = [
    ("no such model", absent, 4),
    ("empty model file", empty, 4),
    ("model is not protobuf", not_protobuf, 4),
    ("model is cut off", truncated, 4),
    ("unknown operations", unknown_operations, 3),
    ("external data outside the folder (..)", outside_by_parent, 4),
    ("external data outside the folder (absolute)", outside_by_root, 4),
    ("external data outside the folder (link)", outside_by_link, 4),
    ("external data past the end", past_the_end, 4),
    ("external data at a huge offset", huge_offset, 4),
    ("external data is not there", missing_external, 4),
    ("external data shorter than its tensor", wrong_length, 4),
]
