"""What can fail with a backup, beside what can fail in a store."""

from __future__ import annotations

from memory_assets.errors import MemoryAssetsError


class BackupInvalidError(MemoryAssetsError):
    """The file is no backup, or not the whole of one; nothing was changed."""

    code = "backup_invalid"


class FileExistsAlreadyError(MemoryAssetsError):
    """Something stands where the result would go, and is kept."""

    code = "exists_already"
