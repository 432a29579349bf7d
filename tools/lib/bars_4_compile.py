"""Bars of issue 4 about the compiler itself: time, memory, equal bytes."""

import filecmp
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import bundle
import env
from bar import Figure

sys.path.insert(0, str(env.ROOT / "test" / "Bench"))
import cases


def compile_seconds(path, grid):
    """Median of three compilations."""
    seconds = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as work:
            start = time.monotonic()
            bundle.compile_model(path, Path(work) / "m.takt", grid)
            seconds.append(time.monotonic() - start)
    return statistics.median(seconds)


def compile_time(context):
    limits = {"minilm": 5} | ({"bert-base": 15} if context.shared else {})
    found, good = [], True
    for name, limit in limits.items():
        path = cases.locate(name, context.shared)
        for grid in ((1, 1, 1), (1, 2, 2)):
            seconds = compile_seconds(path, grid)
            good &= seconds <= limit
            found.append(f"{name} {'x'.join(map(str, grid))} {seconds:.1f} s")
    missing = "" if context.shared else "bert-base needs --shared"
    return Figure("; ".join(found), good, missing)


def same_files(left, right):
    """Names of files that differ between two folders, or are in one only."""
    listings = [
        {path.relative_to(root) for path in root.rglob("*") if path.is_file()}
        for root in (left, right)
    ]
    common = listings[0] & listings[1]
    _, different, unread = filecmp.cmpfiles(left, right, map(str, common), shallow=False)
    return sorted(different + unread) + sorted(map(str, listings[0] ^ listings[1]))


def byte_equal(context):
    """Twice, from different folders. That two machines agree needs two machines."""
    listed = [model for model in context.families() if model.name in ("unet", "qwen3_ts")]
    listed.append(context.model("minilm"))
    misses = []
    for model in listed:
        for grid in ((1, 1, 1), (1, 2, 2)):
            with tempfile.TemporaryDirectory() as work:
                folders = [Path(work) / "here", Path(work) / "another" / "place"]
                for folder in folders:
                    folder.mkdir(parents=True)
                    for file in model.path.parent.glob("model*"):
                        shutil.copy(file, folder)
                    bundle.compile_model(folder / model.path.name, folder / "m.takt", grid)
                different = same_files(*(folder / "m.takt" for folder in folders))
            misses += [f"{model.name} {grid}: {name} differs" for name in different]
    text = f"{len(listed)} models on 2 grids, each compiled in two folders: {len(misses)} files differ"
    return Figure(text, not misses, "\n".join([*misses, "two machines: not tried here"]))
