"""Reading: by seq, by session, by id, and the latest history under the configured versions."""

import random
from dataclasses import replace

import pytest

from memory_assets.log import event_log
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.catalogue import CHAIN
from memory_assets.log.payloads.forgetting import SessionUnforgotten
from memory_assets.log.payloads.sessions import MessageContinued
from memory_assets.log.session_history import materializations
from memory_assets.log.sql import seen, visible
from memory_assets.projections.scope import close_scope, open_scope
from memory_assets_tests.log.samples import newest, taken
from memory_assets_tests.projections.story import VERSIONS, Remark, Story, other_versions

REMARKS = [Remark("Keep the cache", 0)]


def test_replay_reads_behind_a_seq(log: EventLog) -> None:
    log.append(taken(number) for number in range(10))
    assert [event.seq for event in log.replay(since=7)] == [8, 9, 10]
    assert list(log.replay(since=10)) == []


def test_replay_keeps_to_the_types_that_are_asked_for(log: EventLog) -> None:
    log.append([*Story("a").tell(["x"]), taken(1)])
    assert [event.event_type for event in log.replay(["source_taken", "session_ingested"])] == [
        "session_ingested",
        "source_taken",
    ]
    assert list(log.replay(["no_such_type"])) == []
    assert list(log.replay([])) == []


def test_a_late_writer_with_an_older_clock_is_read(log: EventLog) -> None:
    from memory_assets_tests.log.samples import NOON

    log.append([taken(1, occurred_at=NOON)])
    cursor = log.last_seq()
    log.append([taken(2, occurred_at=NOON.replace(year=2020))])
    assert [event.event_id for event in log.replay(since=cursor)] == [taken(2).event_id]


@pytest.mark.parametrize("size", [1, 3, 4, 100])
def test_a_replay_gives_every_event_once_whatever_the_chunk(log: EventLog, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, "REPLAY_CHUNK", size)
    log.append(taken(number) for number in range(12))
    assert [event.seq for event in log.replay()] == list(range(1, 13))
    assert [event.seq for event in log.replay(since=9)] == [10, 11, 12]
    assert list(log.replay(["build_started"])) == []


def test_a_replay_holds_no_connection_between_chunks(log: EventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, "REPLAY_CHUNK", 2)
    log.append(taken(number) for number in range(3))
    seen = []
    for event in log.replay():
        seen.append(event.seq)
        if event.seq == 2:
            log.append([taken(99)])
    assert seen == [1, 2, 3, 4]


def test_current_follows_the_configured_versions_not_the_newest_row(log: EventLog) -> None:
    log.configure(VERSIONS)
    story = Story("a")
    first = story.tell(["x"], REMARKS)
    log.append(first)
    newer = story.follow(REMARKS, other_versions("extracted", "rules 2"))
    log.append(newer)
    assert log.current(["a"], "memory_extracted")["a"].event_id == first[1].event_id
    assert log.current(["a"], "session_vectorized")["a"].event_id == first[-1].event_id

    log.configure(other_versions("extracted", "rules 2"))
    assert log.current(["a"], "memory_extracted")["a"].event_id == newer[0].event_id
    assert log.current(["a"], "session_vectorized")["a"].event_id == newer[-1].event_id

    log.configure(VERSIONS)
    assert log.current(["a"], "session_vectorized")["a"].event_id == first[-1].event_id


def test_a_stage_that_was_not_run_in_its_configured_version_has_no_result(log: EventLog) -> None:
    log.append(Story("a").tell(["x"], REMARKS))
    log.configure(other_versions("materialized", "materializer 2"))
    assert log.current(["a"], "evidence_aligned").keys() == {"a"}
    for stage in ("materialized", "idris_checked", "projected", "vectorized"):
        assert log.current(["a"], CHAIN[stage]) == {}  # type: ignore[index]


def test_current_follows_the_newest_revision(log: EventLog) -> None:
    log.configure(VERSIONS)
    story = Story("a")
    log.append(story.tell(["x"], REMARKS))
    head = story.ingest(["x", "y"])
    log.append([head])
    assert log.current(["a"], "session_ingested")["a"].event_id == head.event_id
    assert log.current(["a"], "memory_extracted") == {}


def test_current_answers_for_each_session_asked_for(log: EventLog) -> None:
    log.configure(VERSIONS)
    log.append([*Story("a").tell(["x"]), *Story("b").tell(["x"]), *Story("c").tell(["x"])])
    assert log.current(["a", "c", "nobody"], "idris_checked").keys() == {"a", "c"}
    assert log.current([], "idris_checked") == {}


def test_of_several_results_of_one_cause_the_newest_counts_and_none_of_another_session(log: EventLog) -> None:
    log.configure(VERSIONS)
    a, b = Story("a").tell(["x"]), Story("b").ingest(["x"])
    again = replace(a[1], inputs=("again",))
    elsewhere = replace(a[1], session_id="b", inputs=("elsewhere",), causation_id=a[0].event_id)
    log.append([*a, b, again, elsewhere])
    found = log.current(["a", "b"], "memory_extracted")
    assert {session_id: event.event_id for session_id, event in found.items()} == {"a": again.event_id}
    # What followed from the first one is no result of the second.
    assert log.current(["a"], "evidence_aligned") == {}


