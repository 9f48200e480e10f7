"""The leaf ``task_board``: what its page shows, what it keeps to itself, and what it costs when nothing moved."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.configuration import Resources
from memory_assets.defs import task_board
from memory_assets.defs.checks import ON_REQUEST, tasks_replay_equal
from memory_assets.defs.code_location import build_definitions
from memory_assets.defs.markdown import cell
from memory_assets.defs.materializing import QUIET
from memory_assets.defs.resources import EventLogResource
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.defs.conftest import Import
from memory_assets_tests.defs.files import chat
from memory_assets_tests.queries.task_tables import TaskTables

ASSET = task_board.task_board


def materialize(settings: Settings, instance: dg.DagsterInstance) -> dict[str, Any]:
    """Made by hand, as in the UI; what its page shows then."""
    job = build_definitions(settings).resolve_implicit_global_asset_job_def()
    done = job.get_subset(asset_selection={ASSET.key}, asset_check_selection=set(ASSET.check_keys)).execute_in_process(
        instance=instance, run_config=QUIET
    )
    assert done.success
    return shown(instance)


def shown(instance: dg.DagsterInstance) -> dict[str, Any]:
    event = instance.get_latest_materialization_event(ASSET.key)
    assert event is not None and event.asset_materialization is not None
    return dict(event.asset_materialization.metadata)


def checked(instance: dg.DagsterInstance) -> dict[str, bool]:
    found = instance.event_log_storage.get_latest_asset_check_execution_by_key(list(ASSET.check_keys))
    return {key.name: record.event.asset_check_evaluation.passed for key, record in found.items()}  # type: ignore[union-attr]


def fill(settings: Settings) -> dict[str, str]:
    with Resources(settings).database.writing() as connection:
        made = TaskTables(connection)
        going = made.task("Fix | the <b>login</b>", "in_progress", priority="high")
        stuck = made.task("Ship *it*", "blocked", days=2, status_days=1)
        made.task("over", "done")
        made.blocked(stuck, made.artifact("art:gh_pr:acme/shop:12", "acme/shop#12", status="settled"), raw="PR 12")
        made.blocked(stuck, made.condition("the weather"), raw="the weather")
        made.blocked(stuck, made.condition("(unknown blocker)", placeholder=True), raw="(unknown blocker)")
        made.blocked(stuck, going, raw="the login", suggested=True)
        made.cycle(going, stuck)
    return {"going": going[:12], "stuck": stuck[:12]}


def test_an_import_leaves_the_board_on_its_page(inbox: Path, take: Import, unrecorded: dg.DagsterInstance) -> None:
    take(
        chat(inbox, "said", ["TODO: rotate the amber key before the release.", "We decided to keep PostgreSQL 16 for orders."])
    )
    page = shown(unrecorded)
    assert sum(page[status].value for status in task_board.STATUSES) >= 1
    assert "| task | priority |" in page["board"].value and "amber" not in repr(page)
    assert checked(unrecorded) == {"no_blocker_cycles": True}


@pytest.mark.long
def test_a_person_may_ask_whether_a_replay_gives_the_board_again(
    settings: Settings, inbox: Path, take: Import, unrecorded: dg.DagsterInstance
) -> None:
    take(chat(inbox, "said", ["TODO: rotate the amber key before the release."]))
    resource = EventLogResource(settings_json=settings.model_dump_json())
    asked = tasks_replay_equal(resource)
    assert isinstance(asked, dg.AssetCheckResult) and asked.passed and asked.metadata["differences"].value == 0
    with Resources(settings).database.writing() as connection:
        connection.execute("DELETE FROM edges")
    asked = tasks_replay_equal(resource)
    assert isinstance(asked, dg.AssetCheckResult) and not asked.passed
    assert "amber" not in repr(asked.metadata)
    # No import pays for it.
    assert not unrecorded.event_log_storage.get_latest_asset_check_execution_by_key(list(ON_REQUEST))


def test_without_leave_it_shows_states_and_numbers_alone(settings: Settings, unrecorded: dg.DagsterInstance) -> None:
    ids = fill(settings)
    page = materialize(settings, unrecorded)
    board = page["board"].value
    assert f"| `{ids['going']}` | high | shop |  | 2025-01-02 | 2025-01-02 |" in board
    assert f"| `{ids['stuck']}` |  | shop | 1 unknown; 1 condition; 1 artifact, cleared | 2025-01-03 | 2025-01-04 |" in board
    assert "**Done** 1" in board and board.count("\n| `") == 2
    for word in ("login", "Ship", "weather", "acme"):
        assert word not in repr(page)
    assert (page["blocked"].value, page["pending"].value, page["blocker_cycles"].value) == (1, 0, 1)
    assert checked(unrecorded) == {"no_blocker_cycles": False}


def test_with_leave_titles_are_shown_as_text_and_nothing_else(tmp_path: Path, unrecorded: dg.DagsterInstance) -> None:
    settings = load_settings({"dagster": {"show_quotes": True}})
    fill(settings)
    board = materialize(settings, unrecorded)["board"].value
    assert r"Fix \| the &lt;b&gt;login&lt;/b&gt;" in board and r"Ship \*it\*" in board
    assert r"✓ acme/shop\#12" in board
    assert cell("a\nb | c") == r"a b \| c" and len(cell("x" * 500)) == 160
    # What was shown with leave is not kept without it.
    assert "login" not in repr(materialize(load_settings(), unrecorded))


def test_when_the_log_has_not_moved_nothing_is_counted_again(
    settings: Settings, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = materialize(settings, unrecorded)
    assert before["board"].value == "no tasks"

    def unasked(*_: Any, **__: Any) -> Any:
        raise AssertionError("it was counted again")

    monkeypatch.setattr(task_board, "list_tasks", unasked)
    assert materialize(settings, unrecorded) == before


def test_a_large_board_is_cut() -> None:
    from memory_assets.results.tasks import TaskView

    at = datetime(2025, 1, 1, tzinfo=UTC)
    tasks = [
        TaskView(
            task_id=f"tsk_{n}",
            canonical_key="k",
            title="t",
            status="pending",
            priority=None,
            project=None,
            blockers=(),
            evidence=(),
            requested_status=None,
            stage="verified",
            entity_status="active",
            created_at=at,
            status_since=at,
            last_said_at=at,
        )
        for n in range(130)
    ]
    text = task_board.board(tasks, shows_titles=False)
    assert text.count("\n| `") == task_board.SHOWN_TASKS and "**Pending** 130" in text and "… and 30 more" in text
