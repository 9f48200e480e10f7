"""The audit counts what is said twice without the rule that groups it: it must be able to find the rule wanting."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.maintenance import duplicates
from memory_assets.maintenance.audit import Audit, Measure, audit
from memory_assets.maintenance.duplicates import ComparedMemory, alike
from memory_assets.projections.fold import catch_up
from memory_assets_tests.projections.story import STARTED, VERSIONS, Remark, Story


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "store")
    with database.kept_open():
        yield database


def filled(database: Database, sessions: Sequence[Sequence[Remark]], projects: Sequence[str] = ()) -> dict[str, Measure]:
    """A store of sessions that say these things; what its audit measures."""
    return {measure.name: measure for measure in audited(database, sessions, projects).measures}


def audited(database: Database, sessions: Sequence[Sequence[Remark]], projects: Sequence[str] = (), examples: int = 3) -> Audit:
    for number, remarks in enumerate(sessions):
        project = projects[number] if projects else "hourglass"
        story = Story(f"talk-{number}", project=project, started=STARTED + timedelta(days=number))
        texts = [f"{number} {place} {remark.title}" for place, remark in enumerate(remarks)]
        EventLog(database).append(story.tell(texts, remarks))
    catch_up(database, VERSIONS)
    with database.reading() as connection:
        return audit(connection, examples=examples)


def said(*titles: str) -> list[Remark]:
    return [Remark(title, number) for number, title in enumerate(titles)]


def test_what_the_grouping_leaves_apart_and_looks_alike_is_counted(database: Database) -> None:
    one = "The old test was designed to validate the wrong behavior of the resolver"
    measures = filled(database, [said(one, "Keep Redis"), said(one.replace("designed", "written"), "옮기기 전에 백업한다")])
    near = measures["near_duplicates"]
    assert (near.count, near.of, near.rate, near.bar) == (2, 4, 0.5, 0.02)
    (example,) = near.examples
    assert sorted(example.titles) == sorted([one, one.replace("designed", "written")])
    assert all(shown.startswith("mem:") for shown in example.ids)
    assert example.similarity is not None and 0.85 <= example.similarity < 1
    assert measures["exact_duplicates"].count == measures["alike_but_differing"].count == 0


def test_what_was_grouped_is_no_duplicate(database: Database) -> None:
    measures = filled(
        database, [said("로그인 버그를 고쳤다", "Keep PostgreSQL"), said("로그인 버그 고쳤습니다", "keep postgresql!")]
    )
    assert [measures[name].count for name in ("exact_duplicates", "near_duplicates")] == [0, 0]
    assert measures["near_duplicates"].of == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The retry budget of the importer is 3", "The retry budget of the importer is 5"),
        ("이 서비스에서는 Redis 캐시를 쓴다", "이 서비스에서는 Redis 캐시를 안 쓴다"),
    ],
)
def test_what_differs_in_a_fact_is_listed_apart(database: Database, one: str, other: str) -> None:
    measures = filled(database, [said(one), said(other)])
    assert (measures["alike_but_differing"].count, measures["near_duplicates"].count) == (2, 0)
    assert len(measures["alike_but_differing"].examples) == 1


def test_another_project_or_type_is_no_duplicate(database: Database) -> None:
    title = "The importer was designed to read every format that is known"
    other = title.replace("designed", "written")
    measures = filled(
        database, [said(title), said(other), [Remark(other, 0, "insight")]], projects=("hourglass", "shop", "hourglass")
    )
    assert measures["near_duplicates"].count == 0


def test_exact_duplicates_are_those_of_one_title(database: Database) -> None:
    # Only the quotes behind the cut differ, in every word: two memories under one title.
    first, second = Story("a"), Story("b")
    title = "The importer keeps…"
    EventLog(database).append(first.tell(["The importer keeps all messages."], [Remark(title, 0)]))
    EventLog(database).append(second.tell(["The importer keeps no journal whatsoever."], [Remark(title, 0)]))
    catch_up(database, VERSIONS)
    with database.reading() as connection:
        measures = {measure.name: measure for measure in audit(connection, examples=3).measures}
    assert (measures["exact_duplicates"].count, measures["near_duplicates"].count) == (2, 0)


def test_an_entry_without_a_quote_is_ungrounded_and_what_nothing_records_is_unknown(database: Database) -> None:
    found = audited(database, [[Remark("Nobody said this", 0, quoted=False), Remark("Keep Redis", 1)]])
    measures = {measure.name: measure for measure in found.measures}
    ungrounded = measures["ungrounded"]
    assert (ungrounded.count, ungrounded.of, ungrounded.rate) == (1, 2, 0.5)
    assert ungrounded.examples[0].titles == ("Nobody said this",)
    assert (measures["never_retrieved"].count, measures["never_retrieved"].rate) == (None, None)
    assert (measures["contested"].count, measures["contested"].rate, measures["contested"].of) == (0, 0.0, 1)
    assert (found.sessions, found.entries, found.memories) == (1, 2, 1)


def test_memories_in_an_open_conflict_are_contested(database: Database) -> None:
    for name, remarks in {
        "a": said("The API listens on port 8080", "Keep Redis"),
        "b": said("The API listens on port 9090"),
    }.items():
        EventLog(database).append(Story(name).tell([remark.title for remark in remarks], remarks))
    catch_up(database, VERSIONS, resolve=True)
    with database.reading() as connection:
        contested = {measure.name: measure for measure in audit(connection, examples=3).measures}["contested"]
    assert (contested.count, contested.of) == (2, 3)
    assert [(example.titles, example.reason) for example in contested.examples] == [
        (("The API listens on port 8080", "The API listens on port 9090"), "another number")
    ]


def test_an_empty_store_has_no_rates_above_nought(database: Database) -> None:
    assert {measure.rate for measure in audited(database, []).measures} == {0.0, None}


def test_so_many_examples_as_were_asked_for(database: Database) -> None:
    titles = [f"The retry budget of the importer is {number}" for number in range(4)]
    for examples in (0, 2, 20):
        found = audited(database, [said(*titles)], examples=examples)
        (measure,) = (measure for measure in found.measures if measure.name == "alike_but_differing")
        assert (measure.count, len(measure.examples)) == (4, min(examples, 6))


def told(number: int, title: str) -> ComparedMemory:
    return ComparedMemory(f"mem_{number:04d}", f"mem:{number:06d}", title, title)


def test_every_pair_is_compared_once_also_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    group = [
        told(number, f"{number % 7} wholly different things about number {'abcdefg'[number % 7] * 9}") for number in range(30)
    ]
    whole = {(pair.one.memory_id, pair.other.memory_id, pair.similarity) for pair in alike(group)}
    assert len(whole) == sum(1 for one in range(30) for other in range(one) if one % 7 == other % 7)
    monkeypatch.setattr(duplicates, "_ROWS", 4)
    assert {(pair.one.memory_id, pair.other.memory_id, pair.similarity) for pair in alike(group)} == whole


def test_of_a_large_group_some_are_compared_with_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duplicates, "MOST_COMPARED", 3)
    group = [told(number, "the same title") for number in range(10)]
    # Three with the nine, eight and seven behind them.
    assert len(list(alike(group))) == 9 + 8 + 7


def test_titles_of_signs_alone_are_like_nothing() -> None:
    assert list(alike([told(1, "…"), told(2, "!!!"), told(3, "")])) == []
