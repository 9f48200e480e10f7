"""Whether two statements say the same: so nearly that a reader would keep one of them (architecture.md section 4).

Strict by construction. No number of equal letters decides: in a long sentence one word is a small share of the letters and
all of the meaning (``… in staging``, ``… in production``). All words must be there, in one order, up to inflection, particles,
politeness and spacing; of two long statements one may have one plain word more. So a number, a name, a path, a version, an
operator, a negation or an opposite that differs makes two statements, however alike the rest is: a conflict, no repetition.

The *form* of a statement is what must be equal. Who looks for statements that say the same looks up forms, and compares nothing
with everything.
"""

from __future__ import annotations

from collections import Counter

from memory_assets.tasks.statements import inflected

ENOUGH_WORDS = 7
"""Words that two statements share before one of them may have a word more."""

_LIMITING = """
only except unless until before after if when while or but all any some most every each both first second third last next old
new more less too almost partly partially up down in out on off at by to from for with of as than into over under behind via
per about against stop avoid skip remove delete disable revert fail drop instead rather may might could should would must can
will used be was were been had did test draft temporary optional legacy deprecated
만 도 전 후 때 이전 이후 먼저 나중 다시 모든 모두 일부 새 새로운 기존 첫 마지막 더 덜 가장 또는 부터 까지 보다 아직 테스트 임시
삭제 제거 취소 실패 중단
"""
# A word that limits, orders, dates or turns what it stands beside is never one more word.
_TURNING = frozenset(inflected(word) for word in _LIMITING.split())


def form(statement: str) -> str:
    """What two statements that say the same in as many words have in common: the words without the spaces between them."""
    return _form(statement.split())


def shorter_forms(statement: str) -> list[str]:
    """The form without each one word that a long statement may have more than another that says the same."""
    words = statement.split()
    if len(words) <= ENOUGH_WORDS:
        return []
    return list(
        dict.fromkeys(
            _form(words[:place] + words[place + 1 :])
            for place, word in enumerate(words)
            if word[0] not in "=~" and word not in _TURNING
        )
    )


def say_the_same(one: str, other: str) -> bool:
    """Whether two statements (`tasks.statements`) say the same. Symmetric; equal statements always do."""
    first, second = form(one), form(other)
    return first == second or first in shorter_forms(other) or second in shorter_forms(one)


def differ_in_a_fact(one: str, other: str) -> bool:
    """Whether two statements differ in a number, name, path, version, operator or negation."""
    return _facts(one) != _facts(other)


def _facts(statement: str) -> Counter[str]:
    return Counter(word for word in statement.split() if word[0] in "=~")


def _form(words: list[str]) -> str:
    # What is fixed is set off, so that its letters never run into a neighbour's.
    return "".join(f"{word};" if word[0] == "=" else word.removeprefix("~") for word in words)
