"""`memory backup`: one file that holds the store as it was at one moment, verified.

The store's files are copied under the shared lock, and nothing else is done there: the copy is opened, its links are
verified and it is packed while others write to the store. A backup is a ZIP file of fixed names; its manifest has the SHA-256
of each member.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from memory_assets.backup.errors import BackupInvalidError
from memory_assets.backup.target import of_target, refuse_the_store, refuse_what_is_there, workplace
from memory_assets.log.database import STORE_FILE_NAME, Database
from memory_assets.log.errors import LogTamperedError
from memory_assets.log.links import Broken
from memory_assets.log.migrations import schema_version
from memory_assets.log.swap import sync_folder
from memory_assets.log.tip import TIP_FILE_NAME, Tip, Tips, write_tips
from memory_assets.progress import NoProgress, Progress
from memory_assets.results.copies import Manifest

FORMAT = "memory_backup.v1"
MANIFEST = "manifest.json"
OWNED = ("memory.toml", "golden.yaml")
"""What people write themselves, beside the log."""
# A backup ends with it, as the comment of the ZIP file.
_SEAL_LENGTH = 64
_CHUNK = 1 << 20
_MANIFEST_LIMIT = 1 << 20


def back_up(database: Database, target: Path, *, force: bool = False, progress: Progress | None = None) -> Manifest:
    """Write a backup of a store.

    Args:
        target: the file to make, private to its owner. It appears whole, under its name, or not at all.
        force: replace a file that is there.

    Raises:
        InvalidArgumentError: ``target`` is the store's own.
        FileExistsAlreadyError: ``target`` is there.
        LogTamperedError: the log is not what was written: that is no backup.
        StoreFullError, StoreError: the target's folder cannot be written.
    """
    told = progress or NoProgress()
    named, target = target, target.absolute()
    try:
        refuse_the_store(target, database.path.parent)
        refuse_what_is_there(target, force=force)
        with workplace(target) as work:
            told.start(4, "copying the store")
            copied = _copy(database, work)
            told.advance(1, "verifying the copy")
            tip, events, sessions = _verify(copied)
            told.advance(1, "packing")
            manifest = _pack(copied, work / "packed", named, tip, events, sessions)
            told.advance(1, "reading it back")
            with opened_archive(work / "packed") as (archive, _):
                check_members(archive, manifest)
            told.advance()
            refuse_what_is_there(target, force=force)
            (work / "packed").replace(target)
            sync_folder(target.parent)
            return manifest
    except OSError as error:
        failed = error
    finally:
        told.finish()
    raise of_target(failed, target)


def _copy(database: Database, work: Path) -> Path:
    copied = work / "store"
    copied.mkdir(mode=0o700)
    with database.standing_still() as folder:
        for name in (STORE_FILE_NAME, f"{STORE_FILE_NAME}.wal", TIP_FILE_NAME, *OWNED):
            if (folder / name).is_file():
                shutil.copyfile(folder / name, copied / name)
                (copied / name).chmod(0o600)
    return copied


def _verify(copied: Path) -> tuple[Tip, int, int]:
    """Check the copy's log, and put all of it into one file."""
    copy = Database(copied)
    with copy.held() as connection:
        found = copy.verify_links(connection)
        if isinstance(found, Broken):
            raise LogTamperedError(found)
        events, sessions = connection.execute("SELECT count(*), count(DISTINCT session_id) FROM events").fetchall()[0]
        connection.execute("CHECKPOINT")
    write_tips(copied, Tips(found.last))
    return found.last, events, sessions


