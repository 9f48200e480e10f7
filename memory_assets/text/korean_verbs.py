"""Korean verbs and adjectives by the form that a dictionary has: ``미뤘어`` may be of ``미루다``, ``도와줘`` of ``돕다``.

Without a dictionary a form has several readings: ``들어`` is of ``들다``, ``듣다`` and ``드르다``. All are given, most of them
no words at all: whoever asks has a list of words and keeps those that are in it. The other way round a verb is told by the few
beginnings that its forms have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from memory_assets.text.particles import is_hangul

_BASE, _VOWELS, _FINALS = 0xAC00, 21, 28
_N, _D, _L, _M, _B, _S, _SS, _H = 4, 7, 8, 16, 17, 19, 20, 27
_VOWEL_A, _VOWEL_AE, _VOWEL_EO, _VOWEL_E, _VOWEL_YEO, _VOWEL_O, _VOWEL_WA = 0, 1, 4, 5, 6, 8, 9
_VOWEL_YA, _VOWEL_YAE = 2, 3
_VOWEL_WAE, _VOWEL_OE, _VOWEL_U, _VOWEL_WO, _VOWEL_EU, _VOWEL_I = 10, 11, 13, 14, 18, 20
_R = 5
_LONGEST_ENDING: Final = 6

_ANY: Final = "[\uac00-\ud7a3]{0,4}"
_PLAIN: Final = re.compile(
    rf"다|다가|다고{_ANY}|고{_ANY}|지{_ANY}|기{_ANY}|게{_ANY}|네요?|는|는지|는데{_ANY}|는가요?|는다{_ANY}|는걸|는거{_ANY}|니|니까"
    rf"|나|나요|자|자고|던|던데|던가|면|면서|면은|려고{_ANY}|려면|러|며|므로|거나|도록|든지|겠{_ANY}|더라{_ANY}|더니|세요|시{_ANY}"
    rf"|십{_ANY}|구나|군요|음|은|은지|은데|은가요?|을|을까요?|을지|을게요?|을래요?|을수|으[면며니려러시므]{_ANY}"
)
"""What stands behind a verb's stem as the dictionary has it."""
_JOINED: Final = re.compile(
    rf"|서|서는|서도|요|야{_ANY}|도|라{_ANY}|주{_ANY}|줘{_ANY}|줬{_ANY}|준|준다|줄{_ANY}|보{_ANY}|봐{_ANY}|봤{_ANY}|본|볼{_ANY}"
    rf"|지[는고지면]{_ANY}|진|질|졌{_ANY}|져{_ANY}|버[리려렸]{_ANY}|놓{_ANY}|놨{_ANY}|두{_ANY}|둔|뒀{_ANY}|가[는고서]{_ANY}|갔{_ANY}|갈|간"
    rf"|오{_ANY}|왔{_ANY}|온|올|내{_ANY}|낸|낼|냈{_ANY}|있{_ANY}|나{_ANY}|난|났{_ANY}|왔{_ANY}"
)
"""What stands behind the form in 아 or 어."""
_ENDS_JOINED: Final = frozenset(
    (_VOWEL_A, _VOWEL_AE, _VOWEL_YA, _VOWEL_YAE, _VOWEL_EO, _VOWEL_E, _VOWEL_YEO, _VOWEL_WA, _VOWEL_WAE, _VOWEL_WO, _VOWEL_OE)
)
"""What the form in 아 or 어 ends in: 지난 is none of 지다. ㅚ is how many write ㅙ (되서)."""
_BEHIND_FINAL: Final = {
    _N: re.compile("|다|다고|다면|지|데|가|가요|걸|거야|거|적"),
    _L: re.compile("|까|까요|지|게|게요|래|래요|수|때|만한|거야|거|지도|뻔"),
    _M: re.compile("|을|은|이|의|과|에|도"),
    _B: re.compile("니다|니까|시다"),
    _SS: re.compile(rf"[다어던는지나으을음네고습죠기거겠]{_ANY}"),
}
_OPENED: Final = {_VOWEL_WO: _VOWEL_U, _VOWEL_WA: _VOWEL_O, _VOWEL_YEO: _VOWEL_I, _VOWEL_WAE: _VOWEL_OE, _VOWEL_EO: _VOWEL_EU}
"""What a contracted vowel of the form in 아 or 어 was."""


