"""How the store stands when it is asked: what cannot be found yet, or by its words alone, and what a reader is told of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_assets.identifiers import typed_id
from memory_assets.log.fetching import fetch, scalar
from memory_assets.log.sql import WORDS
from memory_assets.search.answers.unit_standing import unit_uplifts
from memory_assets.vectors.errors import MISSING_HINT, IndexMissingError

if TYPE_CHECKING:
    import duckdb

    from memory_assets.log.database import Database
    from memory_assets.vectors.index import VectorIndex
    from memory_assets.vectors.words import WordIndex


@dataclass(frozen=True, slots=True)
class StoreState:
    """How the store stands when it is asked.

    Attributes:
        waiting: units that wait to be made searchable.
        without_vector: units that are found by their words alone, for they wait for their vectors.
        uplifts: by unit id, -1 to 1, what people said of some units.
        has_corrections: a person has said otherwise than a memory does.
    """

    waiting: int
    without_vector: int
    uplifts: Mapping[str, float]
    has_corrections: bool


# What waits is little; to count what does not, all units are looked at (8 ms of CPU among 100,000).
_STATE = f"""
SELECT count(*) FILTER (embedding_version = '{WORDS}'), count(*) FILTER (embedding_version = ? AND op = 'upsert'),
  (SELECT count(*) FROM unit_feedback), EXISTS (SELECT 1 FROM conflicts WHERE conflict_type = 'corrected')
FROM vector_outbox WHERE status = 'pending'
"""
_WERE_WRITTEN = "SELECT EXISTS (SELECT 1 FROM vector_outbox WHERE embedding_version = ? AND status <> 'pending')"
_HAVE_VECTORS = "SELECT EXISTS (SELECT 1 FROM vector_outbox WHERE embedding_version = ? AND status = 'done')"


class KnownState:
    """How a store stands, read once for as long as nothing can be written to it."""

    def __init__(self, database: Database, words: WordIndex, index: VectorIndex) -> None:
        self._database = database
        self._words = words
        self._version = index.embedding_version
        self._known: tuple[object, StoreState] | None = None

    def of(self, connection: duckdb.DuckDBPyConnection) -> StoreState:
        """How the store of a connection stands.

        Raises:
            IndexMissingError: no table holds what was made searchable. To find nothing would look like the truth.
        """
        attachment, known = self._database.attachment, self._known
        if attachment is None or known is None or known[0] is not attachment:
            self._known = known = attachment, _state(connection, self._version)
        _check_index(connection, known[1], self._words)
        return known[1]


def _state(connection: duckdb.DuckDBPyConnection, embedding_version: str) -> StoreState:
    ((waiting, without_vector, said, corrected),) = fetch(connection, _STATE, [embedding_version])
    uplifts = unit_uplifts(connection) if said else {}
    by_unit = {typed_id("unt", *of): uplift for of, uplift in uplifts.items() if uplift}
    return StoreState(waiting, without_vector, by_unit, corrected)


def _check_index(connection: duckdb.DuckDBPyConnection, state: StoreState, words: WordIndex) -> None:
    if words.exists():
        return
    units = int(scalar(connection, "SELECT count(*) FROM memory_units"))
    if units and (state.waiting < units or scalar(connection, _WERE_WRITTEN, [WORDS])):
        raise IndexMissingError(
            f"the index is missing: none of the {units} units in the store can be searched", hint=MISSING_HINT
        )


def notes_on(
    connection: duckdb.DuckDBPyConnection, state: StoreState, words: WordIndex, index: VectorIndex, *, mode: str
) -> list[str]:
    """What is not found yet, and why something may be found by its words alone; each with what to do about it."""
    notes = []
    if state.waiting:
        notes.append(f"{_units(state.waiting)} to be made searchable: `memory outbox drain`")
    if not words.exists():
        notes.append("there is no index yet: `memory import` makes it")
    elif mode != "lexical" and (by_words_alone := _why_by_words_alone(connection, state, index)):
        notes.append(by_words_alone)
    return notes


def _why_by_words_alone(connection: duckdb.DuckDBPyConnection, state: StoreState, index: VectorIndex) -> str | None:
    if state.without_vector:
        waiting = _units(state.without_vector)
        return f"{waiting} for their vectors: found by words alone until then (`memory outbox drain`)"
    if index.exists():
        return None
    if scalar(connection, _HAVE_VECTORS, [index.embedding_version]):
        return "the vectors are missing, and all is found by words alone: `memory outbox drain` makes them again"
    return f"there is no index {index.table_name} yet, and all is found by words alone: `memory outbox drain` makes it"


def _units(count: int) -> str:
    return "1 unit waits" if count == 1 else f"{count} units wait"
