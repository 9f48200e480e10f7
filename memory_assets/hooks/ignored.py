"""Projects that are left out: nothing that is said in them is kept, and nothing is told.

A file ``.memoryignore`` in the project's folder says so, or one in a folder above it, or the list in the store's folder.
"""

from __future__ import annotations

import json
from pathlib import Path

from memory_assets.hooks.folders import HookFolders, replace_file

MARK = ".memoryignore"
LIST = "off.json"


def is_left_out(folders: HookFolders, cwd: str | None) -> bool:
    """Whether nothing of what is said in a folder is kept."""
    if not cwd:
        return False
    folder = Path(cwd)
    above = (folder, *folder.parents)
    listed = left_out(folders)
    return any(str(one) in listed for one in above) or any(_is_there(one / MARK) for one in above)


def left_out(folders: HookFolders) -> tuple[str, ...]:
    """The folders of the list."""
    try:
        listed = json.loads((folders.root / LIST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ()
    return tuple(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else ()


def leave_out(folders: HookFolders, folder: Path) -> bool:
    """Put a folder on the list; whether it was not there."""
    listed = left_out(folders)
    if str(folder) in listed:
        return False
    replace_file(folders.root / LIST, json.dumps(sorted((*listed, str(folder))), indent=2) + "\n")
    return True


def take_back(folders: HookFolders, folder: Path) -> bool:
    """Take a folder from the list; whether it was there."""
    listed = left_out(folders)
    if str(folder) not in listed:
        return False
    replace_file(folders.root / LIST, json.dumps([one for one in listed if one != str(folder)], indent=2) + "\n")
    return True


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False
