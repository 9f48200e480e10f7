"""What ended an error within a session: the same program running well again, or words that say what the cause was.

Cautious on purpose: an error of which it is not clear what ended it is none that anybody learns from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memory_assets.sessions.error_lines import ErrorLine, telling_line
from memory_assets.sessions.fix_words import is_refusal, names_cause, names_fix, says_it_stays, says_it_works
from memory_assets.sessions.tool_calls import command_of, files_changed, programs_of
from memory_assets.text.sentences import Sentence, sentences

WINDOW: Final = 40
"""Turns behind an error in which it may end."""
_EXPLAINED_WITHIN: Final = 8
"""Turns behind an error in which its cause is told where nothing runs well again."""
_AFTERTHOUGHT: Final = 2
"""Turns behind the end that may still tell the cause."""
_SAYS_READ: Final = 6_000

_FAILED = re.compile(r"(?:.{0,80}\n){0,4}(?:Error: )?(?:Process )?[Ee]xit(?:ed with)? code:? [1-9]")
_MOST_OTHERS: Final = 2
"""Other errors of the same output: of more it is not clear which of them a change was for."""
_OF_THE_SHELL = re.compile(r"\(eval\)|.{0,120}command not found|.{0,60}\bcd: |.{0,120}명령")
_SHELL_WITHIN: Final = 6
"""Turns behind a slip at the prompt in which it is typed otherwise."""
_NAMES_TEST = re.compile(r"--- FAIL|FAILED |FAIL \S{1,160}\.[jt]sx?|^E {3}", re.MULTILINE)
_FILTER = re.compile(r"\|\s{0,3}(?:tail|head|grep|rg)\b")


@dataclass(frozen=True, slots=True)
class Turn:
    """A message as far as it matters here.

    Attributes:
        head, tail: the beginning of its text, and the end of a long one, which begins at ``tail_at``.
    """

    index: int
    uid: str
    role: str
    kind: str
    tool: str | None
    call_id: str | None
    is_error: bool
    said_at: datetime
    head: str
    tail: str
    tail_at: int

    @property
    def shown(self) -> str:
        """What is known of its text, as one."""
        return f"{self.head}\n{self.tail}" if self.tail else self.head

    def place(self, position: int) -> int:
        """Where a position of ``shown`` stands in its text."""
        return position if position <= len(self.head) else position - len(self.head) - 1 + self.tail_at


@dataclass(frozen=True, slots=True)
class MessageSpan:
    """Characters of a message."""

    index: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Gotcha:
    """An error and what ended it.

    Attributes:
        error: the telling line.
        excerpt: the lines around it.
        files: what was changed before it ended.
        command: what ran well in the end where it was told otherwise before.
        cause: the sentence that says what it was, or what helped.
        ended: where the end stands: the sentence, the change, or the call that ran well.
    """

    turn: Turn
    error: MessageSpan
    tag: str
    excerpt: str
    files: tuple[str, ...]
    command: str | None
    cause: MessageSpan | None
    ended: tuple[MessageSpan, ...]


@dataclass(frozen=True, slots=True)
class _Failure:
    position: int
    line: ErrorLine
    programs: frozenset[str]
    command: str | None


def gotchas(turns: Sequence[Turn]) -> list[Gotcha]:
    """The errors of a session that ended within it, each error once."""
    calls = _calls(turns)
    failures = list(_failures(turns, calls))
    found: dict[str, Gotcha] = {}
    for number, failure in enumerate(failures):
        tag = failure.line.tag
        again = next((later.position for later in failures[number + 1 :] if later.line.tag == tag), len(turns))
        if tag and tag not in found and (ended := _ended(turns, calls, failure, again)):
            found[tag] = ended
    return list(found.values())


def _calls(turns: Sequence[Turn]) -> dict[int, Turn]:
    """Of each result, by its position, the call that it answers."""
    by_id = {turn.call_id: turn for turn in turns if turn.kind == "tool_call" and turn.call_id}
    calls: dict[int, Turn] = {}
    for position, turn in enumerate(turns):
        if turn.kind != "tool_result":
            continue
        before = turns[position - 1] if position else None
        if turn.call_id and turn.call_id in by_id:
            calls[position] = by_id[turn.call_id]
        elif before is not None and before.kind == "tool_call" and not turn.call_id:
            calls[position] = before
    return calls


def _failures(turns: Sequence[Turn], calls: dict[int, Turn]) -> Iterator[_Failure]:
    for position, turn in enumerate(turns):
        if turn.kind == "tool_result":
            call = calls.get(position)
            command = command_of(call.tool, call.head) if call else None
            if call is not None and command is None and not turn.is_error:
                continue  # a file that was read, or a search, holds errors of others
            failed = turn.is_error or _FAILED.match(turn.head) is not None
        elif turn.kind == "said" and turn.role == "user":
            command, failed = None, False
        else:
            continue
        if is_refusal(turn.head):
            continue
        line = telling_line(turn.shown, failed=failed)
        if line is not None and not _may_hide_the_test(turn, command):
            yield _Failure(position, line, programs_of(command) if command else frozenset(), command)


def _may_hide_the_test(turn: Turn, command: str | None) -> bool:
    """Whether tests ran of which the part that is not known says what failed: what they print besides is no error."""
    is_cut = turn.tail != "" and turn.tail_at > len(turn.head)
    return is_cut and command is not None and "test" in command and not _NAMES_TEST.search(turn.shown)


def _ended(turns: Sequence[Turn], calls: dict[int, Turn], failure: _Failure, again: int) -> Gotcha | None:
    """The gotcha of a failure; None where nothing tells what ended it before it happened again."""
    behind = range(failure.position + 1, min(failure.position + 1 + WINDOW, again, len(turns)))
    if turns[failure.position].kind == "said":
        return _confirmed(turns, failure, behind)
    if failure.line.others > _MOST_OTHERS:
        return None
    slip = _OF_THE_SHELL.match(failure.line.text) is not None
    soon = behind[:_SHELL_WITHIN] if slip else behind
    good = next((position for position in soon if _runs_well(turns, calls, position, failure)), None)
    if good is not None:
        return _run_again(turns, calls, failure, good)
    return None if slip else _explained(turns, failure, behind)


def _runs_well(turns: Sequence[Turn], calls: dict[int, Turn], position: int, failure: _Failure) -> bool:
    """Whether this is the result of the program that failed, and of no failure."""
    turn = turns[position]
    if turn.is_error or _FAILED.match(turn.head) or not _gone(turns, calls, position, failure):
        return False
    line = telling_line(turn.shown, failed=False)
    return line is None or not line.is_certain


def _gone(turns: Sequence[Turn], calls: dict[int, Turn], position: int, failure: _Failure) -> bool:
    """Whether this is a result of the program that failed which does not say the same."""
    turn, call = turns[position], calls.get(position)
    if turn.kind != "tool_result" or call is None or not failure.programs:
        return False
    command = command_of(call.tool, call.head)
    if command is None or "git stash" in command or not programs_of(command) & failure.programs:
        return False
    return failure.line.text not in turn.shown


def _run_again(turns: Sequence[Turn], calls: dict[int, Turn], failure: _Failure, good: int) -> Gotcha | None:
    # Where it failed otherwise in between, this error had ended by then.
    end = next(position for position in range(failure.position + 1, good + 1) if _gone(turns, calls, position, failure))
    files, changes = _changes(turns, range(failure.position + 1, end))
    call = calls[good]
    command = command_of(call.tool, call.head)
    cause = _cause(turns, range(failure.position + 1, end), failure)
    if cause is None and end == good:
        cause = _cause(turns, range(good + 1, min(good + 1 + _AFTERTHOUGHT, len(turns))), failure, only_cause=True)
    told_otherwise = (
        command is not None
        and command != failure.command
        and not (_FILTER.search(command) and not _FILTER.search(failure.command or ""))
    )
    if not files and cause is None and not (told_otherwise and good - failure.position <= _EXPLAINED_WITHIN):
        return None  # it went away by itself
    # What was changed tells more than that it ran again; where nothing was, it was told otherwise.
    shown = command if told_otherwise and not files else None
    ended = _places(cause, changes) or (_command_place(call, command),)
    return _gotcha(turns, failure, files, shown, cause, ended)


def _explained(turns: Sequence[Turn], failure: _Failure, behind: range) -> Gotcha | None:
    """Where nothing runs again: the cause is told soon, and something is changed after that."""
    soon = range(behind.start, min(behind.stop, behind.start + _EXPLAINED_WITHIN))
    cause = _cause(turns, soon, failure, only_cause=True)
    if cause is None:
        return None
    files, changes = _changes(turns, (position for position in behind if turns[position].index > cause.index))
    return _gotcha(turns, failure, files, None, cause, _places(cause, changes)) if files else None


def _confirmed(turns: Sequence[Turn], failure: _Failure, behind: range) -> Gotcha | None:
    """Of an error that a person shows: the cause is told, and the person's next word is that it works."""
    for position in behind:
        turn = turns[position]
        if turn.kind == "said" and turn.role == "user":
            if not says_it_works(turn.head):
                return None
            told = range(behind.start, position)
            cause = _cause(turns, told, failure)
            files, changes = _changes(turns, told)
            return _gotcha(turns, failure, files, None, cause, _places(cause, changes)) if cause else None
    return None


