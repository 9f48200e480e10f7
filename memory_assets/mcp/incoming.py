"""What a client sends, as it was meant: a text that was cut within a sign is no reason to leave a call without an answer."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from memory_assets.mcp.quoting import transportable

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectSendStream

Incoming = SessionMessage | Exception


async def pass_on(read: AsyncIterable[Incoming], to: MemoryObjectSendStream[Incoming]) -> None:
    """Hand on what comes in until nothing does, lines that the SDK cannot read mended where they can be."""
    async with to:
        async for item in read:
            await to.send(mended(item))


def mended(item: Incoming) -> Incoming:
    """A message of a line with halves of surrogate pairs, which JSON may spell and UTF-8 cannot; anything else as it is.

    The SDK passes over a line that it cannot read, and whoever sent it waits for an answer until they give up.
    """
    if not isinstance(item, ValidationError):
        return item
    line: Any = item.errors(include_url=False)[0].get("input")
    if not isinstance(line, str):
        return item
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_python(transportable(json.loads(line)), by_name=False))
    except (ValueError, RecursionError):
        return item
