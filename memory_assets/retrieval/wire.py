"""What search prints with ``--json`` (requirements K-22, K-23, K-30 to K-32, R-18, R-26, X-16).

Each object names its schema and version. Inside v1 fields are only added: a reader takes what it knows and leaves the rest,
these models too.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from memory_assets.retrieval.citations import MessageCitation, SpanCitation

ScoreKind = Literal["rrf", "weighted", "bm25", "cosine"]
SearchMode = Literal["lexical", "vector", "hybrid"]


class WireModel(BaseModel):
    """A printed object: immutable, and unknown fields are ignored when it is read."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class CitationV1(WireModel):
    """Where something was said: a message of a session, or characters of it.

    Attributes:
        uri: the address, ``session:ID#m=12&c=140-182`` or ``session:ID#m=12``; `parse_citation` reads it.
        id: the memory that the citation supports, as ``mem:a7Bc3x``; None for a passage that cites itself.
        path: the file that the session was last read from, None where it is unknown or not to be shown.
        span_start, span_end: half-open, code points of the stored text; both None for the whole message.
        quote: the cited characters themselves.
        label: one line for people.
    """

    schema_version: Literal["citation.v1"] = "citation.v1"
    kind: Literal["message"] = "message"
    uri: str
    id: str | None = None
    path: str | None = None
    session_id: str
    message_index: int = Field(ge=0)
    span_start: int | None = Field(default=None, ge=0)
    span_end: int | None = Field(default=None, ge=0)
    segments: tuple[tuple[int, int], ...] = ()
    role: str | None = None
    name: str | None = None
    ts: datetime | None = None
    quote: str | None = None
    quote_hash: str | None = None
    label: str = ""

    @classmethod
    def of(
        cls,
        citation: MessageCitation | SpanCitation,
        *,
        id: str | None = None,
        path: str | None = None,
        role: str | None = None,
        name: str | None = None,
        ts: datetime | None = None,
        quote: str | None = None,
        quote_hash: str | None = None,
        label: str = "",
    ) -> CitationV1:
        """The wire form of an address, with what is known of the place."""
        span = citation if isinstance(citation, SpanCitation) else None
        return cls(
            uri=citation.uri,
            id=id,
            path=path,
            session_id=citation.session_id,
            message_index=citation.message_index,
            span_start=span.span_start if span else None,
            span_end=span.span_end if span else None,
            segments=span.segments if span else (),
            role=role,
            name=name,
            ts=ts,
            quote=quote,
            quote_hash=quote_hash,
            label=label or citation.uri,
        )


class LegPlaceV1(WireModel):
    """Where one leg of the search put the hit (requirements K-21)."""

    rank: int = Field(ge=1)
    score: float
    score_kind: ScoreKind


class SearchHitV1(WireModel):
    """One unit that was found.

    Attributes:
        score: orders the hits of one response; it is no confidence (requirements K-22).
        legs: the hit's place in each leg that found it, by the leg's name.
        id: the memory's address, ``mem:a7Bc3x``; None for what is no memory (a passage).
        is_cited: at least one citation; a hit without one is shown as a hypothesis (requirements R-18).
    """

    schema_version: Literal["search_hit.v1"] = "search_hit.v1"
    rank: int = Field(ge=1)
    score: float
    score_kind: ScoreKind = "rrf"
    unit_id: str
    unit_kind: str
    id: str | None = None
    title: str = ""
    snippet: str = ""
    project: str | None = None
    session_id: str | None = None
    stage: str | None = None
    status: str | None = None
    ts: datetime | None = None
    citations: tuple[CitationV1, ...] = ()
    is_cited: bool = False
    legs: dict[str, LegPlaceV1] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _count_citations(cls, values: object) -> object:
        return {**values, "is_cited": bool(values.get("citations"))} if isinstance(values, dict) else values


class SearchResponseV1(WireModel):
    """The answer to one question.

    Attributes:
        channels: the legs that took part.
        notes: what a person should know of how the answer came about (a leg that was left out, and why).
        estimated_tokens: what the hits' text costs a language model.
    """

    schema_version: Literal["search_response.v1"] = "search_response.v1"
    query: str
    mode: SearchMode
    score_kind: ScoreKind = "rrf"
    channels: tuple[str, ...] = ()
    embedding_version: str | None = None
    hits: tuple[SearchHitV1, ...] = ()
    estimated_tokens: int = 0
    notes: tuple[str, ...] = ()


class ErrorV1(WireModel):
    """What failed, by a stable code, and the next thing to do (requirements K-38)."""

    schema_version: Literal["error.v1"] = "error.v1"
    code: str
    message: str
    hint: str = ""


class BulkSearchItemV1(WireModel):
    """One line of a bulk search: the question's id with its answer, or with its error; never both."""

    schema_version: Literal["bulk_search_item.v1"] = "bulk_search_item.v1"
    id: str
    response: SearchResponseV1 | None = None
    error: ErrorV1 | None = None

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if (self.response is None) == (self.error is None):
            raise ValueError("a bulk item holds either a response or an error")
        return self

    def to_json_line(self) -> str:
        """The item as one line, without the half that is absent."""
        return self.model_dump_json(exclude={"response" if self.response is None else "error"})
