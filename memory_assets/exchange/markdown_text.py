"""Session text on a page of Markdown that any program may show: it is data, so nothing of it is Markdown, HTML or a link."""

from __future__ import annotations

import re

from memory_assets.text.markdown_data import as_data

# What is escaped already; what some programs make a link, a formula or struck text of without any bracket; marks that close a
# heading.
_BARE = re.compile(r"(?i)\\.|\bwww(?=\.)|:(?=//)|\b(?:mailto|xmpp)(?=:)|[$~]|(?<= )#+\Z")


def escaped(text: str) -> str:
    """Text on one line that reads as it was written. Linear in the text."""
    return _BARE.sub(_broken, as_data(text))


def _broken(match: re.Match[str]) -> str:
    found = match[0]
    if found[0] == "\\":
        return found
    return f"{found}\\" if found[0].isalpha() else f"\\{found}"
