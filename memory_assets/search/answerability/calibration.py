"""The weights by which signs become grades, from ``calibration.toml``, which ships with the package and has a version."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

FILE = "calibration.toml"


@dataclass(frozen=True, slots=True)
class Weights:
    """A logistic model over named signs; a sign without a weight counts for nothing."""

    intercept: float
    of: Mapping[str, float]

    def score(self, signs: Mapping[str, float]) -> float:
        """The logarithm of how much more likely something is than something else whose score is 0."""
        return self.intercept + math.fsum(weight * signs.get(name, 0.0) for name, weight in self.of.items())

    def grade(self, signs: Mapping[str, float]) -> float:
        """Between 0 and 1."""
        return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, self.score(signs)))))


@dataclass(frozen=True, slots=True)
class Calibration:
    """What `benchmarks/fit_ask.py` measured.

    Attributes:
        version: of the file; an answer names it.
        passage: whether a passage holds the answer.
        sentence: how much of the answer a sentence of a conversation says.
        line: in which line of an agent's messages the answer stands, beside all other lines.
    """

    version: str
    passage: Weights
    sentence: Weights
    line: Weights


@cache
def calibration() -> Calibration:
    """The shipped one, read once."""
    told = tomllib.loads(resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8"))
    passage, sentence, line = (weights_of(told[name]) for name in ("passage", "sentence", "line"))
    return Calibration(told["version"], passage, sentence, line)


def weights_of(told: Mapping[str, Any]) -> Weights:
    """A section of a file of weights."""
    return Weights(float(told["intercept"]), {name: float(value) for name, value in told.items() if name != "intercept"})
