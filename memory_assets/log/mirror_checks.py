"""What a mirror refuses to take over, to read or to write, and how that is told."""

from __future__ import annotations

from collections.abc import Sequence

from memory_assets.identifiers import sha256_hex
from memory_assets.log.errors import SharedLogDiffersError, SharedLogRefusedError
from memory_assets.log.event_store import Access, Row, Versions
from memory_assets.log.links import LINKED_COLUMNS, link_of
from memory_assets.log.mirror_note import MirrorNote
from memory_assets.log.tip import Tip

REBUILD_HINT = "`memory mirror rebuild` makes the mirror anew and keeps the file that is there aside"


def checked_rows(rows: Sequence[Row], before: Tip, *, is_whole: bool = True) -> Tip:
    """Where a log ends behind these rows.

    Args:
        is_whole: False where events may be left out between them, of which nobody here can tell the link.

    Raises:
        SharedLogDiffersError: one of them does not follow, or is not what was written.
    """
    last = before
    width = len(LINKED_COLUMNS)
    checksum = LINKED_COLUMNS.index("checksum")
    if not rows:
        raise SharedLogDiffersError(f"event {before.seq + 1} of the shared log is missing", hint="look at its server")
    for row in rows:
        follows = row[0] == last.seq + 1
        link = link_of(last.link_hash, row[:width]) if follows or is_whole else bytes(row[-1])
        is_next = follows or (not is_whole and row[0] > last.seq)
        if not is_next or link != bytes(row[-1]) or sha256_hex(row[-2]) != row[checksum]:
            raise SharedLogDiffersError(
                f"event {row[0]} of the shared log is not what was written, or does not follow the one before it",
                hint="look at its server; `memory mirror verify` reads all of it",
            )
        last = Tip(int(row[0]), link)
    return last


def refuse_other_versions(mine: Versions, pinned: Versions) -> None:
    """Refuse settings or a program that would make other tables and outcomes of the same events.

    Raises:
        SharedLogRefusedError
    """
    other = sorted(name for name in pinned.keys() | mine.keys() if mine.get(name) != pinned.get(name))
    if other:
        raise SharedLogRefusedError(
            f"settings or program here give {', '.join(other)} another version than the shared log follows",
            hint="give all machines the same settings and program; `memory mirror pin` makes those of this one the log's",
        )


def refuse_reader(access: Access) -> None:
    """Refuse to write for a role that reads alone.

    Raises:
        SharedLogRefusedError
    """
    if not access.may_write:
        raise SharedLogRefusedError(
            f"this role reads {access}", hint="whoever owns the shared log gives the right: `memory mirror grant ROLE --write`"
        )


def how_it_differs(local: Tip, head: Tip, link: bytes | None) -> str:
    if local.seq > head.seq:
        return f"the shared log ends at event {head.seq} and the file here at event {local.seq}"
    return f"event {local.seq} here is not event {local.seq} of the shared log: these are two logs"


def hint_of(note: MirrorNote | None) -> str:
    if note is None:
        return "`memory move` moves a log into an empty one; `memory export` and `memory import` take over what this one holds"
    return REBUILD_HINT
