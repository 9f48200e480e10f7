"""Builds as real runs leave them: what they say, when there is none, and what becomes of one that died."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from memory_assets import __version__
from memory_assets.defs import run
from memory_assets.defs.instance import dagster_instance
from memory_assets.defs.materializing import QUIET
from memory_assets.defs.run_failures import RunFailedError
from memory_assets.memory import Memory
from memory_assets.queries.builds import build_details, list_builds
from memory_assets.settings import Settings, load_settings
from memory_assets.vocabulary import PIPELINE_STAGES
from memory_assets_tests.defs.conftest import Import
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.defs.state import assert_rebuilds_equal, events, rows

# An import that is killed, or interrupted, inside a stage.
STOPPED = """
import os, signal, sys, time
from pathlib import Path
import memory_assets.defs.stages.aligned as aligned
from memory_assets.defs.run import import_paths
from memory_assets.settings import load_settings

def stopped(*_):
    os.kill(os.getpid(), getattr(signal, sys.argv[3]))
    time.sleep(60)

aligned.align = stopped
import_paths(load_settings({"home": sys.argv[1]}), [Path(sys.argv[2])], project=None)
"""


@pytest.mark.long
def test_a_build_says_what_it_was_made_with_and_what_it_did(inbox: Path, settings: Settings, take: Import) -> None:
    for number in range(3):
        chat(inbox, f"said-{number}", talk(number))
    report = take(inbox)
    memory = Memory(settings)
    (build,) = memory.read(list_builds, memory.settings.store_folder).builds
    assert (build.status, build.error, build.sessions) == ("success", None, 3)
    assert (build.extractor_model, build.embedder_model, build.package) == ("rules", "hashing", __version__)
    assert build.checker in build.versions["idris_checked"]
    assert build.embedding_version == build.versions["vectorized"]
    assert build.extractor_prompt_hash == build.versions["extracted"]
    assert build.seconds is not None and build.seconds > 0 and build.requests == 0 and build.cost_usd is None

    told = memory.read(build_details, memory.settings.store_folder, build.build_id)
    # What the import registered before the run is no part of the build.
    assert (
        build.events == sum(told.events_by_type.values()) == report.events_appended - len(events(settings, "source_registered"))
    )
    assert told.session_ids == ("said-0", "said-1", "said-2")
    assert [stage.stage for stage in told.stages] == list(PIPELINE_STAGES)
    assert sum(verdict.accepted + verdict.refused for verdict in told.verdicts) == 3
    # The stages that work on all sessions at once count with what that took.
    times = {stage.stage: stage.mean_ms for stage in told.stages}
    assert times["projected"] > 1 and times["vectorized"] > 1
    assert_rebuilds_equal(settings)

    # A run that finds nothing to do leaves no build.
    before = events(settings)
    run.run_sessions(settings, None)
    take(inbox)
    assert events(settings) == before and memory.read(list_builds, memory.settings.store_folder).total == 1


def test_the_error_of_a_build_names_the_stage_and_quotes_nothing(
    inbox: Path, settings: Settings, take: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memory_assets.defs.stages import projected

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("PostgreSQL 16 because its replication is simple")

    with monkeypatch.context() as patch:
        patch.setattr(projected, "catch_up", broken)
        with pytest.raises(RunFailedError):
            take(chat(inbox, "unlucky", talk(1)))
    (build,) = Memory(settings).read(list_builds, Memory(settings).settings.store_folder).builds
    assert (build.status, build.error) == ("failed", "projected: RuntimeError")
    assert not [event for event in events(settings, "build_started", "build_finished") if "replication" in event.payload_json]


@pytest.mark.long
@pytest.mark.timeout(180)
def test_a_build_whose_process_was_killed_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    home, source = tmp_path / "home", chat(tmp_path, "killed-one", talk(1))
    command = [sys.executable, "-c", STOPPED, str(home), str(source), "SIGKILL"]
    assert subprocess.run(command, env=os.environ, check=False).returncode == -signal.SIGKILL
    settings = load_settings({"home": str(home)})
    (dead,) = Memory(settings).read(list_builds, Memory(settings).settings.store_folder).builds
    assert (dead.status, dead.error, dead.seconds, dead.sessions) == ("failed", "interrupted", None, 1)
    assert dead.events == len(events(settings)) - len(events(settings, "source_registered"))

    # Dagster's record of the run is closed by the next process, which says so in the log, once.
    (begun,) = dagster_instance(settings).get_runs()
    assert begun.status == dg.DagsterRunStatus.STARTED
    run.import_paths(settings, [source], project=None)
    ended = dagster_instance(settings).get_run_by_id(begun.run_id)
    assert ended is not None and ended.status == dg.DagsterRunStatus.FAILURE
    newest, oldest = Memory(settings).read(list_builds, Memory(settings).settings.store_folder).builds
    assert (newest.status, oldest.build_id) == ("success", dead.build_id)
    assert (oldest.status, oldest.error, oldest.seconds) == ("failed", "interrupted", None)
    assert rows(settings, "SELECT status, error FROM build_runs WHERE build_id = ?", dead.build_id) == [
        ("failed", "interrupted")
    ]
    assert_rebuilds_equal(settings)
    assert run.run_sessions(settings, None).events_appended == 0


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_build_that_was_interrupted_has_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    home, source = tmp_path / "home", chat(tmp_path, "stopped-one", talk(1))
    command = [sys.executable, "-c", STOPPED, str(home), str(source), "SIGINT"]
    assert subprocess.run(command, env=os.environ, check=False, stderr=subprocess.DEVNULL).returncode != 0
    (build,) = (
        Memory(load_settings({"home": str(home)}))
        .read(list_builds, Memory(load_settings({"home": str(home)})).settings.store_folder)
        .builds
    )
    assert (build.status, build.error) == ("failed", "aligned: DagsterExecutionInterruptedError")


@pytest.mark.long
def test_runs_of_the_ui_are_builds_too(inbox: Path, settings: Settings, unrecorded: dg.DagsterInstance) -> None:
    from memory_assets.defs.code_location import build_definitions

    run.add_sessions(settings, [chat(inbox, "by-hand", talk(1))])
    job = build_definitions(settings).resolve_job_def("graduate_sessions")
    assert job.execute_in_process(instance=unrecorded, partition_key="by-hand", run_config=QUIET).success
    (build,) = Memory(settings).read(list_builds, Memory(settings).settings.store_folder).builds
    assert (build.status, build.sessions) == ("success", 1)
