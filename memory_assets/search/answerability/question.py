"""A question as the steps of an answer see it: its telling words and what each weighs, whom it names, what it asks for."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from memory_assets.search.answerability.asked_for import AskedFor, asked_for
from memory_assets.search.question.terms import Term, forms_of, standing, stemmed
from memory_assets.text.english_forms import base_form
from memory_assets.text.korean_verbs import dictionary_forms
from memory_assets.text.lexical_text import search_text

if TYPE_CHECKING:
    from memory_assets.search.searcher import LookedUp

_COUNTED: Final = 200
"""Units that a word's rarity is counted in: the best for the whole question. A rare word brings its units to the top."""
_NOWHERE: Final = 0.5
"""A word that none of them has counts as if half a unit had it."""
_MEASURES: Final = frozenset(("many", "much", "long", "often", "kind", "type", "sort"))
"""Words that a question measures by, and that no answer need hold."""
_HANGUL: Final = re.compile("[\uac00-\ud7a3]{2,12}")
_SHORTEST_VERB: Final = 2
"""Syllables, with the 다: a stem of one is of too many words."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A telling word.

    Attributes:
        weight: the larger the fewer of the units that search found have it.
        is_seen: whether any of them has it.
    """

    term: Term
    weight: float
    is_seen: bool


@dataclass(frozen=True, slots=True)
class Question:
    """A question, understood.

    Attributes:
        words: its telling words but for the names of those it asks about.
        names: of people who speak in the store and whom it names.
    """

    text: str
    asked_for: AskedFor
    words: tuple[Weighed, ...]
    names: frozenset[str]

    @property
    def unseen(self) -> tuple[str, ...]:
        """Its words that nothing found has, as it writes them."""
        return tuple(word.term.text for word in self.words if not word.is_seen)

    def held(self, tokens: frozenset[str]) -> float:
        """The share of the telling words that some `stemmed` tokens hold, each by its weight; 0 to 1."""
        total = math.fsum(word.weight for word in self.words)
        return math.fsum(word.weight * word.term.held_by(tokens) for word in self.words) / total if total else 0.0

    def held_in(self, text: str) -> float:
        """As :meth:`held`, of a text."""
        return self.held(tokens_of(text))


def understood(text: str, found: LookedUp) -> Question:
    """A question after its search."""
    names = frozenset(found.response.speakers)
    terms = found.asked.terms
    telling = [_in_its_forms(term) for term in telling_terms(names, terms)]
    hits = (*found.asked.hits.context, *found.asked.hits.own)
    texts = list({hit.unit_id: hit.own_text for hit in hits}.values())[:_COUNTED]
    return Question(text, asked_for(text), tuple(_weighed(telling, texts)), names)


# A passage is read for its own grade, for its sentences and for what all are worth together.
@lru_cache(maxsize=1 << 11)
def tokens_of(text: str) -> frozenset[str]:
    """The tokens of a text that words of a question are compared with: as the index has them, English ones by their base form
    too (``went`` is ``go``), Korean verbs by the forms that a dictionary may have of them."""
    tokens = search_text(text).split()
    return stemmed(tokens) | stemmed(map(base_form, tokens)) | {form for word in _HANGUL.findall(text) for form in _verbs(word)}


@lru_cache(maxsize=1 << 14)
def _verbs(word: str) -> tuple[str, ...]:
    """What a Korean word may be a form of, written as no token of a text is. Of one syllable nothing is told."""
    return tuple(f"={verb}" for verb in dictionary_forms(word) if len(verb) > _SHORTEST_VERB)


def _in_its_forms(term: Term) -> Term:
    """A word that is also held by another form of itself."""
    word = term.text.casefold()
    others = (
        [stemmed((base_form(word),))] if word.isascii() and word.isalpha() else [frozenset((form,)) for form in _verbs(word)]
    )
    return replace(term, forms=tuple(dict.fromkeys((*term.forms, *others))))


def telling_terms(names: Iterable[str], terms: Sequence[Term]) -> Sequence[Term]:
    """The words but for names and for what only asks for a number; where nothing else is asked, all of them."""
    forms = [form for name in names for form in forms_of(name)]
    rest = [
        term
        for term in terms
        if term.text.casefold() not in _MEASURES and not any(form <= name for form in term.forms for name in forms)
    ]
    return rest or terms


def _weighed(terms: Sequence[Term], texts: Sequence[str]) -> Iterable[Weighed]:
    stems = frozenset(token for term in terms for token in term.tokens)
    said = [standing(stems, text) for text in texts]
    for term in terms:
        having = math.fsum(term.held_by(tokens) for tokens in said)
        yield Weighed(term, math.log1p((len(said) or 1) / (having or _NOWHERE)), having > 0)
