"""Dagster's UI as `memory dev` serves it: real requests, of its own page and of others."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import websockets
from websockets.typing import Origin, Subprotocol

pytestmark = pytest.mark.long

_QUERY = json.dumps({"query": "{ version }"}).encode()
_READY_SECONDS = 90


@dataclass(frozen=True)
class Served:
    """A running `memory dev`."""

    process: subprocess.Popen[bytes]
    port: int


@pytest.fixture(scope="module")
def ui(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Started once; ended by TERM, behind which no process of it is left."""
    home = tmp_path_factory.mktemp("home")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (home / "output").open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "memory_assets", "dev", "--port", str(port)],
            env=os.environ | {"MEMORY_HOME": str(home)},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + _READY_SECONDS
        while True:
            with contextlib.suppress(OSError):
                asked(port, "GET", "/server_info", [("Host", f"127.0.0.1:{port}")])
                break
            assert process.poll() is None, (home / "output").read_text()
            assert time.monotonic() < deadline, (home / "output").read_text()
            time.sleep(0.2)
        yield Served(process, port)
        started = _of_session(process.pid)
        assert len(started) >= 4, "the command, Dagster's, the web server, the daemon, its code server"
        process.terminate()
        process.wait(30)
        deadline = time.monotonic() + 10
        while (left := _of_session(process.pid)) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not left
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _of_session(session: int) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(words[3]) == session and words[0] != "Z":
                found.append(int(folder.name))
    return found


def asked(
    port: int, method: str, path: str, headers: list[tuple[str, str]], *, body: bytes = b"", version: str = "1.1"
) -> tuple[int, str]:
    """Status and body of one request, written out header by header as it stands here."""
    head = [f"{method} {path} HTTP/{version}", *(f"{name}: {value}" for name, value in headers), "Connection: close"]
    if body:
        head += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + body)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    status, _, rest = answer.partition(b"\r\n")
    return int(status.split()[1]), rest.partition(b"\r\n\r\n")[2].decode()


def hosts(port: int) -> dict[str, bool]:
    return {
        f"127.0.0.1:{port}": True,
        f"localhost:{port}": True,
        f"LOCALHOST:{port}": True,
        f"[::1]:{port}": True,
        "127.0.0.1": False,
        "localhost": False,
        f"localhost.:{port}": False,
        f"127.0.0.1:{port + 1}": False,
        f"127.0.0.1.:{port}": False,
        f"0.0.0.0:{port}": False,
        f"[::]:{port}": False,
        f"evil.example.com:{port}": False,
        "evil.example.com": False,
        f"localhost.evil.example.com:{port}": False,
        f"127.0.0.1:{port}@evil.example.com": False,
        f"evil.example.com, 127.0.0.1:{port}": False,
        "": False,
    }


def origins(port: int) -> dict[str | None, bool]:
    return {
        None: True,
        f"http://127.0.0.1:{port}": True,
        f"http://localhost:{port}": True,
        f"http://[::1]:{port}": True,
        f"https://127.0.0.1:{port}": False,
        f"http://127.0.0.1:{port + 1}": False,
        "http://127.0.0.1": False,
        f"http://evil.example.com:{port}": False,
        "http://evil.example.com": False,
        f"http://127.0.0.1:{port}.evil.example.com": False,
        f"http://127.0.0.1:{port} http://evil.example.com": False,
        "null": False,
        "": False,
    }


PATHS = (
    ("POST", "/graphql"),
    ("GET", "/graphql?query=%7Bversion%7D"),
    ("GET", "/"),
    ("GET", "/runs"),
    ("GET", "/server_info"),
    ("GET", "/dagit_info"),
    ("GET", "/notebook?path=a.ipynb&repoLocName=x"),
    ("GET", "/dagit/notebook?path=a.ipynb&repoLocName=x"),
    ("GET", "/download_debug/none"),
    ("GET", "/logs/a/b/c.err"),
    ("POST", "/report_asset_materialization/ledgers"),
    ("POST", "/report_asset_check/ledgers"),
    ("POST", "/report_asset_observation/ledgers"),
    ("OPTIONS", "/graphql"),
    ("PUT", "/graphql"),
)


