"""What bears out the statuses that entries claim: their quotes with those who speak, and what the person says behind them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from memory_assets.extraction.sentence_context import stems_of, words_of
from memory_assets.extraction.todo_calls import TODO_TOOLS
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.projections.unit_tables.changing_calls import CHANGES_FILES, FAILED, SHOWS_COMMIT
from memory_assets.sessions.tool_calls import commits_made
from memory_assets.tasks.done_evidence import FoundQuote, Speaker, only_guesses, reports, what_settles
from memory_assets.tasks.done_phrases import is_for_later, is_guess, says_failure
from memory_assets.tasks.one_turn import is_one_turn
from memory_assets.text.particles import is_hangul
from memory_assets.vocabulary import DoneBasis

if TYPE_CHECKING:
    import duckdb

_OF_A_MESSAGE = 8_000
"""Characters of an agent's report that are read beside the quote."""
_OF_A_RESULT = 12_000

_QUOTES = f"""
SELECT q.entry_id, q.matched_text, q.message_index, CASE WHEN m.role = 'assistant' AND m.kind = 'said'
    THEN left(m.text, {_OF_A_MESSAGE}) ELSE '' END, m.role, m.kind, m.tool_name, m.sidechain
FROM evidence_spans q JOIN messages m USING (session_id, message_index)
WHERE q.match_method <> 'none' AND q.entry_id IN {IN_LIST} ORDER BY q.entry_id, q.message_index, q.ordinal
"""

# What a program writes when a person stops it is no answer. An answer begins with what it says of the report.
_ANSWERS = f"""
SELECT session_id, message_index, left(text, 400) FROM messages
WHERE session_id IN (SELECT session_id FROM evidence_spans WHERE entry_id IN {IN_LIST})
  AND role = 'user' AND kind = 'said' AND NOT sidechain AND NOT starts_with(text, '[Request interrupted')
ORDER BY session_id, message_index
"""

_CALLS = f"""
SELECT c.session_id, c.message_index, coalesce({CHANGES_FILES}, FALSE) AS changes, {FAILED} AS failed FROM messages c
WHERE c.session_id IN (SELECT session_id FROM evidence_spans WHERE entry_id IN {IN_LIST})
  AND c.kind = 'tool_call' ORDER BY c.session_id, c.message_index
"""

_COMMITS = f"""
SELECT session_id, message_index, left(text, {_OF_A_RESULT}) FROM messages
WHERE session_id IN (SELECT session_id FROM evidence_spans WHERE entry_id IN {IN_LIST}) AND NOT sidechain AND {SHOWS_COMMIT}
ORDER BY session_id, message_index
"""

_ENDS = f"""
SELECT session_id, max(message_index), arg_max(role = 'assistant' AND kind = 'said', message_index) FROM messages
WHERE session_id IN (SELECT session_id FROM evidence_spans WHERE entry_id IN {IN_LIST}) AND NOT sidechain GROUP BY session_id
"""


@dataclass(frozen=True, slots=True)
class BorneOut:
    """A claimed status as far as the session bears it out, and what settles that something is done."""

    status: str | None
    basis: DoneBasis | None = None
    named: str | None = None


@dataclass(frozen=True, slots=True)
class _Answers:
    """What a session's person says, by message."""

    places: tuple[int, ...]
    texts: tuple[str, ...]

    def behind(self, message_index: int) -> str | None:
        """The next that is said behind a message."""
        place = bisect_right(self.places, message_index)
        return self.texts[place] if place < len(self.texts) else None

    def turn_of(self, message_index: int) -> tuple[int, float]:
        """Where the turn of a message begins, and where the next one does: infinite for the last turn."""
        place = bisect_right(self.places, message_index)
        return self.places[place - 1] if place else -1, self.places[place] if place < len(self.places) else inf


