"""What Dagster is told of the store as a whole: the checks that look at it, and what is reported of them outside of runs.

A run says what its own sessions came to. What was put aside or refused before, by whichever run, command or tick, is asked of
the log, so that the check, the tick and the command tell the same; it is reported again when it has changed.
"""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dagster as dg
from sqlalchemy.exc import SQLAlchemyError

from memory_assets.defs.resources import EventLogResource, OpenStore
from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.log.errors import StoreError
from memory_assets.log.put_aside import put_aside
from memory_assets.queries.refused_files import refused_files

if TYPE_CHECKING:
    from memory_assets.queries.refused_files import RefusedFile

SHOWN = 20
_STATE = "state"
"""In the metadata of what was reported: what it was about, in a few digits."""

_QUARANTINED = dg.AssetCheckSpec(
    "no_sessions_quarantined",
    asset="vectorized",
    description="The sessions that some stage has put aside, in whichever run: looked at behind every run of all stages, once "
    "a session that is being written has come to rest, and at every tick of the sensor. "
    "`memory retry --quarantined` runs them again.",
)
_REFUSED = dg.AssetCheckSpec(
    "every_file_can_be_read",
    asset="session_files",
    description="The session files that cannot be taken in, and why: looked at behind every run of all stages, once a session "
    "that is being written has come to rest, at every tick of the sensor and by every import. "
    "A file that is mended or taken away is not named any more.",
)


@dg.multi_asset_check(specs=[_QUARANTINED, _REFUSED], can_subset=True)
def store_state(context: dg.AssetCheckExecutionContext, event_log: EventLogResource) -> Iterator[dg.AssetCheckResult]:
    """Nothing is put aside or refused unseen."""
    for key, found in results(event_log.opened).items():
        if key in context.selected_asset_check_keys:
            yield found


def results(opened: OpenStore) -> dict[dg.AssetCheckKey, dg.AssetCheckResult]:
    """How the store stands, by check."""
    with opened.database.reading() as connection:
        waiting = put_aside(connection)
    refused = refused_files(opened.database)
    sessions = [{"session": session_id, "stage": stage, "error": code} for session_id, stage, code in waiting]
    quarantined = {"sessions": _table(sessions), "quarantined": len(waiting)}
    unread = {"files": _table([_row(file) for file in refused]), "refused": len(refused)}
    return {
        _QUARANTINED.key: _result(_QUARANTINED, [list(session) for session in waiting], quarantined),
        _REFUSED.key: _result(_REFUSED, [[file.path, file.reason, file.line] for file in refused], unread),
    }


def _row(file: "RefusedFile") -> dict[str, str]:
    path = Path(file.path)
    told = {"file": path.name, "line": str(file.line or ""), "reason": file.reason, "detail": file.detail}
    return told | {"since": f"{file.since:%Y-%m-%d %H:%M}", "folder": str(path.parent)}


def _table(rows: Sequence[dict[str, str]]) -> dg.MetadataValue:
    """The first of some rows; how many there are stands beside it."""
    return dg.MetadataValue.table([dg.TableRecord(row) for row in rows[:SHOWN]]) if rows else dg.MetadataValue.text("none")


def news(instance: dg.DagsterInstance, opened: OpenStore) -> list[dg.AssetObservation | dg.AssetCheckEvaluation]:
    """What is to be reported of the store, where it has changed since it was reported last; files that are refused are
    observed as well."""
    found = results(opened)
    before = instance.event_log_storage.get_latest_asset_check_execution_by_key(list(found))
    events: list[dg.AssetObservation | dg.AssetCheckEvaluation] = []
    for key, one in found.items():
        told = before.get(key)
        said = told.evaluation if told is not None else None
        if isinstance(said, dg.AssetCheckEvaluation):
            if said.metadata.get(_STATE) == one.metadata[_STATE]:
                continue
        elif one.passed and told is None:
            continue  # nobody was ever told otherwise
        elif told is not None and _is_under_way(instance, told.run_id):
            continue  # that run says it
        events.append(
            dg.AssetCheckEvaluation(
                asset_key=key.asset_key,
                check_name=key.name,
                passed=one.passed,
                metadata=one.metadata,
                severity=one.severity,
            )
        )
        if key == _REFUSED.key:
            shown = {name: value for name, value in one.metadata.items() if name != _STATE}
            events.append(dg.AssetObservation(key.asset_key, metadata=shown))
    return events


def _is_under_way(instance: dg.DagsterInstance, run_id: str) -> bool:
    run = instance.get_run_by_id(run_id)
    return run is not None and not run.is_finished


def report_news(instance: dg.DagsterInstance, opened: OpenStore) -> None:
    """Report it to Dagster, for who is neither a run nor a sensor. What is in the way fails no import: the next one says it."""
    with contextlib.suppress(OSError, SQLAlchemyError, StoreError):
        for event in news(instance, opened):
            instance.report_runless_asset_event(event)


def _result(spec: dg.AssetCheckSpec, state: Sequence[object], metadata: dict[str, Any]) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        asset_key=spec.asset_key,
        check_name=spec.name,
        passed=not state,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={**metadata, _STATE: sha256_hex(canonical_json(state))[:12]},
    )
