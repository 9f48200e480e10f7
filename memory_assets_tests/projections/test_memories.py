"""Memories: entries that say the same, under ids that every entry's own id leads to."""

from collections.abc import Callable
from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest

from memory_assets.citations.addresses import memory_short_id
from memory_assets.identifiers import sha256_hex
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.projections import memories as module
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import verify
from memory_assets_tests.projections.story import STARTED, VERSIONS, Remark, Story, rows

KEEP = Remark("Keep PostgreSQL", 0)


def story(name: str, day: int = 0, **envelope: Any) -> Story:
    return Story(name, started=STARTED + timedelta(days=day), **envelope)


def test_entries_that_say_the_same_are_one_memory(log: EventLog, database: Database) -> None:
    early, late = story("early", 0), story("late", 1)
    log.append(late.tell(["We keep it."], [Remark("keep  postgresql!", 0, promoted=None)]))
    log.append(early.tell(["We keep it."], [KEEP]))
    catch_up(database, VERSIONS)
    assert rows(
        database,
        "SELECT title, stage, checker, first_entry_id, entry_count, session_count, first_said_at, last_said_at FROM memories",
    ) == [
        (
            "Keep PostgreSQL",
            "verified",
            "embedded 1",
            early.entry_id(KEEP),
            2,
            2,
            early.started.replace(tzinfo=None),
            late.started.replace(tzinfo=None),
        )
    ]
    units = rows(database, "SELECT session_id, citations_json FROM memory_units WHERE unit_kind = 'entry'")
    assert len(units) == 1 and units[0][0] is None
    assert '"early"' in units[0][1] and '"late"' in units[0][1]


@pytest.mark.parametrize(
    ("other", "project"),
    [(Remark("Keep MySQL", 0), "hourglass"), (Remark("Keep PostgreSQL", 0, "fact"), "hourglass"), (KEEP, "shop"), (KEEP, None)],
)
def test_another_key_type_or_project_is_another_memory(
    log: EventLog, database: Database, other: Remark, project: str | None
) -> None:
    log.append(story("a").tell(["x"], [KEEP]))
    log.append(story("b", project=project).tell(["x"], [other]))
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT entry_count FROM memories") == [(1,), (1,)]


def test_a_quote_that_stands_nowhere_makes_no_memory(log: EventLog, database: Database) -> None:
    log.append(story("a").tell(["x"], [Remark("Nobody said this", 0, quoted=False)]))
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT stage, status, memory_id FROM entries") == [("raw", "active", None)]
    assert rows(database, "SELECT match_method, span_start, failure_reason FROM evidence_spans") == [
        ("none", None, "not_found")
    ]
    assert rows(database, "SELECT count(*) FROM memories") == [(0,)]
    assert rows(database, "SELECT unit_kind FROM memory_units ORDER BY 1") == [("episode",), ("passage",)]


def test_a_certified_entry_outranks_a_verified_one(log: EventLog, database: Database) -> None:
    log.append(story("a").tell(["x"], [Remark("Fix", 0, "task", promoted="verified")]))
    log.append(story("b").tell(["x"], [Remark("Fix", 0, "task", promoted="certified")]))
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, "SELECT stage FROM memories") == [("certified",)]
    assert rows(database, "SELECT stage FROM entities") == [("certified",)]


@pytest.mark.long
def test_the_address_of_any_entry_leads_to_the_memory_that_holds_it_now(log: EventLog, database: Database) -> None:
    late, early = story("late", 5), story("early", 1)
    log.append(late.tell(["x"], [KEEP]))
    catch_up(database, VERSIONS)
    cited = rows(database, "SELECT short_id, memory_id FROM memories")[0]
    assert cited[0] == memory_short_id(late.entry_id(KEEP))

    log.append(early.tell(["x"], [KEEP]))
    catch_up(database, VERSIONS)
    memory = rows(database, "SELECT memory_id, short_id FROM memories")
    assert memory[0][0] != cited[1] and memory[0][1] == memory_short_id(early.entry_id(KEEP))
    assert rows(database, "SELECT memory_id FROM memory_citations WHERE short_id = ?", cited[0]) == [(memory[0][0],)]

    log.append([early.forget()])
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT short_id, memory_id FROM memories") == [cited]
    assert rows(database, "SELECT short_id FROM memory_citations") == [(cited[0],)]


@pytest.fixture
def four_ids(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, int], str]:
    """Short ids of which there are four a salt: collisions are sure to happen."""

    def short(memory_id: str, attempt: int = 0) -> str:
        assert attempt < 40
        return f"{'abcdefghij'[attempt % 10]}{attempt // 10}{int(sha256_hex(memory_id + str(attempt)), 16) % 4}"

    monkeypatch.setattr(module, "memory_short_id", short)
    return short


@pytest.mark.long
def test_short_ids_stay_apart_in_whatever_order_and_when_others_go(
    log: EventLog, database: Database, four_ids: Callable[[str, int], str]
) -> None:
    stories = [story(f"talk-{number}") for number in range(6)]
    told = [one.tell(["x", "y"], [Remark(f"Title {index}", 0), Remark("Same", 1)]) for index, one in enumerate(stories)]
    for batch in (told[3], told[0] + told[4], told[1], told[5] + told[2]):
        log.append(batch)
        catch_up(database, VERSIONS)
    assert rows(database, "SELECT count(*), count(DISTINCT short_id) FROM memory_citations") == [(12, 12)]
    assert rows(database, "SELECT count(*) FROM memory_citations WHERE attempt = 0") == [(4,)]
    _are_consistent(database)
    for one in (stories[3], stories[1]):
        log.append([one.forget()])
        catch_up(database, VERSIONS)
        _are_consistent(database)


def _are_consistent(database: Database) -> None:
    assert (
        rows(
            database,
            """SELECT m.short_id, c.short_id FROM memories m JOIN memory_citations c ON c.entry_id = m.first_entry_id
               WHERE m.short_id <> c.short_id""",
        )
        == []
    )
    report = verify(database, VERSIONS)
    assert report.equal, report.differences


@pytest.mark.long
def test_of_two_that_collide_the_first_entry_id_has_the_plain_one(
    log: EventLog, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        module, "memory_short_id", lambda entry_id, attempt=0: "same" if attempt == 0 else f"{entry_id[-4:]}{attempt}"
    )
    stories = [story(name) for name in "abc"]
    ids = sorted(one_.tell(["x"], []) and one_.entry_id(KEEP) for one_ in stories)
    told = {one_.entry_id(KEEP): one_.follow([KEEP]) for one_ in stories}
    log.append([one_.head for one_ in stories if one_.head])
    order = next(iter(permutations(reversed(ids))))
    for entry_id in order:
        log.append(told[entry_id])
        catch_up(database, VERSIONS)
    expected = {ids[0]: "same", ids[1]: f"{ids[1][-4:]}1", ids[2]: f"{ids[2][-4:]}1"}
    assert dict(rows(database, "SELECT entry_id, short_id FROM memory_citations")) == expected
