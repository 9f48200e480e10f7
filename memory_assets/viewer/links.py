"""Addresses of pages. What is put into one is quoted for it, so that no text leads out of its place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import quote, urlencode

from memory_assets.viewer.words import Own

if TYPE_CHECKING:
    from collections.abc import Sequence

_PLACE: Final = re.compile(r"(?:terminal:)?session:([^#]+)#m=(\d+)(?:&c=([\d,-]+))?")


class HasUri(Protocol):
    """Whatever says where it stands."""

    @property
    def uri(self) -> str | None: ...


def with_query(path: str, **given: object) -> Own:
    """A path of ours with what is given; what is None is left out."""
    asked = urlencode({name: str(value) for name, value in given.items() if value is not None})
    return Own(f"{path}?{asked}" if asked else path)


def session_link(session_id: str, **given: object) -> Own:
    """The page of a session."""
    return with_query(f"/sessions/{quote(session_id, safe='')}", **given)


def message_link(session_id: str, index: int, segments: Sequence[tuple[int, int]] = ()) -> Own:
    """The place of a message on the page of its session, with the cited characters."""
    characters = ",".join(f"{start}-{end}" for start, end in segments) or None
    return Own(f"{session_link(session_id, m=index, c=characters)}#m{index}")


def cited_link(uri: str | None) -> Own | None:
    """The page that shows what an address names, at these words; None for what lies outside the store."""
    if uri is None:
        return None
    if uri.startswith("mem:"):
        return memory_link(uri)
    if (place := _PLACE.fullmatch(uri)) is None:
        return None
    session_id, index, characters = place.groups()
    return Own(f"{session_link(session_id, m=index, c=characters)}#m{index}")


def memory_link(citation: str | None) -> Own | None:
    """The page of a memory, by its address or id."""
    return None if citation is None else Own(f"/memories/{quote(citation.removeprefix('mem:'), safe='')}")


def project_link(project: str) -> Own:
    """The page of a project. A project may be called anything, a path among it."""
    return Own(f"/projects/{quote(project, safe='')}")


def prompt_link(role: str) -> Own:
    """The page of a role's prompt. A role may be called anything, a path among it."""
    return Own(f"/prompts/{quote(role, safe='')}")


def lesson_link(lesson_id: str) -> Own:
    """The page of a lesson."""
    return Own(f"/lessons/{quote(lesson_id, safe='')}")


def case_link(case_id: str) -> Own:
    """The page of a case."""
    return Own(f"/cases/{quote(case_id, safe='')}")


def task_link(task_id: str) -> Own:
    """The page of a task."""
    return Own(f"/tasks/{quote(task_id, safe='')}")
