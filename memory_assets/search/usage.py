"""What searches delivered, counted off the read path.

A search appends one line to a spool file and is done: it waits for nobody, and nothing that goes wrong there reaches who
searched. Whoever writes to the store anyway takes the spool over: it is renamed, its lines are counted, and its new name is
remembered in the transaction that counts. A process that is killed in between leaves either a spool that was not counted, or
one whose name says that it was.

A line holds what was shown and when: never the question, and no text.
"""

from __future__ import annotations

import contextlib
import json
import os
import uuid
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import portalocker

from memory_assets.log.errors import StoreError
from memory_assets.log.sql import IN_LIST, json_list

if TYPE_CHECKING:
    import duckdb

    from memory_assets.configuration import Resources
    from memory_assets.log.database import Database
    from memory_assets.settings import Settings

MOST_SPOOLED_BYTES = 4_000_000
"""A spool that nobody takes over grows no further: what is shown then is not counted."""

MOST_SHOWN = 1_000
"""Hits of one search that are counted; no search delivers more."""

_SPOOL = "shown.ndjson"
_TAKEN = "taken-*.ndjson"
_TRIES = 3
_PATIENCE_SECONDS = 0.5

_COUNT = """
INSERT INTO unit_usage
SELECT unnest(from_json(?, '[{"unit_kind": "VARCHAR", "source_id": "VARCHAR", "shown": "INTEGER", "first_shown_at": "TIMESTAMP",
  "last_shown_at": "TIMESTAMP"}]'), recursive := true)
ON CONFLICT (unit_kind, source_id) DO UPDATE SET shown = unit_usage.shown + excluded.shown,
  first_shown_at = least(unit_usage.first_shown_at, excluded.first_shown_at),
  last_shown_at = greatest(unit_usage.last_shown_at, excluded.last_shown_at)
"""

# What was shown before it was forgotten, and is counted behind that.
_FORGET = f"""
DELETE FROM unit_usage WHERE source_id IN {IN_LIST} AND EXISTS (SELECT 1 FROM forgotten_sessions)
  AND (unit_kind, source_id) NOT IN (SELECT (unit_kind, source_id) FROM memory_units)
"""


def note_shown(settings: Settings, shown: Sequence[tuple[str, str]]) -> None:
    """Remember that a search delivered these units, each a (unit_kind, source_id). Never raises and never waits."""
    if not shown:
        return
    with contextlib.suppress(Exception):  # to be counted is worth less than the answer that was just given
        _append(_folder(settings) / _SPOOL, _line(shown[:MOST_SHOWN], datetime.now(UTC)))


def count_shown(resources: Resources) -> int:
    """Count what searches have delivered since the last time; how many deliveries that were.

    What cannot be counted now is counted another time: no reader waits long for it.
    """
    seconds = min(_PATIENCE_SECONDS, resources.settings.store.lock_timeout_seconds)
    with contextlib.suppress(StoreError, OSError):
        return take_shown(resources.settings, resources.database_within(seconds))
    return 0


def take_shown(settings: Settings, database: Database) -> int:
    """Count what was spooled into ``unit_usage``, each delivery once. How many deliveries were counted.

    Opens the store only where there is something to count.

    Raises:
        StoreLockedError, StoreError: the spool is counted another time then.
    """
    folder = _folder(settings)
    # While the store takes nothing, what was taken over before is all that is kept for it.
    if _bytes_of(folder) < MOST_SPOOLED_BYTES:
        with contextlib.suppress(FileNotFoundError):
            (folder / _SPOOL).rename(folder / _TAKEN.replace("*", uuid.uuid4().hex))
    if not any(folder.glob(_TAKEN)):
        return 0
    with database.writing() as connection:
        # Inside the transaction, so that no other process takes one of these away between the look and the count.
        spools = sorted(folder.glob(_TAKEN))
        counted = _count(connection, spools)
    for spool in spools:
        spool.unlink(missing_ok=True)
    return counted


