"""The leaf ``ledgers``: what the UI shows of runs, stages and refusals, and what it costs when nothing moved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.defs import leaves
from memory_assets.defs.code_location import build_definitions
from memory_assets.defs.leaves import ledgers
from memory_assets.defs.materializing import QUIET
from memory_assets.memory import Memory
from memory_assets.settings import Settings
from memory_assets.vocabulary import PIPELINE_STAGES
from memory_assets_tests.defs.conftest import Import
from memory_assets_tests.defs.files import chat, talk


def materialize(settings: Settings, instance: dg.DagsterInstance) -> dict[str, Any]:
    """Made by hand, as in the UI; what its page shows then."""
    job = build_definitions(settings).resolve_implicit_global_asset_job_def()
    done = job.get_subset(asset_selection={ledgers.key}).execute_in_process(instance=instance, run_config=QUIET)
    assert done.success
    return shown(instance)


def shown(instance: dg.DagsterInstance) -> dict[str, Any]:
    event = instance.get_latest_materialization_event(ledgers.key)
    assert event is not None and event.asset_materialization is not None
    return dict(event.asset_materialization.metadata)


def records(table: Any) -> list[dict[str, Any]]:
    assert isinstance(table, dg.TableMetadataValue)
    return [dict(record.data) for record in table.records]


@pytest.mark.long
def test_an_import_leaves_the_ledgers_on_their_page(
    inbox: Path, settings: Settings, take: Import, unrecorded: dg.DagsterInstance
) -> None:
    take(chat(inbox, "said", talk(1)))
    page = shown(unrecorded)
    (own,) = records(page["last_builds"])
    # The run that makes it has not ended then.
    assert (own["status"], own["sessions"], own["extractor"], own["error"]) == ("running", 1, "rules", None)
    assert [row["stage"] for row in records(page["times_by_stage"])] == list(PIPELINE_STAGES)
    assert {row["slowest session"] for row in records(page["times_by_stage"])} == {"said"}
    ladder = {row["stage"]: row["entries"] for row in records(page["entries_by_stage"])}
    assert ladder == dict(Memory(settings).stats().entries_by_stage)
    assert page["refusals"].value == 0 and records(page["refusals_by_reason"]) == []

    again = materialize(settings, unrecorded)
    (ended,) = records(again["last_builds"])
    assert (ended["status"], ended["build"]) == ("success", own["build"]) and ended["seconds"] > 0
    assert "PostgreSQL" not in repr(again)


@pytest.mark.long
def test_when_the_log_has_not_moved_nothing_is_counted_again(
    inbox: Path, settings: Settings, take: Import, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(chat(inbox, "said", talk(1)))
    before = materialize(settings, unrecorded)

    def unasked(*_: Any, **__: Any) -> Any:
        raise AssertionError("it was counted again")

    monkeypatch.setattr(leaves, "list_builds", unasked)
    assert materialize(settings, unrecorded) == before


def test_an_empty_store_has_empty_ledgers(settings: Settings, unrecorded: dg.DagsterInstance) -> None:
    page = materialize(settings, unrecorded)
    assert page["builds"].value == 0 and records(page["last_builds"]) == records(page["times_by_stage"]) == []
