"""How far files were taken: what each was like when it was taken last, and when it was said to have something new."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory_assets.hooks.folders import HookFolders, replace_file
from memory_assets.sessions.times import parse_time

Stamp = list[int]
"""A file's time and size: who writes to it gives it another one."""


@dataclass(slots=True)
class TakingProgress:
    """How far files were taken, by path.

    Attributes:
        taken: the stamp with which a file was taken last.
        offered: the stamp with which it was said to have something new, and when.
    """

    taken: dict[str, Stamp]
    offered: dict[str, tuple[Stamp, datetime]]

    @classmethod
    def read(cls, folders: HookFolders) -> TakingProgress:
        """What is known; nothing where that cannot be read: a file that is taken again is unchanged."""
        try:
            value = json.loads(folders.taken.read_text(encoding="utf-8"))
            offered = {path: (one["stamp"], parse_time(one["at"])) for path, one in value["offered"].items()}
            return cls(dict(value["taken"]), {path: (stamp, at) for path, (stamp, at) in offered.items() if at is not None})
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return cls({}, {})

    def write(self, folders: HookFolders) -> None:
        """Keep it for the next one who asks."""
        offered = {path: {"stamp": stamp, "at": at.isoformat()} for path, (stamp, at) in self.offered.items()}
        replace_file(folders.taken, json.dumps({"taken": self.taken, "offered": offered}, indent=1) + "\n")

    def offer(self, paths: Iterable[Path], now: datetime) -> None:
        """Note that files are about to be taken as they are now."""
        for path in paths:
            stamp = stamp_of(path)
            if stamp is not None:
                self.offered[str(path)] = (stamp, now)

    def has_news(self, path: Path) -> bool:
        """Whether somebody wrote to a file since it was taken last."""
        stamp = stamp_of(path)
        return stamp is not None and stamp != self.taken.get(str(path))

    def take(self, path: Path) -> datetime | None:
        """Note that a file was taken as it was offered; when that was, None where it was not."""
        offered = self.offered.pop(str(path), None)
        if offered is None:
            return None
        self.taken[str(path)], at = offered
        return at


def stamp_of(path: Path) -> Stamp | None:
    """A file's stamp; None where there is none."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return [status.st_mtime_ns, status.st_size]