def _count(connection: duckdb.DuckDBPyConnection, spools: Sequence[Path]) -> int:
    names = json_list(spool.name for spool in spools)
    connection.execute(f"DELETE FROM usage_spools WHERE name NOT IN {IN_LIST}", [names])
    known = {name for (name,) in connection.execute("SELECT name FROM usage_spools").fetchall()}
    new = [spool for spool in spools if spool.name not in known]
    shown = _together(delivery for spool in new for delivery in _deliveries(_lines(spool)))
    if shown:
        connection.execute(_COUNT, [json.dumps(shown)])
        connection.execute(_FORGET, [json_list(row["source_id"] for row in shown)])
    for spool in new:
        connection.execute("INSERT INTO usage_spools VALUES (?)", [spool.name])
    return sum(row["shown"] for row in shown)


def _bytes_of(folder: Path) -> int:
    total = 0
    for spool in folder.glob(_TAKEN):
        with contextlib.suppress(FileNotFoundError):
            total += spool.stat().st_size
    return total


def _folder(settings: Settings) -> Path:
    return settings.home / "usage"


def _line(shown: Sequence[tuple[str, str]], at: datetime) -> bytes:
    # The break in front: where a full disk cut the line before, only that one is lost.
    return f"\n{json.dumps({'at': at.isoformat(), 'shown': list(shown)}, separators=(',', ':'))}\n".encode()


def _append(spool: Path, line: bytes) -> None:
    spool.parent.mkdir(mode=0o700, exist_ok=True)
    for _ in range(_TRIES):
        descriptor = os.open(spool, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            if _is_ours(spool, descriptor):
                if os.fstat(descriptor).st_size + len(line) <= MOST_SPOOLED_BYTES:
                    os.write(descriptor, line)
                return
        finally:
            os.close(descriptor)


def _is_ours(spool: Path, descriptor: int) -> bool:
    """Whether what was opened is still the spool: while we share its lock, nobody who took it over reads it."""
    try:
        portalocker.lock(descriptor, portalocker.LockFlags.SHARED | portalocker.LockFlags.NON_BLOCKING)
        return os.path.samestat(os.fstat(descriptor), spool.stat())
    except (portalocker.LockException, FileNotFoundError):
        return False  # it was taken over in this moment; the next one is another file


def _lines(spool: Path) -> Iterator[bytes]:
    with contextlib.suppress(FileNotFoundError), spool.open("r+b") as file:
        # Whoever was writing when it was renamed has finished once this is granted: a line takes no time.
        portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE)
        yield from file.read(2 * MOST_SPOOLED_BYTES).splitlines()


def _deliveries(lines: Iterable[bytes]) -> Iterator[tuple[str, str, str]]:
    """What the lines say was shown: kind, source, and when. Half a line, or one that somebody else wrote, says nothing."""
    for line in lines:
        try:
            told = json.loads(line)
            at = datetime.fromisoformat(told["at"]).astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds")
            shown = [(unit_kind, source_id) for unit_kind, source_id in told["shown"]]
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            continue
        for unit_kind, source_id in shown:
            if isinstance(unit_kind, str) and isinstance(source_id, str):
                yield unit_kind, source_id, at


def _together(deliveries: Iterable[tuple[str, str, str]]) -> list[dict[str, Any]]:
    """A row a unit."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for unit_kind, source_id, at in deliveries:
        row = rows.get((unit_kind, source_id))
        if row is None:
            source = {"unit_kind": unit_kind, "source_id": source_id}
            rows[unit_kind, source_id] = {**source, "shown": 1, "first_shown_at": at, "last_shown_at": at}
        else:
            row["shown"] += 1
            row["first_shown_at"] = min(row["first_shown_at"], at)
            row["last_shown_at"] = max(row["last_shown_at"], at)
    return list(rows.values())
