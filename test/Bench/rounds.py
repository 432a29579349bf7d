"""Interleaved rounds and what is told about them. Nothing here knows an engine.

A machine that others use is faster in one minute than in the next. So engines take
turns (A B A B ...), ratios are formed within a round, and each engine's spread says
how far it disagrees with itself: no difference smaller than that means anything."""

import dataclasses
import statistics


@dataclasses.dataclass(frozen=True)
class Sample:
    """One engine's round: median seconds of a request, and requests per second."""

    seconds: float
    rate: float
    detail: dict = dataclasses.field(default_factory=dict)


def interleave(engines, rounds):
    """Lists of samples by engine; `engines` maps a name to a function that
    measures one round. Every other round takes the engines backwards, so that
    none always follows the same one."""
    samples = {name: [] for name in engines}
    for index in range(rounds):
        order = list(engines) if index % 2 == 0 else list(reversed(engines))
        for name in order:
            samples[name].append(engines[name]())
    return samples


def ratio(ours, theirs):
    """Median over the rounds of ours / theirs."""
    return statistics.median(a / b for a, b in zip(ours, theirs))


def spread(values):
    """How far odd and even rounds disagree: 1.00 is not at all. For one round it
    is not known: NaN."""
    if len(values) < 2:
        return float("nan")
    odd, even = statistics.median(values[1::2]), statistics.median(values[::2])
    return max(odd, even) / min(odd, even)


@dataclasses.dataclass(frozen=True)
class Summary:
    """One engine over all rounds."""

    seconds: float
    rate: float
    spread: float


def summarize(samples, key="seconds"):
    """`key` is what the spread is of."""
    return Summary(
        statistics.median(sample.seconds for sample in samples),
        statistics.median(sample.rate for sample in samples),
        spread([getattr(sample, key) for sample in samples]),
    )
