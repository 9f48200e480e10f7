"""`memory export`: what a store holds, for another store, for another program, for people."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, get_args

from memory_assets.backup.target import of_target, refuse_the_store, refuse_what_is_there, workplace
from memory_assets.errors import ReadOnlyStoreError, check_word
from memory_assets.exchange.chat_lines import ChatLines
from memory_assets.exchange.event_lines import event_lines
from memory_assets.exchange.markdown_page import MarkdownPage
from memory_assets.exchange.snapshot import check_project, choose
from memory_assets.log.swap import sync_folder
from memory_assets.progress import NoProgress, Progress
from memory_assets.projections.fold import catch_up
from memory_assets.results.copies import Exported
from memory_assets.stopping import stop_if_asked

if TYPE_CHECKING:
    from memory_assets.log.database import Database

ExportFormat = Literal["markdown", "jsonl", "chat.v1"]
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class _Export:
    """An export that is being made: its lines, and what is in them once they were taken."""

    lines: Iterator[bytes]
    sessions: Callable[[], int]
    events: int | None = None


def export_to_file(
    database: Database,
    target: Path,
    format_name: str,
    *,
    project: str | None = None,
    versions: Mapping[str, str],
    force: bool = False,
    progress: Progress | None = None,
) -> Exported:
    """Write an export into a file that is private to its owner, and appears whole or not at all.

    Args:
        project: only what belongs to this project.
        versions: of the stages; the tables are brought up to the log's end first, where they may be written.
        force: replace a file that is there.

    Raises:
        InvalidArgumentError: there is no such format, or ``target`` is the store's own.
        NotFoundError: there is no session of the project.
        FileExistsAlreadyError: ``target`` is there.
        LogTamperedError: the log is not what was written.
        StoreFullError, StoreError: the target's folder cannot be written.
    """
    kind = _format(format_name)
    named, target = target, target.absolute()
    told = progress or NoProgress()
    try:
        refuse_the_store(target, database.path.parent)
        refuse_what_is_there(target, force=force)
        _fold(database, versions)
        return _write(database, target, named, kind, project, force, told)
    except OSError as error:
        failed = error
    finally:
        told.finish()
    raise of_target(failed, target)


def _write(
    database: Database, target: Path, named: Path, kind: ExportFormat, project: str | None, force: bool, progress: Progress
) -> Exported:
    digest = hashlib.sha256()
    size = 0
    with workplace(target) as work:
        made = _made(database, kind, project)
        progress.start(made.events, f"exporting {kind}")
        descriptor = os.open(work / "export", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb", buffering=_CHUNK) as file:
            for line in made.lines:
                stop_if_asked()
                file.write(line)
                digest.update(line)
                size += len(line)
                progress.advance()
            file.flush()
            os.fsync(descriptor)
        refuse_what_is_there(target, force=force)
        (work / "export").replace(target)
        sync_folder(target.parent)
    return Exported(
        schema_version="exported.v1",
        path=str(named),
        format=kind,
        project=project,
        sessions=made.sessions(),
        events=made.events,
        bytes=size,
        sha256=digest.hexdigest(),
    )


def export_to_stream(
    database: Database,
    stream: IO[bytes],
    format_name: str,
    *,
    project: str | None = None,
    versions: Mapping[str, str],
) -> None:
    """Write an export to a stream. Whoever reads it slowly keeps nobody from writing to the store.

    Raises: as :func:`export_to_file`, but for what concerns a file; a part of the export may be written by then.
    """
    kind = _format(format_name)
    _fold(database, versions)
    made = _made(database, kind, project)
    if kind != "markdown":
        stream.writelines(made.lines)
        return
    # The tables stand still while they are read: that is not to last as long as whoever reads the stream likes.
    with tempfile.TemporaryFile() as spooled:
        spooled.writelines(made.lines)
        spooled.seek(0)
        while chunk := spooled.read(_CHUNK):
            stream.write(chunk)


def _fold(database: Database, versions: Mapping[str, str]) -> None:
    """What people said of something is told from what they said of what is gone by the tables alone."""
    with suppress(ReadOnlyStoreError):
        catch_up(database, versions)


def _format(name: str) -> ExportFormat:
    check_word("format", name, EXPORT_FORMATS)
    return next(known for known in EXPORT_FORMATS if known == name)


def _made(database: Database, kind: ExportFormat, project: str | None) -> _Export:
    match kind:
        case "jsonl":
            chosen = choose(database, project)
            return _Export(event_lines(database, chosen), lambda: chosen.session_count, chosen.events)
        case "chat.v1":
            chats = ChatLines(database, choose(database, project))
            return _Export(chats.lines(), lambda: chats.sessions)
        case "markdown":
            check_project(database, project)
            page = MarkdownPage(database, project)
            return _Export(page.lines(), lambda: page.sessions)
