"""The schema: numbered, checksummed, each table of one class, and nothing in it that the server mode cannot replay."""

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from memory_assets.log import migrations as module
from memory_assets.log.database import Database
from memory_assets.log.errors import SchemaMismatchError, StoreError
from memory_assets.log.event_log import EventLog
from memory_assets.log.migrations import applied_version, migrate, migrations, schema_version, table_classes
from memory_assets.queries.decisions import list_decisions
from memory_assets.queries.promotions import ladders
from memory_assets.shipped_files import shipped_folder

pytestmark = pytest.mark.usefixtures("made_anew")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the migrations that a test may break."""
    copy = tmp_path / "sql"
    copy.mkdir()
    for path in shipped_folder("sql").glob("*.sql"):
        (copy / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(module, "shipped_folder", lambda _: copy)
    _forget()
    yield copy
    _forget()


def _forget() -> None:
    for cached in (migrations, schema_version, table_classes):
        cached.cache_clear()


def test_a_new_store_has_every_migration_applied_once(database: Database) -> None:
    with database.reading() as connection:
        rows = connection.execute("SELECT version, name, sha256 FROM schema_migrations ORDER BY version").fetchall()
    assert rows == [(m.version, m.name, m.sha256) for m in migrations()]
    with database.held() as connection:
        assert migrate(connection) == []


def test_a_gap_in_the_numbers_is_named(folder: Path) -> None:
    (folder / "V002__sessions.sql").unlink()
    with pytest.raises(SchemaMismatchError, match=r"numbered \[1, 3, 4, 5"):
        migrations()


def test_two_files_of_one_number_are_named(folder: Path) -> None:
    (folder / "V001__again.sql").write_text("SELECT 1;")
    with pytest.raises(SchemaMismatchError, match=r"numbered \[1, 1, 2"):
        migrations()


def test_a_file_with_another_name_is_no_migration(folder: Path) -> None:
    (folder / "notes.sql").write_text("SELECT 1;")
    with pytest.raises(SchemaMismatchError, match=r"notes\.sql is no migration") as raised:
        migrations()
    assert "V<three digits>" in raised.value.hint


def test_an_edited_migration_is_refused_by_a_store_that_has_it(folder: Path, tmp_path: Path) -> None:
    EventLog(Database(tmp_path / "store")).last_seq()
    path = folder / "V002__sessions.sql"
    path.write_text(path.read_text(encoding="utf-8") + "\n-- edited\n", encoding="utf-8")
    _forget()
    with pytest.raises(SchemaMismatchError, match="V002__sessions is not the one that was applied"):
        EventLog(Database(tmp_path / "store")).last_seq()


def test_a_store_of_a_newer_program_is_refused(folder: Path, tmp_path: Path) -> None:
    newer = schema_version() + 1
    path = folder / f"V{newer:03}__later.sql"
    path.write_text("-- class: derived\nCREATE TABLE later (x INTEGER PRIMARY KEY);\n")
    _forget()
    EventLog(Database(tmp_path / "store")).last_seq()
    path.unlink()
    _forget()
    with pytest.raises(SchemaMismatchError, match=rf"has schema version {newer} \(later\), this program knows {newer - 1}"):
        EventLog(Database(tmp_path / "store")).last_seq()


def test_an_older_store_is_brought_up_and_keeps_its_events(folder: Path, tmp_path: Path) -> None:
    from memory_assets_tests.log.samples import taken

    EventLog(Database(tmp_path / "store")).append([taken(1)])
    later = folder / f"V{schema_version() + 1:03}__later.sql"
    later.write_text("-- class: derived\nCREATE TABLE later (x INTEGER PRIMARY KEY);\n")
    _forget()
    log = EventLog(Database(tmp_path / "store"))
    assert [event.seq for event in log.replay()] == [1]
    with Database(tmp_path / "store").reading() as connection:
        assert applied_version(connection) == schema_version()
        assert connection.execute("SELECT count(*) FROM later").fetchall() == [(0,)]


def test_what_an_older_store_shows_is_shown_before_anything_is_folded_again(folder: Path, tmp_path: Path) -> None:
    newer = {path: path.read_text(encoding="utf-8") for path in folder.glob("*.sql") if path.name > "V008"}
    for path in newer:
        path.unlink()
    _forget()
    (tmp_path / "store").mkdir()
    with duckdb.connect(str(tmp_path / "store" / "memory.duckdb")) as connection:
        migrate(connection)
        connection.execute(
            """INSERT INTO entries SELECT 'ent_1', now(), 'decision', 'Keep it', '{}', 'verified', 'active', NULL, NULL, '[]',
               'keep it', now(), 's', 'p', true, 1.0, 0, 0, 'ev_1', 'mem_1', 'embedded 1', '{}'"""
        )
        connection.execute(
            """INSERT INTO memories SELECT 'mem_1', 'abcdef', 'decision', 'Keep it', 'p', 'keep it', 'verified', 'embedded 1',
               'ent_1', 1, 1, now(), now()"""
        )
    for path, text in newer.items():
        path.write_text(text, encoding="utf-8")
    _forget()
    store = Database(tmp_path / "store")
    with store.writing():
        pass
    with store.reading() as connection:
        (ladder,) = ladders(connection)
        assert (ladder.stage, ladder.granted, ladder.status) == ("verified", "verified", "active")
        assert [decision.source for decision in list_decisions(connection)] == ["session"]


def test_a_migration_that_fails_leaves_the_store_as_it_was(folder: Path, tmp_path: Path) -> None:
    EventLog(Database(tmp_path / "store")).last_seq()
    later = folder / f"V{schema_version() + 1:03}__later.sql"
    later.write_text("-- class: derived\nCREATE TABLE later (x INTEGER PRIMARY KEY);\nCREATE TABLE events (x INTEGER);\n")
    _forget()
    with pytest.raises(StoreError, match="events"):
        EventLog(Database(tmp_path / "store")).last_seq()
    later.unlink()
    _forget()
    with Database(tmp_path / "store").reading() as connection:
        assert not connection.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'later'").fetchall()


def test_every_table_of_a_store_declares_its_class(database: Database) -> None:
    with database.reading() as connection:
        tables = {row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    assert table_classes().keys() == tables
    assert [table for table, declared in table_classes().items() if declared == "truth"] == ["events"]


def test_a_table_without_a_class_is_refused(folder: Path) -> None:
    path = folder / "V005__retrieval.sql"
    path.write_text(path.read_text(encoding="utf-8") + "\nCREATE TABLE stray (x INTEGER);\n", encoding="utf-8")
    with pytest.raises(SchemaMismatchError, match="V005 declares no class"):
        table_classes()


def test_every_derived_table_has_a_key_to_compare_by(database: Database) -> None:
    with database.reading() as connection:
        keyed = {
            row[0]
            for row in connection.execute(
                "SELECT table_name FROM duckdb_constraints() WHERE constraint_type = 'PRIMARY KEY'"
            ).fetchall()
        }
    assert {table for table, declared in table_classes().items() if declared == "derived"} <= keyed


@pytest.mark.parametrize("word", ["JSONB", "FOREIGN KEY", "REFERENCES", "CREATE INDEX", "CREATE UNIQUE INDEX", "SEQUENCE"])
def test_the_schema_says_nothing_of(word: str) -> None:
    for migration in migrations():
        statements = re.sub(r"--.*", "", migration.statements).upper()
        assert not re.search(rf"\b{word}\b", statements), f"V{migration.version:03}"


def test_no_default_is_a_function(database: Database) -> None:
    with database.reading() as connection:
        defaults = connection.execute(
            "SELECT table_name, column_name, column_default FROM duckdb_columns() WHERE column_default IS NOT NULL"
        ).fetchall()
    assert [row for row in defaults if "(" in row[2] or row[2].upper().startswith("CURRENT")] == []
    assert ("events", "sensitivity", "'normal'") in defaults
