from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.sessions.times import parse_time

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "value",
    [
        "2026-03-01T12:00:00Z",
        "2026-03-01T12:00:00.000000000Z",
        "2026-03-01T21:00:00+09:00",
        "2026-03-01 12:00",
        "2026/3/1 12:00:00",
        "2026.03.01 12:00",
        "2026-03-01 12:00:00 UTC",
        NOON.timestamp(),
        int(NOON.timestamp() * 1000),
        int(NOON.timestamp() * 1_000_000),
        int(NOON.timestamp()) * 10**9,
        str(int(NOON.timestamp())),
    ],
)
def test_the_spellings_of_noon(value: object) -> None:
    assert parse_time(value) == NOON


@pytest.mark.parametrize(
    "value",
    [
        *(None, "", "yesterday", True, 0, 5, -1, 10**400, float("nan"), float("inf"), [], {}),
        *("1969-12-31", "0001-01-01T00:00:00+14:00", "9999-12-31", "2026-02-30", "2026-13-01T00:00:00Z"),
        *("9" * 20, "x" * 10_000),
    ],
)
def test_what_cannot_be_a_sessions_time(value: object) -> None:
    assert parse_time(value) is None


@given(st.one_of(st.text(max_size=70), st.floats(), st.integers(), st.datetimes().map(str)))
def test_any_value_gives_an_aware_time_of_this_century_or_none(value: object) -> None:
    moment = parse_time(value)
    assert moment is None or (moment.tzinfo is UTC and 2000 <= moment.year <= 2100)
