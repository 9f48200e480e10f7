"""The links of the log: a hash chain over all columns of all events, so that nothing of it is changed unnoticed.

An event's link is the SHA-256 of the link before it and of everything that its row holds, as canonical JSON. The payload goes
in by its checksum, which :func:`verify_links` compares with the payload. The newest link is kept beside the store as well
(:mod:`.tip`): without that the end of the log could be cut off, or the whole of it be written anew.

Who can write the store's folder and knows this file can write both anew. Only a copy of the tip elsewhere tells then.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from memory_assets.identifiers import canonical_json
from memory_assets.log.tip import FIRST, Tip, Tips, TipTrouble, read_tips, write_tips

if TYPE_CHECKING:
    import duckdb

# Every column of `events` but the link itself; the checksum stands for the payload. Never another order: it is what is hashed.
LINKED_COLUMNS = (
    "seq",
    "event_id",
    "dedupe_key",
    "ts",
    "event_type",
    "actor",
    "session_id",
    "payload_redacted",
    "sensitivity",
    "checksum",
    "build_id",
    "created_at",
    "occurred_at",
    "payload_version",
    "causation_id",
    "stage_version",
    "chain_id",
    "basis_chains",
    "telemetry_json",
    "project",
    "dagster_run_id",
)
MOMENTS = frozenset({"ts", "created_at", "occurred_at"})
_CHUNK = 20_000


def _selected(column: str) -> str:
    # Integers, which every driver gives alike; `infinity` is none, and is one that no moment is.
    return f"coalesce(epoch_us({column}), if(isinf({column}), {2**63 - 1}, NULL))" if column in MOMENTS else column


LINKED_ROW = ", ".join(map(_selected, LINKED_COLUMNS))
"""What to select of an event for :func:`link_of`."""

_ROWS = f"""SELECT seq, link_hash, sha256(CAST(payload_json AS VARCHAR)) IS NOT DISTINCT FROM checksum, {LINKED_ROW}
FROM events WHERE seq > ? AND seq <= ? ORDER BY seq"""

BrokenPart = Literal["missing", "payload", "columns", "cut", "rewritten", "added", "tip missing", "tip unreadable"]


@dataclass(frozen=True, slots=True)
class Sound:
    """Every event is what was written, none is missing, and the log ends where the tip says.

    Attributes:
        last: the newest event's seq and link; seq 0 for an empty log.
    """

    last: Tip


@dataclass(frozen=True, slots=True)
class Broken:
    """The log is not what was written.

    Attributes:
        seq: the first event that is wrong, is missing or should not be there; None where only the tip is.
        part: ``missing``: no event has this seq. ``payload``: it is not the checksum's. ``columns``: something of the event, or
            its place, is not what was linked. ``cut``: the log ends before this event, which the tip says was written.
            ``rewritten``: the links agree with each other and not with the tip; what was changed is this event or one before
            it. ``added``: the links agree, but the tip knows of no event from here on. ``tip missing``, ``tip unreadable``: the
            events agree with each other, and what was written last cannot be told.
        last: the newest event whose link follows from all before it.
    """

    seq: int | None
    part: BrokenPart
    last: Tip

    def __str__(self) -> str:
        at = f"event {self.seq}"
        match self.part:
            case "missing":
                return f"{at} is missing"
            case "payload":
                return f"{at} has a payload that is not what was written: its checksum is another's"
            case "columns":
                return f"{at} is not what was written: its link is another's"
            case "cut":
                return f"{at} is missing, and all behind it: the log ends before what was written last"
            case "rewritten":
                return f"{at}, or one before it, was written anew: its link is not the one that is kept beside the store"
            case "added":
                return f"{at} was not there when the store was last written, or the tip beside the store is an older one"
            case "tip missing":
                return "the tip beside the store (store.tip) is gone: nobody can tell whether the log's end was cut off"
            case "tip unreadable":
                return "the tip beside the store (store.tip) cannot be read: nobody can tell whether the log's end was cut off"


def link_of(previous: bytes, row: Sequence[object]) -> bytes:
    """The link of an event.

    Args:
        previous: the link before it, :data:`~memory_assets.log.tip.FIRST_LINK` for the first.
        row: its :data:`LINKED_COLUMNS`; moments as microseconds since 1970 in UTC.
    """
    return hashlib.sha256(previous + canonical_json(row).encode()).digest()


def newest_link(connection: duckdb.DuckDBPyConnection) -> Tip | None:
    """Where the log ends; None where its newest event has no link, which no program of ours writes."""
    # Two statements of half a millisecond: to plan them as one takes as long as both (measured).
    ((seq,),) = connection.execute("SELECT max(seq) FROM events").fetchall()
    if seq is None:
        return FIRST
    ((link,),) = connection.execute(f"SELECT link_hash FROM events WHERE seq = {int(seq)}").fetchall()
    return None if link is None else Tip(seq, link)


def has_link(connection: duckdb.DuckDBPyConnection, tip: Tip | None) -> bool:
    """Whether the log, however far it goes, has this link at this place; the first one every log has."""
    if tip is None or tip == FIRST:
        return tip is not None
    return connection.execute("SELECT link_hash FROM events WHERE seq = ?", [tip.seq]).fetchall() == [(tip.link_hash,)]


def keep_first_tip(folder: Path, connection: duckdb.DuckDBPyConnection) -> None:
    """Keep where the log of a folder's store ends whose events have just got their links, before that is committed.

    A tip that is there already stays where it does not fit this log: it says that events are missing.
    """
    tips, newest = read_tips(folder), newest_link(connection)
    is_first = tips == "missing" or (
        isinstance(tips, Tips) and any(has_link(connection, tip) for tip in (tips.now, tips.coming))
    )
    if is_first and newest is not None:
        write_tips(folder, Tips(newest))


def verify_links(connection: duckdb.DuckDBPyConnection, tips: Tips | TipTrouble, *, is_whole: bool = True) -> Sound | Broken:
    """Read the whole log and compare: every column of every event, their order, and the end.

    Args:
        connection: on the store, read under its lock (``Database.reading``).
        tips: what :func:`~memory_assets.log.tip.read_tips` gives, read under the same lock.
        is_whole: False where events are left out of it that its reader may not see: what stands behind a gap has a link that
            nobody here can tell.
    """
    last = FIRST
    passed = {FIRST.seq: FIRST.link_hash}
    wanted = {tip.seq for tip in (tips.now, tips.coming) if tip} if isinstance(tips, Tips) else set()
    for seq, link, is_payload, row in _rows(connection):
        follows = seq == last.seq + 1
        if not follows and (is_whole or seq <= last.seq):
            return Broken(min(seq, last.seq + 1), "missing" if seq > last.seq else "columns", last)
        if not is_payload:
            return Broken(seq, "payload", last)
        if link is None or (follows and link != link_of(last.link_hash, row)):
            return Broken(seq, "columns", last)
        last = Tip(seq, link)
        if seq in wanted:
            passed[seq] = link
    if not isinstance(tips, Tips):
        return Broken(None, "tip missing" if tips == "missing" else "tip unreadable", last)
    return _compared(last, passed, tips)


def _compared(last: Tip, passed: dict[int, bytes], tips: Tips) -> Sound | Broken:
    if last in (tips.now, tips.coming):
        return Sound(last)
    held = next((tip for tip in (tips.coming, tips.now) if tip and passed.get(tip.seq) == tip.link_hash), None)
    if last.seq < (tips.now if held is None or tips.coming is None else tips.coming).seq:
        return Broken(last.seq + 1, "cut", last)
    return Broken(tips.now.seq, "rewritten", last) if held is None else Broken(held.seq + 1, "added", last)


def relink(connection: duckdb.DuckDBPyConnection) -> Tip:
    """Give every event its link, in the caller's transaction, and return where the log ends.

    For a store that is built of events from elsewhere, and for one that has no links yet. Whatever the events say counts as
    written: who calls it has checked them, and then writes the tip (:func:`~memory_assets.log.tip.write_tips`; in
    ``Database.writing`` the commit does). The events count from 1 without a gap, or the log is not sound afterwards either.
    """
    import pyarrow as pa

    last = FIRST
    seqs: list[int] = []
    links: list[bytes] = []
    for seq, _, _, row in _rows(connection):
        last = Tip(seq, link_of(last.link_hash, row))
        seqs.append(seq)
        links.append(last.link_hash)
    connection.register("new_links", pa.table({"seq": pa.array(seqs, pa.int64()), "link_hash": pa.array(links, pa.binary())}))
    connection.execute("UPDATE events SET link_hash = n.link_hash FROM new_links n WHERE events.seq = n.seq")
    connection.unregister("new_links")
    return last


def _rows(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[int, bytes | None, bool, tuple[object, ...]]]:
    """Every event in the order of seq: its link, whether the payload is its checksum's, and what is linked."""
    first, newest = connection.execute("SELECT coalesce(min(seq), 1), coalesce(max(seq), 0) FROM events").fetchall()[0]
    since = first - 1
    while since < newest:
        # By range, so that no more than a chunk is sorted and held.
        rows = connection.execute(_ROWS, [since, since + _CHUNK]).fetchall()
        for row in rows:
            yield row[0], row[1], row[2], row[3:]
        since += _CHUNK
        if not rows:
            # A gap that is wider than a chunk: where the next event stands is looked up, not searched for.
            since = connection.execute("SELECT min(seq) - 1 FROM events WHERE seq > ?", [since]).fetchall()[0][0]
