"""What stands around every page: its places, in the order in which they are shown."""

from __future__ import annotations

from typing import Final, NamedTuple


class Place(NamedTuple):
    """An entry of the navigation; ``name`` is its word in ``nav`` too."""

    name: str
    path: str


PLACES: Final = (
    Place("today", "/today"),
    Place("projects", "/projects"),
    Place("sessions", "/sessions"),
    Place("tasks", "/tasks"),
    Place("conflicts", "/conflicts"),
    Place("lessons", "/lessons"),
    Place("cases", "/cases"),
    Place("prompts", "/prompts"),
    Place("search", "/search"),
    Place("ask", "/ask"),
    Place("events", "/events"),
    Place("health", "/health"),
    Place("privacy", "/privacy"),
)


def is_here(place: Place, path: str) -> bool:
    """Whether a page belongs to a place."""
    return path == place.path or path.startswith(f"{place.path}/") or (place.name == "today" and path == "/")
