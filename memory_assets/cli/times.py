"""A time that a person gives: how it may be written, and that it is UTC."""

from __future__ import annotations

from datetime import UTC, datetime

TIMES = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"]


def utc(given: datetime | None) -> datetime | None:
    """What was given, in UTC; None where nothing was."""
    return None if given is None else given.replace(tzinfo=UTC)
