"""The names that tools and models have for the status and the priority of a task."""

from __future__ import annotations

import re

from memory_assets.vocabulary import Priority, TaskStatus

_STATUSES: dict[TaskStatus, str] = {
    "pending": "pending todo to_do open new planned not_started not_yet_started backlog queued",
    "in_progress": "in_progress inprogress active doing wip started ongoing working",
    "blocked": "blocked waiting stuck",
    "done": "done completed complete finished closed resolved fixed",
    "cancelled": "cancelled canceled deleted dropped wont_do wont_fix abandoned",
}
_PRIORITIES: dict[Priority, str] = {
    "low": "low minor lowest p3 p4 nice_to_have optional",
    "medium": "medium normal moderate p2",
    "high": "high important major urgent p1",
    "critical": "critical highest blocker p0",
}
_STATUS_OF = {name: status for status, names in _STATUSES.items() for name in names.split()}
_PRIORITY_OF = {name: priority for priority, names in _PRIORITIES.items() for name in names.split()}
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MOST = 40


def plain_name(name: str) -> str:
    """A name in lower case, its words joined by ``_``: ``In Progress``, ``inProgress`` and ``in-progress`` are one."""
    return HUMP.sub("_", name.strip()[:_MOST]).replace("-", "_").replace(" ", "_").replace("'", "").lower()


def status_named(name: str) -> TaskStatus | None:
    """The status that a tool or model means by this name; None for one that is not known."""
    return _STATUS_OF.get(plain_name(name))


def priority_named(name: str) -> Priority | None:
    """The priority that a tool or model means by this name; None for one that is not known."""
    return _PRIORITY_OF.get(plain_name(name))
