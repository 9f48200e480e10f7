"""The shared log as a whole: its rows put there or replaced, on its way in or out, and which machines mirror it."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from memory_assets.fleet.pushing import push_rows
from memory_assets.log.event_store import Moving, Row

if TYPE_CHECKING:
    from psycopg import Connection

# The files of a table, of its texts and of its indexes are new ones, and the old ones go with the commit: no row that is only
# marked as deleted stays in them. It is the same table: rights on it and rules of it stay.
_EMPTY = """ALTER TABLE memory_log.events DISABLE TRIGGER append_only;
TRUNCATE memory_log.events, memory_log.pieces, memory_log.vectors"""
# Who wrote is the server's word, which would be this session's own for all of them.
_WRITTEN_BY = "CREATE TEMPORARY TABLE written ON COMMIT DROP AS SELECT event_id, written_by FROM memory_log.events"
_WRITTEN_BY_AGAIN = """UPDATE memory_log.events e SET written_by = w.written_by FROM written w
WHERE w.event_id = e.event_id AND w.written_by <> e.written_by"""
_AS_BEFORE = """ALTER TABLE memory_log.events ENABLE TRIGGER append_only; UPDATE memory_log.log SET epoch = epoch + 1"""

_MIRRORS = """
SELECT m.host_id, m.name, m.joined_epoch >= l.epoch OR EXISTS (
  SELECT 1 FROM memory_log.events e WHERE e.event_type = 'mirror_purged'
    AND e.payload_json::json ->> 'host_id' = m.host_id AND (e.payload_json::json ->> 'epoch')::integer = l.epoch),
  EXISTS (SELECT 1 FROM memory_log.events e WHERE e.event_type = 'mirror_retired'
    AND e.payload_json::json ->> 'host_id' = m.host_id AND NOT EXISTS (SELECT 1 FROM memory_log.events b WHERE b.seq > e.seq
      AND ((b.event_type = 'build_started' AND starts_with(b.telemetry_json::json ->> 'runner', m.host_id || '/'))
        OR (b.event_type = 'mirror_purged' AND b.payload_json::json ->> 'host_id' = m.host_id))))
FROM memory_log.mirrors m, memory_log.log l ORDER BY m.joined_at, m.host_id
"""


@dataclass(frozen=True, slots=True)
class MirrorThere:
    """A machine that mirrors the log.

    Attributes:
        name: what its owner calls it.
        is_clean: it holds nothing of what the last purge took out, as it told itself, or it came later.
        is_retired: a person said that it will not come back, and it has begun no build and followed no purge since.
    """

    host_id: str
    name: str
    is_clean: bool
    is_retired: bool


def put_in_place(connection: Connection[Any], parts: Iterable[Sequence[Row]]) -> None:
    """Other rows in the place of all that are there, in the caller's transaction: a log of another epoch."""
    connection.execute(_WRITTEN_BY)
    connection.execute(_EMPTY)
    for rows in parts:
        push_rows(connection, rows)
    connection.execute(_WRITTEN_BY_AGAIN)
    connection.execute(_AS_BEFORE)


def mark_moving(connection: Connection[Any], how: Literal["arriving", "left"] | None, host_id: str = "") -> None:
    """Say, in the caller's transaction, that the log is on its way; None: it stays."""
    connection.execute("UPDATE memory_log.log SET moving = %s", [None if how is None else f"{how} {host_id}"])


def moving_of(text: str | None) -> Moving | None:
    """What was said by :func:`mark_moving`."""
    if text is None:
        return None
    how, _, host_id = text.partition(" ")
    return Moving("arriving" if how == "arriving" else "left", host_id)


def count_rows(connection: Connection[Any]) -> int:
    """How many events there are."""
    return int(connection.execute("SELECT count(*) FROM memory_log.events").fetchall()[0][0])


def enroll(connection: Connection[Any], host_id: str, epoch: int) -> None:
    """Name a machine that mirrors the log."""
    connection.execute(
        "INSERT INTO memory_log.mirrors (host_id, name, joined_epoch) VALUES (%s, %s, %s) ON CONFLICT (host_id) DO NOTHING",
        [host_id, platform.node(), epoch],
    )


def mirrors_of(connection: Connection[Any]) -> list[MirrorThere]:
    """The machines that mirror the log, those that came first in front."""
    return [MirrorThere(*row) for row in connection.execute(_MIRRORS).fetchall()]
