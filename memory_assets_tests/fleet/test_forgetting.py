"""What one machine forgets is shown by none: tables, index, search and answers of the others follow with their next command."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memory_assets.configuration import Resources
from memory_assets.defs import forgetting, run
from memory_assets.maintenance.mirror import update_mirror
from memory_assets.memory import Memory
from memory_assets.queries.forgettable import ToForget
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.defs.state import assert_rebuilds_equal, texts_of_dagster, texts_of_store
from memory_assets_tests.postgres.databases import server_of
from memory_assets_tests.postgres.servers import Server

SECRETS = ("qzxfountain", "qzxlantern", "qzxharbour", "qzxmeadow")
"""One for each test: all of them share two machines, which take seconds to fill."""


def talk_of(secret: str) -> list[str]:
    return [
        f"We decided to call the release {secret} because the team likes it.",
        f"TODO: finish the migration of {secret} before Friday.",
        f"The root cause of the outage was {secret} running out of memory.",
    ]


pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def server(running: dict[str, Server]) -> Server:
    return server_of(running, "postgres18")


def places(settings: Settings, secret: str) -> set[str]:
    """Where the word stands in a machine's tables and its index."""
    return {place for place, text in texts_of_store(settings) if secret in text}


@pytest.fixture(scope="module")
def two(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Settings, Settings]]:
    """Two machines that hold, and have indexed, what the first took in."""
    folder, url = tmp_path_factory.mktemp("two"), server.address(server.new_database()).url
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DAGSTER_HOME", raising=False)
        one, two_ = (
            load_settings({"home": folder / name, "store": {"url": url}, "embedding": {"model": "hashing"}})
            for name in ("one", "two")
        )
        chat(folder / "a", "kept", talk(1))
        for number, secret in enumerate(SECRETS):
            chat(folder / "a", f"gone-{number}", talk_of(secret))
        run.import_paths(one, [folder / "a"], project=None)
        update_mirror(Resources(two_))
        run.run_sessions(two_, None)
        for secret in SECRETS:
            held = places(one, secret) & places(two_, secret)
            assert {"index.own_text", "messages.text", "events.payload_json"} <= held
        yield one, two_


def asked(settings: Settings) -> None:
    """A command that reads: it has the store, and asks it something."""
    Memory(settings).read(lambda connection: connection.execute("SELECT 1").fetchall())


@pytest.mark.parametrize(
    ("secret", "wanted"),
    [(SECRETS[0], ToForget(sessions=("gone-0",))), (SECRETS[1], ToForget(words=SECRETS[1]))],
    ids=["session", "words"],
)
def test_what_is_forgotten_on_one_machine_is_shown_by_no_other(
    two: tuple[Settings, Settings], secret: str, wanted: ToForget
) -> None:
    one, two_ = two
    forgetting.forget(one, wanted)
    assert is_indexed(two_, secret), "nothing was pulled yet"
    asked(two_)
    assert places(one, secret) == places(two_, secret) == {"events.payload_json"}
    assert not any(secret in text for _, text in texts_of_dagster(two_))
    assert_rebuilds_equal(two_)


def is_indexed(settings: Settings, secret: str) -> bool:
    """Whether the index alone has the word, which nobody brings up by reading it."""
    rows = Resources(settings).word_index.rows(["own_text"]).to_pylist()
    return any(secret in str(row) for row in rows)


def test_a_process_that_lives_on_takes_it_out_of_its_index(two: tuple[Settings, Settings]) -> None:
    one, two_ = two
    secret = SECRETS[2]
    memory = Memory(two_)
    memory.read(lambda connection: connection.execute("SELECT 1").fetchall())
    forgetting.forget(one, ToForget(words=secret))
    for _ in range(2):
        memory.database.mirror._looked_at = 0.0
        memory.read(lambda connection: connection.execute("SELECT 1").fetchall())
    assert not is_indexed(two_, secret)


def test_it_needs_no_server_once_the_word_was_pulled(two: tuple[Settings, Settings], server: Server) -> None:
    one, two_ = two
    secret = SECRETS[3]
    forgetting.forget(one, ToForget(words=secret))
    # Killed, as it were, between the tables and the index.
    with Resources(two_).database.reading():
        pass
    assert is_indexed(two_, secret)
    server.stop()
    try:
        asked(two_)
        assert not is_indexed(two_, secret)
    finally:
        server.start()
