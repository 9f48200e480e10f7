"""What an agent is given before it begins, as it is printed."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from memory_assets.results.certificate import CertificateV1
from memory_assets.results.model import WireModel
from memory_assets.results.retrieval import RetrievalV1
from memory_assets.results.said_otherwise import SaidOtherwiseV1
from memory_assets.vocabulary import Assurance, Origin

SectionName = Literal["constitution", "skills", "recent_gotchas", "context", "code_symbols"]


class AllocationV1(WireModel):
    """How many tokens each part may take."""

    constitution: int = Field(ge=0)
    skills: int = Field(ge=0)
    context: int = Field(ge=0)
    code_symbols: int = Field(ge=0)


class TokenBudgetV1(WireModel):
    """Tokens that may be spent, those that were, and what is left: always ``total - used``."""

    total: int = Field(ge=0)
    used: int = Field(ge=0)
    remaining: int = Field(ge=0)
    allocation: AllocationV1


class ContextItemV1(WireModel):
    """One line of a context.

    Attributes:
        id: the memory's address or the task's id, where it is one.
        uris: where it is said.
        text: as it was said, without the escapes of the Markdown; ``is_cut`` where it is not all.
        is_cited: false for what cites nothing; the Markdown begins it with ``[HYPOTHESIS]``.
        checker: who granted the stage.
        tokens: what its line of the Markdown costs.
        assurance: of a memory what was proved of it, as the Markdown says it.
        origin: of a passage, who wrote it; the Markdown says it of what neither the person nor the agent wrote.
        said_otherwise: what a person said instead of something that it shows; the Markdown says it too.
    """

    id: str | None = None
    unit_id: str | None = None
    unit_kind: str
    uris: tuple[str, ...] = ()
    text: str
    is_cut: bool = False
    is_cited: bool = False
    entry_type: str | None = None
    stage: str | None = None
    checker: str | None = None
    status: str | None = None
    speaker: str | None = None
    ts: datetime | None = None
    relevance: float | None = None
    tokens: int = Field(default=0, ge=0)
    assurance: Assurance | None = None
    origin: Origin | None = None
    said_otherwise: SaidOtherwiseV1 | None = None


class ContextSectionV1(WireModel):
    """A part of a context, and what it costs with its heading."""

    name: SectionName
    title: str
    items: tuple[ContextItemV1, ...] = ()
    tokens: int = Field(default=0, ge=0)


class ContextBundleV1(WireModel):
    """What the memory has for a question, within a budget, ready to be read by a language model.

    Attributes:
        text: the whole of it as Markdown; what sessions say is escaped in it.
        budget: ``used`` is what ``text`` costs.
        certificate: how far what is delivered suffices for the question; None where the budget holds nothing of what was found.
        retrieval: how sure it is that what was found can hold the answer: of the searches that it is put together of (what is
            remembered, what was said, what went wrong) the surest.
    """

    schema_version: Literal["context_bundle.v1"] = "context_bundle.v1"
    query: str
    project: str | None = None
    budget: TokenBudgetV1
    sections: tuple[ContextSectionV1, ...] = ()
    text: str = ""
    certificate: CertificateV1 | None = None
    retrieval: RetrievalV1 | None = None
    notes: tuple[str, ...] = ()
