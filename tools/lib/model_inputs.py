"""Inputs of models, made from a seed: the same on every machine."""

import numpy as np
import onnx

# Indices into a vocabulary stay below this: the smallest one of our models.
SMALLEST_VOCABULARY = 503


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


def generate(generator, name, shape, past):
    """One input of a transformer or a convolution net, by what its name says."""
    if name.endswith("attention_mask"):
        mask = padded_mask(generator, *shape, left=past is not None)
        if past is not None:
            mask[:, past:] = 1
        return mask
    if name.endswith("token_type_ids"):
        return generator.integers(0, 2, shape)
    if name == "timestep":
        return generator.integers(0, 1000, shape)
    if name.endswith("ids"):
        return generator.integers(1, SMALLEST_VOCABULARY, shape)
    return generator.standard_normal(shape, dtype=np.float32)


def for_graph(path, seed, sizes):
    """Inputs for the model at `path`, whose open dimensions `sizes` fixes by
    name. `total` is past + seq; masks have padding where there are several rows."""
    graph = onnx.load(path, load_external_data=False).graph
    constants = {tensor.name for tensor in graph.initializer}
    sizes = {"total": sizes.get("past", 0) + sizes.get("seq", 0), **sizes}
    generator = np.random.default_rng(seed)
    inputs = {}
    for port in graph.input:
        if port.name in constants:
            continue
        shape = []
        for dim in port.type.tensor_type.shape.dim:
            if dim.dim_param and dim.dim_param not in sizes:
                raise KeyError(f"input {port.name}: no size was given for {dim.dim_param!r}")
            shape.append(sizes[dim.dim_param] if dim.dim_param else dim.dim_value)
        inputs[port.name] = generate(generator, port.name, tuple(shape), sizes.get("past"))
    if "position_ids" in inputs:
        positions = np.maximum(inputs["attention_mask"].cumsum(axis=1) - 1, 0)
        inputs["position_ids"] = np.ascontiguousarray(positions[:, sizes["past"] :])
    return inputs


def light_inputs(path):
    """What ONNX's light tests feed: n elements 0/n, 1/n, ... to each input."""
    inputs = for_graph(path, 0, {})
    return {
        name: (np.arange(value.size, dtype=np.float32) / value.size).reshape(value.shape)
        for name, value in inputs.items()
    }
