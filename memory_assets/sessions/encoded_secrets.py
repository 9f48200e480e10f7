"""Secrets in base64: what is decoded is searched as the text itself is, and masked as a whole where something is found."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass

# From 12 decoded bytes on; an image is none, and nobody's key is longer than this when encoded.
_RUN = re.compile(r"[A-Za-z0-9+/]{16,16384}+={0,2}")
_URL_SAFE_RUN = re.compile(r"[A-Za-z0-9_-]{16,16384}+={0,2}")
_PRINTABLE = re.compile(r"[\t\n\r -~]*+")
_LONGEST = 16_384
_CREDENTIALS = re.compile(r"(?P<user>[\w.@+-]{1,64}):(?P<word>[!-~]{4,256})")
_IDENTIFIER = re.compile(r"[0-9]+|[0-9a-fA-F-]{16,}|[A-Za-z]+(?:[:/._-][A-Za-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A run of base64 and the text that it holds."""

    start: int
    end: int
    text: str


def find_encoded(text: str) -> Iterator[Decoded]:
    """The runs of base64 that hold text."""
    covered = 0
    for run in _RUN.finditer(text):
        decoded = _decoded(text, run.start(), run.end())
        if decoded is not None:
            covered = run.end()
            yield decoded
    if covered and "-" not in text and "_" not in text:
        return
    for run in _URL_SAFE_RUN.finditer(text):
        if "-" in run[0] or "_" in run[0]:
            decoded = _decoded(text, run.start(), run.end())
            if decoded is not None:
                yield decoded


def is_credentials(decoded: str) -> bool:
    """``user:password``, as a header and Docker's settings hold it."""
    match = _CREDENTIALS.fullmatch(decoded.strip())
    return match is not None and not _IDENTIFIER.fullmatch(match["word"])


def _decoded(text: str, start: int, end: int) -> Decoded | None:
    # Before a run may stand the letter of an escape (\n): the first character is tried as one, too.
    for skip in (0, 1) if text[start - 1 : start] == "\\" else (0,):
        if (plain := _plain(text[start + skip : end])) is not None:
            return Decoded(start + skip, end, plain)
    return None


def _plain(run: str) -> str | None:
    run = run.rstrip("=")
    if _readable(run[:16]) is None:
        return None
    return _readable(run[:_LONGEST])


def _readable(run: str) -> str | None:
    usable = run[: len(run) - 1] if len(run) % 4 == 1 else run
    try:
        data = base64.b64decode(usable.translate(_TO_STANDARD) + "=" * (-len(usable) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
    text = data.decode("utf-8", errors="ignore")
    if len(text.encode()) < len(data) - 3 or not text:
        return None
    if text.isascii():
        return text if _PRINTABLE.fullmatch(text) else None
    return text if all(char.isprintable() or char in "\t\r\n" for char in text) and _is_korean(text) else None


def _is_korean(text: str) -> bool:
    other = [char for char in text if not char.isascii()]
    return all("가" <= char <= "힣" for char in other)


_TO_STANDARD = str.maketrans("-_", "+/")
