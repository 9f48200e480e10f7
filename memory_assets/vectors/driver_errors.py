"""What LanceDB raises, as errors of the index: whatever lies in the folder, no caller sees a driver's error or a panic."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from memory_assets.errors import MemoryAssetsError
from memory_assets.vectors.errors import (
    REBUILD_HINT,
    IndexCorruptError,
    IndexUnansweredError,
    IndexUnreachableError,
    IndexWriteError,
    cause_line,
)

PATIENCE = timedelta(seconds=30)
"""Damage inside a file can make a thread of LanceDB panic, and what waits for it would wait for ever."""

_TIMED_OUT = "Query timeout"
_OF_THE_MACHINE = (
    "No space left",
    "isk quota exceeded",
    "ermission denied",
    "Read-only file system",
    "oo many open files",
    "File too large",
)
_OF_OTHERS = ("onflict", "oo many concurrent")


@contextmanager
def reading(table_name: str) -> Iterator[None]:
    """What fails inside is the table's fault.

    Raises:
        IndexUnansweredError, IndexUnreachableError, IndexCorruptError: with what to do about it.
    """
    try:
        yield
    except BaseException as error:
        if not _is_of_the_index(error):
            raise
        if _names(error, (_TIMED_OUT,)):
            raise IndexUnansweredError(
                f"table {table_name} did not answer within {PATIENCE.seconds} s",
                hint=f"Try again when the machine is less busy. If that does not help, it is damaged: {REBUILD_HINT}",
            ) from error
        said = f"table {table_name} cannot be read: {cause_line(error)}"
        if _names(error, _OF_THE_MACHINE):
            raise IndexUnreachableError(said, hint=MACHINE_HINT) from error
        raise IndexCorruptError(said, hint=REBUILD_HINT) from error


@contextmanager
def writing(table_name: str) -> Iterator[None]:
    """What fails inside is the disk's or another writer's fault, or else the table's.

    Raises:
        IndexWriteError, IndexCorruptError: with what to do about it.
    """
    try:
        yield
    except BaseException as error:
        if not _is_of_the_index(error):
            raise
        reason = cause_line(error)
        if isinstance(error, OSError) or _names(error, (*_OF_THE_MACHINE, *_OF_OTHERS)):
            raise IndexWriteError(f"table {table_name} cannot be written: {reason}", hint=MACHINE_HINT) from error
        raise IndexCorruptError(f"table {table_name} cannot be written: {reason}", hint=REBUILD_HINT) from error


MACHINE_HINT = "Make room, mend the folder's rights, or move away what lies in its place; then run the same command again."


def _is_of_the_index(error: BaseException) -> bool:
    """Errors of ours pass as they are, and so does what ends the process. A panic of native code is no `Exception`."""
    if isinstance(error, MemoryAssetsError):
        return False
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"


def _names(error: BaseException, causes: tuple[str, ...]) -> bool:
    text = str(error)
    return any(cause in text for cause in causes)
