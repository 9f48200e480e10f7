"""The fold: from the log to every derived table, incrementally, in one transaction.

A fold reads which sessions something was logged for since its offset and folds those anew. It is the same function that a
rebuild runs over all sessions, so the two cannot differ but by a mistake in the scope, which ``rebuild --verify`` finds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_assets.court.policy import policy
from memory_assets.court.standing import STANDING_VERSION
from memory_assets.court.telling import TELLING_VERSION
from memory_assets.graduation.conflicts.contradictions import DETECTOR_VERSION
from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.log.batches import Appended, Build
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.projections.answers import fold_answers
from memory_assets.projections.commands import close_commands, open_commands, sessions_named
from memory_assets.projections.conflicts import fold_conflicts, log_conflicts
from memory_assets.projections.court import fold_court
from memory_assets.projections.decisions import fold_decisions
from memory_assets.projections.effective_stages import certifications_due, certify, fold_standing
from memory_assets.projections.entries import fold_entries
from memory_assets.projections.evaluation import fold_evaluations
from memory_assets.projections.feedback import fold_feedback
from memory_assets.projections.ledgers import fold_builds
from memory_assets.projections.memories import close_touched, fold_memories, remember_touched
from memory_assets.projections.prompts import PROMPT_EVENTS, fold_prompts
from memory_assets.projections.scope import close_scope, open_scope
from memory_assets.projections.sessions import fold_marks, fold_sessions, fold_source_files
from memory_assets.projections.statements import fold_statements
from memory_assets.projections.task_tables.board import fold_board
from memory_assets.projections.task_tables.claims import close_touched_tasks, fold_claims, open_touched_tasks
from memory_assets.projections.unit_tables.outbox import enqueue, enqueue_all
from memory_assets.projections.unit_tables.units import close_touched_units, fold_units, remember_touched_units
from memory_assets.projections.usage import fold_usage
from memory_assets.text.statements import STATEMENT_VERSION

if TYPE_CHECKING:
    import duckdb

    from memory_assets.log.database import Database

PROJECTOR = "all"
PROJECTOR_VERSION = f"30.{STATEMENT_VERSION}.{DETECTOR_VERSION}.{STANDING_VERSION}.{TELLING_VERSION}.{policy().version}"
# Sessions folded at a time: their events are copied into a temporary table.
SCOPE_SIZE = 200
# These say how far a session has come, or of what use it was, and change none of what it says: no message, entry or unit
# depends on them.
MARKS = (
    "source_registered",
    "source_taken",
    "session_rejected",
    "session_projected",
    "session_vectorized",
    "session_quarantined",
    "quarantine_released",
    "unit_feedback",
)

# What a run leaves behind its sessions, an answer, a word on a prompt, and what was of use: it changes marks, builds, answers,
# prompts and counts, and no other table.
_PASSING = (
    *(mark for mark in MARKS if mark != "unit_feedback"),
    "build_started",
    "build_finished",
    "answer_recorded",
    *PROMPT_EVENTS,
    "usage_counted",
)


@dataclass(frozen=True, slots=True)
class Folded:
    """What a fold did.

    Attributes:
        sessions: how many sessions were folded anew.
        upto_seq: the newest event that the tables rest on now.
        outcomes: what was appended of outcomes across sessions; None where nothing was missing.
    """

    sessions: int
    upto_seq: int
    outcomes: Appended | None = None


def catch_up(
    database: Database,
    versions: Mapping[str, str],
    *,
    resolve: bool = False,
    build: Build | None = None,
    with_marks: bool = True,
) -> Folded:
    """Bring the tables up to the log's end.

    Args:
        versions: the configured version of each stage by event type; when it differs from the one that the tables were
            folded with, all sessions are folded anew.
        resolve: also append the outcomes across sessions that are missing (the stage ``projected`` does).
        build: the run that appends them.
        with_marks: also where all that is new is how far sessions have come, which changes nothing that is searched for;
            whoever folds later folds it along.
    """
    resolve = resolve and database.mirror.access().may_write
    with database.reading() as connection:
        if not resolve and (is_current(connection, versions) or not (with_marks or _says_anything(connection, versions))):
            return Folded(0, _offset(connection, _projector(versions)))
    with database.writing(log_stays=not resolve) as connection:
        return fold(connection, versions, resolve=resolve, build=build)


def fold(
    connection: duckdb.DuckDBPyConnection,
    versions: Mapping[str, str],
    *,
    resolve: bool = False,
    build: Build | None = None,
) -> Folded:
    """:func:`catch_up` inside the caller's transaction."""
    projector = _projector(versions)
    since = _offset(connection, projector)
    _configure(connection, versions)
    if since == 0:
        # Another configuration, or none yet: everything is folded anew, and other vectors may be wanted of what stays.
        enqueue_all(connection, versions["session_vectorized"])
    touched = connection.execute(
        f"""SELECT session_id, bool_and(event_type IN {MARKS}) FROM events
            WHERE seq > ? AND session_id IS NOT NULL GROUP BY session_id ORDER BY session_id""",
        [since],
    ).fetchall()
    if not resolve and _say_no_more_than(connection, since, _PASSING):
        fold_source_files(connection, since)
        fold_builds(connection, since)
        fold_answers(connection, since)
        fold_prompts(connection, since)
        fold_usage(connection, since)
        _fold_marks(connection, [session_id for session_id, _ in touched])
        return Folded(len(touched), _write_offset(connection, projector))
    open_commands(connection)
    sessions = [session_id for session_id, only_marks in touched if not only_marks]
    sessions += sorted(set(sessions_named(connection, since)).difference(sessions))
    marked = [session_id for session_id, only_marks in touched if only_marks and session_id not in set(sessions)]
    fold_source_files(connection, since)
    fold_builds(connection, since)
    open_touched_tasks(connection)
    for start in range(0, len(sessions), SCOPE_SIZE):
        _fold_scope(connection, sessions[start : start + SCOPE_SIZE], versions)
    _fold_marks(connection, marked)
    # Once, behind all sessions: an outcome of half of a task's claims would be of no use to anybody.
    appended = fold_board(connection, since, versions["session_vectorized"], resolve=resolve, build=build)
    close_touched_tasks(connection)
    if resolve:
        # An open conflict forbids that what it is about is certified.
        conflicts = log_conflicts(connection, build)
        appended += [conflicts] if conflicts else []
        appended += _certify(connection, versions, build)
    fold_court(connection, since, versions["session_vectorized"])
    fold_decisions(connection, since)
    fold_feedback(connection)
    fold_usage(connection, since)
    fold_evaluations(connection, since)
    fold_answers(connection, since)
    fold_prompts(connection, since)
    close_commands(connection)
    return Folded(len(touched), _write_offset(connection, projector), _together(appended))


