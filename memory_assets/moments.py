"""Moments as whole numbers since 1970: what the log, the index, exports and proofs keep of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_MILLISECOND = timedelta(milliseconds=1)


def microseconds_of(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


def milliseconds_of(moment: datetime) -> int:
    """Whole milliseconds; what is left of the last one is dropped."""
    return (moment - _EPOCH) // _MILLISECOND


def moment_of(microseconds: int) -> datetime:
    """The moment in UTC.

    Raises:
        OverflowError: it lies outside the years that there are.
    """
    return _EPOCH + timedelta(microseconds=microseconds)
