"""Everything new, taken in by one run of the assets: what the server's process does each time it is asked.

A session that is being written is taken in turn by turn, and is searchable by its words each time. What nobody waits for is
left until the agents have come to a rest: the index of words is made one piece, what was of use is counted, what all sessions
together have become is made, the store as a whole is looked at, and what needs a model is done.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from memory_assets.defs import run
from memory_assets.defs.resources import open_store
from memory_assets.defs.settling import is_settled
from memory_assets.errors import MemoryAssetsError
from memory_assets.log.readers import use_one_thread
from memory_assets.sessions.files import SourceFile, iter_source_files
from memory_assets.settings import Settings

MOST_SECONDS_LEFT: Final = 60.0
"""What nobody waits for is left no longer than this, however fast one turn follows another."""
SECONDS_TO_REST: Final = 4.0
"""Who took something in less than this ago has not come to a rest: a hook may have called twice for one turn."""


@dataclass(slots=True)
class Left:
    """What is left until the agents come to a rest.

    Attributes:
        since: by the monotonic clock; None where nothing is.
        last: when something was taken in last, by the same clock.
        looked: this process has looked for what one before it left.
    """

    since: float | None = None
    last: float | None = None
    looked: bool = False


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of it.

    Attributes:
        sessions: how many had something new.
        again: a file is still being written, a model did not answer, or something is left: it is to be looked at again.
        error: what stood in the way; what was done before is kept.
    """

    sessions: int = 0
    again: bool = False
    error: str | None = None

    def as_json(self) -> dict[str, Any]:
        """As it is printed."""
        return asdict(self)


def take_new(settings: Settings, told_of: Sequence[Path] = (), left: Left | None = None) -> Taken:
    """Take in files that somebody told of, and those of the sessions folder that have lain still.

    Never raises but for an interrupt: what stands in the way is said, and met again the next time.

    Args:
        left: what was left the last time, and is this time; None where all is to be done now.
    """
    use_one_thread()
    settled, unsettled = _of_the_folder(settings)
    taken, waits, error = 0, False, None
    try:
        taken, waits = _imported(settings, [*told_of, *settled], left)
    except Exception as failure:
        error = _why(failure)
    try:
        if left is not None:
            _rest(settings, left, taken, failed=error is not None)
    except Exception as failure:
        error = error or _why(failure)
    if error is not None:
        return Taken(error=error)
    return Taken(taken, again=unsettled or waits or (left is not None and left.since is not None))


def _why(failure: Exception) -> str:
    """What stands in the way, in words of ours: those of another library may quote a session."""
    return f"{failure.code}: {failure}" if isinstance(failure, MemoryAssetsError) else type(failure).__name__


def _rest(settings: Settings, left: Left, taken: int, *, failed: bool) -> None:
    """Do what was left, where the agents rest or it was left for long.

    Args:
        failed: something could not be taken in: what fails each time keeps from nobody for long what was left before.
    """
    now = time.monotonic()
    came = taken > 0 or failed
    at_rest = not came and (left.last is None or now - left.last >= SECONDS_TO_REST)
    if left.since is not None and (at_rest or now - left.since > MOST_SECONDS_LEFT):
        run.come_to_rest(settings)
        left.since = None
    elif not came and not left.looked:
        run.settle(settings)
    left.looked = True
    left.last = now if taken else left.last


def _imported(settings: Settings, paths: Sequence[Path], left: Left | None) -> tuple[int, bool]:
    """How many sessions had something new, and whether any waits for a model."""
    if not paths:
        return 0, False
    opened = open_store(settings)
    before = opened.appended
    try:
        report = run.import_paths(settings, paths, project=None, at_rest=left is None)
    except BaseException:
        if opened.appended > before:  # it came so far
            _leave(left)
        raise
    if report.events_appended:
        _leave(left)
    return report.new + report.updated, bool(report.waiting)


def _leave(left: Left | None) -> None:
    if left is not None and left.since is None:
        left.since = time.monotonic()


def _of_the_folder(settings: Settings) -> tuple[list[Path], bool]:
    """Files of the sessions folder that have lain still, and whether others have not."""
    folder = settings.sessions_folder
    found = list(iter_source_files([folder])) if folder.is_dir() else []
    files = [one for one in found if isinstance(one, SourceFile)]
    settled = [file for file in files if is_settled(file, settings.sessions.settle_seconds)]
    return [Path(file.path) for file in settled], len(settled) < len(files)
