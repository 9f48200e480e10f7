"""What a session was about, in its own words: what was asked, decided, done, mended and left open.

Nothing is made up and no model is asked: every line is a quote that the tables know, with its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_assets.errors import NotFoundError
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.queries.digest_changes import changed_files, made_commits
from memory_assets.queries.digest_memories import memory_lines
from memory_assets.queries.digest_quotes import quote_at_place, quote_going_on, quote_of, stands_within
from memory_assets.queries.digest_tasks import SessionTasks, task_lines
from memory_assets.queries.sessions import one_session
from memory_assets.results.digest import (
    DigestCountsV1,
    DigestFailureV1,
    DigestLineV1,
    DigestQuoteV1,
    SessionDigestV1,
    SessionHeadV1,
)
from memory_assets.search.answers.unit_citations import CitedMessage, cited_messages
from memory_assets.sessions.error_lines import is_slip
from memory_assets.sessions.fix_words import REFUSED_BY_PERSON
from memory_assets.text.suppositions import is_supposed

if TYPE_CHECKING:
    import duckdb

_SPEAK = ("user", "assistant")
"""Speakers of words; the others are programs."""
_FOUND = re.compile(
    r"\b(?<!find the )root cause(?::| is\b| was\b)|\bverdict\b|\b(?:the|a) (?:key |main )?(?:lesson|takeaway)\b"
    r"|근본 ?원인|원인은|교훈",
    re.IGNORECASE,
)
"""Words of who has found out what it was, and does not look for it any more."""
_NOTED_ORDER = ("preference", "insight", "fact", "reference")

_HEADS = f"""
SELECT s.session_id, s.title, s.project, s.started_at, s.ended_at, count(m.message_index)
FROM sessions s LEFT JOIN messages m ON m.session_id = s.session_id AND m.kind = 'said' AND NOT m.sidechain
WHERE s.session_id IN {IN_LIST} GROUP BY ALL
"""
# An episode cites what was asked first in front and how it ended at its end; a gotcha its error, and then what ended it.
_UNITS = f"""
SELECT session_id, unit_kind, unit_id, citations_json FROM memory_units
WHERE unit_kind IN ('episode', 'gotcha') AND session_id IN {IN_LIST} ORDER BY session_id, message_index, unit_id
"""
_LAST_SAID = f"""
SELECT session_id, max(message_index) FROM messages
WHERE session_id IN {IN_LIST} AND kind = 'said' AND NOT sidechain AND regexp_matches(text, '\\S') GROUP BY session_id
"""
# A call that a person turned down, behind which nobody says a word: a plan, most often.
_REFUSED_LAST = f"""
SELECT r.session_id, r.message_index, regexp_extract(r.text, '^[^.\\n]{{1,200}}'),
  coalesce(c.tool_name, r.tool_name, r.role), r.ts
FROM messages r LEFT JOIN messages c ON c.session_id = r.session_id AND c.kind = 'tool_call' AND c.tool_use_id = r.tool_use_id
WHERE r.session_id IN {IN_LIST} AND r.kind = 'tool_result' AND NOT r.sidechain
  AND starts_with(r.text, ?)
  AND NOT EXISTS (SELECT 1 FROM messages s WHERE s.session_id = r.session_id AND s.kind = 'said' AND NOT s.sidechain
    AND s.message_index > r.message_index AND regexp_matches(s.text, '\\S'))
