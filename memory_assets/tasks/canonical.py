"""One spelling of a title, to recognise it again (requirements G-60, G-64)."""

from __future__ import annotations

import re
import unicodedata

MAX_KEY_LENGTH = 200
_NOT_WORD = re.compile(r"[\W_]+")


def normalize(text: str) -> str:
    """NFKC, casefolded, letters and digits of every script kept, everything between them one space. Idempotent.

    A long text keeps its first characters: a title that is longer than :data:`MAX_KEY_LENGTH` is told apart by them.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return _NOT_WORD.sub(" ", folded).strip()[:MAX_KEY_LENGTH].strip()
