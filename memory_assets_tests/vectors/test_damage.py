"""Whatever is wrong with the folder is an error that says how to make the index again, and after that it works."""

import random
import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from memory_assets.errors import MemoryAssetsError
from memory_assets.vectors import guard, lookup, upkeep
from memory_assets.vectors import index as index_module
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets.vectors.errors import IndexCorruptError, IndexWriteError
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.units import UnitFilter
from memory_assets_tests.vectors.test_order import some_units
from memory_assets_tests.vectors.units import DAY, found, store, unit

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
        index = VectorIndex(folder, "hashing-32-1", DIMENSIONS)
        store(index, *(unit(one.unit_id, one.embed_text, facets=("file:x",)) for one in some_units(400)))
        index.settle()
        index.delete(["u0003"])
    yield folder


@pytest.fixture
def index(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> VectorIndex:
    for module in (guard, lookup, index_module):
        monkeypatch.setattr(module, "PATIENCE", timedelta(seconds=3))
    shutil.copytree(whole, tmp_path / "vectors")
    return VectorIndex(tmp_path / "vectors", "hashing-32-1", DIMENSIONS)


def gone(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 2 // 3])


def garbage(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(max(200, path.stat().st_size)))


def questions(index: VectorIndex) -> list[Callable[[], object]]:
    return [
        lambda: index.lexical_search("word1 블로커", 20),
        lambda: index.lexical_search("word1 블로커", 20, EACH_COLUMN),
        lambda: index.vector_search(VECTOR, 20),
        lambda: index.vector_search(VECTOR, 20, EACH_COLUMN),
        lambda: index.rows(["unit_id", "vector"]),
        lambda: index.vectors_by_text(["x"]),
        index.speakers,
        index.prepare,
    ]


def failures(index: VectorIndex) -> list[MemoryAssetsError]:
    """Errors of everything that reads; anything but an error of ours goes through."""
    failed: list[MemoryAssetsError] = []
    for ask in questions(index):
        try:
            ask()
        except MemoryAssetsError as error:
            failed.append(error)
    return failed


def assert_it_can_be_made_again(index: VectorIndex) -> None:
    index.drop()
    assert found(index, "word1") == []
    store(index, unit("u1", "word1"))
    assert found(index, "word1") == ["u1"]
    assert index.problems() == []


@pytest.mark.parametrize("damage", [gone, empty, cut, garbage])
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
def test_a_damaged_file_is_an_error_that_says_how_to_mend_it(
    index: VectorIndex, files: str, damage: Callable[[Path], None]
) -> None:
    paths = list((index.folder / f"{index.table_name}.lance").glob(files))
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
def test_a_folder_that_is_gone_is_an_error_too(index: VectorIndex, part: str) -> None:
    assert failures(index) == []
    shutil.rmtree(index.folder / f"{index.table_name}.lance" / part)
    fresh = VectorIndex(index.folder, index.embedding_version, DIMENSIONS)
    assert any(isinstance(error, IndexCorruptError) for error in failures(fresh))
    assert_it_can_be_made_again(fresh)


def test_a_question_that_is_never_answered_ends(index: VectorIndex) -> None:
    # Bytes turned over inside a bitmap: LanceDB panics in a thread of its own and never answers.
    chance = random.Random(5)
    for path in (index.folder / f"{index.table_name}.lance").glob("_indices/*/bitmap_page_lookup.lance"):
        content = bytearray(path.read_bytes())
        for _ in range(6):
            content[chance.randrange(len(content) * 2 // 3)] ^= 0xFF
        path.write_bytes(bytes(content))
    with pytest.raises(IndexCorruptError) as caught:
        index.lexical_search("word1 블로커", 20, EACH_COLUMN)
    assert "memory rebuild --with-vectors" in caught.value.hint
    assert index.problems()
    assert_it_can_be_made_again(index)


def test_a_damaged_index_is_not_written_over_and_others_are_left_alone(index: VectorIndex) -> None:
    neighbour = VectorIndex(index.folder, "hashing-16-1", 16)
    store(neighbour, unit("u1", "로그"))
    for path in (index.folder / f"{index.table_name}.lance").glob("_versions/*.manifest"):
        garbage(path)
    for write in (
        lambda: store(index, unit("new", "로그")),
        lambda: index.delete(["u0001"]),
        index.optimize,
        index.maintain,
        index.settle,
    ):
        with pytest.raises(IndexCorruptError, match="units_hashing-32-1"):
            write()
    assert found(neighbour, "로그") == ["u1"]


def test_a_table_that_another_process_made_anew_is_read(index: VectorIndex) -> None:
    assert found(index, "word1")
    other = VectorIndex(index.folder, index.embedding_version, DIMENSIONS)
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


@pytest.mark.parametrize("guarding", [guard.reading, guard.writing])
def test_a_panic_is_an_error_and_what_ends_a_process_is_not(guarding: Callable[[str], object]) -> None:
    for error in (PanicException("range end index 8446147 out of range"), KeyError("x"), TypeError()):
        with pytest.raises(IndexCorruptError), guarding("units"):  # type: ignore[attr-defined]
            raise error
    for error in (KeyboardInterrupt(), SystemExit(1), IndexWriteError("ours")):
        with pytest.raises(type(error)), guarding("units"):  # type: ignore[attr-defined]
            raise error


def test_what_the_machine_refuses_is_no_damage() -> None:
    refused = RuntimeError("lance error: LanceError(IO): No space left on device (os error 28), /x/y.rs:1:2")
    with pytest.raises(IndexWriteError, match="No space left") as caught, guard.writing("units"):
        raise refused
    assert "rebuild" not in caught.value.hint
    with pytest.raises(IndexCorruptError, match="ermission") as told, guard.reading("units"):
        raise OSError("Permission denied")
    assert "rights" in told.value.hint
