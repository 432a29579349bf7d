#!/usr/bin/env python3
"""Compiles models for grids, runs them and compares with ONNX Runtime.

usage: run_model.py [--all] [--shared DIR] [--grid DP PP TP]... [MODEL...]
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lib"))

import bundle
import models
import oracle


def check(model, grid, work, expected=None):
    """The worst agreement over the model's input sets on a (dp, pp, tp) grid;
    the bundle and the requests go below the folder `work`."""
    expected = expected or model.expected()
    compiled = Path(work) / f"{model.name}-{'-'.join(map(str, grid))}.takt"
    bundle.compile_model(model.path, compiled, grid)
    results = bundle.run_bundle(
        compiled, model.sets, list(expected[0]), Path(work) / f"{compiled.stem}-run"
    )
    return oracle.worst_of(
        oracle.compare(got, want, model.relative) for got, want in zip(results, expected)
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", help="names; default: all")
    parser.add_argument("--all", action="store_true", help="every grid, not only those of CI")
    parser.add_argument("--grid", nargs=3, type=int, action="append", metavar=("DP", "PP", "TP"))
    parser.add_argument("--shared", help="folder whose models/ holds the real files")
    arguments = parser.parse_args()
    known = models.every_model(arguments.shared)
    grids = arguments.grid or (models.ALL_GRIDS if arguments.all else models.CI_GRIDS)
    failed = 0
    for model in known:
        if arguments.models and model.name not in arguments.models:
            continue
        for grid in map(tuple, grids):
            with tempfile.TemporaryDirectory() as work:
                try:
                    agreement = check(model, grid, work)
                except (bundle.TaktError, AssertionError) as error:
                    agreement, failed = error, failed + 1
                else:
                    failed += not agreement
            print(f"{model.name:16} {'x'.join(map(str, grid))}  {agreement}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
