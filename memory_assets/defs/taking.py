"""Everything new, taken in by one run of the assets: what the server's process does each time it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from memory_assets.defs import run
from memory_assets.defs.settling import is_settled
from memory_assets.errors import MemoryAssetsError
from memory_assets.sessions.files import SourceFile, iter_source_files
from memory_assets.settings import Settings


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of it.

    Attributes:
        sessions: how many had something new.
        again: a file is still being written, or a model did not answer: it is to be looked at again.
        error: what stood in the way; what was done before is kept.
    """

    sessions: int = 0
    again: bool = False
    error: str | None = None

    def as_json(self) -> dict[str, Any]:
        """As it is printed."""
        return asdict(self)


def take_new(settings: Settings, told_of: Sequence[Path] = ()) -> Taken:
    """Take in files that somebody told of, and those of the sessions folder that have lain still.

    Never raises but for an interrupt: what stands in the way is said, and met again the next time.
    """
    settled, unsettled = _of_the_folder(settings)
    paths = [*told_of, *settled]
    if not paths:
        return Taken(again=unsettled)
    try:
        report = run.import_paths(settings, paths, project=None)
    except MemoryAssetsError as error:
        return Taken(error=f"{error.code}: {error}")
    except Exception as error:  # its words may quote a session
        return Taken(error=type(error).__name__)
    return Taken(report.new + report.updated, again=unsettled or bool(report.waiting))


def _of_the_folder(settings: Settings) -> tuple[list[Path], bool]:
    """Files of the sessions folder that have lain still, and whether others have not."""
    folder = settings.sessions_folder
    found = list(iter_source_files([folder])) if folder.is_dir() else []
    files = [one for one in found if isinstance(one, SourceFile)]
    settled = [file for file in files if is_settled(file, settings.sessions.settle_seconds)]
    return [Path(file.path) for file in settled], len(settled) < len(files)
