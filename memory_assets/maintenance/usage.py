"""What was noted as used becomes events: one for each spool that is taken over, by whoever writes to the store anyway."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_assets.log.batches import insert, rows_of
from memory_assets.log.errors import StoreError
from memory_assets.log.events import NewEvent
from memory_assets.log.fetching import fetch
from memory_assets.log.payloads.usage import UnitUse, UsageCounted
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.projections.fold import fold, is_current
from memory_assets.projections.usage import IS_A_UNIT
from memory_assets.queries.resolve_ids import MessageSpan, ResolvedId, resolve_ids
from memory_assets.search.usage import Unit, Use, take_over, taken_over, uses_in

if TYPE_CHECKING:
    import duckdb

    from memory_assets.configuration import Resources
    from memory_assets.log.database import Database

_PATIENCE_SECONDS = 0.5

# Memories of which some quote stands on some of these characters.
_QUOTING = """
WITH cited AS (
  SELECT unnest(from_json(?, '[{"given": "VARCHAR", "session_id": "VARCHAR", "message_index": "INTEGER",
    "start": "INTEGER", "end": "INTEGER"}]'), recursive := true)
)
SELECT DISTINCT c.given, 'entry', n.memory_id FROM cited c
JOIN evidence_spans s ON s.session_id = c.session_id AND s.message_index = c.message_index
  AND s.span_start < c."end" AND c.start < s.span_end
JOIN entries n USING (entry_id) WHERE n.status <> 'superseded' AND n.memory_id IS NOT NULL ORDER BY ALL
"""

# Without it the log has hidden nothing, or it was only ever a source that replaced its own words.
_FORGOTTEN_EVER = "EXISTS (SELECT 1 FROM events WHERE event_type IN ('session_forgotten', 'text_forgotten', 'purged'))"

# All but what was used before it was forgotten, and is counted behind that.
_COUNTABLE = f"""
SELECT unit_kind, source_id FROM (
  SELECT unnest(from_json(?, '[{{"unit_kind": "VARCHAR", "source_id": "VARCHAR"}}]'), recursive := true))
