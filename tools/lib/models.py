"""The models of the tests, the bars and the quickstart, and their inputs."""

import dataclasses
from pathlib import Path

import numpy as np

import env

# (dp, pp, tp) of the bar; the first line is what every CI run takes.
CI_GRIDS = [(1, 1, 1), (1, 2, 2), (2, 2, 2), (1, 1, 4)]
ALL_GRIDS = CI_GRIDS + [(1, 2, 1), (1, 4, 1), (1, 1, 2), (1, 3, 2)]


@dataclasses.dataclass(frozen=True)
class Model:
    """An ONNX file with the input sets to try it on.

    `relative`: the largest difference allowed, as a part of the largest output;
    None means 1e-4 x max(1, largest output)."""

    name: str
    path: Path
    sets: list
    relative: float | None = None


def padded_mask(generator, batch, length, left=False):
    """[batch, length] int64 of 0 and 1; all rows but the last have padding."""
    mask = np.ones((batch, length), np.int64)
    for row in range(batch - 1):
        padding = int(generator.integers(1, max(2, length // 2)))
        if length > 1:
            mask[row, slice(0, padding) if left else slice(length - padding, None)] = 0
    return mask


def bert_inputs(seed, batch, seq, vocabulary=503):
    generator = np.random.default_rng(seed)
    shape = (batch, seq)
    return {
        "input_ids": generator.integers(1, vocabulary, shape),
        "attention_mask": padded_mask(generator, batch, seq),
        "token_type_ids": generator.integers(0, 2, shape),
    }


def minilm_inputs(seed, batch, seq):
    """As a tokenizer writes them: [CLS] words [SEP] [PAD]..., one segment."""
    generator = np.random.default_rng(seed)
    mask = padded_mask(generator, batch, seq)
    ids = generator.integers(1000, 30522, (batch, seq)) * mask
    ids[:, 0] = 101
    for row, length in enumerate(mask.sum(axis=1)):
        if length > 1:
            ids[row, length - 1] = 102
    return {
        "input_ids": ids,
        "attention_mask": mask,
        "token_type_ids": np.zeros((batch, seq), np.int64),
    }


def gpt2_inputs(seed, batch, seq, past, layers=3, heads=6, size=16, vocabulary=503):
    """A step of a decoder: `seq` new tokens after a cache of `past`, with the
    padding on the left and positions that do not count it."""
    generator = np.random.default_rng(seed)
    mask = (
        padded_mask(generator, batch, past + seq, left=True)
        if past
        else np.ones((batch, seq), np.int64)
    )
    mask[:, past:] = 1
    positions = np.maximum(mask.cumsum(axis=1) - 1, 0)[:, past:]
    inputs = {
        "input_ids": generator.integers(0, vocabulary, (batch, seq)),
        "attention_mask": mask,
        "position_ids": np.ascontiguousarray(positions),
    }
    for layer in range(layers):
        for part in ("key", "value"):
            inputs[f"past_key_values.{layer}.{part}"] = generator.standard_normal(
                (batch, heads, past, size), dtype=np.float32
            )
    return inputs


def image_inputs(seed):
    generator = np.random.default_rng(seed)
    return {"image": generator.random((1, 1, 28, 28), dtype=np.float32)}


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


def stored_sets(folder):
    """The sets that lie beside a model as inputs_I.npz."""
    return [dict(np.load(path)) for path in sorted(Path(folder).glob("inputs_*.npz"))]


def repository_models():
    """The models that tools/setup made."""
    folder = env.DEPS / "models"

    def model(name, kind=None, relative=None):
        return Model(name, folder / name / "model.onnx", seeded_sets(kind or name), relative)

    return [
        model("minilm", relative=1e-5),
        model("bert_eager"),
        model("gpt2_ts"),
        model("mnist_like", "mnist"),
    ]


def shared_models(shared):
    """The bars' models: the real files below `shared`/models where they are
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
