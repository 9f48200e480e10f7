"""Several processes begin at once: Dagster's records are made once, and a partition is added once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.defs import kept_engines
from memory_assets.defs.instance import add_partitions, dagster_home, dagster_instance
from memory_assets.defs.run import import_paths
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.defs.files import chat, talk

BEGINS = """
import sys
from memory_assets.defs.instance import add_partitions, dagster_instance
from memory_assets.settings import load_settings
settings = load_settings()
print("ready", flush=True)
sys.stdin.readline()
instance = dagster_instance(settings)
for place in range(20):
    add_partitions(instance, settings.dagster_home, [f"s-{place}", f"t-{place}"])
"""


def test_four_processes_begin_at_once(tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORY_", "DAGSTER_"))}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", BEGINS],
            env=kept | {"MEMORY_HOME": str(tmp_path / "home")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    complaints = []
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        _, complaint = process.communicate(timeout=120)
        complaints.append(complaint[-2000:] if process.returncode else "")
    assert complaints == [""] * 4
    instance = dagster_instance(load_settings({"home": tmp_path / "home"}))
    assert set(instance.get_dynamic_partitions("sessions")) == {f"{name}-{place}" for name in "st" for place in range(20)}


def test_a_session_named_twice_is_one_partition(settings: Settings) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        add_partitions(instance, settings.dagster_home, ["a", "a", "b"])
        assert list(instance.get_dynamic_partitions("sessions")) == ["a", "b"]


def test_a_users_own_instance_file_is_kept(settings: Settings) -> None:
    settings.dagster_home.mkdir(parents=True)
    (settings.dagster_home / "dagster.yaml").write_text("telemetry:\n  enabled: false\n")
    assert dagster_home(settings) == settings.dagster_home
    assert (settings.dagster_home / "dagster.yaml").read_text() == "telemetry:\n  enabled: false\n"


def test_dagsters_own_storage_reads_what_ours_wrote(settings: Settings, inbox: Path) -> None:
    chat(inbox, "one", talk(1))
    import_paths(settings, [inbox], project=None)
    ours = dagster_instance(settings)
    with dg.DagsterInstance.from_config(str(settings.dagster_home)) as theirs:
        assert type(theirs.event_log_storage).__module__.startswith("dagster.")
        assert type(ours.event_log_storage).__module__.startswith("memory_assets.")
        runs = theirs.get_runs()
        assert [run.status for run in runs] == [dg.DagsterRunStatus.SUCCESS]
        assert runs == ours.get_runs()
        assert len(theirs.all_logs(runs[0].run_id)) == len(ours.all_logs(runs[0].run_id)) > 20
        assert theirs.get_latest_materialization_event(dg.AssetKey("projected")) is not None


def test_engines_are_made_once_a_file(settings: Settings, inbox: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    create = kept_engines.create_engine

    def counted(url: str, **options: Any) -> Any:
        made.append(url)
        return create(url, **options)

    monkeypatch.setattr(kept_engines, "create_engine", counted)
    chat(inbox, "one", talk(1))
    import_paths(settings, [inbox], project=None)
    assert sorted(Path(url).name for url in made if "/history/" in url)[-2:] == ["index.db", "runs.db"]
    assert len(made) == len(set(made)) <= 4


@pytest.mark.parametrize("said", ["storage:\n  sqlite:\n    base_dir: {}\n", "telemetry:\n  enabled: false\n"])
def test_a_users_own_choice_of_storage_is_kept(settings: Settings, tmp_path: Path, said: str) -> None:
    settings.dagster_home.mkdir(parents=True)
    (settings.dagster_home / "dagster.yaml").write_text(said.format(tmp_path / "elsewhere"))
    storage = dagster_instance(settings).event_log_storage
    assert (type(storage).__module__ == kept_engines.__name__) == ("storage" not in said)
    assert (tmp_path / "elsewhere" / "history").exists() == ("storage" in said)
