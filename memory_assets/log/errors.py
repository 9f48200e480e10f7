"""What can fail in the store."""

from __future__ import annotations

from memory_assets.errors import MemoryAssetsError


class StoreError(MemoryAssetsError):
    """The store cannot be opened, read or written."""

    code = "io_error"


class StoreLockedError(StoreError):
    """Another process holds the store longer than a caller may wait."""

    code = "store_locked"


class StoreFullError(StoreError):
    """The disk is full; nothing of the batch was written."""

    code = "disk_full"


class SchemaMismatchError(StoreError):
    """The file's schema is not the one that this version was written for."""

    code = "schema_mismatch"


class HeadMovedError(StoreError):
    """Another process added a revision of the session since it was read; read again and repeat."""

    code = "head_moved"

    def __init__(self, session_ids: list[str]) -> None:
        super().__init__(
            f"these sessions changed while their batch was prepared: {', '.join(session_ids)}",
            hint="the work is repeated on the new history; run the command again if you see this",
        )
        self.session_ids = session_ids


class UnknownEventTypeError(StoreError):
    """The log holds an event that this version cannot read."""

    code = "schema_mismatch"