@dataclass(frozen=True, slots=True)
class _Calls:
    """What a session's agents called, by message: of each call whether it changed files, and whether it failed."""

    places: tuple[int, ...]
    changes: tuple[bool, ...]
    failed: tuple[bool, ...]

    def changed_files(self, first: int, end: float) -> bool:
        """Whether a call behind the message ``first`` and before ``end`` changed files."""
        return any(self.changes[self._between(first, end)])

    def worked(self, first: int, end: float) -> bool:
        """Whether a call behind the message ``first`` and before ``end`` did not fail."""
        return not all(self.failed[self._between(first, end)])

    def _between(self, first: int, end: float) -> slice:
        return slice(bisect_right(self.places, first), bisect_left(self.places, end))


@dataclass(frozen=True, slots=True)
class _Commit:
    """A commit that a terminal showed, and what it was called."""

    message_index: int
    commit: str
    subject: str


_REVERTS = re.compile(r"Revert \"(?P<subject>.{1,400})\"$")
_LASTING: tuple[DoneBasis, ...] = ("commit", "passing_test")
"""What an agent reports that stands when the turn has ended."""


class ClaimEvidence:
    """The found quotes of entries, and how their sessions go on."""

    def __init__(
        self,
        quotes: Mapping[str, Sequence[FoundQuote]],
        answers: Mapping[str, _Answers],
        ends: Mapping[str, int],
        calls: Mapping[str, _Calls],
        commits: Mapping[str, Sequence[_Commit]],
    ) -> None:
        self._quotes = quotes
        self._answers = answers
        self._ends = ends
        self._calls = calls
        self._commits = commits

    def quotes(self, entry_id: str) -> Sequence[FoundQuote]:
        """In the order of the messages."""
        return self._quotes.get(entry_id, ())

    def status(
        self, session_id: str, entry_id: str, claimed: str | None, message_index: int | None, project_key: str
    ) -> BorneOut:
        """What of a claimed status is borne out.

        Args:
            message_index: of a step of a history the message that says so; None where the whole entry does.
        """
        quotes = self.quotes(entry_id)
        if claimed != "cancelled" and self._is_over(session_id, quotes) and not self._leaves_something(quotes, project_key):
            return BorneOut("done", "turn_ended")
        if message_index is not None:
            quotes = [quote for quote in quotes if quote.message_index == message_index]
        if claimed == "done":
            reported = reports(quotes)
            answer = self._answer(session_id, reported[-1].message_index) if reported else None
            changed = bool(reported) and self._ends_with(session_id, quotes, reported[-1])
            made = self._committed(session_id, self.quotes(entry_id), reported[-1]) if reported else None
            if settled := what_settles(quotes, answer, project_key, files_changed=changed, committed=made):
                return BorneOut("done", settled.basis, settled.named)
            if only_guesses(quotes):
                return BorneOut(None)
        if claimed == "blocked" and quotes and is_guess(quotes[0].text):
            return BorneOut(None)
        if message_index is None and claimed == "pending" and quotes and quotes[0].speaker == "person":
            begun = not is_for_later(quotes[0].text) and self._is_worked_on(session_id, quotes[0].message_index)
            return BorneOut("in_progress" if begun else claimed)
        return BorneOut(claimed)

    def _leaves_something(self, quotes: Sequence[FoundQuote], project_key: str) -> bool:
        """Whether an agent reports more than that it is done: a commit, or tests that pass."""
        settled = what_settles(quotes, None, project_key)
        return settled is not None and settled.basis in _LASTING

    def _ends_with(self, session_id: str, quotes: Sequence[FoundQuote], report: FoundQuote) -> bool:
        """Whether a session ends with a report of what its agents changed files for: it shares a word with the request."""
        answers, calls = self._answers.get(session_id), self._calls.get(session_id)
        if answers is None or calls is None or self._ends.get(session_id) != report.message_index:
            return False
        asked = {word for quote in quotes if quote.speaker == "person" for word in stems_of(words_of(quote.text))}
        if asked and asked.isdisjoint(stems_of(words_of(report.message))):
            return False
        first, _ = answers.turn_of(report.message_index)
        return calls.changed_files(first, report.message_index)

    def _committed(self, session_id: str, quotes: Sequence[FoundQuote], report: FoundQuote) -> str | None:
        """The last commit that was made before a report in its turn and is called by a word of it or of the request."""
        answers = self._answers.get(session_id)
        first = answers.turn_of(report.message_index)[0] if answers is not None else -1
        made = [one for one in self._commits.get(session_id, ()) if first < one.message_index < report.message_index]
        if not made or says_failure(report.message):
            return None
        asked = " ".join(quote.text for quote in quotes if quote.speaker == "person")
        told = stems_of(words_of(f"{asked} {report.text}"))
        named = [one for one in made if told & stems_of(words_of(one.subject))]
        # Where the one is written in Korean and the other is not they share no word.
        is_other = len(made) == 1 and _has_korean(made[0].subject) is not _has_korean(f"{asked} {report.text}")
        found = named or (made if is_other else [])
        return found[-1].commit if found else None

    def _is_worked_on(self, session_id: str, message_index: int) -> bool:
        """Whether an agent called tools in the turn of a message, and one of them did not fail."""
        answers, calls = self._answers.get(session_id), self._calls.get(session_id)
        return answers is not None and calls is not None and calls.worked(*answers.turn_of(message_index))

    def _answer(self, session_id: str, message_index: int) -> str | None:
        answers = self._answers.get(session_id)
        return answers.behind(message_index) if answers else None

    def _is_over(self, session_id: str, quotes: Sequence[FoundQuote]) -> bool:
        """Whether this is an order of one turn whose turn has ended: the person goes on, or the agent has the last word."""
        if not quotes or quotes[0].speaker != "person" or not is_one_turn(quotes[0].text):
            return False
        if any(quote.speaker == "todo_tool" for quote in quotes):
            return False
        at = quotes[0].message_index
        return self._answer(session_id, at) is not None or self._ends.get(session_id, -1) > at


