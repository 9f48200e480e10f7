"""Roles of the server: who owns the log, who writes to it, who reads all of it, and who reads one project."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_assets.configuration import Resources
from memory_assets.fleet.granting import grant, revoke
from memory_assets.fleet.opening import shared_log
from memory_assets.log.errors import SharedLogDiffersError, SharedLogRefusedError
from memory_assets.log.event_log import EventLog
from memory_assets.log.event_store import Access
from memory_assets.log.mirror import FRESH_SECONDS
from memory_assets.maintenance.mirror import rebuild_mirror
from memory_assets.settings import load_settings
from memory_assets_tests.defs.files import chat
from memory_assets_tests.depth import depth
from memory_assets_tests.fleet.hosts import Fleet, database_of, is_sound
from memory_assets_tests.fleet.machines import Machine, NearMachine
from memory_assets_tests.log.samples import taken
from memory_assets_tests.postgres.databases import There

Allowed = Callable[[Access | None], str]
READER = Access(("apple",), may_write=False)
ALL = Access(None, may_write=False)


@pytest.fixture
def allowed(there: There) -> Allowed:
    """The address of a new role that may do so much."""

    def made(access: Access | None) -> str:
        role = f"role_{secrets.token_hex(4)}"
        there.rows(f"CREATE ROLE {role} LOGIN")
        if access is not None:
            grant(shared_log(there.address.url, 10.0), role, access)
        return there.server.address(there.database, user=role).url

    return made


def role_of(url: str) -> str:
    return url.removeprefix("postgresql://").partition("@")[0]


@pytest.mark.long
def test_a_writer_that_owns_nothing_writes_and_changes_nothing(there: There, tmp_path: Path, allowed: Allowed) -> None:
    owner = Fleet(tmp_path, there.address.url)
    owner.log("one").append([taken(1)])
    url = allowed(Access())
    writer = EventLog(database_of(tmp_path / "two", url))
    writer.append([taken(2), taken(3, file_hash="x" * 300_000)])
    writer.configure({"session_ingested": "1"})
    assert is_sound(owner.database("one")) == is_sound(database_of(tmp_path / "two", url)) == 3
    assert there.rows("SELECT written_by FROM memory_log.events ORDER BY seq") == [("owner",)] + [(role_of(url),)] * 2
    for statement in (
        "UPDATE memory_log.events SET actor = 'x'",
        "DELETE FROM memory_log.events",
        "ALTER TABLE memory_log.events DISABLE TRIGGER append_only",
        "ALTER TABLE memory_log.events DISABLE ROW LEVEL SECURITY",
        "INSERT INTO memory_log.grants VALUES ('x', NULL, true)",
        "UPDATE memory_log.log SET epoch = 2",
        "INSERT INTO memory_log.events (seq, written_by) VALUES (9, 'owner')",
    ):
        assert "denied" in refused(url, statement) or "must be owner" in refused(url, statement), statement


@pytest.mark.long
@pytest.mark.deep
def test_who_wrote_an_event_is_shown(there: There, tmp_path: Path, allowed: Allowed) -> None:
    Fleet(tmp_path, there.address.url).log("one").append([taken(1)])
    url = allowed(Access())
    kind = depth(NearMachine, Machine)
    machine = kind(tmp_path / "two", url)
    chat(tmp_path / "inbox", "talk", ["우리는 배포를 금요일에 하지 않기로 결정했다."])
    machine.run("import", str(tmp_path / "inbox"))
    told = machine.json("events", "tail", "--after", "0", "--limit", "1000")
    assert [event["written_by"] for event in told] == ["owner", *[role_of(url)] * (len(told) - 1)] and len(told) > 3
    assert machine.json("events", "show", "2")["event"]["written_by"] == role_of(url)
    assert "written by" in machine.run("events").stdout and role_of(url)[:8] in machine.run("events").stdout
    assert f"written_by  {role_of(url)}" in machine.run("events", "show", "2").stdout
    there.server.stop()
    try:
        told = machine.json("events", "tail", "--limit", "2")
        assert [event["written_by"] for event in told] == [None, None]
        assert "written by" not in machine.run("events").stdout
    finally:
        there.server.start()
    alone = kind(tmp_path / "alone", "")
    alone.run("import", str(tmp_path / "inbox"))
    assert {event["written_by"] for event in alone.json("events")} == {None}


def refused(url: str, statement: str) -> str:
    """What the server says to a statement of a role."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection, pytest.raises(psycopg.Error) as caught:
        connection.execute(statement)  # type: ignore[call-overload]
    return str(caught.value)


