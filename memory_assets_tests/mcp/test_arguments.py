"""What the tools take: the words of the façade, checked before anything is opened."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from memory_assets.errors import InvalidArgumentError
from memory_assets.mcp import arguments
from memory_assets.mcp.arguments import DetailsArguments, SearchArguments, TimelineArguments, moment
from memory_assets.mcp.tools import TOOLS, WRITING_TOOLS
from memory_assets.queries.tasks import Which
from memory_assets.queries.timeline import MOST_WINDOW
from memory_assets.results.registry import PRINTED
from memory_assets.search import request


@pytest.mark.parametrize(
    ("here", "there"),
    [
        (arguments.Role, request.ROLES),
        (arguments.WhichBlocked, [which for which in get_args(Which) if which not in ("all", "quiet")]),
    ],
)
def test_the_words_are_those_of_the_facade(here: Any, there: Any) -> None:
    assert sorted(get_args(here)) == sorted(there)


def test_every_tool_gives_something_that_has_a_schema() -> None:
    tools = [*TOOLS, *WRITING_TOOLS]
    assert len({tool.name for tool in tools}) == len(tools)
    assert {tool.output.schema_id for tool in tools} <= set(PRINTED)
    assert [tool.name for tool in tools if tool.writes] == ["feedback", "propose_prompt_update"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, None),
        ("2025-01-31", datetime(2025, 1, 31, tzinfo=UTC)),
        ("2025-01-31T10:00:00", datetime(2025, 1, 31, 10, tzinfo=UTC)),
        ("2025-01-31T10:00:00+09:00", datetime(2025, 1, 31, 10, tzinfo=timezone(timedelta(hours=9)))),
        ("2025-01-31T10:00:00Z", datetime(2025, 1, 31, 10, tzinfo=UTC)),
    ],
)
def test_days_and_times(text: str | None, told: datetime | None) -> None:
    assert moment(text, "since") == told


# In UTC the first lies before the first year, the second behind the last.
BEYOND = ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00")


@pytest.mark.parametrize("text", ["", "last week", "2025-13-01", "2025-02-30", "x" * 10, "9" * 10_000, *BEYOND])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^since: "):
        moment(text, "since")


def test_one_id_is_a_list_of_one() -> None:
    assert DetailsArguments.model_validate({"ids": "mem:a7Bc3x"}).ids == ["mem:a7Bc3x"]
    for ids in ([], [1], {"id": "x"}, None):
        with pytest.raises(ValidationError):
            DetailsArguments.model_validate({"ids": ids})


def test_one_word_is_a_list_of_one() -> None:
    asked = SearchArguments.model_validate({"query": "x", "kinds": "entry", "roles": "user", "files": "pool.py"})
    assert (asked.kinds, asked.roles, asked.files) == (("entry",), ("user",), ("pool.py",))
    assert SearchArguments.input_schema()["properties"]["kinds"]["type"] == "array"
    with pytest.raises(ValidationError, match="should be"):
        SearchArguments.model_validate({"query": "x", "kinds": "secrets"})


def test_what_the_window_may_be_is_what_can_be_shown() -> None:
    assert TimelineArguments.input_schema()["properties"]["window"]["maximum"] == MOST_WINDOW


def test_numbers_are_numbers() -> None:
    for limit in (0, -1, 201, 1.5, "x", 10**400):
        with pytest.raises(ValidationError):
            SearchArguments.model_validate({"query": "x", "limit": limit})
