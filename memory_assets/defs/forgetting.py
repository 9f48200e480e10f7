"""`memory forget` and `memory unforget`: a word is logged, tables and index follow at once, and what is left runs again.

A session goes by a tombstone alone. Of a session of which parts go, a new history is logged in the same transaction as the
tombstone: the one before is retired, and nothing reads it any more, whenever this process ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from memory_assets.commands.said import settle
from memory_assets.defs.court.run import hear_again
from memory_assets.defs.forgetting_words import session_forgotten, session_unforgotten, text_unforgotten
from memory_assets.defs.resources import OpenStore, open_store
from memory_assets.defs.run import run_sessions
from memory_assets.defs.stages.forgotten import with_copies
from memory_assets.defs.stages.ingested import Sources, ingest, sources_of
from memory_assets.errors import InvalidArgumentError, NotFoundError
from memory_assets.identifiers import sha256_hex
from memory_assets.log.errors import HeadMovedError
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent, payload_text
from memory_assets.log.fetching import fetch
from memory_assets.log.forgotten_texts import NOTHING_FORGOTTEN, ForgottenTexts, forgotten_texts
from memory_assets.log.payloads.forgetting import (
    ForgottenPlace,
    SessionForgotten,
    SessionUnforgotten,
    TextForgotten,
    TextUnforgotten,
)
from memory_assets.log.payloads.sessions import SessionIngested, SourceRegistered, SourceTakenFor, SourceTold
from memory_assets.log.session_history import History, histories
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.maintenance.court_mirror import followed_by_court
from memory_assets.memory import Memory
from memory_assets.progress import Progress
from memory_assets.projections.fold import catch_up
from memory_assets.queries.forget_report import report_of
from memory_assets.queries.forgettable import Forgettable, ToForget, forgettable
from memory_assets.queries.forgettings import list_forgettings
from memory_assets.results.forgetting import ForgetReportV1, ForgettingV1, UnforgetReportV1
from memory_assets.settings import Settings

if TYPE_CHECKING:
    import duckdb

_TRIES = 3
_DONE = "the store did what was asked"
_SOURCES = [SourceRegistered.event_type, SourceTakenFor.event_type, SourceTold.event_type]

Report = TypeVar("Report")


def what_would_go(settings: Settings, wanted: ToForget) -> ForgetReportV1:
    """What a word of forgetting would take; nothing is changed, and a store that can only be read will do.

    Raises:
        InvalidArgumentError, NotFoundError, AmbiguousIdError: see ``queries.forgettable.forgettable``.
    """
    memory = Memory(settings)
    opened = open_store(settings)
    with memory.database.reading() as connection:
        found = forgettable(connection, _as_logged(opened, wanted))
        _add_copies(found, _histories(EventLog(memory.database), found))
        return report_of(connection, found, dry_run=True)


def forget(settings: Settings, wanted: ToForget, *, reason: str = "asked", progress: Progress | None = None) -> ForgetReportV1:
    """Forget: everything that reads the store honours it when this returns, and nothing that is imported brings it back.

    Raises:
        InvalidArgumentError, NotFoundError, AmbiguousIdError: see ``queries.forgettable.forgettable``.
        StoreLockedError, StoreFullError, StoreReadOnlyError: nothing was changed.
    """
    opened = open_store(settings)
    opened.follow_versions()
    wanted = _as_logged(opened, wanted)

    def say() -> tuple[ForgetReportV1, Forgettable]:
        # What is meant is found in the tables: they must know of all that the log holds, or other words would be meant.
        catch_up(opened.database, opened.resources.configured_versions)
        with opened.database.reading() as connection:
            found = forgettable(connection, wanted)
            histories = _histories(opened.log, found)
            _expect_folded(connection, histories)
            _add_copies(found, histories)
            report = report_of(connection, found, dry_run=False)
        at = datetime.now(UTC)
        events = [session_forgotten(session_id, at, reason) for session_id in sorted(found.sessions)]
        for session_id, history in histories.items():
            events += _of_parts(opened, history, found.places[session_id], at, reason)
        opened.log.append(events, heads={session_id: history.event_id for session_id, history in histories.items()})
        words = (SessionForgotten, TextForgotten)
        said = tuple(event.event_id for event in events if isinstance(event.payload, words))
        return report.model_copy(update={"events": said}), found

    report, found = _tried(say)
    with followed_by_court(opened.resources, done=_DONE):
        settle(opened.resources)
        _run_on(settings, opened, sorted(found.places), progress)
    return report


def unforget(settings: Settings, given: Sequence[str], *, progress: Progress | None = None) -> UnforgetReportV1:
    """Take words of forgetting back.

    Args:
        given: ids of forgettings, their beginnings, or ids of sessions: of these everything that was forgotten.

    Raises:
        NotFoundError: nothing of that name was forgotten, or it was purged.
    """
    opened = _opened(settings)
    with opened.database.reading() as connection:
        known = list_forgettings(connection).forgettings
    chosen = list(dict.fromkeys(one for text in given for one in _named(known, text)))
    if purged := next((one for one in chosen if one.purged), None):
        raise NotFoundError(
            f"what {purged.event_id} forgot was purged: nothing of it is left",
            hint="`memory import --again FILE` takes the session in anew",
        )
    whole = [one for one in chosen if one.what == "session"]
    parts: dict[str, list[str]] = {}
    for one in chosen:
        if one.what == "parts":
            parts.setdefault(one.session_id, []).append(one.event_id)

    def say() -> tuple[str, ...]:
        known = opened.histories(sorted(parts))
        events = [session_unforgotten(one.session_id, one.event_id) for one in whole]
        for session_id, event_ids in parts.items():
            if session_id in known:
                events += _back(opened, known[session_id], event_ids)
            else:
                # Nobody reads its history yet: the stages write it anew once they do.
                events += [text_unforgotten(session_id, event_id) for event_id in event_ids]
        heads = {session_id: history.event_id for session_id, history in known.items()}
        # All in one: whoever is killed has said all of it or nothing.
        opened.appended += opened.log.append(events, heads=heads).new
        words = (SessionUnforgotten, TextUnforgotten)
        return tuple(event.event_id for event in events if isinstance(event.payload, words))

    said = _tried(say)
    sessions = sorted({one.session_id for one in chosen})
    with followed_by_court(opened.resources, done=_DONE):
        settle(opened.resources)
        _run_on(settings, opened, sessions, progress)
    there = opened.log.current(sessions, SessionIngested.event_type)
    return UnforgetReportV1(session_ids=tuple(one for one in sessions if one in there), events=said)


def _opened(settings: Settings) -> OpenStore:
    opened = open_store(settings)
    opened.follow_versions()
    catch_up(opened.database, opened.resources.configured_versions)
    return opened


def _histories(log: EventLog, found: Forgettable) -> dict[str, History]:
    """The newest history of each session of which a part goes."""
    return histories(log, log.current(sorted(found.places), SessionIngested.event_type))


def _expect_folded(connection: duckdb.DuckDBPyConnection, known: Mapping[str, History]) -> None:
    """Raise HeadMovedError where the tables say what a session was before its newest revision."""
    rows = fetch(
        connection, f"SELECT session_id, ingest_event_id FROM sessions WHERE session_id IN {IN_LIST}", [json_list(known)]
    )
    folded = dict(rows)
    if moved := [session_id for session_id, history in known.items() if folded.get(session_id) != history.event_id]:
        raise HeadMovedError(moved)


def _add_copies(found: Forgettable, known: Mapping[str, History]) -> None:
    for session_id, history in known.items():
        found.places[session_id] = with_copies(history, found.places[session_id])


def _as_logged(opened: OpenStore, wanted: ToForget) -> ToForget:
    """A file by what the log calls it: its path may hold a secret."""
    return wanted if wanted.source is None else replace(wanted, source=opened.sources.uri(str(Path(wanted.source).absolute())))


def _tried(say: Callable[[], Report]) -> Report:
    """Said once more where another process brought a session forward meanwhile."""
    for _ in range(_TRIES - 1):
        try:
            return say()
        except HeadMovedError:
            continue
    return say()


def _of_parts(
    opened: OpenStore, history: History, places: Sequence[ForgottenPlace], at: datetime, reason: str
) -> list[NewEvent]:
    """The tombstone, and the history in which it is overwritten."""
    payload = TextForgotten(places=list(places), history_event_id=history.event_id, reason=reason)
    word = NewEvent(
        payload,
        session_id=history.session_id,
        inputs=(at.isoformat(), sha256_hex(payload_text(payload))),
        actor="person",
        occurred_at=at,
    )
    known = _known(opened, history.session_id).and_also(word.event_id, payload, history)
    return [word, *_next_history(opened, history, known)]


def _back(opened: OpenStore, history: History, event_ids: Sequence[str]) -> list[NewEvent]:
    """The words that take tombstones back, and the history in which their words stand again."""
    known = _known(opened, history.session_id)
    words = [text_unforgotten(history.session_id, event_id) for event_id in event_ids if event_id in known.active]
    return [*words, *_next_history(opened, history, known.wanting_back(event_ids))] if words else []


def _known(opened: OpenStore, session_id: str) -> ForgottenTexts:
    return forgotten_texts(opened.log, opened.database, [session_id]).get(session_id, NOTHING_FORGOTTEN)


def _next_history(opened: OpenStore, history: History, forgotten: ForgottenTexts) -> list[NewEvent]:
    """The first revision of a new history; files that wait to be taken in are left to the next run."""
    session_id = history.session_id
    told = EventLog(opened.database).of_sessions([session_id], _SOURCES)
    sources = sources_of(opened.log, told).get(session_id, Sources())
    return ingest(session_id, history, [], sources, opened.sources, forgotten).events


def _named(known: Sequence[ForgettingV1], given: str) -> list[ForgettingV1]:
    text = given.strip().removeprefix("session:")
    holding = [one for one in known if one.holds]
    found = [one for one in holding if text in (one.event_id, one.session_id)]
    if not found and len(text) > len("ev_"):
        found = [one for one in holding if one.event_id.startswith(text) or one.session_id.startswith(text)]
        ids = {one.event_id if one.event_id.startswith(text) else one.session_id for one in found}
        if len(ids) > 1:
            raise InvalidArgumentError(f"{text!r} begins {len(ids)} ids", hint="give more of it")
    if not found:
        raise NotFoundError(f"nothing of the name {given[:80]!r} is forgotten", hint="`memory privacy forgotten` lists it")
    return found


def _run_on(settings: Settings, opened: OpenStore, session_ids: Sequence[str], progress: Progress | None) -> None:
    """The stages over what is left of these sessions, or there again."""
    known = opened.log.current(session_ids, SessionIngested.event_type)
    if known:
        run_sessions(settings, sorted(known), progress=progress)
        hear_again(settings, sorted(known), progress=progress)