@lru_cache(maxsize=1 << 14)
def dictionary_forms(word: str) -> tuple[str, ...]:
    """What the dictionary form of a word may be, if it is a verb or an adjective: each ends in 다. Most are no words.

    A word of other letters has none. A few dozen candidates, whatever the word.
    """
    if not word or not all(map(is_hangul, word)):
        return ()
    if len(word) == 1:
        return tuple(f"{stem}다" for stem in _of_syllable(word))
    found: dict[str, None] = {}
    for cut in range(max(1, len(word) - _LONGEST_ENDING), len(word) + 1):
        head, rest = word[:cut], word[cut:]
        if rest and _PLAIN.fullmatch(rest):
            found.update(dict.fromkeys(_of_plain(head, rest)))
        _, vowel, final = _parts(head[-1])
        if final in _BEHIND_FINAL and _BEHIND_FINAL[final].fullmatch(rest):
            without = head[:-1] + _with_final(head[-1], 0)
            found.update(dict.fromkeys(_of_past(without) if final == _SS else _of_merged(without)))
        elif not final and vowel in _ENDS_JOINED and _JOINED.fullmatch(rest):
            found.update(dict.fromkeys(_of_past(head)))
    return tuple(f"{stem}다" for stem in found if stem)


def _of_syllable(word: str) -> Iterator[str]:
    """Of a word of one syllable: 해, and a stem with an ending's ㄴ or ㄹ (빈: 비다)."""
    if word == "해":
        yield "하"
    elif _parts(word)[2] in (_N, _L):
        yield from _of_merged(_with_final(word, 0))


def _of_plain(stem: str, rest: str) -> Iterator[str]:
    yield stem
    last = stem[-1]
    _, _, final = _parts(last)
    if not final and rest[0] in "는네니나세시":
        yield stem[:-1] + _with_final(last, _L)  # 만드는: 만들다
    if final == _L and rest[0] in "은을음으":
        yield stem[:-1] + _with_final(last, _D)  # 들은: 듣다
    if last in "우" and len(stem) > 1 and rest[0] in "면며니려러":
        yield stem[:-2] + _with_final(stem[-2], _B)  # 더우면: 덥다
    if not final and rest[0] in "은을음으":
        yield stem[:-1] + _with_final(last, _S)  # 지은: 짓다


def _of_merged(stem: str) -> Iterator[str]:
    """Of a stem whose last syllable lost the consonant of an ending: 미룬, 만든, 더운, 빨간."""
    yield stem
    last = stem[-1]
    yield stem[:-1] + _with_final(last, _L)
    yield stem[:-1] + _with_final(last, _H)
    if last == "우" and len(stem) > 1:
        yield stem[:-2] + _with_final(stem[-2], _B)


def _of_past(form: str) -> Iterator[str]:
    """Of the form in 아 or 어, which is the past without its ㅆ."""
    last = form[-1]
    first, vowel, _ = _parts(last)
    before = form[:-1]
    if last in "어아여" and before:
        yield before
        _, _, final = _parts(before[-1])
        if final == _L:
            yield before[:-1] + _with_final(before[-1], _D)  # 들어: 듣다
        if not final:
            yield before[:-1] + _with_final(before[-1], _S)  # 지어: 짓다
    yield form  # 가, 서, 보내
    if vowel in _OPENED:
        yield before + _syllable(first, _OPENED[vowel])
    if vowel in (_VOWEL_A, _VOWEL_EO):
        yield before + _syllable(first, _VOWEL_EU)  # 바빠: 바쁘다
    if vowel == _VOWEL_AE:
        yield before + _syllable(first, _VOWEL_A)  # 해: 하다
        yield before + _with_final(_syllable(first, _VOWEL_A), _H)  # 빨개: 빨갛다
        yield before + _with_final(_syllable(first, _VOWEL_EO), _H)  # 어때: 어떻다
    if vowel == _VOWEL_YAE:
        yield before + _with_final(_syllable(first, _VOWEL_YA), _H)  # 하얘: 하얗다
    if last in "와워" and before:
        yield before[:-1] + _with_final(before[-1], _B)  # 도와: 돕다
    if last in "라러" and before and _parts(before[-1])[2] == _L:
        yield before[:-1] + _with_final(before[-1], 0) + "르"  # 골라: 고르다


