"""Words that findings are told with: cut to one line, and the key that two tellings of one lesson share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from memory_assets.text.statements import statement_of

_SPACES = re.compile(r"\s+")
_NAMES = re.compile(r"\S*[/\\=@]\S*|\b[\w-]+\.[A-Za-z]\w{0,7}\b|\S*\d\S*|#")
_LONGEST_KEY: Final = 200
# What a sentence says besides its order: politeness, how sure, that it is one.
_SAYING_NOTHING = """
please always never now thanks no wait actually instead should must need want just stop still again
앞으로 항상 절대 매번 이제 다시 제발 아니 말고 그거 그게 그건 이거 이게 이건 해 하 되 너 너무 좀 그냥
"""
_EMPTY = frozenset(_SAYING_NOTHING.split())


def on_one_line(text: str) -> str:
    """A text without line breaks and runs of blanks."""
    return _SPACES.sub(" ", text).strip()


def cut(text: str, most: int) -> str:
    """The beginning of a text, with an ellipsis where it is cut."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def key_of(text: str) -> str:
    """What a text says, without numbers, paths, ids and what only makes it an order: two tellings of a lesson share it."""
    words = statement_of(_NAMES.sub(" ", text[:600])).split()
    kept = (word for word in words if word == "=not" or word[0] not in "=")
    said = dict.fromkeys(word.lstrip("=~") for word in kept)
    return (" ".join(word for word in said if word not in _EMPTY) or " ".join(text.casefold().split()))[:_LONGEST_KEY].strip()


def same_word(programs: Iterable[str], tool: str) -> str:
    """The program that a call runs, or the tool's name."""
    return min(programs, default=tool)
