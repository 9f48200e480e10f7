"""Whether a file of the sessions folder has lain still: one that is being written is taken when it is whole."""

from __future__ import annotations

import time
from pathlib import Path

from memory_assets.sessions.files import SourceFile, has_settled


def is_settled(file: SourceFile, seconds: float) -> bool:
    """Whether nobody has written to a file for so long; false where it is gone."""
    try:
        age = time.time() - Path(file.path).stat().st_mtime
    except OSError:
        return False
    return has_settled(age, seconds)
