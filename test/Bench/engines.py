"""The engines that take turns: a bundle of ours, and peers in Python."""

import importlib.util
import json
import os
import statistics
import sys
from pathlib import Path

import numpy as np

import bundle
from rounds import Sample

PEER = Path(__file__).with_name("peer.py")
PEERS = ("onnxruntime", "openvino")


def installed(peers=PEERS):
    return [name for name in peers if importlib.util.find_spec(name)]


def pinned(cores, command):
    """The command, kept to `cores` (numbers)."""
    return ["taskset", "--cpu-list", ",".join(map(str, cores)), *command]


def usable_cores(count):
    """The first `count` cores that this process may use."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < count:
        raise RuntimeError(f"{count} cores are wanted, {len(cores)} are there")
    return cores[:count]


class Takt:
    """A bundle, measured by its own program. `in_flight`: requests under way at
    once; 1 measures a request's time, more the rate."""

    def __init__(self, path, inputs, work, grid=(1, 1, 1), cores=None, threads=1, in_flight=1):
        self.name = "takt" if grid == (1, 1, 1) else "takt " + "x".join(map(str, grid))
        self.cores = cores or usable_cores(grid[0] * grid[1] * grid[2] * threads)
        self.inputs, self.work = inputs, Path(work) / self.name.replace(" ", "-")
        self.work.mkdir(parents=True)
        self.bundle = self.work / "model.takt"
        bundle.compile_model(path, self.bundle, grid)
        self.options = ["--threads-per-rank", threads, "--requests-in-flight", in_flight]
        for name, value in inputs.items():
            file = self.work / bundle.file_name(name)
            np.save(file, value)
            self.options += ["--input", f"{name}={file}"]

    def outputs(self, names):
        return bundle.run_bundle(self.bundle, [self.inputs], names, self.work / "answers")[0]

    def measure(self, repeat):
        command = [self.bundle / "run", "--bench", "--json", "--quiet", "--repeat", repeat]
        done = bundle.call(pinned(self.cores, [*command, *self.options]))
        found = json.loads(done.stdout)
        return Sample(found["latencySeconds"]["p50"], found["requestsPerSecond"], found)


class Peer:
    """ONNX Runtime or OpenVINO with `threads` threads on as many cores."""

    def __init__(self, name, path, inputs, work, threads=1, cores=None):
        self.name, self.path, self.threads = name, path, threads
        self.cores = cores or usable_cores(threads)
        self.work = Path(work) / name
        self.work.mkdir(parents=True)
        self.inputs = self.work / "inputs.npz"
        np.savez(self.inputs, **inputs)

    def call(self, repeat, *outputs):
        command = [sys.executable, PEER, self.name, self.path, self.inputs, self.threads, repeat]
        return bundle.call(pinned(self.cores, [*command, *outputs])).stdout

    def outputs(self, names):
        self.call(0, self.work / "outputs.npz")
        found = np.load(self.work / "outputs.npz")
        return {name: found[name] for name in names}

    def measure(self, repeat):
        seconds = json.loads(self.call(repeat))
        return Sample(statistics.median(seconds), len(seconds) / sum(seconds))
