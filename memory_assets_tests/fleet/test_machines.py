"""Two machines with the commands that people have, and the page that tells how."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from memory_assets.configuration import Resources
from memory_assets.defs.builds import new_build
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.migrations import table_classes
from memory_assets.log.payloads.purged import MirrorPurged
from memory_assets.log.runners import is_at_work
from memory_assets.settings import load_settings
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.depth import IS_DEEP, depth
from memory_assets_tests.fleet.machines import ROOT, Machine, NearMachine
from memory_assets_tests.postgres.databases import There, server_of
from memory_assets_tests.postgres.servers import Server

pytestmark = pytest.mark.long

PAGE = ROOT / "docs" / "fleet.md"


@pytest.fixture
def there(running: dict[str, Server]) -> There:
    """A new database of the newest server: what differs between servers is tested below."""
    server = server_of(running, "postgres18")
    return There(server, server.new_database(), True)


@pytest.fixture
def two(there: There, tmp_path: Path) -> tuple[Machine, Machine]:
    """Two machines that share a log; processes of their own have the commands of the page, below, and ``make slow``."""
    kind = depth(NearMachine, Machine)
    return kind(tmp_path / "one", there.address.url), kind(tmp_path / "two", there.address.url)


def derived_rows(home: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every derived table."""
    with Database(home).reading() as connection:
        return {
            table: connection.execute(f"SELECT * FROM {table} ORDER BY ALL").fetchall()
            for table, kind in table_classes().items()
            if kind == "derived"
        }


