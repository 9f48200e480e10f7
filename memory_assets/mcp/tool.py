"""What a tool of the server is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memory_assets.mcp.answers import Answer
from memory_assets.mcp.arguments import Arguments
from memory_assets.mcp.output_schemas import Output

if TYPE_CHECKING:
    from memory_assets.mcp.store import Store


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        answer: of checked arguments; runs in a thread of its own.
        output: what its structured result is.
        writes: it adds to the store; nothing ever changes or deletes.
    """

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    answer: Callable[[Store, Any], Answer]
    output: Output
    writes: bool = False
