"""The proof that a rebuild is equal finds whatever is not: a changed value, a row too many, a row too few, in every table."""

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_assets.identifiers import sha256_hex
from memory_assets.log.database import Database
from memory_assets.log.errors import LogTamperedError, StoreError
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.builds import BuildFinished
from memory_assets.log.payloads.evaluation import EvalRunRecorded
from memory_assets.log.payloads.prompts import PromptUpdateProposed, RolePromptActivated
from memory_assets.log.payloads.task_words import TaskPrioritySaid
from memory_assets.log.payloads.usage import UnitFeedback, UnitUse
from memory_assets.maintenance.usage import counting_event
from memory_assets.projections import rebuild as rebuild_module
from memory_assets.projections.fold import Folded, catch_up, fold
from memory_assets.projections.rebuild import derived_tables, rebuild, replay, verify
from memory_assets_tests.log.samples import build
from memory_assets_tests.projections.hearings import Heard
from memory_assets_tests.projections.people import recorded, said
from memory_assets_tests.projections.story import VERSIONS, Remark, Story, rows, tables
from memory_assets_tests.projections.test_answers import answered
from memory_assets_tests.projections.test_forgotten import registered
from memory_assets_tests.projections.test_quarantine import letter

# One column of each derived table that is no part of its key, and a value that no replay gives.
TAMPERED = {
    "source_files": ("byte_length", 99),
    "sessions": ("title", "tampered"),
    "messages": ("text", "tampered"),
    "message_origins": ("origin", "tool"),
    "quarantine": ("detail", "tampered"),
    "entries": ("title", "tampered"),
    "evidence_spans": ("matched_text", "tampered"),
    "statements": ("statement", "tampered"),
    "memories": ("last_said_at", "2020-01-01 00:00:00"),
    "memory_citations": ("short_id", "tamper"),
    "idris_checks": ("accepted", False),
    "promotions": ("reason", "tampered"),
    "task_claims": ("status", "done"),
    "task_names": ("name_hash", "tampered"),
    "name_likenesses": ("similarity", 0.5),
    "task_outcomes": ("place", 99),
    "task_names_due": ("missing", 99),
    "task_words": ("note", "tampered"),
    "artifact_references": ("title", "tampered"),
    "blocker_cycles": ("event_id", "tampered"),
    "entities": ("current_json", '{"status": "done"}'),
    "entity_aliases": ("is_primary", False),
    "edges": ("meta_json", "{}"),
    "memory_units": ("own_text", "tampered"),
    "build_runs": ("finished_at", "2020-01-01 00:00:00"),
    "conflicts": ("reason", "tampered"),
    "decisions": ("action", "tampered"),
    "decision_evidence": ("role", "tampered"),
    "unit_feedback": ("note", "tampered"),
    "unit_usage": ("cited", 99),
    "eval_runs": ("suite", "tampered"),
    "answers": ("question", "tampered"),
    "cases": ("backend", "tampered"),
    "case_statements": ("court_role", "tampered"),
    "judgements": ("policy_version", "tampered"),
    "accepted_lessons": ("title", "tampered"),
    "lesson_evidence": ("quote", "tampered"),
    "lessons": ("reason", "tampered"),
    "lesson_links": ("reason", "tampered"),
    "improvements": ("title", "tampered"),
    "role_prompts": ("prompt", "tampered"),
    "prompt_updates": ("status", "approved"),
}
# All columns are the key: what is tampered with is a row too many and one too few.
ONLY_KEYS = {"unit_facets", "explained_words", "unit_usage_days"}

MOMENT = datetime(2025, 3, 1, 12, tzinfo=UTC)
CITED = UnitUse(unit_kind="passage", source_id="nothing", cited=1, first_at=MOMENT, last_at=MOMENT)


@pytest.fixture
def filled(filled_folder: Path, database: Database) -> Database:
    """A store of the test's own with something in every derived table."""
    shutil.copytree(filled_folder, database.path.parent, dirs_exist_ok=True)
    return database


