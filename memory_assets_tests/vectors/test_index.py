import asyncio
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest

from memory_assets.errors import InvalidArgumentError
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets.vectors.errors import FingerprintMismatchError, IndexCorruptError, IndexWriteError, UnitRejectedError
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.rows import marked, vector_schema, word_schema
from memory_assets.vectors.units import LexicalHits, UnitFilter
from memory_assets.vectors.words import WordIndex
from memory_assets_tests.vectors.units import Both, found, store, unit

DIMENSIONS = 32
NOTHING = LexicalHits((), ())


@pytest.fixture
def index(tmp_path: Path) -> Both:
    return Both(tmp_path / "vectors")


def test_before_the_first_write_nothing_is_found_and_nothing_is_made(index: Both) -> None:
    assert index.lexical_search("로그", 10) == NOTHING
    assert index.vector_search(HashingEmbedder(DIMENSIONS).embed_query("로그"), 10) == []
    assert [table.rows().num_rows for table in index.tables] == [0, 0] and index.count() == 0
    assert index.vectors.vectors_by_text(["x"]) == {}
    assert index.words.speakers() == frozenset()
    assert index.problems() == []
    index.delete(["u1"])
    index.optimize()
    index.prepare()
    assert index.maintain() is False
    assert index.settle() is False
    assert not index.folder.exists()


def test_what_is_written_is_found_at_once_by_both_legs(index: Both) -> None:
    store(index, unit("u1", "블로커를 해결했다"), unit("u2", "The deploy script was running"))
    assert found(index, "블로커") == ["u1"]
    assert found(index, "runs") == ["u2"]
    store(index, unit("u3", "블로커가 v1.5.5에서 또 나왔다"))
    assert set(found(index, "블로커")) == {"u1", "u3"}
    assert found(index, "1.5.5") == ["u3"]
    nearest = index.vector_search(HashingEmbedder(DIMENSIONS).embed_query("The deploy script was running"), 3)
    assert nearest[0].unit_id == "u2"
    assert nearest[0].score == pytest.approx(1.0, abs=1e-5)


def test_a_caller_whose_thread_runs_an_event_loop_is_answered_too(index: Both) -> None:
    store(index, unit("u1", "블로커를 해결했다"))

    async def asked() -> tuple[list[str], int]:
        return found(index, "블로커"), len(index.vector_search(HashingEmbedder(DIMENSIONS).embed_query("블로커"), 3))

    assert asyncio.run(asked()) == (["u1"], 1)


def test_digits_long_words_and_hangul_pass_the_index(index: Both) -> None:
    long = "x" * 60
    store(index, unit("u1", f"{long} 7 20260209 값 the"), unit("u2", "other"))
    for query in (long, "7", "20260209", "값", "the"):
        assert found(index, query) == ["u1"], query


def test_the_same_again_changes_nothing(index: Both) -> None:
    units = [unit(f"u{n}", f"text {n}") for n in range(50)]
    store(index, *units)
    before = index.vectors.rows(["unit_id", "content_hash", "vector"]).to_pylist()
    store(index, *units)
    key = lambda row: row["unit_id"]  # noqa: E731
    assert sorted(index.vectors.rows(["unit_id", "content_hash", "vector"]).to_pylist(), key=key) == sorted(before, key=key)


def test_a_changed_unit_is_found_by_its_new_text_only(index: Both) -> None:
    store(index, unit("u1", "timeout 30"), unit("u2", "other"))
    index.optimize()
    store(index, unit("u1", "retry 블로커"))
    assert found(index, "timeout") == []
    assert found(index, "블로커") == ["u1"]
    index.optimize()
    assert found(index, "timeout") == []
    assert index.count() == 2


def test_of_two_units_with_one_id_the_last_wins(index: Both) -> None:
    store(index, unit("u1", "first"), unit("u1", "second"))
    assert index.count() == 1
    assert found(index, "second") == ["u1"]


def test_deleted_units_are_found_no_more(index: Both) -> None:
    store(index, unit("u1", "로그"), unit("u'2", "로그"), unit("u3", "로그"))
    index.delete(["u1", "u'2", "never there"])
    index.delete(["u1"])
    assert found(index, "로그") == ["u3"]
    index.optimize()
    assert found(index, "로그") == ["u3"]
    assert index.ids() == ["u3"]


