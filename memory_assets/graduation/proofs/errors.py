"""Broken invariants and missing resources of the proof layer. What a checker says of a session is a value, not an error."""

from __future__ import annotations

from memory_assets.errors import MemoryAssetsError


class GraduationError(MemoryAssetsError):
    """Something in the proof layer failed that is not a verdict."""

    code = "graduation"


class UnwritableError(GraduationError):
    """A value that no module can hold reached the writer: the generator decides such values before it writes."""

    code = "unwritable"


class CacheUnusableError(GraduationError):
    """The folder in which the built Idris package is kept cannot be used."""

    code = "idris_cache"


class CheckerUnavailableError(GraduationError):
    """The checker that was asked for cannot be used."""

    code = "checker_unavailable"
