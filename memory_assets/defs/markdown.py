"""Session text in the Markdown of Dagster's pages: it is data, so nothing of it is Markdown or HTML."""

from __future__ import annotations

import html
import re

MOST_SHOWN = 160
_MARKS = re.compile(r"([\\`*_{}\[\]()#+\-!|~>])")


def cell(text: str) -> str:
    """Text inside a table: on one line, cut, every mark escaped."""
    return _MARKS.sub(r"\\\1", html.escape(" ".join(text.split())[:MOST_SHOWN]))
