"""`memory move`: the log of a store into an empty shared one, and a shared one into a file of this machine.

Every step leaves a whole log in one place, and says which. On the way in the shared log is marked as *arriving* until all of it
was read back, and this store is fenced by its note in front of that: nobody writes to both. On the way out the shared log is
marked as *left* in front of the note's end. Whoever is killed anywhere runs the same command again.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.errors import InvalidArgumentError
from memory_assets.fleet.opening import opened, shared_log
from memory_assets.fleet.whole_log import count_rows, enroll, mark_moving
from memory_assets.log.database import STORE_FILE_NAME, Database
from memory_assets.log.errors import LogTamperedError, SharedLogDiffersError, SharedLogRefusedError, SharedLogUnavailableError
from memory_assets.log.event_store import Moving, Row, StoreState, refuse_half, refuse_older
from memory_assets.log.links import Broken, newest_link
from memory_assets.log.mirror import PULLED_ROWS, ROWS_BEHIND
from memory_assets.log.mirror_checks import checked_rows
from memory_assets.log.mirror_note import MirrorNote, drop_note, read_note, write_note
from memory_assets.log.tip import FIRST, Tip
from memory_assets.log.unshared import holds_unshared
from memory_assets.postgres.address import PostgresAddress
from memory_assets.progress import NoProgress, Progress
from memory_assets.results.moved import MovedV1
from memory_assets.settings_sections import shared_address

if TYPE_CHECKING:
    import duckdb

    from memory_assets.configuration import Resources
    from memory_assets.fleet.postgres_store import HeldStore, PostgresStore

_TRIES = 5
_CUT = f"{ROWS_BEHIND} LIMIT {PULLED_ROWS}"
_LINK_AT = "SELECT link_hash FROM events WHERE seq = ?"
_PINNED = "SELECT event_type, stage_version FROM configured_versions"
_DROP = "`DROP SCHEMA memory_log CASCADE` there empties it, where nobody needs what it holds"


def move_to_shared(resources: Resources, url: str, *, dry_run: bool = False, progress: Progress | None = None) -> MovedV1:
    """Move the log of this store's file into an empty shared one; the file is its first mirror then.

    Args:
        url: of the PostgreSQL, without a password.

    Raises:
        InvalidArgumentError: there is no log here, or the settings name another one.
        SharedLogDiffersError: another log is there; nothing was changed.
        SharedLogUnavailableError, SharedLogRefusedError, StoreLockedError, StoreError: running it again goes on.
    """
    settings, told, url = resources.settings, progress or NoProgress(), shared_address(url)
    folder, waits = settings.store_folder, settings.store.lock_timeout_seconds
    if settings.store.url not in (None, url):
        raise InvalidArgumentError("store.url names another shared log", hint="a log is moved out of it first: `--to embedded`")
    if not (folder / STORE_FILE_NAME).exists():
        raise InvalidArgumentError(f"{folder} holds no store", hint="a machine without one needs store.url alone")
    # Opened alone: what it holds is the log, whatever the settings name.
    own, there = Database(folder, lock_timeout=waits), shared_log(url, waits)
    state = there.state()
    _check_note(folder, state)
    projects = settings.sharing.projects
    with own.reading() as connection:
        _check_shared(connection, projects)
        here = newest_link(connection) or FIRST
        _check_same(connection, here, there, state)
    sent = max(0, here.seq - state.head.seq)
    if not dry_run and not _has_arrived(folder, state):
        with there.exclusive(refuse_older) as held:
            _begin(held, here)
        try:
            told.start(max(1, 2 * here.seq - state.head.seq), "sending the log")
            _send(lambda head: _read_here(own, head, projects), there, told)
            told.advance(0, "reading it back")
            read = _read_back(there, FIRST, told)
            here = _arrive(own, there, read, projects)
        finally:
            told.finish()
    return MovedV1(
        dry_run=dry_run,
        source=str(own.path),
        target=str(PostgresAddress(url)),
        events=max(here.seq, state.head.seq),
        sent=sent,
        link_hash=(here if here.seq >= state.head.seq else state.head).link_hash.hex(),
        next_steps=() if settings.store.url == url else _to_use(url),
    )


def _to_use(url: str) -> tuple[str, ...]:
    return (
        f'put into memory.toml, under [store]: url = "{url}"',
        "or into the environment: MEMORY_STORE_URL; the password comes from PGPASSWORD or a passfile alone",
        "servers that hold this store open (`memory serve`, `memory dev`) are started again",
    )


def _check_note(folder: Path, state: StoreState) -> None:
    refuse_older(state)
    note = read_note(folder)
    if note is not None and note.epoch != state.epoch:
        raise SharedLogDiffersError(
            f"{folder} mirrors another shared log",
            hint="move that one out of its PostgreSQL first: `memory move --to embedded`",
        )
    if note is not None and state.moving is not None and state.moving.how == "left" and state.moving.host_id != note.host_id:
        _refuse_left(state.moving)


def _has_arrived(folder: Path, state: StoreState) -> bool:
    return read_note(folder) is not None and state.moving is None


def _check_same(connection: duckdb.DuckDBPyConnection, here: Tip, there: PostgresStore, state: StoreState) -> None:
    """Whether what is there is nothing, all of this log, or a beginning of it that nobody uses.

    Raises:
        SharedLogDiffersError
    """
    head = state.head
    if head in (FIRST, here):
        return
    if head.seq < here.seq and connection.execute(_LINK_AT, [head.seq]).fetchall() == [(head.link_hash,)]:
        if state.moving is None:
            raise SharedLogDiffersError(
                f"the shared log is in use, and ends at event {head.seq} of the {here.seq} here",
                hint="nothing was changed; who else mirrors it may know more: `memory mirror` there",
            )
        return
    is_further = state.moving is None or state.moving.how == "left"
    if head.seq > here.seq and is_further and (not here.seq or there.link_at(here.seq) == here.link_hash):
        return
    raise SharedLogDiffersError(
        f"the shared log holds other events than {STORE_FILE_NAME} here: its newest is {head.seq}, here {here.seq}",
        hint=f"name an empty database, or take in what this store holds with `memory export` and `memory import`. {_DROP}",
    )


def _begin(held: HeldStore, here: Tip) -> None:
    """Mark the log as arriving, where something is to be sent."""
    state = held.state()
    if state.moving is None and state.head != FIRST:
        return
    if state.head.seq < here.seq and (state.moving is None or state.moving.how == "left"):
        mark_moving(held.connection, "arriving", state.moving.host_id if state.moving else uuid.uuid4().hex)


def _send(read: Callable[[Tip], list[Row]], there: PostgresStore, told: Progress) -> Tip:
    """Send what is behind the shared log's end, a part a transaction; where it ends then."""
    head = there.state().head
    while rows := read(head):
        last = _followed(rows, head)
        with there.exclusive(refuse_older) as held:
            _expect_arriving(held.state())
            held.push(rows, head)
        told.advance(len(rows))
        head = last
    return head


