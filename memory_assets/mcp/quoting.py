"""Session text in an answer for a language model: quoted, line by line, and nothing but data.

Every line of it stands behind a bar that no line of the server's own begins with, so a quoted text can neither end its
quotation nor lay out an answer of its own. What a reader cannot see is made visible: control characters, marks that turn the
direction of text, and the blocks of Unicode that spell hidden messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from memory_assets.text.half_characters import HALF

BAR = "│ "
_INDENT = "   "
ELLIPSIS = "…"
_BREAKS = re.compile(r"\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Controls but the tab, marks of direction, marks that hide or join, surrogates, tags, and the later variation selectors.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e01ef]"
)
_SIGNS = str.maketrans({"│": "|", "·": "-", "[": "(", "]": ")", "`": "'"})


def inline(text: str | None, limit: int = 300) -> str:
    """Session text within a line of the server's own: no line break, no sign that the server's lines use, a bounded length."""
    return flat(text or "", limit).translate(_SIGNS)


def flat(text: str, limit: int = 300) -> str:
    """Text in one line of a bounded length."""
    line = " ".join(_visible(_BREAKS.sub(" ", text)).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + ELLIPSIS


def quoted(text: str, *, limit: int | None = None) -> list[str]:
    """A text as quoted lines, each behind the bar; lines and characters beyond the limit are left out and counted."""
    rest = 0
    if limit is not None and len(text) > limit:
        text, rest = text[:limit], len(text) - limit
    lines = [f"{_INDENT}{BAR}{_visible(line)}".rstrip() for line in _BREAKS.split(text)]
    return [*lines, f"{_INDENT}({rest:,} more characters)"] if rest else lines


def visible_lines(text: str) -> list[str]:
    """The lines of a text that is laid out and escaped already, with what cannot be seen made visible."""
    return [_visible(line) for line in text.split("\n")]


def address(uri: str | None) -> str:
    """An address or an id as it is, without what would break its line."""
    return re.sub(r"\s+", "%20", _visible(uri or "-"))


def sentence(parts: Iterable[str | None]) -> str:
    """What there is of some parts, with a dot between them."""
    return " · ".join(part for part in parts if part)


def transportable(value: Any) -> Any:
    """A value of plain JSON types that can be sent as UTF-8: halves of surrogate pairs become the sign for what is unknown."""
    if isinstance(value, str):
        return HALF.sub("\ufffd", value) if not value.isascii() else value
    if isinstance(value, dict):
        return {transportable(key): transportable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [transportable(item) for item in value]
    return value


def _visible(text: str) -> str:
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub("\ufffd", text)