def _body(method: str, path: str) -> bytes:
    return _QUERY if (method, path) == ("POST", "/graphql") else b"{" if method == "POST" else b""


def _headers(host: str | None, origin: str | None, *others: tuple[str, str]) -> list[tuple[str, str]]:
    found = [] if host is None else [("Host", host)]
    return found + ([] if origin is None else [("Origin", origin)]) + list(others)


def test_every_path_refuses_what_comes_under_another_name(ui: Served) -> None:
    for host, ours in hosts(ui.port).items():
        for method, path in PATHS:
            if ours and path.startswith(("/report", "/download", "/notebook", "/dagit/")):
                continue  # what these answer is Dagster's own affair
            status, _ = asked(ui.port, method, path, _headers(host, None), body=_body(method, path))
            assert (status in (200, 400, 404, 405)) if ours else (status in (400, 403)), (host, method, path, status)
            assert ours or status == 403 or host in ("", f"127.0.0.1:{ui.port}@evil.example.com"), (host, status)


def test_every_path_refuses_another_page(ui: Served) -> None:
    for origin, ours in origins(ui.port).items():
        for method, path in PATHS:
            if ours and path.startswith(("/report", "/download", "/notebook", "/dagit/")):
                continue
            status, _ = asked(ui.port, method, path, _headers(f"127.0.0.1:{ui.port}", origin), body=_body(method, path))
            assert (status != 403) is ours, (origin, method, path, status)


def test_the_page_reads_and_a_program_reads(ui: Served) -> None:
    for origin in (None, f"http://localhost:{ui.port}"):
        status, text = asked(ui.port, "POST", "/graphql", _headers(f"localhost:{ui.port}", origin), body=_QUERY)
        assert (status, "version" in json.loads(text)["data"]) == (200, True)
    status, text = asked(ui.port, "GET", "/", _headers(f"localhost:{ui.port}", None))
    assert status == 200
    assert "<html" in text
    status, text = asked(ui.port, "GET", "/graphql?query=%7Bversion%7D", _headers(f"localhost:{ui.port}", None))
    assert (status, "version" in json.loads(text)["data"]) == (200, True)


def test_hosts_that_are_missing_double_or_forwarded(ui: Served) -> None:
    own, other = ("Host", f"127.0.0.1:{ui.port}"), ("Host", f"evil.example.com:{ui.port}")
    path = "/graphql?query=%7Bversion%7D"
    assert asked(ui.port, "GET", path, [], version="1.0")[0] in (400, 403)
    assert asked(ui.port, "GET", path, [])[0] in (400, 403)
    assert asked(ui.port, "GET", path, [own], version="1.0")[0] == 200
    for both in ([own, other], [other, own], [own, own]):
        assert asked(ui.port, "GET", path, both)[0] in (400, 403)
    assert asked(ui.port, "GET", path, [own, ("X-Forwarded-Host", "evil.example.com")])[0] == 200
    for name in ("X-Forwarded-Host", "X-Forwarded-Server", "Forwarded", "X-Host"):
        assert asked(ui.port, "GET", path, [other, (name, own[1])])[0] == 403
    twice = [own, ("Origin", f"http://127.0.0.1:{ui.port}"), ("Origin", "http://evil.example.com")]
    assert asked(ui.port, "GET", path, twice)[0] in (400, 403)