def _says_anything(connection: duckdb.DuckDBPyConnection, versions: Mapping[str, str]) -> bool:
    """Whether the tables lack more than marks."""
    since = _offset(connection, _projector(versions))
    return since == 0 or not _say_no_more_than(connection, since, _PASSING)


def _say_no_more_than(connection: duckdb.DuckDBPyConnection, since: int, event_types: Sequence[str]) -> bool:
    """Whether all events behind ``since`` are of these types."""
    others = connection.execute(
        f"SELECT 1 FROM events WHERE seq > ? AND event_type NOT IN {IN_LIST} LIMIT 1", [since, json_list(event_types)]
    )
    return not others.fetchall()


def _fold_marks(connection: duckdb.DuckDBPyConnection, session_ids: list[str]) -> None:
    for start in range(0, len(session_ids), SCOPE_SIZE):
        open_scope(connection, session_ids[start : start + SCOPE_SIZE])
        fold_marks(connection)
        close_scope(connection)


def _fold_scope(connection: duckdb.DuckDBPyConnection, session_ids: list[str], versions: Mapping[str, str]) -> None:
    open_scope(connection, session_ids)
    remember_touched(connection)
    fold_sessions(connection)
    fold_entries(connection)
    fold_statements(connection)
    remember_touched(connection)
    # Memories still stand as they were: what they were shown as is noted before they change.
    remember_touched_units(connection)
    fold_memories(connection)
    fold_conflicts(connection)
    fold_standing(connection)
    fold_claims(connection)
    remember_touched_units(connection)
    fold_units(connection)
    enqueue(connection, versions["session_vectorized"])
    close_touched(connection)
    close_touched_units(connection)
    close_scope(connection)


