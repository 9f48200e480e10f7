"""What of a Korean word names the thing: without the particles and endings that one sentence gives it and another does not.

A word keeps whatever changes the meaning (``만``, ``보다``, ``부터``, a negation) and loses what only shows its place in the
sentence or how polite it is: ``고칩니다`` and ``고친다`` are one. What is lost and may matter is told beside it: the role that
a particle gives a noun, and whether a verb stands in the past.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

PARTICLES = {"이": "가", "가": "가", "은": "는", "는": "는", "을": "를", "를": "를", "에": "에", "의": ""}
"""What shows a word's place in the sentence, and the role that it gives: subject, topic, object, place, and none for ``의``.
``에서`` (from) and ``로`` (to) are not among them: they stay with their word."""

_BEHIND_CONSONANT = frozenset("이은을")
_BEHIND_VOWEL = frozenset("가는를")
# Behind one syllable the others are as often its second syllable: `회의`, `사이`, `평가`, `높은`, `쓰는`.
_BEHIND_ONE_SYLLABLE = frozenset("을를에")
# Behind a time `에` may as well be left out.
_TIMES = ("전", "후", "때", "이전", "이후", "중", "다음", "동안", "뒤")

# What is kept of a verb, with a `+` where the endings are those of the past.
_ENDINGS = """
하: 합니다 해요 해 한다 함 하자 합시다 할게요 할게 하겠습니다 하기 해줘 해주세요 해주십시오 해줄래 하세요 하십시오 해라 하다
하+: 했습니다 했어요 했어 했다 했음 했네요 했네 했죠 했지 하였다 하였습니다 하였음
되: 됩니다 돼요 돼 된다 됨 되다
되+: 됐습니다 됐어요 됐어 됐다 됐음 됐네요 됐죠 되었다 되었습니다 되었음
"""
_FINALS = sorted(
    (
        (ending, kept)
        for kept, _, endings in (line.partition(": ") for line in _ENDINGS.strip().split("\n"))
        for ending in endings.split()
    ),
    key=lambda pair: -len(pair[0]),
)
_NO_VERBS = frozenset(("마다", "바다", "보다", "다"))
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


@dataclass(frozen=True, slots=True)
class KoreanWord:
    """A word taken apart.

    Attributes:
        stem: what names the thing; never empty.
        role: what its particle makes of it: one of the values of `PARTICLES`; empty where it has none, or a verb's ending.
        past: whether it is a verb in the past.
    """

    stem: str
    role: str = ""
    past: bool = False


@lru_cache(maxsize=1 << 14)
def taken_apart(word: str) -> KoreanWord:
    """A Korean word as its stem and what its particle or ending says."""
    for ending, kept in _FINALS:
        # `이해`, `포함` and the like are no verbs that end.
        if word.endswith(ending) and (len(ending) > 1 or len(word) != 2):
            return KoreanWord(word[: -len(ending)] + kept.rstrip("+"), past=kept.endswith("+"))
    return _without_ending(word) or _without_particle(word)


@lru_cache(maxsize=1 << 14)
def negated(word: str) -> tuple[bool, str]:
    """Whether a word denies something, and what it is without a leading ``안``; ``안`` alone leaves nothing."""
    if word in _ALONE_NEGATIVE:
        return True, ""
    if word[0] == "안" and word[1:].startswith(_AFTER_AN):
        return True, word[1:]
    return any(mark in word for mark in _NEGATIVE), word


def _without_particle(word: str) -> KoreanWord:
    rest, particle = word[:-1], word[-1]
    if not rest or particle not in PARTICLES or (len(rest) == 1 and particle not in _BEHIND_ONE_SYLLABLE):
        return KoreanWord(word)
    if (particle in _BEHIND_CONSONANT and not _final(rest[-1])) or (particle in _BEHIND_VOWEL and _final(rest[-1])):
        return KoreanWord(word)
    return KoreanWord(rest, "" if particle == "에" and rest.endswith(_TIMES) else PARTICLES[particle])


def _without_ending(word: str) -> KoreanWord | None:
    """A verb without its plain or polite ending; None where it has none."""
    for ending in _BEHIND_PAST:
        if len(word) > len(ending) and word.endswith(ending) and _final(word[-len(ending) - 1]) == _SS:
            verb = word[: -len(ending)]
            return KoreanWord(_present(verb), past=verb[-1] not in "있겠")
    if len(word) > 3 and word.endswith("습니다"):
        return KoreanWord(word[:-3])
    if len(word) > 2 and word.endswith("니다") and _final(word[-3]) == _B:
        return KoreanWord(word[:-3] + _open(word[-3]))
    if len(word) > 2 and word.endswith("는다"):
        return KoreanWord(word[:-2])
    if word.endswith("다") and word not in _NO_VERBS and not word.endswith("보다"):
        return KoreanWord(word[:-2] + _open(word[-2]) if _final(word[-2]) == _N else word[:-1])
    return None


def _present(past: str) -> str:
    """``고쳤`` as ``고치``, ``만들었`` as ``만들``: the verb itself. ``있`` and ``겠`` are no past."""
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
