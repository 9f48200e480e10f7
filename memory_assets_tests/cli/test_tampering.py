"""A store that was changed by hand: `memory fsck` names what, and nobody is told to fold a forgery."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

from memory_assets.log.tip import TIP_FILE_NAME
from memory_assets.projections.rebuild import derived_tables
from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.depth import cases


@pytest.fixture
def store(imported_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of a store that the stages filled, to be changed."""
    home = tmp_path / "copy"
    shutil.copytree(imported_home, home)
    monkeypatch.setenv("MEMORY_HOME", str(home))
    return home


def tamper(store: Path, *statements: str) -> None:
    """Run statements on the store's file as another program would."""
    with duckdb.connect(str(store / "memory.duckdb")) as connection:
        for statement in statements:
            connection.execute(statement)


def findings(memory: Run, *options: str) -> list[dict[str, Any]]:
    ended = memory("fsck", "--json", *options)
    assert (ended.code, ended.json["clean"]) == (3, False)
    return list(ended.json["findings"])


def filled_tables(store: Path) -> list[str]:
    with duckdb.connect(str(store / "memory.duckdb"), read_only=True) as connection:
        return [t for t in derived_tables() if connection.execute(f"SELECT count(*) FROM {t}").fetchall() != [(0,)]]


def test_a_row_that_was_removed_of_any_table(memory: Run, store: Path) -> None:
    tables = filled_tables(store)
    assert len(tables) > 12
    tamper(store, *(f"DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table})" for table in tables))
    told = {finding["detail"].partition(":")[0].partition(" of ")[0].partition(".")[0] for finding in findings(memory)}
    assert told >= set(tables)


def test_two_tables_that_differ_in_the_same_session_are_both_named(memory: Run, store: Path) -> None:
    tamper(
        store,
        "UPDATE sessions SET status = 'forged' WHERE session_id = 'one'",
        "UPDATE messages SET event_id = 'forged' WHERE session_id = 'one' AND message_index = 0",
    )
    told = sorted(finding["detail"].partition(" of ")[0] for finding in findings(memory))
    assert told == ["messages", "sessions"]


@pytest.mark.long
def test_a_value_that_was_changed_in_any_table(memory: Run, store: Path) -> None:
    tables = filled_tables(store)
    with duckdb.connect(str(store / "memory.duckdb")) as connection:
        for table in tables:
            keys = connection.execute(
                "SELECT unnest(constraint_column_names) FROM duckdb_constraints() WHERE table_name = ? AND constraint_type = "
                "'PRIMARY KEY'",
                [table],
            ).fetchall()
            columns = connection.execute(
                """SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ?
                   AND data_type IN ('VARCHAR', 'TIMESTAMP', 'INTEGER', 'BIGINT', 'BOOLEAN') ORDER BY column_index DESC""",
                [table],
            ).fetchall()
            free = [column for column in columns if (column[0],) not in keys]
            if not free:
                continue
            name, kind = free[0]
            value = {"VARCHAR": "'forged'", "TIMESTAMP": "TIMESTAMP '2001-01-01'", "BOOLEAN": f"NOT coalesce({name}, false)"}
            change = value.get(kind, f"coalesce({name}, 0) + 1")
            connection.execute(f"UPDATE {table} SET {name} = {change} WHERE rowid = (SELECT max(rowid) FROM {table})")
    told = {finding["detail"].partition(":")[0].partition(" of ")[0].partition(".")[0] for finding in findings(memory)}
    assert told >= set(tables) - {"unit_facets"}  # every column of that one is its key


@pytest.mark.slow
def test_a_stage_that_was_set_by_hand(memory: Run, store: Path) -> None:
    tamper(store, "UPDATE entries SET stage = 'certified'", "UPDATE memories SET stage = 'certified'")
    found = findings(memory)
    assert any("stage is certified" in finding["detail"] for finding in found)
    assert {finding["kind"] for finding in found} == {"table"} and "memory rebuild" in found[0]["hint"]
    assert memory("rebuild").code == 0 and memory("fsck").code == 0


