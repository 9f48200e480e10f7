"""Words of sessions as digests quote them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from memory_assets.citations.addresses import SpanCitation
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.results.digest import DigestQuoteV1
from memory_assets.search.answerability.signs import is_question
from memory_assets.text.sentences import Sentence, sentences

if TYPE_CHECKING:
    from datetime import datetime

    import duckdb

    from memory_assets.search.answers.unit_citations import CitedMessage

_TOLD_LENGTH = 240
"""Characters of a message that are told, as far as its sentences fit into them."""
Following = Literal["said on", "announced", "listed"]
"""What is told behind a sentence: what goes on in its paragraph, what it announces with a colon, or all that stands below it up
to a question."""
_GAP = " … "
_ONLY_MARKS = re.compile(r"[\s*_#+\-•\d.)\[\]xX]*")
"""What stands between two sentences of a list; all else (code, tables, quoted text) nobody says."""
_MARKS = re.compile(r"[`*_\s]+")
_FIRST = f"""
SELECT s.entry_id, s.session_id, s.message_index, s.segments_json, s.matched_text, coalesce(w.name, w.role), w.ts
FROM evidence_spans s JOIN messages w ON w.session_id = s.session_id AND w.message_index = s.message_index
WHERE s.match_method <> 'none' AND s.entry_id IN {IN_LIST}
QUALIFY row_number() OVER (PARTITION BY s.entry_id ORDER BY s.ordinal) = 1
"""


def quote_of(
    session_id: str, message_index: int, segments_json: str, text: str, speaker: str | None, said_at: datetime
) -> DigestQuoteV1:
    """A quote whose words are known, as a table of evidence has it."""
    return _quote(session_id, message_index, json.loads(segments_json), text, speaker, said_at)


def told_as(title: str, quote: DigestQuoteV1 | None) -> str:
    """What a memory or task is told as: its quote where that holds its title, which may be cut and is spelled plainly."""
    if quote is None:
        return title
    holds_it = _spelled(title.removesuffix("…")) in _spelled(quote.text)
    return quote.text if holds_it else title


def first_quotes(connection: duckdb.DuckDBPyConnection, entry_ids: Iterable[str]) -> dict[str, DigestQuoteV1]:
    """The first quote of each of some entries; one that has none is absent."""
    wanted = sorted(set(entry_ids))
    return {row[0]: quote_of(*row[1:]) for row in fetch(connection, _FIRST, [json_list(wanted)])} if wanted else {}


def quote_at(message: CitedMessage, segments: Sequence[Sequence[int]]) -> DigestQuoteV1:
    """The words of a message at a place."""
    text = _GAP.join(message.text[start:end] for start, end in segments)
    speaker = message.name or message.tool_name or message.role
    return _quote(message.session_id, message.message_index, segments, text, speaker, message.ts)


def quote_going_on(message: CitedMessage, start: int, end: int, following: Following) -> DigestQuoteV1:
    """A sentence of a message with those that follow it, as far as all of them fit in ``_TOLD_LENGTH`` characters; of a list no
    heading, and nothing that announces more, without what stands below it."""
    told = end
    for sentence in sentences(message.text[: end + _TOLD_LENGTH]):
        if sentence.start < end:
            continue
        if sentence.end - start > _TOLD_LENGTH or not _follows(message.text, start, end, sentence, following):
            break
        end = sentence.end
        if following != "listed" or not (sentence.shape == "heading" or only_announces(sentence.text)):
            told = end
    return quote_at(message, [(start, told)])


def stands_within(quote: DigestQuoteV1 | None, other: DigestQuoteV1 | None) -> bool:
    """Whether a quote is part of another one: of the same message, and in its words."""
    if quote is None or other is None:
        return False
    message, _, _ = quote.uri.partition("&c=")
    return message == other.uri.partition("&c=")[0] and quote.text in other.text


def only_announces(text: str) -> bool:
    """Whether words end in a colon: what they say stands below them."""
    return text.rstrip("*_ ").endswith((":", "："))


def _follows(text: str, start: int, end: int, sentence: Sentence, following: Following) -> bool:
    between = text[end : sentence.start]
    if following == "listed":
        return _ONLY_MARKS.fullmatch(between) is not None and not is_question(sentence.text)
    return only_announces(text[start:end]) or (following == "said on" and not between.strip())


def quote_at_place(messages: Mapping[tuple[str, int], CitedMessage], place: Mapping[str, Any]) -> DigestQuoteV1 | None:
    """The words at a place of a unit's citations; None where its message is not known."""
    message = messages.get((place["session_id"], place["message_index"]))
    return None if message is None else quote_at(message, place["segments"])


def _spelled(text: str) -> str:
    return _MARKS.sub("", text).casefold()


def _quote(
    session_id: str,
    message_index: int,
    segments: Sequence[Sequence[int]],
    text: str,
    speaker: str | None,
    said_at: datetime,
) -> DigestQuoteV1:
    address = SpanCitation(session_id, message_index, tuple((int(start), int(end)) for start, end in segments))
    return DigestQuoteV1(text=text, uri=address.uri, speaker=speaker or "", said_at=said_at)
