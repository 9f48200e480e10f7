"""Answers that were recorded, with the words that they cite as the store has them now."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from memory_assets.ask.conversation import Conversation, Turn
from memory_assets.citations.addresses import MessageCitation, SpanCitation
from memory_assets.errors import NotFoundError
from memory_assets.identifiers import sha256_hex
from memory_assets.log.fetching import fetch, full_id, scalar
from memory_assets.results.answer import AnswerCitationV1
from memory_assets.results.citation import CitationV1
from memory_assets.results.recorded_answer import RecordedAnswerListV1, RecordedAnswerV1

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import duckdb

MOST_TURNS = 20
"""Earlier turns that a question knows of."""

_ANSWERS = """
SELECT answer_id, conversation_id, turn_index, question, project, answerer, prompt_version, answerability, score_gate, grounded,
  refusal_reason, citations_json, asked_at
FROM answers
"""
_OF = "($conversation IS NULL OR conversation_id = $conversation) AND ($project IS NULL OR project = $project)"
_LAST_FIRST = "ORDER BY asked_at DESC, turn_index DESC, answer_id"
_MESSAGES = """
SELECT m.session_id, m.message_index, m.text, m.role, m.name, m.ts, s.title, s.project
FROM messages m JOIN sessions s USING (session_id)
JOIN (SELECT DISTINCT * FROM (SELECT unnest(from_json(?, '[{"session_id": "VARCHAR", "message_index": "INTEGER"}]'),
  recursive := true))) USING (session_id, message_index)
"""

Place = tuple[str, int]


def list_answers(
    connection: duckdb.DuckDBPyConnection,
    *,
    conversation: str | None = None,
    project: str | None = None,
    limit: int | None = None,
) -> RecordedAnswerListV1:
    """Recorded answers, the newest first."""
    of = {"conversation": conversation, "project": project}
    suffix = f" LIMIT {int(limit)}" if limit is not None else ""
    rows = fetch(connection, f"{_ANSWERS} WHERE {_OF} {_LAST_FIRST}{suffix}", of)
    total = int(scalar(connection, f"SELECT count(*) FROM answers WHERE {_OF}", of))
    return RecordedAnswerListV1(answers=tuple(_answers(connection, rows)), total=total)


def one_answer(connection: duckdb.DuckDBPyConnection, given: str) -> RecordedAnswerV1:
    """A recorded answer by its id or the beginning of it.

    Raises:
        NotFoundError, AmbiguousIdError
    """
    ids = "SELECT answer_id AS id FROM answers"
    answer_id = full_id(connection, ids, given, what="recorded answer", listed_by="memory answers list", prefix="ans_")
    return _answers(connection, fetch(connection, f"{_ANSWERS} WHERE answer_id = ?", [answer_id]))[0]


def last_conversation(connection: duckdb.DuckDBPyConnection) -> str:
    """The conversation that was asked in last.

    Raises:
        NotFoundError: there is none.
    """
    last = fetch(connection, f"SELECT conversation_id FROM answers WHERE conversation_id IS NOT NULL {_LAST_FIRST} LIMIT 1")
    if not last:
        raise NotFoundError("there is no conversation to continue", hint="`memory ask --session NAME` begins one")
    return str(last[0][0])


def conversation_of(connection: duckdb.DuckDBPyConnection, conversation_id: str, *, is_known: bool = False) -> Conversation:
    """A conversation as its next question finds it. Turns that rested on what was forgotten are not in it.

    Args:
        is_known: whether there has to be one.

    Raises:
        NotFoundError: there is none.
    """
    rows = fetch(
        connection,
        f"{_ANSWERS} WHERE conversation_id = ? ORDER BY turn_index DESC, asked_at DESC, answer_id LIMIT {MOST_TURNS}",
        [conversation_id],
    )
    if is_known and not rows:
        raise NotFoundError(
            f"there is no conversation {conversation_id[:100]!r}",
            hint="without --continue it begins here; `memory answers list` shows the names of those that there are",
        )
    told = _answers(connection, rows)
    next_index = 1 + max((one.turn_index or 0 for one in told), default=-1)
    return Conversation(conversation_id, next_index, tuple(Turn(one.question, _words(one)) for one in told))


def chains_of(connection: duckdb.DuckDBPyConnection, session_ids: Iterable[str]) -> tuple[str, ...]:
    """The histories of some sessions, for an event that rests on them."""
    wanted = json.dumps(sorted(set(session_ids)))
    rows = fetch(
        connection,
        "SELECT chain_id FROM sessions WHERE session_id IN (SELECT unnest(from_json(?, '[\"VARCHAR\"]'))) ORDER BY 1",
        [wanted],
    )
    return tuple(row[0] for row in rows)


def _words(answer: RecordedAnswerV1) -> str:
    """What an answer quoted."""
    quotes = [getattr(cited.citation, "quote", None) for cited in answer.citations if cited.marker]
    return " ".join(" ".join(quote.split()) for quote in quotes if quote) if answer.grounded else ""


def _answers(connection: duckdb.DuckDBPyConnection, rows: Sequence[tuple[Any, ...]]) -> list[RecordedAnswerV1]:
    cited = [json.loads(row[11]) for row in rows]
    places = [{"session_id": one["session_id"], "message_index": one["message_index"]} for of in cited for one in of]
    found = fetch(connection, _MESSAGES, [json.dumps(places)]) if places else []
    messages = {(row[0], row[1]): row[2:] for row in found}
    return [
        RecordedAnswerV1(
            answer_id=row[0],
            conversation_id=row[1],
            turn_index=row[2],
            question=row[3],
            project=row[4],
            answerer=row[5],
            prompt_template_version=row[6],
            answerability=row[7],
            score_gate=row[8],
            grounded=row[9],
            refusal_reason=row[10],
            citations=tuple(_citation(one, messages) for one in of),
            asked_at=row[12],
        )
        for row, of in zip(rows, cited, strict=True)
    ]


def _citation(one: Mapping[str, Any], messages: Mapping[Place, tuple[Any, ...]]) -> AnswerCitationV1:
    """A citation with its words, where they are still those that were cited."""
    place = (one["session_id"], one["message_index"])
    start, end = one.get("span_start", 0), one.get("span_end", 0)
    address = SpanCitation(*place, ((start, end),)) if end > start else MessageCitation(*place)
    text, role, name, said_at, title, project = messages.get(place, (None,) * 6)
    quote = text[start:end] if text is not None and end > start else None
    if quote is not None and one.get("quote_hash") and sha256_hex(quote) != one["quote_hash"]:
        quote = None
    citation = CitationV1.of(
        address, role=role, name=name, ts=said_at, quote=quote, label=str(title or project or place[0]).strip()
    )
    return AnswerCitationV1(marker=one.get("marker") or None, citation=citation)
