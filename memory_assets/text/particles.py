"""What Korean glues to a name: titles, particles and both, with the rule of which follows a vowel and which a consonant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_LISTED_AFTER_CONSONANT: Final = """
은 이 을 과 과는 과의 과도 으로 으로는 으로도 으로부터 으로서 아 이랑 이랑은 이랑도 이나 이야 이고 이며 이라 이라고 이라는
이라면 이란 이든 인데 인가 인지 이었 이에요 은요 이요
"""
_LISTED_AFTER_VOWEL: Final = """
는 가 를 와 와는 와의 와도 로 로는 로도 로부터 로서 야 랑 랑은 랑도 나 고 며 라 라고 라는 라면 란 든 였 예요 는요 가요
"""
_LISTED_AFTER_ANY: Final = """
의 에 에는 에도 에서 에서는 에서도 에게 에게는 에게도 에게만 에게서 한테 한테는 한테도 한테서 께 께서 께서는 도 만 만의 만이
만은 만을 까지 까지도 까지는 부터 부터는 보다 보다는 처럼 만큼 마저 조차 밖에 마다 하고 하고는 하고도 네 네가 네는 네의
들 들이 들은 들을 들의 인 이다 입니다 이냐 일까 라도 대로 뿐 뿐만
"""
_LISTED_TITLES: Final = "씨 님 군 양 쌤 선배 선배님 선생님 대리 대리님 과장님 팀장님 형 언니 누나 오빠"

_TITLES: Final = tuple(_LISTED_TITLES.split())
_FIRST, _FINALS, _L = 0xAC00, 28, 8
_BY_SOUND: Final = {
    True: frozenset((_LISTED_AFTER_CONSONANT + _LISTED_AFTER_ANY).split()),
    False: frozenset((_LISTED_AFTER_VOWEL + _LISTED_AFTER_ANY).split()),
}
_LONGEST: Final = max(map(len, _BY_SOUND[True] | _BY_SOUND[False])) + max(map(len, _TITLES))


def is_hangul(character: str) -> bool:
    """Whether a character is a whole Korean syllable."""
    return "\uac00" <= character <= "\ud7a3"


def stems(word: str) -> Iterator[str]:
    """What a word may be without what is glued to it, the longest first; the word itself is the first of all.

    ``민수씨가`` may be 민수씨가, 민수씨 and 민수. Behind a Hangul syllable only the particle of its sound counts (``민수는``,
    not ``민수은``); behind another letter both do. A handful of cuts a word, whatever its length.
    """
    yield word
    for cut in range(len(word) - 1, max(len(word) - _LONGEST, 1) - 1, -1):
        if not is_hangul(word[cut]):
            return
        if _is_glued(word[:cut], word[cut:]):
            yield word[:cut]


def _is_glued(stem: str, rest: str) -> bool:
    if _follows(stem[-1], rest) or rest in _TITLES:
        return True
    for title in _TITLES:
        if rest.startswith(title) and _follows(title[-1], rest[len(title) :]):
            return True
    # `민준이가`: behind a consonant a given name takes 이 and goes on as if it ended so.
    return rest[0] == "이" and final_consonant(stem[-1]) != 0 and _follows("이", rest[1:])


def _follows(last: str, particle: str) -> bool:
    if not is_hangul(last):
        return particle in _BY_SOUND[True] or particle in _BY_SOUND[False]
    final = final_consonant(last)
    if final == _L and particle.startswith("로"):
        return particle in _BY_SOUND[False]
    return particle in _BY_SOUND[final != 0]


def final_consonant(syllable: str) -> int:
    """The number of a Hangul syllable's final consonant in the order of Unicode; 0 without one, and of any other character."""
    return (ord(syllable) - _FIRST) % _FINALS if is_hangul(syllable) else 0
