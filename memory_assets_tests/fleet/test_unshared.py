"""Sessions of projects that are not shared stay on their machine, though its store mirrors a shared log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory_assets.defs.run import add_sessions, import_paths, run_sessions
from memory_assets.defs.taking import take_new
from memory_assets.exchange.exporting import export_to_file
from memory_assets.hooks.taking import sources_to_take, taken
from memory_assets.log.errors import SharedLogRefusedError
from memory_assets.maintenance.moving import move_to_shared
from memory_assets.memory import Memory
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.defs.files import chat
from memory_assets_tests.hooks.test_taking import Agent
from memory_assets_tests.postgres.databases import There

pytestmark = pytest.mark.long

SECRET = "zygomorph"
"""In every text, id, name and path of what is to stay."""
TURNS = (f"{SECRET}: 배포는 금요일에 하지 않기로 결정했다.", "We decided to keep PostgreSQL for the log.")


def settings_of(home: Path, url: str | None, projects: str | None = "shop, tools") -> Settings:
    given: dict[str, Any] = {"home": str(home), "embedding": {"model": "hashing"}, "store": {"url": url}}
    return load_settings(given | {"sharing": {"projects": projects}})


def dumped(there: There) -> str:
    """Every row of every table of the database, as text."""
    tables = there.rows(
        """SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
           WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"""
    )
    assert len(tables) > 3
    return "\n".join(str(row) for (table,) in tables for row in there.rows(f"SELECT t::text FROM {table} t"))


def found(settings: Settings) -> int:
    return len(Memory(settings).search(SECRET, mode="lexical").hits)


def test_what_is_not_shared_is_skipped_with_its_reason(there: There, tmp_path: Path) -> None:
    inbox, settings = tmp_path / "inbox", settings_of(tmp_path / "one", there.address.url)
    chat(inbox, "open", ["우리는 배포를 금요일에 하지 않기로 결정했다."], project="shop")
    chat(inbox, f"mine-{SECRET}", TURNS, project=SECRET)
    chat(inbox, f"none-{SECRET}", TURNS)
    (inbox / f"{SECRET}.jsonl").write_text('{"type":"user","message":{"role":"user","content":"' + SECRET)
    report = import_paths(settings, [inbox], project=None)
    reasons = [warning["reason"] for warning in report.warnings]
    assert report.sessions == report.new == 1 and reasons.count("project_not_shared") == 2, report
    assert report.skipped >= 2
    again = import_paths(settings, [inbox], project=None)
    assert again.unchanged == 1 and again.events_appended == 0 and again.skipped == report.skipped
    assert SECRET not in dumped(there) and "금요일" in dumped(there)
    with Memory(settings).resources.database.reading() as connection:
        tables = [row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        held = "\n".join(str(connection.execute(f'SELECT * FROM "{table}"').fetchall()) for table in tables)
    assert SECRET not in held
    private = settings_of(tmp_path / "private", None, None)
    assert import_paths(private, [inbox], project=None).new == 3
    assert found(private) > 0 and found(settings) == 0


def test_a_project_that_a_person_gives_decides(there: There, tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "one", there.address.url)
    file = chat(tmp_path / "inbox", "talk", ["우리는 배포를 금요일에 하지 않기로 결정했다."], project="shop")
    assert import_paths(settings, [file], project=SECRET).skipped == 1
    assert SECRET not in dumped(there) and "금요일" not in dumped(there)
    assert import_paths(settings, [file], project="tools").new == 1


def test_what_hooks_told_of_stays_where_it_is(there: There, tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "one", there.address.url)
    (settings.hooks_folder / "spool").mkdir(parents=True)
    agent = Agent(settings, "cursor", session_id=f"talk-{SECRET}")
    agent.common["cwd"] = f"/srv/{SECRET}"
    agent.call("user-prompt-submit", prompt=TURNS[0])
    agent.call("stop", text="네.")
    (own,) = sources_to_take(settings)
    outcome = take_new(settings, [own])
    assert (outcome.sessions, outcome.error) == (0, None)
    taken(settings, [own])
    assert SECRET in own.read_text(encoding="utf-8") and SECRET not in dumped(there)
    private = settings_of(tmp_path / "private", None, None)
    assert import_paths(private, [own], project=None).new == 1 and found(private) > 0


def test_a_file_that_says_another_project_behind_its_registration_is_put_aside(there: There, tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "one", there.address.url)
    file = chat(tmp_path / "inbox", "talk", ["Ship it."], project="shop")
    assert add_sessions(settings, [file]).new == 1
    file.write_text(
        json.dumps(json.loads(file.read_text()) | {"project": SECRET, "messages": [{"role": "user", "content": SECRET}]})
    )
    assert run_sessions(settings, None).quarantined == 1
    assert SECRET not in dumped(there)


def test_neither_an_export_nor_a_move_brings_it_there(there: There, tmp_path: Path) -> None:
    own = settings_of(tmp_path / "own", None)
    for project in ("shop", SECRET):
        chat(tmp_path / "inbox", f"talk-{project}", TURNS, project=project)
    assert import_paths(own, [tmp_path / "inbox"], project=None).new == 2
    with pytest.raises(SharedLogRefusedError, match="does not name"):
        move_to_shared(Memory(own).resources, there.address.url)
    assert there.rows("SELECT count(*) FROM memory_log.events") == [(0,)]
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    resources = Memory(own).resources
    export_to_file(resources.database, whole, "jsonl", versions=resources.configured_versions)
    export_to_file(resources.database, part, "jsonl", project="shop", versions=resources.configured_versions)
    shared = settings_of(tmp_path / "one", there.address.url)
    refused = import_paths(shared, [whole], project=None)
    assert (refused.refused, refused.sessions, refused.errors[0]["reason"]) == (1, 0, "project_not_shared")
    assert SECRET not in dumped(there)
    assert import_paths(shared, [part], project=None).new == 1
