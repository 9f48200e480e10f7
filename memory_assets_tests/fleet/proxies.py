"""What stands between a machine and its server, and cuts the connection at a chosen word."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Side = Literal["before", "behind"]
Speaker = Literal["client", "server"]


@dataclass(frozen=True)
class Stopping:
    """A process that is stopped as a word passes.

    Attributes:
        speaker: who says it.
    """

    process: int
    speaker: Speaker
    word: bytes
    happened: threading.Event = field(default_factory=threading.Event)


class Proxy:
    """Forwards loopback connections to a port; the one on which a word is said is cut.

    Attributes:
        word: what a client says when it is cut; None where nobody is.
        side: whether the server still hears it.
        is_open: whether new connections are taken.
        is_silent: whether what the server says is kept from its clients.
        stopping: what is stopped when it says, or is told, its word: half of what holds it is passed on, and nothing behind it.
    """

    def __init__(self, port: int) -> None:
        self._server_port = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self.word: bytes | None = None
        self.side: Side = "before"
        self.is_open = True
        self.stays_open = True
        self.is_silent = False
        self.stopping: Stopping | None = None
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        self._listening.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                if not self.is_open:
                    client.close()
                    continue
                server = socket.create_connection(("127.0.0.1", self._server_port))
                threading.Thread(target=self._to_server, args=(client, server), daemon=True).start()
                threading.Thread(target=self._to_client, args=(client, server), daemon=True).start()

    def _to_server(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while said := client.recv(65536):
                if self._stops("client", said, server):
                    return
                if self.word is not None and self.word in said:
                    self.word, self.is_open = None, self.stays_open
                    _reset(client)
                    if self.side == "behind":
                        server.sendall(said)
                        server.recv(65536)
                    _reset(server)
                    return
                server.sendall(said)
            server.shutdown(socket.SHUT_WR)

    def _to_client(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while said := server.recv(65536):
                if self._stops("server", said, client):
                    return
                if not self.is_silent:
                    client.sendall(said)
        with contextlib.suppress(OSError):
            client.shutdown(socket.SHUT_WR)

    def _stops(self, speaker: Speaker, said: bytes, other: socket.socket) -> bool:
        stopping = self.stopping
        if stopping is None or stopping.speaker != speaker or stopping.word not in said:
            return False
        self.stopping = None
        os.kill(stopping.process, signal.SIGSTOP)
        other.sendall(said[: said.index(stopping.word)])
        stopping.happened.set()
        return True


def _reset(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def proxied(port: int) -> Iterator[Proxy]:
    """A proxy in front of a port."""
    proxy = Proxy(port)
    try:
        yield proxy
    finally:
        proxy.close()
