"""The ledger of evaluations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.log.payloads.evaluation import EvalRunRecorded

if TYPE_CHECKING:
    import duckdb

_RUNS = f"""
INSERT OR REPLACE INTO eval_runs
SELECT payload_json ->> '$.run_id', payload_json ->> '$.suite', payload_json ->> '$.suite_hash',
  (payload_json ->> '$.corpus_seq')::BIGINT, payload_json -> '$.config', payload_json -> '$.aggregate',
  payload_json -> '$.results', (payload_json ->> '$.passed')::BOOLEAN,
  coalesce(payload_json -> '$.reasons', '[]'), payload_json ->> '$.baseline_run_id',
  coalesce(occurred_at, ts), event_id
FROM events WHERE event_type = '{EvalRunRecorded.event_type}' AND seq > ?
"""


def fold_evaluations(connection: duckdb.DuckDBPyConnection, since: int) -> None:
    """Take in the runs that were recorded behind an offset."""
    connection.execute(_RUNS, [since])
