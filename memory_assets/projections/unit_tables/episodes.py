"""Episodes: what happened in a session, in its own words, made by rules and no model."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_assets.extraction.titles import title_of
from memory_assets.projections.unit_tables.unit_facets import below, facets_of
from memory_assets.projections.unit_tables.unit_rows import Draft, citation
from memory_assets.sessions.tool_calls import files_changed
from memory_assets.text.sentences import Sentence, sentences

if TYPE_CHECKING:
    import duckdb

MOST_CITED = 5
_REQUESTS = 3
_OUTCOMES = 12
_FILES = 12
_SENTENCES_READ = 6
_SAYS_SOMETHING = 14
"""Letters of a sentence, a Korean syllable counting for two; what is shorter is a greeting or a nod."""
_READ = 4_000
"""Characters of a message that are read for what it asks or how it ends."""

# The first requests of people and the last words of anybody, but for what programs put there whole: little of a long session is
# read.
_SAID = f"""
WITH said AS (
  SELECT session_id, message_index, role, name, text,
    row_number() OVER (PARTITION BY session_id, role = 'user' ORDER BY message_index) AS first,
    row_number() OVER (PARTITION BY session_id ORDER BY message_index DESC) AS last
  FROM messages m
  WHERE session_id IN (SELECT session_id FROM affected) AND kind = 'said' AND NOT sidechain AND regexp_matches(text, '\\S')
    AND NOT EXISTS (
      SELECT 1 FROM message_origins o
      WHERE o.session_id = m.session_id AND o.message_index = m.message_index AND o.origin IN ('template', 'tool')
        AND o.span_start = 0 AND o.span_end >= m.char_len)
)
SELECT s.session_id, s.title, s.project, s.cwd, s.started_at, d.message_index, d.role, d.name, left(d.text, {_READ}),
  length(d.text), d.last = 1
FROM said d JOIN sessions s USING (session_id)
WHERE (d.role = 'user' AND d.first <= {2 * _REQUESTS}) OR (d.role <> 'user' AND d.first = 1) OR d.last = 1
ORDER BY d.session_id, d.message_index
"""

# What the session itself says, whatever was said of it elsewhere since.
_OUTCOMES_SAID = """
SELECT n.session_id, n.entry_type, n.title, n.content_json ->> '$.status', s.message_index, s.span_start, s.span_end,
  s.segments_json
FROM entries n JOIN evidence_spans s ON s.entry_id = n.entry_id AND s.match_method <> 'none'
WHERE n.session_id IN (SELECT session_id FROM affected) AND n.status <> 'superseded'
QUALIFY row_number() OVER (PARTITION BY n.entry_id ORDER BY s.ordinal) = 1
ORDER BY n.session_id, n.message_index, n.ordinal, n.entry_id
"""

_CALLS = f"""
SELECT session_id, tool_name, left(text, {_READ}) FROM messages
WHERE session_id IN (SELECT session_id FROM affected) AND kind = 'tool_call'
  AND regexp_matches(tool_name, '(?i)edit|write|patch|str_replace|create_file|insert')
ORDER BY session_id, message_index
"""

# What is told of a session first, where not all of it can be told.
_WEIGHTS = {"decision": 0, "task": 1, "insight": 2, "fact": 3, "preference": 4, "reference": 5}


@dataclass(frozen=True, slots=True)
class _Said:
    index: int
    role: str
    speaker: str | None
    head: str
    length: int
    is_last: bool


@dataclass(frozen=True, slots=True)
class _Outcome:
    entry_type: str
    title: str
    status: str | None
    index: int
    start: int
    end: int
    segments_json: str | None


@dataclass(frozen=True, slots=True)
class _Line:
    """A sentence of a message, as it is told, and where it stands."""

    text: str
    index: int
    start: int
    end: int


def episode_drafts(connection: duckdb.DuckDBPyConnection) -> Iterator[Draft]:
    """The episodes of the scope's sessions, one for each in which anything was said."""
    outcomes: dict[str, list[_Outcome]] = {}
    for session_id, *columns in connection.execute(_OUTCOMES_SAID).fetchall():
        outcomes.setdefault(session_id, []).append(_Outcome(*columns))
    files: dict[str, dict[str, None]] = {}
    for session_id, tool, text in connection.execute(_CALLS).fetchall():
        files.setdefault(session_id, {}).update(dict.fromkeys(files_changed(tool, text)))
    rows = connection.execute(_SAID).fetchall()
    for session, of_session in itertools.groupby(rows, key=lambda row: row[:5]):
        said = [_Said(*row[5:]) for row in of_session]
        yield _draft(session, said, outcomes.get(session[0], ()), tuple(files.get(session[0], ())))


