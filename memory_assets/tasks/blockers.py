"""What tasks wait for that no cluster has to say: artifacts that a text names, what nobody named."""

from __future__ import annotations

from functools import lru_cache

from memory_assets.tasks.canonical import artifact_id, condition_id, condition_key, task_id
from memory_assets.tasks.model import Blocker
from memory_assets.tasks.references import references_in

UNKNOWN = "(unknown blocker)"
"""How it is shown that a task is blocked and nobody said by what."""


def named_artifacts(text: str, project_key: str) -> tuple[Blocker, ...]:
    """The pull requests, issues, addresses, files and commits that a blocker's text names, each once, in its order."""
    keys = dict.fromkeys(reference.canonical_key for reference in references_in(text, project_key, is_blocker=True))
    return tuple(Blocker("artifact", artifact_id(key), text, 1.0) for key in keys)


def placeholder_key(project_key: str, task_key: str) -> str:
    """The key of the condition that stands for what blocks this task and was not said.

    It holds no word of the task: whoever says that a task is blocked need not be the session that gave it its title.
    """
    return condition_key(project_key, f"unknown blocker {task_id(task_key)}")


@lru_cache(maxsize=1 << 12)
def placeholder_id(project_key: str, task_key: str) -> str:
    """The id of the condition that stands for what blocks this task and was not said."""
    return condition_id(placeholder_key(project_key, task_key))


def placeholder(project_key: str, task_key: str) -> Blocker:
    """What a blocked task waits for as long as nobody says what it is."""
    return Blocker("condition", placeholder_id(project_key, task_key), UNKNOWN, 0.0, auto_placeholder=True)
