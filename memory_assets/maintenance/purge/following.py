"""What one machine purged of a shared log is taken out of the others: each makes its mirror anew and purges what it has.

The shared log was written anew and has another epoch, so the file here is no mirror of it any more and is not read. A new one
is made beside it; what the old one holds and the new one does not is what goes, of the index and of everything else too.
Killed before the swap, the old file counts and is refused as before; behind it, the next purge does what is left.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.fleet.opening import opened
from memory_assets.log import swap
from memory_assets.log.database import STORE_FILE_NAME, Database
from memory_assets.log.errors import SharedLogRefusedError, of_system
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.links import newest_link
from memory_assets.log.mirror_note import NOTE_FILE_NAME, MirrorNote, read_note, write_note
from memory_assets.log.opening import opened_to_write
from memory_assets.log.payloads.purged import MirrorPurged
from memory_assets.log.tip import FIRST, TIP_FILE_NAME, Tip, Tips, read_tips
from memory_assets.maintenance.purge.new_index import write_new_index
from memory_assets.maintenance.purge.rewriting import (
    ASIDE,
    bring_to_disk,
    check_room,
    index_alone,
    keep_left_to_do,
    staged_folder,
)
from memory_assets.maintenance.purge.traces import take_pieces
from memory_assets.progress import NoProgress, Progress
from memory_assets.projections.going import TOMBSTONES, counted_by_type, find_sessions, sessions_concerned

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_assets.configuration import Resources
    from memory_assets.log.event_store import StoreState

_GOING = "CREATE OR REPLACE TEMP TABLE going AS SELECT seq FROM events WHERE event_id NOT IN (SELECT event_id FROM new_ids)"
_LIVING = f"SELECT DISTINCT session_id FROM events WHERE session_id IS NOT NULL AND event_type NOT IN {TOMBSTONES}"


@dataclass(frozen=True, slots=True)
class Gone:
    """What the file here holds and the shared log does not any more.

    Attributes:
        sessions: those that lose something, and whether they lose everything.
        kept: how many events the log has.
        old, new: where the file ends, and the log.
    """

    removed: dict[str, int]
    sessions: dict[str, bool]
    living: frozenset[str]
    kept: int
    pieces: tuple[str, ...]
    old: Tip
    new: Tip


def purge_to_follow(resources: Resources) -> bool:
    """Whether events were taken out of the shared log that the mirror here was made of.

    Raises:
        SharedLogUnavailableError, SharedLogRefusedError
    """
    settings = resources.settings
    if settings.store.url is None or (note := read_note(settings.store_folder)) is None:
        return False
    return _is_behind(note, _state(resources))


def _is_behind(note: MirrorNote, state: StoreState) -> bool:
    return note.epoch.store_id == state.epoch.store_id and note.epoch.number != state.epoch.number


def _state(resources: Resources) -> StoreState:
    return resources.database_within(resources.settings.store.lock_timeout_seconds).mirror.store.state()


def make_mirror_anew(
    resources: Resources, own_words: str, found: Callable[[Database, Gone], object], *, progress: Progress | None = None
) -> tuple[Gone, dict[str, tuple[int, int]]]:
    """Put a mirror in place that never held what was purged; what went with the old one, and rows of each table of the index.

    Args:
        own_words: what the program and other records say whatever they tell of: no piece of what goes.
        found: told what goes, and the store that holds it, while it is there.

    Raises:
        SharedLogUnavailableError, SharedLogRefusedError, SharedLogDiffersError: nothing was changed.
        IndexBusyError, StoreLockedError, StoreFullError, StoreError, IndexWriteError: nothing was changed.
    """
    settings, told = resources.settings, progress or NoProgress()
    alone = Database(settings.store_folder, lock_timeout=settings.store.lock_timeout_seconds)
    with index_alone(settings, told), staged_folder(settings.store_folder) as staged:
        told.start(3, "taking over the shared log")
        try:
            ids, living = _take_over(resources, staged)
            told.advance(1, "looking for what goes")
            gone = _gone(alone, staged, ids, living, own_words)
            found(alone, gone)
            told.advance(1, "putting it in place")
            index = _put_in_place(alone, settings.vectors_folder, staged, gone)
            told.advance()
        finally:
            told.finish()
    return gone, index


def _take_over(resources: Resources, staged: Path) -> tuple[pa.Table, frozenset[str]]:
    """Make the new mirror; the ids of its events, and the sessions of which more than tombstones is in it."""
    settings, state = resources.settings, _state(resources)
    new = staged / "new"
    new.mkdir(mode=0o700)
    known = read_note(settings.store_folder)
    assert known is not None  # it is a mirror
    # It is the same machine, which the log knows already.
    write_note(new, MirrorNote(state.epoch, known.host_id, 0.0, state.access, is_enrolled=known.is_enrolled))
    fresh = opened(new, settings.store.url, settings.store.lock_timeout_seconds, lambda: resources.configured_versions)
    with fresh.reading() as connection:
        ids = connection.execute("SELECT event_id FROM events").to_arrow_table()
        living = frozenset(session_id for (session_id,) in connection.execute(_LIVING).fetchall())
    if fresh.mirror.away is not None:
        raise fresh.mirror.away
    with fresh.held() as connection:
        connection.execute("CHECKPOINT")
    for name in (STORE_FILE_NAME, TIP_FILE_NAME, NOTE_FILE_NAME):
        (new / name).replace(staged / name)
    shutil.rmtree(new)
    return ids, living


def _gone(alone: Database, staged: Path, ids: pa.Table, living: frozenset[str], own_words: str) -> Gone:
    tips = read_tips(staged)
    assert isinstance(tips, Tips)  # it was made just now
    with alone.reading() as connection:
        connection.register("new_ids", ids)
        connection.execute(_GOING)
        connection.unregister("new_ids")
        find_sessions(connection)
        return Gone(
            counted_by_type(connection),
            sessions_concerned(connection),
            living,
            len(ids),
            take_pieces(connection, own_words),
            newest_link(connection) or FIRST,
            tips.now,
        )


def _put_in_place(alone: Database, vectors: Path, staged: Path, gone: Gone) -> dict[str, tuple[int, int]]:
    with alone.alone() as folder:
        check_room(folder, vectors)
        shutil.rmtree(folder / f"{STORE_FILE_NAME}.tmp", ignore_errors=True)
        try:
            with opened_to_write(staged / STORE_FILE_NAME) as connection:
                index = write_new_index(vectors, staged / vectors.name, connection)
                connection.execute("CHECKPOINT")
            keep_left_to_do(folder, staged, gone.sessions, gone.living)
            bring_to_disk(staged)
            swap.begin(folder, staged, ASIDE, keep_old=False)
            swap.finish(folder)
        except OSError as error:
            raise of_system(error, folder) from error
    return index


def tell_purged(resources: Resources) -> None:
    """Say in a shared log that this machine holds nothing any more of what was taken out of it; once for each time.

    One that may not write there says it to nobody: it is in no list of those that are to.
    """
    settings = resources.settings
    note = read_note(settings.store_folder) if settings.store.url is not None else None
    if note is None or note.epoch.number == 1:
        return
    told = MirrorPurged(host_id=note.host_id, epoch=note.epoch.number)
    with contextlib.suppress(SharedLogRefusedError):
        EventLog(resources.database).append([NewEvent(told, inputs=(note.host_id, str(note.epoch.number)))])
