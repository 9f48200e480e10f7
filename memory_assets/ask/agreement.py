"""Whether a statement says what its evidence says, as far as words can tell: made of its words, and not turned round.

Numbers, dates and names are looked at elsewhere (``ask.stated_facts``). A paraphrase passes; a statement that is mostly of
other words, that denies what is said or says what is denied, that swaps a word for its opposite, or that limits what has no
limit, does not. What words cannot tell is for a judge (``ask.entailment``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from memory_assets.ask.stated_facts import has_date, telling, without_dates
from memory_assets.evidence.critical import is_negated
from memory_assets.search.answerability.question import tokens_of
from memory_assets.text.english_forms import base_form
from memory_assets.text.opposites import LIMITS_OF_A_QUOTE, WHOLE_WORDS, opposites
from memory_assets.text.particles import is_hangul

WhyTurned = Literal["words", "negation", "limit", "opposite"]

_MOST_UNKNOWN: Final = 0.5
"""Of the telling words of a statement: where so many stand in no evidence it is not what the evidence says."""
_WORD: Final = re.compile(r"[A-Za-zÀ-ɏ]{2,}|[가-힣]{2,}")
_ANY_WORD: Final = re.compile(r"[A-Za-zÀ-ɏ']+|[가-힣]+")
_NEUTRAL: Final = re.compile(
    r"sa(?:y|ys|id|ying)|tells?|told|mention(?:s|ed)|evidence|means?|(?:했|합|입|있|됩|였|이었|있었|됐|되었|때문)(?:습니다|니다|다|에)|"
    r"말(?:했|합)\S*|[않없]\S*|것(?:은|이|을|입니다|으로)?",
    re.IGNORECASE,
)
"""Words that tell who speaks, or end a sentence: no evidence need have them."""
_CLAUSE_END: Final = re.compile(
    r"[,;:!?\n—–()\"“”]|\.(?=\s|$)|\b(?:but|because|since|although|though|while|whereas|so that|and)\b"
    r"|(?<=지만)\s|(?<=는데)\s|(?<=고)\s"
)
_MAY_BE_LEFT_OUT: Final = frozenset(
    ("only", "before", "after", "until", "instead", "stop", "stops", "stopped", "less", "nobody", "without")
) | frozenset(("대신", "먼저", "때만", "경우만", "빼고", "제외하고"))
"""Of the words that limit, those that a paraphrase may do without, or that are a negation and looked at as one."""


@dataclass(frozen=True, slots=True)
class _Clause:
    """A part of a sentence that says one thing.

    Attributes:
        tokens: of its words, as they are compared.
        words: in lower case; ``bases`` their base forms.
    """

    tokens: frozenset[str]
    words: frozenset[str]
    bases: frozenset[str]
    is_negated: bool


def disagreement(claim: str, cited: Sequence[str], question: str = "") -> tuple[WhyTurned, str] | None:
    """Why a statement does not say what some texts say, and the words that show it; None where nothing shows that.

    Args:
        cited: the evidence that it cites; who said it and the date that it means may be among it.
        question: its names may be used.
    """
    plain = without_dates(claim)
    evidence = [clause for text in cited for clause in _clauses_of_evidence(text)]
    held = frozenset().union(*(clause.tokens for clause in evidence))
    lent = frozenset(word for word in _telling_words(question) if word.capitalize() in plain and not _is_held(word, held))
    telling_words = [word for word in _telling_words(plain) if word not in lent]
    if not telling_words and not any(char.isdigit() for char in claim) and not has_date(claim):
        return "words", claim.strip()  # "yes": whatever it agrees to, nobody can check it
    if (others := _other_words(telling_words, held, plain, cited)) is not None:
        return "words", others
    known = frozenset().union(*(clause.words | clause.bases for clause in evidence))
    for clause in _clauses(plain):
        if (turned := _turned(clause, evidence, known)) is not None:
            return turned
    return None


def _other_words(words: list[str], held: frozenset[str], claim: str, cited: Sequence[str]) -> str | None:
    """The words of a statement that no evidence has, where they are too many."""
    unknown = [word for word in words if not _is_held(word, held)]
    if not words:
        return None
    if _is_translated(claim, cited):
        # Of another language only names, numbers and loan words can be found again: one at least.
        anchored = len(unknown) < len(words) or any(char.isdigit() for char in claim)
        return None if anchored else ", ".join(unknown[:4])
    return ", ".join(unknown[:4]) if len(unknown) >= _MOST_UNKNOWN * len(words) else None


def _turned(clause: _Clause, evidence: Sequence[_Clause], known: frozenset[str]) -> tuple[WhyTurned, str] | None:
    """Whether a clause turns round those of the evidence that it is most like."""
    shared = [len(clause.tokens & other.tokens) for other in evidence]
    most = max(shared, default=0)
    if most == 0:
        denies_alone = clause.is_negated and not any(other.is_negated for other in evidence)
        return ("negation", " ".join(sorted(clause.words))) if denies_alone else None
    nearest = [other for other, count in zip(evidence, shared, strict=True) if count == most]
    if all(other.is_negated != clause.is_negated for other in nearest):
        return "negation", " ".join(sorted(clause.words & _all_words(nearest)))
    if added := sorted(word for word in clause.words & LIMITS_OF_A_QUOTE if word not in known):
        return "limit", added[0]
    left_out = [sorted((other.words & LIMITS_OF_A_QUOTE) - _MAY_BE_LEFT_OUT - clause.words) for other in nearest]
    if all(left_out):
        return "limit", left_out[0][0]
    return _swapped(clause, known)


def _swapped(clause: _Clause, known: frozenset[str]) -> tuple[WhyTurned, str] | None:
    """Whether a clause has a word that the evidence has not, and the evidence has its opposite."""
    for word, against in _opposites().items():
        if _begins(clause.words | clause.bases, word) and not _begins(known, word):
            found = next((other for other in sorted(against) if _begins(known, other)), None)
            if found is not None:
                return "opposite", f"{word}, {found}"
    return None


def _begins(words: frozenset[str], word: str) -> bool:
    """Whether some words have an English one, or one that begins with a Korean one."""
    return word in words if word.isascii() else any(one.startswith(word) for one in words)


@lru_cache(maxsize=1)
def _opposites() -> dict[str, set[str]]:
    return opposites(WHOLE_WORDS, str)


def _all_words(clauses: Sequence[_Clause]) -> frozenset[str]:
    return frozenset().union(*(clause.words | clause.bases for clause in clauses))


# It is cut once, however many statements cite it.
@lru_cache(maxsize=64)
def _clauses_of_evidence(text: str) -> tuple[_Clause, ...]:
    return tuple(_clauses(without_dates(text)))


def _clauses(text: str) -> Iterator[_Clause]:
    for part in _CLAUSE_END.split(text):
        words = frozenset(word.lower() for word in _ANY_WORD.findall(part))
        if words:
            tokens = frozenset().union(*map(tokens_of, _telling_words(part)))
            yield _Clause(tokens, words, frozenset(map(base_form, words)), is_negated(part))


def _telling_words(text: str) -> Iterator[str]:
    for word in _WORD.findall(telling(text)):
        if not _NEUTRAL.fullmatch(word):
            yield word.lower()


def _is_held(word: str, held: frozenset[str]) -> bool:
    """Whether some tokens have a word; of a Korean one its beginning or its verb, for its particles and endings differ."""
    common = tokens_of(word) & held
    return bool(common) and (not is_hangul(word[0]) or word[:2] in common or any(one.startswith("=") for one in common))


def _is_translated(claim: str, cited: Sequence[str]) -> bool:
    """Whether a statement is Korean and its evidence is not, or the other way round."""
    return any(map(is_hangul, claim)) != any(is_hangul(char) for text in cited for char in text)
