"""What of a Korean word names the thing: without the particles and endings that one sentence gives it and another does not.

A word keeps whatever changes the meaning (``만``, ``보다``, ``부터``, a negation) and loses what only shows its place in the
sentence, its tense or how polite it is: ``블로커를`` and ``블로커가`` are one, and so are ``고쳤습니다`` and ``고친다``.
"""

from __future__ import annotations

from functools import lru_cache

PARTICLES = ("은", "는", "이", "가", "을", "를", "의", "에")
"""What shows a word's place in the sentence and may as well be left out. ``에서`` (from) and ``로`` (to) are not among them."""

_ENDINGS = """
하: 합니다 해요 해 한다 함 하자 합시다 할게요 할게 하겠습니다 하기 해줘 해주세요 해주십시오 해줄래 하세요 하십시오 해라 하다
하: 했습니다 했어요 했어 했다 했음 했네요 했네 했죠 했지 하였다 하였습니다 하였음
되: 됩니다 돼요 돼 된다 됨 되다 됐습니다 됐어요 됐어 됐다 됐음 됐네요 됐죠 되었다 되었습니다 되었음
"""
_FINALS = sorted(
    (
        (ending, kept)
        for kept, _, endings in (line.partition(": ") for line in _ENDINGS.strip().split("\n"))
        for ending in endings.split()
    ),
    key=lambda pair: -len(pair[0]),
)
_BEHIND_PAST = ("습니다", "네요", "어요", "지요", "다", "음", "네", "죠", "지", "어")
_NEGATIVE = (
    "않",
    "없",
    "아니",
    "아닌",
    "아님",
    "못하",
    "못한",
    "못해",
    "못했",
    "금지",
    "불가",
    "말고",
    "말아",
    "말자",
    "마세요",
    "지마",
    "하지말",
)
_ALONE_NEGATIVE = frozenset(("안", "못", "말", "마", "말것", "말기"))
_AFTER_AN = ("하", "한", "해", "했", "할", "함", "합", "되", "된", "돼", "됐", "될", "됨", "됩", "쓰", "쓴", "써", "씁")

# A syllable is a number made of its first consonant, its vowel and its last consonant.
_FIRST, _FINAL_COUNT, _VOWEL_COUNT = 0xAC00, 28, 21
_N, _SS, _B = 4, 20, 17
# What a verb's vowel became before the past's ㅆ, and what it was: ㅕ ㅘ ㅝ ㅙ.
_CONTRACTED = {6: 20, 9: 8, 14: 13, 10: 11}


def is_hangul(character: str) -> bool:
    """Whether a character is a whole Korean syllable."""
    return "\uac00" <= character <= "\ud7a3"


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """The word without what shows its place, tense and politeness alone; never empty."""
    for ending, kept in _FINALS:
        if word.endswith(ending):
            return word[: -len(ending)] + kept
    return _without_ending(word) or _without_particle(word)


@lru_cache(maxsize=1 << 14)
def negated(word: str) -> tuple[bool, str]:
    """Whether a word denies something, and what it is without a leading ``안``; ``안`` alone leaves nothing."""
    if word in _ALONE_NEGATIVE:
        return True, ""
    if word[0] == "안" and word[1:].startswith(_AFTER_AN):
        return True, word[1:]
    return any(mark in word for mark in _NEGATIVE), word


def _without_particle(word: str) -> str:
    return word[:-1] if len(word) > 1 and word.endswith(PARTICLES) else word


def _without_ending(word: str) -> str:
    """A verb without its plain or polite ending; empty where it has none."""
    for ending in _BEHIND_PAST:
        if len(word) > len(ending) and word.endswith(ending) and _final(word[-len(ending) - 1]) == _SS:
            return _present(word[: -len(ending)])
    if len(word) > 3 and word.endswith("습니다"):
        return word[:-3]
    if len(word) > 2 and word.endswith("니다") and _final(word[-3]) == _B:
        return word[:-3] + _open(word[-3])
    if len(word) > 2 and word.endswith("는다"):
        return word[:-2]
    if len(word) > 1 and word.endswith("다"):
        return word[:-2] + _open(word[-2]) if _final(word[-2]) == _N else word[:-1]
    return ""


def _present(past: str) -> str:
    """``고쳤`` as ``고치``, ``만들었`` as ``만들``: tense is dropped, in English as well. ``있`` and ``겠`` are no past."""
    if past[-1] in "있겠":
        return past
    if past[-1] in "었았" and len(past) > 1:
        return past[:-1]
    number = ord(past[-1]) - _FIRST
    vowel = number // _FINAL_COUNT % _VOWEL_COUNT
    return past[:-1] + chr(_FIRST + number - _SS + (_CONTRACTED.get(vowel, vowel) - vowel) * _FINAL_COUNT)


def _final(syllable: str) -> int:
    """The number of a syllable's last consonant, 0 where it has none or is no syllable."""
    return (ord(syllable) - _FIRST) % _FINAL_COUNT if is_hangul(syllable) else 0


def _open(syllable: str) -> str:
    return chr(ord(syllable) - _final(syllable))
