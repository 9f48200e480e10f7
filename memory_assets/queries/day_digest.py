"""What the sessions of one day were about."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from memory_assets.log.fetching import fetch
from memory_assets.queries.session_digest import first_of_each, said_within, session_digests
from memory_assets.results.digest import DayDigestV1, DigestCountsV1, DigestLineV1, SessionDigestV1

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import duckdb

_ON_THE_DAY = """
SELECT s.session_id FROM sessions s
WHERE ($project IS NULL OR s.project = $project) AND s.started_at < $until AND s.ended_at >= $since
  AND EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.session_id AND m.kind = 'said' AND NOT m.sidechain
    AND m.ts >= $since AND m.ts < $until)
ORDER BY s.started_at, s.session_id
"""


def day_digest(
    connection: duckdb.DuckDBPyConnection, day: date, *, project: str | None = None, session_ids: Sequence[str] | None = None
) -> DayDigestV1:
    """The digest of a day, UTC: of each session in which anything was said on it, what was said then. None is no error.

    Args:
        session_ids: only these of :func:`sessions_on`, for who shows a part of a long day; the counts are theirs.
    """
    since, until = _bounds(day)
    if session_ids is None:
        session_ids = sessions_on(connection, day, project=project)
    digests = session_digests(connection, session_ids)
    sessions = tuple(said_within(digests[session_id], since, until) for session_id in session_ids)
    return DayDigestV1(date=day, project=project, sessions=sessions, counts=_together(sessions))


def sessions_on(connection: duckdb.DuckDBPyConnection, day: date, *, project: str | None = None) -> list[str]:
    """The sessions in which anything was said on a day, UTC, in the order in which they began."""
    since, until = _bounds(day)
    # The store keeps UTC without saying so.
    within = {"since": since.replace(tzinfo=None), "until": until.replace(tzinfo=None), "project": project}
    return [session_id for (session_id,) in fetch(connection, _ON_THE_DAY, within)]


def _bounds(day: date) -> tuple[datetime, datetime]:
    since = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return since, since + timedelta(days=1)


def first_of_each_session(digest: DayDigestV1, most: int | None) -> DayDigestV1:
    """At most so many lines of each part of each session, or all; the counts still say how many there are."""
    return digest.model_copy(update={"sessions": tuple(first_of_each(one, most) for one in digest.sessions)})


def _together(sessions: tuple[SessionDigestV1, ...]) -> DigestCountsV1:
    """The counts of all sessions; what several of them speak of is counted once."""
    return DigestCountsV1(
        decided=_different(line for one in sessions for line in one.decided),
        done=_different(line for one in sessions for line in one.done),
        files=len({(one.session.project, file.path) for one in sessions for file in one.files}),
        commits=len({commit.commit for one in sessions for commit in one.commits}),
        failed=sum(len(one.failed) for one in sessions),
        open=_different(line for one in sessions for line in one.open),
        closed_since=sum(one.counts.closed_since for one in sessions),
        noted=_different(line for one in sessions for line in one.noted),
    )


def _different(lines: Iterable[DigestLineV1]) -> int:
    return len({line.id or line.text for line in lines})