def test_a_hit_says_where_it_stands(index: Both) -> None:
    at = datetime(2026, 2, 9, 12, tzinfo=timezone(timedelta(hours=9)))
    entry = unit(
        "u1",
        "로그",
        unit_kind="entry",
        message_index=7,
        place=None,
        role="assistant",
        speaker="지수",
        stage="claim",
        status="contested",
        confidence=0.75,
        occurred_at=at,
    )
    store(index, entry, unit("u2", "other", project=None, session_id=None, message_index=None, role=None, speaker="Ann"))
    (hit,) = index.lexical_search("로그", 1).context
    assert (hit.unit_kind, hit.project, hit.session_id, hit.message_index, hit.place) == ("entry", "shop", "s1", 7, None)
    assert (hit.role, hit.speaker, hit.stage, hit.status, hit.confidence) == ("assistant", "지수", "claim", "contested", 0.75)
    assert (hit.occurred_at, hit.own_text) == (at, "로그")
    assert hit.score > 0
    (other,) = index.lexical_search("other", 1).own
    assert (other.project, other.session_id, other.message_index, other.role) == (None, None, None, None)
    assert index.words.speakers() == {"지수", "Ann"}
    store(index, unit("u3", "x", speaker="Bo"))
    assert index.words.speakers() == {"지수", "Ann", "Bo"}


def test_both_fields_are_asked(index: Both) -> None:
    store(index, unit("u1", "블로커를 풀었다", around="배포 서버"), unit("u2", "배포했다", around="블로커"), unit("u3", "x"))
    hits = index.lexical_search("블로커", 10)
    assert [hit.unit_id for hit in hits.own] == ["u1"]
    assert [hit.unit_id for hit in hits.context] == ["u1", "u2"]
    assert hits.context[1].own_text == "배포 포했 했다"
    assert [hit.unit_id for hit in index.lexical_search("배포", 1).context] == ["u2"]


def test_a_crossed_word_weighs_what_it_is_said_to_weigh(index: Both) -> None:
    """Beside 1 of a word of the question, in both fields; the score of what only the question's words find stays as it was."""
    store(index, unit("u1", "거북이"), unit("u2", "turtle"), unit("u3", "nothing"))

    def scores(weight: float) -> list[dict[str, float]]:
        hits = index.words.lexical_search("거북이", 10, crossed=[("turtle", weight)])
        return [{hit.unit_id: hit.score for hit in field} for field in (hits.own, hits.context)]

    alone = index.words.lexical_search("거북이", 10)
    for whole, half, none, own in zip(scores(1.0), scores(0.5), scores(0.0), (alone.own, alone.context), strict=True):
        assert whole.keys() == half.keys() == {"u1", "u2"} and none.keys() == {"u1"}
        assert half["u2"] == pytest.approx(whole["u2"] / 2, abs=1e-3)
        assert whole["u1"] == half["u1"] == none["u1"] == pytest.approx(own[0].score, abs=1e-3)


@pytest.mark.parametrize(
    "query",
    ["", " ", "!!!", "AND OR NOT (", '"unclosed', "a:b^2~", "'; DROP TABLE units; --", "\ud800", "\x00", "word " * 20_000],
)
def test_no_question_breaks_the_search(index: Both, query: str) -> None:
    store(index, unit("u1", "로그"))
    assert index.lexical_search(query, 10) == NOTHING
    assert index.lexical_search("로그", 0) == NOTHING
    assert index.lexical_search("로그", 10, UnitFilter(project="\ud800")) == NOTHING


def test_a_unit_that_cannot_be_stored_is_refused_and_nothing_is_written(index: Both) -> None:
    store(index, unit("u1", "로그"))
    bad_facet, naive = unit("u2", "x", facets=("tag:\ud800",)), unit("u2", "x", occurred_at=datetime(2026, 1, 1))
    for bad in (unit("u2", "x", project="\ud800"), unit("u3", "x", status="\ud800"), bad_facet, naive):
        with pytest.raises(UnitRejectedError):
            store(index, unit("u4", "ok"), bad)
    fingerprint = HashingEmbedder(DIMENSIONS).fingerprint
    for vector in (np.full((1, DIMENSIONS), np.nan), np.zeros((1, DIMENSIONS)), np.ones((1, 3)), np.ones((2, DIMENSIONS))):
        with pytest.raises(UnitRejectedError):
            index.vectors.upsert([unit("u5", "x")], vector.astype(np.float32), fingerprint)
    assert index.count() == 1


