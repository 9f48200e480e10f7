"""`memory purge`: what was forgotten is taken out of every file that is ours, and the report proves it.

The order makes it resumable: the store is put in place with a note of what is left to do elsewhere, and the note goes when that
is done. Whoever is killed before leaves the old store, whoever is killed behind it leaves the note to the next purge.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.log.database import STORE_FILE_NAME, Database
from memory_assets.log.errors import SharedLogRefusedError
from memory_assets.log.links import newest_link
from memory_assets.log.tip import FIRST, Tip
from memory_assets.maintenance.purge.following import Gone, make_mirror_anew
from memory_assets.maintenance.purge.golden import drop_made_questions, golden_without_answer
from memory_assets.maintenance.purge.rewriting import STAGED, all_done, left_to_do, only_purge, rewrite
from memory_assets.maintenance.purge.traces import (
    count_in_files,
    count_in_index,
    count_in_tables,
    take_pieces,
    words_of_the_program,
)
from memory_assets.maintenance.rebuild import heal_index
from memory_assets.maintenance.usage import drop_shown, take_shown
from memory_assets.projections.fold import catch_up
from memory_assets.projections.going import counted_by_type, find_going, sessions_concerned
from memory_assets.results.purge import DagsterPurgedV1, IndexTableV1, OutOfReachV1, PurgeReportV1, TraceV1

if TYPE_CHECKING:
    from memory_assets.configuration import Resources
    from memory_assets.progress import Progress

Elsewhere = Callable[[Mapping[str, bool]], DagsterPurgedV1]
"""Takes sessions out of other records than ours: by key, and whether nothing of them is left."""


_OURS = (
    *("memory.duckdb", "store.", "vectors", "dagster/", "usage/", "cache/", "runners/", "purge.", "memory-rebuild-"),
    *("hooks/spool/", "hooks/journal/", "hooks/sessions/"),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a purge would take out of the store as it is."""

    removed: dict[str, int]
    kept: int
    sessions: dict[str, bool]
    pieces: tuple[str, ...]
    tip: Tip
    index: dict[str, int] = field(default_factory=dict)


def plan(resources: Resources, words_elsewhere: str = "") -> Plan:
    """What there is to purge. Folds what the log holds, and changes nothing else.

    Args:
        words_elsewhere: what other records than ours say whatever they tell of.
    """
    own_words = _own_words(resources, words_elsewhere)
    catch_up(resources.database, resources.configured_versions, resolve=True)
    with resources.database.reading() as connection:
        going = find_going(connection)
        ((count,),) = connection.execute("SELECT count(*) FROM events").fetchall()
        return Plan(
            counted_by_type(connection) if going else {},
            int(count) - going,
            sessions_concerned(connection) if going else {},
            take_pieces(connection, own_words) if going else (),
            newest_link(connection) or FIRST,
        )


def purge(resources: Resources, planned: Plan, elsewhere: Elsewhere, *, progress: Progress | None = None) -> PurgeReportV1:
    """Take out what is to be purged, of the store first, then of everything else; also what a killed purge left to do.

    Args:
        planned: what :func:`plan` gave; what was forgotten since goes as well.

    Raises:
        IndexBusyError, StoreLockedError, StoreFullError, StoreError, IndexWriteError, LogTamperedError: the store is as it was.
    """
    store = resources.settings.store
    with only_purge(resources.settings.store_folder, wait_seconds=store.lock_timeout_seconds):
        return _purge(resources, planned, elsewhere, progress)


def _purge(resources: Resources, planned: Plan, elsewhere: Elsewhere, progress: Progress | None) -> PurgeReportV1:
    questions = golden_without_answer(resources)
    before = _traces(resources, resources.database, planned.pieces)
    written = rewrite(resources, progress=progress)
    dagster = _done_elsewhere(resources, elsewhere)
    after = _traces(resources, resources.database, planned.pieces)
    if written is None:  # another purge was killed behind it, or took it out first
        taken = _Taken({}, {}, planned.kept, planned.tip, planned.tip)
    else:
        told = written.store.told
        old, new = Tip(told.old_seq, bytes.fromhex(told.old_link)), Tip(told.new_seq, bytes.fromhex(told.new_link))
        taken = _Taken(written.store.sessions, told.removed, written.store.events, old, new, told.survivors_digest)
    traces, index = _compared(resources, before, after), _index(written.index if written else {})
    return _report(
        resources, taken, planned.pieces, traces, questions, purged=written is not None, index=index, dagster=dagster
    )


def _done_elsewhere(resources: Resources, elsewhere: Elsewhere) -> DagsterPurgedV1 | None:
    """What is left to do behind the store that was put in place, by this purge or by one that was killed."""
    folder = resources.settings.store_folder
    _clear_leftovers(folder)
    # What was noted as used may name what is gone: counted behind it, that is left out, and the note goes.
    try:
        take_shown(resources)
    except SharedLogRefusedError:  # this machine may write nothing: nobody counts it
        drop_shown(resources)
    sessions = left_to_do(folder)
    if sessions is None:
        return None
    dagster = elsewhere(sessions)
    drop_made_questions(resources)
    all_done(folder)
    return dagster


def follow(
    resources: Resources, elsewhere: Elsewhere, words_elsewhere: str, *, progress: Progress | None = None
) -> PurgeReportV1:
    """Take out here what another machine took out of the shared log; see ``maintenance.purge.following``."""
    before: list[Counter[str]] = []

    def control(old: Database, gone: Gone) -> None:
        before.append(_traces(resources, old, gone.pieces))

    settings = resources.settings
    with only_purge(settings.store_folder, wait_seconds=settings.store.lock_timeout_seconds):
        own_words = _own_words(resources, words_elsewhere)
        gone, index = make_mirror_anew(resources, own_words, control, progress=progress)
        heal_index(resources, progress=progress)
        dagster = _done_elsewhere(resources, elsewhere)
        traces = _compared(resources, before[0], _traces(resources, resources.database, gone.pieces))
    taken = _Taken(gone.sessions, gone.removed, gone.kept, gone.old, gone.new)
    questions = golden_without_answer(resources)
    return _report(resources, taken, gone.pieces, traces, questions, purged=True, index=_index(index), dagster=dagster)


