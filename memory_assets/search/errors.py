"""What can go wrong in a search."""

from __future__ import annotations

from memory_assets.errors import MemoryAssetsError


class GoldenInvalidError(MemoryAssetsError):
    """A file of golden questions cannot be used."""

    code = "config_invalid"
