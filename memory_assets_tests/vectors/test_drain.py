from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from memory_assets.vectors.drain import drain
from memory_assets.vectors.embedder import Embedder, HashingEmbedder
from memory_assets.vectors.errors import EmbedderUnavailableError, FingerprintMismatchError, IndexCorruptError
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.units import DeleteJob, OutboxJob, UpsertJob
from memory_assets_tests.vectors.units import found, unit

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


def ids(jobs: Sequence[OutboxJob]) -> set[str]:
    return {job.job_id for job in jobs}


def test_jobs_are_done_and_found(index: VectorIndex) -> None:
    report = drain(upserts("로그", "값", "로그"), HashingEmbedder(DIMENSIONS), index)
    assert ids(report.done) == {"job-0", "job-1", "job-2"}
    assert report.failed == ()
    assert (report.embedded, report.reused) == (2, 1)
    assert set(found(index, "로그")) == {"u0", "u2"}


def test_the_same_jobs_again_embed_nothing(index: VectorIndex) -> None:
    embedder = PoisonedEmbedder()
    jobs = upserts(*(f"text {n}" for n in range(100)))
    drain(jobs, embedder, index)
    calls, before = embedder.calls, index.rows(["unit_id", "vector"]).sort_by("unit_id")
    report = drain(jobs, embedder, index)
    assert (report.embedded, report.reused, embedder.calls) == (0, 100, calls)
    assert index.rows(["unit_id", "vector"]).sort_by("unit_id").equals(before)


def test_a_poison_item_fails_alone(index: VectorIndex) -> None:
    jobs = upserts(*(f"text {n}" for n in range(60)), "poison", "not a number", *(f"more {n}" for n in range(60)))
    jobs.append(UpsertJob("job-bad", unit("bad", "fine", project="\ud800")))
    embedder = PoisonedEmbedder()
    report = drain(jobs, embedder, index, batch_size=50)
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
    assert found(index, "둘째") == ["u1"]
    assert drain([DeleteJob("d1", "u1"), UpsertJob("c1", unit("u1", "넷째"))], embedder, index).embedded == 1
    assert found(index, "넷째") == ["u1"]


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
