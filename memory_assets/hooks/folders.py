"""Where hooks keep what they keep, below the store's folder. All of it is its owner's alone."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import portalocker

from memory_assets.client_settings.files import replace_text

_LOCK_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class HookFolders:
    """The folders of one store.

    Attributes:
        root: ``hooks`` in the store's folder.
    """

    root: Path

    @property
    def spool(self) -> Path:
        """What calls left behind while no server answered."""
        return self.root / "spool"

    @property
    def journal(self) -> Path:
        """What was said in sessions whose own record does not hold it yet."""
        return self.root / "journal"

    @property
    def sessions(self) -> Path:
        """Sessions whose agent keeps no record that is read, written as files that are."""
        return self.root / "sessions"

    @property
    def taken(self) -> Path:
        """How far each file was taken."""
        return self.root / "taken.json"

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Alone with the journal, among threads and processes.

        Raises:
            OSError: the folder cannot be written, or somebody holds it for seconds.
        """
        private_folder(self.root)
        try:
            with portalocker.Lock(self.root / ".lock", "a", timeout=_LOCK_SECONDS, check_interval=0.005):
                yield
        except portalocker.LockException as error:
            raise OSError(f"{self.root} is held by another process") from error


def private_folder(folder: Path) -> None:
    """Make a folder for its owner alone."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def append_line(path: Path, line: str) -> None:
    """Add a line to a file in one write, whoever else adds to it."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, line.encode("utf-8", "backslashreplace") + b"\n")
    finally:
        os.close(handle)


def replace_file(path: Path, text: str) -> None:
    """Write a file of these folders at once: whoever reads it sees the old text or the new one."""
    private_folder(path.parent)
    replace_text(path, text)
