"""How this installation of the package is started by others."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def own_program() -> list[str]:
    """The command ``memory`` of this installation, by its absolute path."""
    # Never resolved: the interpreter of a virtual environment is a link, and behind it there is no package.
    script = Path(sys.executable).absolute().with_name("memory.exe" if os.name == "nt" else "memory")
    return [str(script)] if os.access(script, os.X_OK) else [str(Path(sys.executable).absolute()), "-m", "memory_assets"]
