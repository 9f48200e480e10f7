"""Appending: a batch is all or nothing, what is known is not written again, and a key with two payloads is reported."""

import inspect
import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.identifiers import sha256_hex
from memory_assets.log.batches import Appended, ChecksumConflict, StageMetric, rows_of
from memory_assets.log.database import Database
from memory_assets.log.errors import HeadMovedError
from memory_assets.log.event_log import EventLog, HeldLog
from memory_assets.log.events import NewEvent, dedupe_key_of, event_id_of
from memory_assets_tests.log.samples import NOON, build, taken
from memory_assets_tests.projections.story import Story


def test_a_batch_gets_consecutive_numbers_in_its_own_order(log: EventLog) -> None:
    assert log.append(taken(number) for number in (3, 1, 2)) == Appended(3, 0, (), 3)
    assert log.append([taken(9)]).last_seq == 4
    assert [(event.seq, json.loads(event.payload_json)["uri"]) for event in log.replay()] == [
        (1, "/talks/3.md"),
        (2, "/talks/1.md"),
        (3, "/talks/2.md"),
        (4, "/talks/9.md"),
    ]


def test_what_is_known_is_not_written_again(log: EventLog) -> None:
    log.append([taken(1), taken(2)])
    assert log.append([taken(2), taken(3), taken(1), taken(3)]) == Appended(1, 2, (), 3)
    assert log.append([taken(1), taken(2), taken(3)]) == Appended(0, 3, (), 3)


def test_a_second_payload_under_a_key_is_reported_and_the_first_stays(log: EventLog) -> None:
    log.append([taken(1, file_hash="first")])
    stored = next(log.replay())
    appended = log.append([taken(1, file_hash="second"), taken(2)])
    offered = rows_of([taken(1, file_hash="second")]).checksums[0]
    assert appended.conflicts == (ChecksumConflict(stored.event_id, taken(1).dedupe_key, stored.checksum, offered),)
    assert appended.new == 1
    assert next(log.replay()) == stored


def test_two_payloads_under_a_key_in_one_batch_are_reported_too(log: EventLog) -> None:
    appended = log.append([taken(1, file_hash="first"), taken(1, file_hash="second")])
    assert (appended.new, len(appended.conflicts)) == (1, 1)
    assert json.loads(next(log.replay()).payload_json)["file_hash"] == "first"


def test_what_was_measured_is_no_part_of_key_or_checksum(log: EventLog) -> None:
    log.append([taken(1, telemetry={"seconds": 1.5})])
    assert log.append([taken(1, telemetry={"seconds": 9.0})]) == Appended(0, 1, (), 1)
    assert next(log.replay()).telemetry_json == '{"seconds":1.5}'


def test_the_checksum_is_the_hash_of_the_stored_text(log: EventLog) -> None:
    log.append(Story("talk-1").tell(["결제 서버가 죽어요 😀", "second\r\nline\twith\x00NUL"]))
    for event in log.replay():
        assert event.checksum == sha256_hex(event.payload_json)
        assert event.event_id.startswith("ev_") and len(event.event_id) == 35


def test_times_are_stored_as_utc(log: EventLog) -> None:
    seoul = datetime(2026, 3, 1, 21, 0, tzinfo=timezone(timedelta(hours=9)))
    before = datetime.now(UTC).replace(tzinfo=None)
    log.append([taken(1, occurred_at=seoul)])
    event = next(log.replay())
    assert event.occurred_at == NOON.replace(tzinfo=None)
    assert before <= event.ts <= datetime.now(UTC).replace(tzinfo=None)


def test_a_batch_that_cannot_be_made_writes_nothing(log: EventLog) -> None:
    def batch() -> object:
        yield taken(1)
        raise RuntimeError("the stage broke")

    with pytest.raises(RuntimeError, match="the stage broke"):
        log.append(batch())  # type: ignore[arg-type]
    assert log.last_seq() == 0


def test_a_failure_behind_the_insert_takes_the_whole_batch_back(log: EventLog) -> None:
    broken = StageMetric("ingested", "talk-1", 1.0, True, counts={"x": float("nan")})  # type: ignore[dict-item]
    with pytest.raises(ValueError):
        log.append([taken(1), taken(2)], metrics=[broken])
    assert log.last_seq() == 0
    assert log.append([taken(1), taken(2)]).new == 2


