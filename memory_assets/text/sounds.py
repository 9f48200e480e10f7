"""Which English words a Korean one may be the sound of: ``캐롤라인`` of ``Caroline``, ``마이그레이션`` of ``migration``.

Loan words and names are written as they sound, and English spells a sound in a few ways: a Korean word becomes a pattern of
the spellings that its sounds may have, and is compared with whole words. Short words sound like too many others: how telling a
word is, is told beside it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from string import ascii_lowercase
from typing import Final

from memory_assets.text.particles import is_hangul

LONGEST: Final = 12
"""Syllables of a word that is looked at."""

_BASE, _VOWELS, _FINALS = 0xAC00, 21, 28
_ONSETS: Final = (
    "gg?|gh|cc?|k",  # ㄱ
    "gg?|cc?|k",  # ㄲ
    "nn?|kn|gn",  # ㄴ
    "dd?|th",  # ㄷ
    "dd?|tt?",  # ㄸ
    "rr?|ll?|wr|rh",  # ㄹ
    "mm?",  # ㅁ
    "bb?|v",  # ㅂ
    "bb?|pp?",  # ㅃ
    "ss?|sc|c|sh|th|ps|st(?=m)|tt?(?=i)|ch(?=[ei])",  # ㅅ
    "ss?|c|th",  # ㅆ
    "[hyw]|wh|",  # ㅇ
    "zz?|j|g(?=[eiy])|dg|ss?|gg(?=[ei])|d(?=u)",  # ㅈ
    "zz?|j|g(?=[eiy])|tz",  # ㅉ
    "tch|ch|t(?=[uire])|cc?(?=[ieh])|cz",  # ㅊ
    "cc?|ck|kk?|ch|qu?|kh|x",  # ㅋ
    "tt?|tth|th",  # ㅌ
    "pp?|ff?|ph|v",  # ㅍ
    "h|wh|j",  # ㅎ
)
_VOWEL_SPELLINGS: Final = (
    "aa?|o|u|ah|au|e(?=r)",  # ㅏ
    "a|e|ai|ae|ea",  # ㅐ
    "ia|ya|a|o",  # ㅑ
    "ye|ya|ie|a",  # ㅒ
    "o|u|a|e|ou|ea|i(?=r)|io",  # ㅓ
    "e|a|ai|ei|ea|ay|ie|ey",  # ㅔ
    "yo|yu|ye|you|io|ia|ea|e|u|iou|ie|o",  # ㅕ
    "ye|ie|ya|e",  # ㅖ
    "oo?|oa|ow|au|aw|a|ou|oe|eau|oh",  # ㅗ
    "wa|ua|oi|oa|wha|o",  # ㅘ
    "we|wa|ue|ua|wea|wai",  # ㅙ
    "we|oe|oi|ue",  # ㅚ
    "yo|io|eo|o",  # ㅛ
    "u|oo|ou|o|ew|ue|w|ui|wo|woo",  # ㅜ
    "wo|wa|ua|uo|ue|wea|o|wha",  # ㅝ
    "we|wa|ue|ua|wea|wai|whe",  # ㅞ
    "wi|ui|we|uee|uy|whi|wee|wea",  # ㅟ
    "u|ew|ue|you|yu|ui|iu|eu|eau|ewe",  # ㅠ
    "e|",  # ㅡ
    "ui|eui|ee",  # ㅢ
    "i|e|y|ee|ea|ie|ei|ey|ui|a(?=ge)",  # ㅣ
)
_DIPHTHONGS: Final = {
    "ㅏ이": "i|y|ai|ie|igh|uy|ye|ei|ae|eye|ia",
    "ㅔ이": "a|ai|ay|ei|ey|ea|ae|eigh|et|e",
    "ㅐ이": "a|ai|ay|ei|ey",
    "ㅗ이": "oi|oy",
    "ㅏ우": "ou|ow|au|ao",
    "ㅗ우": "o|ow|oa",
}
_FINAL_SPELLINGS: Final = {
    1: "ck|kk?|cc?|gg?|ch|que|ke|x",  # ㄱ
    4: "nn?|kn|gn|ne(?=s|$)|m(?=[pf])",  # ㄴ
    7: "tt?|dd?|te|th",  # ㄷ
    8: "ll?|le(?=s|$)|rl|r",  # ㄹ
    16: "mm?|mb|mn|me(?=[a-z]|$)",  # ㅁ
    17: "pp?|bb?|pe|be|ff?|ve?",  # ㅂ
    19: "tt?|te|th|ss?|d|dd",  # ㅅ
    21: "ng|n(?=[gkcqx])",  # ㅇ
    22: "t|d",
    25: "tt?|th",
}
_VOWEL_NAMES: Final = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_NO_CONSONANT: Final = 11
_NO_VOWEL: Final = 18
"""ㅡ, which parts consonants that no syllable begins with and is no sound of the word."""
_L_FINAL, _L_ONSET, _K_FINAL, _S_ONSET, _S_ONSETS = 8, 5, 1, 9, (9, 10)
_T_FINALS: Final = (7, 19)
_ENDS: Final = "(?:e|h|ue|w|)"
"""Letters at the end of a word that need no sound."""


@lru_cache(maxsize=1 << 12)
def spellings(word: str) -> re.Pattern[str] | None:
    """A pattern of the lower-case English words that a Korean word may be the sound of, for lines of one word each.

    None for what is no Hangul, and for more than `LONGEST` syllables.
    """
    if not word or len(word) > LONGEST or not all(map(is_hangul, word)):
        return None
    parts = [_parts(syllable) for syllable in word]
    pattern: list[str] = []
    place = 0
    while place < len(parts):
        onset, vowel, final = parts[place]
        before = parts[place - 1][2] if place else 0
        if before == _L_FINAL and onset == _L_ONSET:
            pattern[-1] = "(?:ll?|rl|lr)"
        elif place and onset == _L_ONSET and not before:
            pattern.append("(?:rr?|wr|rh)")  # an l between two vowels is written twice
        elif before == _K_FINAL and onset in _S_ONSETS:
            pattern[-1] = f"(?:x|(?:{_FINAL_SPELLINGS[1]})(?:{_ONSETS[_S_ONSET]}))"
        elif before in _T_FINALS and onset not in (_NO_CONSONANT, 2, 5, 6):
            pattern[-1] = f"(?:{_FINAL_SPELLINGS[19]}|)(?:{_ONSETS[onset]})"
        else:
            pattern.append(f"(?:{_ONSETS[onset]})")
        sound = _VOWEL_SPELLINGS[vowel]
        if not final and place + 1 < len(parts) and parts[place + 1][0] == _NO_CONSONANT:
            joined = _VOWEL_NAMES[vowel] + ("이" if parts[place + 1][1] == 20 else "우" if parts[place + 1][1] == 13 else "")
            if joined in _DIPHTHONGS:
                sound = f"{_DIPHTHONGS[joined]}"
                final = parts[place + 1][2]
                place += 1
                parts[place] = (_NO_CONSONANT, vowel, final)
        # An r behind a vowel is not heard, neither is an h.
        if vowel == _NO_VOWEL:
            pattern.append("(?:[eoai]|ae|)" if final else "e?")
        else:
            pattern.append(f"(?:{sound})(?:r|re|h|gh|)")
        if final:
            pattern.append(f"(?:{_FINAL_SPELLINGS.get(final, 'x')})")
        place += 1
    # A vowel that only carries the last consonant: `캐시`, `브리지`.
    if parts[-1][1] == 20 and not parts[-1][2] and parts[-1][0] in (9, 12, 14):
        pattern[-1] = "(?:e|i|y|ie|ey|ee|)"
    return re.compile(f"^{''.join(pattern)}{_ENDS}$", re.MULTILINE)


@lru_cache(maxsize=1 << 12)
def first_letters(word: str) -> str:
    """The letters that the words of `spellings` may begin with: what begins with another need not be compared."""
    onset, vowel, _ = _parts(word[0])
    ways = _ONSETS[onset].split("|") + (_VOWEL_SPELLINGS[vowel].split("|") if onset == _NO_CONSONANT else [])
    ways += [sound for sounds in _DIPHTHONGS.values() for sound in sounds.split("|")] if onset == _NO_CONSONANT else []
    letters = {letter for way in ways if way for letter in (way[1 : way.index("]")] if way[0] == "[" else way[0])}
    # ㅇ without a sound before ㅡ: any consonant may be the first.
    return ascii_lowercase if onset == _NO_CONSONANT and vowel == _NO_VOWEL else "".join(sorted(letters))


def heard(word: str) -> int:
    """How many consonants of a Korean word are heard, two of one kind behind each other as one: how telling its sound is."""
    count, last = 0, 0
    for syllable in word:
        if not is_hangul(syllable):
            return 0
        onset, _, final = _parts(syllable)
        if onset != _NO_CONSONANT and not (last == _L_FINAL and onset == _L_ONSET):
            count += 1
        count += final != 0
        last = final
    return count


def _parts(syllable: str) -> tuple[int, int, int]:
    number = ord(syllable) - _BASE
    return number // (_VOWELS * _FINALS), number // _FINALS % _VOWELS, number % _FINALS
