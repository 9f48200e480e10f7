"""What goes wrong where tasks are resolved; what sessions and people say never does."""

from __future__ import annotations

from memory_assets.errors import MemoryAssetsError


class BlockerNotFollowedError(MemoryAssetsError):
    """What a task waits for was not looked up."""

    code = "blocker_not_followed"
