from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory_assets.vectors.drain import Pace, carry_over, drain, write_words
from memory_assets.vectors.embedder import Embedder, HashingEmbedder
from memory_assets.vectors.errors import EmbedderUnavailableError, FingerprintMismatchError, IndexCorruptError
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.units import DeleteJob, OutboxJob, UpsertJob
from memory_assets.vectors.words import WordIndex
from memory_assets_tests.vectors.units import unit

DIMENSIONS = 32


class PoisonedEmbedder(HashingEmbedder):
    """A model that fails on some texts, and counts its calls."""

    def __init__(self) -> None:
        super().__init__(DIMENSIONS)
        self.calls = 0

    def embed_documents(self, texts: Sequence[str]):  # type: ignore[no-untyped-def]
        self.calls += 1
        if any("poison" in text for text in texts):
            raise RuntimeError("the model choked\non a text")
        vectors = super().embed_documents(texts)
        for row, text in zip(vectors, texts, strict=True):
            if "not a number" in text:
                row[:] = np.nan
        return vectors


class AbsentEmbedder(HashingEmbedder):
    def embed_documents(self, texts: Sequence[str]):  # type: ignore[no-untyped-def]
        raise EmbedderUnavailableError("no model")


@pytest.fixture
def index(tmp_path: Path) -> VectorIndex:
    return VectorIndex(tmp_path / "vectors", "hashing-32-1", DIMENSIONS)


def upserts(*texts: str) -> list[OutboxJob]:
    return [UpsertJob(f"job-{n}", unit(f"u{n}", text)) for n, text in enumerate(texts)]


def hash_of(index: VectorIndex, unit_id: str) -> str:
    return dict(zip(*index.rows().to_pydict().values(), strict=True))[unit_id]


def ids(jobs: Sequence[OutboxJob]) -> set[str]:
    return {job.job_id for job in jobs}


def test_jobs_are_done_and_found(index: VectorIndex) -> None:
    report = drain(upserts("로그", "값", "로그"), HashingEmbedder(DIMENSIONS), index)
    assert ids(report.done) == {"job-0", "job-1", "job-2"}
    assert report.failed == ()
    assert (report.embedded, report.reused) == (2, 1)
    assert index.count() == 3


def test_the_same_jobs_again_embed_nothing(index: VectorIndex) -> None:
    embedder = PoisonedEmbedder()
    jobs = upserts(*(f"text {n}" for n in range(100)))
    drain(jobs, embedder, index)
    calls, before = embedder.calls, index.rows(["unit_id", "vector"]).sort_by("unit_id")
    report = drain(jobs, embedder, index)
    assert (report.embedded, report.reused, embedder.calls) == (0, 100, calls)
    assert index.rows(["unit_id", "vector"]).sort_by("unit_id").equals(before)


class Kept:
    """What machines share, in one process."""

    def __init__(self) -> None:
        self.vectors: dict[tuple[str, str], Any] = {}

    def of_texts(self, embed_hashes: Sequence[str], fingerprint: str, dimensions: int) -> dict[str, Any]:
        return {one: self.vectors[fingerprint, one] for one in embed_hashes if (fingerprint, one) in self.vectors}

    def share(self, vectors: Mapping[str, Any], fingerprint: str) -> None:
        self.vectors |= {(fingerprint, one): vector for one, vector in vectors.items()}


def test_what_another_machine_embedded_is_not_embedded_again(tmp_path: Path, index: VectorIndex) -> None:
    shared, embedder = Kept(), PoisonedEmbedder()
    other = VectorIndex(tmp_path / "other", "hashing-32-1", DIMENSIONS)
    drain(upserts("log", "value"), embedder, other, shared=shared)
    assert len(shared.vectors) == 2
    report = drain(upserts("log", "value", "new", "poison"), embedder, index, shared=shared)
    assert (len(report.done), report.embedded, report.reused) == (3, 1, 2)
    assert [job.job_id for job, _ in report.failed] == ["job-3"] and len(shared.vectors) == 3
    made = other.vectors_by_text([one for _, one in shared.vectors])
    assert all((index.vectors_by_text([one])[one] == vector).all() for one, vector in made.items()) and len(made) == 2