@lru_cache(maxsize=1 << 12)
def verb_beginnings(verb: str) -> tuple[str, ...]:
    """How the forms of a verb or an adjective begin, its regular and irregular ones: 미루, 미뤄, 미뤘, 미룬, 미룰 of 미루다.

    Args:
        verb: as the dictionary has it, with its 다.
    """
    stem = verb[:-1]
    if not stem or not is_hangul(stem[-1]):
        return (verb,)
    head, last = stem[:-1], stem[-1]
    first, vowel, final = _parts(last)
    forms = [stem]

    def past(form: str) -> None:
        forms.extend((form, form[:-1] + _with_final(form[-1], _SS)))

    def merged(open_stem: str) -> None:
        forms.extend(open_stem[:-1] + _with_final(open_stem[-1], one) for one in (_N, _L))

    if stem.endswith("하"):
        past(head + "해")
        merged(stem)
    elif stem[-1] == "르" and head:
        bright = _parts(head[-1])[1] in (_VOWEL_A, _VOWEL_O)
        past(head[:-1] + _with_final(head[-1], _L) + ("라" if bright else "러"))
        merged(stem)
    elif not final:
        merged(stem)
        match vowel:
            case v if v == _VOWEL_EU:
                bright = bool(head) and _parts(head[-1])[1] in (_VOWEL_A, _VOWEL_O)
                past(head + _syllable(first, _VOWEL_A if bright else _VOWEL_EO))
            case v if v == _VOWEL_U:
                past(head + _syllable(first, _VOWEL_WO))
            case v if v == _VOWEL_O:
                past(head + _syllable(first, _VOWEL_WA))
            case v if v == _VOWEL_I:
                past(head + _syllable(first, _VOWEL_YEO))
            case v if v == _VOWEL_OE:
                past(head + _syllable(first, _VOWEL_WAE))
            case _:
                past(stem)
    elif verb in _IRREGULAR_B:
        forms.extend((head + _with_final(last, 0) + one) for one in ("워", "웠", "운", "울"))
        if verb == "돕다":
            forms.extend(("도와", "도왔"))
    elif verb in _IRREGULAR_D:
        opened = head + _with_final(last, _L)
        forms.extend((opened + "어", opened + "었", opened + "은", opened + "을"))
    elif verb in _IRREGULAR_S:
        opened = head + _with_final(last, 0)
        forms.extend((opened + "어", opened + "었", opened + "은", opened + "을"))
    elif final == _H and verb != "좋다" and len(stem) > 1:
        opened = head + _with_final(last, 0)
        merged(opened)
        past(head + _syllable(first, _VOWEL_YAE if vowel == _VOWEL_YA else _VOWEL_AE))
    elif final == _L:
        forms.extend((head + _with_final(last, one)) for one in (0, _N))
        forms.append(stem + "었" if vowel not in (_VOWEL_A, _VOWEL_O) else stem + "았")
    return tuple(dict.fromkeys(forms))


_LISTED_IRREGULAR_B: Final = """
돕다 덥다 춥다 쉽다 어렵다 무겁다 가볍다 맵다 싱겁다 고맙다 귀엽다 아름답다 즐겁다 무섭다 두렵다 외롭다 그립다 새롭다 부럽다
괴롭다 반갑다 가깝다 어둡다 더럽다 두껍다 차갑다 뜨겁다 시끄럽다 부드럽다 자랑스럽다 부끄럽다 눕다 굽다 줍다 놀랍다 흥미롭다
평화롭다 너그럽다 밉다 우습다 아깝다 여쭙다 사랑스럽다 지혜롭다 해롭다 자유롭다
"""
_IRREGULAR_B: Final = frozenset(_LISTED_IRREGULAR_B.split())
_IRREGULAR_D: Final = frozenset(("듣다", "걷다", "묻다", "깨닫다", "싣다", "일컫다", "긷다"))
_IRREGULAR_S: Final = frozenset(("짓다", "낫다", "붓다", "잇다", "긋다", "젓다"))


def _parts(syllable: str) -> tuple[int, int, int]:
    """First consonant, vowel and last consonant of a syllable, by their numbers."""
    number = ord(syllable) - _BASE
    return number // (_VOWELS * _FINALS), number // _FINALS % _VOWELS, number % _FINALS


def _syllable(first: int, vowel: int, final: int = 0) -> str:
    return chr(_BASE + (first * _VOWELS + vowel) * _FINALS + final)


def _with_final(syllable: str, final: int) -> str:
    number = ord(syllable) - _BASE
    return chr(_BASE + number - number % _FINALS + final)
