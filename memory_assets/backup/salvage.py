"""Read what can be read of a mended store's events, in a process of its own: damaged metadata may end the process.

The rows go to a file, one a line. Ranges of rows that cannot be read are halved down to one; before each range its place is
written down, so that the parent goes on behind it where this process ended with it.
"""

from __future__ import annotations

import contextlib
import json
import re
import resource
import sys
from pathlib import Path
from typing import IO, Any

from memory_assets.errors import MemoryAssetsError
from memory_assets.log.links import LINKED_COLUMNS
from memory_assets.log.opening import opened_to_write

RANGE = 2048
_MEMORY_BYTES = 8 << 30
_MOMENTS = ("ts", "created_at", "occurred_at")
_SELECTED = ", ".join(f"epoch_us({name}) AS {name}" if name in _MOMENTS else name for name in LINKED_COLUMNS)
_ROWS = f"SELECT rowid, CAST(payload_json AS VARCHAR), hex(link_hash), {_SELECTED} FROM events WHERE rowid >= ? AND rowid < ?"
_NAMED = ("seq", "event_id", "event_type", "session_id")


def main(store: Path, found: Path, start: int, end: int) -> None:
    """Read rows ``start`` to ``end`` (0: as many as the store says there are)."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    with found.open("a", encoding="utf-8") as out:
        if not end:
            end = _count(store)
            _write(out, {"count": end})
        waiting = [(low, min(low + RANGE, end)) for low in range(start, end, RANGE)][::-1]
        while waiting:
            waiting = _read(store, out, waiting)
        _write(out, {"done": end})


def _read(store: Path, out: IO[str], waiting: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Read ranges on one connection until one fails, which may leave DuckDB unusable; what is left to read."""
    with contextlib.suppress(MemoryAssetsError), opened_to_write(store) as connection:
        while waiting:
            low, high = waiting.pop()
            _write(out, {"trying": [low, high]})
            try:
                rows = connection.execute(_ROWS, [low, high]).fetchall()
            except Exception:
                if high - low > 1:
                    middle = (low + high) // 2
                    return [*waiting, (middle, high), (low, middle)]
                _write(out, {"lost": low})
                return waiting
            for row in rows:
                _write(out, {"row": row[0], "payload": row[1], "link": row[2], "columns": row[3:]})
        return []
    # It cannot be opened at all, or no longer.
    for low, high in waiting:
        _write(out, {"lost": low, "upto": high})
    return []


def _count(store: Path) -> int:
    with opened_to_write(store) as connection:
        return int(connection.execute("SELECT coalesce(max(rowid) + 1, 0) FROM events").fetchall()[0][0])


def torn_at(message: str) -> int | None:
    """Where in a WAL the first damaged entry begins, as DuckDB's message says."""
    place = re.search(r"byte position (\d+)", message)
    return int(place[1]) if place else None


def _write(out: IO[str], said: dict[str, Any]) -> None:
    try:
        line = json.dumps(said)
    except (TypeError, ValueError):
        line = json.dumps({"lost": said.get("row")})
    out.write(f"{line}\n")
    out.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
