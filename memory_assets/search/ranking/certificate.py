"""How far the hits of a question suffice, how much they repeat each other, and what to do next.

A question is taken apart into *facets*: its telling words, what it names, the time, files and people it speaks of. The share
of them that the hits cover together is the completeness. That the words of a question stand in the hits is no proof that they
answer it; that they do not is a good reason to look further.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memory_assets.search.question.entities import query_entities
from memory_assets.search.question.terms import Term, forms_of, query_terms, stemmed
from memory_assets.search.question.time_cues import TimeWindow
from memory_assets.vocabulary import FacetKind, NextAction


@dataclass(frozen=True, slots=True)
class Sure:
    """What is known of whether the hits can hold the answer.

    Attributes:
        is_known: whether they may; ``suffices`` whether the first ones are likely to.
        is_narrowed: a wider search may find what this one does not.
    """

    is_known: bool
    suffices: bool
    is_narrowed: bool = False


WIDEN_BELOW: Final = 0.6
WIDENED_K: Final = 20
"""Hits that a widened search asks for."""
ENOUGH_FROM: Final = 0.7
NEAR_DUPLICATE: Final = 0.9
COVERED_FROM: Final = 0.5
"""A facet counts as missing where the hits cover less of it."""
SURE_FROM: Final = 0.5
"""A hit with less relevance covers what it holds in part: else thirty hits that share a word each would cover any question."""


@dataclass(frozen=True, slots=True)
class SeenHit:
    """What a hit brings to a certificate.

    Attributes:
        tokens: of what it says, as `search_text` makes them (``own_text.split()``).
        citations: the addresses that it cites.
        relevance: how sure it is, 0 to 1.
        said_at: aware.
        files: paths that it names or touches.
    """

    tokens: Collection[str]
    citations: tuple[str, ...] = ()
    relevance: float = 1.0
    said_at: datetime | None = None
    files: tuple[str, ...] = ()
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Facet:
    """One thing that a question asks about.

    Attributes:
        name: as the question writes it.
        weight: its share of the question; those of a certificate add up to 1.
        covered: how far the hits speak of it together, 0 to 1.
    """

    kind: FacetKind
    name: str
    weight: float
    covered: float

    @property
    def is_missing(self) -> bool:
        return self.covered < COVERED_FROM


@dataclass(frozen=True, slots=True)
class Certificate:
    """How far some hits suffice for a question.

    Attributes:
        completeness: the weighted share of the facets that the hits cover, 0 to 1; 0 without hits.
        redundancy: the share of the hits that repeat another one; 0 without hits.
        relevance: of the best hit, 0 without hits.
        missing: the names of facets that are not covered, in the question's order.
        distinct: hits that repeat no other one before them.
    """

    completeness: float
    redundancy: float
    relevance: float
    facets: tuple[Facet, ...]
    missing: tuple[str, ...]
    hits: int
    distinct: int
    next_action: NextAction


def certify(
    query: str,
    hits: Sequence[SeenHit],
    *,
    entities: Sequence[str] | None = None,
    window: TimeWindow | None = None,
    files: Collection[str] = (),
    speakers: Collection[str] = (),
    terms: Sequence[Term] | None = None,
    widened: bool = False,
    sure: Sure | None = None,
) -> Certificate:
    """What the hits of a question are worth. Linear in the question and, but for its near-duplicates, in the hits.

    Args:
        hits: best first: of those that say the same the first one is the one that counts.
        entities: what the question names; None for what its writing shows it to name.
        window: the time it speaks of; a recency names no border, and any hit is covered by it.
        files, speakers: what it names of these.
        terms: its telling words; None for those of its own language alone.
        widened: the hits are of a search that was widened already, so that this is not asked for once more.
        sure: what decides what to do next; None where that is told by the completeness alone.
    """
    asked = query_terms(query) if terms is None else terms
    facets = _facets(query, asked, hits, entities, window, files, speakers)
    completeness = min(1.0, round(math.fsum(facet.weight * facet.covered for facet in facets), 6))
    distinct = distinct_hits(hits)
    return Certificate(
        completeness=completeness,
        redundancy=round(1 - distinct / len(hits), 6) if hits else 0.0,
        relevance=max((hit.relevance for hit in hits), default=0.0),
        facets=facets,
        missing=tuple(dict.fromkeys(facet.name for facet in facets if facet.is_missing)),
        hits=len(hits),
        distinct=distinct,
        next_action=next_action(completeness, hits=len(hits), widened=widened, sure=sure),
    )


def _facets(
    query: str,
    terms: Sequence[Term],
    hits: Sequence[SeenHit],
    entities: Sequence[str] | None,
    window: TimeWindow | None,
    files: Collection[str],
    speakers: Collection[str],
) -> tuple[Facet, ...]:
    """The facets of a question, in the order: its words, what it names, time, files, speakers."""
    named = [entity.text for entity in query_entities(query)] if entities is None else entities
    seen = [(hit, stemmed(hit.tokens), min(max(hit.relevance, 0.0) / SURE_FROM, 1.0)) for hit in hits]
    found: list[tuple[FacetKind, str, float]] = []
    for term in terms:
        found.append(("term", term.text, max((term.held_by(tokens) * sure for _, tokens, sure in seen), default=0.0)))
    for name in dict.fromkeys(named):
        # What is named is named as a whole: its words in two hits are two other things.
        forms = forms_of(name)
        held = max((sure for _, tokens, sure in seen if any(form <= tokens for form in forms)), default=0.0)
        if forms:
            found.append(("entity", name, held))
    if window is not None:
        within = any(hit.said_at is not None and window.holds(hit.said_at) for hit in hits)
        found.append(("time", window.cue, float(within)))
    for path in dict.fromkeys(files):
        touched = any(path in hit.files or _is_named(path, tokens) for hit, tokens, _ in seen)
        found.append(("file", path, float(touched)))
    for speaker in sorted(set(speakers)):  # a set has another order in each process
        heard = any(hit.speaker == speaker or _is_named(speaker, tokens) for hit, tokens, _ in seen)
        found.append(("speaker", speaker, float(heard)))
    return tuple(Facet(kind, name, 1 / len(found), covered) for kind, name, covered in found)


def next_action(completeness: float, *, hits: int, widened: bool = False, sure: Sure | None = None) -> NextAction:
    """What to do with hits of this completeness: widen the search once, then look around the hits or ask.

    Where nothing is known of the question, more hits of the same search do not help. That its words stand in the hits is not
    enough: they must be likely to answer it.
    """
    if not hits:
        return "nothing_found"
    if sure is not None and not sure.is_known:
        return "widen" if sure.is_narrowed else "ask_a_person"
    if completeness >= ENOUGH_FROM if sure is None else sure.suffices:
        return "enough"
    if completeness < WIDEN_BELOW:
        return "ask_a_person" if widened else "widen"
    return "timeline"


def distinct_hits(hits: Sequence[SeenHit]) -> int:
    """How many of the hits repeat no earlier one: neither cite the same places nor share nine tenths of their words."""
    groups: set[tuple[str, ...]] = set()
    # Two sets that are so much alike share a token among the rarest few of each: only those are compared.
    count = Counter(token for hit in hits for token in set(hit.tokens))
    behind: dict[str, list[frozenset[str]]] = {}
    distinct = 0
    for hit in hits:
        tokens = frozenset(hit.tokens)
        cited = tuple(sorted(set(hit.citations)))
        rarest = sorted(tokens, key=lambda token: (count[token], token))
        rarest = rarest[: len(tokens) - math.ceil(NEAR_DUPLICATE * len(tokens)) + 1]
        if (cited and cited in groups) or any(_alike(tokens, other) for token in rarest for other in behind.get(token, ())):
            continue
        distinct += 1
        groups.add(cited)
        for token in rarest:
            behind.setdefault(token, []).append(tokens)
    return distinct


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    shared = len(one & other)
    return shared >= NEAR_DUPLICATE * (len(one) + len(other) - shared)


def _is_named(name: str, tokens: frozenset[str]) -> bool:
    return any(form <= tokens for form in forms_of(name))