def test_a_poison_item_fails_alone(index: VectorIndex) -> None:
    jobs = upserts(*(f"text {n}" for n in range(60)), "poison", "not a number", *(f"more {n}" for n in range(60)))
    jobs.append(UpsertJob("job-bad", unit("bad", "fine", project="\ud800")))
    embedder = PoisonedEmbedder()
    report = drain(jobs, embedder, index, pace=Pace(50, 50))
    assert {job.job_id: reason.split(":")[0] for job, reason in report.failed} == {
        "job-60": "RuntimeError",
        "job-61": "UnitRejectedError",
        "job-bad": "UnitRejectedError",
    }
    assert all("\n" not in reason for _, reason in report.failed)
    assert len(report.done) == index.count() == 120
    assert embedder.calls < 30


def test_a_poison_item_fails_again_and_recovers_when_it_is_mended(index: VectorIndex) -> None:
    jobs = upserts("poison", "fine")
    assert [job.job_id for job, _ in drain(jobs, PoisonedEmbedder(), index).failed] == ["job-0"]
    assert drain(jobs, HashingEmbedder(DIMENSIONS), index).failed == ()
    assert index.count() == 2


def test_deletes_and_the_last_job_of_a_unit(index: VectorIndex) -> None:
    embedder = HashingEmbedder(DIMENSIONS)
    drain(upserts("로그", "값", "키"), embedder, index)
    jobs: list[OutboxJob] = [
        DeleteJob("d0", "u0"),
        UpsertJob("a1", unit("u1", "첫째")),
        UpsertJob("b1", unit("u1", "둘째")),
        UpsertJob("a2", unit("u2", "셋째")),
        DeleteJob("d2", "u2"),
        DeleteJob("d9", "never there"),
    ]
    report = drain(jobs, embedder, index)
    assert ids(report.done) == {"d0", "a1", "b1", "a2", "d2", "d9"}
    assert report.embedded == 1
    assert index.rows(["unit_id"]).to_pylist() == [{"unit_id": "u1"}]
    assert hash_of(index, "u1") == unit("u1", "둘째").content_hash
    assert drain([DeleteJob("d1", "u1"), UpsertJob("c1", unit("u1", "넷째"))], embedder, index).embedded == 1
    assert hash_of(index, "u1") == unit("u1", "넷째").content_hash


def test_no_jobs(index: VectorIndex) -> None:
    assert drain([], HashingEmbedder(DIMENSIONS), index).done == ()
    assert not index.folder.exists()


@pytest.mark.parametrize(
    ("embedder", "error"),
    [
        (AbsentEmbedder(DIMENSIONS), EmbedderUnavailableError),
        (HashingEmbedder(DIMENSIONS, max_chars=5), FingerprintMismatchError),
    ],
)
def test_what_is_no_items_fault_is_raised(index: VectorIndex, embedder: Embedder, error: type[Exception]) -> None:
    drain(upserts("로그"), HashingEmbedder(DIMENSIONS), index)
    with pytest.raises(error):
        drain([UpsertJob("new", unit("new", "새 글"))], embedder, index)
    assert index.count() == 1


def test_a_corrupt_index_fails_no_item(index: VectorIndex) -> None:
    drain(upserts("로그"), HashingEmbedder(DIMENSIONS), index)
    for manifest in (index.folder / f"{index.table_name}.lance" / "_versions").iterdir():
        manifest.write_bytes(b"garbage")
    with pytest.raises(IndexCorruptError):
        drain(upserts("로그"), HashingEmbedder(DIMENSIONS), VectorIndex(index.folder, "hashing-32-1", DIMENSIONS))


