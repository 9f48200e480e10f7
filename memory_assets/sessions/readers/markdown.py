"""Plain Markdown dialogues: headings, bold names or names with a colon say who speaks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory_assets.sessions.draft import Part, SessionDraft
from memory_assets.sessions.injected import user_parts
from memory_assets.sessions.model import Role
from memory_assets.sessions.readers.markdown_turns import Turn, dialogue_turns, text_of
from memory_assets.sessions.source import DecodedSource, DefectLog, ReaderResult, unix_lines
from memory_assets.sessions.times import parse_time

_FRONT_KEY = re.compile(r"^([A-Za-z_][\w-]{0,40})[ \t]*:[ \t]*(.*)$")


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The ``key: value`` lines that open a file between two ``---``, and how many lines they take."""

    values: dict[str, str]
    lines: int


def is_dialogue(text: str) -> bool:
    """Whether a text is a dialogue: one style of marks, a person and an agent both, near the beginning.

    Marks inside code fences do not count. A file whose frontmatter names a session needs one speaker only.
    """
    lines = unix_lines(text).split("\n")
    front = frontmatter(lines)
    return bool(_turns(lines, front))


def read(source: DecodedSource) -> ReaderResult:
    """One session: the frontmatter's ``session_id`` or ``id`` names it, else the file's path."""
    defects = DefectLog(source.path)
    lines = unix_lines(source.text).split("\n")
    front = frontmatter(lines)
    turns = _turns(lines, front)
    values = front.values
    draft = SessionDraft(
        values.get("session_id") or values.get("id") or source.path,
        "markdown",
        ordinal_uids=True,
        project=values.get("project"),
        title=values.get("title"),
        cwd=values.get("cwd"),
        git_branch=values.get("git_branch") or values.get("branch"),
    )
    started = next((values[key] for key in ("started_at", "created_at", "created", "date") if key in values), None)
    draft.started_at = parse_time(started)
    if started and draft.started_at is None:
        defects.add(None, "invalid_time", "the frontmatter's time cannot be")
    _read_lead(draft, lines[front.lines : turns[0].line] if turns else [], defects)
    for index, turn in enumerate(turns):
        end = turns[index + 1].line if index + 1 < len(turns) else len(lines)
        text = text_of(turn, lines[turn.line + 1 : end])
        ts = parse_time(turn.time)
        if turn.time and ts is None and any(char.isdigit() for char in turn.time) and turn.role != "assistant":
            defects.add(turn.line + 1, "invalid_time", "the turn's time cannot be")
        draft.add_record("", _parts(turn.role, text), defects, ts=ts, name=turn.name, line=turn.line + 1)
    return ReaderResult((draft.finish(defects),), defects.all())


def _turns(lines: Sequence[str], front: Frontmatter) -> list[Turn]:
    return dialogue_turns(lines, front.lines, names_session="session_id" in front.values)


def _parts(role: Role, text: str) -> list[Part]:
    if not text:
        return []
    if role == "user":
        return user_parts(text)
    if role == "assistant":
        return [Part("assistant", "said", text)]
    return [Part(role, "tool_result" if role == "tool" else "injected", text)]


def _read_lead(draft: SessionDraft, lines: list[str], defects: DefectLog) -> None:
    """What stands before the first turn: a title, and perhaps notes, which nobody says but which are kept."""
    for number, line in enumerate(lines):
        if line.startswith("# "):
            draft.title = draft.title or " ".join(line[2:].split()) or None
            lines = lines[:number] + lines[number + 1 :]
            break
    notes = re.sub(r"\n(?:-{3,}|\*{3,})\s*\Z", "", "\n" + "\n".join(lines)).strip()
    if notes:
        draft.add_record("", [Part("system", "injected", notes)], defects)


def frontmatter(lines: list[str]) -> Frontmatter:
    """The flat keys of a YAML frontmatter; nested ones are passed over."""
    start = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if not lines or lines[start].strip() != "---":
        return Frontmatter({}, 0)
    values: dict[str, str] = {}
    for number in range(start + 1, min(len(lines), start + 200)):
        if lines[number].strip() in ("---", "..."):
            return Frontmatter(values, number + 1)
        key = _FRONT_KEY.match(lines[number])
        if key and (value := key[2].strip().strip("\"'").strip()):
            values[key[1].lower()] = value
    return Frontmatter({}, 0)
