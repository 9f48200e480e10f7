"""What is said of how sure an answer is: whether anything is known, and the certificate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, Literal

from memory_assets.results.certificate import CertificateV1
from memory_assets.results.retrieval import RetrievalV1
from memory_assets.search.question.terms import names_in
from memory_assets.search.ranking.certificate import WIDENED_K, SeenHit, Sure, certify
from memory_assets.text.particles import is_hangul

if TYPE_CHECKING:
    from memory_assets.results.search import SearchHitV1
    from memory_assets.search.answerability.sureness import Answerability
    from memory_assets.search.answers.hydration import Chosen
    from memory_assets.search.crossing.asking import Asked
    from memory_assets.search.question.plan import Plan

Language = Literal["en", "ko"]

_MOST_WORDS: Final = 6
"""Words that nothing is known about which are named."""
_LANGUAGE_NAMES: Final[dict[Language, str]] = {"en": "English", "ko": "Korean"}


def retrieval_of(sure: Answerability, asked: Asked, speaks: Callable[[Language], bool], *, explain: bool) -> RetrievalV1:
    """How sure an answer is, as it is printed.

    Args:
        speaks: whether any text of the store is in a language; asked only where it matters.
        explain: with the signs that the number is made of.
    """
    unknown = sure.unknown[:_MOST_WORDS]
    other = None if sure.is_known else _only_held_by(sure, asked, speaks)
    return RetrievalV1(
        answerability=sure.value,
        score_gate=sure.gate,
        known=sure.is_known,
        unknown=unknown,
        other_language=other,
        says="" if sure.is_known else _says(unknown, other),
        answerability_parts={name: round(value, 6) for name, value in sure.parts.items()} if explain else {},
    )


def certificate_of(
    plan: Plan,
    asked: Asked,
    speakers: frozenset[str],
    sure: Answerability,
    hits: Sequence[Chosen],
    delivered: Sequence[SearchHitV1],
) -> CertificateV1:
    """How far the delivered hits suffice."""
    of_unit = {hit.unit.unit_id: hit.ranked.hit for hit in hits}
    seen = [
        SeenHit(
            tokens=of_unit[hit.unit_id].own_text.split(),
            citations=tuple(citation.uri for citation in hit.citations),
            relevance=hit.relevance,
            said_at=hit.ts,
            speaker=of_unit[hit.unit_id].speaker,
        )
        for hit in delivered
    ]
    return CertificateV1.of(
        certify(
            plan.request.query,
            seen,
            window=plan.window,
            files=plan.request.files,
            speakers=speakers,
            terms=asked.terms,
            widened=plan.request.scope == "org" and plan.k >= WIDENED_K,
            sure=Sure(sure.is_known, sure.suffices, is_narrowed=plan.is_narrowed),
        )
    )


def _says(unknown: Sequence[str], other: Language | None) -> str:
    said = f"nothing is known about: {', '.join(unknown)}" if unknown else "nothing that is known answers this"
    if other is None:
        return said
    name = _LANGUAGE_NAMES[other]
    return f"{said}; only text in {name} could hold it, in words that are not known to mean the same: ask in {name}"


def _only_held_by(sure: Answerability, asked: Asked, speaks: Callable[[Language], bool]) -> Language | None:
    """The language whose text alone could hold the words that nothing has: for none of them a way to say it there is known."""
    unseen = frozenset(sure.evidence.unseen)
    terms = [term for term in asked.terms if term.text in unseen]
    words = [term.text for term, is_name in zip(terms, names_in(terms), strict=True) if not is_name]
    if not words or asked.with_a_way is None or not asked.with_a_way.isdisjoint(words):
        return None
    are_korean = [any(map(is_hangul, word)) for word in words]
    if all(are_korean):
        return "en" if speaks("en") else None
    return "ko" if not any(are_korean) and all(word.isalpha() for word in words) and speaks("ko") else None
