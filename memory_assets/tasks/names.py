"""The name of a title and of what is waited for: the normal form by which a task or condition is recognised."""

from __future__ import annotations

from memory_assets.identifiers import sha256_hex
from memory_assets.tasks import blockers
from memory_assets.tasks.canonical import normalize, task_key
from memory_assets.tasks.model import BlockerText
from memory_assets.tasks.naming import blocker_title, task_title
from memory_assets.tasks.references import named_task, references_in

Node = tuple[str, str]
"""A project's key and a name in it."""

_ID_PREFIX = "tsk_"


def title_name(title: str) -> str:
    """The name of a task with this title; of one without a letter or digit a hash, for it is a task all the same."""
    return normalize(task_title(title)) or _hash(title)


def blocker_text(text: str, project_key: str) -> BlockerText:
    """What a task is said to wait for, with its name: that of a title, the id of the task that it names outright, or none
    where it names artifacts or says nothing."""
    if not text.strip() or references_in(text, project_key, is_blocker=True):
        return BlockerText(text, "")
    return BlockerText(text, named_task(text) or normalize(blocker_title(text)) or _hash(text))


def _hash(text: str) -> str:
    # Whatever a terminal hands over has a name, also half a character.
    return sha256_hex(text.encode("utf-8", "backslashreplace").decode())[:16]


def is_task_id(name: str) -> bool:
    """Whether a name is a task's id, named outright. No normal form has an underscore."""
    return name.startswith(_ID_PREFIX)


def placeholder_id(project_key: str, name: str, occurrence: int = 1) -> str:
    """The id of the condition that stands for what a task does not say it waits for."""
    return blockers.placeholder_id(project_key, task_key(project_key, name, occurrence))
