"""Makes requests and bundles that a bundle's `run` must refuse."""

import json

import numpy as np

import bundle
import manifest
import model_inputs

# ------------------------------------------------- requests (of bert_eager)


def changed(**changes):
    """Inputs of bert_eager with some replaced; None takes one away."""
    inputs = {**model_inputs.bert_inputs(3, 2, 13), **changes}
    return {name: value for name, value in inputs.items() if value is not None}


REQUESTS = [
    ("an input is missing", lambda: changed(attention_mask=None)),
    ("an input that the model has not", lambda: changed(position=np.zeros((2, 13), np.int64))),
    ("wrong input name", lambda: changed(attention_mask=None, mask=np.ones((2, 13), np.int64))),
    ("wrong dtype", lambda: changed(input_ids=np.zeros((2, 13), np.float32))),
    ("wrong integer width", lambda: changed(input_ids=np.zeros((2, 13), np.int32))),
    ("wrong rank", lambda: changed(input_ids=np.zeros(13, np.int64))),
    (
        "sizes that contradict each other",
        lambda: changed(attention_mask=np.ones((2, 12), np.int64)),
    ),
    ("index beyond the table", lambda: changed(input_ids=np.full((2, 13), 503, np.int64))),
    ("longer than the model's positions", lambda: model_inputs.bert_inputs(3, 1, 68)),
]


def write_request(folder, inputs):
    bundle.write_requests(folder, [inputs])


def write_broken_npy(folder, data):
    write_request(folder, changed())
    (folder / "0000" / "input_ids.npy").write_bytes(data)


def no_npy(folder):
    write_broken_npy(folder, b"these are not numbers\n" * 20)


def cut_npy(folder):
    write_request(folder, changed())
    path = folder / "0000" / "input_ids.npy"
    path.write_bytes(path.read_bytes()[:-8])


def lying_npy(folder):
    """A header that promises more numbers than any memory holds."""
    text = "{'descr': '<i8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }"
    header = (text.ljust(117) + "\n").encode()
    write_broken_npy(folder, b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)


FILES = [
    ("input file is not .npy", no_npy),
    ("input file is cut off", cut_npy),
    ("input file with a huge shape", lying_npy),
]


# ------------------------------------------------- bundles


def weight_file(path):
    return path / next(
        manifest.field(rank, "weights", "")
        for rank in manifest.field(manifest.load(path), "ranks", [])
        if manifest.field(rank, "weights", "")
    )


def library_file(path):
    return path / manifest.field(manifest.field(manifest.load(path), "stages")[0], "library")


def flip_byte(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def cut(path):
    path.write_bytes(path.read_bytes()[:-16])


def edit_manifest(path, edit):
    """Rewrites manifest.json after `edit` has changed the parsed object."""
    file = path / "manifest.json"
    content = json.loads(file.read_text())
    edit(content)
    file.write_text(json.dumps(content, indent=1))


def other_stage(content):
    content["ranks"][0]["stage"] = 99


def other_version(content):
    for spelling in ("abiVersion", "abi_version"):
        if spelling in content:
            content[spelling] = 999


def other_size(content):
    content["values"][0] = "1 +"


BUNDLES = [
    ("shard with a changed byte", lambda path: flip_byte(weight_file(path))),
    ("shard that is cut off", lambda path: cut(weight_file(path))),
    ("shard that is gone", lambda path: weight_file(path).unlink()),
    ("stage library with a changed byte", lambda path: flip_byte(library_file(path))),
    ("stage library that is gone", lambda path: library_file(path).unlink()),
    ("manifest that is cut off", lambda path: cut(path / "manifest.json")),
    (
        "manifest with an unknown field",
        lambda path: edit_manifest(path, lambda content: content.update(surprise=1)),
    ),
    ("manifest with a stage that is not there", lambda path: edit_manifest(path, other_stage)),
    ("manifest of another version", lambda path: edit_manifest(path, other_version)),
    ("manifest with a size that is no expression", lambda path: edit_manifest(path, other_size)),
    ("manifest that is gone", lambda path: (path / "manifest.json").unlink()),
]
