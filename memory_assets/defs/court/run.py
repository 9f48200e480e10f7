"""The court over sessions, for the command line: the same assets, in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memory_assets.defs.court.assets import STEPS, court_assets
from memory_assets.defs.resources import OpenStore, open_store
from memory_assets.errors import NotFoundError
from memory_assets.log.events import StoredEvent
from memory_assets.log.payloads.court import JudgementRendered
from memory_assets.log.payloads.sessions import SessionIngested
from memory_assets.maintenance.court_mirror import follow_court
from memory_assets.progress import NoProgress, Progress
from memory_assets.projections.fold import catch_up
from memory_assets.queries.cases import heard_before
from memory_assets.results.court import CourtRunV1

if TYPE_CHECKING:
    from memory_assets.settings import Settings

SESSIONS_A_RUN = 100
"""A run of the assets costs seconds, whatever it does; the histories of so many sessions are kept meanwhile."""


def hear(
    settings: Settings, session_ids: Sequence[str] | None, *, progress: Progress | None = None, mirrored: bool = True
) -> CourtRunV1:
    """Hear some sessions, or all, and say what came of it. What was heard already is not heard again.

    Args:
        mirrored: whether PostgreSQL is to follow, where there is one; otherwise whoever called sees to it.

    Raises:
        NotFoundError: a session that is not known.
        KeyboardInterrupt: somebody asked for an end; what was done is kept.
    """
    from memory_assets.defs.run import run_assets

    opened = open_store(settings)
    opened.follow_versions()
    catch_up(opened.database, opened.resources.configured_versions)
    known = _known(opened)
    wanted = known if session_ids is None else list(dict.fromkeys(session_ids))
    if missing := sorted(set(wanted) - set(known)):
        raise NotFoundError(f"no session {missing[0]}", hint="`memory sessions list` shows those that are known")
    before, appended = _standing(opened), opened.appended
    opened.unheard.clear()
    judged = _judgements(opened, wanted)
    shown = progress or NoProgress()
    shown.start(len(wanted) * len(STEPS), "hearing sessions")
    for batch in _batches(wanted):
        run_assets(settings, opened, batch, court_assets(), progress=shown)
    shown.finish()
    if mirrored:
        follow_court(opened.resources, done="the sessions were heard")
    return _report(opened, wanted, judged, before, opened.appended - appended)


def hear_again(settings: Settings, session_ids: Sequence[str], *, progress: Progress | None = None) -> None:
    """Hear those of some sessions that were heard before their histories were written anew; the caller sees to PostgreSQL."""
    opened = open_store(settings)
    with opened.database.reading() as connection:
        wanted = heard_before(connection, list(session_ids))
    there = opened.log.current(wanted, SessionIngested.event_type) if wanted else {}
    if there:
        hear(settings, sorted(there), progress=progress, mirrored=False)


def _known(opened: OpenStore) -> list[str]:
    """The sessions that can be heard, in the order in which they came in; a correction is a person's word and no case."""
    with opened.database.reading() as connection:
        rows = connection.execute(
            "SELECT session_id FROM sessions WHERE source_kind <> 'correction' ORDER BY started_at, session_id"
        ).fetchall()
    return [row[0] for row in rows]


def _standing(opened: OpenStore) -> set[str]:
    with opened.database.reading() as connection:
        rows = connection.execute("SELECT lesson_id FROM lessons").fetchall()
    return {row[0] for row in rows}


def _judgements(opened: OpenStore, session_ids: Sequence[str]) -> dict[str, StoredEvent]:
    """The newest judgement of each session."""
    return {str(event.session_id): event for event in opened.log.of_sessions(session_ids, [JudgementRendered.event_type])}


def _batches(session_ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(session_ids), SESSIONS_A_RUN):
        yield session_ids[start : start + SESSIONS_A_RUN]


def _report(
    opened: OpenStore, wanted: Sequence[str], before: dict[str, StoredEvent], lessons: set[str], appended: int
) -> CourtRunV1:
    now = _judgements(opened, wanted)
    anew = [one for one in wanted if one in now and (one not in before or before[one].event_id != now[one].event_id)]
    with opened.database.reading() as connection:
        rows = connection.execute(
            "SELECT session_id, case_id, claims, selected, deferred FROM cases ORDER BY occurred_at, case_id"
        ).fetchall()
        active = {row[0] for row in connection.execute("SELECT lesson_id FROM lessons WHERE status = 'active'").fetchall()}
    cases = [row for row in rows if row[0] in set(wanted)]
    return CourtRunV1(
        cases=len(wanted),
        heard=len(anew),
        unchanged=sum(one in before for one in wanted) - sum(one in before for one in anew),
        failed=tuple(one for one in wanted if one not in now or one in opened.unheard),
        errors=dict(sorted(opened.unheard.items())),
        case_ids=tuple(row[1] for row in cases),
        claims=sum(row[2] for row in cases),
        selected=sum(row[3] for row in cases),
        deferred=sum(row[4] for row in cases),
        lessons=len(active),
        new_lessons=len(active - lessons),
        events_appended=appended,
    )
