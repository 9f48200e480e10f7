"""One line for people out of a quoted sentence."""

from __future__ import annotations

import re

MAX_TITLE = 120

_LINK = re.compile(r"!?\[([^\]\n]{1,200})\]\([^()\n]{0,400}\)")
_MARKS = re.compile(r"(\*\*|__|~~|`)")
_LEAD = re.compile(r"^(?:[ \t]*(?:[-*+•>]|#{1,6}|\d{1,3}[.)]|\[[ xX]\])[ \t]+)+")
_RECOMMENDED = re.compile(r"\s?[(\[](?:recommended|추천|권장)[)\]]", re.IGNORECASE)
"""What an agent says of an option, and no part of its name."""
_SPACES = re.compile(r"\s+")


def title_of(text: str) -> str:
    """A sentence without Markdown, on one line of at most 120 characters; never empty for a text that says something."""
    plain = _SPACES.sub(" ", _RECOMMENDED.sub("", _MARKS.sub("", _LINK.sub(r"\1", _LEAD.sub("", text))))).strip(" *_:：-–—")
    plain = plain or _SPACES.sub(" ", text).strip() or "…"
    if len(plain) <= MAX_TITLE:
        return plain
    cut = plain.rfind(" ", MAX_TITLE // 2, MAX_TITLE - 1)
    return plain[: cut if cut > 0 else MAX_TITLE - 1].rstrip(" ,;:") + "…"


def title_behind(before: str, text: str, *, may_cut: bool = False) -> str:
    """A sentence behind the one that names what it points back at, on one line; alone where both do not fit.

    Args:
        may_cut: both, cut at the end, where the first one leaves half of the line.
    """
    title, named = title_of(text), title_of(before)
    both = f"{named}{'' if named.endswith(('.', '!', '?', '…')) else ' —'} {title}"
    return title_of(both) if len(both) <= MAX_TITLE or (may_cut and len(named) <= MAX_TITLE // 2) else title
