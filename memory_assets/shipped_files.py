"""Where the files that ship with the package lie: in the wheel beside the code, in a checkout at its top."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from memory_assets.errors import MemoryAssetsError


def shipped_folder(name: Literal["sql", "idris"]) -> Path:
    """The folder of the schema's statements or of the Idris package.

    Raises:
        MemoryAssetsError: when the installation is incomplete.
    """
    return _found(name)


def shipped_file(name: Literal["dagster.yaml"]) -> Path:
    """A single file that ships with the package.

    Raises:
        MemoryAssetsError: when the installation is incomplete.
    """
    return _found(name)


def _found(name: str) -> Path:
    package = Path(__file__).resolve().parent
    for candidate in (package / name, package.parent / name):
        if candidate.exists():
            return candidate
    raise MemoryAssetsError(f"{name!r} is missing beside the package", hint="reinstall memory_assets")
