"""Prompts of roles and what is proposed for them, as they are printed."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from memory_assets.results.model import WireModel


class PromptVersionV1(WireModel):
    """One version of a role's prompt, without its text.

    Attributes:
        cause: ``seed`` for the first, ``update`` for an applied proposal, ``rollback`` for an older text taken back.
        rolled_back_to: the version whose text it has.
        written_to: the file that it was written into last.
    """

    version: int = Field(ge=1)
    sha256: str
    is_active: bool
    cause: Literal["seed", "update", "rollback"]
    update_id: str | None = None
    rolled_back_to: int | None = None
    activated_by: str
    activated_at: datetime
    written_to: str | None = None
    written_at: datetime | None = None


class RolePromptV1(WireModel):
    """A version of a role's prompt with its text, and all versions there are, the newest first.

    Attributes:
        open_updates: proposals that wait for somebody's word, or are approved and not applied.
    """

    schema_version: Literal["role_prompt.v1"] = "role_prompt.v1"
    role: str
    version: int = Field(ge=1)
    is_active: bool
    sha256: str
    prompt: str
    versions: tuple[PromptVersionV1, ...]
    open_updates: int = Field(default=0, ge=0)


class CitedLessonV1(WireModel):
    """A lesson that a proposal was made of.

    Attributes:
        standing: ``stands``; ``set_aside``, by another lesson or a person; ``gone``, with the sessions that gave it, as where
            they were forgotten.
    """

    lesson_id: str
    standing: Literal["stands", "set_aside", "gone"]
    title: str = ""


class PromptUpdateV1(WireModel):
    """A proposal for a role's prompt.

    Attributes:
        prompt: the whole new text.
        base_sha256: of the text that it was made from.
        base_is_active: that text is the active one still; else it cannot be applied.
        diff: against the text that it was made from.
        note: what was said at its review.
    """

    schema_version: Literal["prompt_update.v1"] = "prompt_update.v1"
    update_id: str
    role: str
    status: Literal["proposed", "approved", "rejected", "applied"]
    reason: str
    base_version: int | None = None
    base_sha256: str
    base_is_active: bool
    sha256: str
    prompt: str
    diff: str
    lessons: tuple[CitedLessonV1, ...] = ()
    proposed_by: str
    proposed_at: datetime
    reviewed_by: str | None = None
    reviewed_at: datetime | None = None
    note: str = ""
    applied_version: int | None = None
    applied_by: str | None = None
    applied_at: datetime | None = None
    written_to: str | None = None
