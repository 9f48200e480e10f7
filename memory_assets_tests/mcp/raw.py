"""A server's process and the lines of its protocol as they are, for what a well-behaved client never does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memory_assets_tests.mcp.client import REPOSITORY, environment

HELLO: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "raw", "version": "0"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Raw:
    """A process that serves, line by line."""

    def __init__(self, home: Path, *options: str, interpreter: Sequence[str] = (), **variables: str) -> None:
        self.told = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - a pipe that nobody reads would stop the server
        self.process = subprocess.Popen(
            [sys.executable, *interpreter, "-m", "memory_assets", *options, "mcp"],
            env=environment(home, **variables),
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.told,
            text=True,
            encoding="utf-8",
        )

    def send(self, *messages: dict[str, Any]) -> None:
        assert self.process.stdin
        for message in messages:
            self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def call(self, number: int, tool: str, **arguments: Any) -> None:
        self.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})

    def line(self) -> dict[str, Any]:
        assert self.process.stdout
        answered: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answered

    def hello(self) -> dict[str, Any]:
        self.send(HELLO)
        answered = self.line()
        self.send(INITIALIZED)
        return answered

    def ended(self, *, within: float = 10.0) -> tuple[int, float, str, str]:
        """Closes stdin; the exit code, the CPU-seconds of the process, and what was left on stdout and stderr."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        left = self.process.stdout.read()
        deadline = time.monotonic() + within
        while time.monotonic() < deadline:
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if pid:
                self.process.returncode = os.waitstatus_to_exitcode(status)
                self.told.seek(0)
                return self.process.returncode, usage.ru_utime + usage.ru_stime, left, self.told.read()
            time.sleep(0.01)
        raise AssertionError(f"the server still runs {within} s after its client went")


@contextmanager
def raw(home: Path, *options: str, interpreter: Sequence[str] = (), **variables: str) -> Iterator[Raw]:
    server = Raw(home, *options, interpreter=interpreter, **variables)
    try:
        yield server
    finally:
        if server.process.returncode is None:
            server.process.kill()
            server.process.wait()
        for stream in (server.process.stdin, server.process.stdout, server.told):
            if stream and not stream.closed:
                stream.close()
