"""What a word of forgetting would take: whole sessions, parts of messages, and what rests on either."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from memory_assets.citations.addresses import MessageCitation, SpanCitation, TerminalCitation, bare, parse_citation
from memory_assets.errors import InvalidArgumentError, NotFoundError
from memory_assets.log.fetching import fetch, full_id
from memory_assets.log.payloads.forgetting import ForgottenField, ForgottenPlace
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.queries.resolve_ids import UnresolvedId, resolve_ids

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class ToForget:
    """What somebody wants forgotten.

    ``ids`` stand for themselves. ``sessions``, ``project``, ``before`` and ``source`` choose sessions together: those that all
    of them name. With ``query`` or ``words``, messages of these sessions (of all, where none of the others is given) and not
    the sessions themselves.

    Attributes:
        ids: addresses of messages and spans, and ids of memories, entries, tasks and sessions.
        before: sessions that ended before this day (UTC).
        query: messages in which all of these words stand go whole.
        words: these characters go wherever they stand, whatever their case: a name. The rest of the message stays.
        source: sessions that this file tells, by what the log calls it.
    """

    ids: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    project: str | None = None
    before: date | None = None
    query: str | None = None
    words: str | None = None
    source: str | None = None

    @property
    def chooses_sessions(self) -> bool:
        """Whether anything names sessions."""
        return bool(self.sessions or self.project is not None or self.before or self.source)


@dataclass(slots=True)
class Forgettable:
    """What goes.

    Attributes:
        sessions: as a whole.
        places: by session, the parts of those that stay.
    """

    sessions: set[str] = field(default_factory=set)
    places: dict[str, list[ForgottenPlace]] = field(default_factory=dict)

    def add(self, session_id: str, place: ForgottenPlace) -> None:
        """A part of a session; several of one field are one place."""
        of_session = self.places.setdefault(session_id, [])
        for position, known in enumerate(of_session):
            if (known.field, known.message_index) == (place.field, place.message_index):
                spans = sorted({*known.spans, *place.spans})
                of_session[position] = known.model_copy(update={"spans": spans})
                return
        of_session.append(place)


def forgettable(connection: duckdb.DuckDBPyConnection, wanted: ToForget) -> Forgettable:
    """What is wanted, found.

    Raises:
        InvalidArgumentError: nothing is named, or an id that is none.
        NotFoundError, AmbiguousIdError: an id or a name of nothing, or of several things.
    """
    if not wanted.ids and not wanted.chooses_sessions and wanted.query is None and wanted.words is None:
        raise InvalidArgumentError("nothing is named to be forgotten", hint="`memory forget --help` shows how to name it")
    found = Forgettable()
    for given in wanted.ids:
        _add_id(connection, given, found)
    if wanted.query is not None or wanted.words is not None:
        within = _chosen(connection, wanted) if wanted.chooses_sessions else None
        _add_messages(connection, wanted, within, found)
    elif wanted.chooses_sessions:
        found.sessions |= set(_chosen(connection, wanted))
    for session_id in found.sessions & found.places.keys():
        del found.places[session_id]
    _add_titles(connection, found)
    return found


def _chosen(connection: duckdb.DuckDBPyConnection, wanted: ToForget) -> list[str]:
    """The sessions that all of the choices name."""
    named = [_session_id(connection, given) for given in wanted.sessions]
    rows = fetch(
        connection,
        """SELECT session_id FROM sessions
            WHERE ($named = '[]' OR session_id IN (SELECT unnest(from_json($named, '["VARCHAR"]'))))
              AND ($project IS NULL OR project = $project) AND ($before IS NULL OR ended_at < CAST($before AS TIMESTAMP))
              AND ($source IS NULL OR list_contains(source_uris, $source)) ORDER BY session_id""",
        {
            "named": json_list(named),
            "project": wanted.project,
            "before": wanted.before and wanted.before.isoformat(),
            "source": wanted.source,
        },
    )
    if not rows and wanted.project is not None and not _any_of_project(connection, wanted.project):
        raise NotFoundError(f"no session of project {wanted.project!r}", hint="`memory sessions list` shows the projects")
    if not rows and wanted.source is not None:
        raise NotFoundError(f"no session was told by {wanted.source}", hint="`memory sessions list` shows where they came from")
    return [row[0] for row in rows]


def _any_of_project(connection: duckdb.DuckDBPyConnection, project: str) -> bool:
    return bool(fetch(connection, "SELECT 1 FROM sessions WHERE project = ? LIMIT 1", [project]))


def _session_id(connection: duckdb.DuckDBPyConnection, given: str) -> str:
    return full_id(
        connection,
        "SELECT session_id AS id FROM sessions",
        given.removeprefix("session:"),
        what="session",
        listed_by="memory sessions list",
    )


def _add_id(connection: duckdb.DuckDBPyConnection, given: str, found: Forgettable) -> None:
    text = bare(given)
    citation = parse_citation(text)
    if isinstance(citation, TerminalCitation):
        citation = citation.place
    if isinstance(citation, MessageCitation | SpanCitation):
        segments = citation.segments if isinstance(citation, SpanCitation) else None
        _add_span(connection, citation.session_id, citation.message_index, segments, found)
        return
    if not text.startswith(("mem", "ent_", "unt_", "tsk_", "task:")):
        found.sessions.add(_session_id(connection, text))
        return
    entries = _entries_of(connection, text)
    if entries:
        for session_id, index, segments in _evidence(connection, entries):
            _add_span(connection, session_id, index, segments, found)
        return
    named = resolve_ids(connection, [text])[0]
    if isinstance(named, UnresolvedId):
        raise (NotFoundError if named.code == "not_found" else InvalidArgumentError)(named.reason, hint=named.hint)
    if not named.places:
        raise NotFoundError(
            f"no session says {text}", hint="only what sessions say is forgotten; `memory task` has words for the rest"
        )
    for place in named.places:
        _add_span(connection, place.session_id, place.message_index, place.segments, found)


def _entries_of(connection: duckdb.DuckDBPyConnection, text: str) -> list[str]:
    """All entries of a memory, one entry, or those that speak of a task."""
    rows = fetch(
        connection,
        """WITH named AS (
             SELECT memory_id FROM memory_citations WHERE 'mem:' || short_id = $id
             UNION SELECT memory_id FROM memories WHERE length($id) > 6 AND starts_with(memory_id, $id)
           )
           SELECT entry_id FROM entries WHERE memory_id IN (SELECT memory_id FROM named) OR entry_id = $id
           UNION SELECT src_id FROM edges WHERE rel_type = 'evidence_of' AND dst_id = $id
           ORDER BY 1""",
        {"id": text},
    )
    return [row[0] for row in rows]


def _evidence(
    connection: duckdb.DuckDBPyConnection, entries: Sequence[str]
) -> list[tuple[str, int, tuple[tuple[int, int], ...]]]:
    rows = fetch(
        connection,
        f"""SELECT session_id, message_index, span_start, span_end, segments_json FROM evidence_spans
            WHERE entry_id IN {IN_LIST} AND message_index IS NOT NULL AND span_start IS NOT NULL
            ORDER BY session_id, message_index, span_start""",
        [json_list(entries)],
    )
    return [
        (session_id, index, tuple((a, b) for a, b in json.loads(segments)) if segments else ((start, end),))
        for session_id, index, start, end, segments in rows
    ]


def _add_span(
    connection: duckdb.DuckDBPyConnection,
    session_id: str,
    index: int,
    segments: Sequence[tuple[int, int]] | None,
    found: Forgettable,
) -> None:
    rows = fetch(
        connection,
        "SELECT message_uid, char_len FROM messages WHERE session_id = ? AND message_index = ?",
        [session_id, index],
    )
    if not rows:
        raise NotFoundError(f"there is no message {index} in session {session_id}", hint="`memory sessions show` lists them")
    uid, length = rows[0]
    spans = [(0, length)] if segments is None else list(segments)
    if any(start >= end or end > length for start, end in spans):
        raise InvalidArgumentError(
            f"message {index} of session {session_id} has {length:,} characters", hint="give a span that lies within it"
        )
    found.add(session_id, ForgottenPlace(field="text", message_index=index, uid=uid, spans=spans))


def _add_messages(
    connection: duckdb.DuckDBPyConnection, wanted: ToForget, within: Sequence[str] | None, found: Forgettable
) -> None:
    """Messages that hold what is looked for: whole, or these characters alone."""
    terms = [term for term in (wanted.query or "").lower().split() if term]
    pattern = _pattern(wanted.words) if wanted.words is not None else None
    if wanted.query is not None and not terms:
        raise InvalidArgumentError("the query is empty", hint="give the words that the messages hold")
    needles = terms if pattern is None else [*terms, wanted.words.lower().strip()]  # type: ignore[union-attr]
    rows = fetch(
        connection,
        """SELECT session_id, message_index, message_uid, text, coalesce(name, '') FROM messages
           WHERE ($within IS NULL OR session_id IN (SELECT unnest(from_json($within, '["VARCHAR"]'))))
             AND list_bool_and([contains(lower(text) || ' ' || lower(coalesce(name, '')), needle)
                                FOR needle IN from_json($needles, '["VARCHAR"]')])
           ORDER BY session_id, message_index""",
        {"within": None if within is None else json_list(within), "needles": json_list(needles)},
    )
    for session_id, index, uid, text, name in rows:
        if pattern is None:
            if all(term in text.lower() for term in terms):
                place = ForgottenPlace(field="text", message_index=index, uid=uid, spans=[(0, len(text))])
                found.add(session_id, place)
            continue
        fields: tuple[tuple[ForgottenField, str], ...] = (("text", text), ("name", name))
        for what, value in fields:
            if spans := [match.span() for match in pattern.finditer(value)]:
                found.add(session_id, ForgottenPlace(field=what, message_index=index, uid=uid, spans=spans))
    if pattern is not None:
        _add_titles_with(connection, pattern, within, found)


def _pattern(words: str) -> re.Pattern[str]:
    """Finds a name, whatever its case; one that ends in a letter of a script with spaces not in the middle of a word."""
    name = words.strip()
    if len(name) < 2:
        raise InvalidArgumentError(f"{name!r} stands everywhere", hint="give two characters at least")
    before = r"(?<![0-9A-Za-z_])" if name[0].isascii() and name[0].isalnum() else ""
    behind = r"(?![0-9A-Za-z_])" if name[-1].isascii() and name[-1].isalnum() else ""
    return re.compile(before + re.escape(name) + behind, re.IGNORECASE)


def _add_titles_with(
    connection: duckdb.DuckDBPyConnection, pattern: re.Pattern[str], within: Sequence[str] | None, found: Forgettable
) -> None:
    for session_id, title in fetch(connection, "SELECT session_id, title FROM sessions WHERE title IS NOT NULL"):
        spans = [match.span() for match in pattern.finditer(title)]
        if spans and (within is None or session_id in within):
            found.add(session_id, ForgottenPlace(field="title", spans=spans))


def _add_titles(connection: duckdb.DuckDBPyConnection, found: Forgettable) -> None:
    """A session's title that holds what goes of its messages, or is held by it, loses it too."""
    rows = fetch(
        connection,
        f"""SELECT s.session_id, s.title, m.message_index, m.text FROM sessions s JOIN messages m USING (session_id)
            WHERE s.session_id IN {IN_LIST} AND s.title IS NOT NULL""",
        [json_list(found.places)],
    )
    texts: dict[tuple[str, int], tuple[str, str]] = {(row[0], row[2]): (row[1], row[3]) for row in rows}
    for session_id, places in list(found.places.items()):
        for place in [place for place in places if place.field == "text"]:
            title, text = texts.get((session_id, place.message_index or 0), ("", ""))
            for start, end in place.spans if title else ():
                gone = " ".join(text[start:end].split())
                if title.removesuffix("…") in gone:
                    found.add(session_id, ForgottenPlace(field="title", spans=[(0, len(title))]))
                elif len(gone) > 1 and gone in title:
                    at = title.index(gone)
                    found.add(session_id, ForgottenPlace(field="title", spans=[(at, at + len(gone))]))
