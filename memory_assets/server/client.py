"""How a command finds the store's server and asks it, with the standard library alone: what is imported here is paid by each.

A server that does not answer at once is taken for none: the command does its work by itself.
"""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from memory_assets.server.files import place_of, token_of

CONNECT_SECONDS: Final = 1.0
ANSWER_SECONDS: Final = 600.0
"""A model may take its time to answer."""


class NoServerError(Exception):
    """No server of this store answers, or not to this question."""


@dataclass(frozen=True, slots=True)
class Client:
    """A running server, as it said that it listens.

    Attributes:
        headers: sent with each request.
    """

    address: str
    port: int
    headers: dict[str, str]

    def post(self, path: str, body: Any, *, seconds: float = ANSWER_SECONDS) -> tuple[int, bytes]:
        """The status and the body of an answer.

        Raises:
            NoServerError: nobody listens there, or it ended before it answered.
        """
        with _Answer(self, "POST", path, body, seconds) as answer:
            return answer.status, answer.whole()

    def get(self, path: str, *, seconds: float = 5.0) -> tuple[int, bytes]:
        """As :meth:`post`, of what is only looked at."""
        with _Answer(self, "GET", path, None, seconds) as answer:
            return answer.status, answer.whole()

    def lines(self, path: str, body: Any) -> Iterator[bytes]:
        """The lines of an answer as they come; as :meth:`post`, which raises where the status is another than 200."""
        with _Answer(self, "POST", path, body, ANSWER_SECONDS) as answer:
            if answer.status != http.client.OK:
                raise NoServerError(f"status {answer.status}")
            yield from answer.lines()


def client_of(home: Path, headers: dict[str, str] | None = None) -> Client | None:
    """The server of a store, where one said that it listens and the process that said so runs.

    Where a killed server listened anybody may listen by now: he is asked nothing, and given no token.
    """
    place, token = place_of(home), token_of(home)
    if place is None or token is None or not _runs(place.pid):
        return None
    return Client(place.address, place.port, {"Authorization": f"Bearer {token}", **(headers or {})})


def _runs(pid: object) -> bool:
    """Whether a process runs and is this user's."""
    if not isinstance(pid, int) or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


class _Answer:
    """One request, and its answer while it is read."""

    def __init__(self, client: Client, method: str, path: str, body: Any, seconds: float) -> None:
        self._connection = http.client.HTTPConnection(client.address, client.port, timeout=CONNECT_SECONDS)
        self._asked = (method, path, None if body is None else json.dumps(body, default=str).encode(), client.headers)
        self._seconds = seconds

    def __enter__(self) -> _Answer:
        method, path, body, headers = self._asked
        try:
            self._connection.connect()
            self._connection.sock.settimeout(self._seconds)
            self._connection.request(method, path, body, {**headers, "Content-Type": "application/json"})
            self._response = self._connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise NoServerError(str(error)) from error
        self.status = self._response.status
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def whole(self) -> bytes:
        try:
            return self._response.read()
        except (OSError, http.client.HTTPException) as error:
            raise NoServerError(str(error)) from error

    def lines(self) -> Iterator[bytes]:
        try:
            while line := self._response.readline():
                yield line
        except (OSError, http.client.HTTPException) as error:
            raise NoServerError(str(error)) from error
