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
    for offset in document.broken_at:
        if source.text[offset:].strip():
            defects.add(line_of(source.text, offset), "malformed_record", "the file is not JSON from here on")
        else:
            defects.add(line_of(source.text, offset), "truncated_record", "the file is half-written")
    if _SUSPECT_ESCAPE.search(source.text):
        return scrub(document.value, None, defects)
    return document.value
