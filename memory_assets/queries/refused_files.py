"""Session files that cannot be taken in, and sessions that are on their way and not through: what people are to see."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.identifiers import sha256_hex
from memory_assets.sessions.files import found_masked_path, load_source

if TYPE_CHECKING:
    from datetime import datetime

    import duckdb

    from memory_assets.log.database import Database


@dataclass(frozen=True, slots=True)
class RefusedFile:
    """A file that was refused and is still what it was then.

    Attributes:
        path: as the log calls it, masked where it holds a secret.
        line: where in the file, from 1; None where it is the file as a whole.
        since: when it was refused, UTC.
    """

    path: str
    reason: str
    line: int | None
    detail: str
    since: datetime


def refused_files(database: Database) -> list[RefusedFile]:
    """The files that the log was told last cannot be taken, without those that are gone or were changed since."""
    with database.reading() as connection:
        told = _told(connection)
    return [file for file, file_hash in told if _is_still_so(found_masked_path(file.path) or file.path, file_hash)]


def _told(connection: duckdb.DuckDBPyConnection) -> list[tuple[RefusedFile, str | None]]:
    rows = connection.execute(
        """WITH told AS (
             SELECT seq, ts, event_type, payload_json, payload_json ->> '$.uri' AS uri
             FROM visible_events WHERE event_type IN ('session_rejected', 'source_registered')
             QUALIFY row_number() OVER (PARTITION BY payload_json ->> '$.uri' ORDER BY seq DESC) = 1
           )
           SELECT uri, payload_json ->> '$.reason', CAST(payload_json ->> '$.line' AS INTEGER), payload_json ->> '$.detail', ts,
             payload_json ->> '$.file_hash'
           FROM told WHERE event_type = 'session_rejected' ORDER BY uri"""
    ).fetchall()
    return [(RefusedFile(uri, reason, line, detail or "", ts), file_hash) for uri, reason, line, detail, ts, file_hash in rows]


def _is_still_so(path: str, file_hash: str | None) -> bool:
    try:
        status = Path(path).stat()
    except OSError:
        return False
    if os.path.isdir(path):  # noqa: PTH112 - a path that holds anything
        return not os.access(path, os.R_OK | os.X_OK)
    return _content(path, status.st_mtime_ns, status.st_size) == file_hash


@lru_cache(maxsize=1024)
def _content(path: str, mtime_ns: int, size: int) -> str | None:
    data = load_source(path)
    return sha256_hex(data) if isinstance(data, bytes) else None


def unfinished_sessions(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Sessions that are neither through nor put aside, each with the furthest stage that it has reached."""
    rows = connection.execute(
        """SELECT session_id, status FROM sessions WHERE status NOT IN ('vectorized', 'quarantined') ORDER BY session_id"""
    ).fetchall()
    return [(session_id, status) for session_id, status in rows]
