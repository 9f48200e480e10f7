"""Whatever the index and the queue hold, in line they come: one row a unit, of its content and of the model in use."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from memory_assets.configuration import Resources
from memory_assets.results.outbox import Reconciled
from memory_assets.settings import Settings
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.reconcile import Side, reconcile
from memory_assets.vectors.rows import vector_rows, word_rows
from memory_assets_tests.depth import depth
from memory_assets_tests.filled_store import fill_one
from memory_assets_tests.vectors.stores import TALK, drained, ids_of_index, ids_of_units, rows, statuses
from memory_assets_tests.vectors.units import unit

VECTORS = "embedding_version <> 'words'"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A store whose index is in line."""
    made = fill_one(tmp_path, "talk", TALK, ())
    drained(made)
    return made


def reconciled(settings: Settings, **more: bool) -> Reconciled:
    """Both tables put in line; what was found of the vectors."""
    reconcile(
        Resources(settings).database,
        Side.of_words(Resources(settings).word_index),
        lock_folder=settings.store_folder,
        **more,
    )
    return reconcile(
        Resources(settings).database,
        Side.of_vectors(HashingEmbedder(), Resources(settings).vector_index),
        lock_folder=settings.store_folder,
        **more,
    )


def double(index: VectorIndex, *unit_ids: str) -> None:
    """Rows that no writer of ours makes."""
    embedder = HashingEmbedder()
    units = [unit(unit_id, "twice") for unit_id in unit_ids]
    vectors = embedder.embed_documents(["twice"] * len(units))
    index._open_or_create().add(vector_rows(units, vectors, embedder.fingerprint, 256))


def write(settings: Settings, statement: str) -> None:
    with Resources(settings).database.writing() as connection:
        connection.execute(statement)


@pytest.mark.long
def test_what_is_in_line_stays_as_it_is(settings: Settings) -> None:
    before = rows(settings, "SELECT * FROM vector_outbox ORDER BY ALL")
    count = len(ids_of_units(settings))
    assert reconciled(settings) == reconciled(settings, dry_run=True) == Reconciled(same=count)
    assert rows(settings, "SELECT * FROM vector_outbox ORDER BY ALL") == before


@pytest.mark.long
def test_each_kind_of_difference_is_named_and_mended(settings: Settings) -> None:
    index = Resources(settings).vector_index
    first, second, third, *_ = ids_of_units(settings)
    index.delete([first])
    double(index, second)
    double(index, "unt_nobody")
    write(settings, f"UPDATE memory_units SET content_hash = 'newer' WHERE unit_id = '{third}'")
    wanted = Reconciled(same=len(ids_of_units(settings)) - 3, missing=1, stale=1, twice=1, orphans=1)
    assert reconciled(settings, dry_run=True) == wanted
    assert index.count() == len(ids_of_units(settings)) + 1  # nothing was changed
    found = reconciled(settings)
    assert found == Reconciled(same=wanted.same, missing=1, stale=1, twice=1, orphans=1, waiting=3) and found.to_write == 3
    assert drained(settings).done == 3
    assert ids_of_index(settings) == ids_of_units(settings)
    assert reconciled(settings) == Reconciled(same=len(ids_of_units(settings)))


@pytest.mark.long
def test_a_queue_that_was_lost_is_made_again_without_embedding(settings: Settings) -> None:
    write(settings, "DELETE FROM vector_outbox")
    assert reconciled(settings).waiting == 0
    assert statuses(settings) == {"done": len(ids_of_units(settings))}
    # The same jobs as the fold's: it adds none beside them.
    write(settings, "UPDATE vector_outbox SET status = 'pending'")
    assert reconciled(settings).waiting == 0 and drained(settings).done == 0


@pytest.mark.long
def test_each_kind_of_difference_of_the_words_is_named_and_mended(settings: Settings) -> None:
    words = Resources(settings).word_index
    first, second, third, *_ = ids_of_units(settings)
    words.delete([first])
    words._open_or_create().add(word_rows([unit(second, "twice"), unit("unt_nobody", "of nothing")]))
    write(settings, f"UPDATE memory_units SET content_hash = 'newer' WHERE unit_id = '{third}'")
    database, count = Resources(settings).database, len(ids_of_units(settings))
    wanted = Reconciled(same=count - 3, missing=1, stale=1, twice=1, orphans=1)
    assert reconcile(database, Side.of_words(words), lock_folder=settings.store_folder, dry_run=True) == wanted
    found = reconcile(database, Side.of_words(words), lock_folder=settings.store_folder)
    assert (found.to_write, found.orphans, found.waiting) == (3, 1, 3)
    drained(settings)
    reconciled(settings)
    drained(settings)
    assert ids_of_index(settings) == ids_of_units(settings)
    assert reconcile(database, Side.of_words(words), lock_folder=settings.store_folder) == Reconciled(same=count)


