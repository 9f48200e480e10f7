"""Session files that cannot be taken in, and sessions that are on their way and not through: what people are to see."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.identifiers import sha256_hex
from memory_assets.log.sql import seen
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
    # What a person named and is none is no news: who named it was told. Few files are refused, and all others are passed over.
    visible = seen(connection)
    rows = connection.execute(
        f"""WITH refused AS (
              SELECT payload_json ->> '$.uri' AS uri, arg_max(struct_pack(seq, ts, payload_json), seq) AS told
              FROM {visible("event_type = 'session_rejected'")} GROUP BY uri
            )
            SELECT uri, told.payload_json ->> '$.reason', CAST(told.payload_json ->> '$.line' AS INTEGER),
              told.payload_json ->> '$.detail', told.ts, told.payload_json ->> '$.file_hash'
            FROM refused
            WHERE told.payload_json ->> '$.reason' != 'not_a_session' AND NOT EXISTS (
              SELECT 1 FROM {visible("event_type = 'source_registered' AND seq > (SELECT min(told.seq) FROM refused)")} taken
              WHERE taken.payload_json ->> '$.uri' = refused.uri AND taken.seq > refused.told.seq)
            ORDER BY uri"""
    ).fetchall()
    return [(RefusedFile(uri, reason, line, detail or "", ts), file_hash) for uri, reason, line, detail, ts, file_hash in rows]


def _is_still_so(path: str, file_hash: str | None) -> bool:
    try:
        status = Path(path).stat()
    except FileNotFoundError:
        return Path(path).is_symlink()  # to nowhere
    except OSError:
        return True
    if stat.S_ISDIR(status.st_mode):
        return not os.access(path, os.R_OK | os.X_OK)
    if not stat.S_ISREG(status.st_mode):
        return True  # nothing that is read, as a pipe would never end
    return _content(path, status.st_mtime_ns, status.st_ctime_ns, status.st_size) == file_hash


@lru_cache(maxsize=1024)
def _content(path: str, mtime_ns: int, ctime_ns: int, size: int) -> str | None:
    data = load_source(path)
    return sha256_hex(data) if isinstance(data, bytes) else None


def unfinished_sessions(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Sessions that are neither through nor put aside, each with the furthest stage that it has reached."""
    rows = connection.execute(
        """SELECT session_id, status FROM sessions WHERE status NOT IN ('vectorized', 'quarantined') ORDER BY session_id"""
    ).fetchall()
    return [(session_id, status) for session_id, status in rows]
