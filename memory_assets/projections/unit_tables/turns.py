"""What a passage is in its conversation: a question, the reply to one, or both."""

from __future__ import annotations

import re

from memory_assets.vocabulary import Turn

_MARK = re.compile(r"[?？](?=[\s)\]}\"'”’»*_~!?？]|$)")
"""A mark that asks: one inside an address or an expression does not."""
_CODE = re.compile(r"`[^`\n]{0,2000}`|https?://\S{1,2000}")
_WORD_CHARACTER = re.compile(r"\w")


def turn_of(text: str, asked: str | None) -> Turn | None:
    """Whether a passage ends with a question, and whether it replies to one; None where it does neither.

    Args:
        asked: the passage before it, where somebody else says that.
    """
    asks = _ends_asking(_CODE.sub(" ", text))
    if asked is not None and _MARK.search(_CODE.sub(" ", asked)):
        return "asks_back" if asks else "replies"
    return "asks" if asks else None


def _ends_asking(text: str) -> bool:
    """Whether no word stands behind the last question mark; what closes a quotation or a bracket may, or a picture."""
    end = max(text.rfind("?"), text.rfind("？"))
    return end >= 0 and not _WORD_CHARACTER.search(text, end)