@pytest.mark.parametrize("seed", range(8))
def test_current_is_where_the_fold_says_that_a_session_stands(log: EventLog, database: Database, seed: int) -> None:
    chance = random.Random(seed)
    stories = [Story(f'it\'s "{number}"') for number in range(12)]
    for number in range(30):
        story = chance.choice(stories)
        versions = chance.choice([VERSIONS, other_versions("extracted", "rules 2"), other_versions("projected", "projector 2")])
        match chance.randrange(8):
            case 0:
                said = [story.forget()]
            case 1:
                story.begin_anew()
                said = story.tell([f"anew {number}"], REMARKS, versions)
            case 2:
                said = [story.ingest([*story.texts, f"more {number}"])]
            case 3 if story.head is not None and story.texts:
                said = story.follow(REMARKS, versions)
            case _:
                said = story.tell([*story.texts, f"more {number}"], REMARKS, versions)
        log.append(said[: chance.randint(1, len(said))] if chance.random() < 0.3 else said)
    log.configure(VERSIONS)
    ids = [story.session_id for story in stories]
    with database.reading() as connection:
        open_scope(connection, ids)
        folded = connection.execute("SELECT event_type, session_id, event_id FROM current_chain ORDER BY ALL").fetchall()
        close_scope(connection)
    current = [
        (event_type, session_id, event.event_id)
        for event_type in CHAIN.values()
        for session_id, event in log.current(ids, event_type).items()
    ]
    assert sorted(current) == folded and len({event_type for event_type, *_ in folded}) > 3


def test_many_events_of_sessions_come_in_the_order_of_the_log(log: EventLog) -> None:
    log.append([*Story("a").tell(["x"]), *Story("b").tell(["x"])])
    log.append(taken(number, session_id="ab"[number % 2]) for number in range(300))
    every = [event.seq for event in log.replay()]
    assert [event.seq for event in log.of_sessions(["b", "a"])] == every and len(every) > 300
    assert [event.event_type for event in log.of_sessions(["a"], ["session_ingested", "evidence_aligned"])] == [
        "session_ingested",
        "evidence_aligned",
    ]
    assert log.of_sessions(["a"], []) == log.of_sessions([], None) == log.of_sessions(["it's"], ["it's"]) == []


def test_a_new_chain_retires_the_one_before(log: EventLog) -> None:
    log.configure(VERSIONS)
    old = Story("a").tell(["my token is 123", "y"], REMARKS)
    log.append(old)
    # A changed policy: the same session from the beginning, without a predecessor.
    again = Story("a")
    new = again.tell(["my token is [SECRET]", "y"], REMARKS)
    log.append(new)
    assert log.current(["a"], "session_ingested")["a"].event_id == new[0].event_id
    assert log.current(["a"], "session_vectorized")["a"].event_id == new[-1].event_id
    assert log.by_id([old[0].event_id, new[0].event_id]).keys() == {new[0].event_id}
    assert {event.event_id for event in log.of_sessions(["a"])} == {event.event_id for event in new}
    assert [message.text for message in newest(log, "a")["a"].messages] == [
        "my token is [SECRET]",
        "y",
    ]
    assert len(list(log.replay())) == len(old) + len(new)


def test_nothing_of_a_forgotten_session_is_read(log: EventLog) -> None:
    log.configure(VERSIONS)
    story, other = Story("a"), Story("b")
    told = story.tell(["secret plans"], REMARKS)
    log.append([*told, taken(1, session_id="a"), *other.tell(["y"], REMARKS), story.forget()])
    assert log.current(["a", "b"], "session_ingested").keys() == {"b"}
    assert log.by_id([event.event_id for event in told]) == {}
    assert [event.event_type for event in log.of_sessions(["a"])] == ["session_forgotten"]
    assert log.known(["a"], "entry_materialized") == {}
    assert newest(log, "a", "b").keys() == {"b"}
    assert materializations(log, ["a", "b"]).keys() == {"b"}


def test_configuring_the_same_versions_writes_nothing(log: EventLog, database: Database) -> None:
    log.configure(VERSIONS)
    before = database.path.stat().st_mtime_ns
    log.configure(dict(reversed(VERSIONS.items())))
    assert database.path.stat().st_mtime_ns == before


def test_a_history_is_put_together_from_its_revisions(log: EventLog) -> None:
    story = Story("a")
    revisions = [["one", "two", "three"], ["one", "two", "three", "four"], ["one", "TWO", "three"], ["one", "two", "three"]]
    for texts in revisions:
        log.append([story.ingest(texts)])
        history = newest(log, "a")["a"]
        assert [message.text for message in history.messages] == texts
        assert [message.uid for message in history.messages] == [f"m{index}" for index in range(len(texts))]
    assert (history.revision, history.chain_id) == (4, story.chain_id)


