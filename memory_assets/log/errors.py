"""What can fail in the store."""

from __future__ import annotations

import errno
from pathlib import Path

from memory_assets.errors import DiskFullError, MemoryAssetsError, ReadOnlyStoreError, is_full_disk, read_only


class StoreError(MemoryAssetsError):
    """The store cannot be opened, read or written."""

    code = "io_error"


class StoreLockedError(StoreError):
    """Another process holds the store longer than a caller may wait."""

    code = "store_locked"


class StoreFullError(StoreError, DiskFullError):
    """The disk is full; nothing of the batch was written."""

    code = "disk_full"


class StoreReadOnlyError(StoreError, ReadOnlyStoreError):
    """The store can be read and not written: its folder's rights or its medium do not allow it."""

    code = "store_read_only"


class UnstorableTextError(MemoryAssetsError):
    """An event holds half a character (a lone surrogate), which UTF-8 cannot spell; nothing of the batch was written."""

    code = "invalid_argument"


class SchemaMismatchError(StoreError):
    """The file's schema is not the one that this version was written for."""

    code = "schema_mismatch"


TAMPERED_HINT = (
    "another program changed the store's file: put a copy of it back with `memory restore FILE`, or save what is sound with "
    "`memory recover`; do not rebuild"
)


class LogTamperedError(StoreError):
    """The log is not what was written; nothing is written to it, and nothing folded from it."""

    code = "log_tampered"

    def __init__(self, what: object) -> None:
        super().__init__(
            f"another program changed the log: {what}",
            hint="`memory fsck` says more. Put a backup back with `memory restore FILE`, or save what is sound with `memory "
            "recover`; if you put this file here yourself, see `memory fsck --accept-end`",
        )


class HeadMovedError(StoreError):
    """Another process added a revision of the session since it was read; read again and repeat."""

    code = "head_moved"

    def __init__(self, session_ids: list[str]) -> None:
        super().__init__(
            f"these sessions changed while their batch was prepared: {', '.join(session_ids)}",
            hint="the work is repeated on the new history; run the command again if you see this",
        )
        self.session_ids = session_ids


class SharedLogUnavailableError(StoreError):
    """The shared log cannot be reached, or went away; nothing was half written, and the mirror goes on answering."""

    code = "shared_log_unavailable"


class SharedLogRefusedError(StoreError):
    """The shared log answers and cannot be used so: rights, its version, other settings, or what is not done to one."""

    code = "shared_log_refused"


class SharedLogDiffersError(StoreError):
    """The store's file is no mirror of the shared log: another log, or the same one as it was before events were taken out."""

    code = "shared_log_differs"


class UnknownEventTypeError(StoreError):
    """The log holds an event that this version cannot read."""

    code = "schema_mismatch"


def full_disk(path: Path) -> StoreFullError:
    """The disk under ``path`` has no room."""
    return StoreFullError(
        f"the disk is full; nothing of this batch was written ({path})",
        hint="free some space and run the command again: what was written before is kept",
    )


def of_system(error: OSError, path: Path) -> StoreError:
    """What the operating system refused of ``path``, as an error of the store."""
    if is_full_disk(error):
        return full_disk(path)
    if error.errno == errno.EROFS:
        return read_only_store(path, "it lies on a medium that is read-only")
    return StoreError(
        f"{path} cannot be used: {error.strerror or error}",
        hint="check the folder's rights, or choose another with MEMORY_HOME",
    )


def read_only_store(path: Path, reason: str) -> StoreReadOnlyError:
    """``path`` belongs to a store that can be read and not written."""
    told = read_only(f"{path}: {reason}")
    return StoreReadOnlyError(str(told), hint=told.hint)
