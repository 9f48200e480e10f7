"""Work of a thread of its own, told in the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from memory_assets.server.pieces import pieces_of


def test_pieces_come_as_they_are_made_and_waiting_is_told() -> None:
    go_on = threading.Event()

    def work(say: Callable[[str], None]) -> None:
        say("first")
        assert go_on.wait(20)
        say("last")

    async def heard() -> list[str | None]:
        told: list[str | None] = []
        async for piece in pieces_of(work, heartbeat_seconds=0.05):
            if piece is None:
                go_on.set()
            if piece is not None or None not in told:
                told.append(piece)
        return told

    assert asyncio.run(heard()) == ["first", None, "last"]


def test_many_slow_works_take_no_thread_of_those_that_answer() -> None:
    go_on = threading.Event()

    def work(say: Callable[[int], None]) -> None:
        assert go_on.wait(20)
        say(1)

    async def all_of_them() -> int:
        async def one() -> int:
            return sum([piece async for piece in pieces_of(work, heartbeat_seconds=5) if piece])

        waiting = [asyncio.create_task(one()) for _ in range(100)]
        await asyncio.sleep(0.05)
        # The threads that answer requests are free all the while.
        await asyncio.wait_for(asyncio.to_thread(go_on.set), 10)
        return sum(await asyncio.gather(*waiting))

    assert asyncio.run(all_of_them()) == 100


def test_work_that_fails_fails_where_it_is_waited_for() -> None:
    def work(say: Callable[[str], None]) -> None:
        say("first")
        raise ValueError("no more")

    async def heard(told: list[str | None]) -> None:
        async for piece in pieces_of(work, heartbeat_seconds=5):
            told.append(piece)

    told: list[str | None] = []
    with pytest.raises(ValueError, match="no more"):
        asyncio.run(heard(told))
    assert told == ["first"]
