"""The project that a folder belongs to, by the names in its path alone: a session's folder may be another machine's."""

from __future__ import annotations

import re

_IN_THE_REPOSITORY = ((".worktrees",), (".claude", "worktrees"), (".conductor",))
"""Folders of a repository in which tools check its branches out."""
_BY_REPOSITORY = ((".cursor", "worktrees"),)
"""Folders of a person that hold one for each repository, and its checkouts in it."""


def last_path_component(path: str | None) -> str | None:
    """The last part of a POSIX or Windows path; None where there is none."""
    parts = _parts(path)
    return parts[-1] if parts else None


def project_of_folder(path: str | None) -> str | None:
    """The name of the repository where the folder is one of its work trees, else the last part of the path, or None."""
    parts = _parts(path)
    for place in range(len(parts)):
        for names in _IN_THE_REPOSITORY:
            if place and parts[place : place + len(names)] == names:
                return parts[place - 1]
        for names in _BY_REPOSITORY:
            behind = place + len(names)
            if parts[place:behind] == names and behind < len(parts):
                return parts[behind]
    return parts[-1] if parts else None


def _parts(path: str | None) -> tuple[str, ...]:
    return tuple(part for part in re.split(r"[/\\]", path or "") if part)