@pytest.mark.long
@pytest.mark.parametrize("which", ["word_index", "vector_index"])
def test_a_table_that_was_made_and_got_no_row_is_filled(settings: Settings, which: str) -> None:
    """One that was killed between making the table and writing its first rows leaves it so."""
    table = getattr(Resources(settings), which)
    table.delete(ids_of_units(settings))
    assert table.exists() and table.count() == 0
    count = len(ids_of_units(settings))
    reconciled(settings)
    drained(settings)
    assert reconciled(settings) == Reconciled(same=count)
    assert ids_of_index(settings) == ids_of_units(settings)


def test_what_was_given_up_stays_given_up(settings: Settings) -> None:
    (unit_id, *_) = ids_of_units(settings)
    write(settings, f"UPDATE vector_outbox SET status = 'failed', attempts = 5 WHERE item_id = '{unit_id}' AND {VECTORS}")
    Resources(settings).vector_index.delete([unit_id])
    found = reconciled(settings)
    assert (found.missing, found.waiting) == (1, 1)
    assert rows(settings, "SELECT attempts FROM vector_outbox WHERE status = 'failed'") == [(5,)]


@pytest.mark.long
def test_a_job_of_nothing_takes_its_row_out(settings: Settings) -> None:
    write(settings, "DELETE FROM memory_units WHERE message_index < 4")
    assert reconciled(settings).orphans >= 4
    drained(settings)
    assert ids_of_index(settings) == ids_of_units(settings)
    assert statuses(settings) == {"done": len(ids_of_units(settings))}


@pytest.mark.long
@pytest.mark.parametrize("harm", ["torn", "another layout", "from scratch"])
def test_a_table_that_is_of_no_use_is_made_anew(settings: Settings, harm: str) -> None:
    index = Resources(settings).vector_index
    if harm == "torn":
        for manifest in (index.folder / f"{index.table_name}.lance" / "_versions").iterdir():
            manifest.write_bytes(b"garbage")
    elif harm == "another layout":
        import lancedb

        index.drop()
        lancedb.connect(str(index.folder)).create_table(index.table_name, [{"unit_id": "u", "vector": [1.0, 2.0]}])
    found = reconciled(settings, from_scratch=harm == "from scratch")
    assert found.made_anew and found.missing == found.waiting == len(ids_of_units(settings))
    drained(settings)
    assert ids_of_index(settings) == ids_of_units(settings)


def test_vectors_of_two_models_in_one_table_are_parted(settings: Settings) -> None:
    index = Resources(settings).vector_index
    (unit_id, *_) = ids_of_units(settings)
    index._open_or_create().update(where=f"unit_id = '{unit_id}'", values={"fingerprint": "another"})
    found = reconciled(settings)
    assert (found.other_model, found.made_anew) == (1, None)
    drained(settings)
    assert set(Resources(settings).vector_index.rows(["fingerprint"])["fingerprint"].to_pylist()) == {
        HashingEmbedder().fingerprint
    }


@pytest.mark.long
@pytest.mark.deep
@hypothesis_settings(max_examples=depth(1, 12), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    removed=st.sets(st.integers(0, 11)),
    doubled=st.sets(st.integers(0, 11)),
    changed=st.sets(st.integers(0, 11)),
    statuses_of=st.lists(st.sampled_from(["pending", "done"]), min_size=12, max_size=12),
    orphans=st.integers(0, 3),
)
def test_any_disorder_ends_in_line(
    settings: Settings, removed: set[int], doubled: set[int], changed: set[int], statuses_of: list[str], orphans: int
) -> None:
    index = Resources(settings).vector_index
    units = ids_of_units(settings)[:12]
    index.delete([units[place] for place in removed])
    if doubled or orphans:
        double(index, *(units[place] for place in doubled), *(f"unt_orphan{number}" for number in range(orphans)))
    for place, status in enumerate(statuses_of):
        write(settings, f"UPDATE vector_outbox SET status = '{status}' WHERE item_id = '{units[place]}'")
    for place in changed:
        write(settings, f"UPDATE memory_units SET content_hash = content_hash || 'x' WHERE unit_id = '{units[place]}'")
    reconciled(settings)
    drained(settings)
    assert reconciled(settings) == Reconciled(same=len(ids_of_units(settings)))
    assert ids_of_index(settings) == ids_of_units(settings)
