"""`memory restore`: a backup becomes the store; everything of it is verified before anything is changed."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import portalocker

from memory_assets.backup.archive import check_members, invalid, opened_archive
from memory_assets.backup.errors import FileExistsAlreadyError
from memory_assets.log import swap
from memory_assets.log.database import STORE_FILE_NAME, Database
from memory_assets.log.errors import StoreLockedError, of_system
from memory_assets.log.links import Sound
from memory_assets.log.tip import TIP_FILE_NAME, Tip
from memory_assets.progress import NoProgress, Progress
from memory_assets.results.copies import Restored

_STAGED = "store.staged"


def restore(
    folder: Path,
    source: Path,
    *,
    force: bool = False,
    accepted: Callable[[Tip], None] = lambda tip: None,
    progress: Progress | None = None,
) -> Restored:
    """Make a backup the store of a folder. Tables are in it; the search index is made to agree by whoever calls.

    Args:
        force: also where a store is; that one is kept beside the new one.
        accepted: called with where its log ends before anything is changed; what it raises is raised.

    Raises:
        FileExistsAlreadyError: there is a store.
        BackupInvalidError: the file is no whole backup; nothing was changed.
        StoreLockedError, StoreFullError, StoreError
    """
    told = progress or NoProgress()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _alone(folder), opened_archive(source) as (archive, manifest):
            database = Database(folder)
            staged = folder / _STAGED
            if swap.is_waiting(folder):
                database.finish_swap()
            if (folder / STORE_FILE_NAME).exists() and not force:
                raise FileExistsAlreadyError(
                    f"{folder} has a store", hint="--force puts the backup in its place and keeps the old one beside it"
                )
            told.start(3, "unpacking")
            shutil.rmtree(staged, ignore_errors=True)
            (staged / "new").mkdir(mode=0o700, parents=True)
            check_members(archive, manifest, staged / "new")
            told.advance(1, "verifying")
            _verify(staged / "new", source, manifest.seq, manifest.link_hash)
            accepted(Tip(manifest.seq, bytes.fromhex(manifest.link_hash)))
            told.advance(1, "putting it in place")
            aside = f"replaced-{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
            database.put_in_place(staged, aside)
            told.advance()
            kept = folder / aside
            return Restored(
                schema_version="restored.v1",
                events=manifest.events,
                sessions=manifest.sessions,
                seq=manifest.seq,
                link_hash=manifest.link_hash,
                backed_up_at=manifest.created_at,
                kept_aside=str(kept) if kept.exists() else None,
            )
    except OSError as error:
        raise of_system(error, folder) from error
    finally:
        told.finish()


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    with (folder / "restore.lock").open("w") as lock:
        try:
            portalocker.lock(lock, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
        except portalocker.exceptions.LockException as error:
            raise StoreLockedError(f"another restore into {folder} is under way", hint="wait for it") from error
        yield


def _verify(unpacked: Path, source: Path, seq: int, link_hash: str) -> None:
    """Check the log against its tip and the manifest, bring the schema up, and leave nothing but the files of a store."""
    copy = Database(unpacked)
    with copy.held() as connection:
        found = copy.verify_links(connection)
        if not isinstance(found, Sound):
            raise invalid(source, str(found))
        if (found.last.seq, found.last.link_hash.hex()) != (seq, link_hash):
            raise invalid(source, "its log does not end where its manifest says")
        connection.execute("CHECKPOINT")
    kept = (STORE_FILE_NAME, TIP_FILE_NAME, "memory.toml", "golden.yaml")
    for path in list(unpacked.iterdir()):
        if path.name in kept:
            path.replace(unpacked.parent / path.name)
    shutil.rmtree(unpacked)
