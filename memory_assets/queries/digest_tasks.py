"""What sessions say of tasks: which of them they finished, and which they left open, as lines of a digest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.queries.digest_quotes import only_announces, quote_going_on, quote_of, told_as
from memory_assets.results.digest import DigestLineV1, DigestQuoteV1
from memory_assets.search.answerability.signs import is_question
from memory_assets.search.answers.backing import Backings, backings
from memory_assets.search.answers.unit_citations import CitedMessage, cited_messages
from memory_assets.vocabulary import FINISHED

if TYPE_CHECKING:
    import duckdb

SAID_DONE = "said_done"
"""Of a task that a session says is done, and that does not stand so on the board."""
_OPEN_ORDER = ("in_progress", "blocked", "pending")
_SHORT = 60
"""Characters of a report that may say no more than that it is done; what stands below it says what was."""

# Of each task the quotes of each session that speak of it, and what the session claims with each.
_SPOKEN_OF = f"""
SELECT n.session_id, t.entity_id, t.title, t.stage, t.current_json ->> '$.status', s.message_index, s.segments_json,
  s.matched_text, coalesce(w.name, w.role), w.ts, c.status, w.role = 'assistant' AND w.kind = 'said',
  w.role = 'assistant' AND w.kind = 'tool_call'
FROM entries n JOIN edges g ON g.src_id = n.entry_id AND g.rel_type = 'evidence_of'
JOIN entities t ON t.entity_id = g.dst_id AND t.entity_type = 'task'
JOIN evidence_spans s ON s.entry_id = n.entry_id AND s.match_method <> 'none'
JOIN messages w ON w.session_id = s.session_id AND w.message_index = s.message_index
LEFT JOIN task_claims c ON c.entry_id = n.entry_id AND c.evidence_ordinal = s.ordinal
WHERE n.session_id IN {IN_LIST} AND n.status <> 'superseded'
ORDER BY n.session_id, s.message_index, n.ordinal, s.ordinal, c.step, n.entry_id
"""
_WAITS_FOR = f"""
SELECT task_id, effective_title FROM v_task_blockers_effective
WHERE task_id IN {IN_LIST} AND NOT is_suggested AND NOT is_cleared AND NOT auto_placeholder ORDER BY task_id, effective_title
"""


@dataclass(frozen=True, slots=True)
class SessionTasks:
    """The tasks of one session.

    Attributes:
        done: those that it says are done.
        open: those that it left open and that are not finished now; ``closed_since`` counts those that are.
    """

    done: list[DigestLineV1] = field(default_factory=list)
    open: list[DigestLineV1] = field(default_factory=list)
    closed_since: int = 0


@dataclass(frozen=True, slots=True)
class _Quoted:
    """A quote that speaks of a task, with the task as it stands.

    Attributes:
        claimed: the status that goes with it.
        is_agents_word: an agent said it.
        is_tick: an agent told it to its list.
    """

    session_id: str
    task_id: str
    title: str
    stage: str
    status: str
    message_index: int
    segments_json: str
    text: str
    speaker: str
    said_at: datetime
    claimed: str | None
    is_agents_word: bool
    is_tick: bool

    @property
    def quote(self) -> DigestQuoteV1:
        return quote_of(self.session_id, self.message_index, self.segments_json, self.text, self.speaker, self.said_at)

    @property
    def segments(self) -> list[tuple[int, int]]:
        return [(int(start), int(end)) for start, end in json.loads(self.segments_json)]

    @property
    def place(self) -> dict[str, str | int]:
        return {"session_id": self.session_id, "message_index": self.message_index}

    @property
    def says_little(self) -> bool:
        """Whether it is an agent's report that says that it is done, and what was done below that."""
        is_report = self.claimed == "done" and self.is_agents_word and len(self.segments) == 1
        return is_report and (len(self.text) < _SHORT or only_announces(self.text))


def task_lines(connection: duckdb.DuckDBPyConnection, session_ids: Sequence[str]) -> dict[str, SessionTasks]:
    """What each session says of tasks, in the order in which it says it; what is open in the order of the board."""
    tasks: dict[str, dict[str, list[_Quoted]]] = {}
    for row in fetch(connection, _SPOKEN_OF, [json_list(session_ids)]):
        quoted = _Quoted(*row)
        tasks.setdefault(quoted.session_id, {}).setdefault(quoted.task_id, []).append(quoted)
    ids = {task_id for of_session in tasks.values() for task_id in of_session}
    waits_for: dict[str, list[str]] = {}
    for task_id, title in fetch(connection, _WAITS_FOR, [json_list(sorted(ids))]) if ids else []:
        waits_for.setdefault(task_id, []).append(title)
    backed = backings(connection, ids)
    told = {session_id: [_told(quotes) for quotes in of_session.values()] for session_id, of_session in tasks.items()}
    short = [one.place for of_session in told.values() for one in of_session if one.says_little]
    messages = cited_messages(connection, short)
    return {session_id: _of_session(of_session, messages, waits_for, backed) for session_id, of_session in told.items()}


def _of_session(
    tasks: Sequence[_Quoted],
    messages: Mapping[tuple[str, int], CitedMessage],
    waits_for: Mapping[str, Sequence[str]],
    backed: Backings,
) -> SessionTasks:
    done: list[DigestLineV1] = []
    left: list[DigestLineV1] = []
    closed_since = 0
    for told in tasks:
        if told.claimed == "done":
            report = _with_what_follows(told, messages)
            done.append(_line(told, report, "done" if told.status == "done" else SAID_DONE, (), backed))
        elif told.status in FINISHED:
            closed_since += told.claimed != "cancelled"  # what the session itself dropped it did not leave open
        else:
            left.append(_line(told, told.quote, told.status, tuple(waits_for.get(told.task_id, ())), backed))
    return SessionTasks(done, sorted(left, key=lambda line: _OPEN_ORDER.index(line.status)), closed_since)


def _told(quotes: Sequence[_Quoted]) -> _Quoted:
    """Of the quotes of a task in a session the one that says how it stands at its end."""
    told = next((one for one in reversed(quotes) if one.claimed is not None), quotes[-1])
    return replace(_in_words(told, quotes), claimed="done") if told.claimed == "done" else told


def _with_what_follows(told: _Quoted, messages: Mapping[tuple[str, int], CitedMessage]) -> DigestQuoteV1:
    message = messages.get((told.session_id, told.message_index)) if told.says_little else None
    if message is None:
        return told.quote
    (start, end), *_ = told.segments
    return quote_going_on(message, start, end, "listed")


def _in_words(told: _Quoted, quotes: Sequence[_Quoted]) -> _Quoted:
    """What says that a task is done: rather than a tick in its list what the agent said of it since it stood otherwise."""
    if not told.is_tick:
        return told
    otherwise = max((one.message_index for one in quotes if one.claimed not in (None, "done")), default=-1)
    said = (one for one in reversed(quotes) if one.is_agents_word and one.claimed in (None, "done"))
    later = (one for one in said if one.message_index > otherwise and not is_question(one.text))
    return next(later, told)


def _line(told: _Quoted, quote: DigestQuoteV1, status: str, waits_for: tuple[str, ...], backed: Backings) -> DigestLineV1:
    return DigestLineV1(
        kind="task",
        id=told.task_id,
        text=told_as(told.title, told.quote),  # several tasks may end with one report
        quote=quote,
        assurance=backed.of(told.task_id).assurance_as_task(told.stage),
        status=status,
        waits_for=waits_for,
    )
