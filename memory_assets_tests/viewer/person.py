"""Somebody in front of a real server's pages: opens them, and gives words by their forms."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import unescape
from urllib.parse import urlencode

from memory_assets.memory import Memory
from memory_assets.queries.event_stream import log_end
from memory_assets_tests.server.running import Answered, Running

FORM = "application/x-www-form-urlencoded"


@dataclass
class Person:
    """Somebody with a browser that came in by a link."""

    server: Running
    memory: Memory
    cookie: dict[str, str]
    _csrf: str | None = None

    def get(self, path: str) -> str:
        answer = self.server.request("GET", path, headers={**self.cookie, "Accept": "text/html"})
        assert answer.status == 200, answer
        return answer.body.decode()

    def post(self, action: str, fields: Mapping[str, str], *, csrf: str | None = None, **headers: str) -> Answered:
        token = self.csrf if csrf is None else csrf
        body = urlencode({**fields, **({"csrf": token} if token else {})}).encode()
        sent = {"Content-Type": FORM, "Origin": f"http://{self.server.host}", **self.cookie, **headers}
        return self.server.request("POST", f"/say/{action}", headers=sent, body=body)

    @property
    def csrf(self) -> str:
        if self._csrf is None:
            self._csrf = self._csrf_of_a_page()
        return self._csrf

    def _csrf_of_a_page(self) -> str:
        found = re.search(r'name="csrf" value="([^"]+)"', self.get("/privacy"))
        assert found is not None
        return unescape(found[1])

    def shown(self, action: str, fields: Mapping[str, str]) -> tuple[str, str]:
        """What will be, and the key of the yes to it; nothing has changed."""
        before = self.end
        answer = self.post(action, fields)
        page = answer.body.decode()
        assert answer.status == 200, page
        assert self.end == before
        key = re.search(r'name="yes" value="([^"]+)"', page)
        return unescape(page), unescape(key[1]) if key else ""

    def say(self, action: str, fields: Mapping[str, str]) -> str:
        """Say something, look at what will be, and say yes; what was shown."""
        page, key = self.shown(action, fields)
        assert key, page
        answer = self.post(action, {"yes": key})
        assert answer.status == 303, answer
        there = self.server.request("GET", answer.headers["location"], headers=self.cookie)
        assert there.status == 200 and ("said=" not in answer.headers["location"] or b'role="status"' in there.body)
        again = self.post(action, {"yes": key})
        assert again.status == 409, "a yes is good once"
        return page

    @property
    def end(self) -> int:
        return self.memory.read(log_end)

    @property
    def form(self) -> dict[str, str]:
        """The headers of a change from our own page."""
        return {"Origin": f"http://{self.server.host}", "X-CSRF-Token": self.csrf, **self.cookie}

    def sent_late(self, action: str, fields: Mapping[str, str], before: Callable[[], object]) -> bytes:
        """The status of a word whose form comes in two pieces, and what happens between them."""
        body = urlencode(fields).encode()
        sent = {"Host": self.server.host, "Content-Type": FORM, "Transfer-Encoding": "chunked", **self.form}
        head = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        with socket.create_connection(("127.0.0.1", self.server.place.port), timeout=10) as connection:
            connection.sendall(f"POST /say/{action} HTTP/1.1\r\n{head}\r\n1\r\n".encode() + body[:1] + b"\r\n")
            time.sleep(0.3)
            before()
            connection.sendall(f"{len(body) - 1:x}\r\n".encode() + body[1:] + b"\r\n0\r\n\r\n")
            return connection.recv(100).split()[1]
