"""A real HTTP server on loopback that speaks the chat completions API, well or badly, as a test plans it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from typing import Any, Literal

Asked = dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """A reply in all its parts.

    Attributes:
        content: the assistant's text; ``message`` overrides the whole message.
        raw: the body, byte for byte, instead of a completion.
        sent: how many bytes of the body are sent before the connection is closed; all of them by default.
        drip: seconds between one byte and the next, until the client is gone.
        chunks: the pieces of a stream, where one is asked for; of ``content`` three characters at a time by default.
        pause: seconds before each of them.
        streams: whether a stream is given where one is asked for.
        goes_on: what comes behind the last piece until the client is gone: ``chunks`` again, comments, or nothing.
    """

    content: str | None = ""
    status: int = 200
    finish: str = "stop"
    model: str = "tiny"
    message: dict[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    sent: int | None = None
    drip: float | None = None
    chunks: tuple[str, ...] | None = None
    pause: float = 0.0
    streams: bool = True
    goes_on: Literal["chunks", "comments", "silent"] | None = None
    error: str = "no: Let's keep the event log for ever"

    def pieces(self) -> Iterator[str]:
        """What a stream says, piece by piece."""
        told = self.content or ""
        once = self.chunks or tuple(told[place : place + 3] for place in range(0, len(told), 3))
        yield from cycle(once) if self.goes_on == "chunks" else once

    def chunk(self, delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        told = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": self.model, "choices": [choice]}
        return b"data: " + json.dumps(told).encode() + b"\n\n"

    def body(self) -> bytes:
        if self.raw is not None:
            return self.raw
        if self.status != 200:
            return json.dumps({"error": {"message": self.error}}).encode()
        message = self.message or {"role": "assistant", "content": self.content}
        choice = {"index": 0, "finish_reason": self.finish, "message": message}
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        return json.dumps(
            {"id": "x", "object": "chat.completion", "created": 1, "model": self.model, "choices": [choice], "usage": usage}
        ).encode()


Planned = str | int | float | Reply | Callable[[Asked], "str | Reply"]


def body(*entries: dict[str, Any]) -> str:
    """An answer with these entries."""
    return json.dumps({"entries": list(entries)}, ensure_ascii=False)


class Provider:
    """Gives its planned replies one by one (the last one again and again) and keeps what it was sent.

    A reply is the text of an answer, a status code, seconds to hang, a whole ``Reply``, or a function of what is asked.
    """

    def __init__(self) -> None:
        self.plan: list[Planned] = []
        self.requests: list[Asked] = []
        self.first_piece_at = 0.0
        """When the first piece of the last stream was sent, by ``time.monotonic``."""
        self._lock = threading.Lock()
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with provider._lock:
                    provider.requests.append({"path": self.path, **asked})
                    planned = provider.plan[min(len(provider.requests), len(provider.plan)) - 1]
                with suppress(BrokenPipeError, ConnectionResetError):  # the client may give up waiting, as it should
                    reply = provider._reply(planned, asked)
                    if asked.get("stream") and reply.streams and reply.status == 200 and reply.raw is None:
                        self._stream(reply)
                    else:
                        self._send(reply)

            def _stream(self, reply: Reply) -> None:
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.end_headers()
                for number, piece in enumerate(reply.pieces()):
                    time.sleep(reply.pause)
                    self._flushed(reply.chunk({"role": "assistant", "content": piece}))
                    provider.first_piece_at = provider.first_piece_at if number else time.monotonic()
                while reply.goes_on is not None:
                    self._flushed(b": still here\n\n" if reply.goes_on == "comments" else b"")
                    time.sleep(0.02)
                self._flushed(reply.chunk({}, reply.finish) + b"data: [DONE]\n\n")

            def _flushed(self, data: bytes) -> None:
                self.wfile.write(data)
                self.wfile.flush()

            def _send(self, reply: Reply) -> None:
                data = reply.body()
                self.send_response(reply.status)
                headers = {"content-type": "application/json", "content-length": str(len(data))} | reply.headers
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                if reply.drip is None:
                    self.wfile.write(data[: reply.sent])
                    self.close_connection = reply.sent is not None
                    return
                for byte in data:
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                    time.sleep(reply.drip)

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    @staticmethod
    def _reply(planned: Planned, asked: Asked) -> Reply:
        match planned:
            case str():
                return Reply(planned)
            case int():
                return Reply(status=planned)
            case float():
                time.sleep(planned)
                return Reply(status=500)
            case Reply():
                return planned
            case _:
                made = planned(asked)
                return Reply(made) if isinstance(made, str) else made

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"


@contextmanager
def serving() -> Iterator[Provider]:
    """A provider as long as it is needed."""
    provider = Provider()
    try:
        yield provider
    finally:
        provider.server.shutdown()
        provider.server.server_close()