def test_a_long_message_goes_on_in_further_events(log: EventLog) -> None:
    story = Story("a")
    head = story.ingest(["long ", "short"])
    parts = [
        NewEvent(
            MessageContinued(uid="m0", part=part, text=text),
            session_id="a",
            inputs=(head.event_id,),
            ordinal=part,
            causation_id=head.event_id,
            chain_id=head.event_id,
        )
        for part, text in ((2, "text"), (1, "winded "))
    ]
    log.append([head, *parts])
    assert [message.text for message in newest(log, "a")["a"].messages] == [
        "long winded text",
        "short",
    ]


def test_reading_does_not_change_the_store(log: EventLog, database: Database) -> None:
    log.append(Story("a").tell(["x"], REMARKS))
    before = database.path.read_bytes()
    list(log.replay())
    log.current(["a"], "idris_checked")
    assert database.path.read_bytes() == before


def test_what_is_visible_is_said_once_for_all_events_and_for_some(log: EventLog, database: Database) -> None:
    forgotten, retired, kept, again = Story("forgotten"), Story("retired"), Story("kept"), Story("again")
    log.append([*forgotten.tell(["x"], REMARKS), *retired.tell(["x"], REMARKS), *kept.tell(["x"], REMARKS), taken(1)])
    outcomes = [
        taken(number, session_id=None, basis_chains=chains)
        for number, chains in enumerate(
            (
                (str(forgotten.chain_id), str(kept.chain_id)),
                (str(retired.chain_id),),
                (str(kept.chain_id),),
                (),
            ),
            start=10,
        )
    ]
    assert _seen(database) == list(range(1, log.last_seq() + 1)), "nothing is hidden by now"
    log.append([*outcomes, *again.tell(["y"])])
    log.append([forgotten.forget(), again.forget(), taken(2, session_id="forgotten"), *Story("retired").tell(["z"], REMARKS)])
    with database.reading() as connection:
        every = connection.execute("SELECT seq FROM visible_events ORDER BY seq").fetchall()
        some = connection.execute(f"SELECT seq FROM {visible('true')} ORDER BY seq").fetchall()
        shown = {row[0] for row in connection.execute("SELECT session_id FROM visible_events").fetchall()}
        resting = connection.execute(
            "SELECT payload_json ->> '$.uri' FROM visible_events WHERE basis_chains IS NOT NULL ORDER BY seq"
        ).fetchall()
    assert every == some and len(every) < log.last_seq()
    assert _seen(database) == [seq for (seq,) in every]
    assert shown == {"kept", "retired", "talk-1", "forgotten", "again", None}
    assert resting == [("/talks/12.md",), ("/talks/13.md",)]


def _seen(database: Database) -> list[int]:
    with database.reading() as connection:
        return [seq for (seq,) in connection.execute(f"SELECT seq FROM {seen(connection)('true')} ORDER BY seq").fetchall()]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_whatever_was_forgotten_retold_and_wanted_back_is_hidden_as_the_view_hides_it(
    log: EventLog, database: Database, seed: int
) -> None:
    """By name where it is little; where it is much, by the rule of the view itself."""
    chance = random.Random(seed)
    stories = [Story(f'it\'s "{number}" \\ 세션') for number in range(4 if seed % 2 else 60)]
    said: list[NewEvent] = []
    for number in range(len(stories) * 4):
        story = chance.choice(stories)
        match chance.randrange(5):
            case 0:
                said.append(story.forget())
            case 1:
                story.begin_anew()
            case 2:
                said.append(NewEvent(SessionUnforgotten(), session_id=story.session_id, inputs=(f"{number}",)))
            case _:
                said += story.tell([f"x{number}"], REMARKS)
                said.append(taken(number, session_id=None, basis_chains=(str(story.chain_id),)))
    log.append(said)
    with database.reading() as connection:
        every = [seq for (seq,) in connection.execute("SELECT seq FROM visible_events ORDER BY seq").fetchall()]
    assert 0 < len(every) < log.last_seq()
    assert _seen(database) == every


def test_one_session_that_goes_or_begins_anew_hides_what_it_said(log: EventLog, database: Database) -> None:
    story = Story("a")
    log.append([*story.tell(["x"], REMARKS), *Story("b").tell(["x"])])
    before = log.last_seq()
    assert len(log.of_sessions(["a"])) == len(_seen(database)) - len(log.of_sessions(["b"])) > 0
    story.begin_anew()
    log.append(story.tell(["y"]))
    assert {event.seq for event in log.of_sessions(["a"])} == set(range(before + 1, log.last_seq() + 1))
    log.append([story.forget(), Story("never-told").forget()])
    assert [event.event_type for event in log.of_sessions(["a"])] == ["session_forgotten"]
    (kept,) = log.by_id([event.event_id for event in log.replay(["session_ingested"])]).values()
    assert kept == log.current(["b"], "session_ingested")["b"]
