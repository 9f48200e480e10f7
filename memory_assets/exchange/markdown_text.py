"""Session text on a page of Markdown that any program may show: it is data, so nothing of it is Markdown, HTML or a link."""

from __future__ import annotations

import re

from memory_assets.retrieval.markdown_data import as_data

# What some programs make a link, or a formula, of without any bracket.
_BARE = re.compile(r"(?i)\bwww(?=\.)|:(?=//)|\b(?:mailto|xmpp)(?=:)|\$")


def escaped(text: str) -> str:
    """Text on one line that reads as it was written. Linear in the text."""
    return _BARE.sub(_broken, as_data(text))


def _broken(match: re.Match[str]) -> str:
    return f"{match[0]}\\" if match[0][0].isalpha() else f"\\{match[0]}"
