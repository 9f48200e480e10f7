"""How far an answer suffices, as it is printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from memory_assets.results.model import WireModel
from memory_assets.vocabulary import FacetKind, NextAction

if TYPE_CHECKING:
    from memory_assets.search.ranking.certificate import Certificate

HINTS: dict[NextAction, str] = {
    "enough": "the hits speak of what was asked",
    "widen": "ask again with more hits, other words or a wider scope",
    "timeline": "look at what was said around the hits",
    "ask_a_person": "what is missing is not in the store: ask somebody",
    "nothing_found": "nothing in the store speaks of it: ask with other words, or ask somebody",
}


class FacetV1(WireModel):
    """One thing that the question asks about, and how far the hits speak of it."""

    kind: FacetKind
    name: str
    weight: float = Field(ge=0, le=1)
    covered: float = Field(ge=0, le=1)


class CertificateV1(WireModel):
    """How far an answer suffices.

    Attributes:
        completeness: the share of what the question asks about that the hits speak of.
        redundancy: the share of the hits that repeat another one.
        relevance: of the best hit.
        missing: what of the question no hit speaks of.
        next_action: what to do now; ``hint`` says it in words.
    """

    schema_version: Literal["certificate.v1"] = "certificate.v1"
    completeness: float = Field(ge=0, le=1)
    redundancy: float = Field(ge=0, le=1)
    relevance: float = Field(default=0.0, ge=0, le=1)
    facets: tuple[FacetV1, ...] = ()
    missing: tuple[str, ...] = ()
    hits: int = Field(default=0, ge=0)
    distinct: int = Field(default=0, ge=0)
    next_action: NextAction
    hint: str = ""

    @classmethod
    def of(cls, certificate: Certificate) -> CertificateV1:
        """The wire form of a certificate."""
        return cls(
            completeness=certificate.completeness,
            redundancy=certificate.redundancy,
            relevance=round(min(max(certificate.relevance, 0.0), 1.0), 6),
            facets=tuple(
                FacetV1(kind=facet.kind, name=facet.name, weight=round(facet.weight, 6), covered=round(facet.covered, 6))
                for facet in certificate.facets
            ),
            missing=certificate.missing,
            hits=certificate.hits,
            distinct=certificate.distinct,
            next_action=certificate.next_action,
            hint=HINTS[certificate.next_action],
        )
