"""How the store stands when it is asked: what cannot be found yet, or by its words alone, and what a reader is told of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_assets.identifiers import typed_id
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import WORDS
from memory_assets.search.answers.unit_standing import unit_uplifts
from memory_assets.vectors.errors import MISSING_HINT, IndexMissingError

if TYPE_CHECKING:
    import duckdb

    from memory_assets.vectors.index import VectorIndex
    from memory_assets.vectors.words import WordIndex


@dataclass(frozen=True, slots=True)
class StoreState:
    """How the store stands when it is asked.

    Attributes:
        waiting: units that wait to be made searchable.
        without_vector: units that are found by their words alone, for they wait for their vectors.
        vectors_made: units that have a vector, as the outbox has it.
        uplifts: by unit id, -1 to 1, what people said of some units.
        has_corrections: a person has said otherwise than a memory does.
    """

    waiting: int
    without_vector: int
    vectors_made: int
    uplifts: Mapping[str, float]
    has_corrections: bool


def store_state(connection: duckdb.DuckDBPyConnection, words: WordIndex, index: VectorIndex) -> StoreState:
    """How the store stands.

    Raises:
        IndexMissingError: no table holds what was made searchable. To find nothing would look like the truth.
    """
    made, waiting, vectors_made, without_vector, said, corrected = fetch(
        connection,
        """SELECT count(*) FILTER (embedding_version = $words AND status <> 'pending'),
             count(*) FILTER (embedding_version = $words AND status = 'pending'),
             count(*) FILTER (embedding_version = $version AND status = 'done'),
             count(*) FILTER (embedding_version = $version AND status = 'pending' AND op = 'upsert'),
             (SELECT count(*) FROM unit_feedback),
             EXISTS (SELECT 1 FROM conflicts WHERE conflict_type = 'corrected')
           FROM vector_outbox WHERE embedding_version IN ($words, $version)""",
        {"words": WORDS, "version": index.embedding_version},
    )[0]
    if not words.exists():
        units = int(fetch(connection, "SELECT count(*) FROM memory_units")[0][0])
        if units and (made or waiting < units):
            raise IndexMissingError(
                f"the index is missing: none of the {units} units in the store can be searched", hint=MISSING_HINT
            )
    uplifts = unit_uplifts(connection) if said else {}
    by_unit = {typed_id("unt", *of): uplift for of, uplift in uplifts.items() if uplift}
    return StoreState(waiting, without_vector, vectors_made, by_unit, corrected)


def notes_on(state: StoreState, words: WordIndex, index: VectorIndex, *, mode: str) -> list[str]:
    """What is not found yet, and why something may be found by its words alone; each with what to do about it."""
    notes = []
    if state.waiting:
        notes.append(f"{_units(state.waiting)} to be made searchable: `memory outbox drain`")
    if not words.exists():
        notes.append("there is no index yet: `memory import` makes it")
    elif mode != "lexical" and (by_words_alone := _why_by_words_alone(state, index)):
        notes.append(by_words_alone)
    return notes


def _why_by_words_alone(state: StoreState, index: VectorIndex) -> str | None:
    if state.without_vector:
        waiting = _units(state.without_vector)
        return f"{waiting} for their vectors: found by words alone until then (`memory outbox drain`)"
    if index.exists():
        return None
    if state.vectors_made:
        return "the vectors are missing, and all is found by words alone: `memory outbox drain` makes them again"
    return f"there is no index {index.table_name} yet, and all is found by words alone: `memory outbox drain` makes it"


def _units(count: int) -> str:
    return "1 unit waits" if count == 1 else f"{count} units wait"