def _cause(turns: Sequence[Turn], behind: range, failure: _Failure, *, only_cause: bool = False) -> MessageSpan | None:
    """The first sentence that says what it was; else the first that says what helps."""
    helps: MessageSpan | None = None
    for position in behind:
        turn = turns[position]
        if turn.kind != "said" or (turn.role == "user" and says_it_stays(turn.head)):
            continue
        for sentence in sentences(turn.head[:_SAYS_READ]):
            if not _tells(sentence):
                continue
            place = MessageSpan(turn.index, sentence.start, sentence.end, sentence.text)
            if names_cause(sentence.text):
                return place
            if helps is None and not only_cause and names_fix(sentence.text, failure.line.text):
                helps = place
    return helps


def _tells(sentence: Sentence) -> bool:
    return sentence.shape in ("prose", "item") and len(sentence.text) >= 20 and not sentence.text.rstrip().endswith("?")


def _changes(turns: Sequence[Turn], positions: range | Iterator[int]) -> tuple[tuple[str, ...], list[MessageSpan]]:
    """The files that were changed, and of each where the first change says so."""
    files: dict[str, MessageSpan] = {}
    for position in positions:
        turn = turns[position]
        if turn.kind == "tool_call":
            for path in files_changed(turn.tool, turn.head):
                start = turn.head.find(path)
                if start >= 0:
                    files.setdefault(path, MessageSpan(turn.index, start, start + len(path), path))
    return tuple(files), list(files.values())


