"""The leaf ``retrieval_eval``: what it shows, what it keeps to itself, and that it asks nothing twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.defs import run
from memory_assets.defs.code_location import build_definitions
from memory_assets.defs.evaluation import ask_eval, retrieval_eval
from memory_assets.defs.materializing import QUIET
from memory_assets.log.payloads.question_result import ANSWER_METRICS, METRICS
from memory_assets.memory import Memory
from memory_assets.queries.events import event_stats
from memory_assets.settings import Settings
from memory_assets_tests.filled_store import fill

QUESTION = "  - {id: cache, query: 캐시는 어디로 옮기기로 했나, contains: [Redis로 옮기기로]}\n"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return fill(tmp_path / "home")


def made(settings: Settings, instance: dg.DagsterInstance, leaf: dg.AssetsDefinition = retrieval_eval) -> dict[str, Any]:
    """What its page shows, after it is made by hand."""
    job = build_definitions(settings).resolve_implicit_global_asset_job_def()
    done = job.get_subset(asset_selection={leaf.key}, asset_check_selection=set(leaf.check_keys)).execute_in_process(
        instance=instance, run_config=QUIET
    )
    assert done.success
    event = instance.get_latest_materialization_event(leaf.key)
    assert event is not None and event.asset_materialization is not None
    return dict(event.asset_materialization.metadata)


def passed(instance: dg.DagsterInstance, leaf: dg.AssetsDefinition = retrieval_eval) -> bool:
    found = instance.event_log_storage.get_latest_asset_check_execution_by_key(list(leaf.check_keys))
    (record,) = found.values()
    assert record.event is not None and record.event.asset_check_evaluation is not None
    return record.event.asset_check_evaluation.passed


def test_without_questions_nothing_is_asked_and_nothing_written(settings: Settings, unrecorded: dg.DagsterInstance) -> None:
    before = Memory(settings).read(event_stats).last_seq
    assert made(settings, unrecorded)["questions"].value == 0 and passed(unrecorded)
    assert Memory(settings).read(event_stats).last_seq == before


def test_its_page_shows_numbers_and_no_text(settings: Settings, unrecorded: dg.DagsterInstance) -> None:
    settings.golden_file.write_text(f"suite: shop\nquestions:\n{QUESTION}  - {{query: skipped}}\n", encoding="utf-8")
    page = made(settings, unrecorded)
    assert passed(unrecorded)
    assert (page["questions"].value, page["scored"].value, page["skipped"].value) == (2, 1, 1)
    assert (page["hit_at_k"].value, page["forbidden_hits"].value) == (1.0, 0.0)
    (row,) = page["by_question"].records
    assert row.data["question"] == "cache" and {*METRICS} <= row.data.keys()
    assert "캐시" not in repr(page) and "Redis" not in repr(page)


def test_the_page_of_answers_shows_numbers_and_no_text(settings: Settings, unrecorded: dg.DagsterInstance) -> None:
    assert made(settings, unrecorded, ask_eval)["questions"].value == 0 and passed(unrecorded, ask_eval)
    settings.golden_file.write_text(f"suite: shop\nquestions:\n{QUESTION}", encoding="utf-8")
    assert made(settings, unrecorded, ask_eval)["questions"].value == 0
    settings.golden_file.write_text(
        f"suite: shop\nquestions:\n{QUESTION}"
        "  - {id: orders, query: Which PostgreSQL do the orders keep?, answer: PostgreSQL 16}\n"
        "  - {id: kakao, query: Which insurance covers the helicopter?, unanswerable: true}\n",
        encoding="utf-8",
    )
    page = made(settings, unrecorded, ask_eval)
    assert passed(unrecorded, ask_eval)
    assert (page["questions"].value, page["scored"].value, page["skipped"].value) == (3, 2, 1)
    assert {"answer_recall", "answered", "refused", "auc"} <= page.keys() and page["answer_recall"].value == 1.0
    assert {row.data["question"] for row in page["by_question"].records} == {"orders", "kakao"}
    assert all({*ANSWER_METRICS} <= row.data.keys() for row in page["by_question"].records)
    assert "PostgreSQL" not in repr(page) and "insurance" not in repr(page)
    assert made(settings, unrecorded, ask_eval) == page


@pytest.mark.long
def test_it_asks_again_only_when_questions_or_log_have_changed(
    settings: Settings, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = settings.golden_file
    file.write_text(f"questions:\n{QUESTION}", encoding="utf-8")
    first = made(settings, unrecorded)
    seq = Memory(settings).read(event_stats).last_seq
    with monkeypatch.context() as patch:
        patch.setattr(Memory, "search", lambda *_, **__: pytest.fail("it was asked again"))
        assert made(settings, unrecorded) == first
    assert Memory(settings).read(event_stats).last_seq == seq
    Memory(settings).feedback("session:notes-2#m=1", "used", by="me")
    second = made(settings, unrecorded)
    assert second["run"] != first["run"] and second["compared_with"] == first["run"]


def test_a_file_that_cannot_be_read_leaves_none_of_its_text_in_the_records(
    settings: Settings, unrecorded: dg.DagsterInstance
) -> None:
    settings.golden_file.write_text("questions: [{query: x, contans: [amber key]}]", encoding="utf-8")
    job = build_definitions(settings).resolve_implicit_global_asset_job_def()
    done = job.get_subset(asset_selection={retrieval_eval.key}).execute_in_process(
        instance=unrecorded, run_config=QUIET, raise_on_error=False
    )
    told = "".join(event.to_json() if hasattr(event, "to_json") else repr(event) for event in done.all_events)
    assert not done.success and "question 1, contans: there is no such key" in told and "amber" not in told


@pytest.mark.long
def test_the_check_warns_of_what_grew_worse(settings: Settings, unrecorded: dg.DagsterInstance) -> None:
    memory, question = Memory(settings), "PostgreSQL 16 orders"
    best = memory.search(question, mode="lexical", log=False).hits[0]
    wanted = best.id or best.citations[0].uri
    settings.golden_file.write_text(f"questions: [{{query: {question}, mode: lexical, expected: ['{wanted}']}}]\n")
    made(settings, unrecorded)
    assert passed(unrecorded)
    for _ in range(3):
        memory.feedback(best.unit_id, "wrong", by="me")
    made(settings, unrecorded)
    assert not passed(unrecorded)


@pytest.mark.long
def test_an_import_counts_what_was_shown_and_asks_no_golden_question(
    settings: Settings, unrecorded: dg.DagsterInstance, tmp_path: Path
) -> None:
    from memory_assets_tests.defs.files import chat

    settings.golden_file.write_text(f"questions:\n{QUESTION}", encoding="utf-8")
    Memory(settings).search("Redis")
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    run.import_paths(settings, [chat(inbox, "said", ["We decided to keep the amber key in the vault."])], project=None)
    assert not (settings.home / "usage" / "shown.ndjson").exists()
    with Memory(settings).database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM unit_usage").fetchall()[0][0] > 0
        assert connection.execute("SELECT count(*) FROM eval_runs").fetchall() == [(0,)]
