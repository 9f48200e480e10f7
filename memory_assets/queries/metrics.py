"""Metrics by stage: how long sessions took, what failed, what a model cost, how quotes were found, what was promoted.

All from what the stages measured and logged. Numbers count everything that was measured; a session
that was forgotten is never named.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from typing import TYPE_CHECKING, Any

from memory_assets.errors import check_word
from memory_assets.log.fetching import fetch
from memory_assets.results.listed import GraduationV1
from memory_assets.results.metrics import Metrics, ModelCosts, PromotionCount, StageTimes, VerdictTimes, Within
from memory_assets.vocabulary import PIPELINE_STAGES, STAGES

if TYPE_CHECKING:
    import duckdb

# What all statements are narrowed by. ``of`` is the table, ``at`` its column of times.
_WITHIN = """($build_id IS NULL OR {of}.build_id = $build_id) AND ($session_id IS NULL OR {of}.session_id = $session_id)
  AND ($since IS NULL OR {of}.ts >= $since)"""
_EVENTS = _WITHIN.format(of="e")
_NAMED = """CASE WHEN {id} IN (SELECT session_id FROM forgotten_sessions) AND {id} NOT IN (SELECT session_id FROM sessions)
  THEN NULL ELSE {id} END"""

_STAGES = f"""
SELECT m.stage, count(*), count(DISTINCT m.session_id), count(*) FILTER (NOT m.success),
  round(sum(m.latency_ms), 3), round(avg(m.latency_ms), 3), round(median(m.latency_ms), 3),
  round(quantile_cont(m.latency_ms, 0.95), 3), round(max(m.latency_ms), 3),
  arg_max_null({_NAMED.format(id="m.session_id")}, m.latency_ms)
FROM pipeline_metrics m WHERE {_WITHIN.format(of="m")} AND ($stage IS NULL OR m.stage = $stage) GROUP BY m.stage
"""
_ERRORS = f"""
SELECT m.stage, coalesce(m.error, 'unexpected'), count(*) FROM pipeline_metrics m
WHERE NOT m.success AND {_WITHIN.format(of="m")} AND ($stage IS NULL OR m.stage = $stage) GROUP BY ALL ORDER BY 3 DESC, 2
"""
_ASKED = f"""
SELECT count(DISTINCT e.session_id), count(*), coalesce(sum((e.telemetry_json ->> '$.requests')::BIGINT), 0),
  coalesce(sum((e.telemetry_json ->> '$.input_tokens')::BIGINT), 0),
  coalesce(sum((e.telemetry_json ->> '$.output_tokens')::BIGINT), 0), sum((e.telemetry_json ->> '$.cost_usd')::DOUBLE),
  coalesce(sum((e.telemetry_json ->> '$.seconds')::DOUBLE), 0)
FROM events e WHERE e.event_type = 'window_extracted' AND e.telemetry_json IS NOT NULL AND {_EVENTS}
"""
_VERDICTS = f"""
WITH judged AS (
  SELECT e.session_id, unnest(['embedded', 'idris2']) AS checker,
    unnest([(e.telemetry_json ->> '$.embedded_ms')::DOUBLE, (e.telemetry_json ->> '$.idris2_ms')::DOUBLE]) AS ms
  FROM events e WHERE e.event_type = 'idris_checked' AND e.telemetry_json IS NOT NULL AND {_EVENTS}
)
SELECT checker, count(*), round(sum(ms), 3), round(avg(ms), 3), round(median(ms), 3), round(quantile_cont(ms, 0.95), 3),
  max(ms), arg_max_null({_NAMED.format(id="session_id")}, ms)
FROM judged WHERE ms IS NOT NULL GROUP BY checker ORDER BY checker
"""
_QUOTES = f"""
SELECT s.match_method, count(*) FROM evidence_spans s
WHERE ($session_id IS NULL OR s.session_id = $session_id) AND (($build_id IS NULL AND $since IS NULL) OR s.event_id IN (
  SELECT e.event_id FROM events e WHERE e.event_type = 'entry_materialized' AND {_EVENTS}))
