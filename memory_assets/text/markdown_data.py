"""Session text in the Markdown that a language model reads: it is data, so nothing of it is Markdown, HTML or a citation.

A text that says ``[mem:a7Bc3x]`` or ``[HYPOTHESIS]`` about itself must not be taken for ours, nor one that opens a heading, a
comment or a fence for the end of what is quoted.
"""

from __future__ import annotations

import re
from typing import Final

# Controls, marks that turn the direction of the text, separators that break lines, halves of surrogate pairs.
_UNSAFE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_MARKS: Final = re.compile(r"[\\`*\[\]<>|]|(?<![^\W_])_|_(?![^\W_])|~(?=~)|&(?=#?\w{1,32};)")
_OPENING: Final = re.compile(r"\A(?:#{1,6}(?=\s|\Z)|[-+=](?=\s|\Z)|-{3,}|={3,}|(?<![0-9])[0-9]{1,9}(?=[.)](?:\s|\Z)))")


def as_data(text: str) -> str:
    """A text on one line with every mark escaped that means something in Markdown or in a citation. Linear in the text.

    An underscore inside a word means nothing there, and stays.
    """
    line = " ".join(_UNSAFE.sub(_visible, text).split())
    escaped = _MARKS.sub(r"\\\g<0>", line)
    opening = _OPENING.match(escaped)
    if opening is None:
        return escaped
    # `1.` becomes `1\.`, any other opening has the backslash before it.
    return f"{opening[0]}\\{escaped[opening.end() :]}" if opening[0].isdigit() else f"\\{escaped}"


def _visible(match: re.Match[str]) -> str:
    return " " if match[0] in "\t\n\v\f\r\x85\u2028\u2029" else "\ufffd"
