"""The events of a case: the messages of its session, masked once more, a page at a time and within a budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memory_assets.citations.addresses import MessageCitation
from memory_assets.court.case import CaseEvent, case_event_id
from memory_assets.errors import NotFoundError
from memory_assets.log.fetching import fetch, scalar
from memory_assets.queries.cases import case_id_of
from memory_assets.results.court import CaseEventListV1, CaseEventV1
from memory_assets.search.answers.budget import Cut, cut_to
from memory_assets.sessions.model import Message

if TYPE_CHECKING:
    import duckdb

_MESSAGES = """
SELECT message_index, message_uid, role, kind, text, ts, name, tool_name, sidechain, is_error FROM messages
WHERE session_id = ? AND message_index > ? ORDER BY message_index LIMIT ?
"""


_MORE = "SELECT 1 FROM messages WHERE session_id = ? AND message_index > ? LIMIT 1"
# As ``typed_id`` makes them.
_ONE_PLACE = """
SELECT message_index, message_uid FROM messages WHERE session_id = ?
  AND substr(sha256('["' || session_id || '","' || message_uid || '"]'), 1, 32) = ?
"""
_PLACES = "SELECT message_index, message_uid FROM messages WHERE session_id = ?"


def list_case_events(
    connection: duckdb.DuckDBPyConnection,
    given: str,
    *,
    mask: Callable[[str], str],
    after: str | None = None,
    limit: int = 20,
    budget: int = 4000,
) -> CaseEventListV1:
    """Events of a case that was heard, as its session is now.

    Args:
        mask: takes out of a text what the policy in force masks: the store may be older than that.
        after: the event that the page follows on; None for the first page.
        budget: tokens that the texts of the page may cost together.

    Raises:
        NotFoundError, AmbiguousIdError: there is no such case, or no such event in it.
    """
    case_id = case_id_of(connection, given)
    ((session_id,),) = fetch(connection, "SELECT session_id FROM cases WHERE case_id = ?", [case_id])
    total = int(scalar(connection, "SELECT count(*) FROM messages WHERE session_id = ?", [session_id]))
    start = -1 if after is None else _place_of(connection, after, case_id, session_id)
    events = [
        CaseEvent(
            case_event_id(session_id, uid), place, Message(uid, role, kind, text, ts, name, tool, None, sidechain, error), ()
        )
        for place, uid, role, kind, text, ts, name, tool, sidechain, error in fetch(
            connection, _MESSAGES, [session_id, start, limit]
        )
    ]
    # Masked whole and then cut, so that no half of a secret is left.
    texts = [mask(event.message.text) for event in events]
    cuts = _within(texts, budget)
    more = bool(events) and bool(fetch(connection, _MORE, [session_id, events[-1].place]))
    return CaseEventListV1(
        case_id=case_id,
        session_id=session_id,
        events=tuple(_event_v1(session_id, *one) for one in zip(events, texts, cuts, strict=True)),
        after=after,
        next_after=events[-1].event_id if more else None,
        total=total,
        estimated_tokens=sum(cut.tokens for cut in cuts),
    )


def _place_of(connection: duckdb.DuckDBPyConnection, event_id: str, case_id: str, session_id: str) -> int:
    """Where an event stands: the database computes the ids of all, and what it finds is computed once more here.

    What has a sign in it that JSON escapes, or that has another form, it does not find: then all are computed here.
    """
    rows = fetch(connection, _ONE_PLACE, [session_id, event_id.removeprefix("cev_")])
    found = [place for place, uid in rows if case_event_id(session_id, uid) == event_id]
    if not found:
        rows = fetch(connection, _PLACES, [session_id])
        found = [place for place, uid in rows if case_event_id(session_id, uid) == event_id]
    if not found:
        raise NotFoundError(
            f"there is no event {event_id[:100]!r} in case {case_id}", hint="give the next_after of the page before"
        )
    return int(found[0])


def _within(texts: Sequence[str], budget: int) -> list[Cut]:
    """Texts cut to a budget that they share: what the short ones leave goes to the longer ones."""
    cuts: dict[int, Cut] = {}
    left = budget
    for place in sorted(range(len(texts)), key=lambda place: len(texts[place])):
        cuts[place] = cut_to(texts[place], left // (len(texts) - len(cuts)))
        left -= cuts[place].tokens
    return [cuts[place] for place in range(len(texts))]


def _event_v1(session_id: str, event: CaseEvent, text: str, cut: Cut) -> CaseEventV1:
    message = event.message
    return CaseEventV1.model_validate(
        {
            "case_event_id": event.event_id,
            "message_index": event.place,
            "uri": MessageCitation(session_id, event.place).uri,
            "actor": event.actor,
            "type": message.kind,
            "name": message.name,
            "tool_name": message.tool_name,
            "is_error": message.is_error,
            "ts": message.ts,
            "text": cut.text,
            "text_length": len(text),
            "is_cut": cut.lost > 0,
        }
    )