def _own_words(resources: Resources, words_elsewhere: str) -> str:
    return " ".join([words_of_the_program(), *map(str, _folders(resources)), words_elsewhere])


def dry_run(resources: Resources, planned: Plan) -> PurgeReportV1:
    """What a purge would say, with the control alone; nothing is changed."""
    questions = golden_without_answer(resources)
    before = _traces(resources, resources.database, planned.pieces)
    taken = _Taken(planned.sessions, planned.removed, planned.kept, planned.tip, planned.tip)
    return _report(resources, taken, planned.pieces, _compared(resources, before, before), questions, dry_run=True)


@dataclass(frozen=True, slots=True)
class _Taken:
    """What was taken out of a log, or would be: of which sessions, and whether wholly; by event type; and its ends."""

    sessions: Mapping[str, bool]
    removed: dict[str, int]
    kept: int
    old: Tip
    new: Tip
    survivors_digest: str = ""


def _report(
    resources: Resources,
    taken: _Taken,
    pieces: Sequence[str],
    traces: tuple[TraceV1, ...],
    questions: tuple[str, ...],
    *,
    dry_run: bool = False,
    purged: bool = False,
    index: tuple[IndexTableV1, ...] = (),
    dagster: DagsterPurgedV1 | None = None,
) -> PurgeReportV1:
    within_reach = [trace for trace in traces if trace.within_reach]
    return PurgeReportV1(
        dry_run=dry_run,
        purged=purged,
        sessions=sum(taken.sessions.values()),
        sessions_in_part=sum(not wholly for wholly in taken.sessions.values()),
        events_removed=taken.removed,
        events_kept=taken.kept,
        survivors_digest=taken.survivors_digest,
        old_seq=taken.old.seq,
        old_link=taken.old.link_hash.hex(),
        new_seq=taken.new.seq,
        new_link=taken.new.link_hash.hex(),
        index=index,
        pieces=len(pieces),
        traces=traces,
        found_before=sum(trace.before for trace in within_reach),
        found_after=sum(trace.after for trace in within_reach),
        dagster=dagster,
        golden_questions=questions,
        out_of_reach=_out_of_reach(resources),
    )


def _traces(resources: Resources, database: Database, pieces: tuple[str, ...]) -> Counter[str]:
    if not pieces:
        return Counter()
    settings = resources.settings
    with database.reading() as connection:
        found = count_in_tables(connection, pieces, STORE_FILE_NAME)
    return found + count_in_index(settings.vectors_folder, pieces) + count_in_files(_folders(resources), pieces)


def _folders(resources: Resources) -> set[Path]:
    return {resources.settings.home, resources.settings.dagster_home}


def _compared(resources: Resources, before: Counter[str], after: Counter[str]) -> tuple[TraceV1, ...]:
    home = f"{resources.settings.home}/"
    return tuple(
        TraceV1(
            place=place.removeprefix(home),
            before=before[place],
            after=after[place],
            within_reach=_is_ours(resources, place.removeprefix(home)),
        )
        for place in sorted(before | after)
    )


def _is_ours(resources: Resources, place: str) -> bool:
    """Whether this package alone writes there: session files, kept stores and whatever else lies there are a person's."""
    return place.startswith((*_OURS, f"{resources.settings.dagster_home}/"))


def _index(counts: Mapping[str, tuple[int, int]]) -> tuple[IndexTableV1, ...]:
    return tuple(IndexTableV1(table=table, before=had, after=has) for table, (had, has) in sorted(counts.items()))


def _clear_leftovers(folder: Path) -> None:
    """What processes that were killed left beside the store and that is a copy of it."""
    from memory_assets.log.errors import StoreLockedError
    from memory_assets.log.lock import StoreLock

    shutil.rmtree(folder / STAGED, ignore_errors=True)
    for scratch in folder.glob("memory-rebuild-*"):
        # Whoever still works there holds its lock.
        try:
            with StoreLock(scratch, timeout=0).exclusive():
                shutil.rmtree(scratch, ignore_errors=True)
        except StoreLockedError:
            continue


def _out_of_reach(resources: Resources) -> tuple[OutOfReachV1, ...]:
    settings = resources.settings
    found = [
        OutOfReachV1(what=str(path), why="a store that was replaced and kept: delete it where nobody wants it back")
        for path in sorted(settings.home.glob("replaced-*"))
    ]
    if settings.sessions_folder.is_dir():
        found.append(
            OutOfReachV1(what=str(settings.sessions_folder), why="the files that sessions came from are read and never deleted")
        )
    if settings.store.url is not None:
        found.append(
            OutOfReachV1(
                what="other machines that mirror the log",
                why="each purges what it has by its own `memory purge`; `memory mirror` lists those that have not yet",
            )
        )
        found.append(
            OutOfReachV1(
                what="write-ahead log, standbys and backups of its PostgreSQL",
                why="they are its owner's: what is archived holds the rows of before",
            )
        )
    found.append(OutOfReachV1(what="session files elsewhere", why="they are read and never deleted"))
    found.append(OutOfReachV1(what="backups and exports", why="they are files of your own: make new ones and delete the old"))
    found.append(
        OutOfReachV1(
            what="copies of these files", why="snapshots of the file system, synced folders and free blocks of the disk"
        )
    )
    return tuple(found)
