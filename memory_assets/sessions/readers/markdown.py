"""Plain Markdown dialogues: headings, bold names or names with a colon say who speaks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory_assets.sessions.draft import Part, SessionDraft
from memory_assets.sessions.injected import user_parts
from memory_assets.sessions.model import Role
from memory_assets.sessions.source import DecodedSource, DefectLog, ReaderResult, unix_lines
from memory_assets.sessions.times import parse_time

_USER_NAMES = """
    user, human, me, you, customer, prompt, you said,
    사용자, 유저, 나, 저, 사람, 본인, 고객, 질문자, 질문, 내 질문, 나의 말
"""
_ASSISTANT_NAMES = """
    assistant, ai, bot, chatbot, agent, model, llm, response, ai assistant, assistant said,
    chatgpt, chatgpt said, gpt, claude, claude code, claude said, codex, gemini, copilot, github copilot, cursor,
    어시스턴트, ai 어시스턴트, 비서, 챗봇, 봇, 에이전트, 인공지능, 모델, 답변, 응답,
    클로드, 클로드 코드, 챗지피티, 지피티, 제미나이, 코덱스
"""


def _names(listed: str) -> list[str]:
    return [" ".join(name.split()) for name in listed.split(",")]


_SPEAKERS: dict[str, Role] = {
    **dict.fromkeys(_names(_USER_NAMES), "user"),
    **dict.fromkeys(_names(_ASSISTANT_NAMES), "assistant"),
    **dict.fromkeys(_names("system, developer, 시스템"), "system"),
    **dict.fromkeys(_names("tool, function, tool result, 도구"), "tool"),
}
_COLONS = (":", "\uff1a")
_HEADING = re.compile(r"^#{1,6}[ \t]+(.{1,120})$")
_BOLD = re.compile(r"^(?:\*\*|__)([^*_\n]{1,60})(?:\*\*|__)[ \t]*(\([^()\n]{0,60}\))?[ \t]*([:\uff1a])?[ \t]*(.*)$")
_PLAIN = re.compile(
    r"^\[?([^\s:\uff1a\[\]()<>|`*#-][^:\uff1a\[\]()<>|`*#\n]{0,30}?)\]?[ \t]*(\([^()\n]{0,60}\))?[ \t]*[:\uff1a][ \t]*(.*)$"
)
_DECORATION = re.compile(r"^[^\w가-힣]+|[^\w가-힣)]+$")
_TRAILING = re.compile(r"[ \t]*(?:\(([^()]{0,60})\)|[-–—|@·,][ \t]+(.{4,40}))$")
_VERSION = re.compile(r"[ -]?(?:v?\d[\w.]{0,12}|opus|sonnet|haiku|pro|flash|turbo)(?:[ -][\w.]{1,12}){0,3}$")
_FRONT_KEY = re.compile(r"^([A-Za-z_][\w-]{0,40})[ \t]*:[ \t]*(.*)$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_LEAD_LINES = 40


@dataclass(frozen=True, slots=True)
class _Turn:
    line: int  # 0-based line of the mark
    role: Role
    name: str
    time: str | None
    rest: str  # what stands behind the mark on its line


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
    return bool(_dialogue_turns(lines, front))


def read(source: DecodedSource) -> ReaderResult:
    """One session: the frontmatter's ``session_id`` or ``id`` names it, else the file's path."""
    defects = DefectLog(source.path)
    lines = unix_lines(source.text).split("\n")
    front = frontmatter(lines)
    turns = _dialogue_turns(lines, front)
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
        text = "\n".join([turn.rest, *lines[turn.line + 1 : end]]).strip("\n")
        text = re.sub(r"\n(?:-{3,}|\*{3,}|_{3,})\s*\Z", "", "\n" + text).strip()
        ts = parse_time(turn.time)
        if turn.time and ts is None and any(char.isdigit() for char in turn.time) and turn.role != "assistant":
            defects.add(turn.line + 1, "invalid_time", "the turn's time cannot be")
        draft.add_record("", _parts(turn.role, text), defects, ts=ts, name=turn.name, line=turn.line + 1)
    return ReaderResult((draft.finish(defects),), defects.all())


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


def _dialogue_turns(lines: list[str], front: Frontmatter) -> list[_Turn]:
    names_session = "session_id" in front.values
    best: list[_Turn] = []
    for style in (_heading_turn, _bold_turn, _plain_turn):
        marks = [turn for number, line in _unfenced(lines, front.lines) if (turn := style(number, line))]
        turns = _of_the_same_speakers(marks)
        if not turns or not _is_near_the_beginning(lines, front, turns[0], plain=style is _plain_turn):
            continue
        roles = {turn.role for turn in turns}
        if ({"user", "assistant"} <= roles or (names_session and roles & {"user", "assistant"})) and len(turns) > len(best):
            best = turns
    return best


def _is_near_the_beginning(lines: list[str], front: Frontmatter, first: _Turn, *, plain: bool) -> bool:
    lead = [line for line in lines[front.lines : first.line] if line.strip()]
    if plain:  # ``name:`` is common in prose, so that only a title, rules and quotes may stand before it
        return all(line.startswith(("#", ">", "---", "***", "<!--")) for line in lead)
    return len(lead) <= _LEAD_LINES


def _unfenced(lines: list[str], start: int) -> Iterator[tuple[int, str]]:
    fence: str | None = None
    for number in range(start, len(lines)):
        line = lines[number]
        mark = _FENCE.match(line) if line[:6].lstrip(" ")[:3] in ("```", "~~~") else None
        if mark and fence is None:
            fence = mark[1]
        elif mark and fence is not None and mark[1].startswith(fence) and not line.strip().strip("`~"):
            fence = None
        elif fence is None:
            yield number, line.rstrip()


def _heading_turn(number: int, line: str) -> _Turn | None:
    if not line.startswith("#"):
        return None
    heading = _HEADING.match(line)
    return _turn(number, heading[1], "") if heading else None


def _bold_turn(number: int, line: str) -> _Turn | None:
    if not line.startswith(("**", "__")):
        return None
    bold = _BOLD.match(line)
    if bold is None:
        return None
    label, paren, colon, rest = bold[1], bold[2] or "", bold[3], bold[4]
    if not colon and not label.rstrip().endswith(_COLONS) and rest:
        return None
    label = label.rstrip(" :\uff1a")
    return _turn(number, f"{label} {paren}".strip(), rest)


def _plain_turn(number: int, line: str) -> _Turn | None:
    if not any(colon in line[:100] for colon in _COLONS):
        return None
    plain = _PLAIN.match(line)
    turn = _turn(number, f"{plain[1]} {plain[2] or ''}".strip(), plain[3]) if plain else None
    return turn if turn and turn.role in ("user", "assistant") else None  # ``system: linux`` is no speech


def _turn(number: int, label: str, rest: str) -> _Turn | None:
    bare = _DECORATION.sub("", label.strip())
    time: str | None = None
    trailing = _TRAILING.search(bare)
    role = _role_of(bare)
    if role is None and trailing:
        bare, time = bare[: trailing.start()], trailing[1] or trailing[2]
        role = _role_of(bare)
    return _Turn(number, role, bare.strip(), time, rest) if role else None


def _role_of(label: str) -> Role | None:
    return _SPEAKERS.get(_speaker(label))


def _speaker(label: str) -> str:
    """The name as the table of speakers spells it, without decoration and a model's version."""
    spelled = _DECORATION.sub("", " ".join(label.lower().split()))
    if spelled not in _SPEAKERS and (version := _VERSION.search(spelled)):
        return spelled[: version.start()]
    return spelled


def _of_the_same_speakers(turns: list[_Turn]) -> list[_Turn]:
    # An answer may hold a heading or a key that is a speaker's name elsewhere: the first name of each role is its name.
    names: dict[Role, str] = {}
    return [turn for turn in turns if names.setdefault(turn.role, _speaker(turn.name)) == _speaker(turn.name)]
