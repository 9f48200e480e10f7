"""What a purge took out, as it is printed: counts, places and digests, and never a word of what is gone."""

from __future__ import annotations

from typing import Literal

from memory_assets.results.model import WireModel


class TraceV1(WireModel):
    """How often pieces of what was forgotten stood somewhere.

    Attributes:
        place: a file, or what a reader gets out of it: ``memory.duckdb: events`` is the table, uncompressed.
        before, after: how often; before is the control, without which nothing found would prove nothing.
        within_reach: a purge takes it out there; what is a person's own (session files, kept stores) it reads alone.
    """

    place: str
    before: int
    after: int
    within_reach: bool = True


class IndexTableV1(WireModel):
    """Rows of a table of the search index, before and after."""

    table: str
    before: int
    after: int


class DagsterPurgedV1(WireModel):
    """What Dagster's records lost.

    Attributes:
        runs: of forgotten sessions alone, deleted with what they printed.
        records: rows of other runs that name such a session, or that a leaf of the graph wrote about all sessions.
        partitions: keys that are no partition any more.
        beyond: why some of it could not be reached; empty where all was.
    """

    runs: int
    records: int
    partitions: int
    beyond: str


class OutOfReachV1(WireModel):
    """What may still hold it, and that no purge touches."""

    what: str
    why: str


class PurgeReportV1(WireModel):
    """What was purged, and the proof of it.

    Attributes:
        sessions: those of which nothing is left; ``sessions_in_part`` lost an older history alone.
        events_removed: by type.
        survivors_digest: of every column but place and link of all events that stay: read from the old store, and read again
            from the new one. Empty after a dry run.
        old_seq, old_link: where the log ended; new_seq, new_link: where it ends in front of the event that tells of the purge.
        pieces: how many pieces of forgotten text, which nothing that stays says, were looked for.
        traces: where they were found, before or after; ``found_before`` and ``found_after`` count those within reach.
        golden_questions: ids or numbers of golden questions whose answer is gone; the file is the user's own.
        left_in_postgres: the court's tables in PostgreSQL could not be cleaned; ``out_of_reach`` says why, and what to do.
    """

    schema_version: Literal["purge_report.v1"] = "purge_report.v1"
    dry_run: bool
    purged: bool
    sessions: int
    sessions_in_part: int
    events_removed: dict[str, int]
    events_kept: int
    survivors_digest: str
    old_seq: int
    old_link: str
    new_seq: int
    new_link: str
    index: tuple[IndexTableV1, ...]
    pieces: int
    traces: tuple[TraceV1, ...]
    found_before: int
    found_after: int
    dagster: DagsterPurgedV1 | None = None
    golden_questions: tuple[str, ...] = ()
    out_of_reach: tuple[OutOfReachV1, ...] = ()
    left_in_postgres: bool = False
