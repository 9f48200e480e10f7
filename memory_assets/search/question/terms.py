"""The telling words of a question, each with the ways to read it, and how far some tokens hold it.

What is compared with a document's tokens here is not what the index is asked for: a question's function words are left
out, Korean particles are taken off, English endings too. It says which words of a question nobody spoke of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from memory_assets.search.question.plain_question import plain
from memory_assets.text.lexical_text import search_text
from memory_assets.text.particles import final_consonant, is_hangul, stems

MAX_TERMS: Final = 64
"""Words of a question that are looked at; what is longer is a pasted document, and its beginning says what it is about."""

CROSSED_SHARE: Final = 0.7
"""How far a text holds a word of a question that it says in the other language."""

_WORDS: Final = re.compile(r"[^\s,;!?()\[\]{}<>\"“”]+")
_EDGES: Final = ".:'`…。·、-"
_ASKING: Final = """
    a an the of to in on at by for from with about and or as if it its this that these those there then than so be been being
    am is are was were do does did done have has had can could should would will shall may might must i me my we us our you
    your he she they them their his her what when where which who whom whose why how any some please tell
    왜 언제 언제부터 언제까지 어디 어디에 어디서 어디에서 어디로 어디까지 누가 누구 누구를 누구의 누구에게 무엇 무엇을 무엇이
    무슨 뭐 뭘 뭐가 뭐를 뭐라고 뭐였지 뭐지 어떻게 어떤 어떤지 어느 어때 어땠지 몇 얼마 얼마나 우리 우리가 우리는 내가 제가
    나는 저는 그 이 저 그거 그게 것 것은 것이 것을 거 게 좀 수 및 또는 그리고 혹시 대해 대한 대해서 관련 관해 위해 알려줘
    알려주세요 말해줘 찾아줘 보여줘
"""
"""Words that a question is put with and that no answer need hold."""
_SAYS_NOTHING: Final = frozenset(_ASKING.split())
_ENDS_QUESTION: Final = (
    r"(?:나요|나|는지|던지|던가|었지|었나|었는지|는가|는가요|지|지요|죠|니|냐|습니까|어요|어|가요|가|까|까요|을까)"
)
_ONLY_ASKS: Final = re.compile(
    rf"(?:하기로 ?)?(?:했|하|됐|되|된|있|없|였|이었|한|인|할|될){_ENDS_QUESTION}?"
    # What is asked for, as a predicate: 언제야, 뭐였어, 건가요. `언제나` and `누구나` ask nothing.
    rf"|(?:언제|어디|누구|누군|뭐|뭔|무엇|얼마|왜|것|건)(?:인|일|였|이었)?(?!나$)(?:이?야|이?에요|예요|더라|{_ENDS_QUESTION})"
    # 걸었나 and 걸어요 are of 걸다.
    r"|거(?:인|일|였|이었)?(?:이?야|이?에요|예요|더라|나요|지|죠|니|냐)|걸까요?|건|걸"
)
"""Korean words that are nothing but the ending of a question."""
_MAKES_VERB: Final = re.compile(
    rf"(?:했|됐|하기로했)(?:{_ENDS_QUESTION}|다|음|던)?|(?:하|되|한|된|할|될|였|이었)(?:{_ENDS_QUESTION}|다|자|기|게)"
)
"""What makes a verb of a Korean noun, a question or a sentence: 했나요 of 연기했나요."""
_ENDS_PAST: Final = re.compile(rf"{_ENDS_QUESTION}|다|음")
_PAST: Final = 20
"""The final consonant ㅆ of a syllable."""
_LONGEST_ENDING: Final = 6
_NAMES: Final = re.compile(r"[a-z][A-Z]|[A-Za-z][0-9]|[A-Za-z0-9][._/#][A-Za-z0-9]|_")
"""What only a name is written with: a file, a symbol, a commit. A hyphen or an ordinal (``well-known``, ``2nd``) is none."""
_LATIN: Final = re.compile(r"[A-Za-z]")
_ENDING: Final = re.compile(r"(?<=[a-z]{3})(?:ings?|edly|ed|ies|es|s|(?<![aeiou])y|e)$|(?<=[a-z]{2})ies$")
"""Of an English word; what ends in a vowel and y (``deploy``) is whole."""
_DOUBLED: Final = re.compile(r"([a-z])\1$")


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a question.

    Attributes:
        text: as it is written there.
        forms: the tokens of each way to read it, a Korean word with and without what is glued to it.
        crossed: the tokens of each way to say it in the other language.
    """

    text: str
    forms: tuple[frozenset[str], ...]
    crossed: tuple[frozenset[str], ...] = ()

    def held_by(self, tokens: frozenset[str]) -> float:
        """The largest share of one of its forms that stands in the tokens, which are `stemmed`; a crossed form counts whole or
        not at all, and less than the word itself."""
        if not tokens:
            return 0.0
        said = max([0.0 if form.isdisjoint(tokens) else len(form & tokens) / len(form) for form in self.forms])
        if said < CROSSED_SHARE and any(form <= tokens for form in self.crossed):
            return CROSSED_SHARE
        return said

    @property
    def tokens(self) -> Iterator[str]:
        """The tokens of all its forms."""
        return (token for form in (*self.forms, *self.crossed) for token in form)


