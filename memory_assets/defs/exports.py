"""Files that `memory export --format jsonl` wrote, taken in by `memory import`."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memory_assets.defs.resources import OpenStore
from memory_assets.errors import InvalidArgumentError
from memory_assets.exchange.errors import ExportNotSharedError, ExportRefusedError
from memory_assets.exchange.format import is_export
from memory_assets.exchange.masking import check_masked
from memory_assets.exchange.staging import Staged, staged
from memory_assets.exchange.taking import Taken, take
from memory_assets.log.payloads.sessions import SessionVectorized
from memory_assets.log.unshared import holds_unshared
from memory_assets.maintenance.indexing import write_words
from memory_assets.progress import Progress
from memory_assets.sessions.model import Defect, DefectReason
from memory_assets.vectors.errors import IndexBusyError

_REASONS: dict[str, DefectReason] = {
    "export_invalid": "export_invalid",
    "export_newer": "export_newer",
    "export_holds_secrets": "export_holds_secrets",
    "project_not_shared": "project_not_shared",
}


@dataclass(slots=True)
class TakenExports:
    """What became of some exports.

    Attributes:
        to_run: sessions that the exporting store had brought to the end of the road, with other settings than ours.
        skipped, errors: sessions that were left as they are, and files that were refused.
    """

    sessions: list[str] = field(default_factory=list)
    new: int = 0
    updated: int = 0
    unchanged: int = 0
    to_run: list[str] = field(default_factory=list)
    skipped: list[Defect] = field(default_factory=list)
    errors: list[Defect] = field(default_factory=list)


def parted(paths: Sequence[Path], project: str | None) -> tuple[list[Path], list[Path]]:
    """The exports among some paths, and the others. A folder is none: what an export says of a store is taken when it is named.

    Raises:
        InvalidArgumentError: a project is given for an export, which says itself what its sessions belong to.
    """
    exports = [path for path in paths if is_export(path)]
    if exports and project is not None:
        raise InvalidArgumentError(
            f"{exports[0]} is an export: its sessions keep their projects",
            hint="import it without --project",
        )
    return exports, [path for path in paths if path not in exports]


def take_exports(opened: OpenStore, paths: Sequence[Path], progress: Progress) -> TakenExports:
    """Validate each file, then append what it adds; of one that is refused nothing is.

    Raises:
        LogTamperedError, StoreError: the store cannot be written.
        KeyboardInterrupt: somebody asked for an end; nothing of the file under way was appended.
    """
    whole = TakenExports()
    for path in paths:
        try:
            taken = _take(opened, path, progress)
        except ExportRefusedError as error:
            detail = f"{error.detail}; {error.hint}" if error.hint else error.detail
            whole.errors.append(opened.sources.shown(Defect(str(path), error.line, _REASONS[error.code], detail)))
            continue
        finally:
            progress.finish()
        opened.appended += taken.events
        whole.sessions += [*taken.new, *taken.updated, *taken.unchanged]
        whole.new += len(taken.new)
        whole.updated += len(taken.updated)
        whole.unchanged += len(taken.unchanged)
        whole.skipped += [_left(session_id, "session_differs") for session_id in taken.left_alone]
        whole.skipped += [_left(session_id, "session_forgotten") for session_id in taken.forgotten]
        through = opened.log.current(list(taken.ended), SessionVectorized.event_type)
        whole.to_run += [session_id for session_id in taken.ended if session_id not in through]
        if taken.events:
            # Who is writing to the index meanwhile writes this too.
            with contextlib.suppress(IndexBusyError):
                write_words(opened.resources)
    return whole


def _take(opened: OpenStore, path: Path, progress: Progress) -> Taken:
    with staged(path, beside=opened.database.path, progress=progress) as file:
        _check_shared(opened, file)
        progress.start(None, "looking for what the masking policy masks")
        check_masked(file, opened.sources.policy)
        progress.finish()
        progress.start(None, "appending and folding")
        return take(file, opened.database, opened.resources.configured_versions)


def _check_shared(opened: OpenStore, file: Staged) -> None:
    if opened.settings.shares_all:
        return
    with file.database.reading() as incoming:
        if holds_unshared(incoming, opened.settings.sharing.projects or ()):
            raise ExportNotSharedError(
                "it holds sessions of a project that sharing.projects does not name",
                hint="export the projects that are shared alone: `memory export --project`",
            )


def _left(session_id: str, reason: DefectReason) -> Defect:
    said = {
        "session_differs": "it is here with another history; import its own file, or its messages as chat.v1",
        "session_forgotten": "this session was forgotten",
    }
    return Defect(session_id, None, reason, said[reason])
