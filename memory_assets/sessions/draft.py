"""A session while it is being read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import dropwhile, takewhile

from memory_assets.sessions.folders import project_of_folder
from memory_assets.sessions.keys import session_key
from memory_assets.sessions.masking.forgotten_spans import FILLER
from memory_assets.sessions.model import Message, MessageKind, Role, Session, SourceFormat
from memory_assets.sessions.origins import Stretch, hands_over_plan, origins_of
from memory_assets.sessions.recalled import MARK, is_own_tool, without_recalled
from memory_assets.sessions.source import DefectLog, without_data_uris
from memory_assets.sessions.times import parse_time
from memory_assets.text.chat_commands import behind_mode, only_tells_program
from memory_assets.vocabulary import Origin

_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。\uff01\uff1f]")
_LINK = re.compile(r"\[([^\]\n]{1,200})\]\([^()\n]{0,400}\)")
_NAMED = re.compile(r"<command-name>\s{0,8}(/[\w:.-]{1,60})\s{0,8}</command-name>")
_MOST_BEHIND = 8
_TITLE_LENGTH = 80
_TELLING_LENGTH = 8  # shorter beginnings ("hi", "244", "다음") tell sessions apart only where there is nothing else


@dataclass(frozen=True, slots=True)
class Part:
    """A message of a record before it has an id: who says what."""

    role: Role
    kind: MessageKind
    text: str
    tool_name: str | None = None
    tool_use_id: str | None = None
    is_error: bool = False


@dataclass(slots=True)
class SessionDraft:
    """Collects the messages of one session in source order.

    A record's messages are ``uid``, ``uid#1``, ``uid#2`` …; without record ids (``ordinal_uids``) a message's uid is its
    position.
    """

    source_id: str
    source_format: SourceFormat
    ordinal_uids: bool = False
    project: str | None = None
    title: str | None = None
    started_at: datetime | None = None
    cwd: str | None = None
    git_branch: str | None = None
    messages: list[Message] = field(default_factory=list)
    _seen: dict[str, list[Sequence[Part]]] = field(default_factory=dict)
    _untimed_lines: list[int | None] = field(default_factory=list)
    _timed: bool = False
    _own_calls: set[str] = field(default_factory=set)  # of tools of this memory, by id

    def add_record(
        self,
        uid: str,
        parts: Sequence[Part],
        defects: DefectLog,
        *,
        ts: datetime | None = None,
        name: str | None = None,
        sidechain: bool = False,
        line: int | None = None,
    ) -> None:
        """Take a record's messages; a record that is here already, by id and content, is taken once.

        Two different records under one id are both kept, the later as ``uid~2``: losing one would lose what was said.
        """
        parts = self._without_what_was_told([replace(part, text=without_data_uris(part.text)) for part in parts])
        if not parts:
            return
        if not self.ordinal_uids:
            versions = self._seen.setdefault(uid, [])
            if parts in versions:
                return
            versions.append(parts)
            if len(versions) > 1:
                uid = f"{uid}~{len(versions)}"
                defects.add(line, "malformed_record", "a record id stands on two different records; both are kept")
        for index, part in enumerate(parts):
            record_uid = f"{uid}#{index}" if index else uid
            self.messages.append(
                Message(
                    uid=str(len(self.messages)) if self.ordinal_uids else record_uid,
                    role=part.role,
                    kind=part.kind,
                    text=part.text,
                    ts=ts,
                    name=name,
                    tool_name=part.tool_name,
                    tool_use_id=part.tool_use_id,
                    sidechain=sidechain,
                    is_error=part.is_error,
                )
            )

    def _without_what_was_told(self, parts: Sequence[Part]) -> list[Part]:
        """The parts without what this memory told the agent; one that held nothing else is none, unless its place counts."""
        kept = []
        for part in parts:
            if part.kind == "tool_call" and is_own_tool(part.tool_name) and part.tool_use_id:
                self._own_calls.add(part.tool_use_id)
            is_own = part.kind == "tool_result" and (is_own_tool(part.tool_name) or part.tool_use_id in self._own_calls)
            text = MARK if is_own and part.text else without_recalled(part.text)
            if text or not part.text or self.source_format == "chat.v1":
                kept.append(replace(part, text=text) if text != part.text else part)
        return kept

    def read_time(self, value: object, line: int | None, defects: DefectLog) -> datetime | None:
        """The time of a record whose format carries one; a missing or impossible one is a defect."""
        moment = parse_time(value)
        if moment is not None:
            self._timed = True
        elif value is None or value == "":
            self._untimed_lines.append(line)
        else:
            defects.add(line, "invalid_time", "the record's time cannot be")
        return moment

    def finish(self, defects: DefectLog) -> Session:
        """The session. Where no record has a time that is one defect, not one for each record."""
        if self._timed:
            for line in self._untimed_lines:
                defects.add(line, "missing_time", "the record has no time")
        elif self._untimed_lines:
            detail = f"none of the session's {len(self._untimed_lines)} records has a time"
            defects.add(self._untimed_lines[0], "missing_time", detail)
        times = [message.ts for message in self.messages if message.ts is not None]
        return Session(
            session_id=session_key(self.source_format, self.source_id),
            source_id=self.source_id,
            source_format=self.source_format,
            messages=tuple(self.messages),
            project=self.project or project_of_folder(self.cwd),
            # Masking cuts a title that the source gives: half of a key would not be known as one.
            title=" ".join(self.title.split()) if self.title else title_from(self.messages),
            started_at=self.started_at or min(times, default=None),
            cwd=self.cwd,
            git_branch=self.git_branch,
            ordinal_uids=self.ordinal_uids,
        )


def title_from(messages: Sequence[Message]) -> str | None:
    """The first sentence that a person types and that says something, at most 80 characters; None where no person speaks.

    A command that handed work over is such a sentence, with the few characters behind it: ``/pr-review 154``. Where nobody
    typed anything the first words that stand under a person's name must do.
    """
    first: str | None = None
    for place, message in enumerate(messages):
        title = _title_of_command(messages, place) or title_of(message)
        if title is None:
            continue
        if len(title) >= _TELLING_LENGTH:
            return title
        first = first or title
    return first or next((title for one in messages if _of_person(one) and (title := short_title(one.text))), None)


def title_of(message: Message) -> str | None:
    """The title that a message gives its session; None where no person typed it in the session itself, or it is empty.

    A plan that is handed over gives its own title; what else is pasted or a program's gives none.
    """
    if not _of_person(message):
        return None
    stretches = origins_of(message)
    if hands_over_plan(message.text):
        return short_title("".join(_texts_of(message, stretches, "pasted"))) or None
    typed = "\n".join(_texts_of(message, stretches, "typed"))
    asked = "\n".join(dropwhile(_says_nothing, typed.split("\n")))
    return short_title(_LINK.sub(r"\1", asked[behind_mode(asked) :])) or None


def _says_nothing(line: str) -> bool:
    return not line.strip() or only_tells_program(line.rstrip())


def _title_of_command(messages: Sequence[Message], place: int) -> str | None:
    """The name of a command and what was typed behind it; None of a message that is none.

    None too where no text of the command follows, which only told the program something (``/clear``), and where what was typed
    behind it tells enough by itself.
    """
    called = messages[place]
    named = _NAMED.search(called.text) if called.role == "user" and called.kind == "injected" and not called.sidechain else None
    if named is None:
        return None
    next_ones = messages[place + 1 : place + 1 + _MOST_BEHIND]
    behind = [one for one in takewhile(_of_person, next_ones) if one.text.strip(f"{FILLER} \n")]
    typed = [title for one in behind if (title := title_of(one)) is not None]
    given = typed[0] if typed else ""
    if len(typed) == len(behind) or len(given) >= _TELLING_LENGTH:
        return None
    return at_most_a_title(f"{named[1]} {given}")


def _of_person(message: Message) -> bool:
    return message.role == "user" and message.kind == "said" and not message.sidechain


def _texts_of(message: Message, stretches: Sequence[Stretch], origin: Origin) -> Iterator[str]:
    return (message.text[one.start : one.end] for one in stretches if one.origin == origin)


def short_title(text: str) -> str:
    """The first sentence of a text, on one line and at most 80 characters; behind a colon the next line belongs to it."""
    lines = [stripped for line in text[:2000].split("\n") if (stripped := line.strip(f"#>*-= \t`{FILLER}"))]
    if not lines:
        return ""
    end = _SENTENCE_END.search(lines[0])
    sentence = lines[0][: end.end()] if end else lines[0]
    if sentence.endswith(":") and len(lines) > 1:
        sentence = f"{sentence} {lines[1]}"
    return at_most_a_title(sentence)


def at_most_a_title(text: str) -> str:
    """The text on one line, cut at a word to at most 80 characters."""
    line = " ".join(text.split())
    if len(line) <= _TITLE_LENGTH:
        return line
    cut = line[: _TITLE_LENGTH - 1]
    at_word = cut.rfind(" ")
    return (cut[:at_word] if at_word > _TITLE_LENGTH // 2 else cut) + "…"
