"""Lessons with what shows them, and how they stand to each other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

from memory_assets.citations.addresses import SpanCitation
from memory_assets.court.lessons import role_of
from memory_assets.court_backend.court_rows import place_of
from memory_assets.court_backend.errors import POSTGRES_ERRORS
from memory_assets.errors import InvalidArgumentError, NotFoundError, check_word
from memory_assets.identifiers import typed_id
from memory_assets.log.fetching import fetch, full_id, scalar, storable
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.results.citation import CitationV1
from memory_assets.results.court import CourtEvidenceV1, LessonLinkV1, LessonListV1, LessonV1
from memory_assets.search.request import MAX_HITS, SearchRequest
from memory_assets.vocabulary import LessonStatus

if TYPE_CHECKING:
    import duckdb

    from memory_assets.configuration import Resources
    from memory_assets.search.searcher import Searcher

STATUSES = (*get_args(LessonStatus), "all")
MOST_SHOWN_EVIDENCE = 3
"""Cases of a lesson whose words a list shows."""
_ROLES_TOLD = 5
"""In the hint for a role that there is not."""

_LESSONS = """
SELECT lesson_id, role, polarity, kind, severity, title, rule, trigger_text, exceptions_json, status, reason, by_lesson_id,
  merged_json, support_cases, support_sessions, helpful, harmful, confidence, project, first_at, last_at
FROM lessons
"""
_WANTED = """($role IS NULL OR role = $role) AND ($status = 'all' OR status = $status)
  AND ($project IS NULL OR lesson_id IN (SELECT lesson_id FROM accepted_lessons WHERE project = $project))"""
_SUREST_FIRST = "ORDER BY confidence DESC, support_cases DESC, last_at DESC, lesson_id"

_EVIDENCE = f"""
SELECT a.lesson_id, a.case_id, e.part, e.case_event_id, e.session_id, e.message_index, e.span_start, e.span_end, e.quote,
  m.role, m.name, m.ts, s.title, s.project
