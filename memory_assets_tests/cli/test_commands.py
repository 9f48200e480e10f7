"""What the commands that read print, for people and for programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_assets.memory import Memory
from memory_assets.settings import load_settings
from memory_assets_tests.cli.conftest import Run

ESCAPE = "\x1b"


def test_lists_are_one_json_array(memory: Run, filled: Path) -> None:
    sessions = memory("sessions", "list", "--json").json
    assert {"session_id", "source_uri", "source_uris", "project", "title", "messages", "status"} <= sessions[0].keys()
    entries = memory("entries", "list", "--all", "--json").json
    assert len(entries) == 6
    assert {"session_id", "quote", "matched_text", "message_index", "span_start", "span_end", "segments", "method"} <= entries[
        0
    ]["evidence"][0].keys()
    assert memory("sessions", "--json").json == sessions
    assert len(memory("entries", "--json", "-n", "2").json) == 2
    assert memory("events", "--json", "-n", "3").json == memory("events", "tail", "--json").json[-3:]
    stats = memory("events", "stats", "--json").json
    assert stats["total"] == sum(stats["by_type"].values())


def test_people_see_each_session_and_entry_on_its_line(memory: Run, filled: Path) -> None:
    out = memory("sessions").out
    assert any("shop-1" in line and "결제 서버 장애" in line and "vectorized" in line for line in out.splitlines())
    out = memory("entries").out
    assert any("held (embedded 1)" in line and "session:notes-2#m=1&c=7-67" in line for line in out.splitlines())
    assert "… and 4 more" in memory("entries", "-n", "2").out
    assert memory("entries", "--type", "insight").out == "no entries\n"
    assert "session_ingested" in memory("events", "-n", "99").out
    assert "entry_materialized" in memory("events", "stats").out
    assert "결제 서버가 자꾸 죽어요" in memory("sessions", "show", "shop").out


@pytest.mark.long
def test_session_text_is_data_to_the_terminal(memory: Run, filled: Path) -> None:
    task = memory("entries", "list", "--type", "task", "--json").json[0]
    event = memory("events", "--type", "session_ingested", "--session", "shop-1", "--json").json[0]
    for command in (
        ("sessions", "show", "shop-1"),
        ("sessions", "show", "shop-1", "--full"),
        ("evidence", "show", task["entry_id"]),
        ("entries", "show", task["entry_id"]),
        ("show", task["citation"]),
        ("show", "session:shop-1#m=2"),
        ("search", "블로커"),
        ("events", "show", event["event_id"]),
    ):
        for arguments in (command, (*command, "--json")):
            ended = memory(*arguments)
            assert ended.code == 0, ended
            assert ESCAPE not in ended.out + ended.err, arguments
            assert "[bold]블로커[/bold]" in ended.out, arguments


def test_show_prints_a_memory_with_its_quotes_and_neighbours(memory: Run, filled: Path) -> None:
    citation = next(
        entry["citation"] for entry in memory("entries", "--all", "--json").json if entry["title"].startswith("Keep PostgreSQL")
    )
    out = memory("show", f"[{citation}]").out
    assert out.startswith(f"Keep PostgreSQL 16 for orders\n{citation}  decision  confirmed (embedded 1)\n")
    for shown in ("session:shop-1#m=2&c=42-86", "session:notes-2#m=0&c=0-44", "before  mem:", "after   mem:", "exact 1.00"):
        assert shown in out
    assert memory("show", citation, "--json").json["kind"] == "memory"
    span = memory("show", "session:shop-1#m=2&c=42-86")
    assert "remembered from it:" in span.out and citation in span.out
    assert memory("show", "session:shop-1#m=2&c=42-86", "--json").json["kind"] == "span"


def test_search_says_where_each_hit_was_said(memory: Run, filled: Path) -> None:
    ended = memory("search", "PostgreSQL", "--kind", "entry", "-k", "1")
    assert ended.code == 0
    assert "mem:" in ended.out and "confirmed (embedded 1)" in ended.out and "session:shop-1#m=2&c=42-86" in ended.out
    assert memory("search", "PostgreSQL", "--mode", "lexical", "--json").json["mode"] == "lexical"


def test_nothing_found_is_code_1(memory: Run, filled: Path) -> None:
    assert memory("search", "zzzqqqxxx", "--mode", "lexical").code == 1
    ended = memory("search", "PostgreSQL", "--mode", "lexical", "--project", "none", "--json")
    assert ended.code == 1 and ended.json["hits"] == []


def test_what_is_not_known_is_said_first_and_is_code_1(memory: Run, filled: Path) -> None:
    ended = memory("search", "Why did the cafeteria menu change?")
    first, second, *hits = ended.out.splitlines()
    assert ended.code == 1 and first.startswith("nothing is known about: cafeteria, menu, change")
    assert second == "the nearest, no answers:" and "session:" in "".join(hits)
    told = memory("search", "Why did the cafeteria menu change?", "--json")
    assert told.code == 1 and told.json["hits"] and told.json["retrieval"]["known"] is False
    assert memory("search", "Why did the cafeteria menu change?", "--expand").code == 1
    known = memory("search", "PostgreSQL orders", "--explain")
    assert known.code == 0 and "nothing is known" not in known.out and "gate 0.38  (held " in known.out


def test_doctor_warns_of_what_was_put_aside_and_is_3_where_something_is_unhealthy(memory: Run, filled: Path) -> None:
    ended = memory("doctor", "--json")
    assert ended.code == 0 and ended.json["healthy"]
    assert [check["name"] for check in ended.json["checks"] if check["warning"]] == ["quarantine"]
    out = memory("doctor").out
    assert "memory retry --quarantined" in out and "carries Korean" in out and "BAD" not in out
    (filled / "memory.toml").chmod(0o666) if (filled / "memory.toml").exists() else filled.chmod(0o777)
    ended = memory("doctor", "--json")
    assert ended.code == 3 and not ended.json["healthy"]
    assert [check["name"] for check in ended.json["checks"] if not check["ok"]] == ["folders"]
    assert "BAD" in memory("doctor").out


@pytest.mark.long
def test_rebuild_verifies_and_tells_the_difference(memory: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from memory_assets_tests.filled_store import fill

    monkeypatch.setenv("MEMORY_HOME", str(tmp_path))
    store = Memory(fill(tmp_path))
    ended = memory("rebuild", "--verify", "--with-vectors", "--json")
    assert ended.code == 0 and ended.json["equal"] is True and ended.json["tables"]["entries"] == 6
    with store.database.writing() as connection:
        connection.execute("UPDATE memories SET title = 'tampered' WHERE entry_type = 'fact'")
    ended = memory("rebuild", "--verify")
    assert ended.code == 1
    assert all(shown in ended.out for shown in ("not equal", "memories", "title", "tampered", "The retry budget is 3 attempts"))
    assert memory("rebuild").code == 0
    assert memory("rebuild", "--verify").code == 0


def test_stats_and_init(memory: Run, tmp_path: Path) -> None:
    made = memory("init", "--json").json
    assert all(item["made"] for item in made) and memory("init").out.count("kept") == len(made)
    assert memory("stats", "--json").json["schema_version"] == "stats.v1"
    assert "sessions" in memory("stats").out
    assert memory("sessions").out.startswith("no sessions")


def test_flags_in_front_of_the_command(memory: Run, tmp_path: Path) -> None:
    other = tmp_path / "other"
    memory("--home", str(other), "init")
    assert (other / "memory.duckdb").is_file()
    file = tmp_path / "set.toml"
    file.write_text(f'home = "{tmp_path / "third"}"\n[store]\nlock_timeout_seconds = 3\n')
    memory("--config", str(file), "--set", "sessions.settle_seconds=1", "init")
    assert not (tmp_path / "third" / "memory.duckdb").is_file()  # MEMORY_HOME of the environment wins over the file
    assert load_settings(config_file=file).store.lock_timeout_seconds == 3
    assert memory("--version").out.startswith("memory_assets ")


def test_what_is_written_is_its_users_alone(memory: Run, tmp_path: Path) -> None:
    memory("init")
    for path in [tmp_path / "home", *(tmp_path / "home").rglob("*")]:
        assert path.stat().st_mode & 0o077 == 0, path
