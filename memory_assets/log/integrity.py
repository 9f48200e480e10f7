"""Whether the log is whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class Integrity:
    """What was counted over the whole log; it takes the time of reading all of it."""

    events: int
    newest_seq: int
    distinct_keys: int
    wrong_checksums: int

    @property
    def is_whole(self) -> bool:
        """seq counts without a gap, no key stands twice, every checksum is its payload's."""
        return self.events == self.newest_seq == self.distinct_keys and self.wrong_checksums == 0


@dataclass(frozen=True, slots=True)
class WrongEvent:
    """An event whose payload is not what was written. ``entry_id`` is what it says now, None where it tells of no entry."""

    event_id: str
    event_type: str
    session_id: str | None
    entry_id: str | None


def wrong_events(connection: duckdb.DuckDBPyConnection) -> list[WrongEvent]:
    """The events whose checksum is not their payload's, in commit order."""
    rows = connection.execute(
        """SELECT event_id, event_type, session_id, payload_json ->> '$.entry_id' FROM events
           WHERE sha256(CAST(payload_json AS VARCHAR)) <> checksum ORDER BY seq"""
    ).fetchall()
    return [WrongEvent(*row) for row in rows]


def integrity(connection: duckdb.DuckDBPyConnection) -> Integrity:
    """Count what has to agree."""
    counted = connection.execute(
        """SELECT count(*), coalesce(max(seq), 0), count(DISTINCT dedupe_key),
             count(*) FILTER (sha256(CAST(payload_json AS VARCHAR)) <> checksum) FROM events"""
    ).fetchall()[0]
    return Integrity(*counted)
