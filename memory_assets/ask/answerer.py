"""Who makes an answer of what was found: the quotes alone, or a model that is held to them (``ask.model_answerer``)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from memory_assets.ask.answers import answered, refused
from memory_assets.ask.extractive import quotes_for
from memory_assets.search.answerability.calibration import calibration

if TYPE_CHECKING:
    from memory_assets.ask.asker import Considered
    from memory_assets.results.answer import AnswerV1

Listen = Callable[[str], None]
"""Is told each piece of an answer while it is made: a draft, of which nothing is verified yet."""


class Answerer(Protocol):
    """Makes an answer of what was found, once it is sure enough that it can be made."""

    def answer(self, seen: Considered, listen: Listen | None = None) -> AnswerV1:
        """The answer, or a refusal.

        Args:
            listen: is told the draft as it comes; without it nothing is shown before it is verified.
        """
        ...


@dataclass(frozen=True, slots=True)
class ExtractiveAnswerer:
    """Answers in quotes: the same question gets the same answer.

    Attributes:
        embedding: the embedding model's name.
    """

    embedding: str

    def answer(self, seen: Considered, listen: Listen | None = None) -> AnswerV1:
        """See ``Answerer.answer``; nothing is drafted."""
        quotes = quotes_for(seen.question, seen.graded, calibration(), most_words=seen.request.most_words)
        return answered(seen, quotes, self.embedding) if quotes else refused(seen, "no_chunks", self.embedding)
