"""Formats that are one JSON value a file: reading it, and naming what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from memory_assets.sessions.source import DecodedSource, DefectLog
from memory_assets.sessions.tolerant_json import SUSPECT_ESCAPE, PartLines, line_of, read_document, scrub


@dataclass(frozen=True, slots=True)
class Part:
    """An item of the list that the file is, or one of the values that stand in it one behind the other.

    Attributes:
        line_of: the line of what it holds under some keys and positions; of itself without any.
    """

    value: Any
    line_of: Callable[..., int | None]


def read_whole_file(source: DecodedSource, defects: DefectLog) -> list[Part]:
    """The file's parts, as far as they can be read; damage is named by the line where it begins."""
    document = read_document(source.text)
    ends_open = not source.text.rstrip().endswith(("}", "]"))
    for offset in document.broken_at:
        line = line_of(source.text, offset)
        if not source.text[offset:].strip() or (ends_open and offset == document.broken_at[-1]):
            defects.add(line, "truncated_record", "the file is half-written; the rest is taken when it is whole")
        else:
            defects.add(line, "malformed_record", "the file is not JSON here")
    lines = PartLines(source.text)
    suspect = SUSPECT_ESCAPE.search(source.text) is not None
    parts: list[Part] = []
    for start, value in document.values:
        clean = scrub(value, lines.line(start), defects) if suspect else value
        if isinstance(clean, list):
            parts += [Part(item, partial(lines.line, start, place)) for place, item in enumerate(clean)]
        else:
            parts.append(Part(clean, partial(lines.line, start)))
    return parts
