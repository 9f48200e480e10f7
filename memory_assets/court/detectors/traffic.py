"""The calls of a case with their results, and how each ended: it worked, it failed, or it was never carried out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final, Literal

from memory_assets.court.case import Case, CaseEvent
from memory_assets.court.detectors.causes import kind_of
from memory_assets.court.detectors.cues import cue
from memory_assets.court.detectors.replacements import replaced_text
from memory_assets.court.detectors.voices import fed, framed_code, shows_others
from memory_assets.court.findings import EvidencePart, Quoted
from memory_assets.sessions.error_lines import ERROR_HINT, ErrorLine, telling_line
from memory_assets.sessions.tool_calls import command_of, command_span, files_changed, programs_of

Outcome = Literal["worked", "failed", "empty", "refused", "cancelled", "missing"]
"""``empty`` is a search or a comparison that found nothing; ``cancelled`` a call that another's failure or the person ended."""

_REPLACES: Final = "replace"
_HEAD: Final = 6_000
_TAIL: Final = 4_000
"""Characters of a result's beginning and end that are read: a program says at one of them what went wrong."""
_EXIT = re.compile(r"(?:.{0,80}\n){0,4}(?:Error: )?(?:Process )?[Ee]xit(?:ed with)? code:? (?P<code>[1-9]\d{0,2})\b[^\n]{0,80}")
_HINT = re.compile(ERROR_HINT)
# What ends with 1 where it finds nothing or a difference.
_SEEKS = re.compile(
    r"(?:^|[;&|(]\s{0,3}|\bxargs (?:-\S{1,8} ){0,3})(?:sudo )?"
    r"(?:e?grep|rg|ag|ack|diff|cmp|pgrep|which|command -v|type|test|\[\[?|ls"
    r"|find|git (?:-C \S{1,200} )?(?:grep|diff|show-ref|rev-parse|check-ignore|merge-base|ls-files|config))\b"
)
_PREFIX = re.compile(r"\A\s{0,8}(?:<tool_use_error>|<error>|Error:)?\s{0,4}")
_SHORT_OUTPUT: Final = 800
_BEGINS_WITH_ERROR = re.compile(r"\s{0,8}(?:[\w./-]{1,40}: )?(?:error|fatal|usage|오류|에러): ?\S", re.IGNORECASE)
_MOST_QUOTED: Final = 300
_MOST_LINES: Final = 60
_SPEAKS_OF_ERROR = re.compile(r"\berror\b|\bfatal\b|\bfailed\b|\bdenied\b|오류|에러|실패", re.IGNORECASE)