FROM accepted_lessons a JOIN lesson_evidence e USING (claim_id)
JOIN messages m ON m.session_id = e.session_id AND m.message_index = e.message_index
JOIN sessions s ON s.session_id = e.session_id
WHERE a.lesson_id IN {IN_LIST}
ORDER BY a.occurred_at DESC, a.session_id, a.claim_id, e.ordinal
"""

_LINKS = f"""
SELECT k.lesson_id, k.other_lesson_id, k.link, k.likeness, k.reason, n.title, o.title
FROM lesson_links k JOIN lessons n ON n.lesson_id = k.lesson_id JOIN lessons o ON o.lesson_id = k.other_lesson_id
WHERE k.lesson_id IN {IN_LIST} OR k.other_lesson_id IN {IN_LIST} ORDER BY k.lesson_id, k.other_lesson_id
"""


def list_lessons(
    connection: duckdb.DuckDBPyConnection,
    *,
    role: str | None = None,
    status: str = "active",
    project: str | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> LessonListV1:
    """Lessons, the surest first.

    Args:
        project: only those that a session of this project gives, whichever other ones do.
        offset: so many of the surest are left out.

    Raises:
        InvalidArgumentError: there is no such status.
    """
    check_word("status", status, STATUSES)
    wanted = {"role": None if role is None else role_of(role), "status": status, "project": project}
    suffix = f" LIMIT {int(limit)} OFFSET {int(offset)}" if limit is not None else ""
    rows = fetch(connection, f"{_LESSONS} WHERE {_WANTED} {_SUREST_FIRST}{suffix}", wanted)
    total = int(scalar(connection, f"SELECT count(*) FROM lessons WHERE {_WANTED}", wanted))
    return LessonListV1(role=wanted["role"], lessons=tuple(_lessons(connection, rows)), total=total)


def check_role(connection: duckdb.DuckDBPyConnection, role: str) -> None:
    """See that lessons of any status are for a role: a word that no session gave is a mistake more often than a role.

    Raises:
        NotFoundError: none is; the hint names the roles that have most.
    """
    known = count_by_role(connection, status="all")
    if role_of(role) in known:
        return
    told = ", ".join(repr(one[:60]) for one in list(known)[:_ROLES_TOLD])
    hint = f"lessons are for {told}" if known else "`memory court run --all` hears every session"
    raise NotFoundError(f"no lesson is for the role {storable(role)[:100]!r}", hint=hint)


def count_by_role(connection: duckdb.DuckDBPyConnection, *, status: str = "active") -> dict[str, int]:
    """How many lessons each role has, the role with the most of them first.

    Raises:
        InvalidArgumentError: there is no such status.
    """
    check_word("status", status, STATUSES)
    rows = fetch(
        connection,
        "SELECT role, count(*) FROM lessons WHERE $status = 'all' OR status = $status GROUP BY role ORDER BY 2 DESC, role",
        {"status": status},
    )
    return dict(rows)


def one_lesson(connection: duckdb.DuckDBPyConnection, given: str) -> LessonV1:
    """A lesson by its id, the beginning of it, or the id of its unit; with all that shows it.

    Raises:
        NotFoundError, AmbiguousIdError
    """
    lesson_id = lesson_id_of(connection, given)
    rows = fetch(connection, f"{_LESSONS} WHERE lesson_id = ?", [lesson_id])
    return _lessons(connection, rows, most=None)[0]


def lesson_id_of(connection: duckdb.DuckDBPyConnection, given: str) -> str:
    """The whole id of a lesson.

    Raises:
        NotFoundError, AmbiguousIdError
    """
    unit = fetch(connection, "SELECT source_id FROM memory_units WHERE unit_kind = 'lesson' AND unit_id = ?", [given.strip()])
    if unit:
        return str(unit[0][0])
    ids = "SELECT lesson_id AS id FROM lessons"
    return full_id(connection, ids, given, what="lesson", listed_by="memory lessons list --status all", prefix="les_")


def search_lessons(
    searcher: Searcher, query: str, *, role: str | None = None, k: int = 10, project: str | None = None, log: bool = True
) -> LessonListV1:
    """At most ``k`` lessons for a question, best first; those of one role where it is given.

    Raises:
        InvalidArgumentError: an empty question, or a ``k`` out of bounds.
        EmbedderUnavailableError, IndexCorruptError: see ``Searcher.search``.
    """
    if not 1 <= k <= MAX_HITS:
        raise InvalidArgumentError(f"{k} lessons cannot be asked for", hint=f"ask for 1 to {MAX_HITS}")
    of_role = None if role is None else role_of(role)
    roles = () if of_role is None else (of_role,)
    found = searcher.search(SearchRequest(query, kinds=("lesson",), roles=roles, k=k, project=project, log=log))
    with searcher.database.reading() as connection:
        units = [hit.unit_id for hit in found.hits]
        rows = fetch(
            connection,
            f"""{_LESSONS} WHERE lesson_id IN (SELECT source_id FROM memory_units WHERE unit_id IN {IN_LIST})""",
            [json_list(units)],
        )
        by_unit = {lesson.unit_id: lesson for lesson in _lessons(connection, rows)}
    lessons = tuple(by_unit[unit] for unit in units if unit in by_unit)
    return LessonListV1(query=query, role=of_role, lessons=lessons, total=len(lessons), notes=found.notes)


def nearest_lessons(resources: Resources, query: str, *, role: str, k: int = 10) -> LessonListV1:
    """The ``k`` lessons of a role that are nearest to a question by meaning alone, nearest first.

    PostgreSQL is asked where the settings name one. Where it cannot answer the store does, and a note says why. What is told
    of a lesson is what the store says: nothing that was forgotten meanwhile is shown.

    Raises:
        InvalidArgumentError: an empty question or role, or a ``k`` out of bounds.
        EmbedderUnavailableError, IndexCorruptError: the store cannot answer either.
    """
    if not 1 <= k <= MAX_HITS:
        raise InvalidArgumentError(f"{k} lessons cannot be asked for", hint=f"ask for 1 to {MAX_HITS}")
    of_role = role_of(role)
    if not query.strip() or not of_role:
        raise InvalidArgumentError("a question and a role are needed", hint="`memory lessons list` shows roles")
    vector = resources.embedder.embed_query(query)
    notes: tuple[str, ...] = ()
    try:
        hits = resources.lesson_index.search_lessons(of_role, vector, k)
        notes = _behind(resources)
    except POSTGRES_ERRORS as error:
        notes = (f"the store answers: {error}", *([error.hint] if error.hint else []))
        hits = resources.embedded_lessons.search_lessons(of_role, vector, k)
    with resources.database.reading() as connection:
        ids = [hit.lesson_id for hit in hits]
        rows = fetch(connection, f"{_LESSONS} WHERE lesson_id IN {IN_LIST}", [json_list(ids)])
        told = {lesson.lesson_id: lesson for lesson in _lessons(connection, rows)}
    lessons = tuple(told[lesson_id] for lesson_id in ids if lesson_id in told)
    return LessonListV1(query=query, role=of_role, lessons=lessons, total=len(lessons), notes=notes)


def _behind(resources: Resources) -> tuple[str, ...]:
    """What is to be known where the lessons that were searched are not those that the store has now."""
    place = resources.lesson_index.place()
    if place is None:
        return ()
    with resources.database.reading() as connection:
        now = place_of(connection)
    if place == now:
        return ()
    how = (
        f"events up to {place.seq:,} of {now.seq:,}" if place.seq != now.seq else "another history of the log, or another fold"
    )
    return (f"PostgreSQL is behind: its lessons rest on {how}", "`memory court project` brings it up")


def evidence_v1(row: Sequence[Any]) -> CourtEvidenceV1:
    """Words of a case, from a row that begins with their part and place."""
    part, case_event_id, session_id, message_index, start, end, quote, role, name, said_at, title, project = row
    citation = CitationV1.of(
        SpanCitation(session_id, message_index, ((start, end),)),
        role=role,
        name=name,
        ts=said_at,
        quote=quote,
        label=str(title or project or session_id).strip(),
    )
    return CourtEvidenceV1(part=part, case_event_id=case_event_id, citation=citation)


def _lessons(
    connection: duckdb.DuckDBPyConnection, rows: Sequence[tuple[Any, ...]], *, most: int | None = MOST_SHOWN_EVIDENCE
) -> list[LessonV1]:
    """Lessons of rows, each with the words of its newest cases.

    Args:
        most: cases whose words are shown; None for all.
    """
    merged = {row[0]: tuple(json.loads(row[12])) for row in rows}
    ids = sorted({*merged, *(other for others in merged.values() for other in others)})
    told = _by_lesson(fetch(connection, _EVIDENCE, [json_list(ids)])) if ids else {}
    links = _links(connection, list(merged)) if ids else {}
    return [
        LessonV1(
            lesson_id=row[0],
            unit_id=typed_id("unt", "lesson", row[0]),
            role=row[1],
            polarity=row[2],
            kind=row[3],
            severity=row[4],
            title=row[5],
            rule=row[6],
            trigger=row[7],
            exceptions=tuple(json.loads(row[8])),
            status=row[9],
            reason=row[10],
            by_lesson_id=row[11],
            merged=merged[row[0]],
            support_cases=row[13],
            support_sessions=row[14],
            helpful=row[15],
            harmful=row[16],
            confidence=row[17],
            project=row[18],
            first_at=row[19],
            last_at=row[20],
            evidence=_evidence(told, {row[0], *merged[row[0]]}, most),
            links=tuple(links.get(row[0], ())),
        )
        for row in rows
    ]


_Told = tuple[int, tuple[Any, ...]]
"""A row with its place among all: what belongs to several lessons is put into that order again."""


def _by_lesson(rows: Iterable[tuple[Any, ...]]) -> dict[str, list[_Told]]:
    found: dict[str, list[_Told]] = {}
    for place, row in enumerate(rows):
        found.setdefault(row[0], []).append((place, row))
    return found


def _evidence(told: Mapping[str, list[_Told]], lesson_ids: set[str], most: int | None) -> tuple[CourtEvidenceV1, ...]:
    mine = [row for _, row in sorted(one for lesson_id in lesson_ids for one in told.get(lesson_id, ()))]
    cases = set(list(dict.fromkeys(row[1] for row in mine))[:most])
    return tuple(evidence_v1(row[2:]) for row in mine if row[1] in cases)


def _links(connection: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> dict[str, list[LessonLinkV1]]:
    found: dict[str, list[LessonLinkV1]] = {}
    rows = fetch(connection, _LINKS, [json_list(ids), json_list(ids)])
    for newer, older, link, likeness, reason, newer_title, older_title in rows:
        for mine, other, title, is_newer in ((newer, older, older_title, False), (older, newer, newer_title, True)):
            found.setdefault(mine, []).append(
                LessonLinkV1(lesson_id=other, title=title, link=link, newer=is_newer, likeness=likeness, reason=reason)
            )
    return found
