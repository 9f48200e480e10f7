"""A quote that is looked for, and the ways in which it may have been written down."""

from __future__ import annotations

import re
from functools import cached_property

from memory_assets.evidence.ellipsis import quoted_parts
from memory_assets.evidence.prepared import PreparedText
from memory_assets.text.characters import effective_length
from memory_assets.text.differences import Difference

_ESCAPE = re.compile(r"\\(n|t|r|\"|'|\\|/)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


class WantedQuote:
    """A quote, prepared as the stages need it."""

    def __init__(self, quote: str) -> None:
        self.quote = quote

    @cached_property
    def spellings(self) -> list[tuple[PreparedText, Difference]]:
        """The quote with JSON escapes undone, and as it is, each with the difference that this alone amounts to.

        Nothing is ever dropped from a quote: what it says, also in a link target or a list number, must be there.
        """
        spellings = [(PreparedText(self.quote), Difference.NONE)]
        if "\\" in self.quote:
            undone = _ESCAPE.sub(lambda m: _ESCAPED.get(m.group(1), m.group(1)), self.quote)
            spellings.insert(0, (PreparedText(undone), Difference.MARKUP))
        return [(prepared, floor) for prepared, floor in spellings if prepared.skeleton]

    @cached_property
    def effective_length(self) -> float:
        """How much the quote says; see :func:`memory_assets.text.characters.effective_length`."""
        return effective_length(self.quote)

    @cached_property
    def parts(self) -> list[WantedQuote]:
        """What stands around the quote's ellipses; empty when there is none."""
        return [WantedQuote(part) for part in quoted_parts(self.quote)]
