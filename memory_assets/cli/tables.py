"""Dense tables that a person can scan, in terminal cells: a Hangul syllable takes two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memory_assets.cli.output import console, cut, styled

if TYPE_CHECKING:
    from rich.text import Text

GAP = 2
# Where nobody looks (a pipe, a file) nothing is cut.
UNLIMITED = 100_000

Cell = str | tuple[str, str]


def terminal_width() -> int:
    """Cells of a line on the terminal; UNLIMITED where stdout is none."""
    out = console()
    return out.width if out.is_terminal else UNLIMITED


def print_text(*lines: Text) -> None:
    """Lines as they are: the terminal may wrap them, we do not."""
    out = console()
    for line in lines:
        out.print(line, soft_wrap=True)


def fitting(line: Text) -> Text:
    """A line that is no wider than the terminal."""
    width = terminal_width()
    return line if width == UNLIMITED else cut(line, width)


def print_table(
    header: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    shrink: Sequence[tuple[int, int]] = (),
    drop: Sequence[int] = (),
    right: frozenset[int] = frozenset(),
) -> None:
    """Columns as wide as their widest cell; where that is too wide for the terminal some are cut, or left out.

    Args:
        shrink: (column, least width) of those that may be cut; the first is cut first, and one may come again with less.
        drop: columns that are left out, in this order, before another is cut below the first width given for it.
        right: columns that are aligned to the right.
    """
    lines = [[styled((name, "dim")) for name in header], *([_cell(cell) for cell in row] for row in rows)]
    widths = {column: max(line[column].cell_len for line in lines) for column in range(len(header))}
    room = terminal_width()
    least = dict(reversed(shrink))
    for column in drop:
        if _total({kept: min(width, least.get(kept, width)) for kept, width in widths.items()}) <= room:
            break
        del widths[column]
    for column, minimum in shrink:
        if column in widths:
            widths[column] -= max(0, min(_total(widths) - room, widths[column] - minimum))
    print_text(*(_line(line, widths, right) for line in lines))


def _total(widths: Mapping[int, int]) -> int:
    return sum(widths.values()) + GAP * (len(widths) - 1)


def _cell(cell: Cell) -> Text:
    text = cell if isinstance(cell, str) else cell[0]
    flat = " ".join(text.split())
    return styled(flat if isinstance(cell, str) else (flat, cell[1]))


def _line(cells: Sequence[Text], widths: Mapping[int, int], right: frozenset[int]) -> Text:
    from rich.text import Text

    line = Text()
    for column, width in widths.items():
        shown = cut(cells[column], width)
        padding = " " * (width - shown.cell_len)
        line.append(padding if column in right else "").append_text(shown).append("" if column in right else padding)
        line.append(" " * GAP)
    line.rstrip()
    return line
