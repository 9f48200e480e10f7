"""Another model: its table is made whole while the one in force goes on serving, and only then the settings change.

Whatever ends it before, the old model stays in force and what was embedded is kept: the same command goes on from there.
Tables of former models stay too, so going back embeds only what was said since.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.errors import InvalidArgumentError
from memory_assets.log.event_log import EventLog
from memory_assets.log.payloads.sessions import SessionProjected
from memory_assets.maintenance.indexing import compare_titles, shared_vectors, write_words
from memory_assets.progress import NoProgress, Progress
from memory_assets.results.outbox import Calibration, Drained, Reconciled, Reembedded
from memory_assets.settings_file import says_otherwise, stronger_than_the_file, write_embedding
from memory_assets.settings_sections import EmbeddingSettings
from memory_assets.vectors.calibration import ensure_calibrated, known_calibration
from memory_assets.vectors.drain import see_that_it_works
from memory_assets.vectors.embedder import local_folder
from memory_assets.vectors.outbox import drain_outbox, retry_failed
from memory_assets.vectors.reconcile import Side, reconcile
from memory_assets.vectors.vectorized_events import vectorized_event

if TYPE_CHECKING:
    from memory_assets.configuration import Resources
    from memory_assets.log.database import Database
    from memory_assets.settings import Settings
    from memory_assets.vectors.embedder import Embedder

_ROUNDS = 5


def chosen_embedding(
    settings: Settings, model: str, *, query_prefix: str | None = None, passage_prefix: str | None = None
) -> EmbeddingSettings:
    """The settings of a model, by what a person says of it. Prefixes belong to their model: another one begins without.

    Raises:
        InvalidArgumentError: no model is named.
    """
    if not model.strip():
        raise InvalidArgumentError(
            "no model is named", hint="`bundled`, `hashing`, the folder of a model, or its name on a hub"
        )
    # A folder means the same wherever the next command is given; the two words mean no folder.
    folder = None if model.strip() in ("bundled", "hashing") else local_folder(model)
    named = str(folder.absolute()) if folder else model.strip()
    now = settings.embedding
    same = now.model == named
    return now.model_copy(
        update={
            "model": named,
            "query_prefix": query_prefix if query_prefix is not None else now.query_prefix if same else "",
            "passage_prefix": passage_prefix if passage_prefix is not None else now.passage_prefix if same else "",
        }
    )


def reembed(
    resources: Resources,
    wanted: EmbeddingSettings,
    *,
    dry_run: bool = False,
    accept_failed: bool = False,
    progress: Progress | None = None,
) -> Reembedded:
    """Change the model.

    Args:
        dry_run: say what there is to do, and do nothing; loads no model.
        accept_failed: put the new model in force also where it could not embed every unit.

    Raises:
        InvalidArgumentError: the model in force has the same name, and so the same table; nothing changed.
        EmbedderUnavailableError: the model cannot be loaded, or fails on every text; nothing changed.
        IndexBusyError, IndexWriteError, ConfigInvalidError: the old model stays in force.
    """
    told, settings, database = progress or NoProgress(), resources.settings, resources.database
    target = resources.with_embedding(wanted)
    embedder = target.embedder
    _see_that_both_can_stand(resources.embedder, embedder)
    if dry_run:
        side = Side.of_vectors(embedder, target.vector_index)
        found = reconcile(database, side, lock_folder=settings.store_folder, dry_run=True)
        return _outcome(resources, target, found, Drained(), 0, known_calibration(target.settings), dry_run=True)
    from memory_assets.projections.fold import catch_up

    # A model that is not there is noticed before anything is queued for it.
    see_that_it_works(embedder)
    catch_up(database, resources.configured_versions)
    write_words(resources, progress=told)
    found, drained = _written_whole(target, told)
    failed = _failed(database, embedder.embedding_version)
    calibration = ensure_calibrated(target.settings, embedder)
    # What is alike by its meaning is another matter to another model; what was measured is logged under its version.
    compare_titles(database, embedder)
    if failed and not accept_failed:
        return _outcome(resources, target, found, drained, failed, calibration)
    to_set = stronger_than_the_file(settings, wanted)
    if to_set:
        return _outcome(resources, target, found, drained, failed, calibration, to_set=to_set)
    file = write_embedding(settings, wanted) if says_otherwise(settings, wanted) else None
    _follow(target)
    write_words(target, progress=told)
    # What came in between is queued for the new version by now.
    drained += _drain(target, told)
    return _outcome(resources, target, found, drained, failed, calibration, in_force=True, written_to=file)


def _see_that_both_can_stand(old: Embedder, new: Embedder) -> None:
    """The table of the old model serves until the new one's is whole, so each must have one of its own."""
    if old.embedding_version == new.embedding_version and old.fingerprint != new.fingerprint:
        raise InvalidArgumentError(
            f"{new.model_id} and the model in force, {old.model_id}, would both have the table {new.embedding_version}",
            hint="give the folder of the new one another name; or set embedding.model yourself, then `memory outbox reconcile`",
        )


def _written_whole(target: Resources, progress: Progress) -> tuple[Reconciled, Drained]:
    """Write everything that the new version's table lacks. What comes in meanwhile is queued for the old version only."""
    database, embedder, index = target.database, target.embedder, target.vector_index
    version, lock_folder = embedder.embedding_version, target.settings.store_folder
    found = reconcile(database, Side.of_vectors(embedder, index), lock_folder=lock_folder, progress=progress)
    retry_failed(database, version)
    drained = Drained()
    for _ in range(_ROUNDS):
        drained += _drain(target, progress)
        behind = reconcile(database, Side.of_vectors(embedder, index), lock_folder=lock_folder, progress=progress)
        if behind.waiting == _failed(database, version):
            break
    return found, drained


def _drain(target: Resources, progress: Progress) -> Drained:
    return drain_outbox(
        target.database,
        target.embedder,
        target.vector_index,
        lock_folder=target.settings.store_folder,
        shared=shared_vectors(target),
        progress=progress,
    )


def _failed(database: Database, version: str) -> int:
    with database.reading() as connection:
        counted = connection.execute(
            "SELECT count(*) FROM vector_outbox WHERE embedding_version = ? AND status = 'failed'", [version]
        ).fetchall()
    return int(counted[0][0])


def _follow(target: Resources) -> None:
    """Have the tables follow the new version: each session that had come so far is marked as handed to these vectors."""
    from memory_assets.projections.fold import catch_up

    database, versions = target.database, target.configured_versions
    log = EventLog(database)
    log.configure(versions)
    with database.reading() as connection:
        sessions = [row[0] for row in connection.execute("SELECT session_id FROM sessions").fetchall()]
    projected = log.current(sessions, SessionProjected.event_type)
    log.append([vectorized_event(event, target.embedder.embedding_version) for event in projected.values()])
    catch_up(database, versions, resolve=True)


def _outcome(
    resources: Resources,
    target: Resources,
    found: Reconciled,
    drained: Drained,
    failed: int,
    calibration: Calibration | None,
    *,
    dry_run: bool = False,
    in_force: bool = False,
    written_to: Path | None = None,
    to_set: tuple[str, ...] = (),
) -> Reembedded:
    return Reembedded(
        schema_version="reembed.v1",
        dry_run=dry_run,
        from_model=resources.settings.embedding.model,
        from_version=resources.embedder.embedding_version,
        to_model=target.settings.embedding.model,
        to_version=target.embedder.embedding_version,
        found=found,
        drained=drained,
        failed=failed,
        calibration=calibration,
        in_force=in_force,
        written_to=str(written_to) if written_to else None,
        to_set=to_set,
    )
