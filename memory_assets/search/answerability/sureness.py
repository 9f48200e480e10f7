"""How sure it is that what a search found can hold the answer: one number, that search, answers and certificates share.

Two logistic models over named signs: the first grades each unit that was found, the second what all are worth together. Their
weights and the gates stand in ``answerability.toml``. There is no gate on a fused score or a rank, and the store is not read.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Final

from memory_assets.search.answerability.calibration import Weights, weights_of

if TYPE_CHECKING:
    from memory_assets.search.answerability.evidence import Evidence, Found

Signs = Mapping[str, float]

FILE: Final = "answerability.toml"
FEATURES: Final = "1"
"""Which signs there are: weights that were fitted to others are not used."""
_SAID: Final = 0.6
_BY_THEM: Final = 0.7
_LONG: Final = 2000
"""Characters of tokens from which a unit is as long as counts."""


@dataclass(frozen=True, slots=True)
class SurenessCalibration:
    """The weights and the gates.

    Attributes:
        version: of the file, as answers name it.
        unit: whether a unit holds the answer; ``answer`` whether what was found does.
        gate_within, gate_over_all: the least number at which something is known, within a project and over the whole store.
        enough_from: the least number at which the first hits suffice.
    """

    version: str
    unit: Weights
    answer: Weights
    gate_within: float
    gate_over_all: float
    enough_from: float

    def gate(self, *, within: bool) -> float:
        """The gate of a question within a project, or over the whole store."""
        return self.gate_within if within else self.gate_over_all


@dataclass(frozen=True, slots=True)
class Answerability:
    """What is to be thought of what was found.

    Attributes:
        value: 0 to 1; 0 where nothing was found. ``parts`` are its signs.
        gate: below it nothing is known of the question.
        suffices: whether the first hits are likely to hold the answer.
    """

    value: float
    parts: Signs
    gate: float
    suffices: bool
    evidence: Evidence

    @property
    def is_known(self) -> bool:
        """Whether what was found may hold the answer."""
        return bool(self.evidence.units) and self.value >= self.gate

    @property
    def is_by_another(self) -> bool:
        """Whether what was asked was said, and not by whom the question names."""
        held = self.parts["held"]
        return bool(self.evidence.names) and held >= _SAID and self.parts["held_by_them"] < held * _BY_THEM

    @property
    def unknown(self) -> tuple[str, ...]:
        """Where nothing is known: the words that nothing found has together."""
        return () if self.is_known else self.evidence.not_together


def answerability_of(evidence: Evidence, *, within: bool, calibration: SurenessCalibration | None = None) -> Answerability:
    """The number.

    Args:
        within: only a project, a folder or a task was searched.
        calibration: the shipped one by default.
    """
    known = calibration or shipped()
    grades = [known.unit.grade(signs_of_unit(evidence, unit, rank)) for rank, unit in enumerate(evidence.units)]
    parts = signs_of_all(evidence, grades)
    value = round(known.answer.grade(parts), 6) if evidence.units else 0.0
    return Answerability(value, parts, known.gate(within=within), value >= known.enough_from, evidence)


def signs_of_unit(evidence: Evidence, unit: Found, rank: int) -> Signs:
    """Of how well a unit may answer.

    Args:
        rank: from 0.
    """
    replies = unit.turn == "replies"
    return {
        "score": unit.score,
        "rank": 1.0 / (1 + rank),
        "relevance": unit.relevance,
        "cosine": max(0.0, unit.cosine),
        "held": evidence.share(unit.held),
        "held_with_before": evidence.share(unit.with_before),
        "replies": float(replies),
        "replies_to_it": evidence.share(unit.before) if replies else 0.0,
        "asks": float(unit.turn in ("asks", "asks_back")),
        "said_by_another": float(bool(evidence.names) and unit.speaker not in evidence.names),
        "nobody_named": float(not evidence.names),
        "length": min(1.0, math.log1p(unit.characters) / math.log1p(_LONG)),
        "is_remembered": float(unit.is_remembered),
        "is_of_others": float(unit.is_of_others),
    }


def signs_of_all(evidence: Evidence, grades: Sequence[float]) -> Signs:
    """Of whether what was found can hold the answer: what one unit has, not what all have together."""
    units, words, names = evidence.units, evidence.words, evidence.names
    total = evidence.total
    by_them = [unit for unit in units if not names or unit.speaker in names]
    beside = [
        evidence.share_of(unit.with_before, named=True) * evidence.share_of(unit.with_before, named=False) for unit in units
    ]
    first, second = [*sorted(grades, reverse=True), 0.0, 0.0][:2]
    return {
        "held": max((evidence.share(unit.held) for unit in units), default=0.0),
        "held_by_them": max((evidence.share(unit.held) for unit in by_them), default=0.0),
        "unseen": math.fsum(word.weight for word in words if not word.is_seen) / total,
        "bm25": min(3.0, max((unit.bm25 for unit in units), default=0.0) / (3 * total)),
        "cosine": max((unit.cosine for unit in units), default=0.0),
        "best": math.log(first + 1e-3),
        "second": math.log(second + 1e-3),
        "words": min(3.0, len(words) / 5),
        "names_somebody": float(bool(names)),
        "names_something": float(any(word.is_name for word in words)),
        "name_held": max((evidence.share_of(unit.held, named=True) for unit in units), default=0.0),
        "held_beside_the_name": max(beside, default=0.0),
        "relevance": max((unit.relevance for unit in units), default=0.0),
    }


def read_calibration(text: str) -> SurenessCalibration | None:
    """A calibration as :func:`written` writes it; None where it is of other signs.

    Raises:
        KeyError, TypeError, ValueError: it is no calibration.
    """
    told = tomllib.loads(text)
    if told["features"] != FEATURES:
        return None
    gates = told["gates"]
    return SurenessCalibration(
        str(told["version"]),
        weights_of(told["unit"]),
        weights_of(told["answer"]),
        float(gates["within_a_project"]),
        float(gates["over_all"]),
        float(gates["enough_from"]),
    )


def written(calibration: SurenessCalibration, *, heading: str) -> str:
    """A calibration as a file."""
    sections = "".join(
        _section(name, weights) for name, weights in (("unit", calibration.unit), ("answer", calibration.answer))
    )
    return (
        f'# {heading}\nversion = "{calibration.version}"\nfeatures = "{FEATURES}"\n\n{sections}[gates]\n'
        f"within_a_project = {calibration.gate_within}\nover_all = {calibration.gate_over_all}\n"
        f"enough_from = {calibration.enough_from}\n"
    )


@cache
def shipped() -> SurenessCalibration:
    """The shipped calibration, read once."""
    found = read_calibration(resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8"))
    assert found is not None, "the shipped weights are of other signs: run benchmarks/fit_answerability.py"
    return found


def _section(name: str, weights: Weights) -> str:
    return (
        f"[{name}]\nintercept = {weights.intercept:.4f}\n"
        + "".join(f"{sign} = {value:.4f}\n" for sign, value in weights.of.items())
        + "\n"
    )
