"""What asking can fail at."""

from __future__ import annotations

from memory_assets.errors import InvalidArgumentError


class AmbiguousIdError(InvalidArgumentError):
    """A shortened id that several things begin with."""
