"""A list that a question asks for, told from what the store keeps: tasks of the board, decisions and preferences that hold.

No message says of itself that it still holds, or that nothing was done about it. Each line is told in the words of a quote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from memory_assets.ask.answers import answer_v1
from memory_assets.ask.extractive import language_of
from memory_assets.citations.addresses import SpanCitation, parse_citation
from memory_assets.log.fetching import fetch
from memory_assets.results.answer import AnswerCitationV1, ClaimV1
from memory_assets.search.answerability.signs import is_question
from memory_assets.search.answers.unit_citations import cited_messages, place_citation
from memory_assets.search.question.terms import names_in
from memory_assets.text.sentences import shortened

if TYPE_CHECKING:
    import duckdb

    from memory_assets.ask.list_questions import AskedList, Listed
    from memory_assets.ask.request import AskRequest
    from memory_assets.ask.said_dates import Language
    from memory_assets.ask.topic_questions import AskedTopic, Kept
    from memory_assets.results.answer import AnswerV1
    from memory_assets.results.citation import AnyCitationV1
    from memory_assets.results.memories import EntryView
    from memory_assets.results.search import SearchHitV1
    from memory_assets.results.tasks import TaskView
    from memory_assets.search.answerability.question import Question
    from memory_assets.vocabulary import EntryType, Stage

MOST_LINES: Final = 8
_READ: Final = 8 * MOST_LINES
"""Tasks of a state and entries that are looked at: some hold no more, were corrected, or say what another one says."""
_MOST_CHARACTERS: Final = 200
"""Of a line's words."""
_ITEM: Final = re.compile(r"(?:[-*•]|\d+[.)])\s+(?=\S)")
"""The mark of a list, in front of an item."""
_PARTICLES: Final = re.compile("[가-힣]+$")
_SPEAKS_OF_IT: Final = 0.6
"""How much of a topic's words stand in a memory or a task at the least, 0 to 1."""
_IS_IT: Final = 0.75
"""The same of the task whose state is asked for."""
_MOST_STATES: Final = 3
"""Tasks that may be the one whose state is asked for."""
KINDS: Final[dict[Kept, str]] = {"decision": "entry", "open": "task", "state": "task"}
"""The units in which what is kept is searched."""
_HELD: Final[tuple[Stage, ...]] = ("certified", "verified")
_ASKS: Final = ("?", "？")
_IN_FORCE: Final = ("active", "contested")
_OPEN: Final = ("in_progress", "blocked", "pending")

_STATES: Final[dict[Language, dict[str, str]]] = {
    "en": {
        "in_progress": "in progress",
        "blocked": "blocked",
        "pending": "open",
        "said": "said to be done, not proven",
        "done": "done",
        "passed": "asked for, and its turn has ended",
        "cancelled": "cancelled",
    },
    "ko": {
        "in_progress": "진행 중",
        "blocked": "막힘",
        "pending": "할 일",
        "said": "다 했다고만 함",
        "done": "끝남",
        "passed": "시켰고 그 차례가 끝남",
        "cancelled": "취소됨",
    },
}
_NOTHING: Final[dict[Language, dict[Listed, str]]] = {
    "en": {
        "open": "No task is open.",
        "blocked": "No task is blocked.",
        "in_progress": "No task is in progress.",
        "decision": "No decision is held.",
        "preference": "No preference is held.",
    },
    "ko": {
        "open": "남은 할 일이 없습니다.",
        "blocked": "막힌 일이 없습니다.",
        "in_progress": "진행 중인 일이 없습니다.",
        "decision": "기억하는 결정이 없습니다.",
        "preference": "기억하는 선호가 없습니다.",
    },
}


_BY_HAND: Final[dict[Language, str]] = {"en": "Entered by hand: {}.", "ko": "손으로 적은 일: {}."}


