"""`memory mirror`: how the store's file stands to the log that it mirrors, and bringing it up or making it anew."""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memory_assets.errors import AmbiguousIdError, InvalidArgumentError, NotFoundError
from memory_assets.log.database import STORE_FILE_NAME, Database
from memory_assets.log.errors import SharedLogDiffersError, SharedLogRefusedError, SharedLogUnavailableError, StoreError
from memory_assets.log.event_log import EventLog
from memory_assets.log.event_store import Access
from memory_assets.log.events import NewEvent
from memory_assets.log.links import Broken, newest_link
from memory_assets.log.mirror import FOLLOW_HINT, PULLED_ROWS
from memory_assets.log.mirror_checks import checked_rows, refuse_other_versions
from memory_assets.log.mirror_note import NOTE_FILE_NAME, read_note, write_note
from memory_assets.log.payloads.purged import MirrorRetired
from memory_assets.log.tip import FIRST, TIP_FILE_NAME, Tip, Tips, read_tips
from memory_assets.maintenance.indexing import write_behind, write_words
from memory_assets.progress import NoProgress, Progress
from memory_assets.projections.fold import catch_up
from memory_assets.results.mirror import MachineV1, MirrorBuiltV1, MirrorV1, MirrorVerifiedV1

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memory_assets.configuration import Resources
    from memory_assets.fleet.postgres_store import PostgresStore
    from memory_assets.log.event_store import EventStore, StoreState

_STAGED = "mirror.staged"
_LEAST_OF_AN_ID = 6


def shared_log_of(resources: Resources) -> EventStore:
    """The log that the settings name.

    Raises:
        InvalidArgumentError: they name none.
    """
    if resources.settings.store.url is None:
        raise InvalidArgumentError(
            "store.url names no shared log: this store's file is its own log", hint="docs/fleet.md tells how machines share one"
        )
    # Nothing of it is read: it may be no mirror of that log, or not yet.
    return resources.database_within(resources.settings.store.lock_timeout_seconds).mirror.store


def mirror_status(resources: Resources) -> MirrorV1:
    """How the mirror stands to its log; nothing is taken over, and what is wrong is said and no error."""
    from memory_assets.postgres.address import PostgresAddress

    store, folder = shared_log_of(resources), resources.settings.store_folder
    note, here = read_note(folder), _tip_here(folder)
    state: StoreState | None = None
    try:
        state = store.state()
        problem = _problem(resources, store, state, here)
    except StoreError as error:
        problem = f"{error}. {error.hint}"
    epoch = note.epoch if note else state.epoch if state else None
    return MirrorV1(
        log=str(PostgresAddress(str(resources.settings.store.url))),
        store_id=epoch.store_id if epoch else None,
        epoch=epoch.number if epoch else None,
        host_id=note.host_id if note else None,
        head_seq=state.head.seq if state else None,
        mirror_seq=here.seq,
        as_of=datetime.fromtimestamp(note.as_of, UTC) if note and note.as_of else None,
        versions=dict(state.versions) if state and state.versions is not None else None,
        problem=problem,
        machines=_machines(resources, state),
    )


def _machines(resources: Resources, state: StoreState | None) -> tuple[MachineV1, ...]:
    """Who mirrors the log; nobody where it cannot be asked."""
    from memory_assets.fleet.opening import shared_log

    store, note = resources.settings.store, read_note(resources.settings.store_folder)
    # What machines say of themselves belongs to no project: who sees some alone cannot tell who has purged.
    if state is None or store.url is None or state.access.projects is not None:
        return ()
    here = note.host_id if note else None
    return tuple(
        MachineV1(
            host_id=machine.host_id,
            name=machine.name,
            purged=machine.is_clean,
            is_here=machine.host_id == here,
            retired=machine.is_retired,
        )
        for machine in shared_log(store.url, store.lock_timeout_seconds).mirrors()
    )


def _problem(resources: Resources, store: EventStore, state: StoreState, here: Tip) -> str | None:
    note = read_note(resources.settings.store_folder)
    if note is not None and note.epoch != state.epoch:
        return "the file here mirrors another log, or this one as it was before events were taken out of it"
    if here.seq and store.link_at(here.seq) != here.link_hash:
        return f"event {here.seq} here is not event {here.seq} of the shared log"
    if state.versions is not None:
        refuse_other_versions(resources.configured_versions, state.versions)
    return None