QUALIFY row_number() OVER (PARTITION BY r.session_id ORDER BY r.message_index DESC, c.message_index) = 1
"""


@dataclass(frozen=True, slots=True)
class _Told:
    """What units tell of a session."""

    goal: DigestQuoteV1 | None
    ended: DigestQuoteV1 | None
    failed: tuple[DigestFailureV1, ...]


def session_digest(connection: duckdb.DuckDBPyConnection, given: str) -> SessionDigestV1:
    """The digest of the session with this id, or with an id that begins so.

    Raises:
        NotFoundError, AmbiguousIdError: no session, or several; or one of which nothing was read yet.
    """
    session_id = one_session(connection, given).session_id
    found = session_digests(connection, [session_id])
    if session_id not in found:
        raise NotFoundError(
            f"nothing of session {session_id} was read yet", hint=f"`memory run {session_id}` reads it, and says what is wrong"
        )
    return found[session_id]


def session_digests(connection: duckdb.DuckDBPyConnection, session_ids: Sequence[str]) -> dict[str, SessionDigestV1]:
    """The digests of some sessions, by id: in as many statements for one as for all. Unknown ones are absent."""
    heads = {row[0]: SessionHeadV1.of_row(row) for row in fetch(connection, _HEADS, [json_list(session_ids)])}
    if not heads:
        return {}
    known = [session_id for session_id in session_ids if session_id in heads]
    told = _told(connection, known)
    memories, tasks = memory_lines(connection, known), task_lines(connection, known)
    files, commits = changed_files(connection, known), made_commits(connection, known)
    found = {}
    for session_id in known:
        lines, of_tasks, units = memories.get(session_id, []), tasks.get(session_id, SessionTasks()), told[session_id]
        decided = tuple(line for line in lines if line.kind == "decision")
        shown = {quote.text for line in decided for quote in line.because}
        shown |= {quote.text for failure in units.failed for quote in failure.mended}
        others = (line for line in lines if line.kind != "decision" and _words(line) not in shown)
        noted = [line for line in others if not _is_told(line, of_tasks.done)]
        shown |= {_words(line) for line in (*lines, *of_tasks.done, *of_tasks.open)}
        digest = SessionDigestV1(
            session=heads[session_id],
            goal=units.goal,
            decided=decided,
            done=tuple(of_tasks.done),
            files=tuple(files.get(session_id, ())),
            commits=tuple(commits.get(session_id, ())),
            failed=units.failed,
            open=tuple(of_tasks.open),
            noted=tuple(_by_worth(noted)),
            ended=None
            if units.ended is None or units.ended.text in shown or _is_within(units.ended, of_tasks.done)
            else units.ended,
            counts=DigestCountsV1(closed_since=of_tasks.closed_since),
        )
        found[session_id] = counted(digest)
    return found


def session_goals(
    connection: duckdb.DuckDBPyConnection, session_ids: Sequence[str]
) -> list[tuple[SessionHeadV1, DigestQuoteV1 | None]]:
    """Of some sessions, in their order, which each is and what was asked first in it."""
    heads = {row[0]: SessionHeadV1.of_row(row) for row in fetch(connection, _HEADS, [json_list(session_ids)])}
    told = _told(connection, session_ids)
    return [(heads[session_id], told[session_id].goal) for session_id in session_ids if session_id in heads]


def said_within(digest: SessionDigestV1, since: datetime, until: datetime) -> SessionDigestV1:
    """What of a digest was said in some time; what was asked first stays, for without it nothing is understood."""

    def then(quote: DigestQuoteV1 | None) -> bool:
        return quote is not None and since <= quote.said_at < until

    return counted(
        digest.model_copy(
            update={
                "decided": tuple(line for line in digest.decided if then(line.quote)),
                "done": tuple(line for line in digest.done if then(line.quote)),
                "files": tuple(file for file in digest.files if then(file.quote)),
                "commits": tuple(commit for commit in digest.commits if then(commit.quote)),
                "failed": tuple(failure for failure in digest.failed if then(failure.error)),
                "open": tuple(line for line in digest.open if then(line.quote)),
                "noted": tuple(line for line in digest.noted if then(line.quote)),
                "ended": digest.ended if then(digest.ended) else None,
            }
        )
    )


def first_of_each(digest: SessionDigestV1, most: int | None) -> SessionDigestV1:
    """At most so many lines of each part, or all; ``counts`` still says how many there are."""
    parts = ("decided", "done", "files", "commits", "failed", "open", "noted")
    return digest.model_copy(update={part: getattr(digest, part)[:most] for part in parts})


def counted(digest: SessionDigestV1) -> SessionDigestV1:
    """A digest with the counts of its parts as they are."""
    counts = DigestCountsV1(
        decided=len(digest.decided),
        done=len(digest.done),
        files=len(digest.files),
        commits=len(digest.commits),
        failed=len(digest.failed),
        open=len(digest.open),
        closed_since=digest.counts.closed_since,
        noted=len(digest.noted),
    )
    return digest.model_copy(update={"counts": counts})


def _by_worth(noted: Sequence[DigestLineV1]) -> list[DigestLineV1]:
    """Preferences first. Of a kind what supposes nothing, of that what names a cause or a lesson, and then what was said later:
    what was thought early on is often overtaken, and whoever reads a few lines of many is to read what was found in the end."""

    def worth(numbered: tuple[int, DigestLineV1]) -> tuple[int, bool, bool, int]:
        number, line = numbered
        words = _words(line)
        return _NOTED_ORDER.index(line.kind), is_supposed(words), _FOUND.search(words) is None, -number

    return [line for _, line in sorted(enumerate(noted), key=worth)]


def _is_told(line: DigestLineV1, done: Sequence[DigestLineV1]) -> bool:
    """Whether a report that is told says what was kept, and no more is to be told of it than its words."""
    stands = line.status == "active" and line.superseded_by is None and line.said_otherwise is None
    return line.kind != "preference" and stands and line.quote is not None and _is_within(line.quote, done)


def _is_within(quote: DigestQuoteV1, done: Sequence[DigestLineV1]) -> bool:
    return any(stands_within(quote, line.quote) for line in done)


def _words(line: DigestLineV1) -> str:
    return line.quote.text if line.quote is not None else line.text


def _told(connection: duckdb.DuckDBPyConnection, session_ids: Sequence[str]) -> dict[str, _Told]:
    """What the episodes and gotchas of some sessions tell, each with an answer, be it none."""
    wanted = [json_list(session_ids)]
    episodes: dict[str, list[dict[str, Any]]] = {}
    gotchas: dict[str, list[tuple[str, list[dict[str, Any]]]]] = {}
    for session_id, kind, unit_id, citations_json in fetch(connection, _UNITS, wanted):
        if kind == "episode":
            episodes[session_id] = json.loads(citations_json)
        else:
            gotchas.setdefault(session_id, []).append((unit_id, json.loads(citations_json)))
    places = [place for cited in episodes.values() for place in (cited[0], cited[-1])]
    places += [place for of_session in gotchas.values() for _, cited in of_session for place in cited]
    messages = cited_messages(connection, places)
    last_said = dict(fetch(connection, _LAST_SAID, wanted))
    refused = {
        session_id: quote_of(session_id, index, f"[[0, {len(text)}]]", text, tool, ts)
        for session_id, index, text, tool, ts in fetch(connection, _REFUSED_LAST, [*wanted, REFUSED_BY_PERSON])
    }
    return {
        session_id: _Told(
            _goal(messages, episodes.get(session_id, ())),
            refused.get(session_id) or _ended(messages, episodes.get(session_id, ()), last_said.get(session_id)),
            tuple(
                failure
                for unit_id, cited in gotchas.get(session_id, ())
                if not _only_a_slip(failure := _failure(messages, unit_id, cited))
            ),
        )
        for session_id in session_ids
    }


def _goal(messages: Mapping[tuple[str, int], CitedMessage], cited: Sequence[dict[str, Any]]) -> DigestQuoteV1 | None:
    """What a person asked first: the sentence that the episode cites, and those behind it while all of them are short."""
    if not cited:
        return None
    message = messages.get((cited[0]["session_id"], cited[0]["message_index"]))
    if message is None or message.role != "user":
        return None
    return quote_going_on(message, cited[0]["span_start"], cited[0]["span_end"], "said on")


def _ended(
    messages: Mapping[tuple[str, int], CitedMessage], cited: Sequence[dict[str, Any]], last_said: int | None
) -> DigestQuoteV1 | None:
    """How it ended, where the episode cites that: the beginning of the last message, unless that is what was asked first."""
    if len(cited) < 2 or cited[-1]["message_index"] != last_said:
        return None
    message = messages.get((cited[-1]["session_id"], cited[-1]["message_index"]))
    if message is None:
        return None
    return quote_going_on(message, cited[-1]["span_start"], cited[-1]["span_end"], "announced")


def _failure(
    messages: Mapping[tuple[str, int], CitedMessage], unit_id: str, cited: Sequence[dict[str, Any]]
) -> DigestFailureV1:
    error, *ended = [quote for place in cited if (quote := quote_at_place(messages, place)) is not None]
    return DigestFailureV1(id=unit_id, error=error, mended=tuple(ended))


def _only_a_slip(failure: DigestFailureV1) -> bool:
    """Whether a compiler found it, the next edit ended it, and nobody found a word on it worth saying."""
    return bool(failure.mended) and is_slip(failure.error.text) and all(quote.speaker not in _SPEAK for quote in failure.mended)