class Lists(Protocol):
    """What the store keeps that a question may ask for as a list."""

    def tasks(self, connection: duckdb.DuckDBPyConnection, *, status: str, project: str | None, limit: int) -> list[TaskView]:
        """What matters most first."""
        ...

    def entries(
        self, connection: duckdb.DuckDBPyConnection, *, entry_type: EntryType, stage: Stage, project: str | None, limit: int
    ) -> list[EntryView]:
        """The newest first."""
        ...

    def tasks_of(self, connection: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> list[TaskView]:
        """Those with these ids."""
        ...

    def entries_of(self, connection: duckdb.DuckDBPyConnection, addresses: Sequence[str]) -> list[EntryView]:
        """Those of the memories with these addresses, the newest first."""
        ...


@dataclass(frozen=True, slots=True)
class _Span:
    """A quote, and the first piece of it: session and message, and code points of its text, half-open."""

    place: tuple[str, int]
    start: int
    end: int
    words: str


@dataclass(frozen=True, slots=True)
class _Found:
    """A line to be told.

    Attributes:
        led: what is said in front of its words: a task's state, or the day of what was decided and what was asked.
        note: what a person should know of it.
    """

    led: str
    title: str
    span: _Span
    memory: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Line:
    found: _Found
    words: str
    citation: AnyCitationV1


def listed_answer(
    connection: duckdb.DuckDBPyConnection, lists: Lists, request: AskRequest, asked: AskedList
) -> AnswerV1 | None:
    """The list that a question asks for, or that it is empty.

    None where it names what is no project of the store, or another one than it is asked in: it asks for something else.
    """
    named = [name for name in (asked.project, request.project) if name is not None]
    projects = _projects(connection) if named else []
    meant = {_known(name, projects) for name in named}
    if None in meant or len(meant) > 1:
        return None
    project = next(iter(meant), None)
    language = language_of(request.question)
    all_found = _found(connection, lists, asked, project, language)
    found = [one for one in all_found if isinstance(one, _Found)]
    by_hand = "; ".join(one for one in all_found if isinstance(one, str))
    unquoted = (_BY_HAND[language].format(by_hand),) if by_hand else ()
    if (told := _told(connection, request, found, unquoted, _all_of(asked.listed, project))) is not None:
        return told
    says = next(iter(unquoted), _NOTHING[language][asked.listed])
    return answer_v1(request, seen=None, answer=says, grounded=False, reason="no_chunks")


def topic_answer(
    connection: duckdb.DuckDBPyConnection,
    lists: Lists,
    request: AskRequest,
    asked: AskedTopic,
    hits: Sequence[SearchHitV1],
    about: Question,
) -> AnswerV1 | None:
    """What the store keeps about something, or None where it keeps nothing about it.

    Args:
        hits: the memories or tasks that were found for the topic, the likeliest first.
        about: the topic's words. What is told has them itself: what stands beside it may speak of anything.
    """
    ids = [hit.id for hit in hits if hit.id is not None and hit.relevance >= _SPEAKS_OF_IT]
    language = language_of(request.question)
    least = _IS_IT if asked.kept == "state" else _SPEAKS_OF_IT
    match asked.kept:
        case "decision":
            held = [one for one in lists.entries_of(connection, ids) if one.entry_type == "decision" and one.stage in _HELD]
            # What asks decides nothing, though an answer that was not understood may have made it a decision.
            told: list[_Found | str] = [one for one in _held(held) if not is_question(one.span.words)]
        case "open":
            told = list(_left([one for one in lists.tasks_of(connection, ids) if one.status in _OPEN], language))
        case "state":
            told = list(_standing(sorted(lists.tasks_of(connection, ids), key=lambda one: ids.index(one.task_id)), language))
    found = [one for one in told if isinstance(one, _Found) and _speaks_of(about, f"{one.title}\n{one.span.words}", least)]
    by_hand = [one for one in told if isinstance(one, str) and _speaks_of(about, one, least)]
    unquoted = (_BY_HAND[language].format("; ".join(by_hand)),) if by_hand else ()
    most = _MOST_STATES if asked.kept == "state" else MOST_LINES
    all_of = f"`memory search {asked.topic!r} --kind {KINDS[asked.kept]}` finds all"
    if (answer := _told(connection, request, found, unquoted, all_of, most=most)) is not None or not unquoted:
        return answer
    return answer_v1(request, seen=None, answer=unquoted[0], grounded=False, reason="no_chunks")


def _speaks_of(about: Question, text: str, least: float) -> bool:
    """Whether a text has enough of the topic's words, and its names as they are written."""
    terms = [word.term for word in about.words]
    names = [_PARTICLES.sub("", term.text.casefold()) for term, is_name in zip(terms, names_in(terms), strict=True) if is_name]
    written = text.casefold()
    has_names = all(
        re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", written) is not None for name in names if name.isascii()
    )
    return has_names and about.held_in(text) >= least


def _told(
    connection: duckdb.DuckDBPyConnection,
    request: AskRequest,
    found: Sequence[_Found],
    unquoted: tuple[str, ...],
    all_of: str,
    *,
    most: int = MOST_LINES,
) -> AnswerV1 | None:
    """The first of what was found, in the words that were said; None where there is nothing.

    Args:
        unquoted: what is to be known of what no words were said.
        all_of: how all of it is seen.
    """
    lines = list(_lines(connection, found[:most]))
    if not lines:
        return None
    marked = [(f"[{number}]", line, f"{line.found.led} {' '.join(line.words.split())}") for number, line in enumerate(lines, 1)]
    notes = [f"{marker} {line.found.note}" for marker, line, _ in marked if line.found.note]
    if len(found) > len(lines):
        there = f"{len(found)}{' or more' if len(found) >= _READ else ''}"
        notes.append(f"{len(lines)} of {there} are told: {all_of}")
    return answer_v1(
        request,
        seen=None,
        answer="\n".join(f"{said} {marker}" for marker, _, said in marked),
        grounded=True,
        citations=tuple(AnswerCitationV1(marker=marker, citation=line.citation) for marker, line, _ in marked),
        claims=tuple(ClaimV1(text=said, markers=(marker,), quotes=(line.words,)) for marker, line, said in marked),
        used=len({line.found.span.place for line in lines}),
        notes=(*notes, *unquoted),
    )


def _all_of(listed: Listed, project: str | None) -> str:
    where = f" --project {project!r}" if project else ""
    return (
        f"`memory entries list --type {listed}{where}` lists all"
        if listed in ("decision", "preference")
        else f"`memory tasks list{where}` lists all"
    )


def _projects(connection: duckdb.DuckDBPyConnection) -> list[str]:
    rows = fetch(connection, "SELECT DISTINCT project FROM sessions WHERE project IS NOT NULL ORDER BY project")
    return [row[0] for row in rows]


def _known(named: str, projects: Sequence[str]) -> str | None:
    """The project of this name; in other letters' case where none is spelled so."""
    return named if named in projects else next((one for one in projects if one.casefold() == named.casefold()), None)


def _found(
    connection: duckdb.DuckDBPyConnection, lists: Lists, asked: AskedList, project: str | None, language: Language
) -> list[_Found | str]:
    """What is to be told; of a task that a person entered by hand, of which no words were said, the title."""
    match asked.listed:
        case "decision" | "preference" as entry_type:
            entries = [
                one
                for stage in _HELD
                for one in lists.entries(connection, entry_type=entry_type, stage=stage, project=project, limit=_READ)
            ]
            return list(_held(sorted(entries, key=lambda one: one.said_at, reverse=True)))
        case listed:
            states = _OPEN if listed == "open" else (listed,)
            tasks = [one for state in states for one in lists.tasks(connection, status=state, project=project, limit=_READ)]
            return list(_left(tasks, language))


def _held(entries: Sequence[EntryView]) -> Iterator[_Found]:
    """What holds of some entries, and what a person has not corrected; what several sessions say once."""
    told: set[str] = set()
    for entry in entries:
        if entry.memory_id is None or entry.memory_id in told or entry.said_otherwise is not None:
            continue
        spans = [
            _Span((one.session_id, one.message_index), *one.segments[0], one.matched_text or "")
            for one in entry.evidence
            if one.message_index is not None and one.segments
        ]
        if entry.status in _IN_FORCE and (span := _said(entry.title, spans)) is not None:
            told.add(entry.memory_id)
            note = f"is contested: see `memory show {entry.citation}`" if entry.status == "contested" else ""
            asked, span = _chosen(entry.title, span, spans)
            yield _Found(f"{entry.said_at:%Y-%m-%d}: {asked}".rstrip(), entry.title, span, entry.citation, note)


def _left(tasks: Sequence[TaskView], language: Language) -> Iterator[_Found | str]:
    """What is said done without proof, and what nobody has spoken of for long, comes last."""
    yield from _standing(sorted(tasks, key=lambda task: (task.requested_status == "done", task.quiet)), language)


def _standing(tasks: Sequence[TaskView], language: Language) -> Iterator[_Found | str]:
    """How some tasks stand; of one of which no words were said, the title."""
    for task in tasks:
        spans = [
            _Span((one.session_id, one.message_index), *address.segments[0], one.quote)
            for one in task.evidence
            if isinstance(address := parse_citation(one.uri), SpanCitation)
        ]
        if (span := _said(task.title, spans)) is not None:
            state = "passed" if task.passed else "said" if task.requested_status == "done" else task.status
            note = "is contested: `memory conflicts list` has both sides" if task.entity_status == "contested" else ""
            yield _Found(f"{_STATES[language][state]}:", task.title, span, note=note)
        elif not task.evidence:
            yield " ".join(task.title.split())


def _said(title: str, spans: Sequence[_Span]) -> _Span | None:
    """The quote that a title is made of, else the first one."""
    bare = _bare(title)
    first = next(iter(spans), None)
    return next((one for one in spans if (said := _bare(one.words)) and (said in bare or bare in said)), first)


def _chosen(title: str, span: _Span, spans: Sequence[_Span]) -> tuple[str, _Span]:
    """Of a decision that a question asked for what was asked, and the words that answer it: a question decides nothing."""
    end = max(title.rfind(mark) for mark in _ASKS) + 1
    if end and (rest := _bare(title[end:])):
        for one in spans:
            if _bare(one.words).startswith(rest):
                return title[:end], one
    return "", span


def _bare(text: str) -> str:
    """Letters and digits: a title lacks the marks of its quote."""
    return "".join(filter(str.isalnum, text.casefold()))


def _lines(connection: duckdb.DuckDBPyConnection, found: Sequence[_Found]) -> Iterator[_Line]:
    """The words of each, read from the message where they stand."""
    places = [{"session_id": session_id, "message_index": index} for session_id, index in (one.span.place for one in found)]
    messages = cited_messages(connection, places)
    for one in found:
        message, start = messages.get(one.span.place), one.span.start
        if message is None:
            continue
        if (mark := _ITEM.match(message.text, start, one.span.end)) is not None:
            start = mark.end()
        _, end = next(shortened(message.text, start, one.span.end, _MOST_CHARACTERS), (start, one.span.end))
        place = {"segments": [(start, end)], "span_start": start, "span_end": end}
        kind = "entry" if one.memory else "task"
        citation = place_citation(kind, place, message, one.memory).model_copy(update={"label": one.title})
        yield _Line(one, message.text[start:end], citation)
