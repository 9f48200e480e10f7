"""Times as session files spell them, brought to aware UTC."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime

_NUMBER = re.compile(r"-?\d{1,20}(?:\.\d{1,12})?")
_OTHER_SEPARATORS = re.compile(r"(\d{4})[./](\d{1,2})[./](\d{1,2})\b\.?")
_EARLIEST, _LATEST = 2000, 2100


def parse_time(value: object) -> datetime | None:
    """An aware UTC time, or None where ``value`` is none or cannot be when a session took place.

    Taken: ISO 8601 (``T`` or a blank, any fraction, ``Z`` or an offset; a time without a zone counts as UTC), dates with
    ``/`` or ``.``, a trailing ``UTC`` or ``GMT``, and epoch numbers in seconds, milli-, micro- or nanoseconds, as numbers
    or as text. Years outside 2000 to 2100 are clock errors and give None.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return _from_epoch(value)
    if isinstance(value, str):
        return _from_text(value.strip())
    return None


def _from_text(text: str) -> datetime | None:
    if not text or len(text) > 64:
        return None
    if _NUMBER.fullmatch(text) and len(text) != 8:  # eight digits are a date: 20260209
        return _from_epoch(float(text))
    if text.endswith((" UTC", " GMT")):
        text = text[:-4] + "Z"
    text = _OTHER_SEPARATORS.sub(lambda m: f"{m[1]}-{m[2]:0>2}-{m[3]:0>2}", text, count=1)
    try:
        return _within_reason(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return None


def _from_epoch(number: int | float) -> datetime | None:
    try:
        seconds = float(number)
    except OverflowError:
        return None
    if not math.isfinite(seconds):
        return None
    for limit, unit in ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3)):
        if abs(seconds) >= limit:
            seconds /= unit
            break
    try:
        return _within_reason(datetime.fromtimestamp(seconds, tz=UTC))
    except (ValueError, OverflowError, OSError):
        return None


def _within_reason(moment: datetime) -> datetime | None:
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return aware if _EARLIEST <= aware.year <= _LATEST else None
