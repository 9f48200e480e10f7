"""Entries of several sessions that say the same are one memory, whatever the order in which the sessions come and go."""

from datetime import timedelta
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.projections import fold as module
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import rebuild, verify
from memory_assets.projections.statements import EntryStatement, leaders
from memory_assets.text.equivalence import say_the_same
from memory_assets_tests.depth import cases
from memory_assets_tests.projections.story import APPEND_TIMES, STARTED, VERSIONS, Remark, Story, rows, tables

LONG = "The importer keeps every message of a session in the order of its source file"
# Each of the first three says the same as the first; the second and third do not.
LIKE = (LONG, LONG.replace("keeps", "carefully keeps"), LONG.replace("order", "exact order"))
TITLES = (
    *LIKE,
    LONG.replace("every message", "every single message"),
    LONG.replace("keeps", "never keeps"),
    LONG.replace("every message", "3 messages"),
    "로그인 버그를 고쳤다",
    "로그인 버그 고쳤습니다",
    "로그인 버그를 고친다",
    "로그인 버그를 안 고친다",
    "Keep PostgreSQL 16",
    "keep the PostgreSQL 16!",
    "Keep PostgreSQL 17",
)


def session(name: str, day: int) -> Story:
    return Story(name, started=STARTED + timedelta(days=day))


def told(story: Story, *titles: str) -> list:  # type: ignore[type-arg]
    texts = [f"{number}: {title}" for number, title in enumerate(titles)]
    return story.tell(texts, [Remark(title, number) for number, title in enumerate(titles)])


def memories(database: Database) -> list[tuple[str, list[str]]]:
    """Each memory by its title, with the sessions of its entries."""
    return rows(
        database,
        """SELECT m.title, list(n.session_id ORDER BY n.session_id) FROM memories m JOIN entries n USING (memory_id)
           WHERE n.status = 'active' GROUP BY m.memory_id, m.title ORDER BY m.title, 2""",
    )


@pytest.mark.long
@pytest.mark.parametrize(("one", "other"), [("로그인 버그를 고쳤다", "로그인 버그 고쳤습니다"), LIKE[:2]])
def test_near_identical_entries_of_two_sessions_are_one_memory(log: EventLog, database: Database, one: str, other: str) -> None:
    early, late = session("early", 0), session("late", 1)
    log.append(told(late, other))
    catch_up(database, VERSIONS)
    log.append(told(early, one))
    catch_up(database, VERSIONS)
    assert memories(database) == [(one, ["early", "late"])]
    ((citations, body),) = rows(database, "SELECT citations_json, body FROM memory_units WHERE unit_kind = 'entry'")
    assert '"early"' in citations and '"late"' in citations and other in body
    # Whoever cited the later one is led to the memory that holds it now.
    assert rows(database, "SELECT count(DISTINCT memory_id), count(*) FROM memory_citations") == [(1, 2)]
    assert rows(database, "SELECT op FROM vector_outbox WHERE item_id NOT IN (SELECT unit_id FROM memory_units)") == [
        ("delete",),
        ("delete",),
    ]
    assert verify(database, VERSIONS).equal


def test_entries_of_one_session_that_the_exact_merge_missed_are_one_memory(log: EventLog, database: Database) -> None:
    log.append(told(session("a", 0), LIKE[1], LIKE[0]))
    catch_up(database, VERSIONS)
    assert memories(database) == [(LIKE[1], ["a", "a"])]


@pytest.mark.parametrize(
    "other", [LONG.replace("keeps", "never keeps"), LONG.replace("every message", "3 messages"), LONG.replace("keeps", "kept")]
)
def test_entries_that_differ_in_a_fact_are_two_memories(log: EventLog, database: Database, other: str) -> None:
    log.append([*told(session("a", 0), LONG), *told(session("b", 1), other)])
    catch_up(database, VERSIONS)
    assert len(memories(database)) == 2


def test_where_the_title_was_cut_the_quote_decides(log: EventLog, database: Database) -> None:
    story, other, third = (session(name, day) for day, name in enumerate("abc"))
    title = "The importer keeps every message…"
    log.append(story.tell([LONG], [Remark(title, 0)]))
    log.append(other.tell([LONG.replace("order", "exact order")], [Remark(title, 0)]))
    log.append(third.tell([LONG.replace("source file", "database")], [Remark(title, 0)]))
    catch_up(database, VERSIONS)
    assert [sessions for _, sessions in memories(database)] == [["a", "b"], ["c"]]


@pytest.mark.long
@pytest.mark.parametrize(
    "order", [(0, 2, 1), *(pytest.param(order, marks=pytest.mark.slow) for order in ((0, 1, 2), (2, 1, 0)))]
)
def test_a_memory_splits_when_the_session_that_held_it_together_is_forgotten(
    log: EventLog, database: Database, order: tuple[int, ...]
) -> None:
    stories = [session(f"talk-{number}", day) for number, day in enumerate(order)]
    for story, title in zip(stories, LIKE, strict=True):
        log.append(told(story, title))
        catch_up(database, VERSIONS)
    grouped = [sessions for _, sessions in memories(database) if len(sessions) > 1]
    # The one in the middle goes with whichever of the others was said first; never all three.
    assert grouped == [["talk-0", "talk-1"] if order[1] < order[2] else ["talk-0", "talk-2"]]
    log.append([stories[0].forget()])
    catch_up(database, VERSIONS)
    assert [sessions for _, sessions in memories(database)] == [["talk-1"], ["talk-2"]]
    assert rows(database, "SELECT DISTINCT session_id FROM statements ORDER BY 1") == [("talk-1",), ("talk-2",)]
    assert verify(database, VERSIONS).equal


