"""The outbox's jobs carried out: embed what is new, write, delete (requirements G-112 to G-114).

A function of the jobs it is given. What was done and what failed goes back as a value; the caller records it in its outbox.
Carrying out the same jobs again changes nothing, so a crash between the index and the record costs time only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from memory_assets.errors import MemoryAssetsError
from memory_assets.vectors.embedder import Embedder
from memory_assets.vectors.errors import UnitRejectedError, cause_line
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.units import DeleteJob, OutboxJob, Unit, UpsertJob

if TYPE_CHECKING:
    from memory_assets.vectors.embedder import Vectors

BATCH_SIZE = 512

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class DrainReport:
    """What became of the jobs: each is in ``done`` or in ``failed``.

    Attributes:
        failed: each with its reason, one line.
        embedded: texts that went through the model.
        reused: units whose vector was there already, in the index or in the same batch.
    """

    done: tuple[OutboxJob, ...]
    failed: tuple[tuple[OutboxJob, str], ...]
    embedded: int = 0
    reused: int = 0


@dataclass(slots=True)
class _Progress:
    done: list[OutboxJob] = field(default_factory=list)
    failed: list[tuple[OutboxJob, str]] = field(default_factory=list)
    embedded: int = 0
    reused: int = 0


def drain(jobs: Iterable[OutboxJob], embedder: Embedder, index: VectorIndex, *, batch_size: int = BATCH_SIZE) -> DrainReport:
    """Carry out jobs, in batches; of several jobs for one unit only the last is, and all of them count as done.

    A unit that cannot be embedded or stored fails alone. Where the model or the index itself is at fault the error is
    raised, for no other job would fare better; what was written before stays written.

    Raises:
        EmbedderUnavailableError, IndexCorruptError, IndexWriteError, FingerprintMismatchError: see there.
    """
    by_unit: dict[str, list[OutboxJob]] = {}
    for job in jobs:
        by_unit.setdefault(job.unit_id, []).append(job)
    upserts = [last for *_, last in by_unit.values() if isinstance(last, UpsertJob)]
    deletes = [last for *_, last in by_unit.values() if isinstance(last, DeleteJob)]

    progress = _Progress()
    if deletes:
        index.delete([job.unit_id for job in deletes])
        progress.done.extend(deletes)
    for start in range(0, len(upserts), batch_size):
        _drain_batch(upserts[start : start + batch_size], embedder, index, progress)
    if by_unit:
        index.maintain()

    overtaken: list[OutboxJob] = [job for *earlier, _ in by_unit.values() for job in earlier]
    return DrainReport((*progress.done, *overtaken), tuple(progress.failed), progress.embedded, progress.reused)


def _drain_batch(jobs: Sequence[UpsertJob], embedder: Embedder, index: VectorIndex, progress: _Progress) -> None:
    known = index.vectors_by_content(list({job.unit.content_hash for job in jobs}))
    texts = {job.unit.content_hash: job.unit.embed_text for job in jobs if job.unit.content_hash not in known}
    progress.reused += len(jobs) - len(texts)

    unembeddable: dict[str, str] = {}

    def embed(hashes: Sequence[str]) -> None:
        vectors = embedder.embed_documents([texts[content_hash] for content_hash in hashes])
        known.update(zip(hashes, vectors, strict=True))
        progress.embedded += len(hashes)

    def write(some: Sequence[UpsertJob]) -> None:
        units: list[Unit] = [job.unit for job in some]
        index.upsert(units, _stacked([known[unit.content_hash] for unit in units]), embedder.fingerprint)
        progress.done.extend(some)

    _halving(list(texts), embed, lambda content_hash, reason: unembeddable.update({content_hash: reason}))
    progress.failed.extend((job, unembeddable[job.unit.content_hash]) for job in jobs if job.unit.content_hash in unembeddable)
    writable = [job for job in jobs if job.unit.content_hash not in unembeddable]
    _halving(writable, write, lambda job, reason: progress.failed.append((job, reason)))


def _halving(items: Sequence[_Item], act: Callable[[Sequence[_Item]], None], fail: Callable[[_Item, str], None]) -> None:
    """Act on all items at once; where that fails, on each half, down to the item that is at fault."""
    if not items:
        return
    try:
        act(items)
    except Exception as error:
        if isinstance(error, MemoryAssetsError) and not isinstance(error, UnitRejectedError):
            raise
        if len(items) == 1:
            fail(items[0], cause_line(error))
            return
        middle = len(items) // 2
        _halving(items[:middle], act, fail)
        _halving(items[middle:], act, fail)


def _stacked(vectors: Sequence[Vectors]) -> Vectors:
    import numpy as np

    return np.stack(vectors)
