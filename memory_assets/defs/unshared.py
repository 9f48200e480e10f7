"""What stays on this machine though its store mirrors a log that others share: sessions of projects that are not shared.

They are left where they lie, in front of the first event that would name them (decision 0049).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memory_assets.errors import MemoryAssetsError
from memory_assets.sessions.model import Defect, SourceTaken
from memory_assets.settings import Settings


class ProjectNotSharedError(MemoryAssetsError):
    """A session's files say of another project than when they were registered, and that one is not shared."""

    code = "project_not_shared"


def without_unshared(
    taken: SourceTaken, settings: Settings, project: str | None, given: Mapping[str, str | None]
) -> tuple[SourceTaken, list[Defect]]:
    """A file without the sessions that are not shared, and each of those by its reason.

    Args:
        project: the one that a person gives for all of them.
        given: by session, the one that a person gave before.
    """
    stays = [
        session
        for session in taken.sessions
        if not settings.takes_in(project or given.get(session.session_id) or session.project)
    ]
    if not stays:
        return taken, []
    sessions = tuple(session for session in taken.sessions if session not in stays)
    # What is wrong in the file may be wrong in them.
    return replace(taken, sessions=sessions, defects=()), [_not_shared(taken.path, session.session_id) for session in stays]


def _not_shared(path: str, session_id: str) -> Defect:
    return Defect(path, None, "project_not_shared", f"session {session_id}: sharing.projects does not name its project")
