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

    def model(self, name):
        return next(model for model in self.models() if model.name == name)


@dataclasses.dataclass(frozen=True)
class Figure:
    """What a bar measured. `passed` is None where it did not run."""

    measured: str
    passed: bool | None
    reason: str = ""


@dataclasses.dataclass(frozen=True)
class Bar:
    number: int
    text: str
    threshold: str
    run: typing.Callable[[Context], Figure]
    slow: bool = False