GROUP BY ALL ORDER BY 2 DESC, 1
"""
_PROMOTIONS = f"""
SELECT p.outcome, p.from_stage, p.to_stage, p.reason, count(*) FROM promotions p WHERE {_WITHIN.format(of="p")}
GROUP BY ALL ORDER BY 5 DESC, 1, 2, 3, 4
"""
_LADDER = f"""
SELECT n.stage, count(*) FROM entries n
WHERE n.status <> 'superseded' AND ($session_id IS NULL OR n.session_id = $session_id)
  AND ($build_id IS NULL OR n.build_id = $build_id) AND ($since IS NULL OR n.created_at >= $since)
GROUP BY n.stage ORDER BY array_position({list(STAGES)}, n.stage)
"""


def metrics(connection: duckdb.DuckDBPyConnection, within: Within) -> Metrics:
    """Everything that was measured within some bounds.

    Args:
        within: with ids in full.

    Raises:
        InvalidArgumentError: there is no such stage.
    """

    def rows(stage: str, statement: str) -> list[tuple[Any, ...]]:
        return _rows(connection, statement, within) if within.stage in (None, stage) else []

    return Metrics(
        schema_version="metrics.v1",
        within=within,
        stages=stage_times(connection, within),
        extraction=_costs(*(rows("extracted", _ASKED) or [(0, 0, 0, 0, 0, None, 0.0)])[0]),
        verdicts=tuple(VerdictTimes.of_row(row) for row in rows("idris_checked", _VERDICTS)),
        quotes_by_method=dict(rows("aligned", _QUOTES)),
        entries_by_stage=dict(rows("idris_checked", _LADDER)),
        promotions=tuple(PromotionCount.of_row(row) for row in rows("idris_checked", _PROMOTIONS)),
    )


def graduation(connection: duckdb.DuckDBPyConnection) -> GraduationV1:
    """How many memories stand on each stage, and what took entries further or kept them."""
    stood = dict(fetch(connection, "SELECT stage, count(*) FROM memories GROUP BY stage"))
    promotions = _rows(connection, _PROMOTIONS, Within())
    return GraduationV1(
        stages={stage: int(stood.get(stage, 0)) for stage in STAGES},
        promotions=tuple(PromotionCount.of_row(row) for row in promotions),
    )


def stage_times(connection: duckdb.DuckDBPyConnection, within: Within) -> tuple[StageTimes, ...]:
    """How long each stage took, in the order of the road; none where nothing was measured.

    Raises:
        InvalidArgumentError: there is no such stage.
    """
    check_word("stage", within.stage, PIPELINE_STAGES)
    errors: dict[str, dict[str, int]] = {}
    for stage, error, count in _rows(connection, _ERRORS, within):
        errors.setdefault(stage, {})[error] = count
    rows = {row[0]: row[1:] for row in _rows(connection, _STAGES, within)}
    return tuple(_stage(stage, rows[stage], errors.get(stage, {})) for stage in PIPELINE_STAGES if stage in rows)


def _stage(stage: str, row: tuple[Any, ...], errors: Mapping[str, int]) -> StageTimes:
    runs, sessions, failures, total, mean, median, p95, slowest, slowest_session = row
    return StageTimes(
        stage=stage,
        runs=runs,
        sessions=sessions,
        failures=failures,
        errors=errors,
        total_ms=total,
        mean_ms=mean,
        median_ms=median,
        p95_ms=p95,
        slowest_ms=slowest,
        slowest_session=slowest_session,
        sessions_per_second=round(runs / total * 1000, 3) if total else None,
    )


def _costs(
    sessions: int,
    windows: int,
    requests: int,
    input_tokens: int,
    output_tokens: int,
    cost_usd: float | None,
    seconds: float,
) -> ModelCosts:
    return ModelCosts(
        sessions=sessions,
        windows=windows,
        requests=requests,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cost_usd=cost_usd,
        seconds=seconds,
        tokens_per_session=(input_tokens + output_tokens) / sessions if sessions else None,
        cost_usd_per_session=cost_usd / sessions if sessions and cost_usd is not None else None,
    )


def _rows(connection: duckdb.DuckDBPyConnection, statement: str, within: Within) -> list[tuple[Any, ...]]:
    bounds = dict(within)
    if within.since is not None:  # the store keeps UTC without saying so
        bounds["since"] = within.since.astimezone(UTC).replace(tzinfo=None)
    # DuckDB refuses a parameter that the statement does not name.
    return fetch(connection, statement, {name: value for name, value in bounds.items() if f"${name}" in statement})
