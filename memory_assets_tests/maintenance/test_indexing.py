"""What waits is written whatever became of the index, and a model is measured once it has written anything."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from memory_assets.configuration import Resources
from memory_assets.maintenance.indexing import write_waiting
from memory_assets.projections.fold import catch_up
from memory_assets.settings import Settings
from memory_assets.vectors.calibration import known_calibration
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets.vectors.errors import IndexBusyError, IndexCorruptError, IndexUnansweredError, IndexUnreachableError
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.outbox import drain_outbox
from memory_assets.vectors.reconcile import Side, reconcile
from memory_assets_tests.filled_store import fill_one
from memory_assets_tests.log.processes import first_line, python
from memory_assets_tests.tiny_model import save_tiny_model
from memory_assets_tests.vectors.stores import HOLD, TALK, drained, ids_of_index, ids_of_units, parts


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A store whose index is in line."""
    made = fill_one(tmp_path, "talk", TALK, ())
    drained(made)
    return made


def written(settings: Settings, *, wait: bool = True) -> int:
    return write_waiting(Resources(settings), wait=wait).drained.done


def test_an_index_that_somebody_removed_is_made_again(settings: Settings) -> None:
    shutil.rmtree(settings.vectors_folder)
    assert written(settings) == len(ids_of_units(settings))
    assert ids_of_index(settings) == ids_of_units(settings)
    assert written(settings) == 0


class Other(HashingEmbedder):
    """Of another version."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding_version = "other-1"


@pytest.mark.long
def test_a_former_table_that_had_to_go_is_made_again_when_it_is_wanted(settings: Settings) -> None:
    database, former = parts(settings)
    for manifest in (former.folder / f"{former.table_name}.lance" / "_versions").iterdir():
        manifest.write_bytes(b"garbage")
    gone = ids_of_units(settings)[0]
    with database.writing() as connection:
        connection.execute("UPDATE vector_outbox SET op = 'delete', status = 'pending' WHERE item_id = ?", [gone])
        connection.execute("DELETE FROM memory_units WHERE unit_id = ?", [gone])
    # What is forgotten is taken out of the tables of all versions: this one cannot be read, so it goes as a whole.
    drain_outbox(database, Other(), VectorIndex(settings.vectors_folder, "other-1", 256), lock_folder=settings.store_folder)
    assert not Resources(settings).vector_index.exists()
    assert written(settings) == len(ids_of_units(settings)) > 0
    assert ids_of_index(settings) == ids_of_units(settings)


def test_a_former_table_that_is_only_out_of_reach_is_kept(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    database, former = parts(settings)
    with database.writing() as connection:
        connection.execute("UPDATE vector_outbox SET op = 'delete', status = 'pending'")

    def out_of_reach(*_: object) -> None:
        raise IndexUnreachableError("not now")

    monkeypatch.setattr(VectorIndex, "delete", out_of_reach)
    index = VectorIndex(settings.vectors_folder, "other-1", 256)
    with pytest.raises(IndexUnreachableError):
        drain_outbox(database, Other(), index, lock_folder=settings.store_folder)
    assert former.count() == len(ids_of_units(settings))


def test_nobody_is_waited_for_where_that_was_said(settings: Settings) -> None:
    shutil.rmtree(settings.vectors_folder)
    with python(HOLD, settings.store_folder) as other:
        first_line(other)
        began = time.monotonic()
        with pytest.raises(IndexBusyError, match=f"process {other.pid}"):
            written(settings, wait=False)
        assert time.monotonic() - began < 5


@pytest.mark.long
def test_a_model_whose_first_drain_was_killed_before_the_self_test_is_measured_by_the_next(tmp_path: Path) -> None:
    tiny = save_tiny_model(tmp_path / "tiny")
    made = fill_one(tmp_path / "home", "talk", TALK, ())
    settings = made.model_copy(update={"embedding": made.embedding.model_copy(update={"model": str(tiny)})})
    catch_up(Resources(settings).database, Resources(settings).configured_versions)
    embedder = Resources(settings).embedder
    drained(settings, embedder)  # type: ignore[arg-type]
    assert known_calibration(settings) is None
    done = write_waiting(Resources(settings))
    assert done.drained.done == 0 and done.calibration == known_calibration(settings) is not None


@pytest.mark.parametrize("error", [IndexUnansweredError, IndexUnreachableError])
def test_an_index_that_may_be_whole_is_not_thrown_away(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, error: type[IndexCorruptError]
) -> None:
    database, index = parts(settings)
    rows = index.count()
    with monkeypatch.context() as busy:
        busy.setattr(VectorIndex, "rows", lambda *_: (_ for _ in ()).throw(error("not now")))
        for dry_run in (True, False):
            with pytest.raises(error, match="not now"):
                reconcile(
                    database, Side.of_vectors(HashingEmbedder(), index), lock_folder=settings.store_folder, dry_run=dry_run
                )
    assert index.count() == rows


@pytest.mark.long
def test_too_many_open_files_are_no_damage(settings: Settings) -> None:
    code = """
import os, resource, sys
from pathlib import Path
from memory_assets.configuration import Resources
from memory_assets.vectors.errors import IndexUnreachableError
from memory_assets_tests.filled_store import test_settings
settings = test_settings(Path(sys.argv[1]))
Resources(settings).vector_index.rows()
limits = resource.getrlimit(resource.RLIMIT_NOFILE)
spare = os.dup(0)
os.close(spare)
fresh = Resources(settings).vector_index
resource.setrlimit(resource.RLIMIT_NOFILE, (spare, limits[1]))
try:
    fresh.rows()
except IndexUnreachableError as error:
    print(type(error).__name__)
finally:
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)
"""
    with python(code, settings.store_folder) as process:
        assert first_line(process) == "IndexUnreachableError"