def test_what_a_browser_says_of_the_page_that_asks(ui: Served) -> None:
    def status(path: str, site: str, mode: str, dest: str, method: str = "GET") -> int:
        fetch = (("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", dest), ("Accept", "*/*"))
        return asked(ui.port, method, path, _headers(f"127.0.0.1:{ui.port}", None, *fetch), body=_body(method, path))[0]

    graphql = "/graphql?query=%7Bversion%7D"
    for site in ("same-origin", "none"):
        assert status(graphql, site, "cors", "empty") == 200
    for site in ("cross-site", "same-site"):
        assert status(graphql, site, "no-cors", "image") == 403
        assert status(graphql, site, "navigate", "document") == 403
        assert status("/logs/a/b/c.err", site, "navigate", "document") == 403
        assert status("/graphql", site, "navigate", "document", "POST") == 403
        # A link to the page is followed, and nobody reads what it shows; a frame would be another page's.
        assert status("/runs", site, "navigate", "document") == 200
        assert status("/runs", site, "navigate", "iframe") == 403
        assert status("/", site, "no-cors", "script") == 403


def test_nothing_is_changed_by_an_address_alone(ui: Served) -> None:
    """An old browser asks for a picture without saying who shows it."""
    own = _headers(f"127.0.0.1:{ui.port}", None)
    for path in ("/graphql?query=mutation%20%7Bx%7D", "/graphql?query=%6dutation%7Bx%7D", "/%67raphql?query=mutation%7Bx%7D"):
        assert asked(ui.port, "GET", path, own)[0] == 403
    foreign = ("Referer", "http://evil.example.com/page")
    assert asked(ui.port, "GET", "/graphql?query=%7Bversion%7D", [*own, foreign])[0] == 403
    assert asked(ui.port, "GET", "/runs", [*own, foreign])[0] == 200
    assert asked(ui.port, "GET", "/graphql?query=%7Bversion%7D", [*own, ("Referer", f"http://127.0.0.1:{ui.port}/")])[0] == 200


async def _subscribed(port: int, host: str, origin: str | None) -> str:
    """The type of the answer to the first message on a websocket, or why there is none."""
    connection = websockets.connect(
        f"ws://{host}/graphql",
        host="127.0.0.1",
        port=port,
        origin=None if origin is None else Origin(origin),
        subprotocols=[Subprotocol("graphql-ws")],
        proxy=None,
    )
    try:
        async with connection as socket_:
            await socket_.send(json.dumps({"type": "connection_init"}))
            return str(json.loads(await asyncio.wait_for(socket_.recv(), 20))["type"])
    except websockets.InvalidStatus as refused:
        return str(refused.response.status_code)


def test_a_websocket_opens_for_the_own_page_alone(ui: Served) -> None:
    own = f"127.0.0.1:{ui.port}"
    for origin, ours in origins(ui.port).items():
        assert asyncio.run(_subscribed(ui.port, own, origin)) == ("connection_ack" if ours else "403"), origin
    for host in (f"evil.example.com:{ui.port}", f"localhost.:{ui.port}", f"127.0.0.1:{ui.port + 1}"):
        assert asyncio.run(_subscribed(ui.port, host, f"http://{host}")) == "403"
        assert asyncio.run(_subscribed(ui.port, host, None)) == "403"


def test_a_subscription_of_the_page_is_answered(ui: Served) -> None:
    async def answered() -> str:
        own = f"127.0.0.1:{ui.port}"
        async with websockets.connect(
            f"ws://{own}/graphql", origin=Origin(f"http://{own}"), subprotocols=[Subprotocol("graphql-ws")], proxy=None
        ) as page:
            await page.send(json.dumps({"type": "connection_init"}))
            assert json.loads(await page.recv())["type"] == "connection_ack"
            query = 'subscription { pipelineRunLogs(runId: "none", cursor: null) { __typename } }'
            await page.send(json.dumps({"id": "1", "type": "start", "payload": {"query": query}}))
            while True:
                message = json.loads(await asyncio.wait_for(page.recv(), 20))
                if message["type"] == "data":
                    return str(message["payload"]["data"]["pipelineRunLogs"]["__typename"])

    assert asyncio.run(answered()) == "PipelineRunLogsSubscriptionFailure"
