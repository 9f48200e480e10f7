"""`memory recover` of a store that lost an event, and the file imported again; what the three commands print."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest

from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.depth import cases


@pytest.mark.parametrize("event_type", cases([], ["session_ingested", "memory_extracted"]))
def test_a_session_that_lost_an_event_is_named_and_its_file_heals_it(
    memory: Run, imported_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, event_type: str
) -> None:
    damaged, saved = tmp_path / "damaged", tmp_path / "saved"
    shutil.copytree(imported_home, damaged)
    with duckdb.connect(str(damaged / "memory.duckdb")) as connection:
        found = connection.execute(
            "SELECT seq FROM events WHERE session_id = 'one' AND event_type = ? ORDER BY seq LIMIT 1", [event_type]
        ).fetchall()
        if not found:
            types = connection.execute("SELECT DISTINCT event_type FROM events WHERE session_id = 'one'").fetchall()
            pytest.fail(f"no such event among {types}")
        connection.execute("DELETE FROM events WHERE seq = ?", [found[0][0]])
    ended = memory("recover", str(damaged / "memory.duckdb"), "--to", str(saved), "--json")
    assert ended.code == 1
    assert [item["seq"] for item in ended.json["lost"] if item["reason"] == "cannot be read"] == [found[0][0]]
    assert "one" in ended.json["incomplete_sessions"]
    monkeypatch.setenv("MEMORY_HOME", str(saved))
    assert memory("rebuild").code == 0
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    chat(inbox, "one", talk(1, 9))
    assert memory("import", str(inbox)).code == 0
    assert memory("rebuild", "--verify").code == 0
    assert memory("sessions", "show", "one", "--json").code == 0
    monkeypatch.setenv("MEMORY_HOME", str(imported_home))
    wanted = memory("sessions", "show", "one", "--json").json
    monkeypatch.setenv("MEMORY_HOME", str(saved))
    healed = memory("sessions", "show", "one", "--json").json
    assert [m["text"] for m in healed["messages"]] == [m["text"] for m in wanted["messages"]]


def test_backup_and_restore_as_commands(
    memory: Run, imported_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_HOME", str(imported_home))
    made = memory("backup", str(tmp_path / "b"), "--json").json
    monkeypatch.setenv("MEMORY_HOME", str(tmp_path / "new"))
    put = memory("restore", str(tmp_path / "b"), "--json").json
    assert (put["events"], put["link_hash"], put["kept_aside"]) == (made["events"], made["link_hash"], None)
    assert memory("rebuild", "--verify", "--json").json["equal"]
    again = memory("restore", str(tmp_path / "b"), "--json")
    assert again.code == 2 and '"code":"exists_already"' in again.err


@pytest.mark.parametrize("content", [b"", b"no store at all\n", bytes(300_000)])
def test_a_file_of_which_nothing_can_be_read_is_not_saved(memory: Run, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "memory.duckdb").write_bytes(content)
    ended = memory("recover", str(tmp_path / "memory.duckdb"), "--to", str(tmp_path / "saved"), "--json")
    assert (ended.code, ended.json["events"]) == (1, 0)
    assert ended.json["damage"]
