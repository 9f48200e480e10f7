"""The weights by which signs become grades, from ``calibration.toml``, which ships with the package and has a version."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

FILE = "calibration.toml"


@dataclass(frozen=True, slots=True)
class Weights:
    """A logistic model over named signs; a sign without a weight counts for nothing."""

    intercept: float
    of: Mapping[str, float]

    def grade(self, signs: Mapping[str, float]) -> float:
        """Between 0 and 1."""
        told = self.intercept + math.fsum(weight * signs.get(name, 0.0) for name, weight in self.of.items())
        return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, told))))


@dataclass(frozen=True, slots=True)
class Calibration:
    """What `benchmarks/fit_ask.py` measured.

    Attributes:
        version: of the file; an answer names it.
        passage: whether a passage holds the answer.
        sentence: how much of the answer a sentence says.
        answer: whether what was found can hold the answer.
        gate_within, gate_over_all: the least answerability at which is answered, within a project and over the whole store.
    """

    version: str
    passage: Weights
    sentence: Weights
    answer: Weights
    gate_within: float
    gate_over_all: float

    def gate(self, *, within: bool) -> float:
        """The gate of a question within a project, or over the whole store."""
        return self.gate_within if within else self.gate_over_all


@cache
def calibration() -> Calibration:
    """The shipped one, read once."""
    told = tomllib.loads(resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8"))
    passage, sentence, answer = (_weights(told[name]) for name in ("passage", "sentence", "answer"))
    gates = told["gates"]
    return Calibration(told["version"], passage, sentence, answer, gates["within_a_project"], gates["over_all"])


def _weights(told: Mapping[str, float]) -> Weights:
    return Weights(told["intercept"], {name: weight for name, weight in told.items() if name != "intercept"})