def test_vectors_of_another_recipe_are_refused(index: Both) -> None:
    store(index, unit("u1", "로그"))
    vectors = HashingEmbedder(DIMENSIONS).embed_documents(["x"])
    for handle in (index.vectors, index.again().vectors):
        with pytest.raises(FingerprintMismatchError) as caught:
            handle.upsert([unit("u2", "x")], vectors, "another")
        assert caught.value.hint
        with pytest.raises(FingerprintMismatchError):
            handle.vector_search(vectors[0], 3, fingerprint="another")
    assert index.vector_search(vectors[0], 3, fingerprint=HashingEmbedder(DIMENSIONS).fingerprint)
    assert index.count() == 1


def test_a_vector_of_another_length_is_no_question(index: Both) -> None:
    store(index, unit("u1", "로그"))
    unknown_length = VectorIndex(index.folder, "hashing-32-1", lambda: 16)
    with pytest.raises(IndexCorruptError, match="32 dimensions, not of 16") as caught:
        unknown_length.vector_search(HashingEmbedder(16).embed_query("로그"), 3)
    assert "memory rebuild --with-vectors" in caught.value.hint


def test_vectors_are_handed_out_by_text(index: Both) -> None:
    store(index, unit("u1", "로그"), unit("u2", "other"))
    one = unit("u9", "로그", project="another").embed_hash
    vectors = index.vectors.vectors_by_text([one, "unknown", "' OR 1=1 --"])
    assert vectors.keys() == {one}
    assert np.allclose(vectors[one], HashingEmbedder(DIMENSIONS).embed_query("로그"))
    assert len(index.vectors.vectors_by_text([one, *(f"h{n}" for n in range(2500))])) == 1


def test_an_open_reader_sees_what_another_handle_writes(index: Both) -> None:
    reader = index.again()
    store(index, unit("u1", "로그"))
    assert found(reader, "로그") == ["u1"]
    store(index, unit("u2", "로그"))
    assert set(found(reader, "로그")) == {"u1", "u2"}
    index.optimize()
    index.delete(["u1"])
    assert found(reader, "로그") == ["u2"]


def test_each_embedding_version_has_a_table_of_its_own(index: Both) -> None:
    other = Both(index.folder, "hashing-16-1", 16)
    store(index, unit("u1", "로그"))
    store(other, unit("u2", "로그"))
    assert [one.rows(["unit_id"])["unit_id"].to_pylist() for one in (index.vectors, other.vectors)] == [["u1"], ["u2"]]
    assert (index.folder / "vectors_hashing-32-1.lance").is_dir()
    # Words are of no model.
    assert set(found(index, "로그")) == set(found(other, "로그")) == {"u1", "u2"}


@pytest.mark.parametrize("version", ["", "../x", "a/b", "A", "a b", "x" * 101, "a..b"])
def test_a_version_is_a_name(tmp_path: Path, version: str) -> None:
    with pytest.raises(InvalidArgumentError):
        VectorIndex(tmp_path, version, DIMENSIONS)


def test_a_table_of_other_columns_is_corrupt(index: Both) -> None:
    store(index, unit("u1", "로그"))
    with pytest.raises(IndexCorruptError, match="layout"):
        VectorIndex(index.folder, "hashing-32-1", 8).count()


@pytest.mark.parametrize("which", [0, 1])
def test_a_table_that_an_older_version_wrote_is_corrupt(index: Both, which: int) -> None:
    from memory_assets.vectors.library import lancedb

    name = index.tables[which].table_name
    schema = (word_schema(), vector_schema(DIMENSIONS))[which]
    for older, problem in ((schema.remove_metadata(), "layout 1"), (schema.remove(schema.get_field_index("hit")), "hit")):
        lancedb().connect(index.folder).create_table(name, schema=older, mode="overwrite")
        fresh = (WordIndex(index.folder), VectorIndex(index.folder, "hashing-32-1", lambda: DIMENSIONS))[which]
        with pytest.raises(IndexCorruptError, match=problem) as caught:
            fresh.count()
        assert "memory rebuild --with-vectors" in caught.value.hint
        assert "layout" in fresh.problems()[0]


def test_a_file_in_the_place_of_the_folder_is_an_error_with_a_name(tmp_path: Path) -> None:
    (tmp_path / "vectors").write_text("not a folder")
    index = Both(tmp_path / "vectors")
    assert index.lexical_search("로그", 10) == NOTHING
    with pytest.raises(IndexWriteError, match="vectors_hashing-32-1"):
        store(index, unit("u1", "로그"))
    with pytest.raises(IndexWriteError, match="words"):
        index.words.upsert([unit("u1", "로그")])


