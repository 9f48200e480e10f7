"""What a model is shown of what was found: numbered evidence, the best first, as much as a budget of tokens holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memory_assets.ask.extractive import language_of
from memory_assets.ask.prompt import messages_for
from memory_assets.ask.said_dates import date_meant
from memory_assets.ask.statements import GivenEvidence
from memory_assets.errors import InvalidArgumentError
from memory_assets.search.answerability.corrected import corrections_before
from memory_assets.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from memory_assets.ask.asker import Considered
    from memory_assets.ask.conversation import Turn
    from memory_assets.search.answerability.passages import Passage

MOST_EVIDENCE: Final = 12
"""Pieces that a model is shown: what is graded lower answers seldom, and is paid for."""
_MOST_CHARACTERS: Final = 2_000
"""Of one piece."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of evidence, and where it stands: its text is ``passage.text[start:end]``."""

    given: GivenEvidence
    passage: Passage
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Packed:
    """What a model is sent.

    Attributes:
        tokens: of all messages, estimated.
    """

    pieces: tuple[Piece, ...]
    talk: tuple[dict[str, str], ...]
    tokens: int

    @property
    def given(self) -> tuple[GivenEvidence, ...]:
        return tuple(piece.given for piece in self.pieces)

    def piece(self, number: int) -> Piece:
        """The piece under a number that was given."""
        return self.pieces[number - 1]


def packed(seen: Considered, most_tokens: int) -> Packed:
    """The rules and the question, which are always sent, the best evidence beside them, and of earlier turns as many as
    there is room for, the newest first.

    Raises:
        InvalidArgumentError: the rules, the question and one piece of evidence are more than the budget.
    """
    best = [passage for passage, _ in seen.graded[:MOST_EVIDENCE]]
    told = corrections_before(best, lambda passage: passage)
    candidates = [_piece(seen, number, passage) for number, passage in enumerate(told, start=1)]
    earlier = seen.request.conversation.turns if seen.request.conversation else ()
    for count in range(len(candidates), 0, -1):
        sent = _sent(seen, candidates[:count])
        if sent.tokens > most_tokens:
            continue
        for turns in range(1, len(earlier) + 1):
            longer = _sent(seen, candidates[:count], earlier[:turns])
            if longer.tokens > most_tokens:
                break
            sent = longer
        return sent
    raise InvalidArgumentError(
        f"ask.prompt_tokens is {most_tokens:,}, and the rules, this question and one piece of evidence take more",
        hint="give it more, or ask a shorter question",
    )


def _sent(seen: Considered, pieces: Sequence[Piece], earlier: Sequence[Turn] = ()) -> Packed:
    question = seen.question.text
    talk = messages_for(question, [piece.given for piece in pieces], language_of(question), earlier)
    return Packed(tuple(pieces), tuple(talk), sum(estimate_tokens(message["content"]) for message in talk))


def asked_words(seen: Considered) -> str:
    """The question with those that it follows on: what a person said, whose names an answer may use."""
    conversation = seen.request.conversation
    return "\n".join([seen.question.text, *(turn.question for turn in (conversation.turns if conversation else ()))])


def _piece(seen: Considered, number: int, passage: Passage) -> Piece:
    end = _end(passage)
    text = passage.text[passage.start : end]
    time = None
    if seen.question.asked_for == "time":
        language = language_of(seen.question.text)
        times = (date_meant(one.text, passage.said_at, language) for one in passage.sentences if one.end <= end)
        time = next((told for told in times if told is not None), None)
    given = GivenEvidence(number, text, time, passage.speaker, passage.said_at.date())
    return Piece(given, passage, passage.start, end)


def _end(passage: Passage) -> int:
    """Where a piece ends: with its passage, or with the last sentence that is whole within the limit."""
    limit = passage.start + _MOST_CHARACTERS
    if passage.end <= limit:
        return passage.end
    return max((one.end for one in passage.sentences if one.end <= limit), default=limit)