@pytest.mark.long
def test_a_store_that_was_folded_before_there_were_statements_is_folded_anew(
    log: EventLog, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, title in enumerate(LIKE):
        log.append(told(session(f"talk-{number}", number), title, "Keep PostgreSQL 16"))
    catch_up(database, VERSIONS)
    expected = tables(database)
    with database.writing() as connection:
        connection.execute("DELETE FROM statements")
        connection.execute("UPDATE projection_offsets SET projector_version = '1 of another time'")
    monkeypatch.setattr(module, "SCOPE_SIZE", 1)
    catch_up(database, VERSIONS)
    assert tables(database) == expected


@pytest.mark.long
@pytest.mark.parametrize("seed", cases([0], [1, 2]))
def test_any_order_and_any_forgetting_gives_what_a_replay_gives(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = Random(seed)
    days = [chance.randrange(4) for _ in range(5)]
    said = [chance.sample(TITLES, chance.randrange(1, 4)) for _ in days]
    gone = chance.randrange(len(days))
    found = []
    for attempt in range(2):
        database = Database(tmp_path / f"store-{attempt}")
        log = EventLog(database)
        order = list(range(len(days)))
        chance.shuffle(order)
        # One store takes them one by one, the other all at once in another order.
        size = (1, 5)[attempt]
        for start in range(0, len(order), size):
            for number in order[start : start + size]:
                log.append(told(session(f"talk-{number}", days[number]), *said[number]))
            catch_up(database, VERSIONS)
        found.append((database, log))
    without_times = [tables(database, without=APPEND_TIMES) for database, _ in found]
    for table in ("memories", "memory_citations", "statements", "memory_units", "entries"):
        assert _content(without_times[0][table]) == _content(without_times[1][table]), table
    for database, log in found:
        log.append([told_of(f"talk-{gone}", days[gone], said[gone]).forget()])
        catch_up(database, VERSIONS)
        _check_groups(database)
    report = verify(found[0][0], VERSIONS)
    assert report.equal, report.differences
    # A rebuild also appends the outcomes that are missing.
    catch_up(found[1][0], VERSIONS, resolve=True)
    before = tables(found[1][0])
    monkeypatch.setattr(module, "SCOPE_SIZE", 2)
    rebuild(found[1][0], VERSIONS)
    assert tables(found[1][0]) == before


def told_of(name: str, day: int, titles: list[str]) -> Story:
    """The story as it was told, to forget it."""
    story = session(name, day)
    told(story, *titles)
    return story


def _content(table: list[dict[str, object]]) -> list[dict[str, object]]:
    times = {"created_at", "source_event_id", "build_id"}
    return [{name: value for name, value in row.items() if name not in times} for row in table]


def _check_groups(database: Database) -> None:
    """Any two entries of a memory say the same, and the memory's title is that of the first of them."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for memory_id, statement, title in rows(
        database,
        """SELECT n.memory_id, s.statement, n.title FROM entries n JOIN statements s USING (entry_id)
           ORDER BY n.created_ts, n.session_id, n.message_index, n.ordinal""",
    ):
        groups.setdefault(memory_id, []).append((statement, title))
    assert groups
    for members in groups.values():
        assert all(say_the_same(one, other) for (one, _), (other, _) in combinations(members, 2))
    assert {members[0][1] for members in groups.values()} == {title for title, _ in memories(database)}


said_of = st.builds(EntryStatement, st.just(None), st.just("fact"), st.sampled_from("abcdefgh"))


@given(
    st.lists(said_of, unique=True),
    st.sets(st.tuples(said_of, said_of).filter(lambda pair: pair[0] != pair[1])),
    st.randoms(use_true_random=False),
)
def test_any_two_of_a_group_are_linked_and_the_order_alone_decides(
    order: list[EntryStatement], pairs: set[tuple[EntryStatement, EntryStatement]], chance: Random
) -> None:
    shuffled = list(pairs)
    chance.shuffle(shuffled)
    found = []
    for some in (sorted(pairs, key=repr), shuffled):
        links: dict[EntryStatement, set[EntryStatement]] = {}
        for one, other in some:
            links.setdefault(one, set()).add(other)
            links.setdefault(other, set()).add(one)
        found.append(leaders(order, links))
    assert found[0] == found[1]
    groups: dict[EntryStatement, list[EntryStatement]] = {}
    for said in order:
        groups.setdefault(found[0][said], []).append(said)
    for leader, members in groups.items():
        assert members[0] == leader
        assert all(other in links[one] for one, other in combinations(members, 2))
