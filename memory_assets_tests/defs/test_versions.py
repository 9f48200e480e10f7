"""What Dagster calls stale is what another run would change, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.data_version import CachingStaleStatusResolver, StaleStatus
from dagster._core.loader import LoadingContextForTest

import memory_assets
from memory_assets.defs import batch, run
from memory_assets.defs.code_location import build_definitions
from memory_assets.defs.instance import dagster_instance
from memory_assets.extraction.errors import ModelUnavailable
from memory_assets.extraction.telemetry import ExtractionTelemetry
from memory_assets.settings import Settings, load_settings
from memory_assets.vocabulary import PIPELINE_STAGES, PipelineStage
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.defs.state import events

POISONED = "plain-1"
PACKAGE = Path(memory_assets.__file__).parent
RULES = PACKAGE.joinpath("extraction", "rules.toml").read_text(encoding="utf-8")


def taken(settings: Settings, inbox: Path) -> list[str]:
    """The ids of three sessions that were imported."""
    for number in range(3):
        chat(inbox, f"plain-{number}", talk(number), project="shop")
    return sorted(run.import_paths(settings, [inbox], project=None).session_ids)


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A store of them, to be copied."""
    base = tmp_path_factory.mktemp("three")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
        patch.delenv("DAGSTER_HOME", raising=False)
        mask = os.umask(0o022)
        ids = taken(load_settings({"home": base / "home"}), base / "inbox")
        os.umask(mask)
    return base / "home", ids


@pytest.fixture
def sessions(settings: Settings, three: tuple[Path, list[str]]) -> list[str]:
    """The three in the test's own store, with Dagster's records of them."""
    shutil.copytree(three[0], settings.home)
    return three[1]


def stale(settings: Settings, session_ids: Sequence[str]) -> dict[str, list[PipelineStage]]:
    """By session the stages that Dagster's UI calls stale."""
    instance = dagster_instance(settings)
    graph = build_definitions(settings).resolve_asset_graph()
    resolver = CachingStaleStatusResolver(instance, graph, LoadingContextForTest(instance))
    found = {
        session_id: [
            stage for stage in PIPELINE_STAGES if resolver.get_status(dg.AssetKey(stage), session_id) == StaleStatus.STALE
        ]
        for session_id in session_ids
    }
    return {session_id: stages for session_id, stages in found.items() if stages}


def every(session_ids: Sequence[str], stages: Sequence[PipelineStage]) -> dict[str, list[PipelineStage]]:
    return {session_id: list(stages) for session_id in session_ids}


def materialize(settings: Settings, stage: PipelineStage, first: str, last: str) -> None:
    job = build_definitions(settings).resolve_implicit_global_asset_job_def()
    tags = {run.RANGE_START_TAG: first, run.RANGE_END_TAG: last}
    instance = dagster_instance(settings)
    assert job.execute_in_process(instance=instance, asset_selection=[dg.AssetKey(stage)], tags=tags).success


def data_version(settings: Settings, stage: PipelineStage, session_id: str) -> str:
    record = dagster_instance(settings).get_latest_data_version_record(dg.AssetKey(stage), partition_key=session_id)
    assert record is not None and record.asset_materialization is not None
    return (record.asset_materialization.tags or {})["dagster/data_version"]


@pytest.mark.long
def test_what_was_imported_is_fresh(settings: Settings, sessions: list[str]) -> None:
    assert stale(settings, sessions) == {}
    versions = [data_version(settings, stage, session_id) for stage in PIPELINE_STAGES for session_id in sessions]
    assert len(set(versions)) == len(versions)
    assert set(versions) <= {event.event_id for event in events(settings)}


@pytest.mark.long
def test_running_again_without_a_change_leaves_all_fresh(settings: Settings, sessions: list[str]) -> None:
    before = [data_version(settings, stage, session_id) for stage in PIPELINE_STAGES for session_id in sessions]
    run.run_sessions(settings, None)
    assert stale(settings, sessions) == {}
    # In another company, or alone, a session is the one that it was.
    materialize(settings, "ingested", sessions[0], sessions[1])
    materialize(settings, "extracted", sessions[2], sessions[2])
    materialize(settings, "projected", sessions[1], sessions[1])
    assert stale(settings, sessions) == {}
    assert before == [data_version(settings, stage, session_id) for stage in PIPELINE_STAGES for session_id in sessions]


