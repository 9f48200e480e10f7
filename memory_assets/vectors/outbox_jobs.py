"""The jobs of the outbox: which are due, what they say, and what became of them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from memory_assets.log.database import Database
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.progress import Progress
from memory_assets.results.outbox import Drained
from memory_assets.stopping import stop_if_asked
from memory_assets.vectors.drain import DrainReport
from memory_assets.vectors.units import DeleteJob, OutboxJob, Unit, UpsertJob

MAX_ATTEMPTS = 5
"""After so many a job is tried again only when its unit changes, or when somebody asks for it."""

FIRST_PAUSE = timedelta(seconds=30)
"""Before a failed job is tried again; doubled with each attempt."""

EMBED_TEXT = "CASE WHEN coalesce(u.speaker, '') = '' THEN u.body ELSE u.speaker || ': ' || u.body END"
"""What is embedded of a unit ``u``: as it is spoken."""

# To read jobs and to mark them looks through whole tables, however few they are (0.3 and 0.2 s among 90,000 units, measured):
# as many are read at a time as are done in so long, up to so many.
_READ_SECONDS = 5.0
_MOST_READ = 8_192

IS_DUE = "(o.embedding_version = $version AND (o.status = 'pending' OR (o.status = 'failed' AND o.next_attempt_at <= $now)))"
"""Whether the time of a job ``o`` has come."""

_DUE = f"""
SELECT o.job_id, o.content_hash, o.op, u.embed_hash
FROM vector_outbox o LEFT JOIN memory_units u ON u.unit_id = o.item_id
WHERE {IS_DUE}
ORDER BY o.op, max(u.occurred_at) OVER (PARTITION BY u.session_id) DESC NULLS LAST, u.session_id, length(u.body) DESC, o.job_id
"""

_JOBS = f"""
WITH jobs AS (SELECT job_id, item_id, op FROM vector_outbox WHERE job_id IN {IN_LIST}),
facets AS (
  SELECT unit_id, list(facet || ':' || value ORDER BY facet, value) AS facets FROM unit_facets
  WHERE unit_id IN (SELECT item_id FROM jobs) GROUP BY unit_id
)
SELECT j.job_id, j.op, j.item_id AS unit_id, u.unit_kind, u.project, u.worktree, u.session_id, u.message_index, u.place, u.role,
  u.speaker, u.stage, u.status, u.confidence, u.occurred_at, f.facets, u.own_text, u.around_text, {EMBED_TEXT} AS embed_text,
  u.embed_hash, u.content_hash, u.origin, u.turn
FROM jobs j LEFT JOIN memory_units u ON u.unit_id = j.item_id LEFT JOIN facets f ON f.unit_id = j.item_id
"""

# A unit that changed while it was embedded has another hash by now: its job stays pending.
_DONE = """
UPDATE vector_outbox SET status = 'done', error = NULL, next_attempt_at = NULL, updated_at = $now FROM done
WHERE done.job_id = vector_outbox.job_id AND vector_outbox.op = 'upsert' AND done.content_hash = vector_outbox.content_hash
"""

_GONE = """
DELETE FROM vector_outbox WHERE job_id IN (SELECT job_id FROM done WHERE content_hash IS NULL)
  AND (op = 'delete' OR item_id NOT IN (SELECT unit_id FROM memory_units))
"""

_FAILED = f"""
UPDATE vector_outbox SET status = 'failed', error = failed.reason, attempts = attempts + 1, updated_at = $now,
  next_attempt_at = CASE WHEN attempts + 1 < {MAX_ATTEMPTS}
    THEN CAST($now AS TIMESTAMP) + to_seconds({FIRST_PAUSE.total_seconds():.0f} * CAST(pow(2, attempts) AS BIGINT)) END
