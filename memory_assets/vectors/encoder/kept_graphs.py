"""Graphs that were made, in a folder of the cache: a file for each, written whole or not at all.

What is kept of a model is its graph, or why ONNX Runtime does not give its vectors: a line of JSON with a checksum, and behind
it the graph's bytes. A file that is not what was written is as good as none.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from memory_assets.identifiers import sha256_hex
from memory_assets.locks.file_locks import EXCLUSIVE, lock_within, opened_lock_file

_WAIT_SECONDS = 120.0
_POLL_SECONDS = 0.1
_SUFFIX = ".kept"


@dataclass(frozen=True, slots=True)
class Kept:
    """What was found out of a model.

    Attributes:
        graph: empty where ``reason`` says why there is none.
    """

    graph: bytes
    reason: str | None = None


class KeptGraphs:
    """The folder of them. With None as its path nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def read(self, key: str) -> Kept | None:
        """What is kept under a key; None where nothing is, or nothing whole."""
        if self.folder is None:
            return None
        try:
            with (self.folder / f"{key}{_SUFFIX}").open("rb") as file:
                told, graph = json.loads(file.readline()), file.read()
            reason = told["reason"]
            is_whole = told["sha256"] == _checksum(key, graph, reason) and bool(graph) is (reason is None)
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return Kept(graph, reason) if is_whole else None

    def write(self, key: str, kept: Kept, *, instead_of: str | None = None) -> bool:
        """Keep something; whether it could be: what cannot be kept is found out again.

        Args:
            instead_of: what is kept under other keys that begin so goes.
        """
        if self.folder is None:
            return False
        told = {"sha256": _checksum(key, kept.graph, kept.reason), "reason": kept.reason}
        place, part = self.folder / f"{key}{_SUFFIX}", None
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".part", delete=False) as file:
                part = Path(file.name)
                file.write(json.dumps(told).encode() + b"\n")
                file.write(kept.graph)
            part.replace(place)
            if instead_of is not None:
                # Files of the form that was kept before go too.
                for other in {*self.folder.glob(f"{instead_of}*{_SUFFIX}"), *self.folder.glob("*.json")} - {place}:
                    other.unlink(missing_ok=True)
        except OSError:
            if part is not None:
                part.unlink(missing_ok=True)
            return False
        return True

    @contextlib.contextmanager
    def alone(self, key: str) -> Iterator[None]:
        """Wait for another process that finds out the same; not for ever, and not where nothing can be locked."""
        with contextlib.ExitStack() as stack:
            if (file := self._lock_file(key)) is not None:
                stack.enter_context(file)
                lock_within(file, EXCLUSIVE, _WAIT_SECONDS, poll_seconds=_POLL_SECONDS)
            yield

    def _lock_file(self, key: str) -> IO[str] | None:
        if self.folder is None:
            return None
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return opened_lock_file(self.folder / f"{key}.lock")
        except OSError:
            return None


def _checksum(key: str, graph: bytes, reason: object) -> str:
    return sha256_hex(json.dumps([key, sha256_hex(graph), reason]))
