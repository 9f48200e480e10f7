"""The base form of an English word and whether it stands in the past: by rules of spelling, with no dictionary.

Two words are one only where a rule explains it: an `e` that was left out before the ending (``caring`` is ``care`` and not
``car``), a letter that was doubled (``planning`` is ``plan`` and not ``plane``), an ending that leaves at least three letters.
A wrong guess must cost a missed repetition and join nothing, so where a rule has exceptions they are listed.
"""

from __future__ import annotations

from functools import lru_cache

_VOWELS = ("a", "e", "i", "o", "u")
_VOWELS_AND_Y = frozenset((*_VOWELS, "y"))

# What looks like a plural, a participle or a past, and is a word of its own.
_WORDS_OF_THEIR_OWN = """
news lens means goods customs odds pros cons https windows rails pandas series species physics mathematics economics
analytics basics graphics statics ethics politics contents savings headquarters thanks premises alias bias canvas atlas
chaos setting meeting building heading padding warning missing bearing offering clothing morning evening ceiling sibling
wedding during nothing something anything everything spring string thing bring being king ring sing sting wing swing sling
cling fling ping embed hundred sacred naked wicked shred shed sled bred sped fled biped moped indeed
"""
_UNTOUCHED = frozenset(_WORDS_OF_THEIR_OWN.split())
_PLURALS = {
    "caches": "cache",
    "aches": "ache",
    "niches": "niche",
    "cookies": "cookie",
    "movies": "movie",
    "goes": "go",
    "statuses": "status",
    "focuses": "focus",
    "viruses": "virus",
    "buses": "bus",
    "bonuses": "bonus",
    "aliases": "alias",
    "biases": "bias",
    "canvases": "canvas",
    "axes": "axe",
}
# A cut form that the rules would complete in the wrong way, and what it was.
_COMPLETED = {
    "cach": "cache",
    "creat": "create",
    "rout": "route",
    "unit": "unite",
    "past": "paste",
    "tast": "taste",
    "wast": "waste",
    "bath": "bathe",
    "breath": "breathe",
    "cloth": "clothe",
    "delet": "delete",
    "complet": "complete",
    "compet": "compete",
    "explor": "explore",
    "restor": "restore",
    "ignor": "ignore",
    "escap": "escape",
    "chang": "change",
    "exchang": "exchange",
    "arrang": "arrange",
    "rang": "range",
    "challeng": "challenge",
    "promot": "promote",
    "prototyp": "prototype",
    "focus": "focus",
    "alias": "alias",
    "bias": "bias",
    "input": "input",
    "output": "output",
    "pivot": "pivot",
}
# Before an ending these lost an `e`: after a vowel and a consonant of their own, in words of several syllables.
_LOST_E = (
    "at",
    "ut",
    "ir",
    "ur",
    "ar",
    "in",
    "id",
    "ad",
    "ud",
    "od",
    "ul",
    "il",
    "ok",
    "ak",
    "ik",
    "am",
    "um",
    "ib",
    "yp",
    "writ",
)
_LOST_E_ALWAYS = ("bl", "pl", "tl", "dl", "gl", "cl", "fl", "zl", "c", "v", "u")


@lru_cache(maxsize=1 << 14)
def inflected(word: str) -> str:
    """A lower-case English word without plural, third person, ``-ing`` and past: ``caches`` and ``caching`` are ``cache``."""
    return _taken_apart(word)[0]


def is_past(word: str) -> bool:
    """Whether a lower-case word is a regular past or participle (``used``, ``copied``)."""
    return _taken_apart(word)[1]


@lru_cache(maxsize=1 << 14)
def _taken_apart(word: str) -> tuple[str, bool]:
    if len(word) < 4 or not word.isascii() or word in _UNTOUCHED:
        return word, False
    if word.endswith("ing") and _VOWELS_AND_Y.intersection(word[:-3]):
        return _completed(word[:-3]), False
    if word.endswith("ied"):
        return (word[:-1] if len(word) == 4 else word[:-3] + "y"), True
    if word.endswith("ed") and not word.endswith("eed") and _VOWELS_AND_Y.intersection(word[:-2]):
        return _completed(word[:-2]), True
    return (_singular(word) if word.endswith("s") else word), False


def _singular(word: str) -> str:
    if word in _PLURALS:
        return _PLURALS[word]
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zzes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word[:-1]


def _completed(cut: str) -> str:
    """A verb from what is left of it in front of ``-ing`` or ``-ed``."""
    if cut in _COMPLETED:
        return _COMPLETED[cut]
    if len(cut) < 3:
        return cut + "e" if cut[-1] not in _VOWELS_AND_Y else cut
    last = cut[-1]
    if last == cut[-2]:
        return cut[:-1] if _was_doubled(cut) else cut
    if last in "wxy" or last in "aeio":
        return cut
    single = cut[-2] in _VOWELS_AND_Y and cut.replace("qu", "q")[-3:-2] not in _VOWELS and last not in _VOWELS
    if single and _syllables(cut) == 1:
        return cut + "e"
    if last in "gz" and not cut.endswith("ng"):
        return cut + "e"
    if last == "s" or cut.endswith(_LOST_E_ALWAYS):
        return cut + "e"
    return cut + "e" if single and cut.endswith(_LOST_E) else cut


def _was_doubled(cut: str) -> bool:
    if len(cut) == 3 or cut[-1] in "sfz":
        return False
    return cut[-1] != "l" or (_syllables(cut) > 1 and cut.endswith(("ell", "oll")))


def _syllables(word: str) -> int:
    """How many runs of vowels; the `u` of ``qu`` is none."""
    runs = 0
    before = ""
    for letter in word.replace("qu", "q"):
        runs += letter in _VOWELS_AND_Y and before not in _VOWELS_AND_Y
        before = letter
    return runs
