"""A word on what was shown: logged, folded, masked, and gone with what it was said of."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets.configuration import Resources
from memory_assets.errors import InvalidArgumentError, NotFoundError
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.memory import Memory
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import rebuild, verify
from memory_assets.queries.entries import list_entries
from memory_assets.queries.events import event_stats, one_event
from memory_assets.search.answers.unit_standing import unit_uplifts
from memory_assets_tests.filled_store import fill
from memory_assets_tests.filled_store import test_settings as store_settings

SECRET = "ghp_" + "0123456789abcdefABCDEF0123456789abcd"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fill(tmp_path_factory.mktemp("filled")).home


@pytest.fixture
def memory(filled: Path, tmp_path: Path) -> Iterator[Memory]:
    shutil.copytree(filled, tmp_path / "home")
    memory = Memory(store_settings(tmp_path / "home"))
    with memory.database.kept_open():
        yield memory


def rows(memory: Memory) -> list[tuple[str, str, str, str, str]]:
    with memory.database.reading() as connection:
        return connection.execute(
            "SELECT unit_kind, source_id, signal, said_by, note FROM unit_feedback ORDER BY said_at, event_id"
        ).fetchall()


def forget(memory: Memory, session_id: str) -> None:
    event = NewEvent(SessionForgotten(reason="asked"), session_id=session_id, inputs=("asked",))
    EventLog(memory.database).append([event])
    catch_up(memory.database, Resources(memory.settings).configured_versions, resolve=True)


def address(memory: Memory, title: str) -> str:
    return next(one.citation for one in memory.memories().memories if one.title == title)


def test_every_kind_of_id_names_its_unit(memory: Memory) -> None:
    page = {one.title: one for one in memory.memories().memories}
    redis = page["캐시를 Redis로 옮긴다"]
    entries, _ = memory.read(list_entries, session_id="shop-1")
    entry = next(one for one in entries if one.memory_id == redis.memory_id)
    first = memory.feedback(redis.citation, "helpful", by="민수")
    assert first.unit is not None and (first.unit.unit_kind, first.unit.source_id) == ("entry", redis.memory_id)
    for given in (f"[{redis.citation}]", redis.memory_id, entry.entry_id, first.unit.unit_id):
        ack = memory.feedback(given, "used", by="agent")
        assert ack.unit is not None and ack.unit.unit_id == first.unit.unit_id and ack.id == given
    assert ack.unit is not None and (ack.unit.helpful, ack.unit.used, ack.unit.wrong) == (1, 4, 0)
    passage = memory.feedback("session:shop-1#m=1", "wrong", by="agent").unit
    cited = memory.feedback("session:shop-1#m=1&c=21-44", "wrong", by="agent").unit
    assert passage is not None and cited is not None and passage.unit_kind == "passage"
    assert (cited.unit_id, cited.wrong, cited.uplift < passage.uplift < 0) == (passage.unit_id, 2, True)
    task = memory.tasks()[0].task_id
    told = memory.feedback(task, "used", by="agent").unit
    assert told is not None and (told.unit_kind, told.source_id) == ("task", task)
    with memory.database.reading() as connection:
        uplifts = unit_uplifts(connection)
    assert uplifts.keys() == {("entry", redis.memory_id), ("passage", passage.source_id), ("task", task)}
    assert uplifts["entry", redis.memory_id] > 0 > uplifts["passage", passage.source_id]


def test_it_is_an_event_of_its_session_with_the_speakers_clock(memory: Memory) -> None:
    before = [one.status for one in memory.sessions()]
    ack = memory.feedback(address(memory, "캐시를 Redis로 옮긴다"), "used", by="agent", note="둘 다")
    event = memory.read(one_event, ack.event_id)
    assert (event.event.event_type, event.event.session_id, event.event.occurred_at) == ("unit_feedback", "shop-1", ack.at)
    # What two sessions say belongs to neither.
    both = memory.feedback(address(memory, "Keep PostgreSQL 16 for orders"), "used", by="agent")
    assert memory.read(one_event, both.event_id).event.session_id is None
    # The session has come no further for it.
    assert [one.status for one in memory.sessions()] == before


def test_the_same_word_later_is_another_word(memory: Memory) -> None:
    mem = address(memory, "캐시를 Redis로 옮긴다")
    assert memory.feedback(mem, "used", by="a").event_id != memory.feedback(mem, "used", by="a").event_id
    assert len(rows(memory)) == 2


def test_notes_and_names_are_masked(memory: Memory) -> None:
    ack = memory.feedback("session:notes-2#m=0", "wrong", by=f"me {SECRET}", note=f"지금은 {SECRET} 로 <private>속</private>")
    assert SECRET not in repr(rows(memory)) + repr(ack) + repr(memory.read(one_event, ack.event_id))
    assert "지금은 [SECRET" in rows(memory)[0][4] and "속" not in rows(memory)[0][4]


@pytest.mark.parametrize(
    ("given", "signal", "by", "note", "error"),
    [
        ("mem:zzzzzz", "used", "me", "", NotFoundError),
        ("session:shop-1#m=99", "used", "me", "", NotFoundError),
        ("session:nobody#m=0", "used", "me", "", NotFoundError),
        ("unt_" + "0" * 32, "used", "me", "", NotFoundError),
        ("tsk_" + "0" * 32, "used", "me", "", NotFoundError),
        ("", "used", "me", "", InvalidArgumentError),
        ("'; DROP TABLE events; --", "used", "me", "", InvalidArgumentError),
        ("session:shop-1#m=1&c=0-99999", "used", "me", "", InvalidArgumentError),
        ("session:shop-1#m=1", "great", "me", "", InvalidArgumentError),
        ("session:shop-1#m=1", "used", " ", "", InvalidArgumentError),
        ("session:shop-1#m=1", "used", "me", "x" * 2_001, InvalidArgumentError),
    ],
)
def test_what_cannot_be_said_is_refused_and_nothing_is_written(
    memory: Memory, given: str, signal: str, by: str, note: str, error: type[Exception]
) -> None:
    before = memory.read(event_stats).last_seq
    with pytest.raises(error):
        memory.feedback(given, signal, by=by, note=note)
    assert memory.read(event_stats).last_seq == before


def test_an_entry_that_search_never_shows_has_no_unit(memory: Memory) -> None:
    entries, _ = memory.read(list_entries, session_id="shop-1")
    nowhere = next(one for one in entries if one.title == "Nobody said this")
    with pytest.raises(NotFoundError):
        memory.feedback(nowhere.entry_id, "used", by="me")


@pytest.mark.long
def test_a_replay_gives_the_same_words(memory: Memory) -> None:
    memory.feedback("session:shop-1#m=1", "wrong", by="me", note="아니다")
    memory.feedback(address(memory, "Keep PostgreSQL 16 for orders"), "helpful", by="me")
    versions = Resources(memory.settings).configured_versions
    before = rows(memory)
    assert verify(memory.database, versions).equal and len(before) == 2
    rebuild(memory.database, versions)
    assert rows(memory) == before


@pytest.mark.long
def test_nothing_of_a_note_is_left_of_a_forgotten_session(memory: Memory) -> None:
    acks = [
        memory.feedback(given, "wrong", by="me", note="it quotes the amber key")
        for given in ("session:shop-1#m=1", address(memory, "캐시를 Redis로 옮긴다"), memory.tasks()[0].task_id)
    ]
    forget(memory, "shop-1")
    assert "amber" not in repr(rows(memory))
    for ack in acks:
        with pytest.raises(NotFoundError):
            memory.read(one_event, ack.event_id)
    assert verify(memory.database, Resources(memory.settings).configured_versions).equal


@pytest.mark.long
def test_a_memory_of_two_sessions_keeps_its_word_while_it_is_the_same_memory(memory: Memory) -> None:
    mem = address(memory, "Keep PostgreSQL 16 for orders")
    memory.feedback(mem, "helpful", by="me", note="amber")
    forget(memory, "notes-2")
    assert [row[4] for row in rows(memory)] == ["amber"] and memory.stats().feedback_by_signal == {"helpful": 1}
    # With its last session it is gone, and what was said of it is a count of nothing that anybody sees.
    forget(memory, "shop-1")
    assert [row[4] for row in rows(memory)] == [""] and memory.stats().feedback_by_signal == {}
    assert verify(memory.database, Resources(memory.settings).configured_versions).equal


def test_audit_and_stats_show_what_was_said_and_shown(memory: Memory) -> None:
    measures = {measure.name: measure for measure in memory.audit().measures}
    assert measures["never_retrieved"].count is None and measures["said_wrong"].count == 0
    found = memory.search("캐시를 Redis로 옮긴다", kinds=("entry",), k=1)
    assert [hit.title for hit in found.hits] == ["캐시를 Redis로 옮긴다"] and found.hits[0].id is not None
    memory.feedback(found.hits[0].id, "wrong", by="민수", note="이제는\n아니다")
    memory.feedback(found.hits[0].id, "wrong", by="민수", note="이제는\n아니다")
    measures = {measure.name: measure for measure in memory.audit().measures}
    never, wrong = measures["never_retrieved"], measures["said_wrong"]
    assert (never.count, never.of, len(never.examples)) == (3, 4, 3)
    assert "캐시를 Redis로 옮긴다" not in [example.titles[0] for example in never.examples]
    assert (wrong.count, wrong.of, wrong.examples[0].ids) == (1, 4, (found.hits[0].id,))
    assert wrong.examples[0].reason == "민수, 2 times: 이제는 아니다"
    stats = memory.stats()
    assert (stats.deliveries, stats.units_shown, stats.memories_shown) == (1, 1, 1)
    assert stats.feedback_by_signal == {"wrong": 2}


def test_what_is_wrong_sinks(memory: Memory) -> None:
    first = memory.search("PostgreSQL 16 orders", mode="lexical", log=False).hits
    assert len(first) > 1
    for _ in range(3):
        memory.feedback(first[0].unit_id, "wrong", by="me")
    again = memory.search("PostgreSQL 16 orders", mode="lexical", log=False).hits
    assert again[0].unit_id != first[0].unit_id
