"""Compiles MiniLM for 2 stages x 2 shards, runs it on sentences and compares
with ONNX Runtime; called by tools/quickstart once all is built."""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

import bundle
import env
import manifest
import oracle

SENTENCES = [
    "A man is eating food.",
    "A man is eating a piece of bread.",
    "The girl is carrying a baby.",
    "A woman is holding her child.",
    "A man is riding a horse.",
    "Somebody rides a white horse in the countryside.",
    "The stock market fell sharply on Monday.",
    "Shares lost a lot of their value at the start of the week.",
]
GRID = (1, 2, 2)
LIMIT = 1e-4


def tokenise(path, sentences):
    """[sentence, token] int64 arrays, padded to the longest sentence."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.enable_padding()
    encoded = tokenizer.encode_batch(sentences)

    def column(name):
        return np.array([getattr(sentence, name) for sentence in encoded], np.int64)

    return {
        "input_ids": column("ids"),
        "attention_mask": column("attention_mask"),
        "token_type_ids": column("type_ids"),
    }


def print_ranks(path):
    nodes = manifest.operations_per_stage(path)
    print("\nrank  stage  shard   weights   nodes of the stage")
    for rank in manifest.ranks(path):
        count = nodes[rank.stage] if 0 <= rank.stage < len(nodes) else 0
        size = f"{rank.weight_bytes / 1e6:.1f} MB"
        print(f"{rank.rank:4}  {rank.stage:5}  {rank.shard:5}  {size:>8}  {count:5}")


def print_similarity(embeddings):
    """Cosines of the angles between sentences; the embeddings have length 1."""
    print("\nsimilarity of the sentences (cosine)")
    header = "".join(f"{index:6}" for index in range(len(SENTENCES)))
    print(f"  {header}")
    for index, row in enumerate(embeddings @ embeddings.T):
        cells = "".join(f"{value:6.2f}" for value in row)
        print(f"{index:2}{cells}  {SENTENCES[index]}")


def main():
    folder = env.DEPS / "models" / "minilm"
    inputs = tokenise(folder / "tokenizer.json", SENTENCES)
    with tempfile.TemporaryDirectory() as work:
        compiled = Path(work) / "minilm.takt"
        start = time.monotonic()
        bundle.compile_model(folder / "model.onnx", compiled, GRID)
        print(
            "compiled  {1} stages x {2} shards in {0:.1f} s".format(
                time.monotonic() - start, *GRID[1:]
            )
        )
        print_ranks(compiled)
        [result] = bundle.run_bundle(compiled, [inputs], ["sentence_embedding"], Path(work) / "run")
    expected = oracle.Reference(folder / "model.onnx")(inputs)
    print_similarity(result["sentence_embedding"])
    difference = oracle.largest_difference(
        result["sentence_embedding"], expected["sentence_embedding"]
    )
    print(f"\nlargest difference to ONNX Runtime: {difference:.2e} (allowed: {LIMIT:.0e})")
    return 0 if difference <= LIMIT else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (bundle.TaktError, AssertionError) as error:
        sys.exit(f"error: {error}")
