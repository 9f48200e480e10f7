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
    told = connection.execute(
        f"""SELECT seq, event_id, event_type, session_id, payload_json ->> '$.stage', payload_json ->> '$.error_code',
              payload_json ->> '$.quarantine_event_id'
            FROM {seen(connection)(_TOLD)}"""
    ).fetchall()
    # Hardly ever is there anything: to plan the rest as a statement takes four times what this one takes (measured).
    released = {of for *_, of in told if of is not None}
    last = {
        (session_id, at): (error_code, event_id)
        for _, event_id, event_type, session_id, at, error_code, _ in sorted(told, key=lambda row: row[0])
        if event_type == "session_quarantined" and stage in (None, at)
    }
    return [
        PutAside(session_id, at, error_code)
        for (session_id, at), (error_code, event_id) in sorted(last.items())
        if event_id not in released
    ]
