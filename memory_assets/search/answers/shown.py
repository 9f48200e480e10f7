"""What is shown of a hit: of the messages that it cites, and of the passages that stand beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from memory_assets.search.answers.snippets import Part, snippet

if TYPE_CHECKING:
    from memory_assets.search.answers.hydration import Chosen, FoundUnit, Place
    from memory_assets.search.answers.unit_citations import CitedMessage
    from memory_assets.search.question.terms import Term

_MOST_MESSAGES = 3
"""Of those that a memory, a task or a gotcha cites: what was asked for, what was done, what came of it."""


def shown(
    hit: Chosen, said: Mapping[Place, CitedMessage], terms: Sequence[Term], *, asks_why: bool
) -> tuple[str, tuple[FoundUnit, ...]]:
    """What a hit says of the question, with the passages beside it of which that shows something.

    Of what was remembered its first quote is shown in any case.
    """
    parts: list[tuple[Part, FoundUnit | None]] = [(part, None) for part in _own_parts(hit.unit, said)]
    parts += [(_part_beside(hit, other), other) for other in hit.beside]
    if hit.unit.is_passage:  # in the order in which it was said
        parts.sort(key=lambda told: _where(told[1] or hit.unit))
    found = snippet([part for part, _ in parts], terms, asks_why=asks_why)
    return found.text, tuple(unit for number, (_, unit) in enumerate(parts) if unit is not None and number in found.parts)


def _own_parts(unit: FoundUnit, said: Mapping[Place, CitedMessage]) -> list[Part]:
    """The passage, or the messages that something else cites."""
    told = [] if unit.is_passage else list(_of_messages(unit, said))
    return told or [Part(unit.body)]


def _of_messages(unit: FoundUnit, said: Mapping[Place, CitedMessage]) -> Iterator[Part]:
    seen: set[Place] = set()
    for number, cited in enumerate(unit.cited):
        place = cited["session_id"], cited["message_index"]
        message = said.get(place)
        if place in seen or message is None or not message.text.strip():
            continue
        seen.add(place)
        yield Part(message.text, (cited["span_start"], cited["span_end"]) if number == 0 else None)
        if len(seen) == _MOST_MESSAGES:
            return


def _part_beside(hit: Chosen, other: FoundUnit) -> Part:
    """Of who answers a question the first sentence is shown, whatever it says of it."""
    asks = hit.ranked.hit.turn in ("asks", "asks_back")
    return Part(other.body, is_beside=True, is_answer=asks and not other.places <= hit.unit.places)


def _where(passage: FoundUnit) -> tuple[int, int]:
    cited = passage.cited[0]
    return cited["message_index"], cited["span_start"]
