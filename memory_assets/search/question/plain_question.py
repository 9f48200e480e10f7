"""What the cue finders read of a question: one spelling of it, and no more than a question holds."""

from __future__ import annotations

import unicodedata
from typing import Final

from memory_assets.text.lexical_text import MAX_QUERY_TOKENS, MAX_TOKEN

MAX_READ: Final = MAX_QUERY_TOKENS * MAX_TOKEN
"""Characters of a question that are read, as many as `query_text` reads: what is longer is a pasted document."""

_QUOTES: Final = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-"})


def plain(query: str) -> str:
    """A question with composed letters (NFKC), straight quotes and single spaces; case as it was written.

    A Hangul word typed on macOS (NFD) or in full-width letters is the same word. Any string is taken.
    """
    composed = unicodedata.normalize("NFKC", query[:MAX_READ])[:MAX_READ]
    return " ".join(composed.translate(_QUOTES).split())
