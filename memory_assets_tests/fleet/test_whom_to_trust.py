"""Servers that are not to be used: certificates that nobody vouches for, a version that is too old; and clocks that are off."""

from __future__ import annotations

import contextlib
import datetime
import json
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets.log import mirror_note
from memory_assets.log.errors import SharedLogRefusedError
from memory_assets.log.event_log import EventLog
from memory_assets.log.event_store import Epoch
from memory_assets.log.mirror_note import MirrorNote
from memory_assets_tests.fleet.hosts import Fleet, database_of
from memory_assets_tests.fleet.machines import Machine
from memory_assets_tests.log.samples import taken
from memory_assets_tests.postgres.certificates import DAY, Certificate, certificate
from memory_assets_tests.postgres.databases import There
from memory_assets_tests.postgres.servers import Server, debian_15


@pytest.fixture(scope="module")
def authority() -> Certificate:
    return certificate("an authority", since=-2 * DAY, until=9 * DAY)


@pytest.fixture(scope="module")
def with_tls(authority: Certificate) -> Iterator[Server]:
    """A server whose certificate a test chooses."""
    programs = debian_15()
    if programs is None:
        pytest.skip("no PostgreSQL 15 with TLS")
    server = Server(programs)
    yield server
    server.remove()


def shows(server: Server, shown: Certificate) -> None:
    """Start a server anew with a certificate."""
    server.stop()
    files = {"ssl_cert_file": server.give("shown.pem", shown.pem), "ssl_key_file": server.give("shown.key", shown.key_pem)}
    server.options = {"ssl": "on", **{name: str(path) for name, path in files.items()}}
    server.start()


@pytest.mark.long
@pytest.mark.parametrize(
    ("since", "until", "is_signed", "host", "said"),
    [
        (-2 * DAY, -1 * DAY, True, "127.0.0.1", "certificate has expired"),
        (DAY, 2 * DAY, True, "127.0.0.1", "certificate is not yet valid"),
        (-DAY, DAY, False, "127.0.0.1", "self-signed certificate"),
        (-DAY, DAY, True, "localhost", "localhost"),
        (-DAY, DAY, True, "127.0.0.1", None),
    ],
    ids=["expired", "a clock a day off", "self-signed", "of another name", "in order"],
)
def test_a_certificate(
    with_tls: Server,
    authority: Certificate,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    since: datetime.timedelta,
    until: datetime.timedelta,
    is_signed: bool,
    host: str,
    said: str | None,
) -> None:
    shows(with_tls, certificate("a server", since=since, until=until, signed_by=authority if is_signed else None))
    root = tmp_path / "authority.pem"
    root.write_bytes(authority.pem)
    monkeypatch.setenv("PGPASSWORD", with_tls.password)
    monkeypatch.setenv("LC_ALL", "C")
    query = f"sslmode=verify-full&sslrootcert={root}"
    machine = Machine(tmp_path / "one", f"postgresql://owner@{host}:{with_tls.port}/{with_tls.new_database()}?{query}")
    status = machine.json("mirror", code=None)
    if said is None:
        assert status["problem"] is None and status["head_seq"] == 0
        return
    error = machine.error("sessions")
    assert error["code"] == "shared_log_unavailable", error
    assert "is not trusted" in error["message"] and said in error["message"] and "sslrootcert" in error["hint"]
    assert said in status["problem"]


def old_server(listening: socket.socket, version: str) -> None:
    """Speaks the start of PostgreSQL's protocol, as a server of some version does, until it is closed."""
    told = {"server_version": version, "server_encoding": "UTF8", "client_encoding": "UTF8", "integer_datetimes": "on"}
    with contextlib.suppress(OSError):
        while True:
            connection, _ = listening.accept()
            with connection, contextlib.suppress(OSError, struct.error):
                while True:
                    (length, kind) = struct.unpack("!ii", connection.recv(8, socket.MSG_WAITALL))
                    connection.recv(length - 8, socket.MSG_WAITALL)
                    if kind >> 16 != 1234:  # neither TLS nor another wrapping is asked for: this is the greeting
                        break
                    connection.sendall(b"N")
                parts = [(b"R", struct.pack("!i", 0))]
                parts += [(b"S", f"{name}\0{value}\0".encode()) for name, value in told.items()]
                parts += [(b"K", struct.pack("!ii", 1, 2)), (b"Z", b"I")]
                connection.sendall(b"".join(kind + struct.pack("!i", len(body) + 4) + body for kind, body in parts))
                while connection.recv(65536):
                    pass


@pytest.mark.long
@pytest.mark.parametrize(("version", "told"), [("12.9", "version 12"), ("9.6.24", "version 9"), ("14.11 (Debian 14.11)", "14")])
def test_a_server_that_is_too_old_is_named(tmp_path: Path, version: str, told: str) -> None:
    pytest.importorskip("psycopg")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=old_server, args=(listening, version), daemon=True).start()
        url = f"postgresql://owner@127.0.0.1:{listening.getsockname()[1]}/memory"
        with pytest.raises(SharedLogRefusedError, match="which is too old") as caught:
            EventLog(database_of(tmp_path / "one", url)).append([taken(1)])
        assert told in str(caught.value) and "PostgreSQL 15 or newer" in caught.value.hint
        assert Machine(tmp_path / "two", url).error("mirror", "verify")["code"] == "shared_log_refused"


def test_the_age_of_a_mirror_by_a_clock_that_was_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    note = MirrorNote(Epoch("a", 1), "b", time.time())
    assert note.age() == "0 s old"
    monkeypatch.setattr(mirror_note.time, "time", lambda: note.as_of - 86_400)
    assert "nobody knows" in note.age()
    monkeypatch.setattr(mirror_note.time, "time", lambda: note.as_of + 86_400)
    assert note.age() == "24 h old"


# A machine whose clock is a day behind, or ahead: for what it logs, and for the ages that it tells.
OFF = """
import datetime, sys, time
days = float(sys.argv[1])
real = time.time
time.time = lambda: real() + 86_400 * days
from memory_assets.log import batches
class Off:
    @staticmethod
    def now(tz=None):
        return datetime.datetime.now(tz) + datetime.timedelta(days=days)
batches.datetime = Off
from memory_assets.cli.main import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.long
@pytest.mark.parametrize("days", [-1, 1])
def test_a_machine_whose_clock_is_a_day_off(there: There, tmp_path: Path, days: int) -> None:
    """It writes and reads what all others do, in the order of the log; its moments alone are its own."""
    one, off = (Machine(tmp_path / name, there.address.url) for name in ("one", "off"))
    fleet = Fleet(tmp_path, there.address.url)
    fleet.log("one").append([taken(1)])

    def asked(*arguments: str) -> object:
        command = [sys.executable, "-c", OFF, str(days), *arguments, "--json"]
        done = subprocess.run(command, env=off.environment(), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    assert asked("mirror", "update")["taken"] == 1  # type: ignore[index]
    asked("task", "new", "a task", "--project", "shop")
    fleet.log("one").append([taken(3)])
    assert asked("mirror", "update")["taken"] == 1  # type: ignore[index]
    assert asked("mirror", "verify")["equal"] and one.json("mirror", "update")["units_failed"] == 0  # type: ignore[index]
    events = list(fleet.log("one").replay())
    assert [event.seq for event in events] == list(range(1, len(events) + 1)) and len(events) >= 3
    assert abs((events[1].ts - events[0].ts) - datetime.timedelta(days=days)) < datetime.timedelta(hours=1)
