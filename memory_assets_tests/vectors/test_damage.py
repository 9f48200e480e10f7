"""Whatever is wrong with the folder is an error that says how to make the index again, and after that it works."""

import random
import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from memory_assets.errors import MemoryAssetsError
from memory_assets.vectors import driver_errors, lookup, upkeep
from memory_assets.vectors import index as index_module
from memory_assets.vectors import table as table_module
from memory_assets.vectors import words as words_module
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets.vectors.errors import IndexCorruptError, IndexWriteError
from memory_assets.vectors.units import UnitFilter
from memory_assets_tests.depth import cases
from memory_assets_tests.vectors.test_order import some_units
from memory_assets_tests.vectors.units import DAY, Both, found, store, unit

DIMENSIONS = 32
VECTOR = HashingEmbedder(DIMENSIONS).embed_query("word1 블로커")
EACH_COLUMN = UnitFilter(
    project="shop",
    unit_kinds=("passage",),
    roles=("user",),
    stages=("observation",),
    session_ids=tuple(f"s{n}" for n in range(40)),
    unit_ids=tuple(f"u{n:04}" for n in range(400)),
    worktree="/home",
    facets=("file:x",),
    since=DAY,
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An index with one of every kind of file."""
    folder = tmp_path_factory.mktemp("whole") / "vectors"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(upkeep, "ANN_ROWS", 300)
        index = Both(folder)
        store(index, *(unit(one.unit_id, one.embed_text, facets=("file:x",)) for one in some_units(400)))
        index.settle()
        index.delete(["u0003"])
    yield folder


@pytest.fixture
def index(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Both:
    for module in (driver_errors, lookup, index_module, table_module, words_module):
        monkeypatch.setattr(module, "PATIENCE", timedelta(seconds=3))
    shutil.copytree(whole, tmp_path / "vectors")
    return Both(tmp_path / "vectors")


def gone(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 2 // 3])


def garbage(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(max(200, path.stat().st_size)))


def questions(index: Both) -> list[Callable[[], object]]:
    return [
        lambda: index.lexical_search("word1 블로커", 20),
        lambda: index.lexical_search("word1 블로커", 20, EACH_COLUMN),
        lambda: index.vector_search(VECTOR, 20),
        lambda: index.vector_search(VECTOR, 20, EACH_COLUMN),
        lambda: index.vectors.rows(["unit_id", "vector"]),
        lambda: index.vectors.vectors_by_text(["x"]),
        lambda: index.words.rows(),
        index.words.speakers,
        index.prepare,
    ]


def failures(index: Both) -> list[MemoryAssetsError]:
    """Errors of everything that reads; anything but an error of ours goes through."""
    failed: list[MemoryAssetsError] = []
    for ask in questions(index):
        try:
            ask()
        except MemoryAssetsError as error:
            failed.append(error)
    return failed


def assert_it_can_be_made_again(index: Both) -> None:
    index.drop()
    assert found(index, "word1") == []
    store(index, unit("u1", "word1"))
    assert found(index, "word1") == ["u1"]
    assert index.problems() == []


@pytest.mark.parametrize("damage", cases([gone, garbage], [empty, cut]))
@pytest.mark.parametrize(
    "files",
    [
        "_versions/*.manifest",
        "data/*.lance",
        "_deletions/*",
        "_indices/*/part_*_tokens.lance",
        "_indices/*/part_*_invert.lance",
        "_indices/*/part_*_docs.lance",
        "_indices/*/bitmap_page_lookup.lance",
        "_indices/*/page_data.lance",
        "_indices/*/page_lookup.lance",
        "_indices/*/index.idx",
        "_indices/*/auxiliary.idx",
    ],
)
def test_a_damaged_file_is_an_error_that_says_how_to_mend_it(index: Both, files: str, damage: Callable[[Path], None]) -> None:
    paths = list(index.folder.glob(f"*.lance/{files}"))
    assert paths
    for path in paths:
        damage(path)
    failed = failures(index)
    assert failed
    for error in failed:
        assert isinstance(error, IndexCorruptError)
        assert "memory rebuild --with-vectors" in error.hint
        assert ".rs:" not in str(error) and "\n" not in str(error)
    assert index.problems()
    assert_it_can_be_made_again(index)


@pytest.mark.parametrize("part", ["_versions", "data", "_indices"])
def test_a_folder_that_is_gone_is_an_error_too(index: Both, part: str) -> None:
    assert failures(index) == []
    for table in index.tables:
        shutil.rmtree(index.folder / f"{table.table_name}.lance" / part)
    fresh = Both(index.folder)
    assert any(isinstance(error, IndexCorruptError) for error in failures(fresh))
    assert_it_can_be_made_again(fresh)


def test_a_question_that_is_never_answered_ends(index: Both) -> None:
    # Bytes turned over inside a bitmap: LanceDB panics in a thread of its own and never answers.
    chance = random.Random(5)
    for path in index.folder.glob("*.lance/_indices/*/bitmap_page_lookup.lance"):
        content = bytearray(path.read_bytes())
        for _ in range(6):
            content[chance.randrange(len(content) * 2 // 3)] ^= 0xFF
        path.write_bytes(bytes(content))
    with pytest.raises(IndexCorruptError) as caught:
        index.lexical_search("word1 블로커", 20, EACH_COLUMN)
    assert "memory rebuild --with-vectors" in caught.value.hint
    assert index.problems()
    assert_it_can_be_made_again(index)


@pytest.mark.parametrize("which", [0, 1])
def test_a_damaged_index_is_not_written_over_and_others_are_left_alone(index: Both, which: int) -> None:
    neighbour = Both(index.folder, "hashing-16-1", 16).vectors
    embedder = HashingEmbedder(16)
    neighbour.upsert([unit("u1", "로그")], embedder.embed_documents(["로그"]), embedder.fingerprint)
    damaged = index.tables[which]
    for path in (index.folder / f"{damaged.table_name}.lance").glob("_versions/*.manifest"):
        garbage(path)
    for write in (
        lambda: store(index, unit("new", "로그")),
        lambda: index.delete(["u0001"]),
        damaged.optimize,
        damaged.maintain,
        damaged.settle,
    ):
        with pytest.raises(IndexCorruptError, match=damaged.table_name):
            write()
    assert neighbour.count() == 1


def test_a_table_that_another_process_made_anew_is_read(index: Both) -> None:
    assert found(index, "word1")
    other = Both(index.folder)
    other.drop()
    assert found(index, "word1") == []
    store(other, unit("new", "word1"))
    assert found(index, "word1") == ["new"]
    other.drop()
    store(other, unit("newer", "word1"), unit("u2", "x"))
    assert found(index, "word1") == ["newer"]
    assert [hit.unit_id for hit in index.vector_search(HashingEmbedder(DIMENSIONS).embed_query("x"), 1)] == ["u2"]


class PanicException(BaseException):
    """As native code raises it: no `Exception`."""


@pytest.mark.parametrize("guarding", [driver_errors.reading, driver_errors.writing])
def test_a_panic_is_an_error_and_what_ends_a_process_is_not(guarding: Callable[[str], object]) -> None:
    for error in (PanicException("range end index 8446147 out of range"), KeyError("x"), TypeError()):
        with pytest.raises(IndexCorruptError), guarding("units"):  # type: ignore[attr-defined]
            raise error
    for error in (KeyboardInterrupt(), SystemExit(1), IndexWriteError("ours")):
        with pytest.raises(type(error)), guarding("units"):  # type: ignore[attr-defined]
            raise error


def test_what_the_machine_refuses_is_no_damage() -> None:
    refused = RuntimeError("lance error: LanceError(IO): No space left on device (os error 28), /x/y.rs:1:2")
    with pytest.raises(IndexWriteError, match="No space left") as caught, driver_errors.writing("units"):
        raise refused
    assert "rebuild" not in caught.value.hint
    with pytest.raises(IndexCorruptError, match="ermission") as told, driver_errors.reading("units"):
        raise OSError("Permission denied")
    assert "rights" in told.value.hint