def _pack(copied: Path, packed: Path, named: Path, tip: Tip, events: int, sessions: int) -> Manifest:
    names = [name for name in (STORE_FILE_NAME, TIP_FILE_NAME, *OWNED) if (copied / name).is_file()]
    digests = {}
    descriptor = os.open(packed, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w+b") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name in names:
                with (copied / name).open("rb") as source, archive.open(name, "w", force_zip64=True) as member:
                    digests[name] = copy_hashed(source, member)
            manifest = Manifest(
                schema_version="backup.v1",
                path=str(named),
                store_schema=schema_version(),
                created_at=datetime.now(UTC).isoformat(timespec="seconds"),
                seq=tip.seq,
                link_hash=tip.link_hash.hex(),
                events=events,
                sessions=sessions,
                sha256=digests,
                sizes={name: (copied / name).stat().st_size for name in names},
            )
            told = {"format": FORMAT, **manifest.model_dump(exclude={"schema_version", "path"})}
            archive.writestr(MANIFEST, json.dumps(told, sort_keys=True))
            archive.comment = bytes(_SEAL_LENGTH)
        seal = _sealed(file)
        file.seek(-_SEAL_LENGTH, os.SEEK_END)
        file.write(seal)
        file.flush()
        os.fsync(descriptor)
    return manifest


def _sealed(file: IO[bytes]) -> bytes:
    """The SHA-256 of all of a file but its seal, in hexadecimal digits.

    The members' own digests are those of what they hold: a packed byte may be changed and give the same.
    """
    length = file.seek(0, os.SEEK_END) - _SEAL_LENGTH
    file.seek(0)
    digest = hashlib.sha256()
    while length > 0 and (chunk := file.read(min(_CHUNK, length))):
        digest.update(chunk)
        length -= len(chunk)
    return digest.hexdigest().encode()


def copy_hashed(source: IO[bytes], target: IO[bytes] | None, limit: int | None = None) -> str:
    """Copy bytes and give their SHA-256. Reads one byte more than ``limit`` at most, so that a bomb is not unpacked."""
    digest = hashlib.sha256()
    done = 0
    while chunk := source.read(_CHUNK):
        done += len(chunk)
        if limit is not None and done > limit:
            return "too long"
        digest.update(chunk)
        if target is not None:
            target.write(chunk)
    return digest.hexdigest()


@contextlib.contextmanager
def opened_archive(path: Path) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    """A backup and its manifest.

    Raises:
        BackupInvalidError: the file is none, or damaged.
    """
    try:
        with _opened(path) as file, zipfile.ZipFile(file) as archive:
            if archive.comment != _sealed(file):
                raise invalid(path, "a byte of it is not what was written")
            yield archive, _manifest(archive, path)
    except (
        zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError, KeyError, TypeError, AttributeError
    ) as error:  # fmt: skip
        raise invalid(path, str(error) or type(error).__name__) from error
    except Exception as error:
        if type(error).__module__ == "zlib":
            raise invalid(path, str(error)) from error
        raise


def _opened(path: Path) -> IO[bytes]:
    failed = "it is no file"
    try:
        # A pipe would be waited for.
        if path.is_file() or not path.exists():
            return path.open("rb")
    except FileNotFoundError as error:
        raise BackupInvalidError(f"there is no file {path}", hint="name a file that `memory backup` made") from error
    except OSError as error:
        failed = error.strerror or str(error)
    # Raised with nothing behind it: a file that may not be read would be taken for a store that cannot be written.
    raise BackupInvalidError(f"{path} cannot be read: {failed}", hint="name a file that `memory backup` made, check its rights")


def _manifest(archive: zipfile.ZipFile, path: Path) -> Manifest:
    if any(member.compress_type != zipfile.ZIP_DEFLATED for member in archive.infolist()):
        raise invalid(path, "it is packed otherwise")
    if archive.getinfo(MANIFEST).file_size > _MANIFEST_LIMIT:
        raise invalid(path, "its manifest is too long")
    said = json.loads(archive.read(MANIFEST))
    if said.pop("format", None) != FORMAT:
        raise invalid(path, "its manifest is another program's")
    manifest = Manifest.model_validate({**said, "schema_version": "backup.v1", "path": str(path)}, extra="forbid")
    if manifest.store_schema > schema_version():
        raise BackupInvalidError(
            f"{path} has schema {manifest.store_schema}, this version knows {schema_version()}",
            hint="install the version that made it, or a newer one",
        )
    if not {STORE_FILE_NAME, TIP_FILE_NAME} <= manifest.sha256.keys() <= {STORE_FILE_NAME, TIP_FILE_NAME, *OWNED}:
        raise invalid(path, "it does not hold what a backup holds")
    return manifest


def check_members(archive: zipfile.ZipFile, manifest: Manifest, into: Path | None = None) -> None:
    """Compare each member with the manifest, and write it into a folder where one is given.

    Raises:
        BackupInvalidError: a member is not what was packed.
    """
    for name, wanted in manifest.sha256.items():
        with contextlib.ExitStack() as stack:
            member = stack.enter_context(archive.open(name))
            target = None
            if into is not None:
                descriptor = os.open(into / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                target = stack.enter_context(os.fdopen(descriptor, "wb"))
            if copy_hashed(member, target, manifest.sizes[name]) != wanted:
                raise invalid(Path(archive.filename or ""), f"{name} in it is not what was packed")
            if target is not None:
                target.flush()
                os.fsync(target.fileno())


def invalid(path: Path, why: str) -> BackupInvalidError:
    """A file that cannot be restored, and why."""
    return BackupInvalidError(
        f"{path} is no whole backup: {why}", hint="take another backup; `memory recover` saves what a damaged store still has"
    )