def answered(url: str, statement: str) -> list[tuple[object, ...]]:
    """What the server answers a role."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(statement).fetchall()  # type: ignore[call-overload]


@pytest.mark.parametrize("access", [ALL, READER])
def test_a_reader_writes_nothing(there: There, tmp_path: Path, allowed: Allowed, access: Access) -> None:
    owner = Fleet(tmp_path, there.address.url)
    owner.log("one").append([taken(1, project="apple")])
    url = allowed(access)
    reader = EventLog(database_of(tmp_path / "two", url))
    assert reader.last_seq() == 1
    with pytest.raises(SharedLogRefusedError, match="writes nothing"):
        reader.append([taken(2)])
    columns = "seq, event_id, dedupe_key, ts, event_type, actor, checksum, created_at, payload_version, payload_json, link_hash"
    values = "9, 'x', 'x', 0, 'x', 'x', 'x', 0, 1, '{}', sha256('')"
    assert "denied" in refused(url, f"INSERT INTO memory_log.events ({columns}) VALUES ({values})")
    assert owner.log("one").last_seq() == 1
    grant(shared_log(there.address.url, 10.0), role_of(url), Access())
    if access.projects is None:
        assert reader.append([taken(2)]).last_seq == 2, "what a role may do is asked of the server, not of the mirror"


@pytest.mark.long
def test_a_reader_of_one_project_has_nothing_of_another(there: There, tmp_path: Path, allowed: Allowed) -> None:
    owner = Fleet(tmp_path, there.address.url)
    log = owner.log("one")
    log.append([taken(1), taken(2, project="apple"), taken(3, project="pear"), taken(4, project="apple")])
    url = allowed(READER)
    reader = EventLog(database_of(tmp_path / "two", url))
    wanted = [taken(2).event_id, taken(4).event_id]
    assert [event.event_id for event in reader.replay()] == wanted
    assert reader.by_id([taken(3).event_id]) == {}
    assert is_sound(database_of(tmp_path / "two", url)) == 4
    for statement in (
        "SELECT * FROM memory_log.events WHERE project = 'pear' OR project IS NULL",
        f"SELECT * FROM memory_log.events WHERE event_id = '{taken(3).event_id}'",
        "SELECT * FROM memory_log.events WHERE payload_json LIKE '%talks/3%' OR seq = 3",
    ):
        assert answered(url, statement) == []
    assert "denied" in refused(url, "SELECT * FROM memory_log.grants")
    assert "query would be affected by row-level security" in refused(url, "SET row_security = off; TABLE memory_log.events")
    log.append([taken(5, project="pear"), taken(6, project="apple")])
    time.sleep(FRESH_SECONDS)
    assert [event.event_id for event in reader.replay()] == [*wanted, taken(6).event_id]
    assert is_sound(database_of(tmp_path / "two", url)) == 6


def test_what_was_changed_among_what_a_reader_sees_is_found(there: There, tmp_path: Path, allowed: Allowed) -> None:
    owner = Fleet(tmp_path, there.address.url)
    owner.log("one").append([taken(1), taken(2, project="apple"), taken(3, project="apple"), taken(4)])
    url = allowed(READER)
    change = "ALTER TABLE memory_log.events DISABLE TRIGGER append_only; UPDATE memory_log.events SET "
    there.rows(f"{change} payload_json = replace(payload_json, 'talks', 'walks') WHERE seq = 2")
    with pytest.raises(SharedLogDiffersError, match="event 2"):
        EventLog(database_of(tmp_path / "two", url)).last_seq()
    there.rows(f"{change} payload_json = replace(payload_json, 'walks', 'talks') WHERE seq = 2")
    there.rows(f"{change} actor = 'x' WHERE seq = 3")
    with pytest.raises(SharedLogDiffersError, match="event 3"):
        EventLog(database_of(tmp_path / "three", url)).last_seq()


@pytest.mark.long
def test_a_mirror_is_refused_once_its_role_may_read_something_else(there: There, tmp_path: Path, allowed: Allowed) -> None:
    Fleet(tmp_path, there.address.url).log("one").append([taken(1, project="apple"), taken(2, project="pear")])
    url = allowed(READER)
    log = EventLog(database_of(tmp_path / "two", url))
    assert log.last_seq() == 1
    for access in (Access(("apple", "pear"), may_write=False), Access(("pear",), may_write=False), ALL, Access()):
        grant(shared_log(there.address.url, 10.0), role_of(url), access)
        time.sleep(FRESH_SECONDS)
        with pytest.raises(SharedLogDiffersError, match="what may be read"):
            log.last_seq()
    revoke(shared_log(there.address.url, 10.0), role_of(url))
    assert "denied" in refused(url, "SELECT * FROM memory_log.events")


@pytest.mark.long
def test_a_mirror_whose_role_may_read_something_else_is_made_anew(there: There, tmp_path: Path, allowed: Allowed) -> None:
    Fleet(tmp_path, there.address.url).log("one").append([taken(1, project="apple"), taken(2, project="pear")])
    url = allowed(READER)
    reader = Resources(load_settings({"home": tmp_path / "two", "store": {"url": url}, "embedding": {"model": "hashing"}}))
    assert EventLog(reader.database).last_seq() == 1
    grant(shared_log(there.address.url, 10.0), role_of(url), Access(("pear",), may_write=False))
    time.sleep(FRESH_SECONDS)
    with pytest.raises(SharedLogDiffersError, match="what may be read"):
        EventLog(reader.database).last_seq()
    rebuild_mirror(reader)
    assert EventLog(reader.database).last_seq() == 2
    with reader.database.reading() as connection:
        assert connection.execute("SELECT project FROM events").fetchall() == [("pear",)]


@pytest.mark.long
@pytest.mark.deep
def test_people_search_what_they_may_read(there: There, tmp_path: Path, allowed: Allowed) -> None:
    kind = depth(NearMachine, Machine)
    owner = kind(tmp_path / "one", there.address.url)
    said = "We decided to keep the {} in the cellar, and never to sell it."
    for project, thing in (("apple", "cider press"), ("pear", "perry barrel")):
        turns = [said.format(thing), "Done."]
        owner.run("import", str(chat(tmp_path / project, f"{project}-talk", turns, project=project)))
    url = allowed(None)
    told = owner.json("mirror", "grant", role_of(url), "--project", "apple")
    assert told == {"role": role_of(url), "projects": ["apple"], "may_write": False}
    reader = kind(tmp_path / "two", url)
    assert reader.json("mirror", "update")["units_failed"] == 0
    assert "cider" in reader.run("search", "cider press").stdout
    assert "perry" not in reader.run("search", "perry barrel", code=None).stdout
    assert [session["session_id"] for session in reader.json("sessions")] == ["apple-talk"]
    assert "perry" in owner.run("show", "session:pear-talk#m=0").stdout
    assert reader.error("show", "session:pear-talk#m=0")["code"] == "not_found"
    assert reader.json("mirror", "verify")["equal"] and reader.json("rebuild", "--verify")["equal"]
    assert reader.error("task", "new", "a task")["code"] == "shared_log_refused"
    owner.run("forget", "--session", "apple-talk", "--yes")
    assert reader.json("sessions", code=None) == [], "a word that forgets a session reaches whoever has it"
    owner.run("mirror", "revoke", role_of(url))
    assert reader.error("mirror", "update")["code"] == "shared_log_refused"
