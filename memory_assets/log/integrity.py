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


def integrity(connection: duckdb.DuckDBPyConnection) -> Integrity:
    """Count what has to agree."""
    counted = connection.execute(
        """SELECT count(*), coalesce(max(seq), 0), count(DISTINCT dedupe_key),
             count(*) FILTER (sha256(CAST(payload_json AS VARCHAR)) <> checksum) FROM events"""
    ).fetchall()[0]
    return Integrity(*counted)