def test_a_schema_that_was_changed(memory: Run, store: Path) -> None:
    tamper(
        store,
        "CREATE OR REPLACE VIEW visible_events AS SELECT * EXCLUDE (link_hash) FROM events WHERE session_id <> 'one'",
        "DROP VIEW v_tasks_only_suggested",
        "CREATE VIEW mine AS SELECT 1 AS x",
        "ALTER TABLE entries ADD COLUMN note VARCHAR",
        "ALTER TABLE unit_usage DROP COLUMN last_at",
        "CREATE MACRO twice(x) AS x + x",
        "CREATE TABLE beside (x INTEGER)",
    )
    named = {finding["detail"].removesuffix(" is not what the migrations make") for finding in findings(memory, "--log-only")}
    assert named == {
        "macro twice",
        "table beside",
        "table entries",
        "table unit_usage",
        "constraints of unit_usage",
        "view mine",
        "view v_tasks_only_suggested",
        "view visible_events",
    }
    assert memory("fsck").code == 3


@pytest.mark.parametrize(
    "change",
    cases(
        [
            "DELETE FROM schema_migrations",
            "UPDATE schema_migrations SET sha256 = 'x' WHERE version = 3",
            "INSERT INTO schema_migrations VALUES (99, 'later', 'x', now()::TIMESTAMP)",
        ],
        [
            "DELETE FROM schema_migrations WHERE version = 3",
            "DELETE FROM schema_migrations WHERE version = (SELECT max(version) FROM schema_migrations)",
            "UPDATE schema_migrations SET name = 'x' WHERE version = 3",
        ],
    ),
)
def test_a_list_of_migrations_that_was_changed(memory: Run, store: Path, change: str) -> None:
    tamper(store, change)
    ended = memory("fsck", "--log-only", "--json")
    assert ended.code in (2, 3)
    assert "migration" in ended.out + ended.err or "schema" in ended.out + ended.err


def test_a_function_that_was_put_before_a_built_in_one(memory: Run, store: Path) -> None:
    tamper(store, "UPDATE events SET payload_json = '{}' WHERE seq = 3", "CREATE MACRO sha256(x) AS 'always the same'")
    assert {"log", "schema"} <= {finding["kind"] for finding in findings(memory, "--log-only")}


def test_a_log_that_was_changed_is_not_folded(memory: Run, store: Path) -> None:
    tamper(store, "UPDATE events SET actor = 'mallory' WHERE seq = 5")
    ended = memory("fsck", "--json")
    assert (ended.code, ended.json["first_bad_seq"], ended.json["last_seq"]) == (3, 5, 4)
    assert "not what was written" in ended.json["not_compared"]
    hints = {finding["hint"] for finding in ended.json["findings"]}
    assert all("memory restore" in hint and "do not rebuild" in hint for hint in hints)
    for command in (("rebuild",), ("rebuild", "--verify"), ("fsck", "--accept-end")):
        refused = memory(*command, "--json")
        assert refused.code == 2 and '"log_tampered"' in refused.err and "event 5" in refused.err, command


@pytest.mark.long
def test_an_end_that_was_cut_off_and_the_word_that_accepts_it(memory: Run, store: Path) -> None:
    last = memory("fsck", "--log-only", "--json").json["last_seq"]
    tamper(store, f"DELETE FROM events WHERE seq > {last - 4}")
    assert memory("fsck", "--log-only", "--json").json["first_bad_seq"] == last - 3
    log = next(check for check in memory("doctor", "--json").json["checks"] if check["name"] == "log")
    assert not log["ok"] and f"event {last - 3}" in log["detail"] and "memory restore" in log["hint"]
    assert memory("rebuild").code == 2
    assert memory("fsck", "--log-only", "--accept-end", "--by", "kim").code == 0
    (accepted,) = memory("events", "--type", "log_end_accepted", "--json").json
    assert accepted["actor"] == "kim"
    assert memory("rebuild").code == 0 and memory("fsck").code == 0


@pytest.mark.long
def test_a_tip_that_is_gone_and_the_word_that_accepts_it(memory: Run, store: Path) -> None:
    (store / TIP_FILE_NAME).unlink()
    (finding,) = findings(memory, "--log-only")
    assert finding["kind"] == "log" and "store.tip" in finding["detail"]
    assert memory("fsck", "--accept-end", "--by", "kim").code == 0
    assert memory("fsck", "--accept-end", "--by", "kim").code == 0  # there is nothing to accept any more
    assert len(memory("events", "--type", "log_end_accepted", "--json").json) == 1