def read_evidence(connection: duckdb.DuckDBPyConnection, entry_ids: Collection[str]) -> ClaimEvidence:
    """What is said for these entries, and behind it in their sessions."""
    if not entry_ids:
        return ClaimEvidence({}, {}, {}, {}, {})
    wanted = [json_list(entry_ids)]
    quotes: dict[str, list[FoundQuote]] = {}
    for entry_id, text, message_index, message, *speaking in connection.execute(_QUOTES, wanted).fetchall():
        quotes.setdefault(entry_id, []).append(FoundQuote(text or "", _speaker(*speaking), message_index, message))
    said: dict[str, list[tuple[int, str]]] = {}
    for session_id, message_index, text in connection.execute(_ANSWERS, wanted).fetchall():
        said.setdefault(session_id, []).append((message_index, text))
    answers = {session_id: _Answers(*zip(*one, strict=True)) for session_id, one in said.items()}
    ends = {session_id: last for session_id, last, is_agent in connection.execute(_ENDS, wanted).fetchall() if is_agent}
    called: dict[str, list[tuple[int, bool, bool]]] = {}
    for session_id, message_index, changes, failed in connection.execute(_CALLS, wanted).fetchall():
        called.setdefault(session_id, []).append((message_index, changes and not failed, failed))
    calls = {session_id: _Calls(*zip(*one, strict=True)) for session_id, one in called.items()}
    commits: dict[str, list[_Commit]] = {}
    for session_id, message_index, printed in connection.execute(_COMMITS, wanted).fetchall():
        of_session = commits.setdefault(session_id, [])
        for match in commits_made(printed):
            _commit(of_session, _Commit(message_index, match["commit"], match["subject"].strip()))
    return ClaimEvidence(quotes, answers, ends, calls, commits)


def _has_korean(text: str) -> bool:
    return any(map(is_hangul, text))


def _commit(made: list[_Commit], newest: _Commit) -> None:
    """Add a commit; one that takes an earlier one back takes it out, and is none itself."""
    if taken_back := _REVERTS.match(newest.subject):
        made[:] = [one for one in made if one.subject != taken_back["subject"]]
    else:
        made.append(newest)


def _speaker(role: str, kind: str, tool_name: str | None, sidechain: bool) -> Speaker:
    if kind == "tool_call":
        return "todo_tool" if (tool_name or "").lower() in TODO_TOOLS else "other"
    if kind != "said" or sidechain:
        return "other"
    return "person" if role == "user" else "agent" if role == "assistant" else "other"
