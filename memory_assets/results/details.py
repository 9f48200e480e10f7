"""Things in full, as they are printed."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from memory_assets.results.citation import CitationV1
from memory_assets.results.model import WireModel
from memory_assets.results.said_otherwise import SaidOtherwiseV1
from memory_assets.results.unanswered import UnansweredV1
from memory_assets.vocabulary import Assurance, Origin


class BesideV1(WireModel):
    """The passage before or behind a text, in short; ``said_otherwise`` is what a person said instead of something of it."""

    uri: str
    speaker: str = ""
    ts: datetime
    preview: str
    said_otherwise: SaidOtherwiseV1 | None = None


class DetailMetadataV1(WireModel):
    """What is known of a thing beside its text.

    Attributes:
        entry_type: of a memory: decision, fact, preference, insight, task or reference.
        checker: who granted the stage; shown wherever the stage is.
        task_status, priority: of a task.
        message_index, role, speaker: of a passage, or of where a memory was said first.
        token_count: what the full text costs, however much of it is shown.
        has_code: there is a fenced block in it.
        files: paths and names that it names.
        assurance: what was proved of it, as screens say it; what is no memory and no task is quoted.
        origin: of a passage, who wrote it.
    """

    entry_type: str | None = None
    stage: str | None = None
    checker: str | None = None
    status: str | None = None
    confidence: float | None = None
    task_status: str | None = None
    priority: str | None = None
    project: str | None = None
    worktree: str | None = None
    session_id: str | None = None
    session_title: str | None = None
    message_index: int | None = None
    role: str | None = None
    speaker: str | None = None
    said_at: datetime | None = None
    token_count: int = Field(default=0, ge=0)
    has_code: bool = False
    files: tuple[str, ...] = ()
    assurance: Assurance | None = None
    origin: Origin | None = None


class RelatedItemV1(WireModel):
    """Something that hangs on a thing.

    Attributes:
        relation: ``same_words`` (rests on the same characters), ``evidence_of``, ``evidence``, ``conflict``, or the name of an
            edge (``blocked_by``, ``blocks``, ``resolves_to``, ``mentions`` …).
        id: what it is asked for by.
    """

    relation: str
    kind: str
    id: str
    title: str
    status: str | None = None


class DetailV1(WireModel):
    """One thing in full, as far as its tokens reach.

    Attributes:
        given: the id as it was given.
        id: the memory's address or the task's id, where it is one.
        text: of a passage its text, of a memory the passage that its first quote stands in, of a task its title and quotes.
        text_uri: the address of ``text``, where it is one place.
        before, after: what stands beside the text in its session.
        citations: with the quotes that are not in ``text`` already.
        related: entries, tasks, conflicts and other things that hang on it.
        cut: what was left out for want of tokens, in words; empty where all is there.
        tokens: what the texts, quotes and addresses cost.
        said_otherwise: what a person said instead of something that it shows.
    """

    given: str
    id: str | None = None
    unit_id: str | None = None
    unit_kind: str | None = None
    title: str = ""
    text: str = ""
    text_uri: str | None = None
    before: BesideV1 | None = None
    after: BesideV1 | None = None
    metadata: DetailMetadataV1
    citations: tuple[CitationV1, ...] = ()
    is_cited: bool = False
    related: tuple[RelatedItemV1, ...] = ()
    cut: tuple[str, ...] = ()
    tokens: int = Field(default=0, ge=0)
    said_otherwise: SaidOtherwiseV1 | None = None


class DetailsV1(WireModel):
    """Several things in full.

    Attributes:
        errors: ids that name nothing.
        budget: tokens of all together, a hard cap; ``estimated_tokens`` is what they cost.
    """

    schema_version: Literal["details.v1"] = "details.v1"
    items: tuple[DetailV1, ...] = ()
    errors: tuple[UnansweredV1, ...] = ()
    budget: int = Field(default=0, ge=0)
    estimated_tokens: int = Field(default=0, ge=0)
