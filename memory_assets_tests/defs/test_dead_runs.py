"""A run whose process was killed is ended by the next one, and holds nobody up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from memory_assets.defs.dead_runs import RUNNER_TAG, end_dead_runs, runner_tag
from memory_assets.defs.instance import dagster_instance
from memory_assets.defs.run import import_paths
from memory_assets.locks.process_liveness import runner_name
from memory_assets.log.event_store import Epoch
from memory_assets.log.mirror_note import MirrorNote, write_note
from memory_assets.settings import load_settings
from memory_assets_tests.defs.files import chat, talk

# An import that kills itself inside a stage, while it holds that stage's place in the pool.
KILLED = """
import os, signal, sys
from pathlib import Path
import memory_assets.defs.stages.extracted as extracted
from memory_assets.defs.run import import_paths
from memory_assets.settings import load_settings

def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)

extracted.extract = killed
import_paths(load_settings({"home": sys.argv[1]}), [Path(sys.argv[2])], project=None)
"""


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_the_next_import_is_not_held_up_by_one_that_was_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    monkeypatch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
    home, source = tmp_path / "home", chat(tmp_path, "killed-one", talk(1))
    ended = subprocess.run([sys.executable, "-c", KILLED, str(home), str(source)], env=os.environ, check=False)
    assert ended.returncode == -signal.SIGKILL

    settings = load_settings({"home": str(home)})
    instance = dagster_instance(settings)
    (dead,) = instance.get_runs()
    assert dead.status == dg.DagsterRunStatus.STARTED
    report = import_paths(settings, [source], project=None)
    assert (report.sessions, report.quarantined) == (1, 0)
    run = instance.get_run_by_id(dead.run_id)
    assert run is not None and run.status == dg.DagsterRunStatus.FAILURE


def test_the_runs_of_a_process_that_lives_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    settings = load_settings({"home": str(tmp_path)})
    instance = dagster_instance(settings)
    mine = runner_name(settings.dagster_home)
    run = instance.create_run_for_job(_job(), tags={RUNNER_TAG: mine}, status=dg.DagsterRunStatus.STARTED)
    other = instance.create_run_for_job(_job(), tags={RUNNER_TAG: "gone"}, status=dg.DagsterRunStatus.STARTED)
    foreign = instance.create_run_for_job(_job(), status=dg.DagsterRunStatus.STARTED)
    assert end_dead_runs(instance, settings) == [other.run_id]
    for alive in (run, foreign):
        kept = instance.get_run_by_id(alive.run_id)
        assert kept is not None and kept.status == dg.DagsterRunStatus.STARTED


def test_a_machine_judges_its_own_runs_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    one, two = (load_settings({"home": str(tmp_path / name)}) for name in ("one", "two"))
    for settings in (one, two):
        settings.store_folder.mkdir(parents=True)
        write_note(settings.store_folder, MirrorNote.new(Epoch("log", 1)))
    # Both keep their runs in one place, as in one PostgreSQL.
    instance = dagster_instance(one)
    mine = instance.create_run_for_job(_job(), tags=runner_tag(one), status=dg.DagsterRunStatus.STARTED)
    theirs = instance.create_run_for_job(_job(), tags=runner_tag(two), status=dg.DagsterRunStatus.STARTED)
    gone = {RUNNER_TAG: f"{runner_tag(two)[RUNNER_TAG].partition('/')[0]}/gone"}
    died = instance.create_run_for_job(_job(), tags=gone, status=dg.DagsterRunStatus.STARTED)
    assert end_dead_runs(instance, one) == []
    assert end_dead_runs(instance, two) == [died.run_id]
    assert {run.run_id for run in instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED]))} == {
        mine.run_id,
        theirs.run_id,
    }


def _job() -> dg.JobDefinition:
    @dg.op
    def nothing() -> None: ...

    @dg.job
    def some_job() -> None:
        nothing()

    return some_job
