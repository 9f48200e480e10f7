"""A real Chromium, told what to do through its own protocol: what it asked for, and what it complained of."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
)
_PATIENCE = 60.0


def found_chromium() -> str:
    """The program, or the test is skipped: loudly, with what would help."""
    named = os.environ.get("MEMORY_CHROMIUM")
    program = named or next((path for name in _NAMES if (path := shutil.which(name))), None)
    if program is None:
        pytest.skip("no Chromium here, so no page was looked at: `apt-get install chromium`, or name one in MEMORY_CHROMIUM")
    return program


class Browser:
    """One tab of a browser.

    Attributes:
        asked: every address that was asked for.
        said: dialogs, messages of the console, errors of scripts, and what the policy refused.
    """

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._number = 0
        self._session: str | None = None
        self.asked: list[str] = []
        self.said: list[str] = []
        self._loaded = 0
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Tell the browser something; what it answers."""
        self._number += 1
        number = self._number
        told: dict[str, Any] = {"id": number, "method": method, "params": params}
        if self._session is not None:
            told["sessionId"] = self._session
        self._connection.send(json.dumps(told))
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            heard = self._hear(until)
            if heard is not None and heard.get("id") == number:
                assert "error" not in heard, heard
                return dict(heard["result"])
        raise AssertionError(f"the browser did not answer {method}")

    def open(self, url: str) -> None:
        """Open a page and wait until it and what it asks for has come."""
        before = self._loaded
        self.send("Page.navigate", url=url)
        until = time.monotonic() + _PATIENCE
        while self._loaded == before:
            assert time.monotonic() < until, f"{url} was not loaded"
            self._hear(until)

    def evaluate(self, script: str) -> Any:
        """What a script of ours gives in the page."""
        given = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in given, given
        return given["result"].get("value")

    def wait_for(self, script: str, seconds: float = 20.0) -> None:
        """Wait until a script gives something true."""
        until = time.monotonic() + seconds
        while not self.evaluate(script):
            assert time.monotonic() < until, f"it did not come: {script}"
            time.sleep(0.05)

    def keys(self, *keys: str) -> None:
        """Press keys."""
        for key in keys:
            text = {"text": key} if len(key) == 1 else {}
            self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
            self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def screen(self, width: int, height: int, *, dark: bool = False) -> None:
        """How large the window is, and what its owner likes."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def _hear(self, until: float) -> dict[str, Any] | None:
        try:
            heard = json.loads(self._connection.recv(timeout=max(0.01, until - time.monotonic())))
        except TimeoutError:
            return None
        match heard.get("method"):
            case "Page.loadEventFired":
                self._loaded += 1
            case "Network.requestWillBeSent":
                self.asked.append(heard["params"]["request"]["url"])
            case "Page.javascriptDialogOpening":
                self.said.append(f"dialog: {heard['params']['message']}")
                self._number += 1
                answer = {"id": self._number, "method": "Page.handleJavaScriptDialog", "params": {"accept": False}}
                self._connection.send(json.dumps({**answer, "sessionId": self._session}))
            case "Runtime.consoleAPICalled":
                self.said.append(f"console: {heard['params']['args']}")
            case "Runtime.exceptionThrown":
                self.said.append(f"script: {heard['params']['exceptionDetails'].get('text')}")
            case "Log.entryAdded":
                entry = heard["params"]["entry"]
                self.said.append(f"{entry['source']}: {entry['text']} {entry.get('url', '')}")
        return dict(heard)


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser of its own, gone at the end with all that it wrote."""
    program = found_chromium()
    with tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(
            [program, *_FLAGS, f"--user-data-dir={folder}", "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            with connect(_debugging_url(process, Path(folder)), max_size=None, compression=None) as connection:
                yield Browser(connection)
        finally:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(timeout=20)


def _debugging_url(process: subprocess.Popen[bytes], folder: Path) -> str:
    told = folder / "DevToolsActivePort"
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        assert process.poll() is None, "the browser ended before it was asked anything"
        if told.is_file() and len(lines := told.read_text().split()) == 2:
            return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
        time.sleep(0.05)
    raise AssertionError("the browser says nothing of where it listens")
