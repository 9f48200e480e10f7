"""A question answered in several hops: taken apart, each part searched, what follows on the others again, then all together.

Without a model it is decided by rule whether to go on: a part that nothing answers by itself is asked once more with the words
that answer the others, until none is left, nothing new is answered, or the last round is over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from memory_assets.ask.conversation import Conversation, Turn
from memory_assets.ask.decomposition import MOST_PARTS, Decomposer, points_back
from memory_assets.ask.extractive import Quote, quotes_for
from memory_assets.results.answer import HopRecordV1
from memory_assets.search.answerability.calibration import calibration

if TYPE_CHECKING:
    from memory_assets.ask.asker import Considered
    from memory_assets.ask.request import AskRequest

MOST_ROUNDS: Final = 3
"""Searches one after the other, each of which may go on from what the one before it answered."""

Search = Callable[[Sequence["AskRequest"]], list["Considered"]]


@dataclass(frozen=True, slots=True)
class Hopped:
    """What came of the hops.

    Attributes:
        seen: all parts together; None where the question could not be taken apart.
        open: the parts that nothing answers.
    """

    seen: Considered | None
    hops: tuple[HopRecordV1, ...]
    open: tuple[str, ...] = ()


def hopped(request: AskRequest, decomposer: Decomposer, search: Search) -> Hopped:
    """Take a question apart, and search for its parts.

    Args:
        search: what was found for some questions, graded.
    """
    parts = decomposer.parts(request.question)
    if not 0 < len(parts) <= MOST_PARTS:
        return Hopped(
            None, (HopRecordV1(kind="decompose", sub_queries=parts[:MOST_PARTS], forced_stop=len(parts) > MOST_PARTS),)
        )
    hops = [HopRecordV1(kind="decompose", sub_queries=parts)]
    # What speaks of "it" waits for what "it" is.
    waiting = [part for part in parts[1:] if points_back(part)]
    found: dict[str, Considered] = {}
    for number in range(1, MOST_ROUNDS + 1):
        asked = [part for part in parts if not _is_answered(found, part) and (number > 1 or part not in waiting)]
        turns = _turns(parts, found)
        if not asked or (number > 1 and not turns):
            break
        before, known = _places(found), len(turns)
        found |= zip(asked, search([_asked(request, part, turns) for part in asked]), strict=True)
        left = [part for part in parts if not _is_answered(found, part)]
        hops.append(
            HopRecordV1(
                kind="decide",
                iter=number,
                sub_queries=tuple(asked),
                context_chunks_added=len(_places(found) - before),
                forced_stop=bool(left) and number == MOST_ROUNDS,
            )
        )
        if number > 1 and len(_turns(parts, found)) == known:
            break
    answered = [found[part] for part in parts if _is_answered(found, part)]
    seen = _together(request, answered or list(found.values())[:1])
    hops.append(HopRecordV1(kind="synthesize", iter=len(hops) - 1, sub_queries=tuple(one.question.text for one in answered)))
    return Hopped(seen, tuple(hops), tuple(part for part in parts if not _is_answered(found, part)))


def merged_quotes(parts: Sequence[Considered], most_words: int) -> list[Quote]:
    """The quotes of each part within the words of all, in the order of the parts; none twice.

    What a part leaves of its share the ones behind it have.
    """
    quotes: dict[tuple[object, ...], Quote] = {}
    left = most_words
    for number, part in enumerate(parts):
        share = max(1, left // (len(parts) - number))
        for quote in quotes_for(part.question, part.graded, calibration(), most_words=share):
            words = len(quote.text.split()) + len((quote.time or "").split())
            if (quote.passage.place, quote.start) not in quotes and (words <= left or not quotes):
                quotes[quote.passage.place, quote.start] = quote
                left -= words
    return list(quotes.values())


def _is_answered(found: dict[str, Considered], part: str) -> bool:
    return part in found and found[part].refusal is None


def _asked(request: AskRequest, part: str, turns: tuple[Turn, ...]) -> AskRequest:
    """A part as a question of its own; it may follow on what is answered already, and on the conversation around it."""
    earlier = (*turns, *(request.conversation.turns if request.conversation else ()))
    return replace(request, question=part, conversation=Conversation("", len(earlier), earlier) if earlier else None)


def _turns(parts: Sequence[str], found: dict[str, Considered]) -> tuple[Turn, ...]:
    """The parts that are answered with the words that answer them, the last one first."""
    told = [(part, found[part]) for part in reversed(parts) if _is_answered(found, part)]
    return tuple(Turn(part, _words(seen)) for part, seen in told)


def _words(seen: Considered) -> str:
    quotes = quotes_for(seen.question, seen.graded, calibration(), most_words=seen.request.most_words)
    return " ".join(" ".join(quote.text.split()) for quote in quotes)


def _places(found: dict[str, Considered]) -> set[tuple[str, int]]:
    return {passage.place for seen in found.values() for passage, _ in seen.graded}


def _together(request: AskRequest, parts: Sequence[Considered]) -> Considered:
    """Several parts as one: the passages of all, the best grade of each; as sure as the least sure part is."""
    # What is left of a message of which a person said otherwise is several passages.
    graded = {
        (passage.place, passage.start): (passage, grade)
        for part in parts
        for passage, grade in sorted(part.graded, key=lambda one: one[1])
    }
    least = min(parts, key=lambda part: part.sure.value)
    question = replace(
        parts[0].question,
        text=request.question,
        words=tuple(dict.fromkeys(word for part in parts for word in part.question.words)),
        names=frozenset().union(*(part.question.names for part in parts)),
    )
    best_first = sorted(graded.values(), key=lambda one: (-one[1], one[0].hit.rank, one[0].place))
    return replace(least, request=request, question=question, graded=tuple(best_first), of=tuple(parts))