@pytest.mark.long
def test_new_rules_make_extracted_stale_and_what_is_below(settings: Settings, sessions: list[str], tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(RULES.replace("reach = 5", "reach = 6"), encoding="utf-8")
    changed = load_settings({"extraction": {"rules_file": rules}})
    assert stale(changed, sessions) == every(sessions, PIPELINE_STAGES[1:])
    materialize(changed, "extracted", sessions[0], sessions[0])
    assert stale(changed, sessions)[sessions[0]] == list(PIPELINE_STAGES[2:])
    run.run_sessions(changed, None)
    assert stale(changed, sessions) == {}
    # The tables can follow the rules before again without a run; Dagster calls stale what it saw last.
    assert stale(settings, sessions) == every(sessions, PIPELINE_STAGES[1:])


def test_what_a_policy_masks_makes_every_stage_stale(settings: Settings, sessions: list[str], tmp_path: Path) -> None:
    policy = json.loads(PACKAGE.joinpath("sessions", "masking", "redaction_policy.json").read_text(encoding="utf-8"))
    policy["patterns"][0]["enabled"] = False
    file = tmp_path / "policy.json"
    file.write_text(json.dumps(policy), encoding="utf-8")
    changed = load_settings({"privacy": {"policy_file": file}})
    assert stale(changed, sessions) == every(sessions, PIPELINE_STAGES)


@pytest.mark.long
def test_a_session_that_grew_is_stale_below_what_took_it(settings: Settings, inbox: Path) -> None:
    sessions = taken(settings, inbox)
    chat(inbox, "plain-0", talk(0, 8), project="shop")
    run.add_sessions(settings, [inbox])
    materialize(settings, "ingested", sessions[0], sessions[-1])
    assert stale(settings, sessions) == {"plain-0": ["extracted", "aligned", "materialized", "idris_checked"]}


def test_a_session_that_is_put_aside_has_a_version_of_its_own(
    settings: Settings, sessions: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {session_id: data_version(settings, "extracted", session_id) for session_id in sessions}
    from memory_assets.defs.stages import extracted as stage

    extract = stage.extract

    def poisoned(history: object, *rest: object) -> object:
        if getattr(history, "session_id", "") == POISONED:
            raise ValueError
        return extract(history, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(stage, "extract", poisoned)
    materialize(settings, "extracted", sessions[0], sessions[-1])
    after = {session_id: data_version(settings, "extracted", session_id) for session_id in sessions}
    assert [session_id for session_id in sessions if before[session_id] != after[session_id]] == [POISONED]
    assert stale(settings, sessions) == {POISONED: ["aligned", "materialized"]}


@pytest.mark.slow
def test_a_session_that_waits_for_its_model_is_stale_until_it_is_done(
    settings: Settings, sessions: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memory_assets.defs.stages import extracted as stage

    rules = tmp_path / "rules.toml"
    rules.write_text(RULES.replace("reach = 5", "reach = 6"), encoding="utf-8")
    changed = load_settings({"extraction": {"rules_file": rules}})
    extract = stage.extract

    def out_of_reach(history: object, *rest: object) -> object:
        if getattr(history, "session_id", "") == POISONED:
            raise ModelUnavailable("down", hint="", spent=ExtractionTelemetry(), passes=False, answers_before=0)
        return extract(history, *rest)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(stage, "extract", out_of_reach)
        assert run.run_sessions(changed, None).waiting == 1
    assert "extracted" in stale(changed, sessions)[POISONED] and list(stale(changed, sessions)) == [POISONED]
    assert run.run_sessions(changed, None).waiting == 0
    assert stale(changed, sessions) == {}


@pytest.mark.long
def test_what_an_interrupted_run_did_not_come_to_is_stale(
    settings: Settings, sessions: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(RULES.replace("reach = 5", "reach = 6"), encoding="utf-8")
    changed = load_settings({"extraction": {"rules_file": rules}})
    from memory_assets.defs.stages import extracted as stage

    asked_to_stop, extract = [False], stage.extract

    def once(*given: object) -> object:
        asked_to_stop[0] = True
        return extract(*given)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(stage, "extract", once)
        patch.setattr(batch, "is_asked_to_stop", lambda: asked_to_stop[0])
        materialize(changed, "extracted", sessions[0], sessions[-1])
    found = stale(changed, sessions)
    assert [session_id for session_id in sessions if "extracted" in found[session_id]] == sessions[1:]
    run.run_sessions(changed, None)
    assert stale(changed, sessions) == {}


def test_settings_that_cannot_be_used_leave_the_code_location_standing(tmp_path: Path) -> None:
    broken = load_settings({"extraction": {"rules_file": tmp_path / "missing.toml"}})
    specs = {spec.key.to_user_string(): spec for spec in build_definitions(broken).resolve_all_asset_specs()}
    assert specs["extracted"].code_version is None
