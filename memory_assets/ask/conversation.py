"""A conversation: what a question follows on. What was answered before helps to search and to understand it, no more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from memory_assets.search.question.time_mentions import mentions, without

LAST_ANSWER_CHARACTERS: Final = 200
"""Of the last answer that a search goes on from."""


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier turn.

    Attributes:
        answer: the words that it cited; empty where nothing was answered.
    """

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """What a question is asked in.

    Attributes:
        turn_index: of this question, from 0.
        turns: those before it, the newest first.
    """

    conversation_id: str
    turn_index: int = 0
    turns: tuple[Turn, ...] = ()

    @property
    def last_answer(self) -> str:
        """The beginning of what was answered last."""
        return next((turn.answer for turn in self.turns if turn.answer), "")[:LAST_ANSWER_CHARACTERS]

    def searched(self, question: str) -> str:
        """What is searched for: the question, and what it follows on. What that says of times asks for none."""
        last = self.last_answer
        timeless = without(last, [(mention.start, mention.end) for mention in mentions(last)])
        return " ".join(f"{question} {timeless}".replace("\0", " ").split())
