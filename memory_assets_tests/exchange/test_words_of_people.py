"""What people said of what was forgotten: its notes are words about it, and are exported as little as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_assets.commands import tasks
from memory_assets.configuration import Resources
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.forgetting import SessionForgotten, SessionUnforgotten
from memory_assets.projections.fold import catch_up
from memory_assets_tests.exchange.conftest import Store
from memory_assets_tests.filled_store import fill

NOTE = "the zelkovar review comes first"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(fill(tmp_path / "home"))
    ((task_id,),) = store.rows("SELECT entity_id FROM entities WHERE entity_type = 'task'")
    tasks.set_priority(Resources(store.settings), task_id, "high", by="Jo", note=NOTE)
    return store


def tell(store: Store, word: SessionForgotten | SessionUnforgotten) -> None:
    ((session_id,),) = store.rows("SELECT DISTINCT session_id FROM events WHERE session_id LIKE 'shop%' LIMIT 1")
    EventLog(Resources(store.settings).database).append([NewEvent(word, session_id=session_id, inputs=("now",))])


@pytest.mark.parametrize("is_folded", [True, False])
def test_a_note_goes_with_what_it_is_about(store: Store, tmp_path: Path, is_folded: bool) -> None:
    assert NOTE in store.export(tmp_path / "before").read_text()
    tell(store, SessionForgotten(reason="asked"))
    resources = Resources(store.settings)
    if is_folded:
        catch_up(resources.database, resources.configured_versions)
    assert NOTE not in store.export(tmp_path / "behind").read_text()
    assert "zelkovar" not in store.export(tmp_path / "of-the-project", project="shop").read_text()
    tell(store, SessionUnforgotten())
    assert NOTE in store.export(tmp_path / "again").read_text()
