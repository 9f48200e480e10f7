"""What was shown, opened and cited is told apart, is folded from events, and says what the memory was good for."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from memory_assets.configuration import Resources
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.migrations import migrations
from memory_assets.log.payloads.forgetting import SessionForgotten, SessionUnforgotten
from memory_assets.log.payloads.usage import UnitUse
from memory_assets.maintenance.purge.purge import plan, purge
from memory_assets.maintenance.usage import counting_event, take_shown
from memory_assets.memory import AskRequest, Memory
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import verify
from memory_assets.results.purge import DagsterPurgedV1
from memory_assets.search.usage import LONGEST_ADDRESS, note_cited, note_opened, note_shown
from memory_assets.settings import Settings
from memory_assets_tests.filled_store import fill

FIRST, SECOND = datetime(2025, 3, 1, 9, tzinfo=UTC), datetime(2025, 3, 2, 23, 59, tzinfo=UTC)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return fill(tmp_path_factory.mktemp("use"))


@pytest.fixture
def memory(filled: Settings, tmp_path: Path) -> Memory:
    shutil.copytree(filled.home, tmp_path / "home")
    return Memory(filled.model_copy(update={"home": tmp_path / "home"}))


def counted(memory: Memory) -> dict[tuple[str, str], tuple[int, int, int]]:
    """What was shown, opened and cited, by unit, of the units that there are."""
    with memory.database.reading() as connection:
        rows = connection.execute(
            """SELECT u.unit_kind, u.source_id, g.shown, g.opened, g.cited FROM memory_units u
               JOIN unit_usage g ON g.unit_kind = u.unit_kind AND g.source_hash = md5(u.source_id)"""
        ).fetchall()
    return {(unit_kind, source_id): tuple(counts) for unit_kind, source_id, *counts in rows}


def memory_named(memory: Memory, title: str) -> tuple[str, str]:
    """The address and the id of a memory."""
    with memory.database.reading() as connection:
        rows = connection.execute("SELECT 'mem:' || short_id, memory_id FROM memories WHERE title = ?", [title]).fetchall()
    return rows[0][0], rows[0][1]


@pytest.mark.long
def test_each_kind_of_use_is_counted_by_itself(memory: Memory) -> None:
    address, memory_id = memory_named(memory, "캐시를 Redis로 옮긴다")
    note_shown(memory.settings, [("entry", memory_id), ("passage", "shop-1#u1")])
    note_opened(memory.settings, [address, "session:shop-1#m=1", ("episode", "shop-1")])
    # Half of what the memory quotes, and words of the same message that it does not.
    text = memory.session("shop-1").messages[1].text
    quote = text.index("우리는 캐시를")
    note_cited(memory.settings, [f"session:shop-1#m=1&c={quote}-{quote + 5}", "session:shop-1#m=1&c=0-5"])
    assert take_shown(memory.resources) == 8
    assert counted(memory) == {
        ("entry", memory_id): (1, 1, 1),
        ("passage", "shop-1#u1"): (1, 1, 2),
        ("episode", "shop-1"): (0, 1, 0),
    }
    assert verify(memory.database, memory.resources.configured_versions).equal


def test_what_names_nothing_costs_only_itself(memory: Memory) -> None:
    note_opened(memory.settings, ["mem:zzzzzz", "tsk_nothing", "\ud800", "x" * (LONGEST_ADDRESS + 1), "session:shop-1#m=0"])
    note_cited(memory.settings, ["session:shop-1#m=99&c=0-5", "src/app.py"])
    assert take_shown(memory.resources) == 1
    assert counted(memory) == {("passage", "shop-1#u0"): (0, 1, 0)}


def test_a_spool_becomes_one_event_that_holds_no_text(memory: Memory) -> None:
    for _ in range(3):
        memory.search("Redis")
    before = EventLog(memory.database).last_seq()
    assert memory.count_shown() > 0 == memory.count_shown()
    (event,) = EventLog(memory.database).replay(["usage_counted"], since=before)
    assert EventLog(memory.database).last_seq() == before + 1
    told = json.loads(event.payload_json)
    assert set(told) == {"spool", "uses"} and told["spool"].startswith("taken-")
    assert {name for use in told["uses"] for name in use} == {"unit_kind", "source_id", "shown", "first_at", "last_at"}
    assert all(use["shown"] == 3 for use in told["uses"])


def test_an_answer_counts_what_it_cites_and_a_refusal_counts_nothing(memory: Memory) -> None:
    refused = memory.ask(AskRequest("Which colour has the roof of the lighthouse?"))
    assert not refused.grounded and refused.citations is not None
    unlogged = memory.ask(AskRequest("왜 캐시를 Redis로 옮기기로 했나?", log=False))
    assert unlogged.grounded and memory.count_shown() == 0
    answered = memory.ask(AskRequest("왜 캐시를 Redis로 옮기기로 했나?"))
    assert answered.grounded
    memory.count_shown()
    cited = {one.citation.uri.partition("&")[0] for one in answered.citations if one.marker}
    with memory.database.reading() as connection:
        places = connection.execute(
            """SELECT 'session:' || session_id || '#m=' || message_index FROM memory_units u
               WHERE u.unit_kind = 'passage' AND (u.unit_kind, md5(u.source_id)) IN
                 (SELECT (unit_kind, source_hash) FROM unit_usage WHERE cited > 0)"""
        ).fetchall()
    assert {place for (place,) in places} == cited
    assert all(counts[:2] == (0, 0) for counts in counted(memory).values())


@pytest.mark.long
def test_counts_are_the_same_however_often_a_session_is_forgotten_and_wanted_back(memory: Memory) -> None:
    log, versions = EventLog(memory.database), memory.resources.configured_versions
    passage, kept = ("passage", "shop-1#u1"), ("passage", "notes-2#u0")
    note_shown(memory.settings, [passage, kept])
    take_shown(memory.resources)
    log.append([NewEvent(SessionForgotten(reason="asked"), session_id="shop-1", inputs=("1",))])
    catch_up(memory.database, versions, resolve=True)
    assert counted(memory) == {kept: (1, 0, 0)} and verify(memory.database, versions).equal
    note_opened(memory.settings, [passage, kept])
    take_shown(memory.resources)
    assert counted(memory) == {kept: (1, 1, 0)} and verify(memory.database, versions).equal
    log.append([NewEvent(SessionUnforgotten(), session_id="shop-1", inputs=("2",))])
    catch_up(memory.database, versions, resolve=True)
    # What was noted while it was forgotten was not counted and is not now.
    assert counted(memory) == {passage: (1, 0, 0), kept: (1, 1, 0)} and verify(memory.database, versions).equal


@pytest.mark.long
def test_what_it_was_good_for(memory: Memory) -> None:
    redis, redis_id = memory_named(memory, "캐시를 Redis로 옮긴다")
    retry, retry_id = memory_named(memory, "The retry budget is 3 attempts")
    nothing = memory.stats().usage
    assert (nothing.shown, nothing.days, nothing.first_at, nothing.of_most_use) == (0, 0, None, ())
    assert nothing.memories == nothing.memories_never_shown >= 4
    uses = [
        UnitUse(unit_kind="entry", source_id=redis_id, shown=5, opened=1, first_at=FIRST, last_at=FIRST),
        UnitUse(unit_kind="entry", source_id=redis_id, shown=1, first_at=SECOND, last_at=SECOND),
        UnitUse(unit_kind="entry", source_id=retry_id, shown=1, cited=2, first_at=SECOND, last_at=SECOND),
        UnitUse(unit_kind="passage", source_id="shop-1#u0", shown=7, first_at=SECOND, last_at=SECOND),
        UnitUse(unit_kind="passage", source_id="gone", shown=100, first_at=SECOND, last_at=SECOND),
    ]
    EventLog(memory.database).append([counting_event("taken-1.ndjson", uses)])
    memory.feedback("session:shop-1#m=0", "wrong", by="kim")
    memory.feedback(redis, "used", by="bot")
    use = memory.stats().usage
    assert (use.shown, use.opened, use.cited, use.used, use.helpful, use.wrong, use.days) == (14, 1, 2, 1, 0, 1, 2)
    assert use.first_at is not None and use.first_at.date() == FIRST.date()
    assert use.memories_never_shown == nothing.memories - 2
    assert [(one.citation, one.shown, one.cited, one.used) for one in use.of_most_use] == [(redis, 6, 0, 1), (retry, 1, 2, 0)]
    with memory.database.writing() as connection:
        connection.execute("UPDATE memory_units SET project = 'notes' WHERE source_id = ?", [retry_id])
    of_notes = memory.stats(project="notes").usage
    assert (of_notes.shown, of_notes.cited, of_notes.wrong, of_notes.days) == (1, 2, 0, 1)
    assert [one.citation for one in of_notes.of_most_use] == [retry]
    # Said to be wrong as often as to have helped, it is what is cited that counts.
    memory.feedback(redis, "wrong", by="kim")
    assert [one.citation for one in memory.stats().usage.of_most_use] == [retry, redis]


@pytest.mark.long
def test_what_was_counted_before_usage_was_events_becomes_one(tmp_path: Path) -> None:
    settings = fill(tmp_path)
    resources = Resources(settings)
    with resources.database.writing() as connection:
        connection.execute(
            "INSERT INTO usage_before_events VALUES ('passage', 'shop-1#u1', 4, '2025-03-01 09:00:00', '2025-03-02 10:00:00')"
        )
    memory = Memory(settings)
    note_opened(settings, ["session:shop-1#m=1"])
    for _ in range(2):
        take_shown(resources)
    assert counted(memory) == {("passage", "shop-1#u1"): (4, 1, 0)} and memory.stats().usage.days == 3
    assert verify(memory.database, resources.configured_versions).equal


def test_the_migration_keeps_what_was_counted(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "old.duckdb")) as connection:
        for migration in migrations():
            if migration.name == "usage":
                connection.execute("INSERT INTO unit_usage VALUES ('entry', 'mem_1', 3, '2025-03-01', '2025-03-02')")
            connection.execute(migration.statements)
        rows = connection.execute("SELECT unit_kind, source_id, shown FROM usage_before_events").fetchall()
    assert rows == [("entry", "mem_1", 3)]


@pytest.mark.long
def test_what_was_forgotten_makes_no_later_fold_count_all_anew(memory: Memory) -> None:
    log, versions = EventLog(memory.database), memory.resources.configured_versions
    note_shown(memory.settings, [("passage", "notes-2#u0")])
    take_shown(memory.resources)
    log.append([NewEvent(SessionForgotten(reason="asked"), session_id="shop-1", inputs=("1",))])
    catch_up(memory.database, versions, resolve=True)
    with memory.database.writing() as connection:
        connection.execute("UPDATE unit_usage SET shown = 99")
    log.append([NewEvent(SessionUnforgotten(), session_id="shop-1", inputs=("2",))])
    catch_up(memory.database, versions, resolve=True)
    assert counted(memory) == {("passage", "notes-2#u0"): (99, 0, 0)}
    assert not verify(memory.database, versions).equal


@pytest.mark.long
def test_a_purge_takes_the_counts_of_what_is_gone_and_keeps_the_others(memory: Memory) -> None:
    log, versions = EventLog(memory.database), memory.resources.configured_versions
    kept = ("passage", "notes-2#u0")
    for uses in ([("passage", "shop-1#u1"), kept], [kept], [("episode", "shop-1")]):
        note_shown(memory.settings, uses)
        take_shown(memory.resources)
    log.append([NewEvent(SessionForgotten(reason="asked"), session_id="shop-1", inputs=("1",))])
    # Noted, and counted by nobody yet: neither a dry run nor a purge that cannot be done counts it.
    note_shown(memory.settings, [("episode", "shop-1"), kept])
    logged = log.last_seq()
    planned = plan(memory.resources)
    assert planned.removed["usage_counted"] == 2 and log.last_seq() == logged
    nothing = DagsterPurgedV1(runs=0, records=0, partitions=0, beyond="")
    report = purge(memory.resources, planned, lambda sessions: nothing)
    assert report.purged and report.found_after == 0
    events = list(log.replay(["usage_counted"]))
    assert len(events) == 3 and "shop-1" not in "".join(event.payload_json for event in events)
    assert not list((memory.settings.home / "usage").iterdir())
    assert counted(memory) == {kept: (3, 0, 0)} and memory.stats().usage.days == 1
    assert verify(memory.database, versions).equal
    # Nothing is left that a second purge would take out, and what is noted then is counted as ever.
    assert plan(memory.resources).removed == {}
    note_shown(memory.settings, [kept])
    take_shown(memory.resources)
    assert counted(memory) == {kept: (4, 0, 0)}
