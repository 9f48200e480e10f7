"""Whether a disk has room for what is to be committed."""

from __future__ import annotations

import shutil
from pathlib import Path

from memory_assets.log.errors import full_disk

# Without so much room nothing is committed. Where a commit finds the disk full, DuckDB 1.5 takes back what it did; a key that
# was deleted and written again in the same transaction it cannot take back, and ends the process.
NEEDED_BYTES = 4_000_000


def check_room(path: Path) -> None:
    """Refuse to commit to a file whose disk has no room.

    Raises:
        StoreFullError
    """
    if shutil.disk_usage(path.parent).free < NEEDED_BYTES:
        raise full_disk(path)
