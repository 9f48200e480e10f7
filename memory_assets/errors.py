"""The root of every error of this package.

Expected outcomes are values; an exception means a broken invariant or a missing resource. Each package has its own
``errors.py`` under this root. A message says what failed and for which id; ``hint`` says what to do about it.
"""

from __future__ import annotations

import errno
from collections.abc import Collection, Iterator


class MemoryAssetsError(Exception):
    """Something failed that the user can act upon.

    Attributes:
        code: a stable, machine-readable name, for ``error.v1``.
        hint: the next thing to do, one sentence; empty when there is nothing to suggest.
    """

    code = "generic"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class InvalidArgumentError(MemoryAssetsError):
    """A value that the caller gave cannot be used."""

    code = "invalid_argument"


class AmbiguousIdError(InvalidArgumentError):
    """A shortened id that several things begin with."""


class DiskFullError(MemoryAssetsError):
    """The disk has no room for what was to be written; what was committed before is kept."""

    code = "disk_full"


class ReadOnlyStoreError(MemoryAssetsError):
    """What was to be written cannot be: the store's folder or its medium lets nobody write who runs this program."""

    code = "store_read_only"


class NotFoundError(MemoryAssetsError):
    """No such thing in the store."""

    code = "not_found"


class ConfigInvalidError(MemoryAssetsError):
    """A settings file, environment variable or policy file cannot be used."""

    code = "config_invalid"


class UnavailableError(MemoryAssetsError):
    """What the work needs does not answer: nothing is wrong with what is worked at, and another time it may go.

    Attributes:
        passes: whether it may pass by itself, so that trying again soon makes sense.
    """

    code = "unavailable"

    def __init__(self, message: str, *, hint: str = "", passes: bool = True) -> None:
        super().__init__(message, hint=hint)
        self.passes = passes


def check_word(what: str, given: str | None, known: Collection[str]) -> None:
    """Refuse a word that a closed list does not hold; an answer of nothing would look like the truth.

    Raises:
        InvalidArgumentError: with the words that there are.
    """
    if given is not None and given not in known:
        raise InvalidArgumentError(f"there is no {what} {given[:100]!r}", hint=f"one of {', '.join(known)}")


_FULL = (errno.ENOSPC, errno.EDQUOT)
READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)
# What DuckDB, SQLite (under Dagster) and LanceDB say where they keep no number.
_FULL_SAID = ("No space left", "database or disk is full", "not enough disk space", "isk quota exceeded")
# What SQLite names where its words (disk I/O error) tell nothing: it could not enlarge a file.
_FULL_NAMES = ("SQLITE_FULL", "SQLITE_IOERR_SHMSIZE")
_READ_ONLY_SAID = ("Read-only file system", "attempt to write a readonly database")


def is_full_disk(error: BaseException) -> bool:
    """Whether a library or the system failed, here or at the root of it, because a disk is full."""
    return any(isinstance(cause, DiskFullError) or _is(cause, _FULL, _FULL_SAID) for cause in _causes(error))


def is_read_only(error: BaseException) -> bool:
    """Whether a library or the system failed, here or at the root of it, because it may not write where it was to."""
    return any(isinstance(cause, ReadOnlyStoreError) or _is(cause, READ_ONLY, _READ_ONLY_SAID) for cause in _causes(error))


def disk_full() -> DiskFullError:
    """What a user is told of a full disk, without a library's words."""
    return DiskFullError(
        "the disk is full; what was not finished was not written",
        hint="free some space and run the command again: what was written before is kept",
    )


def read_only(where: object = None) -> ReadOnlyStoreError:
    """What a user is told where nothing can be written, without a library's words."""
    return ReadOnlyStoreError(
        "the store cannot be written" + (f": {where}" if where else ""),
        hint="it can be read; to write, mend its folder's rights or copy it, and name the copy in MEMORY_HOME",
    )


def of_the_machine(error: Exception) -> MemoryAssetsError | None:
    """A full disk or a store that cannot be written, where one of them is why something failed; whatever library said it."""
    if isinstance(error, MemoryAssetsError) and error.code in (DiskFullError.code, ReadOnlyStoreError.code):
        return None  # it says so already
    if is_full_disk(error):
        return disk_full()
    if isinstance(error, OSError):
        return read_only(error.filename) if error.errno == errno.EROFS else None
    if is_read_only(error):
        return read_only()
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and not any(cause is one for one in seen):
        yield cause
        seen.append(cause)
        cause = cause.__cause__ or cause.__context__


def _is(error: BaseException, numbers: Collection[int], said: Collection[str]) -> bool:
    # Our own messages may hold a path or an id that anybody chose: their causes tell.
    if isinstance(error, MemoryAssetsError):
        return False
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno in numbers
    if numbers is _FULL and getattr(error, "sqlite_errorname", None) in _FULL_NAMES:
        return True
    text = str(error).splitlines()[0] if str(error) else ""
    return any(words in text for words in said)
