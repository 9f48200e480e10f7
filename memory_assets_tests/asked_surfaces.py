"""Everything that people and agents can ask of a store, asked, and what each answer said."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

from memory_assets.configuration import Resources
from memory_assets.settings import Settings
from memory_assets.vocabulary import STAGES
from memory_assets_tests.defs.state import texts_of_dagster
from memory_assets_tests.mcp.client import Connected, text_of
from memory_assets_tests.viewer.served import Served

Chosen = TypeVar("Chosen")

Say = Callable[..., str]
"""Runs a command; all that it printed, on either stream."""

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_WORD = re.compile(r"\w{6,}")
_MARKED = re.compile(r"</?mark[^>]*>")
# A word of the command line that stands for all that the store named of a kind, or for a question.
OF_A_QUESTION = [
    "search {question}",
    "search {question} --explain --mode lexical",
    "search {question} --mode hybrid --expand -k 30",
    "ask {question} --no-record",
    "ask {question} --no-record --multi-hop --explain",
    "context {question} --no-log",
    "lessons search {question} --role coder",
    "lessons nearest -k 5 coder {question}",
]
OF_A_NAME = [
    "show {address}",
    "timeline {address} --window 2",
    "details {address}",
    "session {session} --all",
    "sessions show {session} --full --evidence",
    "entries list --session {session} --all",
    "answers list --session {session}",
    "events tail --session {session} --limit 500",
    "metrics --session {session}",
    "extract {session} --dry-run --all",
    "proof show {session} --module",
    "project {project} --all",
    "today --date {day} --all",
    "tasks list --project {project} --all",
    "tasks review --project {project}",
    "conditions list --project {project}",
    "conflicts list --project {project}",
    "decisions list --project {project}",
    "answers list --project {project}",
    "blocked --project {project}",
    "artifacts --project {project}",
    "entries show {entry}",
    "evidence show {entry}",
    "task show {task}",
    "conflicts show {conflict}",
    "answers show {answer}",
    "court show {case}",
    "lessons show {lesson}",
    "lessons list --project {project}",
    "builds show {build}",
    "events show {event}",
]
OF_THE_STORE = [
    "sessions list",
    "entries list --all --limit 500",
    "tasks list --all --limit 500",
    "tasks list --quiet",
    "tasks review",
    "blocked",
    "artifacts",
    "conditions list",
    "conditions resolved",
    "conflicts list",
    "decisions list",
    "answers list",
    "court list",
    "lessons list --status all --limit 500",
    "policy show",
    "prompts list",
    "prompts proposals",
    "builds list",
    "metrics",
    "events tail --limit 5000",
    "events stats",
    "stats",
    "doctor",
    "fsck --realign",
    "audit --examples 20",
    "outbox status",
    "outbox reconcile --dry-run",
    "privacy forgotten",
    "privacy places",
    "privacy rescan --dry-run",
    "privacy retention --dry-run",
    "promote review",
    "demote",
    "rebuild --verify",
    "idris status",
    "eval run",
    "eval ask",
    "eval compare",
]
TOOLS_OF_A_QUESTION = [
    ("search_memory", "query"),
    ("bulk_search", "queries"),
    ("get_context", "query"),
    ("ask_memory", "question"),
    ("search_gotchas", "query"),
    ("search_lessons", "query"),
]
TOOLS_OF_A_NAME = [
    ("get_details", "address", "ids"),
    ("get_timeline", "address", "ids"),
    ("get_session_digest", "session", "id"),
    ("get_project_digest", "project", "project"),
    ("get_day_digest", "day", "date"),
    ("list_tasks", "project", "project"),
    ("list_blocked_tasks", "project", "project"),
    ("list_resolved_conditions", "project", "project"),
    ("get_task", "task", "id"),
    ("get_evidence", "entry", "id"),
    ("get_case", "case", "case_id"),
    ("list_case_events", "case", "case_id"),
]
TOOLS_OF_THE_STORE = ["list_tasks", "list_blocked_tasks", "list_resolved_conditions", "schema", "doctor", "stats"]
FORMATS = ("jsonl", "markdown", "chat.v1")
PAGES_OF_A_QUESTION = ["/search?q={question}", "/ask?q={question}&whole=1", "/ask/stream?q={question}", "/api/search"]
"""The last one is sent to, with the question in its body."""
PAGES_OF_A_NAME = [
    "/today?day={day}",
    "/projects/{project}?all=1",
    "/projects/{project}/map",
    "/sessions?project={project}",
    "/sessions/{session}",
    "/sessions/{session}/about",
    "/sessions/{session}/messages/0",
    "/sessions/{session}/proof",
    "/memories/{memory}",
    "/tasks?project={project}",
    "/tasks/review?project={project}",
    "/tasks/{task}",
    "/conflicts?project={project}&status=all",
    "/lessons/{lesson}",
    "/cases/{case}",
    "/privacy?session={session}&every=1",
    "/say?of={memory}",
    "/api/sessions/{session}",
    "/api/sessions/{session}/messages?limit=200",
    "/api/events?session_id={session}&limit=200",
    "/api/events/{event}",
    "/api/citations/{address}",
]
PAGES_OF_THE_STORE = [
    "/",
    "/projects",
    "/sessions",
    "/tasks",
    "/tasks?status=pending",
    "/tasks/review",
    "/conflicts",
    "/conflicts?status=all",
    "/lessons",
    "/lessons?status=all",
    "/cases",
    "/prompts",
    "/health?look=1",
    "/privacy?every=1",
    "/events",
    "/live?after=0",
    "/api/sessions?page_size=100",
    "/api/events?limit=200",
    "/api/stats",
    "/api/stats/timeline?days=365",
    "/api/stats/graduation",
    *(f"/api/stats/levels/{stage}?page_size=500" for stage in STAGES),
    "/api/config",
    "/api/health",
]


@dataclass(frozen=True)
class Named:
    """What a store named at some moment, by kind: all of it is asked for later, whatever became of it."""

    names: dict[str, list[str]]

    def of(self, kind: str) -> list[str]:
        return self.names[kind]


_NAMES = {
    "session": "SELECT session_id FROM sessions",
    "project": "SELECT DISTINCT project FROM sessions WHERE project IS NOT NULL",
    "day": "SELECT DISTINCT CAST(CAST(unnest([started_at, ended_at]) AS DATE) AS VARCHAR) FROM sessions",
    "memory": "SELECT memory_id FROM memories",
    "address": """SELECT 'mem:' || short_id FROM memory_citations
      UNION ALL SELECT 'session:' || session_id || '#m=' || message_index FROM messages
      UNION ALL SELECT unit_id FROM memory_units""",
    "entry": "SELECT entry_id FROM entries",
    "task": "SELECT entity_id FROM entities",
    "conflict": "SELECT conflict_id FROM conflicts",
    "case": "SELECT case_id FROM cases",
    "lesson": "SELECT lesson_id FROM lessons",
    "answer": "SELECT answer_id FROM answers",
    "build": "SELECT build_id FROM build_runs",
    "event": "SELECT event_id FROM events",
}


def named_by(settings: Settings, most: int) -> Named:
    """What a store names now, so much of a kind, from its first to its last."""
    with Resources(settings).database.reading() as connection:
        found = {kind: sorted(row[0] for row in connection.execute(query).fetchall()) for kind, query in _NAMES.items()}
    return Named({kind: names[:: max(1, len(names) // most)][:most] for kind, names in found.items()})


@dataclass(frozen=True)
class Surfaces:
    """All that a store can be asked by.

    Attributes:
        in_turn: each question goes to one command and one tool, the next ones to the next, in text and JSON by turns; without
            it all of it is asked every time.
    """

    say: Say
    client: Connected
    pages: Served
    settings: Settings
    in_turn: bool = False

    def told(self, questions: Sequence[str], named: Named) -> Iterator[tuple[str, str]]:
        """What everything says to questions, of names and of the store: the place, and what it said."""
        yield from self.to_questions(questions)
        yield from self._of_names(named)
        yield from self._of_the_store()
        yield from told_by_dagster(self.settings)

    def to_questions(self, questions: Sequence[str]) -> Iterator[tuple[str, str]]:
        """What everything says to questions alone."""
        for place, question in enumerate(questions):
            for template in self._chosen(OF_A_QUESTION, place):
                yield from self._said(template, question)
            for tool, field in self._chosen(TOOLS_OF_A_QUESTION, place):
                asked = {field: [question] if field == "queries" else question}
                yield f"mcp {tool}", without_echo(self._called(tool, **asked), question)
            for page in self._chosen(PAGES_OF_A_QUESTION, place):
                yield self._shown(page, question)

    def _of_names(self, named: Named) -> Iterator[tuple[str, str]]:
        for template in OF_A_NAME:
            (kind,) = _PLACEHOLDER.findall(template)
            for name in named.of(kind):
                yield from self._said(template, name)
        for tool, kind, field in TOOLS_OF_A_NAME:
            for name in named.of(kind):
                asked = {field: [name] if field == "ids" else name}
                yield f"mcp {tool}", without_echo(self._called(tool, **asked), name)
        for page in PAGES_OF_A_NAME:
            (kind,) = _PLACEHOLDER.findall(page)
            for name in named.of(kind):
                yield self._shown(page, name)

    def _of_the_store(self) -> Iterator[tuple[str, str]]:
        for template in OF_THE_STORE:
            yield from self._said(template, "")
        for name in FORMATS:
            file = self.settings.home.parent / f"export.{name}"
            said = self.say("export", str(file), "--format", name, "--force")
            yield f"export {name}", said + file.read_text(encoding="utf-8")
            file.unlink()
        for tool in TOOLS_OF_THE_STORE:
            yield f"mcp {tool}", self._called(tool)
        for page in PAGES_OF_THE_STORE:
            yield self._shown(page, "", is_there=True)

    def _shown(self, page: str, asked: str, *, is_there: bool = False) -> tuple[str, str]:
        """A page as it comes, without its marks of highlighting, and without what was asked."""
        sent = {"query": asked} if page == "/api/search" else None
        status, shown = self.pages.read(_PLACEHOLDER.sub(quote(asked, safe=""), page), sent)
        assert status == 200 or not is_there, (page, status)
        return page, without_echo(html.unescape(_MARKED.sub("", shown)), asked)

    def _said(self, template: str, asked: str) -> Iterator[tuple[str, str]]:
        words = [asked if _PLACEHOLDER.fullmatch(word) else word for word in template.split()]
        ways: list[list[str]] = [[], ["--json"]]
        for as_json in self._chosen(ways, len(asked)):
            yield " ".join([template, *as_json]), without_echo(self.say(*words, *as_json), asked)

    def _called(self, tool: str, **arguments: Any) -> str:
        result = self.client.call(tool, **arguments)
        return text_of(result) + json.dumps(result.structured_content, ensure_ascii=False)

    def _chosen(self, given: Sequence[Chosen], place: int) -> Sequence[Chosen]:
        return [given[place % len(given)]] if self.in_turn else given


def told_by_dagster(settings: Settings) -> Iterator[tuple[str, str]]:
    """Every value in Dagster's records, and what its runs printed."""
    yield from ((f"dagster {place}", text) for place, text in texts_of_dagster(settings))
    for path in settings.dagster_home.rglob("*"):
        if path.is_file() and path.suffix != ".db":
            yield "dagster files", path.read_bytes().decode("utf-8", "replace")


def without_echo(told: str, asked: str) -> str:
    """What was said without the words that were asked, which answers repeat whole or in parts."""
    for word in {asked, *_WORD.findall(asked)}:
        told = re.sub(re.escape(word), "", told, flags=re.IGNORECASE)
    return told


def saying(told: Iterable[tuple[str, str]], marks: Iterable[str]) -> dict[str, set[str]]:
    """Of each mark the places that say it."""
    found: dict[str, set[str]] = {mark: set() for mark in marks}
    for place, text in told:
        lowered = text.casefold()
        for mark, places in found.items():
            if mark.casefold() in lowered:
                places.add(place)
    return found
