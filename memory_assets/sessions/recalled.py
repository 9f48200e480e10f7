"""What this memory told an agent, found again in that agent's record: it is memory already, and never read as something said.

What is told stands in one element, which nothing that is quoted in it can end. A log holds it as text, or as JSON within a
text, where the signs of the element may be escaped. The answers of the memory's own tools are known by the tool's name.
"""

from __future__ import annotations

import re

TAG = "memory-assets-context"
OPENING, CLOSING = f"<{TAG}>", f"</{TAG}>"
MARK = "[MEMORY]"
"""What stands in place of an answer of the memory's own tools."""
TOOLS = frozenset(
    {
        "search_memory",
        "bulk_search",
        "get_timeline",
        "get_details",
        "get_context",
        "search_gotchas",
        "list_tasks",
        "list_blocked_tasks",
        "get_task",
        "get_evidence",
        "list_resolved_conditions",
        "get_case",
        "list_case_events",
        "search_lessons",
        "get_session_digest",
        "get_project_digest",
        "get_day_digest",
        "ask_memory",
    }
)
"""The memory's tools that quote sessions."""

_LESS, _MORE = r"(?:<|\\u003[cC]|&lt;)", r"(?:>|\\u003[eE]|&gt;)"
_OPENS = re.compile(rf"{_LESS}{TAG}{_MORE}")
_CLOSES = re.compile(rf"{_LESS}\\?/{TAG}{_MORE}")
_PARAGRAPH = re.compile(r"\n[ \t]*\n|\\n\\n")
_OWN_TOOL = re.compile(r"(?:^|[^a-z])memory[a-z_-]*(?:__|[./:])(\w+)$", re.IGNORECASE)


def without_recalled(text: str) -> str:
    """The text without what the memory told; of what was cut off before its end, up to the end of its paragraph."""
    if TAG not in text:
        return text
    kept: list[str] = []
    position, may_close = 0, True  # an end is looked for in vain once, which keeps this linear
    while opened := _OPENS.search(text, position):
        kept.append(text[position : opened.start()])
        closed = _CLOSES.search(text, opened.end()) if may_close else None
        may_close = closed is not None
        closed = closed or _PARAGRAPH.search(text, opened.end())
        if closed is None:
            return "".join(kept).strip()
        position = closed.end()
    kept.append(text[position:])
    return "".join(kept).strip()


def unfenced(text: str) -> str:
    """A text that is to be quoted in the element: it can neither end nor begin one."""
    return text.replace(TAG, TAG.replace("-", "\u2011"))


def is_own_tool(name: str | None) -> bool:
    """Whether a tool is one of the memory's that quote sessions, however an agent spells its server's name.

    ``mcp__memory__search_memory``, ``mcp__plugin_memory-assets_memory__ask_memory``, ``memory.get_task``.
    """
    if not name:
        return False
    own = _OWN_TOOL.search(name)
    return own is not None and own[1] in TOOLS
