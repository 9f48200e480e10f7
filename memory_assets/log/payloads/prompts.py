"""Prompts of roles: what was proposed for one, what a person said of it, and which text is the active one.

They belong to no session. Their texts are typed by people, or proposed by programs in words of their own.
"""

from __future__ import annotations

from typing import ClassVar

from memory_assets.court.prompts import ActivationCause, Verdict
from memory_assets.log.payloads.base import Payload


class RolePromptActivated(Payload):
    """A text becomes a role's active prompt, and its next version: the order of the log counts them.

    Attributes:
        update_id: of an update the proposal.
        rolled_back_to: of a rollback the event that had made the text active before.
    """

    event_type: ClassVar[str] = "role_prompt_activated"
    role: str
    prompt: str
    cause: ActivationCause
    update_id: str | None = None
    rolled_back_to: str | None = None
    activated_by: str


class PromptUpdateProposed(Payload):
    """Somebody proposes another text for a role.

    Attributes:
        prompt: the whole new text.
        base_sha256: of the text that was active then; it is applied to no other.
        lesson_ids: what it was made of, where it was made of lessons.
    """

    event_type: ClassVar[str] = "prompt_update_proposed"
    update_id: str
    role: str
    prompt: str
    base_sha256: str
    reason: str
    lesson_ids: list[str] = []
    proposed_by: str


class PromptUpdateReviewed(Payload):
    """A person approves or rejects a proposal, by name."""

    event_type: ClassVar[str] = "prompt_update_reviewed"
    update_id: str
    verdict: Verdict
    reviewed_by: str
    note: str = ""


class PromptWritten(Payload):
    """A version was written into a file.

    Attributes:
        activated_event_id: the event that made the version.
    """

    event_type: ClassVar[str] = "prompt_written"
    role: str
    activated_event_id: str
    path: str
    written_by: str
