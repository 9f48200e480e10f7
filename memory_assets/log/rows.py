"""Rows of the log: the one statement that inserts events, each tied to the one before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memory_assets.log.links import LINKED_COLUMNS, link_of
from memory_assets.log.tip import Tip

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

ROW_COLUMNS = (*(name for name in LINKED_COLUMNS if name != "seq"), "payload_json")
"""What whoever writes events says of them; seq and link are the log's own."""


def write_rows(connection: duckdb.DuckDBPyConnection, columns: Mapping[str, Sequence[object]], before: Tip) -> Tip:
    """Insert events behind the log's end, inside the caller's transaction; where the log ends then.

    Args:
        columns: all :data:`ROW_COLUMNS`; moments as microseconds since 1970 in UTC. None of the events is in the log.
        before: where the log ends.
    """
    count = len(columns["event_id"])
    if not count:
        return before
    whole = {"seq": range(before.seq + 1, before.seq + 1 + count), **columns}
    links = _links(whole, before.link_hash)
    insert_rows(connection, whole, links)
    return Tip(before.seq + count, links[-1])


def insert_rows(connection: duckdb.DuckDBPyConnection, columns: Mapping[str, Sequence[object]], links: list[bytes]) -> None:
    """Insert events that have their seq and their link, inside the caller's transaction."""
    connection.register("new_events", _arrow(columns, links))
    connection.execute("INSERT INTO events BY NAME SELECT * FROM new_events ORDER BY seq")
    connection.unregister("new_events")


def _links(columns: Mapping[str, Sequence[object]], link: bytes) -> list[bytes]:
    """The rows' links; ``link`` is the one before them."""
    links = []
    for row in zip(*(columns[name] for name in LINKED_COLUMNS), strict=True):
        link = link_of(link, row)
        links.append(link)
    return links


def _arrow(columns: Mapping[str, Sequence[object]], links: list[bytes]) -> pa.Table:
    import pyarrow as pa

    moment = pa.timestamp("us")
    kinds = {
        "seq": pa.int64(),
        "ts": moment,
        "created_at": moment,
        "occurred_at": moment,
        "payload_version": pa.int32(),
        "basis_chains": pa.list_(pa.string()),
    }
    arrays = {name: pa.array(list(values), kinds.get(name, pa.string())) for name, values in columns.items()}
    return pa.table({**arrays, "link_hash": pa.array(links, pa.binary())})