FROM failed WHERE failed.job_id = vector_outbox.job_id AND failed.content_hash IS NOT DISTINCT FROM vector_outbox.content_hash
"""


@dataclass(frozen=True, slots=True)
class Due:
    """A job whose time has come; ``embed_hash`` is None where its unit is gone."""

    job_id: str
    content_hash: str
    op: str
    embed_hash: str | None


Act = Callable[[Sequence[OutboxJob], Callable[[], bool]], DrainReport]
"""Carries jobs out, and asks between two batches of them whether it is to go on."""


class Queue:
    """The jobs of one version while they are carried out.

    Attributes:
        tried: what was carried out; what changed since is due again, with another hash.
        drained: what came of it so far.
    """

    def __init__(
        self,
        database: Database,
        version: str,
        progress: Progress,
        show_life: Callable[[], None],
        go_on: Callable[[], bool] = lambda: True,
    ) -> None:
        self._database = database
        self._version = version
        self._progress = progress
        self._show_life = show_life
        self._go_on = go_on
        self.tried: set[tuple[str, str, str]] = set()
        self.drained = Drained()

    def rounds(self, label: str) -> Iterator[list[Due]]:
        """What is due, as long as there is something; each time what was said last comes first."""
        left = None
        try:
            while self._go_on() and (due := self.due()):
                if len(due) != left:
                    if left is not None:
                        self._progress.finish()
                    self._progress.start(len(due), label)
                before = len(self.tried)
                yield due
                left = len(due) - (len(self.tried) - before)
        finally:
            if left is not None:
                self._progress.finish()

    def due(self) -> list[Due]:
        """Jobs whose time has come, without those that were tried."""
        with self._database.reading() as connection:
            rows = connection.execute(_DUE, {"version": self._version, "now": now()}).fetchall()
        return [job for row in rows if ((job := Due(*row)).job_id, job.content_hash, job.op) not in self.tried]

    def carry_out(self, due: Sequence[Due], size: int, act: Act, *, seconds: float = math.inf) -> None:
        """Some at a time, marked before the next are read: at first so many, then as many as are done in a few seconds.

        Args:
            seconds: after which nothing is begun; what is left is due again, as is what is left of what takes too long.
        """
        ends, start, least = time.monotonic() + seconds, 0, size
        while start < len(due) and time.monotonic() < ends and self._go_on():
            stop_if_asked()
            some = due[start : start + size]
            jobs = jobs_of(self._database, [job.job_id for job in some])
            began = time.monotonic()
            going = _Going(min(ends, began + 2 * _READ_SECONDS), self._go_on, self._show_life)
            report = act(jobs, going.on)
            mark(self._database, report.done, report.failed)
            reported = {job.job_id for job in (*report.done, *(job for job, _ in report.failed))}
            # Of what was read, what is in no report is due again; what was not is gone.
            left = {job.job_id for job in jobs} - reported
            tried = [job for job in some if job.job_id not in left]
            self.tried.update((job.job_id, job.content_hash, job.op) for job in tried)
            self.drained += Drained(
                done=len(report.done),
                failed=len(report.failed),
                embedded=report.embedded,
                reused=report.reused,
                embedding_seconds=report.embedding_seconds,
            )
            self._show_life()
            self._progress.advance(len(tried))
            if going.is_over:
                return
            start += size
            rate = len(some) / max(time.monotonic() - began, 1e-3)
            size = max(least, min(2 * size, _MOST_READ, int(rate * _READ_SECONDS)))


class _Going:
    """Whether jobs that were read are still to be carried out: not for ever, for what they say may be forgotten meanwhile."""

    def __init__(self, ends: float, go_on: Callable[[], bool], show_life: Callable[[], None]) -> None:
        self._ends = ends
        self._go_on = go_on
        self._show_life = show_life
        self.is_over = False

    def on(self) -> bool:
        """To be asked between two batches; it shows other processes that this one works.

        Raises: what :func:`~memory_assets.stopping.stop_if_asked` does.
        """
        stop_if_asked()
        self._show_life()
        self.is_over = not self._go_on() or time.monotonic() > self._ends
        return not self.is_over


def jobs_of(database: Database, job_ids: Sequence[str]) -> list[OutboxJob]:
    """What some jobs say, in their order: the unit as it is now, or that it is gone."""
    with database.reading() as connection:
        cursor = connection.execute(_JOBS, [json_list(job_ids)])
        names = [column[0] for column in cursor.description or ()]
        rows = {row[0]: row for row in cursor.fetchall()}
    return [_job(dict(zip(names, rows[job_id], strict=True))) for job_id in job_ids if job_id in rows]


def _job(row: dict[str, Any]) -> OutboxJob:
    job_id, op, around_text = row.pop("job_id"), row.pop("op"), row.pop("around_text")
    if op == "delete" or row["unit_kind"] is None:
        return DeleteJob(job_id, row["unit_id"])
    own_text = row["own_text"]
    row["context_text"] = " ".join([own_text, own_text, own_text, around_text]).strip()
    row["facets"] = tuple(row["facets"] or ())
    row["occurred_at"] = row["occurred_at"].replace(tzinfo=UTC)
    return UpsertJob(job_id, Unit(**row))


def mark(database: Database, done: Sequence[OutboxJob], failed: Sequence[tuple[OutboxJob, str]]) -> None:
    """Keep what became of jobs: those of units that have changed since are due as before."""
    import pyarrow as pa

    def table(jobs: Sequence[OutboxJob], **more: list[str]) -> pa.Table:
        hashes = [job.unit.content_hash if isinstance(job, UpsertJob) else None for job in jobs]
        columns = {"job_id": [job.job_id for job in jobs], "content_hash": hashes, **more}
        return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})

    with database.writing(log_stays=True) as connection:
        connection.register("done", table(done))
        connection.register("failed", table([job for job, _ in failed], reason=[reason for _, reason in failed]))
        connection.execute(_DONE, {"now": now()})
        connection.execute(_GONE)
        connection.execute(_FAILED, {"now": now()})
        for name in ("done", "failed"):
            connection.unregister(name)


def now() -> datetime:
    """As the store keeps times: UTC, without a zone."""
    return datetime.now(UTC).replace(tzinfo=None)
