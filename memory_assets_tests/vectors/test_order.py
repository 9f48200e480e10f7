"""The order of hits depends on what the index holds, and on nothing else."""

import random
from pathlib import Path

import pytest

from memory_assets.vectors import lookup, upkeep
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets.vectors.units import Unit, UnitFilter
from memory_assets_tests.vectors.units import Both, store, unit

DIMENSIONS = 32
WORDS = [f"word{n}" for n in range(60)] + ["블로커", "로그", "배포", "서버"]
QUESTIONS = ("word1 word30", "블로커 로그", "word59", "서버에서 배포했다 word2")


def some_units(count: int) -> list[Unit]:
    chance = random.Random(11)
    return [
        unit(
            f"u{n:04}",
            " ".join(chance.choices(WORDS, k=chance.randint(2, 25))),
            around=" ".join(chance.choices(WORDS, k=10)),
            session_id=f"s{n // 10}",
        )
        for n in range(count)
    ]


def written_at_once(folder: Path, units: list[Unit]) -> Both:
    index = Both(folder)
    store(index, *units)
    index.settle()
    return index


def written_in_pieces(folder: Path, units: list[Unit]) -> Both:
    """In another order, with other texts first, with units that go again, settled now and then."""
    chance = random.Random(5)
    index = Both(folder)
    shuffled = chance.sample(units, len(units))
    store(index, *(unit(one.unit_id, "former text word1 블로커") for one in shuffled[:80]))
    index.settle()
    for start in range(0, len(shuffled), 70):
        store(index, *shuffled[start : start + 70], unit(f"gone{start}", "word1 블로커 word30"))
        index.maintain()
        if start % 140 == 0:
            index.settle()
    index.delete([f"gone{start}" for start in range(0, len(shuffled), 70)])
    index.settle()
    return index


def test_scores_do_not_depend_on_how_the_rows_were_written(tmp_path: Path) -> None:
    units = some_units(400)
    one, other = written_at_once(tmp_path / "one", units), written_in_pieces(tmp_path / "other", units)
    for question in QUESTIONS:
        for k in (3, 20, 1000):
            assert one.lexical_search(question, k) == other.lexical_search(question, k)
            vector = HashingEmbedder(DIMENSIONS).embed_query(question)
            assert one.vector_search(vector, k) == other.vector_search(vector, k)


def test_of_equal_ones_the_first_by_id_are_found(tmp_path: Path) -> None:
    chance = random.Random(3)
    ids = [f"u{n:03}" for n in range(120)]
    index = Both(tmp_path)
    for start in range(0, 120, 30):
        store(index, *(unit(unit_id, "같은 말") for unit_id in chance.sample(ids, 120)[start : start + 30]))
    store(index, *(unit(unit_id, "같은 말") for unit_id in ids), unit("best", "같은 말 말 말 없는"))
    index.settle()
    hits = index.lexical_search("같은 말", 10)
    for found in (hits.own, hits.context):
        plain = [hit.unit_id for hit in found if hit.unit_id != "best"]
        assert plain == ids[: len(plain)]
        assert len(found) == 10
    near = index.vector_search(HashingEmbedder(DIMENSIONS).embed_query("같은 말"), 10, UnitFilter(unit_kinds=("passage",)))
    assert [hit.unit_id for hit in near] == ids[:10]


@pytest.mark.long
def test_a_large_table_finds_the_same_by_its_index_of_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    units = some_units(3000)
    index = written_at_once(tmp_path, units)
    vectors = [HashingEmbedder(DIMENSIONS).embed_query(one.embed_text) for one in units[::300]]
    narrow = UnitFilter(session_ids=("s7", "s8"))
    flat = [(index.vector_search(vector, 50), index.vector_search(vector, 50, narrow)) for vector in vectors]
    monkeypatch.setattr(upkeep, "ANN_ROWS", 2000)
    monkeypatch.setattr(lookup, "EXACT_ROWS", 2000)
    assert "vector" not in indexed_columns(index)
    index.optimize()
    assert "vector" in indexed_columns(index)
    store(index, unit("late", "zebra quagga"))
    assert index.vector_search(HashingEmbedder(DIMENSIONS).embed_query("zebra quagga"), 1)[0].unit_id == "late"
    index.delete(["late"])
    for vector, (all_near, narrow_near) in zip(vectors, flat, strict=True):
        found = {hit.unit_id for hit in index.vector_search(vector, 50)}
        assert len(found & {hit.unit_id for hit in all_near}) >= 48
        assert index.vector_search(vector, 50, narrow) == narrow_near


def indexed_columns(index: Both) -> set[str]:
    from memory_assets.vectors.library import lancedb

    table = lancedb().connect(index.folder).open_table(index.vectors.table_name)
    return {column for one in table.list_indices() for column in one.columns}


def test_rows_that_were_read_before_are_never_those_of_another_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup, "_MOST_KEPT", 5)
    reader, writer = (Both(tmp_path) for _ in range(2))
    for generation in range(4):
        texts = [f"word1 {generation}-{n}" for n in range(8 + generation)]
        writer.drop()
        store(writer, *(unit(f"g{generation}-{n}", text) for n, text in enumerate(texts)))
        for _ in range(2):
            hits = reader.lexical_search("word1", 20)
            assert {hit.unit_id for hit in hits.own} == {f"g{generation}-{n}" for n in range(len(texts))}
            assert {hit.own_text for hit in hits.own} == {one.own_text for one in (unit("x", text) for text in texts)}
        store(writer, unit(f"g{generation}-0", "word1 changed"))
        writer.settle()
        changed = {hit.unit_id: hit.own_text for hit in reader.lexical_search("word1", 20).own}
        assert changed[f"g{generation}-0"] == "word1 changed" and len(changed) == len(texts)
