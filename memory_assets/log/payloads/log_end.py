"""What was said of the log itself."""

from __future__ import annotations

from typing import ClassVar, Literal

from memory_assets.log.payloads.base import Payload


class LogEndAccepted(Payload):
    """A person took the log's end for what was written last, though the tip beside the store said otherwise.

    Attributes:
        last_seq, last_link: where the log ended then; the link in hex.
        kept_seq, kept_link: where it ended by the tip; None where there was none that could be read.
        reason: how the two disagreed, as ``links.Broken.part`` says it.
    """

    event_type: ClassVar[str] = "log_end_accepted"
    last_seq: int
    last_link: str
    kept_seq: int | None = None
    kept_link: str | None = None
    reason: Literal["cut", "rewritten", "added", "tip missing", "tip unreadable"]
    said_by: str