def _places(cause: MessageSpan | None, changes: list[MessageSpan]) -> tuple[MessageSpan, ...]:
    return (*([cause] if cause else []), *changes[-1:])


def _command_place(call: Turn, command: str | None) -> MessageSpan:
    """Where a command stands in its call; the beginning of the call where it stands there with escapes."""
    start = call.head.find(command) if command else -1
    if command is None or start < 0:
        return MessageSpan(call.index, 0, min(len(call.head), 400), call.head[:400])
    return MessageSpan(call.index, start, start + len(command), command)


def _gotcha(
    turns: Sequence[Turn],
    failure: _Failure,
    files: tuple[str, ...],
    command: str | None,
    cause: MessageSpan | None,
    ended: tuple[MessageSpan, ...],
) -> Gotcha:
    turn, line = turns[failure.position], failure.line
    error = MessageSpan(turn.index, turn.place(line.start), turn.place(line.end), line.text)
    return Gotcha(turn, error, line.tag, _excerpt(turn.shown, line), files, command, cause, ended)


def _excerpt(text: str, line: ErrorLine) -> str:
    """The line with two lines before and three behind it, of at most 600 characters."""
    start = line.start
    for _ in range(2):
        start = max(text.rfind("\n", max(0, start - 200), max(0, start - 1)) + 1, 0) if start else 0
    end = line.end
    for _ in range(3):
        found = text.find("\n", end + 1, end + 200)
        end = found if found >= 0 else min(len(text), end + 200)
    return text[max(start, line.start - 250) : min(end, line.end + 350)].strip("\n")
