"""What is measured: models at real size and the sizes of their requests."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import env
import model_inputs
import models
import oracle


@dataclasses.dataclass(frozen=True)
class Case:
    """A model by name (or an ONNX file) with sizes for its open dimensions."""

    model: str
    sizes: dict

    def __str__(self):
        sizes = [f"{name} {size}" for name, size in self.sizes.items()]
        return " ".join([Path(self.model).stem, *sizes])


def text(seq=128, batch=1):
    return {"batch": batch, "seq": seq}


def token(past):
    """One new token after a cache of `past`."""
    return {"batch": 1, "seq": 1, "past": past}


# What docs/Performance.md shows: the bars of issue 4.
PREFILL = [Case("minilm", text()), Case("bert-base", text())]
IMAGES = [
    Case("vit-small", {"batch": 1}),
    Case("resnet50", {"batch": 1}),
    Case("mobilenetv2", {"batch": 1}),
    Case("convnext-tiny", {"batch": 1}),
]
DECODE = [Case(name, token(past)) for name in ("gpt2-small", "llama-512x8") for past in (127, 1023)]
STANDARD = PREFILL + IMAGES + DECODE
REAL = {case.model for case in STANDARD} - {"minilm"}


def named(model, changes):
    """The case of a model of the list above with some sizes changed; of another
    one, a text of 128 tokens."""
    known = next((case for case in STANDARD if case.model == model), Case(model, text()))
    return Case(model, {**known.sizes, **changes})


def real_model(name, shared):
    """The path of a real-size graph with its weights, which are seeded and made
    once: into the dependencies' folder, by `shared`/models/graphs/fill.py."""
    folder = env.DEPS / "real" / name
    if not folder.exists():
        half_done = folder.with_name(name + ".tmp")
        script = Path(shared) / "models" / "graphs" / "fill.py"
        subprocess.run([sys.executable, script, name, half_done], check=True, capture_output=True)
        half_done.rename(folder)
    return folder / f"{name}.onnx"


def locate(name, shared):
    """The ONNX file of a model's name, or of a path. A name of both a real-size
    graph and a small model of the tests means the former."""
    if Path(name).suffix == ".onnx":
        return Path(name)
    if shared and (Path(shared) / "models" / "graphs" / f"{name}.onnx").exists():
        return real_model(name, shared)
    if models.made(name).exists() and (shared or name not in REAL):
        return models.made(name)
    where = f"below {shared}" if shared else "in the repository; give --shared DIR"
    raise FileNotFoundError(f"model '{name}' is not {where}")


def make_inputs(case, path, seed=1):
    """Inputs of the case; one dimension may go by several names."""
    aliases = {"enc_seq": case.sizes["seq"]} if "seq" in case.sizes else {}
    return model_inputs.for_graph(path, seed, {**aliases, **case.sizes})


def check(engine, expected):
    """Raises where an engine's answer is wrong: it would be no use to time it."""
    agreement = oracle.compare(engine.outputs(list(expected)), expected)
    if not agreement:
        raise AssertionError(f"{engine.name} {agreement}")
    return agreement
