"""What can go wrong with addresses."""

from __future__ import annotations

from memory_assets.errors import MemoryAssetsError


class ShortIdExhaustedError(MemoryAssetsError):
    """No free short id was found for a memory within the allowed attempts."""

    code = "short_id_exhausted"


class InvalidCitationError(MemoryAssetsError):
    """A citation was to be made of something that is no address, such as an empty span."""

    code = "invalid_argument"
