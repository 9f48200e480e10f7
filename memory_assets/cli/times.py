"""A time that a person gives: how it may be written, and that it is UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from memory_assets.errors import InvalidArgumentError

TIMES = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"]

_AGO = re.compile(r"([0-9]{1,5})([mhdw])")
_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


def utc(given: datetime | None) -> datetime | None:
    """What was given, in UTC; None where nothing was."""
    return None if given is None else given.replace(tzinfo=UTC)


def moment_of(option: str, text: str, now: datetime) -> datetime:
    """The moment that `7d` or `2026-03-01` names, aware; a time without a zone is UTC.

    Args:
        option: where it was given, for the message.

    Raises:
        InvalidArgumentError: it names none.
    """
    try:
        if ago := _AGO.fullmatch(text.strip()):
            return now - int(ago[1]) * _UNITS[ago[2]]
        moment = datetime.fromisoformat(text.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidArgumentError(
            f"{option} {text[:100]!r} is no moment", hint=f"as in {option} 7d or {option} 2026-03-01T09:00"
        ) from error