@pytest.mark.slow
def test_the_page_is_followed_word_for_word(running: dict[str, Server], tmp_path: Path) -> None:
    server = server_of(running, "postgres18")
    block = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
    lines = [line.partition(" # ") for line in block.splitlines()]
    assert len(lines) == 5
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "memory").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m memory_assets "$@"\n')
    (programs / "memory").chmod(0o755)
    path = f"{programs}:{server.programs}:{os.environ['PATH']}"
    connecting = {"PATH": path, "PGHOST": str(server.folder), "PGPORT": str(server.port), "PGUSER": "owner"}
    exported: dict[str, str] = {}
    printed = ""
    server.execute("postgres", "DROP DATABASE IF EXISTS memory")
    for command, _, where in lines:
        told = where.strip(" #")
        if told == "on both machines":
            name, _, value = command.strip().removeprefix("export ").partition("=")
            # The host and the user of the page are nobody's; its database is the one that was just made.
            exported[name] = value.replace("me@db.example/memory", f"owner@/memory?host={server.folder}&port={server.port}")
            continue
        machine = Machine(tmp_path / told.split()[-1], "")
        environment = machine.environment() | connecting | exported
        if told == "where PostgreSQL is":
            environment = connecting
        done = subprocess.run(["sh", "-c", command], env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        printed = done.stdout
    assert exported and "CSV" in printed and (tmp_path / "second").is_dir()


@pytest.mark.deep
def test_what_one_machine_imports_the_other_has_row_for_row(two: tuple[Machine, Machine], tmp_path: Path) -> None:
    one, two_ = two
    one.run("import", str(chat(tmp_path / "a", "first", talk(1))))
    two_.run("import", str(chat(tmp_path / "b", "second", talk(2))))
    behind = one.json("mirror", "verify", code=1)
    assert behind["mirror_seq"] < behind["head_seq"] and "`memory mirror update`" in behind["problems"][0]
    assert one.json("mirror", "update")["taken"] > 0
    assert two_.json("mirror", "update")["units_failed"] == 0
    assert {session["session_id"] for session in one.json("sessions")} == {"first", "second"}
    mine, theirs = derived_rows(one.home), derived_rows(two_.home)
    assert {table for table in mine if mine[table] != theirs[table]} == set() and len(mine["sessions"]) == 2
    for machine in depth((two_,), two):
        assert machine.json("rebuild", "--verify")["equal"]
        verified = machine.json("mirror", "verify")
        assert verified["equal"] and verified["head_seq"] == verified["mirror_seq"]
        assert "ok" in next(line for line in machine.run("doctor", code=None).stdout.splitlines() if "shared log" in line)
    # A build names its machine: no other one takes its process for gone.
    hosts = [machine.json("mirror")["host_id"] for machine in two]
    with Database(one.home).reading() as connection:
        told = connection.execute(
            "SELECT telemetry_json ->> '$.runner' FROM events WHERE event_type = 'build_started'"
        ).fetchall()
        query = "SELECT count(*) FROM events WHERE payload_json ->> '$.error' IS NOT NULL AND event_type = 'build_finished'"
        assert connection.execute(query).fetchall() == [(0,)]
    assert [str(runner).partition("/")[0] for (runner,) in told] == hosts
    # A near machine is this process, which still is.
    assert is_at_work(one.home, told[1][0]) and is_at_work(one.home, told[0][0]) is not IS_DEEP


@pytest.mark.deep
def test_a_file_is_taken_in_where_it_lies(two: tuple[Machine, Machine], tmp_path: Path) -> None:
    one, two_ = two
    source = chat(tmp_path / "a", "first", talk(1))
    one.run("sessions", "add", str(source))
    # Two folders of one machine see each other's files, two machines do not.
    hidden = source.rename(tmp_path / "elsewhere.json")
    ran = two_.json("run", "--all")
    assert (ran["new"], ran["quarantined"]) == (0, 0)
    assert [(warning["session_id"], warning["reason"]) for warning in ran["warnings"]] == [("first", "file_elsewhere")]
    if IS_DEEP:
        assert "lies on another machine" in two_.run("run", "--all").stdout
    hidden.rename(source)
    assert one.json("run", "--all")["new"] == 1
    assert two_.json("run", "--all")["unchanged"] == 1


@pytest.mark.slow
def test_a_file_that_is_gone_from_the_machine_that_has_it_is_put_aside(two: tuple[Machine, Machine], tmp_path: Path) -> None:
    one, _ = two
    one.run("sessions", "add", str(chat(tmp_path / "a", "second", talk(2))))
    (tmp_path / "a" / "second.json").unlink()
    assert one.json("run", "--all", code=None)["quarantined"] == 1


@pytest.mark.deep
def test_a_mirror_that_was_changed_is_found_and_made_anew(two: tuple[Machine, Machine], tmp_path: Path) -> None:
    one, _ = two
    one.run("import", str(chat(tmp_path / "a", "first", talk(1))))
    with duckdb.connect(str(one.home / "memory.duckdb")) as connection:
        connection.execute("UPDATE events SET actor = 'nobody' WHERE seq = 2")
    found = one.json("mirror", "verify", code=1)
    assert not found["equal"] and "event 2" in found["problems"][0]
    assert one.json("mirror", "rebuild")["kept_aside"]
    assert one.json("mirror", "verify")["equal"] and one.json("rebuild", "--verify")["equal"]
    assert "TODO" in one.run("search", "마이그레이션").stdout


@pytest.mark.deep
def test_what_would_change_the_log_alone_is_refused(two: tuple[Machine, Machine], there: There, tmp_path: Path) -> None:
    one, two_ = two
    one.run("import", str(chat(tmp_path / "a", "first", talk(1))))
    # A copy of this log is taken by a new machine; one of another log is not.
    one.run("backup", str(tmp_path / "copy"))
    two_.run("restore", str(tmp_path / "copy"))
    assert two_.json("mirror")["problem"] is None and two_.json("mirror", "verify")["equal"]
    other = Machine(tmp_path / "three", there.server.address(there.server.new_database()).url)
    assert other.error("restore", str(tmp_path / "copy"))["code"] == "shared_log_differs"
    assert not (other.home / "memory.duckdb").exists()
    alone = Machine(one.home, "")
    assert alone.error("forget", "--session", "first", "--yes")["code"] == "shared_log_refused"


@pytest.mark.slow
def test_other_settings_are_refused_until_they_are_pinned(two: tuple[Machine, Machine], tmp_path: Path) -> None:
    one, two_ = two
    one.run("import", str(chat(tmp_path / "a", "first", talk(1))))
    two_.run("mirror", "update")
    other = ("--set", "alignment.fuzzy_threshold=0.97")
    file = str(chat(tmp_path / "b", "second", talk(2)))
    assert two_.error(*other, "import", file)["code"] == "shared_log_refused"
    assert "another version" in two_.json(*other, "mirror", code=3)["problem"]
    two_.run("import", file)
    two_.run(*other, "mirror", "pin")
    two_.run(*other, "run", "--all")
    assert one.error("import", file)["code"] == "shared_log_refused"


def test_a_store_without_a_shared_log_says_so(tmp_path: Path) -> None:
    alone = Machine(tmp_path / "one", "")
    assert alone.error("mirror")["code"] == "invalid_argument"


def test_what_a_machine_that_does_not_come_back_was_building_has_ended(two: tuple[Machine, Machine], tmp_path: Path) -> None:
    one, two_ = two
    one.run("import", str(chat(tmp_path / "a", "first", talk(1))))
    two_.run("import", str(chat(tmp_path / "b", "second", talk(2))))
    mine, theirs = (str(machine.json("mirror")["host_id"]) for machine in two)
    settings = load_settings({"home": two_.home, "store": {"url": two_.url}, "embedding": {"model": "hashing"}})
    resources = Resources(settings)

    def begun(number: int, *, again: int = 0) -> str:
        """A build of the second machine, of a process that this one knows nothing of, or what that writes later."""
        build = new_build(resources, resources.stage_versions, f"run-{number}")
        opening = replace(build.opening, telemetry={"runner": f"{theirs}/gone-{number}"})
        said = NewEvent(MirrorPurged(host_id="of no machine", epoch=number), inputs=(str(number), str(again)))
        EventLog(resources.database).append([said], build=replace(build, opening=opening))
        return build.build_id

    def standing(build_id: str) -> tuple[str, str | None]:
        (found,) = (one_ for one_ in one.json("builds")["builds"] if one_["build_id"] == build_id)
        return found["status"], found["error"]

    before = begun(1)
    assert standing(before) == ("running", None)
    for wrong, said in ((mine, "the machine itself"), ("zzzzzz", "no machine"), (theirs[:5], "no machine"), ("", "no machine")):
        assert said in one.error("mirror", "retire", wrong)["message"]
    told = one.json("mirror", "retire", theirs[:12])
    assert {machine["host_id"]: machine["retired"] for machine in told["machines"]} == {mine: False, theirs: True}
    assert "not waited for" in one.run("mirror").stdout
    assert standing(before) == ("failed", "interrupted")
    one.run("import", str(chat(tmp_path / "a", "third", talk(3))))
    with Database(one.home).reading() as connection:
        query = "SELECT build_id FROM events WHERE payload_json ->> '$.error' = 'interrupted' AND event_type = 'build_finished'"
        assert connection.execute(query).fetchall() == [], "whether it has ended the machine alone may log"
    begun(1, again=3)
    assert standing(before) == ("running", None), "it writes on"
    behind = begun(2)
    assert standing(behind) == ("running", None), "it has come back"
    assert [machine["retired"] for machine in one.json("mirror")["machines"]] == [False, False]
    assert one.json("rebuild", "--verify")["equal"]
