"""The outbox's jobs carried out: words written, texts embedded and their vectors written, rows deleted.

A function of the jobs it is given. What was done and what failed goes back as a value; the caller records it in its outbox.
Carrying out the same jobs again changes nothing, so a crash between the index and the record costs time only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from memory_assets.errors import MemoryAssetsError
from memory_assets.vectors.embedder import Embedder
from memory_assets.vectors.errors import EmbedderUnavailableError, UnitRejectedError, cause_line
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.shared import SharedVectors
from memory_assets.vectors.table import UnitTable, slices
from memory_assets.vectors.units import DeleteJob, OutboxJob, Unit, UpsertJob
from memory_assets.vectors.words import WordIndex

if TYPE_CHECKING:
    from memory_assets.vectors.embedder import Vectors

BATCH_SIZE = 256
"""Texts embedded and committed at once: some seconds of work of a slow model, which is what an interruption costs at most."""
_MODEL_SECONDS = 2.0
_MOST_TEXTS = 4_096
"""A model that is faster is given as many as it takes so long for, up to so many."""

_HARMLESS = "a harmless sentence"

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class DrainReport:
    """What became of the jobs: each is in ``done`` or in ``failed``, but for those that were left where it was stopped.

    Attributes:
        failed: each with its reason, one line.
        embedded: texts that went through the model.
        reused: units whose vector was there already: in the index, in the same batch, or made by another machine.
        embedding_seconds: how long the model took.
    """

    done: tuple[OutboxJob, ...]
    failed: tuple[tuple[OutboxJob, str], ...]
    embedded: int = 0
    reused: int = 0
    embedding_seconds: float = 0.0


@dataclass(slots=True)
class _Progress:
    done: list[OutboxJob] = field(default_factory=list)
    failed: list[tuple[OutboxJob, str]] = field(default_factory=list)
    embedded: int = 0
    reused: int = 0
    embedding_seconds: float = 0.0


class Pace:
    """How many texts a model is given at once: as long ones as it takes two seconds for, by what it took last, and never more
    than twice as many as then; at first the least.

    Args:
        least: so many whatever they take.
    """

    def __init__(self, least: int = BATCH_SIZE, most: int = _MOST_TEXTS) -> None:
        self._least, self._most = least, most
        self._last, self._characters = 0, 0

    def of(self, jobs: Sequence[UpsertJob]) -> int:
        """How many of these are next, in their order."""
        most = min(len(jobs), max(self._least, min(self._most, 2 * self._last)))
        count = total = 0
        while count < most and (count < self._least or total <= self._characters):
            total += _length(jobs[count].unit.embed_text)
            count += 1
        return count

    def took(self, texts: Sequence[str], seconds: float) -> None:
        """These were embedded in so long."""
        self._last = len(texts)
        self._characters = int(sum(map(_length, texts)) * _MODEL_SECONDS / max(seconds, 1e-6))


def _length(text: str) -> int:
    """Characters of a text that cost a model something."""
    return min(max(len(text), 16), 2_000)


def drain(
    jobs: Iterable[OutboxJob],
    embedder: Embedder,
    index: VectorIndex,
    *,
    shared: SharedVectors | None = None,
    pace: Pace | None = None,
    go_on: Callable[[], bool] = lambda: True,
) -> DrainReport:
    """Carry out jobs; of several jobs for one unit only the last is, and all of them count as done.

    First those whose vectors are there, then the others in batches, each written before the next is embedded. A unit that
    cannot be embedded or stored fails alone, whatever it makes the model raise. Where the model or the index itself is at
    fault the error is raised, for no other job would fare better; what was written before stays written.

    Args:
        shared: where texts are looked for that other machines embedded, and where those of this one are given.
        pace: kept from one call to the next by who calls often.
        go_on: asked behind each batch; what is left is in no report.

    Raises:
        EmbedderUnavailableError, IndexCorruptError, IndexWriteError, FingerprintMismatchError: see there.
    """
    pace = pace or Pace()
    by_unit = _by_unit(jobs)
    progress = _Progress()
    upserts = _take_out(by_unit, index, progress)
    known = _known(upserts, embedder, index, shared)
    having = [job for job in upserts if job.unit.embed_hash in known]
    _write(having, known, embedder.fingerprint, index, progress)
    progress.reused += len(having)
    waiting = [job for job in upserts if job.unit.embed_hash not in known]
    while waiting:
        hashes = {job.unit.embed_hash for job in waiting[: pace.of(waiting)]}
        batch = [job for job in waiting if job.unit.embed_hash in hashes]  # a text is embedded once, wherever it stands
        waiting = [job for job in waiting if job.unit.embed_hash not in hashes]
        _drain_batch(batch, embedder, index, shared, progress, pace)
        if not go_on():
            break
    left = {job.unit_id for job in waiting}
    return _reported({unit_id: jobs for unit_id, jobs in by_unit.items() if unit_id not in left}, index, progress)


def _known(
    jobs: Sequence[UpsertJob], embedder: Embedder, index: VectorIndex, shared: SharedVectors | None
) -> dict[str, Vectors]:
    """The vectors that are there: in the index, or made by another machine."""
    known = index.vectors_by_text(list({job.unit.embed_hash for job in jobs}))
    elsewhere = list({job.unit.embed_hash for job in jobs} - known.keys())
    if shared is not None:
        for some in slices(elsewhere, _MOST_TEXTS):
            known |= shared.of_texts(some, embedder.fingerprint, index.dimensions)
    return known


def carry_over(jobs: Iterable[OutboxJob], index: VectorIndex) -> DrainReport:
    """What needs no model: rows that go, and units whose text has a vector in the index. The other jobs are in no report.

    Raises:
        IndexCorruptError, IndexWriteError: see there.
    """
    by_unit = _by_unit(jobs)
    progress = _Progress()
    upserts = _take_out(by_unit, index, progress)
    known = index.vectors_by_text(list({job.unit.embed_hash for job in upserts}))
    having = [job for job in upserts if job.unit.embed_hash in known]
    if having and (fingerprint := index.fingerprint()) is not None:
        _write(having, known, fingerprint, index, progress)
        progress.reused = len(having)
    done = {job.unit_id for job in progress.done} | {job.unit_id for job, _ in progress.failed}
    return _reported({unit_id: jobs for unit_id, jobs in by_unit.items() if unit_id in done}, index, progress)


def write_words(jobs: Iterable[OutboxJob], words: WordIndex) -> DrainReport:
    """Carry out jobs of the table of words; of several jobs for one unit only the last is, and all of them count as done.

    Raises:
        IndexCorruptError, IndexWriteError: see there.
    """
    by_unit = _by_unit(jobs)
    progress = _Progress()
    upserts = _take_out(by_unit, words, progress)

    def write(some: Sequence[UpsertJob]) -> None:
        words.upsert([job.unit for job in some])
        progress.done.extend(some)

    _halving(upserts, write, lambda job, reason: progress.failed.append((job, reason)))
    return _reported(by_unit, words, progress)


def _by_unit(jobs: Iterable[OutboxJob]) -> dict[str, list[OutboxJob]]:
    by_unit: dict[str, list[OutboxJob]] = {}
    for job in jobs:
        by_unit.setdefault(job.unit_id, []).append(job)
    return by_unit


def _take_out(by_unit: dict[str, list[OutboxJob]], table: UnitTable, progress: _Progress) -> list[UpsertJob]:
    """Delete what the last job of its unit says; the jobs that are left."""
    deletes = [last for *_, last in by_unit.values() if isinstance(last, DeleteJob)]
    if deletes:
        table.delete([job.unit_id for job in deletes])
        progress.done.extend(deletes)
    return [last for *_, last in by_unit.values() if isinstance(last, UpsertJob)]


def _reported(by_unit: dict[str, list[OutboxJob]], table: UnitTable, progress: _Progress) -> DrainReport:
    if by_unit:
        table.maintain()
    overtaken: list[OutboxJob] = [job for *earlier, _ in by_unit.values() for job in earlier]
    return DrainReport(
        (*progress.done, *overtaken),
        tuple(progress.failed),
        progress.embedded,
        progress.reused,
        progress.embedding_seconds,
    )


def _drain_batch(
    jobs: Sequence[UpsertJob],
    embedder: Embedder,
    index: VectorIndex,
    shared: SharedVectors | None,
    progress: _Progress,
    pace: Pace,
) -> None:
    """Embed texts that have no vector, each once, and write them."""
    # The model's own batches hold texts of one length then.
    by_length = sorted(jobs, key=lambda job: (-len(job.unit.embed_text), job.job_id))
    texts = {job.unit.embed_hash: job.unit.embed_text for job in by_length}
    progress.reused += len(jobs) - len(texts)

    unembeddable: dict[str, str] = {}
    made: dict[str, Vectors] = {}

    def embed(hashes: Sequence[str]) -> None:
        started = time.perf_counter()
        vectors = embedder.embed_many([texts[embed_hash] for embed_hash in hashes])
        progress.embedding_seconds += time.perf_counter() - started
        made.update(zip(hashes, vectors, strict=True))
        progress.embedded += len(hashes)

    try:
        started = time.perf_counter()
        embed(list(texts))
        pace.took(list(texts.values()), time.perf_counter() - started)
    except BaseException as error:
        if not _is_of_an_item(error):
            raise
        see_that_it_works(embedder)
        _halving(list(texts), embed, lambda embed_hash, reason: unembeddable.update({embed_hash: reason}))
    progress.failed.extend((job, unembeddable[job.unit.embed_hash]) for job in jobs if job.unit.embed_hash in unembeddable)
    writable = [job for job in jobs if job.unit.embed_hash not in unembeddable]
    _write(writable, made, embedder.fingerprint, index, progress)
    if shared is not None:
        shared.share(made, embedder.fingerprint)


def _write(
    jobs: Sequence[UpsertJob], vectors: Mapping[str, Vectors], fingerprint: str, index: VectorIndex, progress: _Progress
) -> None:
    def write(some: Sequence[UpsertJob]) -> None:
        units: list[Unit] = [job.unit for job in some]
        index.upsert(units, _stacked([vectors[unit.embed_hash] for unit in units]), fingerprint)
        progress.done.extend(some)

    _halving(jobs, write, lambda job, reason: progress.failed.append((job, reason)))


def _halving(items: Sequence[_Item], act: Callable[[Sequence[_Item]], None], fail: Callable[[_Item, str], None]) -> None:
    """Act on all items at once; where that fails, on each half, down to the item that is at fault."""
    if not items:
        return
    try:
        act(items)
    except BaseException as error:
        if not _is_of_an_item(error):
            raise
        if len(items) == 1:
            fail(items[0], cause_line(error))
            return
        middle = len(items) // 2
        _halving(items[:middle], act, fail)
        _halving(items[middle:], act, fail)


def _is_of_an_item(error: BaseException) -> bool:
    """Errors of ours say whose fault it is. A panic of a tokenizer's native code is no `Exception`."""
    if isinstance(error, MemoryAssetsError):
        return isinstance(error, UnitRejectedError)
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"


def see_that_it_works(embedder: Embedder) -> None:
    """A model that fails on everything would use up the attempts of every unit, one by one.

    Raises:
        EmbedderUnavailableError: it cannot be loaded, or cannot embed a plain sentence.
    """
    try:
        embedder.embed_documents([_HARMLESS])
    except BaseException as error:
        if not _is_of_an_item(error):
            raise
        raise EmbedderUnavailableError(
            f"the embedding model {embedder.model_id} fails on every text: {cause_line(error)}",
            hint="Check the model, or set embedding.model to another; what waits to be embedded stays queued.",
        ) from error


def _stacked(vectors: Sequence[Vectors]) -> Vectors:
    import numpy as np

    return np.stack(vectors)
