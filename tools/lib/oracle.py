"""ONNX Runtime as the oracle, and the comparison with it."""

import dataclasses

import numpy as np
import onnxruntime as ort


@dataclasses.dataclass
class Agreement:
    """The largest difference over all outputs and what was allowed there."""

    difference: float
    allowed: float
    place: str

    def __bool__(self):
        return self.difference <= self.allowed

    def __str__(self):
        verdict = "agrees" if self else "differs"
        return f"{verdict}: {self.difference:.2e} of {self.allowed:.2e} allowed ({self.place})"


class Reference:
    """Runs a model in ONNX Runtime with its optimiser off: with it on, fused
    look-alikes of LayerNormalization come out wrong."""

    def __init__(self, path):
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 3
        self.session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.names = [output.name for output in self.session.get_outputs()]

    def __call__(self, inputs):
        return dict(zip(self.names, self.session.run(None, inputs)))


def largest_difference(got, want):
    """Max of |got - want|. Equal infinities and NaNs in the same places agree;
    any other non-finite value is an infinite difference."""
    if not want.size:
        return 0.0
    got, want = got.astype(np.float64), want.astype(np.float64)
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    with np.errstate(invalid="ignore"):
        difference = np.where(same, 0.0, np.abs(got - want))
    difference[np.isnan(difference)] = np.inf
    return float(difference.max())


def allowed_difference(want, relative=None):
    """1e-4 x max(1, largest output), or `relative` x largest output."""
    finite = np.abs(want[np.isfinite(want)].astype(np.float64)) if want.size else want
    largest = float(finite.max()) if finite.size else 0.0
    return relative * largest if relative is not None else 1e-4 * max(1.0, largest)


def compare(got, want, relative=None):
    """Compares outputs by name (dicts of arrays); the output that comes closest
    to its limit, or goes furthest beyond, is the answer's place."""
    worst = None
    if set(got) != set(want):
        return Agreement(np.inf, 0.0, f"outputs {sorted(got)} where {sorted(want)} were expected")
    for name, expected in want.items():
        actual = got[name]
        if actual.shape != expected.shape or actual.dtype != expected.dtype:
            text = f"{name} is {actual.dtype}{list(actual.shape)} where {expected.dtype}{list(expected.shape)} was expected"
            return Agreement(np.inf, 0.0, text)
        allowed = allowed_difference(expected, relative)
        found = Agreement(largest_difference(actual, expected), allowed, name)
        if worst is None or excess(found) > excess(worst):
            worst = found
    return worst


def excess(agreement):
    """How much of the allowance was used; a zero allowance counts as tiny."""
    return agreement.difference / max(agreement.allowed, 1e-300)


def worst_of(agreements):
    """The agreement nearest to (or furthest beyond) its limit."""
    return max(agreements, key=excess)
