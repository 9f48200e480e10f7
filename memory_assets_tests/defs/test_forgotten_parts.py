"""What was forgotten is in nothing that reads a store, and no file, export or other process brings it back."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import dagster as dg
import pytest

from memory_assets.configuration import Resources
from memory_assets.defs import forgetting, run
from memory_assets.errors import InvalidArgumentError, NotFoundError
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.forgotten_texts import forgotten_sessions
from memory_assets.memory import Memory
from memory_assets.queries.forgettable import ToForget
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.dagster_records import in_memory
from memory_assets_tests.defs.files import chat, claude, records
from memory_assets_tests.defs.state import assert_rebuilds_equal, rows, tables, texts_of_dagster, texts_of_store
from memory_assets_tests.defs.test_order import OF_HISTORY

pytestmark = pytest.mark.long

NAME = "Wilhelmina"
TURNS = [
    f"We decided with {NAME} to keep the ledger service on PostgreSQL 16 because its replication is simple.",
    "알겠습니다. 캐시를 Redis로 옮기기로 했습니다. 재시작이 빠르기 때문입니다.",
    "TODO: finish the zanzibar migration before the release. Please always run the linter before a commit.",
    f"The root cause of the outage was a connection pool of five connections, says {NAME}.",
]
OTHER = ["We decided to keep PostgreSQL 16 for the orders.", "I prefer tabs over spaces in this project."]
SHARED = "We decided to keep the ledger in one region because backups are simple."
OF_TELLING = OF_HISTORY | {("messages", "revision"), ("unit_usage", "unit_id")}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A store and its files, made once."""
    base = tmp_path_factory.mktemp("forgotten")
    inbox = base / "inbox"
    claude(inbox, "named.jsonl", records("named", [*TURNS, SHARED]))
    chat(inbox, "titled", [*OTHER, SHARED], title=f"Call with {NAME}", project="orders")
    with pytest.MonkeyPatch.context() as patch:
        instance = in_memory()
        patch.setattr(run, "dagster_instance", lambda settings: instance)
        mask = os.umask(0o022)
        run.import_paths(load_settings({"home": base / "home"}), [inbox], project=None)
        os.umask(mask)
        yield base


@pytest.fixture
def store(made: Path, tmp_path: Path, unrecorded: dg.DagsterInstance) -> Settings:
    shutil.copytree(made / "home", tmp_path / "home")
    return load_settings()


def left_of(settings: Settings, *words: str) -> set[str]:
    """Where any of these words can still be read: the retired events of the log are left out, which nothing reads."""
    hidden = {"events.payload_json", "events.dedupe_key", "event_dedup.dedupe_key"}
    found = {place for place, text in texts_of_store(settings) if any(word in text for word in words) and place not in hidden}
    with Resources(settings).database.reading() as connection:
        payloads = connection.execute("SELECT payload_json FROM visible_events").fetchall()
    found |= {"visible_events" for (payload,) in payloads if any(word in payload for word in words)}
    memory = Memory(settings)
    for word in words:
        for mode in ("lexical", "hybrid"):
            found |= {f"search {mode}" for hit in memory.search(f"what about {word}", mode=mode).hits if word in str(hit)}
    return found | {place for place, text in texts_of_dagster(settings) if any(word in text for word in words)}


def imported_again(settings: Settings, folder: Path) -> None:
    ((last,),) = rows(settings, "SELECT max(seq) FROM events")
    report = run.import_paths(settings, [folder], project=None)
    assert (report.new, report.updated, report.errors) == (0, 0, [])
    # A unit that has no vector yet gets it at the next run, and what a search showed is counted along.
    came = {row[0] for row in rows(settings, "SELECT event_type FROM events WHERE seq > ?", last)}
    assert came <= {"build_started", "session_vectorized", "build_finished", "usage_counted"}


@pytest.mark.parametrize(
    ("wanted", "words", "stays"),
    [
        (ToForget(words=NAME), (NAME,), "ledger service on PostgreSQL 16"),
        (ToForget(ids=("session:named#m=2",)), ("zanzibar",), "connection pool"),
        pytest.param(ToForget(query="zanzibar linter"), ("zanzibar",), "connection pool", marks=pytest.mark.slow),
        pytest.param(ToForget(sessions=("named",)), ("zanzibar", "connection pool"), "one region", marks=pytest.mark.slow),
        pytest.param(ToForget(project="orders"), ("tabs over spaces", "Call with"), "one region", marks=pytest.mark.slow),
    ],
    ids=["a name", "a message", "a query", "a session", "a project"],
)
def test_nothing_that_reads_the_store_tells_it(
    store: Settings, made: Path, wanted: ToForget, words: tuple[str, ...], stays: str
) -> None:
    assert left_of(store, *words) >= {"messages.text", "visible_events"}
    dry = forgetting.what_would_go(store, wanted)
    before = tables(store, without=OF_TELLING)
    report = forgetting.forget(store, wanted)
    assert report.events and not dry.events
    assert report.model_copy(update={"events": (), "dry_run": True}) == dry
    assert left_of(store, *words) == set()
    assert left_of(store, stays) >= {"messages.text", "visible_events"}
    assert_rebuilds_equal(store)
    imported_again(store, made / "inbox")
    assert left_of(store, *words) == set()

    forgetting.unforget(store, report.events)
    after = tables(store, without=OF_TELLING)
    changed = {table for table in before if before[table] != after[table]}
    assert changed <= {"vector_outbox", "unit_usage", "unit_usage_days"}, changed
    imported_again(store, made / "inbox")