def test_a_held_log_takes_a_failed_batch_back(log: EventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    from memory_assets.log import database

    with log.held() as held:
        held.append([taken(1)])
        with monkeypatch.context() as patched, pytest.raises(RuntimeError):
            patched.setattr(database, "write_tips", _broken)
            held.append([taken(2), taken(3)])
        assert held.append([taken(4)]).last_seq == 2
    assert [event.event_id for event in log.replay()] == [taken(1).event_id, taken(4).event_id]


def _broken(*_: object) -> None:
    raise RuntimeError("the disk is gone")


def test_a_moved_head_writes_nothing_and_names_the_sessions(log: EventLog) -> None:
    story, other = Story("talk-1"), Story("talk-2")
    first = story.ingest(["one"])
    log.append([first], heads={"talk-1": None})
    second = story.ingest(["one", "two"])
    with pytest.raises(HeadMovedError, match="talk-1, talk-2") as raised:
        log.append([second, other.ingest(["x"])], heads={"talk-1": None, "talk-2": "ev_nowhere"})
    assert raised.value.session_ids == ["talk-1", "talk-2"]
    assert log.last_seq() == 1
    assert log.append([second], heads={"talk-1": first.event_id, "talk-2": None}).new == 1


def test_heads_are_checked_also_where_nothing_is_to_be_written(log: EventLog) -> None:
    with pytest.raises(HeadMovedError):
        log.append([], heads={"talk-1": "ev_nowhere"})


def test_a_build_opens_once_and_only_with_something_new(log: EventLog) -> None:
    log.append([taken(1)])
    log.append([taken(1)], build=build("b1"))
    assert log.last_seq() == 1
    # The build's opening is new as well.
    assert log.append([taken(1), taken(2)], build=build("b1")) == Appended(2, 1, (), 3)
    log.append([taken(3)], build=build("b1"))
    log.append([taken(4)], build=build("b2"))
    told = [(event.event_type, event.build_id) for event in log.replay(since=1)]
    assert told == [
        ("build_started", "b1"),
        ("source_taken", "b1"),
        ("source_taken", "b1"),
        ("build_started", "b2"),
        ("source_taken", "b2"),
    ]


def test_metrics_are_kept_with_the_batch(log: EventLog, database: Database) -> None:
    log.append([], metrics=[StageMetric("aligned", "talk-1", 2.5, False, "unexpected", {"quotes": 3})], build=build("b1"))
    with database.reading() as connection:
        rows = connection.execute(
            "SELECT stage, session_id, latency_ms, success, error, build_id, counts_json FROM pipeline_metrics"
        )
        assert rows.fetchall() == [("aligned", "talk-1", 2.5, False, "unexpected", "b1", '{"quotes":3}')]
    assert log.last_seq() == 0


def test_the_first_event_of_a_history_is_its_chain(log: EventLog) -> None:
    story = Story("talk-1")
    first, second = story.ingest(["one"]), story.ingest(["one", "two"])
    log.append([first, second])
    assert [event.chain_id for event in log.replay()] == [first.event_id, first.event_id]


def test_a_repeated_key_is_visible_in_the_dedupe_view_once(log: EventLog, database: Database) -> None:
    log.append([taken(1), taken(1)])
    with database.reading() as connection:
        assert connection.execute("SELECT dedupe_key, event_id FROM event_dedup").fetchall() == [
            (taken(1).dedupe_key, taken(1).event_id)
        ]


@pytest.mark.parametrize("owner", [EventLog, HeldLog])
def test_nothing_changes_or_removes_an_event(owner: type) -> None:
    public = {name for name, _ in inspect.getmembers(owner, inspect.isfunction) if not name.startswith("_")}
    expected = {
        EventLog: {
            "append", "by_id", "configure", "current", "held", "known", "last_seq", "of_sessions", "replay",
        },
        HeldLog: {"append"},
    }  # fmt: skip
    assert public == expected[owner]


def test_the_package_states_no_update_or_delete_of_events() -> None:
    from memory_assets.shipped_files import shipped_folder

    package = shipped_folder("sql").parent / "memory_assets"
    sources = list(package.rglob("*.py"))
    assert len(sources) > 50
    for path in sources:
        text = " ".join(path.read_text(encoding="utf-8").casefold().split())
        if path.name == "links.py":  # a link follows from the events: given to those of an older store, never another content
            text = text.replace("update events set link_hash = n.link_hash from new_links n", "", 1)
        for statement in ("update events ", "delete from events", "truncate events", "drop table events", "alter table events"):
            assert statement not in text, path


Identity = tuple[str, str | None, tuple[str, ...], str, int]
identities = st.tuples(
    st.text(), st.none() | st.text(), st.lists(st.text(), max_size=3).map(tuple), st.text(), st.integers(0, 9)
)


@given(st.lists(identities, unique=True, min_size=2, max_size=6))
def test_different_identities_have_different_keys(told: list[Identity]) -> None:
    ids = {
        event_id_of(dedupe_key_of(kind, session, inputs, stage_version=version, ordinal=ordinal))
        for kind, session, inputs, version, ordinal in told
    }
    assert len(ids) == len(told)


def test_everything_in_the_identity_counts() -> None:
    base = taken(1)
    assert len({base.event_id, taken(2).event_id, taken(1, session_id="other").event_id}) == 3
    assert len({base.event_id, taken(1, stage_version="2").event_id, taken(1, ordinal=1).event_id}) == 3
    assert taken(1, actor="cli", occurred_at=NOON, project="p", file_hash="other").event_id == base.event_id
    assert isinstance(base, NewEvent)
