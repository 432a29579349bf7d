"""What the bars of every issue are made of."""

import dataclasses
import typing

import models


@dataclasses.dataclass(frozen=True)
class Context:
    """How tools/bars was called."""

    shared: str | None = None
    slow: bool = False
    only: frozenset = frozenset()

    def models(self):
        return models.shared_models(self.shared) if self.shared else models.repository_models()

    def families(self):
        return models.shared_families(self.shared) if self.shared else models.repository_families()

    def model(self, name):
        return next(model for model in self.models() if model.name == name)


@dataclasses.dataclass(frozen=True)
class Figure:
    """What a bar measured. `passed` is None where it did not run."""

    measured: str
    passed: bool | None
    reason: str = ""


NO_GRAPHS = Figure("not run", None, "needs --shared: real-size graphs are not in the repository")


@dataclasses.dataclass(frozen=True)
class Bar:
    number: int
    text: str
    threshold: str
    run: typing.Callable[[Context], Figure]
    slow: bool = False
