"""Projects that are left out: nothing that is said in them is kept, and nothing is told.

A file ``.memoryignore`` in the project's folder says so, or one in a folder above it, or the list in the store's folder.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from memory_assets.hooks.folders import HookFolders, replace_file

MARK = ".memoryignore"
LIST = "off.json"


def is_left_out(folders: HookFolders, cwd: str | None) -> bool:
    """Whether nothing of what is said in a folder is kept."""
    if not cwd:
        return False
    # As it was given and as it is: a link to a project that is left out leads into it.
    above = {str(one): one for name in (cwd, _real(cwd)) for one in (Path(name), *Path(name).parents)}
    listed = set(map(_real, left_out(folders)))
    return not listed.isdisjoint(above) or any(_is_there(one / MARK) for one in above.values())


def left_out(folders: HookFolders) -> tuple[str, ...]:
    """The folders of the list."""
    try:
        listed = json.loads((folders.root / LIST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ()
    return tuple(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else ()


def leave_out(folders: HookFolders, folder: Path) -> bool:
    """Put a folder on the list; whether it was not there."""
    listed = set(map(_real, left_out(folders)))
    if (named := _real(str(folder))) in listed:
        return False
    replace_file(folders.root / LIST, json.dumps(sorted({*listed, named}), indent=2) + "\n")
    return True


def take_back(folders: HookFolders, folder: Path) -> bool:
    """Take a folder from the list; whether it was there."""
    listed = set(map(_real, left_out(folders)))
    if (named := _real(str(folder))) not in listed:
        return False
    replace_file(folders.root / LIST, json.dumps(sorted(listed - {named}), indent=2) + "\n")
    return True


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _real(path: str) -> str:
    """The one name of a folder, without links and steps back; of what can be none, what was given."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path
