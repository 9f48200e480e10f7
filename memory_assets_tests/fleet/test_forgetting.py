"""What one machine forgets is shown by none: tables, index, search and answers of the others follow with their next command."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_assets.configuration import Resources
from memory_assets.defs import forgetting, run
from memory_assets.maintenance.mirror import update_mirror
from memory_assets.memory import Memory
from memory_assets.queries.forgettable import ToForget
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.defs.state import assert_rebuilds_equal, texts_of_dagster, texts_of_store
from memory_assets_tests.postgres.databases import There, server_of
from memory_assets_tests.postgres.servers import Server

SECRET = "qzxfountain"
TURNS = [
    f"We decided to call the release {SECRET} because the team likes it.",
    f"TODO: finish the migration of {SECRET} before Friday.",
    f"The root cause of the outage was {SECRET} running out of memory.",
]

pytestmark = pytest.mark.timeout(1800)


@pytest.fixture
def there(running: dict[str, Server]) -> There:
    """A new database of the newest server."""
    server = server_of(running, "postgres18")
    return There(server, server.new_database(), True)


def places(settings: Settings) -> set[str]:
    """Where the word stands in a machine's tables and its index."""
    return {place for place, text in texts_of_store(settings) if SECRET in text}


@pytest.fixture
def two(there: There, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Settings, Settings]:
    """Two machines that hold, and have indexed, what the first took in."""
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    one, two_ = (
        load_settings({"home": tmp_path / name, "store": {"url": there.address.url}, "embedding": {"model": "hashing"}})
        for name in ("one", "two")
    )
    chat(tmp_path / "a", "kept", talk(1))
    run.import_paths(one, [chat(tmp_path / "a", "gone", TURNS).parent], project=None)
    update_mirror(Resources(two_))
    run.run_sessions(two_, None)
    assert {"index.own_text", "messages.text", "events.payload_json"} <= places(one) & places(two_)
    return one, two_


def asked(settings: Settings) -> None:
    """A command that reads: it has the store, and asks it something."""
    Memory(settings).read(lambda connection: connection.execute("SELECT 1").fetchall())


@pytest.mark.parametrize("wanted", [ToForget(sessions=("gone",)), ToForget(words=SECRET)], ids=["session", "words"])
def test_what_is_forgotten_on_one_machine_is_shown_by_no_other(two: tuple[Settings, Settings], wanted: ToForget) -> None:
    one, two_ = two
    forgetting.forget(one, wanted)
    assert places_without_pulling(two_)
    asked(two_)
    assert places(one) == places(two_) == {"events.payload_json"}
    assert not any(SECRET in text for _, text in texts_of_dagster(two_))
    assert_rebuilds_equal(two_)


def places_without_pulling(settings: Settings) -> set[str]:
    """As :func:`places`, of the index alone, which nobody brings up by reading it."""
    rows = Resources(settings).word_index.rows(["own_text"]).to_pylist()
    return {"index.own_text" for row in rows if SECRET in str(row)}


def test_a_process_that_lives_on_takes_it_out_of_its_index(two: tuple[Settings, Settings]) -> None:
    one, two_ = two
    memory = Memory(two_)
    memory.read(lambda connection: connection.execute("SELECT 1").fetchall())
    forgetting.forget(one, ToForget(words=SECRET))
    for _ in range(2):
        memory.database.mirror._looked_at = 0.0
        memory.read(lambda connection: connection.execute("SELECT 1").fetchall())
    assert places_without_pulling(two_) == set()


def test_it_needs_no_server_once_the_word_was_pulled(two: tuple[Settings, Settings], there: There) -> None:
    one, two_ = two
    forgetting.forget(one, ToForget(words=SECRET))
    # Killed, as it were, between the tables and the index.
    with Resources(two_).database.reading():
        pass
    assert places_without_pulling(two_)
    there.server.stop()
    try:
        asked(two_)
        assert places_without_pulling(two_) == set()
    finally:
        there.server.start()
