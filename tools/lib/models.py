"""The models of the tests, the bars and the quickstart, and their input sets."""

import dataclasses
from pathlib import Path

import numpy as np

import env
import oracle
import refill
from model_inputs import (
    bert_inputs,
    for_graph,
    gpt2_inputs,
    image_inputs,
    light_inputs,
    minilm_inputs,
)

# (dp, pp, tp) of issue 3's bar; the first line is what every CI run takes.
CI_GRIDS = [(1, 1, 1), (1, 2, 2), (2, 2, 2), (1, 1, 4)]
ALL_GRIDS = CI_GRIDS + [(1, 2, 1), (1, 4, 1), (1, 1, 2), (1, 3, 2)]
# Those of issue 4's bar, and of these what every CI run takes.
FAMILY_GRIDS = [(1, 1, 1), (1, 2, 1), (1, 1, 2), (1, 2, 2), (1, 4, 1), (1, 1, 4)]
FAMILY_CI_GRIDS = [(1, 1, 1), (1, 2, 2), (1, 1, 4)]


@dataclasses.dataclass(frozen=True)
class Model:
    """An ONNX file with the input sets to try it on.

    `relative`: the largest difference allowed, as a part of the largest output;
    None means 1e-4 x max(1, largest output). `stored`: the expected outputs of
    each set where they are known; else ONNX Runtime computes them."""

    name: str
    path: Path
    sets: list
    relative: float | None = None
    stored: list | None = None

    def expected(self):
        """The outputs of each set, by name."""
        if self.stored:
            return self.stored
        reference = oracle.Reference(self.path)
        return [reference(inputs) for inputs in self.sets]


def seeded_sets(kind):
    """Two input sets for a kind of model, the same on every machine."""
    return {
        "minilm": lambda: [minilm_inputs(1, 3, 16), minilm_inputs(2, 1, 41)],
        "bert_eager": lambda: [bert_inputs(3, 2, 13), bert_inputs(4, 5, 7)],
        "gpt2_ts": lambda: [
            gpt2_inputs(5, 2, 7, 3),
            gpt2_inputs(6, 3, 1, 11),
            gpt2_inputs(7, 1, 6, 0),
        ],
        "mnist": lambda: [image_inputs(8), image_inputs(9)],
    }[kind]()


DECODER_SETS = [
    {"batch": 2, "seq": 7, "past": 4},
    {"batch": 3, "seq": 1, "past": 11},
    {"batch": 1, "seq": 6, "past": 0},
]
IMAGE_SETS = [{"batch": 3, "height": 45, "width": 53}, {"batch": 1, "height": 64, "width": 33}]
BATCH_SETS = [{"batch": 3}, {"batch": 1}]
# Sizes of the input sets of a family's model: two sets, decoders three (several
# tokens after a past, one token, and a past of length 0).
FAMILIES = {
    "bert_ts": [{"batch": 2, "seq": 13}, {"batch": 5, "seq": 7}],
    "vit_ts": BATCH_SETS,
    "vit_eager": BATCH_SETS,
    "llama_eager_ts": DECODER_SETS,
    "qwen3_ts": DECODER_SETS,
    "t5_enc": [{"batch": 3, "enc_seq": 40}, {"batch": 1, "enc_seq": 13}],
    "resnet": IMAGE_SETS,
    "resnet_fixed_ts": BATCH_SETS,
    "mobilenetv2": IMAGE_SETS,
    "convnext_ts": [{"batch": 3, "height": 67, "width": 96}, IMAGE_SETS[1]],
    "unet": [{"s54": 3, "s53": 20, "s0": 28}, {"s54": 1, "s53": 24, "s0": 16}],
    "whisper_enc": BATCH_SETS,
}
# Graphs of ONNX's light tests: one constant as all weights, refilled.
LIGHT = ("light_squeezenet", "light_resnet50")


def stored_sets(folder, kind="inputs"):
    """The sets that lie beside a model as inputs_I.npz (outputs_I.npz)."""
    paths = sorted(Path(folder).glob(f"{kind}_[0-9].npz"))
    return [dict(np.load(path)) for path in paths]


def made(name):
    """The ONNX file of a model that tools/setup made."""
    return env.DEPS / "models" / name / "model.onnx"


def repository_models():
    """The models of issue 3's bar that tools/setup made."""

    def model(name, kind=None, relative=None):
        return Model(name, made(name), seeded_sets(kind or name), relative)

    return [
        model("minilm", relative=1e-5),
        model("bert_eager"),
        model("gpt2_ts"),
        model("mnist_like", "mnist"),
    ]


def family_model(name, path):
    """A model with seeded weights, on seeded input sets of its family's sizes."""
    sets = [for_graph(path, seed, sizes) for seed, sizes in enumerate(FAMILIES[name])]
    return Model(name, path, sets)


def light_model(name, path):
    # Their outputs are probabilities: small, so that the usual limit would pass all.
    return Model(name, path, [light_inputs(path), for_graph(path, 1, {})], relative=1e-4)


def repository_families():
    """The models of issue 4's bar that tools/setup made."""
    models = [family_model(name, made(name)) for name in FAMILIES]
    return [*models, light_model("light_squeezenet", made("light_squeezenet"))]


def shared_models(shared):
    """Issue 3's models: the real files below `shared`/models where they are
    there, with minilm's weights from the Python environment."""
    models = {model.name: model for model in repository_models()}
    root = Path(shared) / "models"
    for name in ("bert_eager", "gpt2_ts"):
        path = root / name / "model.onnx"
        if path.exists():
            models[name] = Model(name, path, stored_sets(path.parent) or seeded_sets(name))
    path = root / "mnist_cnn.onnx"
    if path.exists():
        del models["mnist_like"]
        models["mnist_cnn"] = Model("mnist_cnn", path, seeded_sets("mnist"))
    return list(models.values())


def shared_families(shared):
    """Issue 4's models below `shared`/models with their stored outputs. The light
    graphs are refilled; ONNX Runtime tells what these give."""
    root = Path(shared) / "models"
    models = []
    for name in FAMILIES:
        folder = root / name
        outputs = stored_sets(folder, "outputs")
        models.append(Model(name, folder / "model.onnx", stored_sets(folder), stored=outputs))
    for name in LIGHT:
        path = env.DEPS / "refilled" / f"{name}.onnx"
        refill.refill(root / f"{name}.onnx", path)
        models.append(light_model(name, path))
    return models


def every_model(shared=None):
    """The models of both issues; the real files where `shared` is given."""
    if shared:
        return shared_models(shared) + shared_families(shared)
    return repository_models() + repository_families()
