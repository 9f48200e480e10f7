"""Errors of the vector index and the embedders."""

from __future__ import annotations

import re

from memory_assets.errors import MemoryAssetsError

REBUILD_HINT = "Run `memory rebuild --with-vectors`: the index is made again from the log, nothing is lost."

MISSING_HINT = "`memory outbox drain` makes it again from the log, as the next import does; nothing is lost."


class IndexCorruptError(MemoryAssetsError):
    """The index is there but cannot be read, or it is not what this version writes."""

    code = "index_corrupt"


class IndexUnansweredError(IndexCorruptError):
    """A question to the index was never answered: damage that its library does not survive, or a machine far too busy."""


class IndexUnreachableError(IndexCorruptError):
    """The machine does not let the index be read (its rights, too many open files): it may be whole."""

    code = "io_error"


class IndexOutdatedError(IndexCorruptError):
    """An older version of this program wrote the table; it is made anew by whoever writes next."""


class IndexMissingError(IndexCorruptError):
    """There are units, and no table to find them in: somebody removed it, or an older version of this program wrote another."""


class IndexWriteError(MemoryAssetsError):
    """The index could not be written (a full disk, missing rights, a commit that lost too often)."""

    code = "io_error"


class IndexBusyError(IndexWriteError):
    """Another process is writing to the table; one writes at a time."""

    code = "store_locked"


class FingerprintMismatchError(MemoryAssetsError):
    """The stored vectors were made by another model or recipe than the one in use, under the same version's name."""

    code = "schema_mismatch"


class EmbedderUnavailableError(MemoryAssetsError):
    """The embedding model is not there or cannot be loaded."""

    code = "model_unreachable"


class UnitRejectedError(MemoryAssetsError):
    """One unit cannot be stored (text that is no Unicode, an embedding that is not finite); others can."""

    code = "invalid_argument"


def cause_line(error: BaseException) -> str:
    """A library's error in one line for people, without the places in its source that LanceDB adds."""
    text = str(error).strip()
    line = re.sub(r", \S+\.rs:\d+.*", "", text.splitlines()[0]) if text else "no message"
    return f"{type(error).__name__}: {line[:300]}"