def query_terms(query: str) -> tuple[Term, ...]:
    """The telling words of a question, each once; where it has none, all of its words. Linear in the question."""
    words: dict[str, str] = {}
    for match in _WORDS.finditer(plain(query)):
        if word := match[0].strip(_EDGES):
            words.setdefault(word.casefold(), word)
    telling = [word for folded, word in words.items() if folded not in _SAYS_NOTHING and not _ONLY_ASKS.fullmatch(word)]
    chosen = (telling or [*words.values()])[:MAX_TERMS]
    return tuple(Term(word, forms) for word in chosen if (forms := _forms((*_readings(word), *_without_ending(word)))))


def names_in(terms: Sequence[Term]) -> tuple[bool, ...]:
    """Which of a question's words name something, as they are written; of a Korean question every word in Latin letters."""
    is_korean = any(is_hangul(character) for term in terms for character in term.text)
    return tuple(bool(_NAMES.search(term.text) or (is_korean and _LATIN.match(term.text))) for term in terms)


def forms_of(text: str) -> tuple[frozenset[str], ...]:
    """The tokens of a name, of each way to read it; empty where there is nothing to find."""
    return _forms(_readings(text))


def _readings(text: str) -> Iterable[str]:
    return stems(text) if text and is_hangul(text[-1]) else (text,)


def _forms(readings: Iterable[str]) -> tuple[frozenset[str], ...]:
    forms = (stemmed(search_text(reading).split()) for reading in readings)
    return tuple(dict.fromkeys(form for form in forms if form))


def _without_ending(word: str) -> Iterator[str]:
    """A Korean verb by what its other forms share: the noun that it is made of, and its past (옮겼나요 and 옮겼다: 옮겼).

    At least two characters remain: of one syllable nothing is told.
    """
    if not is_hangul(word[-1]):
        return
    for cut in range(max(2, len(word) - _LONGEST_ENDING), len(word)):
        if _MAKES_VERB.fullmatch(word, cut) or (final_consonant(word[cut - 1]) == _PAST and _ENDS_PAST.fullmatch(word, cut)):
            yield word[:cut]


def stemmed(tokens: Iterable[str]) -> frozenset[str]:
    """Tokens of `search_text`, English ones without their endings."""
    return frozenset(map(stem, tokens))


def standing(stems: Iterable[str], text: str) -> frozenset[str]:
    """Those of some `stemmed` tokens that a text of tokens between single spaces holds.

    As to intersect with the whole text `stemmed`, which for a hundred texts costs ten times as much.
    """
    padded = f" {text} "
    return frozenset([token for token in stems if f" {token}" in padded and _stands(token, padded)])


def _stands(token: str, padded: str) -> bool:
    place = padded.find(f" {token}")
    while place >= 0:
        end = padded.find(" ", place + 1)
        if stem(padded[place + 1 : end]) == token:
            return True
        place = padded.find(f" {token}", end)
    return False


@lru_cache(maxsize=1 << 15)
def stem(token: str) -> str:
    """An English word without its ending; whatever else as it is."""
    if len(token) < 4 or not (token.isascii() and token.isalpha()):
        return token
    # `planned` and `plan`, `calls` and `call`: of two equal letters at the end one is kept.
    return _DOUBLED.sub(r"\1", _ENDING.sub("", token))
