"""Reads a bundle's manifest: JSON by Protocol Buffers' mapping, where fields
with their default value are left out and 64-bit integers are strings."""

import dataclasses
import json
from pathlib import Path


@dataclasses.dataclass
class RankSummary:
    rank: int
    replica: int
    stage: int
    shard: int
    weight_bytes: int


def field(message, name, default=0):
    """A field by its name in takt.proto, in either spelling of the mapping."""
    words = name.split("_")
    camel = words[0] + "".join(word.capitalize() for word in words[1:])
    return message.get(camel, message.get(name, default))


def load(bundle):
    return json.loads((Path(bundle) / "manifest.json").read_text())


def ranks(bundle):
    """One RankSummary per rank; an idle rank has stage -1 and no weights."""
    bundle = Path(bundle)
    summaries = []
    for rank in field(load(bundle), "ranks", []):
        weights = field(rank, "weights", "")
        size = (bundle / weights).stat().st_size if weights else 0
        numbers = [int(field(rank, name)) for name in ("id", "replica", "stage", "shard")]
        summaries.append(RankSummary(*numbers, size))
    return summaries


def operations_per_stage(bundle):
    """How many of the model's nodes each stage of the plan has."""
    plan = field(load(bundle), "plan", {})
    return [len(field(stage, "operations", [])) for stage in field(plan, "stages", [])]
