"""What a sentence says of the status and the priority of a task, in English and in Korean.

A phrase (``task_phrases.toml``) counts where it is said of what is so: not where it is denied ("not done yet", "아직 안
끝남"), awaited ("if it is done", "끝나면"), asked, or asked for ("끝냈으니 배포해줘" asks for the deployment). Of several
statuses the last one said stands, for a sentence ends with what is so now; what only says that something is open yields to
all others.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import get_args

from memory_assets.vocabulary import Priority, TaskStatus

_MOST = 400
"""Characters of a sentence that are read."""
_BEFORE, _AFTER = 90, 40
"""Characters around a phrase that can make it void."""
_OF_A_THING = re.compile(
    r"(?!(?:i|we)(?:'ve| have)?\s).{0,40}\b(?:done|fixed|finished|completed|closed|resolved)", re.IGNORECASE
)
"""A word that may belong to a thing ("a fixed size", "the done column"), where nobody says that he did it."""
_RIEUL = "".join(chr(code) for code in range(ord("가") + 8, ord("힣") + 1, 28))
_HANGUL = re.compile("[가-힣]")
_Patterns = dict[str, re.Pattern[str]]


@dataclass(frozen=True, slots=True)
class Standing:
    """What a sentence says: the status that stands, and those whose phrases it holds without saying them."""

    status: TaskStatus | None
    denied: frozenset[TaskStatus]


@lru_cache(maxsize=1 << 10)  # a sentence is asked for its status more than once
def standing(text: str) -> Standing:
    """The status that a sentence says of its task."""
    said = _small(_straight(text))
    phrases = _phrases()
    best: tuple[int, TaskStatus] | None = None
    denied: set[TaskStatus] = set()
    asked = _asked(said)
    requested = phrases.void["request"].search(said) is not None
    for status, pattern in (phrases.status if _HANGUL.search(said) else phrases.status_in_latin).items():
        for match in pattern.finditer(said):
            if asked or (requested and status in ("done", "in_progress")) or _is_void(status, said, match):
                denied.add(status)
            elif best is None or match.end() > best[0]:
                best = (match.end(), status)
    if best is not None:
        return Standing(best[1], frozenset(denied - {best[1]}))
    is_open = not asked and phrases.open.search(said) is not None
    return Standing("pending" if is_open else None, frozenset(denied))


def priority_said(text: str) -> Priority | None:
    """The priority that a sentence gives its task; None where it gives none."""
    said = _straight(text)
    return next((priority for priority, pattern in _phrases().priority.items() if pattern.search(said)), None)


def is_waiting(text: str, match: re.Match[str]) -> bool:
    """Whether a phrase of waiting is said of what is so, in a sentence with straight apostrophes."""
    said = _small(text)
    return not _asked(said) and not _is_void("blocked", said, match)


def _is_void(status: TaskStatus, text: str, match: re.Match[str]) -> bool:
    """Whether a phrase does not say that it is so."""
    void = _phrases().void
    before, after = text[max(0, match.start() - _BEFORE) : match.start()], text[match.end() : match.end() + _AFTER]
    in_front: tuple[str, ...] = ("not", "ko_not")
    behind: tuple[str, ...] = ("ko_not_after",)
    match status:
        case "done":
            in_front += ("if_done", "undone", "ko_undone", "partly", "might", "wished")
            behind += (
                "ko_if_after",
                "done_otherwise",
                "no_more",
                *(("done_of_a_thing",) if _OF_A_THING.fullmatch(match[0]) else ()),
            )
        case "blocked":
            in_front += ("if", "was", "might", "will", "of_another")
            behind += ("ko_if_after",)
        case "cancelled":
            in_front += ("if", "to_be", "might", "of_another")
            behind += ("ko_if_after",)
        case "in_progress" | "pending":
            in_front += ("if", "of_another")
            behind += ("ko_if_after",)
    return any(void[name].search(before) for name in in_front) or any(void[name].search(after) for name in behind)


def _asked(text: str) -> bool:
    """Whether the sentence asks whether something is so; "blocked on what?" asks, "blocked on the token, ok?" tells."""
    void = _phrases().void
    return void["question"].search(text) is not None and void["question_word"].search(text) is not None


def _straight(text: str) -> str:
    return unicodedata.normalize("NFC", text[:_MOST]).replace("’", "'").strip()


def _small(text: str) -> str:
    """The text in small letters, each where its capital stood; patterns find them twice as fast as either case."""
    return text.replace("İ", "i").lower()


# -- the phrases


@dataclass(frozen=True, slots=True)
class _Phrases:
    status: dict[TaskStatus, re.Pattern[str]]
    status_in_latin: dict[TaskStatus, re.Pattern[str]]
    """Without the phrases that need a Korean syllable, for a text that has none."""
    open: re.Pattern[str]
    void: _Patterns
    priority: dict[Priority, re.Pattern[str]]


@cache
def _phrases() -> _Phrases:
    table = tomllib.loads(files("memory_assets.extraction").joinpath("task_phrases.toml").read_text(encoding="utf-8"))
    words = {**table["words"], "rieul": _RIEUL}

    def one_of(patterns: list[str], flags: int = 0) -> re.Pattern[str]:
        joined = "|".join(f"(?:{pattern})" for pattern in patterns)
        for name, meaning in words.items():
            joined = joined.replace(f"{{{name}}}", meaning)
        return re.compile(joined, flags)

    said: dict[TaskStatus, list[str]] = {
        name: table["status"][name] for name in get_args(TaskStatus) if name in table["status"]
    }
    latin = {name: [one for one in patterns if not _HANGUL.search(one)] for name, patterns in said.items()}
    # Their order in the file: what is said not to be urgent is not urgent.
    priorities: dict[Priority, re.Pattern[str]] = {
        priority: one_of(patterns, re.IGNORECASE) for name, patterns in table["priority"].items() for priority in _named(name)
    }
    return _Phrases(
        {name: one_of(patterns) for name, patterns in said.items()},
        {name: one_of(patterns) for name, patterns in latin.items()},
        one_of(table["open"]["pending"]),
        {name: one_of(patterns) for name, patterns in table["void"].items()},
        priorities,
    )


def _named(name: str) -> tuple[Priority, ...]:
    return tuple(priority for priority in get_args(Priority) if priority == name)