@pytest.fixture(scope="module")
def filled_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of that store, to be copied."""
    database = Database(tmp_path_factory.mktemp("filled") / "store")
    log = EventLog(database)
    story = Story("a")
    ports = [Remark("The API listens on port 8080", 2), Remark("The API listens on port 9090", 3)]
    # Each waits for the other, one of them under another name.
    waiting = [
        Remark("Fix the login bug", 1, "task", status="blocked", blocked_by=("Write the parser",)),
        Remark("Write the parser", 1, "task", status="blocked", blocked_by=("Login bug fix",)),
    ]
    run = build("b1")
    log.append(
        [
            *registered(story, "a.json"),
            *story.tell(
                [
                    "We keep PostgreSQL.",
                    "We fix it: acme/app#12.",
                    "The API listens on port 8080",
                    "The API listens on port 9090",
                    '<file path="a.md">\nAn attached file.\n</file>',
                    "찢김(tearing)이 보인다.",
                ],
                [Remark("Keep PostgreSQL", 0), *waiting, *ports],
            ),
            said(TaskPrioritySaid(task_id="tsk_of_nobody", priority="high", said_by="kim")),
            recorded("Keep PostgreSQL", story.entry_id(Remark("Keep PostgreSQL", 0))),
            said(UnitFeedback(unit_kind="passage", source_id="nothing", signal="used", said_by="kim")),
            said(
                EvalRunRecorded(
                    run_id="evl_1", suite="s", suite_hash="h", corpus_seq=1, config={}, aggregate={}, results=[], passed=True
                )
            ),
            answered("Which database?", story),
            said(RolePromptActivated(role="coder", prompt="You write code.", cause="seed", activated_by="kim")),
            said(
                PromptUpdateProposed(
                    update_id="pup_1",
                    role="coder",
                    prompt="You test it.",
                    base_sha256=sha256_hex("You write code."),
                    reason="it forgets the tests",
                    proposed_by="lee",
                )
            ),
            counting_event("taken-1.ndjson", [CITED]),
            letter("aligned", "unexpected", session_id="b"),
            NewEvent(BuildFinished(build_id="b1", status="success"), inputs=("b1",)),
        ],
        build=run,
    )
    for_court = Heard("d")
    contradicting = ("Always push to main after the tests", "Never push to main after the tests")
    log.append(for_court.tell(*contradicting, "Always say what is expected, for the user."))
    log.append(for_court.hear())
    catch_up(database, VERSIONS, resolve=True)
    # What is read and not resolved yet leaves names that are due.
    log.append(Story("c").tell(["Tidy up."], [Remark("Tidy up", 0, "task")]))
    catch_up(database, VERSIONS)
    assert [table for table, found in tables(database).items() if not found] == []
    return database.path.parent


@pytest.mark.long
def test_equal_tables_are_found_equal(filled: Database) -> None:
    report = verify(filled, VERSIONS)
    assert (report.equal, report.difference_count, report.differences) == (True, 0, ())
    assert report.tables == {table: len(found) for table, found in tables(filled).items()}


@pytest.mark.long
def test_a_changed_value_in_any_table_is_named(filled: Database) -> None:
    assert set(TAMPERED) | ONLY_KEYS == set(derived_tables())
    expected = []
    for table, (column, value) in TAMPERED.items():
        keys = " || ' ' || ".join(_keys(filled, table))
        key, before = rows(filled, f"SELECT {keys}, CAST({column} AS VARCHAR) FROM {table} ORDER BY 1 LIMIT 1")[0]
        with filled.writing() as connection:
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE {keys} = ?", [value, key])
        expected.append((table, key, column, str(value), str(before)))
    report = verify(filled, VERSIONS)
    found = [(told.table, told.key, told.column, told.stored, told.replayed) for told in report.differences]
    # DuckDB writes a time without the noughts at its end, and a boolean in small letters.
    assert [(*difference[:4], difference[4].casefold().rstrip("0")) for difference in sorted(found)] == [
        (*difference[:4], difference[4].casefold().rstrip("0")) for difference in sorted(expected)
    ]
    assert (report.equal, report.difference_count) == (False, len(TAMPERED))
    rebuild(filled, VERSIONS)
    assert verify(filled, VERSIONS).equal


def _keys(database: Database, table: str) -> list[str]:
    found = rows(
        database,
        "SELECT constraint_column_names FROM duckdb_constraints() WHERE table_name = ? AND constraint_type = 'PRIMARY KEY'",
        table,
    )
    return [f"CAST({column} AS VARCHAR)" for column in found[0][0]]


@pytest.mark.long
def test_a_row_too_few_and_a_row_too_many_are_named(filled: Database) -> None:
    with filled.writing() as connection:
        connection.execute("DELETE FROM entries WHERE title = 'Keep PostgreSQL'")
        connection.execute("INSERT INTO memory_citations VALUES ('ent_nowhere', 'abcdef', 'mem_nowhere', 0)")
        connection.execute("INSERT INTO unit_facets VALUES ('unt_nowhere', 'file', 'src/app.py')")
    report = verify(filled, VERSIONS)
    assert {(told.table, told.column, told.stored, told.replayed) for told in report.differences} == {
        ("entries", "(row)", None, "present"),
        ("memory_citations", "(row)", "present", None),
        ("unit_facets", "(row)", "present", None),
    }
    assert report.difference_count == 3


@pytest.mark.long
def test_many_differences_are_counted_and_the_first_shown(filled: Database) -> None:
    with filled.writing() as connection:
        connection.execute(
            """INSERT INTO memory_citations
               SELECT 'ent_' || n, 's' || n, 'mem_nowhere', 0 FROM range(50) AS numbers(n)"""
        )
    report = verify(filled, VERSIONS)
    assert (report.difference_count, len(report.differences)) == (50, 20)


@pytest.mark.long
def test_a_verification_leaves_nothing_behind(filled: Database) -> None:
    folder = filled.path.parent
    before = sorted(folder.iterdir()), tables(filled)
    verify(filled, VERSIONS)
    assert (sorted(folder.iterdir()), tables(filled)) == before


@pytest.mark.long
def test_events_that_no_fold_has_read_are_read_first(filled: Database) -> None:
    EventLog(filled).append(Story("late").tell(["x"]))
    report = verify(filled, VERSIONS)
    assert report.equal and report.tables["sessions"] == 4


@pytest.mark.long
def test_who_folds_more_meanwhile_is_no_difference(filled: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def folded(*given: Any) -> Folded:
        if not EventLog(filled).of_sessions(["late"]):
            EventLog(filled).append(Story("late").tell(["x"]))
            catch_up(filled, VERSIONS)
        return fold(*given)

    catch_up(filled, VERSIONS)
    monkeypatch.setattr(rebuild_module, "fold", folded)
    report = replay(filled, VERSIONS)
    assert report.equal and report.tables["sessions"] == 4


def test_a_log_that_was_changed_is_neither_folded_nor_replayed(filled: Database) -> None:
    before = tables(filled)
    with filled.held() as connection:
        connection.execute("UPDATE events SET project = 'other' WHERE seq = 3")
    for use in (rebuild, verify):
        with pytest.raises(LogTamperedError, match="event 3 is not what was written"):
            use(Database(filled.path.parent), VERSIONS)
    assert tables(filled) == before


def test_a_store_that_cannot_be_read_is_an_error_and_no_difference(filled: Database) -> None:
    filled.path.write_bytes(b"broken" * 1000)
    with pytest.raises(StoreError):
        verify(Database(filled.path.parent), VERSIONS)


def test_an_empty_store_is_equal(tmp_path: Path) -> None:
    report = verify(Database(tmp_path / "empty"), VERSIONS)
    assert report.equal and set(report.tables.values()) == {0}