def test_dropping_leaves_no_text_behind(index: Both) -> None:
    store(index, unit("u1", "secretword"), unit("u2", "other"))
    index.delete(["u1"])
    index.drop()
    store(index, unit("u2", "other"))
    files = [path.read_bytes() for path in index.folder.rglob("*") if path.is_file()]
    assert any(b"other" in content for content in files)
    assert not any(b"secretword" in content for content in files)


def test_maintenance_waits_for_growth_and_settling_does_not(index: Both) -> None:
    store(index, *(unit(f"u{n}", f"text {n}") for n in range(400)))
    assert index.maintain() is False
    store(index, *(unit(f"v{n}", f"text {n}") for n in range(400)))
    assert index.maintain() is True
    assert index.maintain() is False
    assert set(found(index, "399", 10)) == {"u399", "v399"}
    store(index, unit("w0", "text"))
    assert index.maintain() is False
    assert index.settle() is True
    assert index.settle() is False
    assert index.problems() == []


@pytest.mark.slow
def test_the_cost_of_a_batch_does_not_grow_with_the_table(index: Both) -> None:
    costs = []
    for batch in range(62):
        units = [unit(f"u{batch}-{n}", f"text {batch} {n} 로그를 지우고 배포했다") for n in range(700)]
        start = time.process_time()
        store(index, *units)
        index.maintain()
        costs.append(time.process_time() - start)
    assert index.count() == 62 * 700
    early, late = sum(costs[1:31]), sum(costs[31:61])
    print(f"{sum(costs) / (62 * 700) * 1000:.3f} ms a row; second half / first half = {late / early:.2f}")
    assert late / early < 1.5


@pytest.mark.long
@pytest.mark.parametrize("which", [0, 1])
def test_a_file_in_the_place_of_the_table_is_named_and_goes_with_it(index: Both, which: int) -> None:
    table = index.tables[which]
    index.folder.mkdir()
    (index.folder / f"{table.table_name}.lance").write_text("not a folder")
    assert table.exists()
    with pytest.raises(IndexCorruptError, match=table.table_name) as caught:
        table.rows()
    assert "memory rebuild --with-vectors" in caught.value.hint and table.problems()
    table.drop()
    store(index, unit("u1", "로그"))
    assert found(index, "로그") == ["u1"]


@pytest.mark.parametrize("which", [0, 1])
def test_a_table_whose_making_was_killed_is_made_by_the_next(index: Both, which: int) -> None:
    # What LanceDB has written before there is a first version.
    begun = index.folder / f"{index.tables[which].table_name}.lance" / "_transactions"
    begun.mkdir(parents=True)
    (begun / "0-ace38f7f-fb42-4743-a610-ce51e5e6f4c9.txn").write_bytes(b"\x08\x00")
    assert index.lexical_search("로그", 10) == NOTHING
    store(index, unit("u1", "로그"))
    assert found(index, "로그") == ["u1"] and index.problems() == []


def test_tables_whose_indexes_were_never_made_get_them(index: Both) -> None:
    index.folder.mkdir()
    for table, schema in zip(index.tables, (word_schema(), vector_schema(DIMENSIONS)), strict=True):
        table.connect().create_table(table.table_name, schema=marked(schema))
    fresh = index.again()
    store(fresh, unit("u1", "로그"))
    assert [table.settle() for table in fresh.tables] == [True, True]
    assert fresh.problems() == [] and found(fresh, "로그") == ["u1"]
    assert fresh.settle() is False


def test_an_open_reader_notices_a_table_that_was_made_anew(index: Both) -> None:
    embedder = HashingEmbedder(DIMENSIONS)
    vector = embedder.embed_query("word1")
    store(index, unit("u1", "word1", speaker="Ann"))
    assert index.words.speakers() == {"Ann"}
    assert len(index.vector_search(vector, 1, fingerprint=embedder.fingerprint)) == 1
    other = index.again()
    other.drop()
    assert index.vector_search(vector, 1, fingerprint=embedder.fingerprint) == []
    store(other, unit("u2", "word1", speaker="Bob"))
    assert index.words.speakers() == {"Bob"}
    assert [hit.unit_id for hit in index.vector_search(vector, 1, fingerprint=embedder.fingerprint)] == ["u2"]