WHERE NOT {_FORGOTTEN_EVER} OR {IS_A_UNIT}
"""


_BEFORE = "SELECT unit_kind, source_id, shown, 0, 0, first_at, last_at FROM usage_before_events ORDER BY ALL"


def count_shown(resources: Resources) -> int:
    """Count what was used since the last time; how many uses that were.

    What cannot be counted now is counted another time: no reader waits long for it.
    """
    seconds = min(_PATIENCE_SECONDS, resources.settings.store.lock_timeout_seconds)
    with contextlib.suppress(StoreError, OSError):
        return take_shown(resources, resources.database_within(seconds))
    return 0


def drop_shown(resources: Resources) -> None:
    """Take away what was spooled, uncounted."""
    take_over(resources.settings)
    for spool in taken_over(resources.settings):
        spool.unlink(missing_ok=True)


def take_shown(resources: Resources, database: Database | None = None) -> int:
    """Append what was spooled, one event a spool, and fold it where the tables are up to it. How many uses were counted.

    Opens the store only where there is something to count.

    Args:
        database: the store, where another patience is wanted than the settings have.

    Raises:
        StoreLockedError, StoreError: the spool is counted another time then.
    """
    if not take_over(resources.settings):
        return 0
    versions = resources.configured_versions
    with (database or resources.database).writing() as connection:
        # Inside the transaction, so that no other process takes one of these away between the look and the count.
        spools = taken_over(resources.settings)
        folded = is_current(connection, versions)
        counted = _count(connection, spools)
        if folded:
            fold(connection, versions)
    for spool in spools:
        spool.unlink(missing_ok=True)
    return counted


def _count(connection: duckdb.DuckDBPyConnection, spools: Sequence[Path]) -> int:
    """Append an event for each spool that has none yet."""
    new = _without_event(connection, spools)
    told = [(spool.name, _summed(connection, list(uses_in(spool)))) for spool in new]
    told.append(("before events", _counted_before(connection)))
    events = [counting_event(name, uses) for name, uses in told if uses]
    if events:
        insert(connection, rows_of(events))
    return sum(use.shown + use.opened + use.cited for _, uses in told for use in uses)


def counting_event(spool: str, uses: Sequence[UnitUse]) -> NewEvent:
    """What says that a spool is counted."""
    return NewEvent(UsageCounted(spool=spool, uses=list(uses)), inputs=(spool,), occurred_at=max(use.last_at for use in uses))


def _without_event(connection: duckdb.DuckDBPyConnection, spools: Sequence[Path]) -> list[Path]:
    """The spools that no event names: their lines may name other units by now, so they are not counted again to compare."""
    ids = {NewEvent(UsageCounted(spool=spool.name, uses=[]), inputs=(spool.name,)).event_id: spool for spool in spools}
    known = connection.execute(f"SELECT event_id FROM events WHERE event_id IN {IN_LIST}", [json_list(ids)]).fetchall()
    return [spool for event_id, spool in ids.items() if (event_id,) not in known]


def _summed(connection: duckdb.DuckDBPyConnection, uses: Sequence[Use]) -> list[UnitUse]:
    """A row for each unit and day, in an order of its own."""
    named = _units_named(connection, uses)
    times: dict[tuple[Unit, date], list[Use]] = {}
    for use in uses:
        for unit in [use.of] if isinstance(use.of, tuple) else named.get((use.how, use.of), ()):
            times.setdefault((unit, use.at.date()), []).append(use)
    counted = _countable(connection, {unit for unit, _ in times})
    return [_row(unit, of_day) for (unit, _), of_day in sorted(times.items()) if unit in counted]


def _row(unit: Unit, uses: Sequence[Use]) -> UnitUse:
    counts, times = Counter(use.how for use in uses), [use.at for use in uses]
    return UnitUse(
        unit_kind=unit[0],
        source_id=unit[1],
        shown=counts["shown"],
        opened=counts["opened"],
        cited=counts["cited"],
        first_at=min(times),
        last_at=max(times),
    )


def _units_named(connection: duckdb.DuckDBPyConnection, uses: Sequence[Use]) -> dict[tuple[str, str], set[Unit]]:
    """Which units each address names, by how it was used: what an answer cites are also the memories that quote it."""
    addressed = list(dict.fromkeys((use.how, use.of) for use in uses if isinstance(use.of, str)))
    resolved = {one.given: one for one in resolve_ids(connection, [address for _, address in addressed])} if addressed else {}
    named: dict[tuple[str, str], set[Unit]] = {}
    cited: list[tuple[str, MessageSpan]] = []
    for how, address in addressed:
        match resolved[address]:
            case ResolvedId(unit_kind=unit_kind, source_id=source_id, places=places):
                units = named.setdefault((how, address), set())
                if unit_kind is not None and source_id is not None:
                    units.add((unit_kind, source_id))
                if how == "cited":
                    cited += [(address, place) for place in places]
    for address, unit_kind, memory_id in _quoting(connection, cited):
        named["cited", address].add((unit_kind, memory_id))
    return named


def _quoting(connection: duckdb.DuckDBPyConnection, cited: Iterable[tuple[str, MessageSpan]]) -> list[tuple[str, str, str]]:
    places = [
        {"given": given, "session_id": span.session_id, "message_index": span.message_index, "start": start, "end": end}
        for given, span in cited
        for start, end in span.segments
    ]
    return fetch(connection, _QUOTING, [json.dumps(places)]) if places else []


def _countable(connection: duckdb.DuckDBPyConnection, units: Iterable[Unit]) -> set[Unit]:
    """Without what is forgotten."""
    given = [{"unit_kind": unit_kind, "source_id": source_id} for unit_kind, source_id in units]
    return set(fetch(connection, _COUNTABLE, [json.dumps(given)]))


def _counted_before(connection: duckdb.DuckDBPyConnection) -> list[UnitUse]:
    """What was counted before usage was events, once."""
    rows = fetch(connection, _BEFORE)
    connection.execute("DELETE FROM usage_before_events")
    return uses_of_rows(rows)


def uses_of_rows(rows: Iterable[tuple[Any, ...]]) -> list[UnitUse]:
    """Uses as tables hold them: in the order of the payload's fields, times in UTC without saying so."""
    return [
        UnitUse(
            unit_kind=unit_kind,
            source_id=source_id,
            shown=int(shown or 0),
            opened=int(opened or 0),
            cited=int(cited or 0),
            first_at=first_at.replace(tzinfo=UTC),
            last_at=last_at.replace(tzinfo=UTC),
        )
        for unit_kind, source_id, shown, opened, cited, first_at, last_at in rows
    ]
