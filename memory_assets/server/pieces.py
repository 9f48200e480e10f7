"""What a thread of its own makes piece by piece, for whoever waits for it in the event loop.

Such work may take minutes. The threads that answer all other requests are few, so it takes none of them.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import TypeVar

Piece = TypeVar("Piece")


async def pieces_of(
    work: Callable[[Callable[[Piece], None]], None], *, heartbeat_seconds: float
) -> AsyncIterator[Piece | None]:
    """What ``work`` says, as it says it, until it ends; None whenever it has said nothing for so long.

    Args:
        work: is given the function by which it says a piece. What it raises is raised here.
    """
    loop = asyncio.get_running_loop()
    said: asyncio.Queue[tuple[Piece, ...] | BaseException] = asyncio.Queue()

    def put(word: tuple[Piece, ...] | BaseException) -> None:
        with suppress(RuntimeError):  # the server has ended, and nobody waits any more
            loop.call_soon_threadsafe(said.put_nowait, word)

    def run() -> None:
        try:
            work(lambda piece: put((piece,)))
            put(())
        except BaseException as error:
            put(error)

    threading.Thread(target=run, name="pieces", daemon=True).start()
    while True:
        try:
            word = await asyncio.wait_for(said.get(), heartbeat_seconds)
        except TimeoutError:
            yield None
            continue
        if isinstance(word, BaseException):
            raise word
        if not word:
            return
        yield word[0]
