"""A model of how Idris 2 (0.8.0) lexes a string literal, written from its rules: to read back what was written.

Interpolation opens at backslash-brace; three quotes open a block; an escape is ``\\&`` (nothing), a decimal, ``\\x`` or
``\\o`` number (all greedy), a named control character (longest first), or one of the single-letter ones.
"""

from __future__ import annotations

_CONTROL = (
    "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US SP"
)
_NAMES = _CONTROL.split()
_SINGLE = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92, '"': 34, "'": 39}


class NotOneLiteral(Exception):
    """The text is not exactly one closed, plain literal."""


def read_literal(source: str) -> str:
    """The text that a compiler would see for a literal that must be all of ``source``."""
    if not source.startswith('"') or source.startswith('"""'):
        raise NotOneLiteral(source)
    text: list[str] = []
    at = 1
    while at < len(source):
        character = source[at]
        if character == '"':
            if at != len(source) - 1:
                raise NotOneLiteral("more behind the closing quote")
            return "".join(text)
        if character in "\n\r":
            raise NotOneLiteral("a raw line break")
        if character != "\\":
            text.append(character)
            at += 1
            continue
        piece, at = _escape(source, at + 1)
        text.append(piece)
    raise NotOneLiteral("not closed")


def _escape(source: str, at: int) -> tuple[str, int]:
    if at >= len(source) or source[at] == "{":
        raise NotOneLiteral("interpolation or nothing behind a backslash")
    if source[at] == "&":
        return "", at + 1
    for prefix, digits, base in (("x", "0123456789abcdefABCDEF", 16), ("o", "01234567", 8), ("", "0123456789", 10)):
        if source.startswith(prefix, at):
            end = start = at + len(prefix)
            while end < len(source) and source[end] in digits:
                end += 1
            if end > start:
                value = int(source[start:end], base)
                if value > 0x10FFFF or 0xD800 <= value < 0xE000:
                    raise NotOneLiteral("no character")
                return chr(value), end
    for name in sorted([*_NAMES, "DEL"], key=len, reverse=True):
        if source.startswith(name, at):
            return chr(127 if name == "DEL" else _NAMES.index(name)), at + len(name)
    if source[at] in _SINGLE:
        return chr(_SINGLE[source[at]]), at + 1
    raise NotOneLiteral("an unknown escape")