@pytest.mark.parametrize(
    ("wanted", "error"),
    [
        (ToForget(), InvalidArgumentError),
        (ToForget(words=" J "), InvalidArgumentError),
        (ToForget(query="   "), InvalidArgumentError),
        (ToForget(ids=("session:nobody#m=1",)), NotFoundError),
        (ToForget(ids=("session:named#m=99",)), NotFoundError),
        (ToForget(ids=("mem:zzzzzz",)), NotFoundError),
        (ToForget(project="nothing"), NotFoundError),
        (ToForget(source="nothing.jsonl"), NotFoundError),
    ],
)
def test_what_names_nothing_changes_nothing(store: Settings, wanted: ToForget, error: type[Exception]) -> None:
    count = rows(store, "SELECT count(*) FROM events")
    with pytest.raises(error):
        forgetting.forget(store, wanted)
    with pytest.raises(error):
        forgetting.what_would_go(store, wanted)
    assert rows(store, "SELECT count(*) FROM events") == count


def test_what_matches_nothing_or_is_very_long_is_no_error(store: Settings) -> None:
    for wanted in (ToForget(query="word " * 20_000), ToForget(words="x" * 100_000), ToForget(before=date(1990, 1, 1))):
        report = forgetting.what_would_go(store, wanted)
        assert (report.sessions, report.parts, report.elsewhere) == ((), (), ())


def test_a_dry_run_reads_a_store_that_cannot_be_written(store: Settings) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("memory_assets.log.event_log.EventLog.append", None)
        patch.setattr("memory_assets.log.event_log.EventLog.configure", None)
        assert forgetting.what_would_go(store, ToForget(words=NAME)).parts


def test_the_words_are_looked_for_in_what_another_process_added_meanwhile(
    store: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tables are behind the log, and the place of each message is another one there."""
    earlier = [f"Before all of it {NAME} said hello.", *TURNS, SHARED]
    grown = claude(
        tmp_path / "later", "named.jsonl", [*records("named", earlier[:1], first=-1), *records("named", [*TURNS, SHARED])]
    )
    original = EventLog.append
    came: list[Path] = []

    def append(log: EventLog, events: object, **further: object) -> object:
        if further.get("heads") and not came:
            came.append(grown)
            run.import_paths(store, [grown], project=None)
        return original(log, events, **further)  # type: ignore[arg-type]

    monkeypatch.setattr(EventLog, "append", append)
    forgetting.forget(store, ToForget(words=NAME))
    assert came and left_of(store, NAME) == set()
    assert rows(store, "SELECT count(*) FROM messages WHERE session_id = 'named'") == [(6,)]


def test_a_part_of_a_session_that_is_forgotten_comes_back_with_it(store: Settings) -> None:
    part = forgetting.forget(store, ToForget(words=NAME)).events
    forgetting.forget(store, ToForget(sessions=("named",)))
    named = [event for event in part if forgetting.unforget(store, [event]).session_ids == ()]
    assert len(named) == 1, "the other session is there, and this one not yet"
    assert "messages.text" not in left_of(store, NAME)
    assert forgetting.unforget(store, ["named"]).session_ids == ("named",)
    assert "messages.text" in left_of(store, NAME)


def test_the_second_word_about_the_same_holds_whatever_comes_back(store: Settings) -> None:
    first = forgetting.forget(store, ToForget(words=NAME)).events
    whole = forgetting.forget(store, ToForget(ids=("session:named#m=3",))).events
    forgetting.unforget(store, first)
    assert left_of(store, "connection pool") == set()
    assert not rows(store, "SELECT 1 FROM messages WHERE message_index = 3 AND contains(text, ?)", NAME)
    again = forgetting.forget(store, ToForget(words=NAME)).events
    assert again and set(again).isdisjoint(first)
    # Another history begins: what was wanted back once does not come back with it.
    forgetting.forget(store, ToForget(ids=("session:named#m=2",)))
    assert left_of(store, NAME, "zanzibar") == set()
    forgetting.unforget(store, whole)
    assert "messages.text" in left_of(store, "connection pool")
    # A word is about what stood there when it was said: of the message that was gone as a whole it knows nothing.
    assert rows(store, "SELECT message_index FROM messages WHERE contains(text, ?)", NAME) == [(3,)]


def test_a_session_that_is_forgotten_while_its_file_is_registered_stays_away(
    store: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown = claude(tmp_path / "later", "named.jsonl", records("named", [*TURNS, SHARED, "One word more."]))
    asked: list[object] = []

    def known_late(database: Database, sessions: Sequence[str]) -> set[str]:
        asked.append(sessions)
        return set() if len(asked) == 1 else forgotten_sessions(database, sessions)

    monkeypatch.setattr("memory_assets.defs.registration.forgotten_sessions", known_late)
    forgetting.forget(store, ToForget(sessions=("named",)))
    run.import_paths(store, [grown], project=None)
    assert len(asked) == 2, "the log refused it once, and what is asked then is true"
    assert left_of(store, "zanzibar") == set()
    assert rows(store, "SELECT session_id FROM messages WHERE session_id = 'named'") == []
