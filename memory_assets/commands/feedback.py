"""A person's or an agent's word on what it was shown: it was used, it helped, it is wrong."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

from memory_assets.commands.said import command, masked, now
from memory_assets.errors import InvalidArgumentError, NotFoundError, check_word
from memory_assets.log.errors import StoreError
from memory_assets.log.event_log import EventLog
from memory_assets.log.fetching import fetch
from memory_assets.log.payloads.usage import UnitFeedback
from memory_assets.maintenance.usage import take_shown
from memory_assets.projections.fold import catch_up
from memory_assets.queries.resolve_ids import ResolvedId, UnresolvedId, resolve_ids
from memory_assets.search.answers.unit_standing import standing_of
from memory_assets.vocabulary import Signal

if TYPE_CHECKING:
    import duckdb

    from memory_assets.configuration import Resources
    from memory_assets.results.feedback import AckV1

from memory_assets.vocabulary import SIGNALS

_UNIT = "SELECT unit_kind, source_id, session_id, project FROM memory_units WHERE unit_id = ?"


def give_feedback(resources: Resources, given: str, signal: str, *, by: str, note: str = "") -> AckV1:
    """Write down what somebody says of what an id names; the unit as it stands afterwards.

    Args:
        given: an address (``mem:…``, ``session:…``), or the id of a unit, memory, entry or task.
        by: who says so: a person, or an agent by its name.

    Raises:
        InvalidArgumentError: no such signal, no name, an address that is none, a text that is too long.
        NotFoundError: of the id, or search shows nothing under it.
    """
    from memory_assets.results.feedback import AckV1

    chosen = _signal(signal)
    if not by.strip():
        raise InvalidArgumentError("the name of who says so is empty", hint="name somebody")
    at, said_by, kept = now(), masked(resources, by, what="name"), masked(resources, note, what="note")
    versions = resources.configured_versions
    catch_up(resources.database, versions)
    with resources.database.reading() as connection:
        unit_id, session_id, project, payload = _addressed(connection, given)
    word = replace(
        command(UnitFeedback(**payload, signal=chosen, said_by=said_by, note=kept), at=at, project=project),
        session_id=session_id,
    )
    EventLog(resources.database).append([word])
    catch_up(resources.database, versions)
    # The word is written; what was of use may be counted another time.
    with contextlib.suppress(StoreError, OSError):
        take_shown(resources)
    with resources.database.reading() as connection:
        unit = standing_of(connection, unit_id)
    return AckV1(
        event_type=UnitFeedback.event_type, event_id=word.event_id, id=given.strip(), said_by=said_by, at=at, unit=unit
    )


def _signal(given: str) -> Signal:
    check_word("signal", given, SIGNALS)
    return next(signal for signal in SIGNALS if signal == given)


def _addressed(connection: duckdb.DuckDBPyConnection, given: str) -> tuple[str, str | None, str | None, dict[str, str]]:
    """The unit that an id names: its id, the session that it is of if it is of one, its project, and its source."""
    match resolve_ids(connection, [given])[0]:
        case ResolvedId(unit_id=str(unit_id)):
            (unit_kind, source_id, session_id, project), *_ = fetch(connection, _UNIT, [unit_id])
            return unit_id, session_id, project, {"unit_kind": unit_kind, "source_id": source_id}
        case ResolvedId():
            raise NotFoundError(
                f"search shows nothing under {given[:100]!r}", hint="give the address of a hit of `memory search`"
            )
        case UnresolvedId(code="not_found", reason=reason, hint=hint):
            raise NotFoundError(reason, hint=hint)
        case UnresolvedId(reason=reason, hint=hint):
            raise InvalidArgumentError(reason, hint=hint)
