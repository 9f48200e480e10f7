"""A question taken apart into the questions that it is made of, by rule, in English and Korean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Protocol

MOST_PARTS: Final = 5

_ASKS: Final = r"(?:what|when|where|who|whom|whose|which|why|how)"
_HELPS: Final = r"(?:did|does|do|is|are|was|were|has|have|had|can|could|will|would|should)"
_JOINS: Final = r"(?:,?\s+(?:and then|and also|and|while|but)|;)"
_ASKS_KOREAN: Final = (
    r"(?:언제|어디(?:에서|서|로|에)?|누가|누구(?:를|와|랑|의|에게)?|무엇(?:을|이)?|뭐(?:를|가)?|뭘|왜|어떻게|몇|얼마나?|어느|어떤"
    r"|무슨)"
)

_AFTER_A_QUESTION: Final = re.compile(r"(?<=[?？])\s+(?=\S)")
_BEFORE_A_QUESTION: Final = re.compile(rf"{_JOINS}\s+(?={_ASKS}\b|{_HELPS}\s+\w+\s+\w)", re.IGNORECASE)
_TWO_ASKED: Final = re.compile(rf"^({_ASKS})\s+and\s+({_ASKS})\s+(\S.*)$", re.IGNORECASE | re.DOTALL)
_SHARED_HEAD: Final = re.compile(
    rf"^((?i:{_ASKS}\s+(?:\w+\s+)?{_HELPS}))\s+(\S+\s+.*?\S),?\s+(?:and|while|but)\s+([A-Z]\w*\s+\S.*)$", re.DOTALL
)
"""What did Mina make and Jonas adopt: the second has somebody of its own, and something that they do."""
_BETWEEN_KOREAN: Final = re.compile(r",?\s+(?:그리고|또한|또)\s+|(?<=[가-힣](?=[고며][,\s]))[고며],?\s+|(?<=[가-힣])면서,?\s+")
_JOINING: Final = re.compile(r"^(?:그리고|그런데|또한|또|and|but)\s+", re.IGNORECASE)
_TWO_ASKED_KOREAN: Final = re.compile(rf"^(.*?)({_ASKS_KOREAN})(?:,|와|랑|하고)?\s+({_ASKS_KOREAN})\s+(\S.*)$", re.DOTALL)
_HAS_ASKED_KOREAN: Final = re.compile(_ASKS_KOREAN)

_POINTS_BACK: Final = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|that|this|there|then)\b"
    r"|(?<![가-힣])(?:그(?:것|거|건|게|걸|때|곳|분|녀)|거기|거긴|걔)",
    re.IGNORECASE,
)


class Decomposer(Protocol):
    """Takes a question apart."""

    def parts(self, question: str) -> tuple[str, ...]:
        """The questions that it is made of, in its order, each of which can be asked; itself alone where it is one."""
        ...


class RuleDecomposer:
    """Takes a question apart where it asks several things: by its marks, its question words and what joins them."""

    def parts(self, question: str) -> tuple[str, ...]:
        """See ``Decomposer.parts``."""
        sentences = (part.strip() for part in _AFTER_A_QUESTION.split(" ".join(question.split())))
        return tuple(dict.fromkeys(part for sentence in sentences for part in _parts(sentence) if part))


def points_back(question: str) -> bool:
    """Whether a question speaks of somebody or something that another one names."""
    return _POINTS_BACK.search(question) is not None


def _parts(sentence: str) -> Iterator[str]:
    """The questions of one sentence."""
    if (two := _TWO_ASKED.match(sentence)) is not None:  # when and where …
        yield from (f"{two[1]} {two[3]}", f"{two[2]} {two[3]}")
        return
    for clause in _BEFORE_A_QUESTION.split(sentence):
        for part in _korean_parts(clause.strip(" ,;")):
            yield from _of_two_asked(_JOINING.sub("", part))


def _of_two_asked(clause: str) -> Iterator[str]:
    if (two := _TWO_ASKED_KOREAN.match(clause)) is not None:
        yield from (f"{two[1]}{two[2]} {two[4]}", f"{two[1]}{two[3]} {two[4]}")
    elif (shared := _SHARED_HEAD.match(clause)) is not None:
        yield from (f"{shared[1]} {shared[2]}?", f"{shared[1]} {shared[3]}")
    else:
        yield clause


def _korean_parts(clause: str) -> Iterator[str]:
    """Clauses that are joined, where each asks for something of its own."""
    start = 0
    for joint in _BETWEEN_KOREAN.finditer(clause):
        before, after = clause[start : joint.start()], clause[joint.end() :]
        if not (_HAS_ASKED_KOREAN.search(before) and _HAS_ASKED_KOREAN.search(after)):
            continue
        # A verb that goes on (옮겼고) ends a question of its own then (옮겼지).
        yield f"{before}지?" if joint[0][0] in "고며면" else before.strip()
        start = joint.end()
    yield clause[start:]
