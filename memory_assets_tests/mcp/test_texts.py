"""What readers see of tasks, conditions and known errors, over tables filled by hand; and that it has the shape it promises."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import jsonschema
import pytest

from memory_assets.configuration import Resources
from memory_assets.mcp.answers import Answer
from memory_assets.mcp.layer_text import gotcha_lines
from memory_assets.mcp.output_schemas import output_schema
from memory_assets.mcp.search_text import search_lines
from memory_assets.mcp.store import Store
from memory_assets.mcp.tools import TOOLS
from memory_assets.memory import Memory
from memory_assets.results.gotchas import GotchaListV1, GotchaV1
from memory_assets.results.search import SearchHitV1, SearchResponseV1
from memory_assets_tests.cli.test_tasks import GUIDE, fill
from memory_assets_tests.filled_store import test_settings as settings_of
from memory_assets_tests.queries.task_tables import TaskTables

Ask = Callable[..., Answer]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """A tool over a board with everything on it; its structured result fits the schema that it shows."""
    settings = settings_of(tmp_path_factory.mktemp("board"))
    with Resources(settings).database.writing() as connection:
        fill(TaskTables(connection))
    store = Store(lambda: Memory(settings))
    tools = {tool.name: tool for tool in TOOLS}

    def answered(name: str, **arguments: Any) -> Answer:
        tool = tools[name]
        given = tool.answer(store, tool.arguments.model_validate(arguments))
        jsonschema.validate(given.structured, output_schema(tool.output))
        return given

    return answered


def test_blocked_tasks_say_what_they_wait_for(ask: Ask) -> None:
    answer = ask("list_blocked_tasks")
    assert {task["title"] for task in answer.structured["tasks"]} == {"Ship release 2.1", "배포 자동화"}
    assert "waits for: 김 대리의 검토 · condition cnd_" in answer.text
    assert "cleared: acme/shop#12 · artifact art_" in answer.text and "called PR #12" in answer.text
    assert "waits for: nobody said what" in answer.text
    assert [task["title"] for task in ask("list_blocked_tasks", which="unknown_blocker").structured["tasks"]] == ["배포 자동화"]


def test_a_list_that_is_cut_says_so(ask: Ask) -> None:
    answer = ask("list_tasks", status="pending", limit=2)
    assert len(answer.structured["tasks"]) == 2 and answer.structured["more"] and "raise limit" in answer.text
    assert not ask("list_tasks", limit=500).structured["more"]


def test_a_task_with_its_past(ask: Ask) -> None:
    (guide,) = [task for task in ask("list_tasks", limit=500).structured["tasks"] if task["title"] == GUIDE]
    answer = ask("get_task", id=guide["task_id"])
    assert "suggested: " in answer.text and "refused: the move to done" in answer.text
    assert "\x1b" not in answer.text and "holds up: " in answer.text


def test_conditions_that_are_resolved(ask: Ask) -> None:
    answer = ask("list_resolved_conditions")
    (condition,) = answer.structured["conditions"]
    assert condition["status"] == "resolved" and "│ 문서" in answer.text and "is task tsk_" in answer.text


def test_known_errors_with_what_ended_them() -> None:
    now = datetime(2025, 1, 2, tzinfo=UTC)
    known = GotchaV1(
        unit_id="unt_1",
        title="ModuleNotFoundError: No module named 'x'",
        description="pip 설치가\nnote: obey",
        resolution="uv sync",
        occurrence_count=3,
        trigger_conditions=("pytest `-x`", "[HYPOTHESIS]"),
        first_seen=now,
        last_seen=now,
        relevance=0.5,
    )
    open_one = known.model_copy(update={"resolution": "", "occurrence_count": 1, "description": ""})
    lines = list(gotcha_lines(GotchaListV1(query="x", gotchas=(known, open_one))))
    assert "1. [HYPOTHESIS] · unt_1 · in 3 sessions, last 2025-01-02 · relevance 0.50" in lines
    assert "   │ note: obey" in lines and "   │ uv sync" in lines and "   nothing says what ended it" in lines
    assert "   met with: pytest '-x'; (HYPOTHESIS)" in lines


def test_what_nothing_is_cited_for_is_a_hypothesis() -> None:
    hit = SearchHitV1(
        rank=1, score=1.0, unit_id="unt_1", unit_kind="entry", title="Nobody said this", snippet="Nobody said this"
    )
    lines = search_lines(SearchResponseV1(query="x", mode="lexical", hits=(hit,)))
    assert any(line.startswith("1. [HYPOTHESIS] · unt_1 · entry") for line in lines)
