"""The ledger of builds: which run wrote with which versions, and what it paid a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import duckdb

INTERRUPTED: Final = "interrupted"
"""The error of a build whose process is gone."""

BUILDS_SINCE: Final = """
SELECT s.payload_json ->> '$.build_id' AS build_id, s.ts AS started_at, f.ts AS finished_at,
  s.payload_json ->> '$.extractor_model' AS extractor_model,
  s.payload_json ->> '$.extractor_prompt_hash' AS extractor_prompt_hash,
  s.payload_json ->> '$.embedder_model' AS embedder_model, s.payload_json ->> '$.embedding_version' AS embedding_version,
  s.payload_json ->> '$.idris_version' AS idris_version, s.payload_json ->> '$.schema_version' AS schema_version,
  coalesce(f.payload_json ->> '$.status', 'running') AS status, f.payload_json ->> '$.error' AS error,
  s.dagster_run_id AS dagster_run_id, s.payload_json -> '$.versions' AS versions_json,
  coalesce((f.telemetry_json ->> '$.requests')::BIGINT, 0) AS model_requests,
  coalesce((f.telemetry_json ->> '$.input_tokens')::BIGINT, 0) AS input_tokens,
  coalesce((f.telemetry_json ->> '$.output_tokens')::BIGINT, 0) AS output_tokens,
  (f.telemetry_json ->> '$.cost_usd')::DOUBLE AS cost_usd
FROM events s
LEFT JOIN events f ON f.event_type = 'build_finished' AND (f.payload_json ->> '$.build_id') = (s.payload_json ->> '$.build_id')
WHERE s.event_type = 'build_started' AND (s.payload_json ->> '$.build_id') IN (
  SELECT payload_json ->> '$.build_id' FROM events
  WHERE event_type IN ('build_started', 'build_finished') AND seq > {since})
"""
"""The builds that began or ended behind a seq, as the rows of ``build_runs``; ``{since}`` is the seq, or what gives it.

Who reads the ledger unions them with the table: a build that was killed may have been folded by nobody yet.
"""


def fold_builds(connection: duckdb.DuckDBPyConnection, since: int) -> None:
    """Take in the builds that began or ended since an offset."""
    connection.execute(f"INSERT OR REPLACE INTO build_runs BY NAME {BUILDS_SINCE.format(since='?')}", [since])
