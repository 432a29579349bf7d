"""A real decoder graph widened until its weights fill a given number of bytes, and
what compiling it costs: memory that is not backed by files, and time.

usage: large_model.py GRAPH FOLDER WIDTH [--dense]
"""

import argparse
import dataclasses
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

import bundle
import env
from bar import Figure

# Sizes of llama-512x8 that grow with its width; heads have 64 elements each.
WIDE = {512, 256, 1408}
HEADS = {"val_192": 4, "val_199": 8}
KEY_VALUE_HEADS = 4
ALIGNMENT = 64


def widen(model, width):
    """Multiplies hidden, intermediate and head counts of llama-512x8 by `width`."""
    for tensor in model.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            tensor.dims[:] = [size * width if size in WIDE else size for size in tensor.dims]
        elif tensor.name in HEADS:
            value = numpy_helper.to_array(tensor)
            if value.tolist() != [HEADS[tensor.name]]:
                raise ValueError(f"{tensor.name} is {value}, expected {HEADS[tensor.name]}")
            tensor.CopyFrom(numpy_helper.from_array(value * width, tensor.name))
    for port in [*model.graph.input, *model.graph.output]:
        dims = port.type.tensor_type.shape.dim
        if len(dims) == 4 and dims[1].dim_value == KEY_VALUE_HEADS:
            dims[1].dim_value *= width


def place(model, location):
    """Lays the external tensors one after the other; returns the bytes of all."""
    end = 0
    for tensor in model.graph.initializer:
        if tensor.data_location != onnx.TensorProto.EXTERNAL:
            continue
        size = int(np.prod(tensor.dims)) * onnx.helper.tensor_dtype_to_np_dtype(
            tensor.data_type
        ).itemsize
        del tensor.external_data[:]
        for key, value in (("location", location), ("offset", end), ("length", size)):
            entry = tensor.external_data.add()
            entry.key, entry.value = key, str(value)
        end += -(-size // ALIGNMENT) * ALIGNMENT
    return end


def write(graph, folder, width, dense=False):
    """Writes model and weights, all holes unless `dense`; (path, bytes)."""
    model = onnx.load(graph, load_external_data=False)
    widen(model, width)
    size = place(model, "weights.bin")
    path = Path(folder) / "model.onnx"
    path.write_bytes(model.SerializeToString())
    with open(Path(folder) / "weights.bin", "wb") as file:
        if dense:
            random = np.random.default_rng(4)
            for begin in range(0, size, 1 << 24):
                count = min(1 << 24, size - begin) // 4
                file.write(random.random(count, np.float32).tobytes())
        file.truncate(size)
    return path, size


@dataclasses.dataclass
class Cost:
    seconds: float
    anonymous: int  # most bytes at a time


def anonymous_bytes(process):
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    line = next((line for line in status.splitlines() if line.startswith("RssAnon")), "")
    return int(line.split()[1]) * 1024 if line else 0


def compile_cost(path, output, grid, interval=0.02):
    """Compiles; polls the process for its anonymous memory."""
    degrees = [item for pair in zip(("--dp", "--pp", "--tp"), map(str, grid)) for item in pair]
    command = [env.TAKT, "compile", "--quiet", path, "-o", output, *degrees]
    start = time.monotonic()
    process = subprocess.Popen(
        list(map(str, command)), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    most, ended = 0, threading.Event()

    def poll():
        nonlocal most
        while not ended.wait(interval):
            most = max(most, anonymous_bytes(process.pid))

    poller = threading.Thread(target=poll)
    poller.start()
    errors = process.communicate()[1]
    seconds = time.monotonic() - start
    ended.set()
    poller.join()
    if process.returncode:
        raise bundle.TaktError(f"exit code {process.returncode}: {errors.strip()}")
    return Cost(seconds, most)


def streaming(context, grid=(1, 2, 2)):
    """Bar 7: 16 GB of holes for memory, 1.2 GB of random numbers for speed."""
    if not context.shared:
        return Figure("not run", None, "needs --shared: the graph is not in the repository")
    graph = Path(context.shared) / "models" / "graphs" / "llama-512x8.onnx"
    with tempfile.TemporaryDirectory() as work:
        path, size = write(graph, work, width=13)
        sparse = compile_cost(path, Path(work) / "m.takt", grid)
        parts = sorted((Path(work) / "m.takt" / "weights").iterdir())
        used = sum(part.stat().st_blocks * 512 for part in parts)
    with tempfile.TemporaryDirectory() as work:
        path, dense_size = write(graph, work, width=3, dense=True)
        dense = compile_cost(path, Path(work) / "m.takt", grid)
    rate = dense_size / dense.seconds / 1e6
    most = max(sparse.anonymous, dense.anonymous)
    text = (
        f"{size / 1e9:.1f} GB of holes: {most / 2**20:.0f} MiB of anonymous memory at most, "
        f"{sparse.seconds:.0f} s, {used / 1e6:.0f} MB of disk for the weights; "
        f"{dense_size / 1e9:.1f} GB of numbers: {rate:.0f} MB/s"
    )
    return Figure(text, most <= 1 << 30 and rate >= 64)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph")
    parser.add_argument("folder")
    parser.add_argument("width", type=int)
    parser.add_argument("--dense", action="store_true")
    options = parser.parse_args()
    path, size = write(options.graph, options.folder, options.width, options.dense)
    print(f"{path}: {size} bytes of weights")


if __name__ == "__main__":
    sys.exit(main())
