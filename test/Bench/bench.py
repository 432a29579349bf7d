"""Measures Takt against other engines in interleaved rounds; called by tools/bench."""

import argparse
import dataclasses
import json
import math
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools" / "lib"), str(Path(__file__).parent)]

import bundle
import cases
import engines
import oracle
import report
import rounds


@dataclasses.dataclass(frozen=True)
class Effort:
    """How long is measured: `rounds` of about `seconds` for each engine."""

    rounds: int = 6
    seconds: float = 1.5

    def repeat(self, seconds):
        """Requests of a round, where one takes `seconds`."""
        return max(3, math.ceil(self.seconds / seconds))


@dataclasses.dataclass(frozen=True)
class Row:
    """A case's result: per engine its summary and, for the others than the
    first, the median ratio of the first's time to theirs."""

    case: str
    difference: float
    summaries: dict
    ratios: dict


def compete(runners, effort, key="seconds"):
    """Interleaved samples of `runners`, by name. All take the same number of
    requests in a round."""
    probes = [runner.measure(3) for runner in runners]
    slowest = max(1 / probe.rate for probe in probes)
    repeat = effort.repeat(slowest)
    measures = {
        runner.name: lambda runner=runner: runner.measure(repeat) for runner in runners
    }
    return rounds.interleave(measures, effort.rounds)


def run_case(case, options, effort):
    """Compares the answers, then the times."""
    path = cases.locate(case.model, options.shared)
    inputs = cases.make_inputs(case, path)
    expected = oracle.Reference(path)(inputs)
    with tempfile.TemporaryDirectory() as work:
        grid = tuple(options.grid)
        takt = engines.Takt(path, inputs, work, grid=grid, threads=options.threads)
        threads = options.threads * math.prod(grid)
        peers = [engines.Peer(name, path, inputs, work, threads) for name in options.against]
        agreement = cases.check(takt, expected)
        for peer in peers:
            cases.check(peer, expected)
        samples = compete([takt, *peers], effort)
    seconds = {name: [sample.seconds for sample in found] for name, found in samples.items()}
    ours = seconds[takt.name]
    ratios = {peer.name: rounds.ratio(ours, seconds[peer.name]) for peer in peers}
    summaries = {name: rounds.summarize(found) for name, found in samples.items()}
    return Row(str(case), agreement.difference, summaries, ratios)


def chosen(options):
    """The cases that the options name."""
    if not options.models:
        return cases.STANDARD if options.shared else cases.PREFILL[:1]
    given = {"batch": options.batch, "seq": options.sequence, "past": options.past}
    sizes = {name: size for name, size in given.items() if size is not None}
    for pair in options.dim:
        name, _, size = pair.partition("=")
        sizes[name] = int(size)
    return [cases.named(name, sizes) for name in options.models]


def parse(arguments):
    parser = argparse.ArgumentParser(prog="tools/bench", description=__doc__)
    parser.add_argument("models", nargs="*", help="names or ONNX files; default: all of the report")
    parser.add_argument("--shared", help="folder whose models/graphs/ holds the real-size graphs")
    parser.add_argument("--grid", nargs=3, type=int, default=(1, 1, 1), metavar=("DP", "PP", "TP"))
    parser.add_argument("--batch", type=int)
    parser.add_argument("--sequence", type=int)
    parser.add_argument("--past", type=int, help="tokens in a decoder's cache")
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=SIZE")
    parser.add_argument("--threads", type=int, default=1, help="of each rank, and so of the others")
    parser.add_argument("--rounds", type=int, default=Effort.rounds)
    parser.add_argument("--seconds", type=float, default=Effort.seconds, help="of a round")
    parser.add_argument("--against", help="onnxruntime, openvino; default: those installed")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write", action="store_true", help="writes docs/Performance.md")
    options = parser.parse_args(arguments)
    found = engines.installed()
    options.against = options.against.split(",") if options.against else found
    missing = [name for name in options.against if name not in found]
    if missing:
        parser.error(f"'{missing[0]}' is not installed; there are: {', '.join(found)}")
    return options


def main(arguments):
    options = parse(arguments)
    effort = Effort(options.rounds, options.seconds)
    rows = []
    try:
        for case in chosen(options):
            rows.append(run_case(case, options, effort))
            if not options.json:
                print(report.line(rows[-1]), flush=True)
    except (bundle.TaktError, AssertionError, OSError, KeyError, RuntimeError) as error:
        print(f"error: {case}: {error}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps([dataclasses.asdict(row) for row in rows], indent=2))
    if options.write:
        (ROOT / "docs" / "Performance.md").write_text(report.page(rows, options, effort))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
