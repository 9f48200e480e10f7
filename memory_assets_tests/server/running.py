"""A real server of a store, as a process of its own or in a thread, and requests to it."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_assets.server.client import Client, NoServerError, client_of
from memory_assets.server.files import Place, place_of, token_of

SECONDS_TO_START = 60.0
USUAL = {"MEMORY_EMBEDDING_MODEL": "hashing", "MEMORY_SERVER_PORT": "0"}


@dataclass(frozen=True)
class Answered:
    """A response."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Running:
    """A server that answers."""

    home: Path
    process: subprocess.Popen[str]
    place: Place

    @property
    def token(self) -> str:
        token = token_of(self.home)
        assert token is not None
        return token

    @property
    def client(self) -> Client:
        client = client_of(self.home)
        assert client is not None
        return client

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.place.port}"

    def request(
        self, method: str, path: str, *, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> Answered:
        """One request with exactly these headers, besides Host where none is given."""
        connection = http.client.HTTPConnection("127.0.0.1", self.place.port, timeout=30)
        try:
            connection.putrequest(method, path, skip_host="Host" in (headers or {}), skip_accept_encoding=True)
            for name, value in (headers or {}).items():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            response = connection.getresponse()
            return Answered(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())
        finally:
            connection.close()

    def browser(self) -> dict[str, str]:
        """The header of a browser that came in by a link."""
        link = json.loads(self.client.post("/server/link", {})[1])["link"]
        entered = self.request("POST", "/login", body=link.partition("#key=")[2].encode())
        assert entered.status == 204, entered
        return {"Cookie": entered.headers["set-cookie"].partition(";")[0]}


def environment(home: Path, **more: str) -> dict[str, str]:
    """Of a process of that store: the usual one, without settings of who runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MEMORY_") and name != "DAGSTER_HOME"}
    return {**kept, "MEMORY_HOME": str(home), "HF_HUB_OFFLINE": "1", **USUAL, **more}


@contextmanager
def running(home: Path, *arguments: str, **more: str) -> Iterator[Running]:
    """A server of a store, on any free port; ended behind the block."""
    command = [sys.executable, "-m", "memory_assets", "serve", *arguments]
    process = subprocess.Popen(
        command, env=environment(home, **more), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        yield Running(home, process, answering(home, process))
    finally:
        process.terminate()
        try:
            process.wait(timeout=15)
        finally:
            process.kill()
            if process.stderr is not None:
                process.stderr.close()


def answering(home: Path, process: subprocess.Popen[str]) -> Place:
    """Where a server answers, once it does."""
    until = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < until:
        place, client = place_of(home), client_of(home)
        if place is not None and client is not None and place.pid == process.pid:
            try:
                client.get("/server")
                return place
            except NoServerError:
                pass
        if process.poll() is not None:
            raise AssertionError(process.stderr.read() if process.stderr else process.returncode)
        time.sleep(0.05)
    raise AssertionError("the server does not answer")
