"""Who speaks where in a Markdown dialogue: marks before what is said, in one style a file.

Two kinds of file are taken. In a *dialogue* the marks name a person and an agent in words that we know; they may stand anywhere
near the beginning, behind notes. A *transcript* may name anybody, and write ``Q:`` and ``A:``, list or quote its turns; then
all of the file has to be turns that go back and forth, as a glossary and a page of questions look the same at first.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from memory_assets.sessions.model import Role

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
# What may stand before a name in a transcript: a list's or a quotation's mark, a time.
_MARK = re.compile(r"^(?:[-*+>][ \t]+){1,2}(?=\*\*|__|\[?\d)")
_CLOCK = re.compile(r"^\[?((?:\d{4}-\d\d-\d\d[ T])?\d{1,2}:\d\d(?::\d\d)?)\]?[ \t]+(?=\S)")
_LETTERS: dict[str, Role] = {
    **dict.fromkeys(("q", "question", "질문"), "user"),
    **dict.fromkeys(("a", "answer", "답", "답변"), "assistant"),
}
_DECORATION = re.compile(r"^[^\w가-힣]+|[^\w가-힣)]+$")
_TRAILING = re.compile(r"[ \t]*(?:\(([^()]{0,60})\)|[-–—|@·,][ \t]+(.{4,40}))$")
_VERSION = re.compile(r"[ -]?(?:v?\d[\w.]{0,12}|opus|sonnet|haiku|pro|flash|turbo)(?:[ -][\w.]{1,12}){0,3}$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_LEAD_LINES = 40
# What stands before a colon in logs and in settings.
_NOBODY = frozenset(["trace", "debug", "info", "notice", "warn", "warning", "error", "fatal", "critical"])
_SETTINGS = frozenset({"model", "llm", "response", "prompt", "agent"})
_LONGEST_NAME_WORDS = 3
_MIN_TRANSCRIPT_TURNS = 4
_MAX_SPEAKERS = 8


@dataclass(frozen=True, slots=True)
class Turn:
    """One mark and what belongs to it.

    Attributes:
        line: 0-based line of the mark.
        rest: what stands behind the mark on its line.
        mark: what stands before it: a list's or a quotation's mark; the lines that follow carry it too, or are indented.
    """

    line: int
    role: Role
    name: str
    time: str | None
    rest: str
    mark: str = ""


_Style = Callable[[int, str], Turn | None]


def dialogue_turns(lines: Sequence[str], start: int, *, names_session: bool) -> list[Turn]:
    """The turns of a file whose content begins at line ``start``; none where it is no dialogue.

    Args:
        names_session: the file says that it is a session; then one speaker is enough.
    """
    best: list[Turn] = []
    unfenced = list(_unfenced(lines, start))
    for style in (_heading_turn, _bold_turn, _plain_turn):
        turns = _of_the_same_speakers(_turns(unfenced, style))
        if not turns or not _is_near_the_beginning(lines[start : turns[0].line], plain=style is _plain_turn):
            continue
        roles = {turn.role for turn in turns}
        if ({"user", "assistant"} <= roles or (names_session and roles & {"user", "assistant"})) and len(turns) > len(best):
            best = turns
    return best or _transcript_turns(lines, start, unfenced)


def text_of(turn: Turn, lines: Sequence[str]) -> str:
    """What was said in a turn, of the lines behind its mark."""
    if ">" in turn.mark:
        lines = [re.sub(r"^>[ \t]?", "", line) for line in lines]
    elif turn.mark:
        lines = [re.sub(r"^ {1,4}", "", line) for line in lines]
    text = "\n".join([turn.rest, *lines]).strip("\n")
    return re.sub(r"\n(?:-{3,}|\*{3,}|_{3,})\s*\Z", "", "\n" + text).strip()


def _turns(unfenced: Sequence[tuple[int, str]], style: _Style) -> list[Turn]:
    return [turn for number, line in unfenced if (turn := style(number, line))]


def _is_near_the_beginning(before: Sequence[str], *, plain: bool) -> bool:
    lead = [line for line in before if line.strip()]
    if plain:  # ``name:`` is common in prose, so that only a title, rules and quotes may stand before it
        return all(line.startswith(("#", ">", "---", "***", "<!--")) for line in lead)
    return len(lead) <= _LEAD_LINES


def _transcript_turns(lines: Sequence[str], start: int, unfenced: Sequence[tuple[int, str]]) -> list[Turn]:
    for style in (_any_bold_turn, _letter_turn, _timed_turn):
        turns = _turns(unfenced, style)
        if not turns or not _is_near_the_beginning(lines[start : turns[0].line], plain=True):
            continue
        spoken = Counter(turn.name for turn in turns)
        changes = sum(one.name != other.name for one, other in itertools.pairwise(turns))
        if (
            2 <= len(spoken) <= _MAX_SPEAKERS
            and len(turns) >= max(_MIN_TRANSCRIPT_TURNS, 2 * len(spoken))
            and 2 * changes >= len(turns) - 1
            and not any(line.startswith("#") for number, line in unfenced if number > turns[0].line)
        ):
            return turns
    return []


def _unfenced(lines: Sequence[str], start: int) -> Iterator[tuple[int, str]]:
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


def _heading_turn(number: int, line: str) -> Turn | None:
    if not line.startswith("#"):
        return None
    heading = _HEADING.match(line)
    return _turn(number, heading[1], "") if heading else None


def _bold_turn(number: int, line: str) -> Turn | None:
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


def _plain_turn(number: int, line: str) -> Turn | None:
    if not any(colon in line[:100] for colon in _COLONS):
        return None
    plain = _PLAIN.match(line)
    turn = _turn(number, f"{plain[1]} {plain[2] or ''}".strip(), plain[3]) if plain else None
    if turn is None or turn.role not in ("user", "assistant"):  # ``system: linux`` is no speech
        return None
    return None if turn.name.lower() in _SETTINGS and " " not in turn.rest else turn  # nor is ``model: gpt-4``


def _any_bold_turn(number: int, line: str) -> Turn | None:
    mark, time, line = _without_marks(line)
    bold = _BOLD.match(line)
    if bold is None or not (bold[3] or bold[1].rstrip().endswith(_COLONS)):
        return None
    label = bold[1].rstrip(" :\uff1a")
    turn = _turn(number, f"{label} {bold[2] or ''}".strip(), bold[4])
    if turn is None and not (mark and time is None and ">" not in mark):  # a list of bold names is a glossary or a change log
        turn = _somebodys(number, label, bold[4])
    return replace(turn, mark=mark, time=turn.time or _moment(time)) if turn else None


def _letter_turn(number: int, line: str) -> Turn | None:
    mark, time, line = _without_marks(line)
    plain = _PLAIN.match(line.replace("*", ""))
    role = _LETTERS.get(plain[1].lower()) if plain else None
    return Turn(number, role, plain[1], _moment(time), plain[3], mark) if plain and role else None


def _timed_turn(number: int, line: str) -> Turn | None:
    mark, time, line = _without_marks(line)
    plain = _PLAIN.match(line) if time else None
    turn = _turn(number, plain[1], plain[3]) or _somebodys(number, plain[1], plain[3]) if plain else None
    return replace(turn, mark=mark, time=_moment(time)) if turn else None


def _without_marks(line: str) -> tuple[str, str | None, str]:
    """The mark before a line, the time before it, and the line behind both."""
    found = _MARK.match(line)
    mark = found[0].strip() if found else ""
    line = line[found.end() :] if found else line
    clock = _CLOCK.match(line)
    return (mark, clock[1], line[clock.end() :]) if clock else (mark, None, line)


def _moment(clock: str | None) -> str | None:
    return clock if clock and "-" in clock else None  # a time of day alone tells no moment


def _somebodys(number: int, label: str, rest: str) -> Turn | None:
    """A turn of somebody whom we do not know: a person, as agents are known by their names."""
    name = _DECORATION.sub("", label.strip())
    fits = (
        name
        and name.lower() not in _NOBODY
        and len(name.split()) <= _LONGEST_NAME_WORDS
        and len(name) <= 30
        and not re.search(r"[.!?,;/\\]", name)
    )
    return Turn(number, _LETTERS.get(name.lower(), "user"), name, None, rest) if fits else None


def _turn(number: int, label: str, rest: str) -> Turn | None:
    bare = _DECORATION.sub("", label.strip())
    time: str | None = None
    trailing = _TRAILING.search(bare)
    role = _role_of(bare)
    if role is None and trailing:
        bare, time = bare[: trailing.start()], trailing[1] or trailing[2]
        role = _role_of(bare)
    return Turn(number, role, bare.strip(), time, rest) if role else None


def _role_of(label: str) -> Role | None:
    return _SPEAKERS.get(_speaker(label))


def _speaker(label: str) -> str:
    """The name as the table of speakers spells it, without decoration and a model's version."""
    spelled = _DECORATION.sub("", " ".join(label.lower().split()))
    if spelled not in _SPEAKERS and (version := _VERSION.search(spelled)):
        return spelled[: version.start()]
    return spelled


def _of_the_same_speakers(turns: list[Turn]) -> list[Turn]:
    # An answer may hold a heading or a key that is a speaker's name elsewhere: the first name of each role is its name.
    names: dict[Role, str] = {}
    return [turn for turn in turns if names.setdefault(turn.role, _speaker(turn.name)) == _speaker(turn.name)]
