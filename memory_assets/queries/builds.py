"""The ledger of builds: what each run of the stages was made with, appended, asked of a model and took."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_assets.log.fetching import fetch, full_id
from memory_assets.log.runners import is_at_work, retired_machines
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.projections.ledgers import BUILDS_SINCE, INTERRUPTED
from memory_assets.queries.metrics import metrics, stage_times
from memory_assets.queries.sessions import one_session
from memory_assets.results.builds import BuildDetails, BuildPage, BuildView, VerdictCount
from memory_assets.results.metrics import Metrics, Within

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    import duckdb

# What was logged behind the last fold counts too: a build that was killed may never have been folded.
_FRESH = BUILDS_SINCE.format(since="(SELECT coalesce(max(last_seq), 0) FROM projection_offsets)")
_LEDGER = f"""
WITH fresh AS ({_FRESH})
SELECT * FROM fresh UNION ALL BY NAME SELECT * FROM build_runs WHERE build_id NOT IN (SELECT build_id FROM fresh)
"""
_OF_MODELS = "event_type IN ('window_extracted', 'court_statement_recorded', 'judgement_rendered')"
# What the answers of a build cost when they were given: all that is known of one that never came to say it.
_APPENDED = f"""
SELECT build_id, max(seq), count(*), count(DISTINCT session_id),
  any_value(telemetry_json ->> '$.package') FILTER (event_type = 'build_started'),
  any_value(telemetry_json ->> '$.runner') FILTER (event_type = 'build_started'),
  coalesce(sum((telemetry_json ->> '$.requests')::BIGINT) FILTER ({_OF_MODELS}), 0),
  coalesce(sum((telemetry_json ->> '$.input_tokens')::BIGINT) FILTER ({_OF_MODELS}), 0),
  coalesce(sum((telemetry_json ->> '$.output_tokens')::BIGINT) FILTER ({_OF_MODELS}), 0),
  sum((telemetry_json ->> '$.cost_usd')::DOUBLE) FILTER ({_OF_MODELS})
FROM events WHERE build_id IN {IN_LIST} GROUP BY build_id
"""
_SESSIONS = """
SELECT e.session_id, bool_and(f.seq IS NOT NULL AND e.seq < f.seq) AS is_forgotten
FROM events e LEFT JOIN forgotten_sessions f USING (session_id)
WHERE e.build_id = ? AND e.session_id IS NOT NULL GROUP BY e.session_id ORDER BY min(e.seq)
"""
_VERDICTS = """
SELECT verdict ->> '$.checker', verdict ->> '$.checker_version', count(*) FILTER ((verdict ->> '$.accepted')::BOOLEAN),
  count(*) FILTER (NOT (verdict ->> '$.accepted')::BOOLEAN)
FROM (SELECT unnest(from_json(payload_json -> '$.verdicts', '["JSON"]')) AS verdict FROM events
      WHERE event_type = 'idris_checked' AND build_id = ?)
GROUP BY ALL ORDER BY ALL
"""


def list_builds(connection: duckdb.DuckDBPyConnection, home: Path, *, limit: int = 20) -> BuildPage:
    """The newest builds first.

    Args:
        home: the folder below which the processes at work hold their locks.
    """
    # No `count(*) OVER ()`: over a union DuckDB 1.5.5 fails in it now and then (its issue 22352; 6 of 1,900 times here).
    rows = fetch(
        connection,
        f"""WITH ledger AS MATERIALIZED ({_LEDGER})
            SELECT (SELECT count(*) FROM ledger), * FROM ledger ORDER BY started_at DESC, build_id LIMIT {int(limit)}""",
    )
    views = _views(connection, home, [row[1:] for row in rows])
    return BuildPage(schema_version="builds.v1", builds=tuple(views), total=rows[0][0] if rows else 0)


def build_details(connection: duckdb.DuckDBPyConnection, home: Path, given: str) -> BuildDetails:
    """One build, by its id or the beginning of it.

    Raises:
        NotFoundError, AmbiguousIdError
    """
    build_id = known_build(connection, given)
    (build,) = _views(connection, home, fetch(connection, f"SELECT * FROM ({_LEDGER}) WHERE build_id = ?", [build_id]))
    by_type = fetch(
        connection, "SELECT event_type, count(*) FROM events WHERE build_id = ? GROUP BY 1 ORDER BY min(seq)", [build_id]
    )
    sessions = fetch(connection, _SESSIONS, [build_id])
    return BuildDetails(
        schema_version="build.v1",
        build=build,
        events_by_type=dict(by_type),
        stages=stage_times(connection, Within(build_id=build_id)),
        verdicts=tuple(VerdictCount.of_row(row) for row in fetch(connection, _VERDICTS, [build_id])),
        session_ids=tuple(session_id for session_id, is_forgotten in sessions if not is_forgotten),
        forgotten=sum(is_forgotten for _, is_forgotten in sessions),
    )


def metrics_within(
    connection: duckdb.DuckDBPyConnection,
    *,
    build_id: str | None = None,
    session_id: str | None = None,
    stage: str | None = None,
    since: datetime | None = None,
) -> Metrics:
    """What the stages measured: times, failures, tokens, verdicts, quotes by method, promotions by reason.

    Args:
        build_id, session_id: or their beginning.
        since: aware.

    Raises:
        NotFoundError, AmbiguousIdError
        InvalidArgumentError: there is no such stage.
    """
    within = Within(
        build_id=None if build_id is None else known_build(connection, build_id),
        session_id=None if session_id is None else one_session(connection, session_id).session_id,
        stage=stage,
        since=since,
    )
    return metrics(connection, within)


def known_build(connection: duckdb.DuckDBPyConnection, given: str) -> str:
    """The id of the build that was meant.

    Raises:
        NotFoundError, AmbiguousIdError
    """
    return full_id(
        connection,
        f"SELECT build_id AS id FROM ({_LEDGER})",
        given,
        what="build",
        listed_by="memory builds list",
        prefix="bld_",
    )


def _views(connection: duckdb.DuckDBPyConnection, home: Path, rows: list[tuple[Any, ...]]) -> list[BuildView]:
    appended = {row[0]: row[1:] for row in fetch(connection, _APPENDED, [json_list(row[0] for row in rows)])}
    retired = retired_machines(connection)
    return [_view(row, appended[row[0]], home, retired) for row in rows]


def _view(row: tuple[Any, ...], appended: tuple[Any, ...], home: Path, retired: Mapping[str, int]) -> BuildView:
    build_id, started_at, finished_at, model, prompt, embedder, embedding, checker, schema, status, error, run_id, *told = row
    versions, *spent = told
    newest, events, sessions, package, runner, *known = appended
    requests, tokens_in, tokens_out, cost = spent if spent[0] else known
    if status == "running" and not is_at_work(home, runner or "", retired=retired, newest=newest):
        status, error = "failed", INTERRUPTED
    # When its process went nobody knows; what the log has is when that was noticed.
    is_timed = finished_at is not None and error != INTERRUPTED
    return BuildView(
        build_id=build_id,
        started_at=started_at,
        finished_at=finished_at,
        seconds=(finished_at - started_at).total_seconds() if is_timed else None,
        status=status,
        error=error,
        sessions=sessions,
        events=events,
        extractor_model=model,
        extractor_prompt_hash=prompt,
        embedder_model=embedder,
        embedding_version=embedding,
        checker=checker,
        schema_version=schema,
        package=package,
        versions=json.loads(versions),
        requests=requests,
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        cost_usd=cost,
        dagster_run_id=run_id,
    )