def _certify(connection: duckdb.DuckDBPyConnection, versions: Mapping[str, str], build: Build | None) -> list[Appended]:
    """Append the promotions to certified that are due, and fold their memories anew."""
    if not certifications_due(connection):
        return []
    open_scope(connection, [])
    remember_touched(connection)
    appended = certify(connection, build)
    fold_standing(connection)
    remember_touched_units(connection)
    fold_units(connection)
    enqueue(connection, versions["session_vectorized"])
    close_touched(connection)
    close_touched_units(connection)
    close_scope(connection)
    return [appended]


def _together(appended: list[Appended]) -> Appended | None:
    if not appended:
        return None
    return Appended(
        new=sum(one.new for one in appended),
        known=sum(one.known for one in appended),
        conflicts=tuple(conflict for one in appended for conflict in one.conflicts),
        last_seq=appended[-1].last_seq,
    )


def folded_with(connection: duckdb.DuckDBPyConnection, versions: Mapping[str, str]) -> bool:
    """Whether the tables are what this program folded with these versions."""
    return bool(
        connection.execute(
            "SELECT 1 FROM projection_offsets WHERE projector_name = ? AND projector_version = ?",
            [PROJECTOR, _projector(versions)],
        ).fetchall()
    )


def is_current(connection: duckdb.DuckDBPyConnection, versions: Mapping[str, str]) -> bool:
    """Whether the tables are what this program folds with these versions, up to the log's end."""
    newest = connection.execute("SELECT coalesce(max(seq), 0) FROM events").fetchall()[0][0]
    configured = dict(connection.execute("SELECT event_type, stage_version FROM configured_versions").fetchall())
    return bool(newest == _offset(connection, _projector(versions)) and configured == dict(versions))


def _projector(versions: Mapping[str, str]) -> str:
    """The version of the tables: of this code and of the stages that they follow."""
    return f"{PROJECTOR_VERSION}.{policy().version} {sha256_hex(canonical_json(dict(versions)))[:16]}"


def _offset(connection: duckdb.DuckDBPyConnection, projector: str) -> int:
    rows = connection.execute(
        "SELECT last_seq FROM projection_offsets WHERE projector_name = ? AND projector_version = ?", [PROJECTOR, projector]
    ).fetchall()
    return int(rows[0][0]) if rows else 0


def _configure(connection: duckdb.DuckDBPyConnection, versions: Mapping[str, str]) -> None:
    stored = dict(connection.execute("SELECT event_type, stage_version FROM configured_versions").fetchall())
    if stored == dict(versions):
        return
    connection.execute("DELETE FROM configured_versions")
    for event_type, version in versions.items():
        connection.execute("INSERT INTO configured_versions VALUES (?, ?)", [event_type, version])


def _write_offset(connection: duckdb.DuckDBPyConnection, projector: str) -> int:
    connection.execute("DELETE FROM projection_offsets WHERE projector_name = ?", [PROJECTOR])
    connection.execute(
        """INSERT INTO projection_offsets
           SELECT ?, max_by(ts, seq), max_by(event_id, seq), coalesce(max(seq), 0), ?,
             CAST(get_current_timestamp() AS TIMESTAMP) FROM events""",
        [PROJECTOR, projector],
    )
    return _offset(connection, projector)
