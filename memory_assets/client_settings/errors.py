"""What a change of another program's settings can fail at."""

from __future__ import annotations

from memory_assets.errors import MemoryAssetsError


class ClientConfigError(MemoryAssetsError):
    """A client's settings file that cannot be read, understood or changed; it is as it was."""

    code = "config_invalid"
