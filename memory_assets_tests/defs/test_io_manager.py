"""The event log as Dagster's IO manager: a batch is one transaction, an input is the latest chain."""

from __future__ import annotations

from collections import Counter
from typing import Any

import dagster as dg
import duckdb
import pytest

from memory_assets.defs import run
from memory_assets.defs.batch import StageOutput
from memory_assets.defs.batches import FIRST_ITEMS
from memory_assets.defs.code_location import build_definitions
from memory_assets.defs.io_manager import EventLogIOManager
from memory_assets.defs.materializing import QUIET
from memory_assets.defs.resources import EventLogResource, open_store
from memory_assets.defs.run_failures import RunFailedError
from memory_assets.log import event_log
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.log.session_history import Alignment, Extraction, History, Materialization
from memory_assets.settings import Settings
from memory_assets.vocabulary import PIPELINE_STAGES
from memory_assets_tests.defs.conftest import GROWN, Import, Mixed
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.defs.state import events, rows


def manager(settings: Settings) -> EventLogIOManager:
    return EventLogIOManager(store=EventLogResource(settings_json=settings.model_dump_json()))


class Input:
    """What the IO manager looks at of Dagster's context."""

    def __init__(self, stage: str, *keys: str) -> None:
        self.asset_key = dg.AssetKey(stage)
        self.asset_partition_keys = keys


@pytest.mark.parametrize(
    ("stage", "kind"),
    [
        ("ingested", History),
        ("extracted", Extraction),
        ("aligned", Alignment),
        ("materialized", Materialization),
        ("idris_checked", StoredEvent),
        ("projected", StoredEvent),
    ],
)
def test_an_input_is_the_latest_chain(mixed_store: Mixed, stage: str, kind: type) -> None:
    open_store(mixed_store.settings).follow_versions()
    loader = manager(mixed_store.settings)
    one = loader.load_input(Input(stage, GROWN))  # type: ignore[arg-type]
    assert set(one) == {GROWN} and isinstance(one[GROWN], kind)
    several = loader.load_input(Input(stage, GROWN, "plain-0", "nobody"))  # type: ignore[arg-type]
    assert set(several) == {GROWN, "plain-0"} and several[GROWN] == one[GROWN]
    if isinstance(one[GROWN], History):
        assert one[GROWN].revision >= 1 and len(one[GROWN].messages) == 6


@pytest.mark.long
def test_a_batch_is_one_transaction(inbox: Any, settings: Settings, take: Import, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(FIRST_ITEMS):
        chat(inbox, f"s-{number}", talk(number))
    appends: Counter[str] = Counter()
    insert, append = event_log.insert_metrics, EventLog.append

    def counted(self: EventLog, batch: Any, **further: Any) -> Any:
        batch = list(batch)
        appends.update({event.event_type for event in batch})
        return append(self, batch, **further)

    def failing(connection: Any, metrics: Any, build: Any = None) -> None:
        # The events of the whole batch are inserted by now: what comes behind them in the transaction fails.
        if any(metric.stage == "aligned" for metric in metrics):
            raise duckdb.IOException("IO Error: broken")
        insert(connection, metrics, build)

    with monkeypatch.context() as patch:
        patch.setattr(EventLog, "append", counted)
        patch.setattr(event_log, "insert_metrics", failing)
        with pytest.raises(RunFailedError, match="stage aligned failed"):
            take(inbox)
    assert (appends["session_ingested"], appends["memory_extracted"], appends["evidence_aligned"]) == (1, 1, 1)
    assert len(events(settings, "memory_extracted")) == FIRST_ITEMS
    assert events(settings, "evidence_aligned", "window_aligned") == []
    assert rows(settings, "SELECT count(*) FROM pipeline_metrics WHERE stage = 'aligned'") == [(0,)]


@pytest.mark.long
def test_a_range_leaves_the_others_alone(mixed_copy: Mixed, unrecorded: dg.DagsterInstance) -> None:
    keys = sorted(mixed_copy.report.session_ids)
    unrecorded.add_dynamic_partitions("sessions", keys)
    job = build_definitions(mixed_copy.settings).resolve_implicit_global_asset_job_def()
    result = job.execute_in_process(
        instance=unrecorded,
        asset_selection=[dg.AssetKey(stage) for stage in PIPELINE_STAGES],
        tags={run.RANGE_START_TAG: keys[1], run.RANGE_END_TAG: keys[3]},
        run_config=QUIET,
    )
    assert result.success
    for stage in PIPELINE_STAGES:
        assert unrecorded.get_materialized_partitions(dg.AssetKey(stage)) == set(keys[1:4])


def test_another_payload_under_a_known_key_is_told(settings: Settings) -> None:
    log = open_store(settings).log
    event = NewEvent(SessionForgotten(reason="one"), session_id="elsewhere", inputs=("same",))
    other = NewEvent(SessionForgotten(reason="other"), session_id="elsewhere", inputs=("same",))
    assert log.append([event]).new == 1
    context = dg.build_output_context()
    manager(settings).handle_output(context, StageOutput("ingested", events=[other]))
    assert context.consume_logged_metadata()["batch_checksum_conflicts"].value == 1
