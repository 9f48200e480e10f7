"""Dagster on three machines, run for real: its records in PostgreSQL, a daemon, and two machines with a code server each.

The instance file is the one of `deploy/hosts`. Machines are folders and processes of this one.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.fleet.machines import ROOT, Machine
from memory_assets_tests.fleet.test_machines import derived_rows
from memory_assets_tests.postgres.databases import server_of
from memory_assets_tests.postgres.servers import Server

_MINUTES = 8


class Engines:
    """PostgreSQL for log and records, machines with a code server each, and a daemon on a third one."""

    def __init__(self, server: Server, folder: Path, names: tuple[str, ...]) -> None:
        self.server, self.folder = server, folder
        self.log, self.records = server.new_database(), server.new_database()
        self.names = names
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._ports = {name: _free_port() for name in names}
        entries = [
            {"grpc_server": {"host": "127.0.0.1", "port": port, "location_name": name}} for name, port in self._ports.items()
        ]
        self._workspace = folder / "workspace.yaml"
        self._workspace.write_text(json.dumps({"load_from": entries}))  # JSON is YAML too
        for name in (*names, "third"):
            dagster = self.machine(name).home / "dagster"
            dagster.mkdir(parents=True)
            shipped = (ROOT / "deploy" / "hosts" / "dagster.yaml").read_text()
            assert "port: 5432" in shipped
            (dagster / "dagster.yaml").write_text(shipped.replace("port: 5432", f"port: {server.port}"))

    def machine(self, name: str) -> Machine:
        return Machine(self.folder / name, self.server.on_loopback(self.log).url)

    def environment(self, name: str) -> dict[str, str]:
        """Of a machine's processes; every machine has the same address and password."""
        return self.machine(name).environment() | {
            "DAGSTER_HOME": str(self.machine(name).home / "dagster"),
            "PGPASSWORD": self.server.password,
            "DAGSTER_POSTGRES_HOST": "127.0.0.1",
            "DAGSTER_POSTGRES_USER": "owner",
            "DAGSTER_POSTGRES_PASSWORD": self.server.password,
            "DAGSTER_POSTGRES_DB": self.records,
        }

    def start_code_server(self, name: str) -> None:
        port = str(self._ports[name])
        self._start(
            name, name, "dagster", "code-server", "start", "-h", "127.0.0.1", "-p", port, "-m", "memory_assets.definitions"
        )
        until = time.monotonic() + 120
        while not _listens(self._ports[name]):
            assert time.monotonic() < until, (self.folder / f"{name}.log").read_text()[-2000:]
            time.sleep(0.5)

    def start_daemon(self) -> None:
        self._start("daemon", "third", "dagster._daemon", "run", "-w", str(self._workspace))

    def command(self, name: str, *arguments: str) -> str:
        """What a command of ours prints on a machine."""
        done = subprocess.run(
            [sys.executable, "-m", "memory_assets", *arguments],
            env=self.environment(name), cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (arguments, done.stdout[-2000:], done.stderr[-2000:])
        return done.stdout

    def runs(self) -> list[tuple[object, ...]]:
        """Job, status and location of each run."""
        asked = "SELECT pipeline_name, status, run_body::json #>> '{tags,dagster/code_location}' FROM runs ORDER BY id"
        return self.server.execute(self.records, asked)

    def counted(self, event_type: str) -> dict[str, int]:
        """How often each session has an event of a type in the shared log."""
        asked = f"SELECT session_id, count(*) FROM memory_log.events WHERE event_type = '{event_type}' GROUP BY 1"
        return {str(session_id): int(str(count)) for session_id, count in self.server.execute(self.log, asked)}

    def wait_for(self, session_ids: set[str]) -> None:
        until = time.monotonic() + _MINUTES * 60
        while not session_ids <= (set(self.counted("session_vectorized")) if self._has_log() else set()):
            assert time.monotonic() < until, (self.runs(), self.tails())
            time.sleep(1)

    def tails(self) -> dict[str, str]:
        return {path.name: path.read_text()[-1500:] for path in self.folder.glob("*.log")}

    def stop(self) -> None:
        for process in self._processes.values():
            process.send_signal(signal.SIGINT)
        for process in self._processes.values():
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _has_log(self) -> bool:
        return bool(self.server.execute(self.log, "SELECT 1 FROM pg_namespace WHERE nspname = 'memory_log'"))

    def _start(self, process: str, name: str, *module: str) -> None:
        with (self.folder / f"{process}.log").open("ab") as log:
            self._processes[process] = subprocess.Popen(
                [sys.executable, "-m", *module], env=self.environment(name), cwd=self.folder, stdout=log, stderr=log
            )


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def engines(running: dict[str, Server], tmp_path: Path) -> Iterator[Engines]:
    """Nothing is started yet."""
    engines = Engines(server_of(running, "postgres18"), tmp_path, ("one", "two"))
    yield engines
    engines.stop()


@pytest.mark.slow
@pytest.mark.timeout(1_500)
def test_each_machine_does_the_runs_of_its_own_sessions(engines: Engines) -> None:
    for number, name in enumerate(engines.names):
        chat(engines.machine(name).home / "sessions", f"of-{name}", talk(number + 1))
        os.utime(engines.machine(name).home / "sessions" / f"of-{name}.json", (1, 1))  # it has settled
        engines.start_code_server(name)
    engines.start_daemon()
    engines.wait_for({"of-one", "of-two"})
    # Nothing is done twice, no run fails, and each was done where its file is.
    until = time.monotonic() + 120
    while any(status not in ("SUCCESS", "FAILURE", "CANCELED") for _, status, _ in engines.runs()):
        assert time.monotonic() < until, engines.runs()
        time.sleep(1)
    graduated = [run for run in engines.runs() if run[0] == "graduate_sessions"]
    assert sorted(graduated) == [("graduate_sessions", "SUCCESS", "one"), ("graduate_sessions", "SUCCESS", "two")]
    for event_type in ("source_registered", "session_ingested", "session_projected", "session_vectorized"):
        assert engines.counted(event_type) == {"of-one": 1, "of-two": 1}, event_type
    # A command on one machine, while the daemon goes on, finds nobody's run dead.
    engines.command("one", "run", "--all")
    assert [run for run in engines.runs() if run[1] == "FAILURE"] == []
    engines.stop()
    for name in engines.names:
        engines.command(name, "mirror", "update")
    one, two = (derived_rows(engines.machine(name).home) for name in engines.names)
    assert {table: (len(one[table]), len(two[table])) for table in one if one[table] != two[table]} == {}
    assert len(one["sessions"]) == 2
