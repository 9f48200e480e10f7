"""What people and agents say of errors, Korean and English: what the cause was, what helps, that it works now."""

from __future__ import annotations

import re
from typing import Final

_CONFIRMS_WITHIN: Final = 400
"""Characters of a message in which somebody says that it works, or that it does not."""

REFUSED_BY_PERSON: Final = "The user doesn't want to"
"""How the result of a call begins that a person turned down."""
# What the agent's own tools and people's refusals say is no error of a program.
_REFUSES = re.compile(
    rf"\s{{0,8}}(?:<tool_use_error>|{REFUSED_BY_PERSON}|\[?Request interrupted|Permission to use"
    r"|Claude requested permissions)"
)
_CAUSE = re.compile(
    r"\b(?:root cause|the (?:real |actual )?(?:issue|problem|error|failure|cause|reason|bug)\b.{0,40}\b(?:is|was|comes|came)\b"
    r"|caused by|because|turns out|due to|missing\b|isn't (?:installed|available|set)|not (?:installed|supported|set)"
    r"|failing (?:because|due))|원인|때문|문제는|문제가|누락|빠져|없어서|않아서|탓",
    re.IGNORECASE,
)
_HELPS = re.compile(
    r"\b(?:fix(?:ed|ing|es)?|need(?:s|ed)? to|have to|should (?:be|use)|instead|resolve[sd]?|work(?:s|ed)? around"
    r"|let me (?:use|add|install|remove|rename|change|update|move|set))\b|해결|고쳤|고치|수정|바꾸|바꿨|추가하|설치|대신",
    re.IGNORECASE,
)
_WORKS = re.compile(
    r"\b(?:works? now|working now|that (?:worked|fixed|did it)|fixed|solved|resolved|it works|perfect|thanks|thank you)\b"
    r"|해결(?:됐|되었|됨|했)|(?:잘|이제) ?(?:되|돼|됩|작동|동작)|됐(?:어|다|습)|고마|감사",
    re.IGNORECASE,
)
_STILL = re.compile(
    r"\b(?:still|again|not work|doesn'?t|didn'?t|another)\b|여전히|아직|또|안 ?(?:되|돼|됩)|그대로", re.IGNORECASE
)
_SPECIFIC = re.compile(r"`|\w\.\w|[a-z][A-Z]|\w_\w")
_WORD = re.compile(r"[A-Z]?[a-z]{4,30}|[가-힣]{2,20}")
_COMMON: Final = {
    *("error", "errors", "fail", "failed", "failing", "test", "tests", "file", "files", "issue", "issues", "code"),
    *("line", "lines", "this", "that", "with", "from"),
}


def is_refusal(text: str) -> bool:
    """Whether a result says that a call was not carried out."""
    return _REFUSES.match(text) is not None


def names_cause(sentence: str) -> bool:
    """Whether a sentence says what something comes of."""
    return _CAUSE.search(sentence) is not None


def names_fix(sentence: str, error: str) -> bool:
    """Whether a sentence says what helps against an error: it names something, or has a word in common with the error's line.

    "Let me fix it" helps nobody.
    """
    if not _HELPS.search(sentence):
        return False
    words = {word.lower() for word in _WORD.findall(error)} - _COMMON
    return _SPECIFIC.search(sentence) is not None or not words.isdisjoint(word.lower() for word in _WORD.findall(sentence))


def says_it_works(text: str) -> bool:
    """Whether a message says that something works now, and not that it still does not."""
    return _WORKS.search(text, 0, _CONFIRMS_WITHIN) is not None and not says_it_stays(text)


def says_it_stays(text: str) -> bool:
    """Whether a message says that something is as wrong as before."""
    return _STILL.search(text, 0, _CONFIRMS_WITHIN) is not None
