"""How memories, stages and quotes look on a terminal, in every command alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory_assets.cli.output import cut, one_line, styled
from memory_assets.cli.tables import GAP, UNLIMITED, print_text, terminal_width

if TYPE_CHECKING:
    from rich.text import Text

    from memory_assets.results.memories import MemoryView, QuoteContext
    from memory_assets.results.said_otherwise import SaidOtherwiseV1

LEAST_TITLE = 24
TYPE_WIDTH = len("preference")
ASSURANCE_STYLES: dict[str, str] = {"unproved": "red", "quoted": "yellow", "held": "green", "confirmed": "bold green"}
STAGE_STYLES = {"raw": "red", "working": "yellow", "candidate": "yellow", "verified": "green", "certified": "bold green"}

_STATUSES = {"deprecated": "set aside"}


def assurance_text(assurance: str | None, checker: str | None, status: str | None = "active") -> str:
    """What was proved; where a checker did, with the checker's name: ``held (embedded 1)``; and what lowers it."""
    return _with(assurance or "-", checker if assurance in ("held", "confirmed") else None, status)


def assurance_cell(assurance: str | None, checker: str | None, status: str | None = "active") -> tuple[str, str]:
    """:func:`assurance_text` with its colour."""
    return assurance_text(assurance, checker, status), ASSURANCE_STYLES.get(assurance or "", "")


def stage_text(stage: str, checker: str | None, status: str | None = "active") -> str:
    """The stage by the name that the log has for it, for those who move memories along the ladder."""
    return _with(stage, checker if stage in ("verified", "certified") else None, status)


def stage_cell(stage: str, checker: str | None, status: str | None = "active") -> tuple[str, str]:
    """:func:`stage_text` with its colour."""
    return stage_text(stage, checker, status), STAGE_STYLES.get(stage, "")


def _with(word: str, checker: str | None, status: str | None) -> str:
    shown = f"{word} ({checker})" if checker else word
    return shown if status in (None, "active") else f"{shown}, {_STATUSES.get(str(status), status)}"


def print_memories(memories: Sequence[MemoryView]) -> None:
    """Each memory on its own line: short id, type, title, address of its first quote.

    The address is never cut. On a narrow terminal the title is, and where too little of it would remain the address goes
    on a line of its own below it. Where nobody looks a line is a memory, whole.
    """
    width = terminal_width()
    rows = [
        (
            styled((memory.citation, "cyan"), "  ", (memory.entry_type.ljust(TYPE_WIDTH), "magenta"), "  "),
            styled(one_line(memory.title)),
            styled((memory.uri, "dim")),
            said_otherwise_lines(memory.said_otherwise, indent=2),
        )
        for memory in memories
    ]
    for head, title, uri, instead in rows:
        room = width - head.cell_len - GAP - uri.cell_len
        if title.cell_len > room and room < LEAST_TITLE:
            print_text(
                head + cut(title, width - head.cell_len),
                styled(" " * max(0, min(head.cell_len, width - uri.cell_len))) + uri,
                *instead,
            )
            continue
        shown = cut(title, room)
        # Addresses below each other where there is room for it.
        widest = max(row[2].cell_len for row in rows) if width < UNLIMITED else 0
        print_text(head + shown + styled(" " * (GAP + max(0, min(widest, room) - shown.cell_len))) + uri, *instead)


def said_otherwise_lines(said: SaidOtherwiseV1 | None, *, indent: int = 0) -> list[Text]:
    """What a person said instead of what is shown: who and when, where it stands, and its first words."""
    if said is None:
        return []
    line = styled(" " * indent, (said.told, "yellow"), "  ") + quoted(said.text)
    return [cut(line, 2 * terminal_width())]


def context_lines(context: QuoteContext | None) -> list[Text]:
    """What a memory's first quote stands under: its session's title, the heading above it, and the words that it answers."""
    if context is None:
        return []
    width = terminal_width()
    lines = []
    if context.session_title and context.session_title != context.asked:
        lines.append(styled("in    ") + quoted(context.session_title, limit=width - len("in    ")))
    if context.heading:
        lines.append(styled("under ") + quoted(context.heading, limit=width - len("under ")))
    if context.asked and context.asked_uri:
        lines.append(styled("about ") + quoted(context.asked, limit=width - len("about ")))
        lines.append(styled("      ", (context.asked_uri, "dim")))
    return lines


def print_beside(head: Text, tail: Text, *, indent: int) -> None:
    """A line and what belongs to it: beside it where the terminal has the room, else on a line of its own below it."""
    if head.cell_len + GAP + tail.cell_len <= terminal_width():
        print_text(head + styled(" " * GAP) + tail)
    else:
        print_text(head, styled(" " * indent) + tail)


def quoted(text: str, *, limit: int | None = None) -> Text:
    """Text in quotation marks on one line; cut to ``limit`` cells where one is given."""
    line = styled(f"“{one_line(text)}”")
    return line if limit is None else cut(line, limit)
