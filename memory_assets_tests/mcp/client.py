"""A real client of the SDK, over stdio, against a real process; driven from tests that are not asynchronous."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp_types import CallToolResult, InitializeResult

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Connected:
    """A client that a server has shaken hands with."""

    session: ClientSession
    initialized: InitializeResult
    handshake_seconds: float
    portal: BlockingPortal

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """What a tool gives; the client itself checks the structured result with the tool's output schema."""
        return self.portal.call(partial(self.session.call_tool, tool, arguments, read_timeout_seconds=60))

    def calls(self, *asked: tuple[str, dict[str, Any]]) -> list[CallToolResult]:
        """Several calls at once, their results in the order of the calls."""

        async def together() -> list[CallToolResult]:
            results: dict[int, CallToolResult] = {}

            async def one(place: int, tool: str, arguments: dict[str, Any]) -> None:
                results[place] = await self.session.call_tool(tool, arguments)

            async with anyio.create_task_group() as tasks:
                for place, (tool, arguments) in enumerate(asked):
                    tasks.start_soon(one, place, tool, arguments)
            return [results[place] for place in range(len(asked))]

        return self.portal.call(together)


def environment(home: Path, **further: str) -> dict[str, str]:
    """Of a server's process: nothing of the tests' own."""
    return {"MEMORY_HOME": str(home), "MEMORY_EMBEDDING_MODEL": "hashing", "PATH": os.environ["PATH"], **further}


@contextmanager
def connected(home: Path, *options: str, log: Path | None = None, **variables: str) -> Iterator[Connected]:
    """A server over a store, started, and its client."""

    @asynccontextmanager
    async def both(portal: BlockingPortal) -> AsyncIterator[Connected]:
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", "memory_assets", "mcp", "serve", *options],
            env=environment(home, **variables),
            cwd=REPOSITORY,
        )
        with (log or Path(os.devnull)).open("w") as errors:
            started = time.perf_counter()
            async with stdio_client(parameters, errlog=errors) as streams, ClientSession(*streams) as session:
                initialized = await session.initialize()
                yield Connected(session, initialized, time.perf_counter() - started, portal)

    with start_blocking_portal() as portal, portal.wrap_async_context_manager(both(portal)) as client:
        yield client


def text_of(result: CallToolResult) -> str:
    """The text layer of a result: one block."""
    (block,) = result.content
    assert block.type == "text"
    return block.text
