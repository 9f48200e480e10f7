"""Characters that nobody sees: they can hide words from a reader that a program, or a model, takes in.

One answer for whoever shows text to a person who has to judge it, or to a model. Line breaks and tabs are seen. A joiner
between two pictures, or between two letters of a script that needs it (Persian), is a part of what is seen, and so is one
selector behind a picture; a second one is not, for a row of them can spell out anything.
"""

from __future__ import annotations

import re
from typing import Final

_PICTURE: Final = "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
# From Arabic to Mongolian, where a joiner shapes the letters beside it; Hangul, which stands among them, needs none.
_SHAPED: Final = "\u0620-\u065f\u066e-\u06dc\u0710-\u085b\u08a0-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u17dd\u1820-\u18aa"
_NEVER_SEEN: Final = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U00013430-\U00013440\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_UNSEEN: Final = re.compile(
    f"[{_NEVER_SEEN}]"
    f"|(?!(?<=[{_PICTURE}])[\ufe0e\ufe0f])(?!(?<=[0-9#*])\ufe0f\u20e3)[\ufe0e\ufe0f]"
    f"|(?!(?<=[{_PICTURE}\ufe0f])\u200d[{_PICTURE}])(?!(?<=[{_SHAPED}])[\u200c\u200d][{_SHAPED}])[\u200c\u200d]"
)


def first_unseen(text: str) -> re.Match[str] | None:
    """The first character of a text that nobody sees; None where all of it is seen."""
    return None if text.isascii() and text.isprintable() else _UNSEEN.search(text)


def without_unseen(text: str) -> str:
    """A text as it is seen."""
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub("", text)
