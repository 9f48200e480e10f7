"""Who wrote the stretches of the messages that are said, where it was not their speaker throughout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.sessions.model import Message
from memory_assets.sessions.origins import Stretch, origins_of

if TYPE_CHECKING:
    import duckdb

_SAID = """
SELECT session_id, message_index, role, sidechain, text FROM messages
WHERE kind = 'said' AND role IN ('user', 'assistant') AND session_id IN (SELECT session_id FROM affected)
ORDER BY session_id, message_index
"""


def fold_origins(connection: duckdb.DuckDBPyConnection) -> None:
    """Fold the origins of the scope's messages anew; whoever calls has removed the old ones."""
    import pyarrow as pa

    rows: list[tuple[str, int, Stretch]] = []
    for session_id, index, role, sidechain, text in connection.execute(_SAID).fetchall():
        stretches = origins_of(Message("", role, "said", text, sidechain=sidechain))
        if any(stretch.origin not in ("typed", "said") for stretch in stretches):
            rows.extend((session_id, index, stretch) for stretch in stretches)
    if not rows:
        return
    table = pa.table(
        {
            "session_id": [session_id for session_id, _, _ in rows],
            "message_index": pa.array([index for _, index, _ in rows], pa.int32()),
            "span_start": pa.array([stretch.start for _, _, stretch in rows], pa.int32()),
            "span_end": pa.array([stretch.end for _, _, stretch in rows], pa.int32()),
            "origin": [stretch.origin for _, _, stretch in rows],
        }
    )
    connection.register("new_origins", table)
    connection.execute("INSERT INTO message_origins BY NAME SELECT * FROM new_origins")
    connection.unregister("new_origins")
