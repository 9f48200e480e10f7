"""Sessions that a stage has put aside, as the log says it: also where the tables were not folded since."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memory_assets.log.sql import seen

if TYPE_CHECKING:
    import duckdb

    from memory_assets.vocabulary import PipelineStage

_TOLD = "event_type IN ('session_quarantined', 'quarantine_released')"


class PutAside(NamedTuple):
    """A session, the stage that could not process it, and the name of the error."""

    session_id: str
    stage: str
    error_code: str


def put_aside(connection: duckdb.DuckDBPyConnection, stage: PipelineStage | None = None) -> list[PutAside]:
    """What is put aside and not released, by session.

    Args:
        stage: only what this stage has put aside.
    """
    rows = connection.execute(
        f"""WITH told AS (SELECT seq, event_id, event_type, session_id, payload_json FROM {seen(connection)(_TOLD)}),
            released AS (SELECT DISTINCT payload_json ->> '$.quarantine_event_id' AS event_id FROM told
              WHERE event_type = 'quarantine_released'),
            dead AS (SELECT t.seq, t.session_id, t.payload_json ->> '$.stage' AS stage,
                t.payload_json ->> '$.error_code' AS error_code, r.event_id IS NOT NULL AS released
              FROM told t LEFT JOIN released r ON r.event_id = t.event_id WHERE t.event_type = 'session_quarantined')
            SELECT session_id, stage, arg_max(error_code, seq) FROM dead WHERE $stage IS NULL OR stage = $stage
            GROUP BY session_id, stage HAVING NOT arg_max(released, seq) ORDER BY session_id, stage""",
        {"stage": stage},
    ).fetchall()
    return [PutAside(*row) for row in rows]
