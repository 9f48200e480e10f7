"""Lines of stdin, as many at a time as wait there."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Iterator

from memory_assets.errors import InvalidArgumentError

_AT_ONCE = 100


def batches_of_stdin() -> Iterator[list[str]]:
    """The lines that wait, a hundred at most: whoever asks one at a time is answered at once, a file in batches.

    Read as UTF-8 whatever the locale is; what is none becomes halves of surrogate pairs, for its line to be refused.

    Raises:
        InvalidArgumentError: stdin is closed.
    """
    if sys.stdin is None:
        raise InvalidArgumentError("--bulk reads its questions from stdin, which is closed", hint="give it a file or a pipe")
    yield from _batches(sys.stdin.fileno())


def _batches(descriptor: int) -> Iterator[list[str]]:
    waiting: queue.Queue[bytes | OSError | None] = queue.Queue(maxsize=10 * _AT_ONCE)

    def read() -> None:
        # Not `sys.stdin`: at its end the interpreter takes that one's lock, which a thread that reads holds, and gives up.
        try:
            with open(descriptor, "rb", closefd=False) as stream:
                for line in stream:
                    waiting.put(line)
            waiting.put(None)
        except OSError as error:
            waiting.put(error)

    threading.Thread(target=read, daemon=True).start()
    said = waiting.get()
    while isinstance(said, bytes):
        batch: list[str] = []
        while isinstance(said, bytes):
            batch.append(said.decode(errors="surrogateescape"))
            if len(batch) == _AT_ONCE or waiting.empty():
                break
            said = waiting.get()
        yield batch
        if isinstance(said, bytes):
            said = waiting.get()
    if said is not None:
        raise said
