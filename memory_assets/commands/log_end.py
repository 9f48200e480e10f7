"""A person's word that the log's end is the end: after the tip beside the store was lost, or an older copy was put back."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memory_assets.log.batches import insert, rows_of
from memory_assets.log.errors import LogTamperedError
from memory_assets.log.events import NewEvent
from memory_assets.log.links import Sound
from memory_assets.log.payloads.log_end import LogEndAccepted
from memory_assets.log.tip import Tips, read_tips

if TYPE_CHECKING:
    from memory_assets.log.database import Database

# What only says that the end is not where it was; all else is in the log itself.
_AT_THE_END = frozenset({"cut", "rewritten", "added", "tip missing", "tip unreadable"})


def accept_log_end(database: Database, *, by: str) -> bool:
    """Log what was accepted and by whom, and keep the log's end anew; False where the end is where it was.

    Raises:
        LogTamperedError: an event of the log is not what was written; nothing is accepted.
    """
    with database.writing(whatever_the_tip=True) as connection:
        found = database.verify_links(connection)
        if isinstance(found, Sound):
            return False
        if found.part not in _AT_THE_END:
            raise LogTamperedError(found)
        tips = read_tips(database.path.parent)
        kept = tips.now if isinstance(tips, Tips) else None
        accepted = LogEndAccepted(
            last_seq=found.last.seq,
            last_link=found.last.link_hash.hex(),
            kept_seq=kept.seq if kept else None,
            kept_link=kept.link_hash.hex() if kept else None,
            reason=found.part,
            said_by=by,
        )
        now = datetime.now(UTC)
        event = NewEvent(
            accepted, inputs=(accepted.last_link, str(accepted.kept_link), now.isoformat()), actor=by, occurred_at=now
        )
        insert(connection, rows_of([event]))
        return True
