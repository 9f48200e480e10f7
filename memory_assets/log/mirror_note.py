"""What lies beside a store that mirrors a shared log: which log, which machine this is, and when it was last brought up."""

from __future__ import annotations

import json
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

from memory_assets.log.errors import StoreError, of_system
from memory_assets.log.event_store import Access, Epoch
from memory_assets.log.private_file import put_in_place
from memory_assets.log.swap import sync_folder

NOTE_FILE_NAME = "store.mirror"
_ALL = Access()


@dataclass(frozen=True, slots=True)
class MirrorNote:
    """The note.

    Attributes:
        host_id: of this folder among all that mirror the log.
        as_of: seconds since 1970 when the mirror held all that the log did; 0 before it ever did.
        access: what whoever made it may read and do.
        is_enrolled: whether the log knows that this folder mirrors it.
        honoured: up to which event the search index follows what was forgotten.
    """

    epoch: Epoch
    host_id: str
    as_of: float
    access: Access = _ALL
    is_enrolled: bool = False
    honoured: int = 0

    @classmethod
    def new(cls, epoch: Epoch, access: Access = _ALL) -> MirrorNote:
        """Of a folder that becomes a mirror now; it holds nothing yet."""
        return cls(epoch, uuid.uuid4().hex, 0.0, access)

    def age(self) -> str:
        """How old the mirror is, for people."""
        seconds = round(time.time() - self.as_of)
        if seconds < 0:
            return "nobody knows how old: the clock of this machine was set back"
        if seconds < 120:
            return f"{seconds} s old"
        return f"{seconds // 60} min old" if seconds < 7_200 else f"{seconds // 3600} h old"


def has_note(folder: Path) -> bool:
    """Whether the store in a folder is a mirror."""
    return (folder / NOTE_FILE_NAME).exists()


def read_note(folder: Path) -> MirrorNote | None:
    """The note beside the store; None where it is no mirror.

    Raises:
        StoreError: it cannot be read.
    """
    path = folder / NOTE_FILE_NAME
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        projects = said.get("projects")
        access = Access(None if projects is None else tuple(map(str, projects)), bool(said.get("may_write", True)))
        epoch = Epoch(str(said["store_id"]), int(said["epoch"]))
        is_enrolled, honoured = said.get("is_enrolled") is True, int(said.get("honoured", 0))
        return MirrorNote(epoch, str(said["host_id"]), float(said["as_of"]), access, is_enrolled, honoured)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise of_system(error, path) from error
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f"{path} cannot be read: it says which log this store mirrors",
            hint="`memory mirror rebuild` makes the mirror anew and keeps the file that is there aside",
        ) from error


def write_note(folder: Path, note: MirrorNote) -> None:
    """Put the note in place, whole; where it cannot be written an older one stays.

    Raises:
        StoreError: there is none, and none can be written.
    """
    path = folder / NOTE_FILE_NAME
    told = {"store_id": note.epoch.store_id, "epoch": note.epoch.number, "host_id": note.host_id, "as_of": note.as_of}
    told |= {"projects": note.access.projects, "may_write": note.access.may_write}
    told |= {"is_enrolled": note.is_enrolled, "honoured": note.honoured}
    try:
        put_in_place(path, json.dumps(told))
    except OSError as error:
        if not path.exists():
            raise of_system(error, path) from error


def drop_note(folder: Path) -> None:
    """The store in a folder mirrors nothing any more.

    Raises:
        StoreError: it cannot be taken away.
    """
    path = folder / NOTE_FILE_NAME
    try:
        path.unlink(missing_ok=True)
        sync_folder(folder)
    except OSError as error:
        raise of_system(error, path) from error