def _draft(
    session: tuple[str, str | None, str | None, str | None, datetime],
    said: Sequence[_Said],
    outcomes: Sequence[_Outcome],
    files: tuple[str, ...],
) -> Draft:
    session_id, named, project, worktree, started_at = session
    requests = list(itertools.islice(_requests(said), _REQUESTS))
    title = named or (title_of(requests[0].text) if requests else session_id)
    end = _end(said, requests)
    asked = [request for request in requests if not _begins(title, request.text)]
    shown = {line.text for line in (*requests, *([end] if end else []))}
    weighed = sorted((one for one in outcomes if one.title not in shown), key=lambda one: _WEIGHTS.get(one.entry_type, 9))
    told = sorted(weighed[:_OUTCOMES], key=lambda one: one.index)
    lines = [
        " · ".join(filter(None, [f"{started_at:%Y-%m-%d}", project])),
        *(f"> {request.text}" for request in asked),
        *(f"- {_marked(outcome)}" for outcome in told),
        _named_files(files),
        f"… {end.text}" if end else "",
    ]
    body = "\n".join(dict.fromkeys(line for line in [title, *lines] if line))
    return Draft(
        kind="episode",
        source_id=session_id,
        title=title,
        body=body,
        summary=_summary(title, asked, told, end),
        occurred_at=started_at,
        citations=_citations(session_id, requests, told, end, said),
        facets=facets_of(body, [*(below(path, worktree) for path in files), *files]),
        project=project,
        worktree=worktree,
        session_id=session_id,
    )


def _requests(said: Sequence[_Said]) -> Iterator[_Line]:
    """The first sentence of each of the first messages of people that has one; of an agent where no person speaks."""
    people = [one for one in said if one.role == "user"] or said[:1]
    for message in people:
        if (sentence := _first(sentences(message.head))) is not None:
            text = title_of(sentence.text)
            shown = f"{message.speaker}: {text}" if message.speaker else text
            yield _Line(shown, message.index, sentence.start, sentence.end)


def _first(told: Iterable[Sentence]) -> Sentence | None:
    """The first sentence that says something; where none does the first, be it a greeting or a heading."""
    read = list(itertools.islice(told, _SENTENCES_READ))
    says = (one for one in read if one.shape != "heading" and _width(one.text) >= _SAYS_SOMETHING)
    return next(says, read[0] if read else None)


def _begins(title: str, text: str) -> bool:
    """Whether a title says all of a sentence: many sessions are named after their first one."""
    return title.casefold().startswith(text.rstrip(" .:!?…").casefold())


def _width(text: str) -> int:
    return 2 * len(text) - len(text.encode("ascii", "ignore"))


def _end(said: Sequence[_Said], requests: Sequence[_Line]) -> _Line | None:
    """The first sentence of the last message: what came of it is said there, and the details behind it."""
    last = next((message for message in said if message.is_last), None)
    if last is None or any(request.index == last.index for request in requests):
        return None
    sentence = _first(sentences(last.head))
    if sentence is None:
        return None
    text = title_of(sentence.text)
    return _Line(f"{last.speaker}: {text}" if last.speaker else text, last.index, sentence.start, sentence.end)


def _marked(outcome: _Outcome) -> str:
    """A task's box is ticked where the session says that it is done."""
    if outcome.entry_type != "task":
        return outcome.title
    return f"[{'x' if outcome.status == 'done' else ' '}] {outcome.title}"


def _named_files(files: Sequence[str]) -> str:
    names = list(dict.fromkeys(path.replace("\\", "/").rsplit("/", 1)[-1] for path in files))
    more = f" +{len(names) - _FILES}" if len(names) > _FILES else ""
    return ", ".join(names[:_FILES]) + more


def _summary(title: str, asked: Sequence[_Line], told: Sequence[_Outcome], end: _Line | None) -> str:
    """The title, then what was decided or done, else what was asked and how it ended; each in few words."""
    decided = [outcome.title for outcome in told if outcome.entry_type in ("decision", "task")]
    first = [line.text for line in asked[:1]]
    parts = dict.fromkeys([title[:80], *(decided[:2] or [*first, *([end.text] if end else [])])])
    return " · ".join(part for part in parts if part)


def _citations(
    session_id: str, requests: Sequence[_Line], told: Sequence[_Outcome], end: _Line | None, said: Sequence[_Said]
) -> list[dict[str, Any]]:
    """The first request, the outcomes that weigh most and the end; where nothing was asked or told, the first message."""
    first = [citation(session_id, line.index, line.start, line.end) for line in requests[:1]]
    last = [citation(session_id, end.index, end.start, end.end)] if end else []
    cited = {(place["message_index"], place["span_start"]) for place in (*first, *last)}
    weighed = sorted(
        (one for one in told if (one.index, one.start) not in cited), key=lambda one: _WEIGHTS.get(one.entry_type, 9)
    )[: MOST_CITED - len(cited)]
    outcomes = [
        citation(session_id, one.index, one.start, one.end, one.segments_json)
        for one in sorted(weighed, key=lambda one: one.index)
    ]
    return [*first, *outcomes, *last] or [citation(session_id, said[0].index, 0, said[0].length)]
