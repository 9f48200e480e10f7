"""The messages that a search's hits cite, whole, as what an answer may quote."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal

from memory_assets.log.fetching import fetch
from memory_assets.search.answers.unit_citations import cited_messages
from memory_assets.text.sentences import Sentence, sentences

if TYPE_CHECKING:
    import duckdb

    from memory_assets.results.search import SearchHitV1
    from memory_assets.search.answers.unit_citations import CitedMessage

Place = tuple[str, int]

MOST_PASSAGES: Final = 28
"""Messages that are looked at for an answer."""
_AROUND: Final = 400
"""Characters on either side of what a memory or task quotes that are looked at with it."""
_BEYOND: Final = 1_500
"""Characters of the message on either side of that part whose lines are looked at too."""
_MOST_SENTENCES: Final = 60
_READ: Final = 8_000
"""Characters behind the beginning of that part that are looked at, at the most."""

_SAID_BEFORE: Final = """
WITH places AS (
  SELECT DISTINCT * FROM (SELECT unnest(from_json($places, '[{"session_id": "VARCHAR", "message_index": "INTEGER"}]'),
    recursive := true))
)
SELECT p.session_id, p.message_index, max(m.message_index)
FROM places p JOIN messages m ON m.session_id = p.session_id AND m.kind = 'said' AND m.message_index < p.message_index
  AND m.message_index >= p.message_index - 40
GROUP BY ALL
"""
_ROW: Final = re.compile(r"\|(?![ :|-]*$).*\|$")
_LINE: Final = re.compile(r"[^\s](?:[^\n]{0,218}[^\s])?")
_WORD: Final = re.compile(r"\w\w")


QuotableShape = Literal["prose", "item", "heading", "row", "code"]


@dataclass(frozen=True, slots=True)
class Quotable:
    """A sentence, or a line that is none.

    Attributes:
        start, end: half-open, code points of the message.
        heading: what it stands under, empty where that is nothing.
    """

    start: int
    end: int
    text: str
    shape: QuotableShape
    heading: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a message that a hit cites, or that search showed beside one.

    Attributes:
        hit: the best hit that cites it, or beside which it stands; ``place`` is the message.
        text: the whole stored message; spans index it.
        start, end: the part that may be quoted, half-open, code points.
        speaker: by name where the conversation has names, else None.
        before: what was said just before it, and by whom; empty where it is the first.
        sentences: of that part, in order, with the rows of its tables.
        lines: of the message within and around that part, in order: its sentences, rows, and lines of code.
        instead_of: of a person's correction what it corrects, which is quoted no more.
        is_correction: a person said it to correct something, whether that was found or not.
    """

    hit: SearchHitV1
    place: Place
    text: str
    start: int
    end: int
    speaker: str | None
    role: str
    said_at: datetime
    before: str
    before_speaker: str | None
    sentences: tuple[Quotable, ...]
    lines: tuple[Quotable, ...]
    instead_of: tuple[Passage, ...] = ()
    is_correction: bool = False


def passages_of(connection: duckdb.DuckDBPyConnection, hits: Sequence[SearchHitV1]) -> list[Passage]:
    """The passages of some hits, best first; each message once."""
    spans: dict[Place, tuple[SearchHitV1, int | None, int | None]] = {}
    for hit, place, start, end in (*_cited(hits), *_beside(hits)):
        if place not in spans and len(spans) < MOST_PASSAGES:
            spans[place] = (hit, start, end)
    if not spans:
        return []
    cited = [{"session_id": session_id, "message_index": index} for session_id, index in spans]
    # Texts are read where it is known whose: joined with all messages, those of the whole store would be.
    before = {(row[0], row[1]): (row[0], row[2]) for row in fetch(connection, _SAID_BEFORE, {"places": json.dumps(cited)})}
    earlier = [{"session_id": session_id, "message_index": index} for session_id, index in before.values()]
    messages = cited_messages(connection, (*cited, *earlier))
    return [
        _passage(hit, messages[place], messages.get(before[place]) if place in before else None, start, end)
        for place, (hit, start, end) in spans.items()
        if place in messages
    ]


def _cited(hits: Sequence[SearchHitV1]) -> Iterator[tuple[SearchHitV1, Place, int | None, int | None]]:
    for hit in hits:
        for citation in hit.citations[:2]:
            session_id, index = getattr(citation, "session_id", None), getattr(citation, "message_index", None)
            if session_id is not None and index is not None:
                yield hit, (session_id, index), getattr(citation, "span_start", None), getattr(citation, "span_end", None)


def _beside(hits: Sequence[SearchHitV1]) -> Iterator[tuple[SearchHitV1, Place, int | None, int | None]]:
    """What search showed beside its hits, in sessions with agents. In conversations of people it answers no better (measured),
    and is cited in vain."""
    for hit in hits:
        for citation in hit.beside:
            if citation.name is None and citation.session_id is not None and citation.message_index is not None:
                yield hit, (citation.session_id, citation.message_index), citation.span_start, citation.span_end


def _passage(
    hit: SearchHitV1, message: CitedMessage, before: CitedMessage | None, start: int | None, end: int | None
) -> Passage:
    text = message.text
    low, high = start or 0, len(text) if end is None else end
    if hit.unit_kind != "passage":
        low, high = max(0, low - _AROUND), min(len(text), high + _AROUND)
    lines = tuple(_quotable(text, max(0, low - _BEYOND), min(len(text), low + _READ, high + _BEYOND)))
    return Passage(
        hit=hit,
        place=(message.session_id, message.message_index),
        text=text,
        start=low,
        end=high,
        speaker=message.name,
        role=message.role,
        said_at=message.ts,
        before=before.text if before is not None else "",
        before_speaker=before.name if before is not None else None,
        sentences=tuple(_sentences([one for one in lines if one.start >= low and one.end <= high])),
        lines=lines,
    )


def _sentences(lines: Sequence[Quotable]) -> Sequence[Quotable]:
    """What is said of some lines; where that is nothing, all of them."""
    return ([one for one in lines if one.shape != "code"] or lines)[:_MOST_SENTENCES]


def _quotable(text: str, start: int, end: int) -> list[Quotable]:
    """The sentences within a part of a message, and its lines that are none: of tables, of code, of what a program wrote."""
    told = [one for one in sentences(text) if one.start >= start and one.end <= end]
    found = [Quotable(one.start, one.end, one.text, _shape(one), one.heading) for one in told]
    covered = sorted((one.start, one.end) for one in told)
    place, heading = 0, ""
    for match in _LINE.finditer(text, start, end):
        while place < len(covered) and covered[place][1] <= match.start():
            place += 1
        if (place < len(covered) and covered[place][0] < match.end()) or not _WORD.search(match[0]):
            continue
        shape: QuotableShape = "row" if _ROW.fullmatch(match[0]) else "code"
        found.append(Quotable(match.start(), match.end(), match[0], shape, ""))
    found.sort(key=lambda one: one.start)
    for number, one in enumerate(found):
        if one.shape == "heading":
            heading = one.text
        elif one.shape in ("row", "code"):
            found[number] = replace(one, heading=heading)
        else:
            heading = one.heading
    return found


def _shape(sentence: Sentence) -> QuotableShape:
    match sentence.shape:
        case "prose" | "heading":
            return sentence.shape
        case _:
            return "item"