def test_what_has_its_vector_needs_no_model(index: VectorIndex) -> None:
    embedder = HashingEmbedder(DIMENSIONS)
    drain(upserts("로그", "값"), embedder, index)
    moved = UpsertJob("moved", unit("u0", "로그", stage="verified"))
    unknown = UpsertJob("unknown", unit("u3", "nobody embedded this"))
    report = carry_over([moved, unknown, DeleteJob("gone", "u1")], index)
    assert ids(report.done) == {"moved", "gone"} and report.reused == 1 and report.failed == ()
    assert index.rows().to_pylist() == [{"unit_id": "u0", "content_hash": moved.unit.content_hash}]
    # Nothing is known without a table.
    assert carry_over([unknown], VectorIndex(index.folder, "other-1", DIMENSIONS)).done == ()


def test_words_are_written_without_an_embedder_and_a_poisoned_unit_fails_alone(tmp_path: Path) -> None:
    words = WordIndex(tmp_path)
    jobs = [*upserts(*(f"text {n} 로그" for n in range(30))), UpsertJob("job-bad", unit("bad", "fine", project="\ud800"))]
    report = write_words(jobs, words)
    assert [job.job_id for job, _ in report.failed] == ["job-bad"] and len(report.done) == words.count() == 30
    assert len(words.lexical_search("로그", 50).own) == 30
    again: list[OutboxJob] = [
        UpsertJob("first", unit("u0", "첫째")),
        UpsertJob("last", unit("u0", "둘째")),
        DeleteJob("d", "u1"),
    ]
    assert ids(write_words(again, words).done) == {"first", "last", "d"}
    assert words.count() == 29 and [hit.unit_id for hit in words.lexical_search("둘째", 5).own] == ["u0"]


def test_a_slow_model_is_given_few_texts_and_a_quick_one_many() -> None:
    short = [UpsertJob(f"s{n}", unit(f"s{n}", "ok")) for n in range(5_000)]
    long = [UpsertJob(f"l{n}", unit(f"l{n}", "a word " * 200)) for n in range(5_000)]
    pace = Pace(256)
    assert pace.of(short) == pace.of(long) == 256
    pace.took(["ok"] * 256, 8.0)
    assert pace.of(short) == 256
    # At most twice as many each time, and of long texts no more than the short ones took.
    pace.took(["ok"] * 256, 0.1)
    assert pace.of(short) == 512 and pace.of(long) == 256
    pace.took(["a word " * 200] * 4_000, 1.0)
    assert pace.of(short) == pace.of(long) == 4_096
    assert pace.of(short[:3]) == 3


def test_what_is_left_where_it_is_stopped_is_in_no_report(index: VectorIndex) -> None:
    embedder = HashingEmbedder(DIMENSIONS)
    jobs = [UpsertJob(f"j{n}", unit(f"u{n}", f"text number {n}")) for n in range(10)]
    asked: list[int] = []

    def once() -> bool:
        asked.append(1)
        return len(asked) <= 1

    report = drain(jobs, embedder, index, pace=Pace(3, 3), go_on=once)
    assert len(report.done) == index.count() == 6 and report.failed == () and report.embedded == 6
    # What has its vector by now is written without the model; where it is stopped at once a batch is done all the same.
    again = drain(jobs, embedder, index, pace=Pace(3, 3), go_on=lambda: False)
    assert (len(again.done), again.reused, again.embedded) == (9, 6, 3)


def test_a_text_that_many_say_is_embedded_once(index: VectorIndex) -> None:
    jobs = [UpsertJob(f"j{n}", unit(f"u{n}", "go on" if n % 2 else f"text number {n}")) for n in range(10)]
    report = drain(jobs, HashingEmbedder(DIMENSIONS), index, pace=Pace(3, 3))
    assert (report.embedded, report.reused, len(report.done)) == (6, 4, 10)