@dataclass(frozen=True)
class Step:
    """A call of a tool and what came of it.

    Attributes:
        call, result: the two events; a call without a result has none.
        tool: the tool's name.
        command: what it runs, without escapes.
        files: what it writes.
    """

    call: CaseEvent
    result: CaseEvent | None
    tool: str
    command: str | None
    files: tuple[str, ...]

    @property
    def text(self) -> str:
        """The call as it is stored."""
        return self.call.message.text

    @cached_property
    def programs(self) -> frozenset[str]:
        """What the command runs; of one that only shows something to a program that program."""
        if not self.command:
            return frozenset()
        return programs_of(self.command) or frozenset(one for piped in fed(self.command) for one in programs_of(piped))

    @cached_property
    def replaced(self) -> tuple[str, str] | None:
        """The text that an edit takes out, and the one that it puts in."""
        return replaced_text(self.text) if self.files else None

    @property
    def put_text(self) -> str:
        """What an edit puts in; of a file that is written whole all that is written."""
        return self.replaced[1] if self.replaced else self.text

    @property
    def output(self) -> str:
        """The result, of a long one its beginning."""
        return self.result.message.text[:_HEAD] if self.result else ""

    @cached_property
    def outcome(self) -> Outcome:
        """How the call ended."""
        if self.result is None:
            return "missing"
        text, framed = self.output, framed_code(self._last)
        is_error = self.result.message.is_error or bool(framed)
        exited = _EXIT.match(text) if is_error or self.command is not None else None
        if not is_error and (framed == 0 or (self._shows_others and not _stands_above(exited))):
            return "worked"
        if cue("call", "refused").match(text):
            return "refused"
        is_error = is_error or exited is not None
        if is_error and cue("call", "cancelled").match(text):
            return "cancelled"
        if is_error:
            return "empty" if self._found_nothing(text, exited) else "failed"
        # A pipe hides the exit code, and some agents tell none: then only a line that no program prints by chance counts.
        return "failed" if self.programs and (self._certain_line() or self._says_only_error(text)) else "worked"

    @cached_property
    def error(self) -> ErrorLine | None:
        """The line of the result that says what went wrong, with its place in the result's text."""
        if self.result is None or self.outcome != "failed":
            return None
        text = self.result.message.text
        found = telling_line(text[:_HEAD], failed=True)
        if (found is None or not found.is_certain) and len(text) > _HEAD:
            start = max(_HEAD, len(text) - _TAIL)
            last = telling_line(text[start:], failed=True)
            if last is not None and (found is None or last.is_certain):
                found = ErrorLine(start + last.start, start + last.end, last.text, last.is_certain, last.others)
        return found or self._first_line(text)

    def quoted_error(self, part: EvidencePart = "failure") -> Quoted | None:
        """The telling line as evidence."""
        if self.result is None or self.error is None:
            return None
        return quoted(self.result, self.error.start, self.error.end, part)

    def quoted_call(self, part: EvidencePart) -> Quoted:
        """What was run, or the beginning of the call, as evidence."""
        span = command_span(self.call.message.tool_name, self.text)
        start, end = span if span and span[1] > span[0] else (0, len(self.text))
        return quoted(self.call, start, min(end, start + _MOST_QUOTED), part)

    @property
    def _last(self) -> str:
        """The result; of a long one its beginning and its end."""
        text = self.result.message.text if self.result else ""
        return text if len(text) <= _HEAD else text[:_HEAD] + text[max(_HEAD, len(text) - _TAIL) :]

    @cached_property
    def _shows_others(self) -> bool:
        """Whether what the call prints is the text of a file or a page: then only the tool itself tells that it failed."""
        return self.command is not None and shows_others(self.command)

    def _found_nothing(self, text: str, exited: re.Match[str] | None) -> bool:
        """Whether a program says by its exit code alone that there is nothing: it prints no error."""
        if self.command is None:
            return False
        rest = text[exited.end() :].strip() if exited else text.strip()
        if not rest:
            return _SEEKS.search(self.command) is not None or not self.programs
        is_told = telling_line(rest, failed=True) is not None or kind_of(rest[:_SHORT_OUTPUT]) is not None
        return _SEEKS.search(self.command) is not None and not is_told

    def _says_only_error(self, text: str) -> bool:
        """Whether a short output begins with an error: then the program did nothing else."""
        return len(text) <= _SHORT_OUTPUT and _BEGINS_WITH_ERROR.match(text) is not None

    def _certain_line(self) -> ErrorLine | None:
        text = self.result.message.text if self.result else ""
        for part in (text[:_HEAD], text[max(_HEAD, len(text) - _TAIL) :]):
            if part and _HINT.search(part) and (line := telling_line(part, failed=False)) and line.is_certain:
                return line
        return None

    def _first_line(self, text: str) -> ErrorLine | None:
        """The first line that speaks of an error, else the first of all."""
        lead = _EXIT.match(text) or _PREFIX.match(text)
        start = lead.end() if lead and text[lead.end() :].strip() else 0
        first: ErrorLine | None = None
        for line in islice(_lines(text[:_HEAD], start), _MOST_LINES):
            if _SPEAKS_OF_ERROR.search(line.text) or kind_of(line.text) is not None:
                return line
            first = first or line
        return first


def _stands_above(exited: re.Match[str] | None) -> bool:
    """Whether an exit code is told in the first line, above the output: further down a log may tell one of its own."""
    return exited is not None and "\n" not in exited.string[: exited.start("code")]


def _lines(text: str, start: int) -> Iterator[ErrorLine]:
    """The lines of a text that say something, from a place on."""
    for line in text[start:].splitlines(keepends=True):
        told = line.strip()[:_MOST_QUOTED].removesuffix("</tool_use_error>").rstrip()
        if told:
            at = start + line.index(told[0])
            yield ErrorLine(at, at + len(told), told, is_certain=False)
        start += len(line)


def quoted(event: CaseEvent, start: int, end: int, part: EvidencePart) -> Quoted:
    """Characters of an event as evidence."""
    return Quoted(part, event.place, start, end, event.message.text[start:end])


def steps_of(case: Case) -> list[Step]:
    """The calls of the agent that speaks with the person, in order, each with its result."""
    results: dict[str, CaseEvent] = {}
    for event in case.events:
        if event.message.kind == "tool_result" and event.message.tool_use_id and not event.message.sidechain:
            results.setdefault(event.message.tool_use_id, event)
    return list(_steps(case, results))


def _steps(case: Case, results: dict[str, CaseEvent]) -> Iterator[Step]:
    for event in case.events:
        message = event.message
        if message.kind != "tool_call" or message.sidechain:
            continue
        behind = case.events[event.place + 1] if event.place + 1 < len(case.events) else None
        result = results.get(message.tool_use_id) if message.tool_use_id else None
        if result is None and behind is not None and behind.message.kind == "tool_result" and not behind.message.tool_use_id:
            result = behind
        tool = message.tool_name or ""
        # Some agents call the tool that edits by what it does.
        files = files_changed("edit" if tool == _REPLACES else tool, message.text)
        yield Step(event, result, tool, command_of(tool, message.text), files)
