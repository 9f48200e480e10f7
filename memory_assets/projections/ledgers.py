"""The ledger of builds: which run wrote with which versions, and what it paid a model (requirements G-130, G-138)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

_BUILDS = """
INSERT OR REPLACE INTO build_runs
WITH touched AS (
  SELECT DISTINCT payload_json ->> '$.build_id' AS build_id FROM events
  WHERE event_type IN ('build_started', 'build_finished') AND seq > ?
)
SELECT s.payload_json ->> '$.build_id', s.ts, f.ts, s.payload_json ->> '$.extractor_model',
  s.payload_json ->> '$.extractor_prompt_hash', s.payload_json ->> '$.embedder_model', s.payload_json ->> '$.embedding_version',
  s.payload_json ->> '$.idris_version', s.payload_json ->> '$.schema_version',
  coalesce(f.payload_json ->> '$.status', 'running'),
  f.payload_json ->> '$.error', s.dagster_run_id, s.payload_json -> '$.versions',
  coalesce((f.telemetry_json ->> '$.requests')::BIGINT, 0), coalesce((f.telemetry_json ->> '$.input_tokens')::BIGINT, 0),
  coalesce((f.telemetry_json ->> '$.output_tokens')::BIGINT, 0), (f.telemetry_json ->> '$.cost_usd')::DOUBLE
FROM events s JOIN touched t ON t.build_id = (s.payload_json ->> '$.build_id')
LEFT JOIN events f ON f.event_type = 'build_finished' AND (f.payload_json ->> '$.build_id') = t.build_id
WHERE s.event_type = 'build_started'
"""


def fold_builds(connection: duckdb.DuckDBPyConnection, since: int) -> None:
    """Take in the builds that began or ended since an offset."""
    connection.execute(_BUILDS, [since])
