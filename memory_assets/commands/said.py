"""A command as it goes into the log: with the speaker's clock, its text masked like any other, and folded at once."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memory_assets.errors import InvalidArgumentError
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.base import Payload
from memory_assets.log.sql import WORDS
from memory_assets.projections.fold import catch_up
from memory_assets.sessions.masking.redaction import redact_text

if TYPE_CHECKING:
    from memory_assets.configuration import Resources

MOST_SAID = 2_000
"""Characters of a note, a name or a decision."""


def now() -> datetime:
    """The speaker's clock."""
    return datetime.now(UTC)


def masked(resources: Resources, text: str, *, what: str = "text") -> str:
    """What is kept of a note: secrets, addresses and private blocks are masked before it is written anywhere.

    Args:
        what: the text's own name, for the message.

    Raises:
        InvalidArgumentError: what is left is longer than :data:`MOST_SAID`; nothing is cut, or half a secret would be none.
    """
    whole = text.encode("utf-8", "replace").decode("utf-8").strip()
    kept = redact_text(whole, resources.redaction_policy).text
    if len(kept) > MOST_SAID:
        raise InvalidArgumentError(
            f"a {what} of {len(kept):,} characters is too long: {MOST_SAID:,} are kept at the most",
            hint="say it in fewer words",
        )
    return kept


def command(payload: Payload, *, at: datetime, project: str | None = None) -> NewEvent:
    """What somebody said at a time: the same words at another time are another command."""
    return NewEvent(
        payload, inputs=(at.isoformat(), payload.model_dump_json()), actor="person", occurred_at=at, project=project
    )


def say(resources: Resources, *commands: NewEvent) -> None:
    """Append commands and fold what they name; what they lead to across sessions is appended too."""
    with resources.database.kept_open():
        EventLog(resources.database).append(commands)
        settle(resources)


def settle(resources: Resources) -> None:
    """Bring the tables up to the log's end, and append the outcomes that are missing; then what changed goes to the index.

    Words go at once, vectors where no model has to be loaded for them: else they wait for the next drain. Who is writing to the
    index meanwhile writes this too: what is set aside is no hit until then.
    """
    with resources.database.kept_open():
        _settle(resources)


def _settle(resources: Resources) -> None:
    catch_up(resources.database, resources.configured_versions, resolve=True)
    with resources.database.reading() as connection:
        waiting = connection.execute(
            """SELECT 1 FROM vector_outbox WHERE status = 'pending'
               AND (embedding_version = ? OR embedding_version IN (SELECT stage_version FROM configured_versions)) LIMIT 1""",
            [WORDS],
        ).fetchall()
    if waiting:
        from memory_assets.maintenance.indexing import write_behind, write_words
        from memory_assets.vectors.errors import IndexBusyError

        with contextlib.suppress(IndexBusyError):
            write_words(resources)
        if resources.embedder.is_ready:
            write_behind(resources)