def _expect_arriving(state: StoreState) -> None:
    if state.moving is None or state.moving.how != "arriving":
        raise SharedLogDiffersError(
            "somebody else uses the shared log by now", hint="run the command again to see what it holds"
        )


def _check_shared(
    connection: duckdb.DuckDBPyConnection, projects: Sequence[str] | None, *, after: int = 0, through: int | None = None
) -> None:
    """Refuse to move what is to stay on this machine, of the events behind one and up to another, or to the end.

    Raises:
        SharedLogRefusedError
    """
    if projects is not None and holds_unshared(connection, projects, after=after, through=through):
        raise SharedLogRefusedError(
            "this log holds a project that sharing.projects does not name",
            hint="`memory export --project` and `memory import` into a store of its own bring over those that are to be shared",
        )


def _read_here(own: Database, head: Tip, projects: Sequence[str] | None) -> list[Row]:
    with own.reading() as connection:
        rows: list[Row] = connection.execute(_CUT, [head.seq]).fetchall()
        # What came behind the look at the whole log is looked at once, with the part that it goes in.
        if rows:
            _check_shared(connection, projects, after=head.seq, through=rows[-1][0])
        return rows


def _followed(rows: list[Row], before: Tip) -> Tip:
    """Where the rows of this store end, each of which follows from the one before it.

    Raises:
        SharedLogDiffersError
    """
    try:
        return checked_rows(rows, before)
    except SharedLogDiffersError as error:
        raise SharedLogDiffersError(
            f"an event behind {before.seq} here does not follow what was sent: this store was purged meanwhile, or was changed",
            hint=f"`memory fsck` tells which. What was sent is of no use then: {_DROP}; then move again",
        ) from error


def _read_back(there: PostgresStore, last: Tip, told: Progress) -> Tip:
    """Where the shared log ends, every event of which was read and follows from the one before it."""
    while rows := there.pull(last.seq, PULLED_ROWS):
        last = checked_rows(rows, last)
        told.advance(len(rows))
    return last


def _arrive(own: Database, there: PostgresStore, read: Tip, projects: Sequence[str] | None) -> Tip:
    """Send what was written here meanwhile, with nobody writing here any more; then the shared log is the log."""
    with own.held() as connection:
        tip = own.checked_tip(connection)
        _check_shared(connection, projects, after=read.seq)
        _send(lambda head: connection.execute(_CUT, [head.seq]).fetchall(), there, NoProgress())
        last = _read_back(there, read, NoProgress())
        state = there.state()
        if last.seq < tip.seq or (last.seq == tip.seq and last != tip):
            raise SharedLogDiffersError(
                f"the shared log ends at event {last.seq}, this store at {tip.seq}", hint="run the command again"
            )
        ((count,),) = connection.execute("SELECT count(*) FROM events").fetchall()
        versions = dict(connection.execute(_PINNED).fetchall())
        host_id = state.moving.host_id if state.moving else uuid.uuid4().hex
        # From here on nobody writes to this file alone; what is written there is pulled from there.
        write_note(own.path.parent, MirrorNote(state.epoch, host_id, time.time() if last == tip else 0.0))
        with there.exclusive(refuse_older) as held:
            if held.state().head != last or count != tip.seq or count_rows(held.connection) != last.seq:
                raise SharedLogDiffersError("the shared log is not what was sent", hint="run the command again")
            if versions and held.state().versions is None:
                held.pin(versions)
            enroll(held.connection, host_id, state.epoch.number)
            mark_moving(held.connection, None)
    if there.state().moving is not None:
        raise SharedLogUnavailableError("nobody can tell whether the move ended", hint="run the command again")
    return tip