def update_mirror(resources: Resources, *, progress: Progress | None = None) -> MirrorBuiltV1:
    """Take over what others wrote, fold it and make it searchable.

    Raises:
        SharedLogUnavailableError, SharedLogRefusedError, SharedLogDiffersError: nothing is taken over.
        IndexBusyError, IndexWriteError, IndexCorruptError: the tables are up by then.
    """
    shared_log_of(resources)
    before = _tip_here(resources.settings.store_folder).seq
    database = resources.database
    database.follow(patiently=True)
    if database.mirror.away is not None:
        raise database.mirror.away
    return _indexed(resources, before, progress)


def verify_mirror(resources: Resources) -> MirrorVerifiedV1:
    """Read all of both logs and compare every event; the time of reading both.

    Raises:
        SharedLogUnavailableError, SharedLogRefusedError
    """
    store = shared_log_of(resources)
    state, last, problems = store.state(), FIRST, []
    while last.seq < state.head.seq:
        try:
            last = checked_rows(store.pull(last.seq, PULLED_ROWS), last, is_whole=state.access.projects is None)
        except SharedLogDiffersError as error:
            problems.append(str(error))
            break
    # Opened alone: what is compared is the file as it is.
    alone = Database(resources.settings.store_folder, lock_timeout=resources.settings.store.lock_timeout_seconds)
    with alone.reading() as connection:
        found = alone.verify_links(connection)
        here = newest_link(connection) or FIRST
    if isinstance(found, Broken):
        problems.append(f"here {found}")
    # By its link alone: another process of this machine may have taken over more meanwhile.
    if here.seq and store.link_at(here.seq) != here.link_hash:
        problems.append(f"event {here.seq} here is not event {here.seq} of the shared log")
    elif here.seq < state.head.seq:
        problems.append(f"here are the first {here.seq:,} of them: `memory mirror update` takes over the rest")
    return MirrorVerifiedV1(head_seq=state.head.seq, mirror_seq=here.seq, equal=not problems, problems=tuple(problems))


def rebuild_mirror(resources: Resources, *, progress: Progress | None = None) -> MirrorBuiltV1:
    """Make the mirror anew from the shared log, put it in the place of the file that is there, and bring the index in line.

    Raises:
        SharedLogUnavailableError, SharedLogRefusedError, SharedLogDiffersError: the file that is there stays.
        StoreLockedError, StoreFullError, StoreError
    """
    from memory_assets.fleet.opening import opened
    from memory_assets.maintenance.rebuild import heal_index

    shared_log_of(resources)
    settings, told = resources.settings, progress or NoProgress()
    staged, aside = settings.store_folder / _STAGED, f"replaced-{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
    shutil.rmtree(staged, ignore_errors=True)
    new = staged / "new"
    new.mkdir(mode=0o700, parents=True)
    told.start(None, "taking over the shared log")
    try:
        _keep_host(resources, new)
        fresh = opened(new, settings.store.url, settings.store.lock_timeout_seconds, lambda: resources.configured_versions)
        with fresh.reading():
            pass
        with fresh.held() as connection:
            connection.execute("CHECKPOINT")
        for name in (STORE_FILE_NAME, TIP_FILE_NAME, NOTE_FILE_NAME):
            (new / name).replace(staged / name)
        shutil.rmtree(new)
        resources.database_within(settings.store.lock_timeout_seconds).put_in_place(staged, aside)
    finally:
        told.finish()
        shutil.rmtree(staged, ignore_errors=True)
    kept = settings.store_folder / aside
    heal_index(resources, progress=progress)
    return _indexed(resources, 0, progress).model_copy(update={"kept_aside": str(kept) if kept.exists() else None})


def writers_of(resources: Resources, seqs: Sequence[int]) -> dict[int, str]:
    """Which role of the server wrote each of these events; nothing where the log is this store's own, or cannot be asked.

    To be called behind a reading of them, which found out whether it can.
    """
    if resources.settings.store.url is None or resources.database.mirror.away is not None:
        return {}
    with contextlib.suppress(SharedLogUnavailableError, SharedLogRefusedError):
        return _server_of(resources).writers(seqs)
    return {}


