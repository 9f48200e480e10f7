"""Whether the log is whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import duckdb

# What is wrong with an event, NULL where nothing is. The checksum covers the payload alone; the key tells type, session and
# version, and the id is the key's hash. What neither covers (time, actor, project, telemetry) cannot be told from the log.
_WRONG = """CASE
  WHEN sha256(CAST(e.payload_json AS VARCHAR)) <> e.checksum THEN 'payload'
  WHEN e.event_id <> 'ev_' || left(sha256(e.dedupe_key), 32) OR NOT json_valid(e.dedupe_key) THEN 'event_id'
  WHEN e.dedupe_key ->> '$[0]' IS DISTINCT FROM e.event_type THEN 'event_type'
  WHEN e.dedupe_key ->> '$[1]' IS DISTINCT FROM e.session_id THEN 'session_id'
  WHEN e.dedupe_key ->> '$[3]' IS DISTINCT FROM coalesce(e.stage_version, '') THEN 'stage_version'
  WHEN e.chain_id IS NOT NULL AND h.event_id IS NULL THEN 'chain_id'
END"""
_EVENTS = """events e LEFT JOIN (SELECT event_id, session_id FROM events WHERE event_type = 'session_ingested') h
  ON h.event_id = e.chain_id AND h.session_id IS NOT DISTINCT FROM e.session_id"""
WrongPart = Literal["payload", "event_id", "event_type", "session_id", "stage_version", "chain_id"]


@dataclass(frozen=True, slots=True)
class Integrity:
    """What was counted over the whole log; it takes the time of reading all of it."""

    events: int
    newest_seq: int
    distinct_keys: int
    wrong_checksums: int
    wrong_columns: int

    @property
    def is_whole(self) -> bool:
        """seq counts without a gap, no key stands twice, every checksum is its payload's, every column its key's."""
        return self.events == self.newest_seq == self.distinct_keys and self.wrong_checksums == self.wrong_columns == 0


@dataclass(frozen=True, slots=True)
class WrongEvent:
    """An event that is not what was written.

    Attributes:
        part: what of it, the first that was found.
        entry_id: what its payload says now, None where it tells of no entry.
    """

    event_id: str
    event_type: str
    session_id: str | None
    entry_id: str | None
    part: WrongPart


def wrong_events(connection: duckdb.DuckDBPyConnection) -> list[WrongEvent]:
    """The events that are not what was written, as far as the log itself can tell, in commit order."""
    rows = connection.execute(
        f"""SELECT e.event_id, e.event_type, e.session_id, e.payload_json ->> '$.entry_id', {_WRONG} AS part FROM {_EVENTS}
            WHERE part IS NOT NULL ORDER BY e.seq"""
    ).fetchall()
    return [WrongEvent(*row) for row in rows]


def integrity(connection: duckdb.DuckDBPyConnection) -> Integrity:
    """Count what has to agree."""
    counted = connection.execute(
        f"""SELECT count(*), coalesce(max(seq), 0), count(DISTINCT dedupe_key), count(*) FILTER (part = 'payload'),
              count(*) FILTER (part <> 'payload')
            FROM (SELECT e.seq, e.dedupe_key, {_WRONG} AS part FROM {_EVENTS})"""
    ).fetchall()[0]
    return Integrity(*counted)
