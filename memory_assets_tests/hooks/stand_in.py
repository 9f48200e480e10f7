"""A process that answers hooks on loopback with the real answers, where no server is to be started.

Run as ``python -m memory_assets_tests.hooks.stand_in HOME WAIT``: ``WAIT`` seconds pass before a call is answered.
"""

from __future__ import annotations

import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from memory_assets.hooks.answering import HookAnswerer
from memory_assets.memory import Memory
from memory_assets_tests.filled_store import test_settings

TOKEN = "a-token-of-the-tests"


def serve(home: Path, wait: float) -> None:
    """Serve until the process ends; the files of a server say where, once a call can be answered."""
    answerer = HookAnswerer(Memory(test_settings(home)))
    answerer.answer("user-prompt-submit", "claude-code", {"cwd": "/srv/shop", "prompt": "Which PostgreSQL do orders use?"})

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked = urlsplit(self.path)
            if self.headers["Authorization"] != f"Bearer {TOKEN}" or not asked.path.startswith("/hooks/"):
                self.send_error(401)
                return
            time.sleep(wait)
            (agent,) = parse_qs(asked.query)["agent"]
            said = json.dumps(answerer.answer(asked.path.removeprefix("/hooks/"), agent, json.loads(body))).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 256

        def handle_error(self, request: object, client_address: object) -> None:
            """Who called did not wait."""

    with Server(("127.0.0.1", 0), Handler) as server:
        folder = home / "server"
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / "token").write_text(TOKEN + "\n")
        (folder / "server.json.new").write_text(json.dumps({"pid": os.getpid(), "port": server.server_address[1]}))
        (folder / "server.json.new").replace(folder / "server.json")
        server.serve_forever()


if __name__ == "__main__":
    serve(Path(sys.argv[1]), float(sys.argv[2]))
