"""Sessions in any order and in batches of any size give the same state."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pytest

from memory_assets.defs import run
from memory_assets.settings import load_settings
from memory_assets_tests.defs.conftest import Mixed
from memory_assets_tests.defs.state import Rows, assert_rebuilds_equal, differing, index_rows, tables

pytestmark = pytest.mark.long

# How many revisions a session has, and by which events it was told, is its history.
OF_HISTORY = {
    ("sessions", "revision"),
    ("sessions", "ingest_event_id"),
    ("sessions", "chain_id"),
    ("messages", "revision"),
    ("messages", "event_id"),
    ("entries", "source_event_id"),
    ("evidence_spans", "event_id"),
    ("idris_checks", "event_id"),
    ("idris_checks", "check_id"),
    ("promotions", "event_id"),
    ("promotions", "promotion_id"),
    ("task_claims", "source_event_id"),
    ("task_claims", "chain_id"),
    ("artifact_references", "source_event_id"),
    ("artifact_references", "chain_id"),
    ("task_outcomes", "event_id"),
    ("edges", "source_event_id"),
    ("entities", "basis"),
}


@pytest.mark.parametrize(
    ("rearranged", "size"),
    [
        pytest.param(lambda paths: paths[::-1], 6, id="backwards, six files a run"),
        pytest.param(lambda paths: paths[5:] + paths[:5], 1, id="the middle first, a file a run", marks=pytest.mark.slow),
    ],
)
def test_any_order_gives_the_same_tables(
    rearranged: Callable[[list[Path]], list[Path]],
    size: int,
    mixed_store: Mixed,
    tmp_path: Path,
    unrecorded: dg.DagsterInstance,
) -> None:
    settings = load_settings({"home": tmp_path / "rearranged", "dagster": {"batch_size": size}})
    paths = [path for path in sorted(mixed_store.folder.iterdir()) if path.name != "empty.json"]
    report = run.import_paths(settings, rearranged(paths), project=None)
    assert (report.new, report.errors) == (mixed_store.report.new, []) and report.new == 10
    states: list[dict[str, Rows]] = []
    units: list[set[tuple[str, str]]] = []
    for taken in (mixed_store.settings, settings):
        states.append(tables(taken, without=OF_HISTORY))
        units.append({(row["unit_id"], row["context_text"]) for row in index_rows(taken)})
    assert_rebuilds_equal(settings)
    assert differing(*states) == {}
    assert units[0] == units[1]


def test_what_is_compared_is_worth_comparing() -> None:
    columns = {table for table, _ in OF_HISTORY}
    assert not columns & {"memories", "memory_citations", "memory_units", "entity_aliases", "source_files"}


@pytest.mark.parametrize("column", ["text", "role", "ts"])
def test_the_comparison_sees_a_difference(column: str) -> None:
    one: dict[str, Rows] = {"messages": [{"text": "a", "role": "user", "ts": 1}]}
    other: dict[str, Rows] = {"messages": [{**one["messages"][0], column: "other"}]}
    assert differing(one, other) == {"messages": [column]}
