"""The parts of a command line, and the words of a part: what is quoted, a comment or a here-document ends none."""

from __future__ import annotations

import re
from typing import Final

_HERE = re.compile(
    r"<<-?\s{0,2}(?P<quote>['\"]?)(?P<mark>\w{1,40})(?P=quote)[^\n]*\n.*?(?:^\s{0,20}(?P=mark)\b|\Z)", re.DOTALL | re.MULTILINE
)
"""A document inside a command: its lines run nothing."""
_COMMENT = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
_ESCAPED_OR_QUOTED: Final = r"\\.|'[^']*(?:'|\Z)|\"(?:[^\"\\]|\\.?)*(?:\"|\Z)"
_QUOTED = re.compile(_ESCAPED_OR_QUOTED, re.DOTALL)
_ENDS = re.compile(rf"(?:{_ESCAPED_OR_QUOTED})|(?P<end>&&|\|\||[;\n])", re.DOTALL)
_PIPES = re.compile(rf"(?:{_ESCAPED_OR_QUOTED})|(?P<end>\|)", re.DOTALL)
_WORD = re.compile(rf"(?:{_ESCAPED_OR_QUOTED}|\S)+", re.DOTALL)


def parts_of(command: str) -> list[str]:
    """What a command runs one after the other, as it is written, without comments and here-documents."""
    return _split(_COMMENT.sub("", _HERE.sub(" <<x ", command).replace("\\\n", " ")), _ENDS)


def piped(part: str) -> list[str]:
    """The programs of a part, of which each is given what the one before it prints."""
    return _split(part.replace("|&", "|"), _PIPES)


def words_of_line(line: str) -> list[str]:
    """The words of a line; what stands in quotes is one."""
    return _WORD.findall(line)


def without_quotes(part: str) -> str:
    """A part with a letter in the place of what is quoted in it."""
    return _QUOTED.sub("q", part)


def _split(text: str, ends: re.Pattern[str]) -> list[str]:
    """The pieces of a text between ends; what is quoted matches the pattern too, and ends nothing."""
    pieces, start = [], 0
    for found in ends.finditer(text):
        if found["end"] is not None:
            pieces.append(text[start : found.start()])
            start = found.end()
    return [*pieces, text[start:]]
