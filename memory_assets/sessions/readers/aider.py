"""Aider's chat history: Markdown in which ``####`` is the person, ``>`` the program, and the rest the model."""

from __future__ import annotations

import re

from memory_assets.identifiers import sha256_hex
from memory_assets.sessions.draft import Part, SessionDraft
from memory_assets.sessions.source import DecodedSource, DefectLog, ReaderResult, unix_lines
from memory_assets.sessions.times import parse_time

START = re.compile(r"^# aider chat started at ([^\n]{0,40})$", re.MULTILINE)


def read(source: DecodedSource) -> ReaderResult:
    """A session for each start of the program. It has no id: its start and its first line make one."""
    defects = DefectLog(source.path)
    text = unix_lines(source.text)
    # Aider ends its own lines with two blanks; where an editor has not stripped them they tell its marks from the model's.
    strict = re.search(r"^(?:####|>) [^\n]*  $", text, re.MULTILINE) is not None
    text = _without_half_a_line(text, defects) if strict else text
    starts = list(START.finditer(text))
    bounds = [(0, starts[0].start() if starts else len(text), "")]
    for index, start in enumerate(starts):
        end = starts[index + 1].start() if index + 1 < len(starts) else len(text)
        bounds.append((start.end(), end, start[1].strip()))
    drafts: dict[str, SessionDraft] = {}
    for begin, end, started in bounds:
        parts = _parts(text[begin:end], strict=strict)
        asked = next((part.text for part in parts if part.role == "user"), None)
        if asked is None and not any(part.role == "assistant" for part in parts):
            continue
        first_line = (asked or parts[0].text).split("\n", 1)[0].strip()
        source_id = f"aider-{started.replace(' ', '-').replace(':', '-') or 'chat'}-{sha256_hex(first_line)[:12]}"
        draft = drafts.setdefault(source_id, SessionDraft(source_id, "aider", ordinal_uids=True))
        draft.started_at = draft.started_at or parse_time(started)
        if started and draft.started_at is None:
            defects.add(text.count("\n", 0, begin) + 1, "invalid_time", "the chat's start cannot be")
        draft.add_record("", parts, defects)
    return ReaderResult(tuple(draft.finish(defects) for draft in drafts.values()), defects.all())


def _without_half_a_line(text: str, defects: DefectLog) -> str:
    rest, newline, last = text.rpartition("\n")
    if last.startswith(("#", ">")) and not last.endswith("  "):
        defects.add(text.count("\n") + 1, "truncated_record", "the last line is half-written; it is taken when it is whole")
        return rest + newline
    return text


def _parts(text: str, *, strict: bool) -> list[Part]:
    parts: list[Part] = []
    kind = "assistant"
    lines: list[str] = []
    fenced = False

    def flush() -> None:
        said = "\n".join(lines).strip("\n").rstrip()
        lines.clear()
        if not said.strip():
            return
        if kind == "user":
            parts.append(Part("user", "said", said))
        elif kind == "program":
            parts.append(Part("system", "injected", said))
        else:
            parts.append(Part("assistant", "said", said))

    for line in text.split("\n"):
        own = line.endswith("  ") if strict else not fenced
        if own and line.startswith("#### "):
            speaker, content = "user", line[5:].rstrip()
        elif own and (line.startswith("> ") or line.rstrip() == ">"):
            speaker, content = "program", line[2:].rstrip()
        elif not line.strip() and kind != "assistant":
            flush()  # a blank line ends what the person or the program said
            kind = "assistant"
            continue
        else:
            speaker, content = "assistant", line
            if line.startswith("```"):
                fenced = not fenced
        if speaker != kind:
            flush()
            kind = speaker
        lines.append(content)
    flush()
    return parts
