"""How names stand in addresses: percent-encoded, normal paths, fragments.

Letters and digits of every script stay as they are, so that a Korean path can be read; everything else but a few harmless
signs is percent-encoded as UTF-8. So an address holds no space, bracket, quote or control character, whatever it names.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import unquote

from memory_assets.citations.errors import InvalidCitationError

MAX_NAME = 4096
"""Bytes of UTF-8 that a path or a name may have."""
MAX_NUMBER = 999_999_999
LINES = "L"
"""The name under which :func:`dimensions` gives ``L10-L20``."""

_HARMLESS = frozenset("-._~/:@+")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
_LINES = re.compile(r"L([1-9][0-9]{0,8})(?:-L([1-9][0-9]{0,8}))?")
_SLASHES = re.compile(r"[/\\]+")


def encoded(name: str) -> str:
    """A name as it stands in an address."""
    return "".join(
        sign if sign.isalnum() or sign in _HARMLESS else "".join(f"%{byte:02X}" for byte in sign.encode()) for sign in name
    )


def decoded(text: str) -> str:
    """What :func:`encoded` gave.

    Raises:
        InvalidCitationError: the bytes are no UTF-8.
    """
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise InvalidCitationError("what is percent-encoded is no UTF-8") from None


def normal_name(name: str) -> str:
    """A name in NFC, so that one typed on macOS and on Linux is one.

    Raises:
        InvalidCitationError: it is empty, too long, or holds half a character.
    """
    normal = unicodedata.normalize("NFC", name)
    try:
        size = len(normal.encode())
    except UnicodeEncodeError:
        raise InvalidCitationError("a name holds half a character (a lone surrogate)") from None
    if not 0 < size <= MAX_NAME:
        raise InvalidCitationError(f"a name has 1 to {MAX_NAME:,} bytes, this one {size:,}")
    return normal


def normal_path(path: str) -> str:
    """A path in its one spelling: NFC, single forward slashes, no ``./`` in front. It is a name, and never opened.

    Raises:
        InvalidCitationError: see :func:`normal_name`.
    """
    slashed = _SLASHES.sub("/", path)
    while slashed.startswith("./"):
        slashed = slashed[2:]
    return normal_name(slashed)


def dimensions(fragment: str | None, *known: str) -> dict[str, str]:
    """The parts of a fragment by their names, percent-encoding resolved; ``L10-L20`` is under :data:`LINES`.

    Raises:
        InvalidCitationError: a part that is unknown or given twice.
    """
    found: dict[str, str] = {}
    for part in fragment.split("&") if fragment is not None else ():
        name, equals, value = part.partition("=")
        if not equals and _LINES.fullmatch(part):
            name, value = LINES, part
        elif not equals or name == LINES:
            raise InvalidCitationError(f"no part of a fragment: {part[:40]!r}")
        if name in found or name not in known:
            wanted = ", ".join("L10-L20" if one == LINES else f"{one}=…" for one in known)
            raise InvalidCitationError(f"the fragment has {part[:40]!r}; it may have {wanted or 'nothing'}, each once")
        found[name] = decoded(value)
    return found


def number(value: str) -> int:
    """A decimal number without sign or leading zero.

    Raises:
        InvalidCitationError: it is none.
    """
    if not _NUMBER.fullmatch(value):
        raise InvalidCitationError(f"no number: {value[:20]!r}")
    return int(value)


def lines_of(value: str) -> tuple[int, int]:
    """First and last line of ``L10-L20``, or of ``L10``.

    Raises:
        InvalidCitationError: it names no lines.
    """
    match = _LINES.fullmatch(value)
    if match is None:
        raise InvalidCitationError(f"no lines: {value[:20]!r}, as in L10-L20")
    return int(match[1]), int(match[2] or match[1])


def lines_text(first: int, last: int) -> str:
    """``L10-L20``, or ``L10`` for one line."""
    return f"L{first}" if first == last else f"L{first}-L{last}"


def check_range(what: str, first: int, last: int, *, least: int = 0) -> None:
    """Refuse numbers that are out of order or out of bounds.

    Raises:
        InvalidCitationError
    """
    if not least <= first <= last <= MAX_NUMBER:
        raise InvalidCitationError(f"no {what}: {first} to {last}")
