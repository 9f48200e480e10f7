"""Whether an answer follows from what it cites, as a judge sees it: off by default, and where it is on, no answer without it.

A judge is a package's entry point in the group ``memory_assets.nli``: called without arguments it gives an `EntailmentJudge`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Final, Protocol

GROUP: Final = "memory_assets.nli"


class EntailmentJudge(Protocol):
    """A model of natural language inference."""

    def score(self, premise: str, hypothesis: str) -> float:
        """How surely one text follows from another, 0 to 1."""
        ...


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge said of an answer: the least score of its statements."""

    score: float


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Nobody could judge; ``why`` in words for people."""

    why: str


@dataclass(frozen=True, slots=True)
class Entailment:
    """The judge that the settings name, found when it is needed.

    Attributes:
        name: of the entry point.
        threshold: the least score with which an answer follows; 0 asks nobody.
    """

    name: str | None
    threshold: float

    def found(self) -> EntailmentJudge | Unjudged:
        """The judge, or why there is none."""
        return _judge(self.name) if self.name else Unjudged("ask.nli_threshold is set, and ask.nli names no judge")

    def judged(self, judge: EntailmentJudge, pairs: list[tuple[str, str]]) -> Judged | Unjudged:
        """The least score of some (premise, hypothesis)."""
        try:
            scores = [float(judge.score(premise, hypothesis)) for premise, hypothesis in pairs]
        except Exception as error:  # as above
            return Unjudged(f"the judge {self.name} failed: {type(error).__name__}")
        if not scores or not all(0 <= score <= 1 for score in scores):
            return Unjudged(f"the judge {self.name} gave no score between 0 and 1")
        return Judged(min(scores))


@lru_cache(maxsize=2)
def _judge(name: str) -> EntailmentJudge | Unjudged:
    """The judge of a name, loaded once: it may be a large model."""
    named = list(entry_points(group=GROUP, name=name))
    if not named:
        return Unjudged(f"no installed package has the judge {name} (an entry point in the group {GROUP})")
    try:
        make: Callable[[], EntailmentJudge] = named[0].load()
        return make()
    except Exception as error:  # somebody else's code: whatever it raises, there is no judge
        return Unjudged(f"the judge {name} cannot be loaded: {type(error).__name__}")