def move_to_own(
    resources: Resources, folder: Path | None = None, *, dry_run: bool = False, progress: Progress | None = None
) -> MovedV1:
    """Move the shared log into this machine's own file, or into a folder's; nobody writes to the shared one behind it.

    Args:
        folder: of the store; that of the settings when left out.

    Raises:
        InvalidArgumentError: the settings name no shared log.
        SharedLogDiffersError: another log is in the folder; nothing was changed.
        SharedLogUnavailableError, SharedLogRefusedError, StoreLockedError, StoreError: running it again goes on.
    """
    settings, told = resources.settings, progress or NoProgress()
    url, waits = settings.store.url, settings.store.lock_timeout_seconds
    if url is None:
        raise InvalidArgumentError("store.url names no shared log", hint="set it to the one that is to be moved")
    home, there = folder or settings.store_folder, shared_log(url, waits)
    state = there.state()
    _expect_here_or_staying(home, state)
    database = opened(home, url, waits, lambda: resources.configured_versions)
    here = _tip_of(database) if (home / STORE_FILE_NAME).exists() else FIRST
    sent = state.head.seq - here.seq
    if not dry_run and not _has_left(home, here, state):
        try:
            told.start(3, "taking over the shared log")
            database.follow(patiently=True)
            if database.mirror.away is not None:
                raise database.mirror.away
            told.advance(1, "verifying it")
            _verify(home)
            told.advance(1, "closing the shared log")
            here = _leave(database, there)
            told.advance()
        finally:
            told.finish()
    return MovedV1(
        dry_run=dry_run,
        source=str(PostgresAddress(url)),
        target=str(database.path),
        events=max(here.seq, state.head.seq),
        sent=max(0, sent),
        link_hash=(here if here.seq >= state.head.seq else state.head).link_hash.hex(),
        next_steps=(
            "take store.url (MEMORY_STORE_URL) away on this machine",
            *((f"set MEMORY_HOME to {folder}, then `memory rebuild` makes its search index",) if folder else ()),
            "other machines read their mirrors and write nothing: give them another log, or move this one back",
        ),
    )


def _tip_of(database: Database) -> Tip:
    """Where the file's log ends, as it is."""
    with Database(database.path.parent).reading() as connection:
        return newest_link(connection) or FIRST


def _expect_here_or_staying(home: Path, state: StoreState) -> None:
    refuse_older(state)
    refuse_half(state)
    note = read_note(home)
    if state.moving is not None and note is not None and state.moving.host_id != note.host_id:
        _refuse_left(state.moving)


def _refuse_left(moving: Moving) -> None:
    raise SharedLogRefusedError(
        f"the shared log has moved into the file of machine {moving.host_id[:12]} already",
        hint="what the mirror here holds: `memory backup` it, and `memory restore` that into another folder",
    )


def _has_left(home: Path, here: Tip, state: StoreState) -> bool:
    """Whether all is done. A file without a note that holds the log is where it went."""
    if state.moving is None or read_note(home) is not None:
        return False
    if here.seq < state.head.seq:
        _refuse_left(state.moving)
    return True


def _verify(home: Path) -> None:
    alone = Database(home)
    with alone.reading() as connection:
        found = alone.verify_links(connection)
    if isinstance(found, Broken):
        raise LogTamperedError(found)


def _leave(database: Database, there: PostgresStore) -> Tip:
    """With nobody writing here or there: the shared log is closed, and the file is no mirror any more."""
    folder = database.path.parent
    for tip in _caught_up(database):
        note = read_note(folder)
        assert note is not None  # it is a mirror
        mine = Moving("left", note.host_id)
        with there.exclusive(_accepting(mine)) as held:
            is_all = held.state().head == tip
            if is_all:
                if count_rows(held.connection) != tip.seq:
                    raise SharedLogDiffersError("events are missing in the shared log", hint="`memory mirror verify` says more")
                mark_moving(held.connection, mine.how, mine.host_id)
        if is_all:
            if there.state().moving != mine:
                raise SharedLogUnavailableError("nobody can tell whether the move ended", hint="run the command again")
            drop_note(folder)
            return tip
    raise SharedLogRefusedError("others go on writing to the shared log", hint="wait for them, then run the command again")


def _caught_up(database: Database) -> Iterator[Tip]:
    """Where the mirror ends, with the store held, as often as others were faster."""
    with database.held() as connection:
        for _ in range(_TRIES):
            yield database.mirror.catch_up(connection, database.checked_tip(connection))


def _accepting(mine: Moving) -> Callable[[StoreState], None]:
    def accepts(state: StoreState) -> None:
        refuse_older(state)
        refuse_half(state)
        if state.moving not in (None, mine):
            assert state.moving is not None
            _refuse_left(state.moving)

    return accepts
