"""A name as what is done and what it is done to, so that two spellings of one title come out alike.

English puts the verb first and what a thing belongs to behind it (``fix the bug in the login``), Korean puts both in front of
the thing (``로그인 버그 수정``), and so do compounds (``login bug fix``). Everything is brought into that order. It is a
function of the name alone, so names that come out alike are found by looking up, not by comparing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from memory_assets.tasks.title_words import (
    ACTIONS,
    KOREAN_ACTIONS,
    NEVER_A_NOUN,
    NOUNS_OF_WORK,
    OTHER_VERBS,
    PHRASES,
    SAME_WHEN_FIXED,
    SAME_WORDS,
    SAYING_LITTLE,
    SAYING_LITTLE_AT_THE_END,
    TURNED_ROUND,
)
from memory_assets.text.korean_words import is_hangul
from memory_assets.text.statements import ROLE, statement_of

_PHRASE = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(PHRASES, key=len, reverse=True))})(?!\w)")
_CUT_NEGATION = re.compile(r"(?<!\w)(ca|do|does|did|wo|is|are|should|could|would|was|has|have)n t(?!\w)|(?<!\w)can t(?!\w)")
# What is left of `user's` without its apostrophe.
_LEFT_OVER = frozenset(("=s", "=ed"))
_WHERE_TO = ("로", "으로", "까지")
# Where something is put may as well be what it belongs to; where something is moved to may not.
_PUT = frozenset(("make", ""))


@dataclass(frozen=True, slots=True)
class Wording:
    """What a name says.

    Attributes:
        statement: its statement (`text.statements`) without the past, for the facts in it.
        action: what is done, of the values of `title_words.ACTIONS`; empty where nothing says so.
        verb: the word that says so.
        verb_in_the_middle: it stands neither first nor last.
        words: the rest in the order of a Korean title, without what says little.
        little: what said little.
        modifiers: how many of ``words``, from the first, stood behind ``of``, ``in`` and the like.
        phrase: ``words`` without spaces between them, facts set off; never empty.
    """

    statement: str
    action: str
    verb: str
    verb_in_the_middle: bool
    words: tuple[str, ...]
    little: tuple[str, ...]
    modifiers: int
    phrase: str


@lru_cache(maxsize=1 << 15)
def wording_of(name: str) -> Wording:
    """The wording of a normalized name."""
    said = _PHRASE.sub(lambda phrase: PHRASES[phrase[0]], name)
    said = _CUT_NEGATION.sub("not", said) if " t" in said else said
    stated = statement_of(said).split()
    statement = [word for word in stated if word not in _LEFT_OVER] or stated
    words = [SAME_WORDS.get(word, word) for word in _plain(statement)]
    place, verb = _verb(words)
    action = ACTIONS.get(verb, "")
    in_the_middle = 0 < place < len(words) - 1
    if place >= 0:
        rest = words[place].removesuffix(verb)
        words[place : place + 1] = [rest] if rest else []
    if action == "fix":
        words = [SAME_WHEN_FIXED.get(word, word) for word in words]
    parts = [_without_little(part) for part in _turned_round(words, action)]
    if len(parts[-1].words) > 1 and parts[-1].words[-1] in SAYING_LITTLE_AT_THE_END:
        parts[-1].little.append(parts[-1].words.pop())
    kept = [word for part in parts for word in part.words]
    little = [word for part in parts for word in part.little]
    modifiers = sum(len(part.words) for part in parts[:-1])
    phrase = "".join(f"{word};" if word[0] == "=" else word for word in kept) or f"({verb})"
    return Wording(" ".join(statement), action, verb, in_the_middle, tuple(kept), tuple(sorted(little)), modifiers, phrase)


def _plain(statement: Sequence[str]) -> list[str]:
    words = [word.partition(ROLE)[0].removeprefix("~") for word in statement]
    # `로그인에서` is where the bug is; beside `클라이언트로` it is where something comes from.
    if not any(word.endswith(_WHERE_TO) and is_hangul(word[0]) for word in words):
        words = [word.removesuffix("에서") if len(word) > 3 else word for word in words]
    # `발송하는 기능` and `발송 기능`.
    return [word[:-1] if len(word) > 2 and word[-1] in "하되" else word for word in words if word]


def _verb(words: Sequence[str]) -> tuple[int, str]:
    """The place of the word that says what is done, and what of it does; -1 and nothing where none says so."""
    if not words:
        return -1, ""
    last = words[-1]
    if is_hangul(last[0]):
        for action in KOREAN_ACTIONS:
            if last.endswith(action) and (len(last) == len(action) or len(last) > len(action) + 1):
                return len(words) - 1, action
    if words[0] in ACTIONS and not is_hangul(words[0][0]):
        return 0, words[0]
    if words[0] in OTHER_VERBS:
        return -1, ""
    if last in ACTIONS and (len(words) > 2 or last in NOUNS_OF_WORK):
        return len(words) - 1, last
    verbs = [place for place, word in enumerate(words) if word in NEVER_A_NOUN]
    return (verbs[0], words[verbs[0]]) if len(verbs) == 1 else (-1, "")


def _turned_round(words: Sequence[str], action: str) -> list[list[str]]:
    """``unit test for parser`` as ``parser`` and ``unit test``: what is widest first."""
    parts: list[list[str]] = [[]]
    for word in words:
        if word in TURNED_ROUND or (word == "to" and action in _PUT):
            parts.append([])
        else:
            parts[-1].append(word)
    return parts[::-1]


@dataclass(frozen=True, slots=True)
class _Part:
    words: list[str]
    little: list[str]


def _without_little(words: Sequence[str]) -> _Part:
    """Apart from the words that say little, if any other is left."""
    little = [word for word in words if word in SAYING_LITTLE]
    return (
        _Part([word for word in words if word not in SAYING_LITTLE], little)
        if len(little) < len(words)
        else _Part([*words], [])
    )
