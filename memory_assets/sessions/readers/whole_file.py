"""Formats that are one JSON value a file: reading it, and naming what is wrong with it."""

from __future__ import annotations

import re
from typing import Any

from memory_assets.sessions.source import DecodedSource, DefectLog
from memory_assets.sessions.tolerant_json import line_of, read_document, scrub

_SUSPECT_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


def read_whole_file(source: DecodedSource, defects: DefectLog) -> Any:
    """The file's value, as far as it can be read; damage is named by the line where it begins."""
    document = read_document(source.text)
    ends_open = not source.text.rstrip().endswith(("}", "]"))
    for offset in document.broken_at:
        line = line_of(source.text, offset)
        if not source.text[offset:].strip() or (ends_open and offset == document.broken_at[-1]):
            defects.add(line, "truncated_record", "the file is half-written; the rest is taken when it is whole")
        else:
            defects.add(line, "malformed_record", "the file is not JSON here")
    if _SUSPECT_ESCAPE.search(source.text):
        return scrub(document.value, None, defects)
    return document.value