def pin_versions(resources: Resources) -> MirrorV1:
    """Make the versions of these settings and this program those that all machines must follow."""
    with shared_log_of(resources).exclusive() as shared:
        shared.pin(resources.configured_versions)
    return mirror_status(resources)


def retire_machine(resources: Resources, given: str, *, by: str) -> MirrorV1:
    """Say that a machine will not come back: no purge waits for it, and what it was building is shown as ended.

    Args:
        given: its id among the mirrors, or six characters of its beginning or more.

    Raises:
        NotFoundError, AmbiguousIdError: no machine, or several, are meant.
        InvalidArgumentError: it is this one.
        SharedLogUnavailableError, SharedLogRefusedError
    """
    there = _server_of(resources).mirrors()
    meant = [machine for machine in there if len(given) >= _LEAST_OF_AN_ID and machine.host_id.startswith(given)]
    if not meant:
        raise NotFoundError(
            f"no machine {given[:64]!r} mirrors the log",
            hint=f"`memory mirror` lists them; {_LEAST_OF_AN_ID} characters are the least",
        )
    if len(meant) > 1:
        names = ", ".join(f"{machine.name} {machine.host_id[:12]}" for machine in meant[:5])
        raise AmbiguousIdError(f"{given[:64]!r} may be each of {names}", hint="give more of the id")
    note = read_note(resources.settings.store_folder)
    if note is not None and note.host_id == meant[0].host_id:
        raise InvalidArgumentError("this is the machine itself", hint="retire it from one that stays")
    told = MirrorRetired(host_id=meant[0].host_id, said_by=by)
    # Said again it is said anew: it may have come back in between.
    EventLog(resources.database).append([NewEvent(told, inputs=(told.host_id, datetime.now(UTC).isoformat()))])
    return mirror_status(resources)


def grant_access(resources: Resources, role: str, *, projects: Sequence[str], may_write: bool) -> Access:
    """Let a role of the server read the shared log, or write to it as well; raises as ``fleet.granting.grant``.

    Args:
        projects: what it may read; none for everything.
    """
    from memory_assets.fleet.granting import grant

    access = Access(tuple(sorted(set(projects))) if projects else None, may_write)
    grant(_server_of(resources), role, access)
    return access


def revoke_access(resources: Resources, role: str) -> None:
    """Let a role of the server do nothing any more; raises as ``fleet.granting.revoke``."""
    from memory_assets.fleet.granting import revoke

    revoke(_server_of(resources), role)


def _server_of(resources: Resources) -> PostgresStore:
    from memory_assets.fleet.opening import shared_log

    shared_log_of(resources)
    settings = resources.settings.store
    return shared_log(str(settings.url), settings.lock_timeout_seconds)


def _indexed(resources: Resources, before: int, progress: Progress | None) -> MirrorBuiltV1:
    catch_up(resources.database, resources.configured_versions)
    words = write_words(resources, progress=progress)
    vectors = write_behind(resources, progress=progress)
    here = _tip_here(resources.settings.store_folder).seq
    return MirrorBuiltV1(
        mirror_seq=here,
        taken=here - before,
        units_written=words.done,
        units_failed=words.failed + vectors.drained.failed,
        without_vectors=vectors.why,
    )


def _keep_host(resources: Resources, new: Path) -> None:
    """The machine stays the one that it was, where that can still be read: the log knows it by that name."""
    folder = resources.settings.store_folder
    try:
        known = read_note(folder)
    except StoreError:
        return
    state = shared_log_of(resources).state()
    if known is None:
        return
    if known.epoch.store_id == state.epoch.store_id and known.epoch != state.epoch:
        raise SharedLogDiffersError(
            "events were taken out of the shared log, and the file that is there would be kept with them", hint=FOLLOW_HINT
        )
    if known.epoch == state.epoch:
        write_note(new, replace(known, as_of=0.0, honoured=0, access=state.access))


def _tip_here(folder: Path) -> Tip:
    tips = read_tips(folder)
    return tips.now if isinstance(tips, Tips) else FIRST
