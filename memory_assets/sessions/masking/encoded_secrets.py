"""Secrets in base64: what is decoded is searched as the text itself is, and masked as a whole where something is found."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory_assets.sessions.masking.scanned_text import ScannedText

# From 12 decoded bytes on; nobody's key is longer than this when encoded.
_SHORTEST_RUN = 16
_RUN = re.compile(rf"[A-Za-z0-9+/_-]{{{_SHORTEST_RUN},16384}}+={{0,2}}")
# What ASCII becomes shows in three of four places, so that names and paths are passed over; Hangul begins with 6 or 7.
_GROUP = r"[A-Za-f][A-HQ-Xg-nw-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][A-Za-z0-9+/_-]"
_TEXT = re.compile(rf"(?:{_GROUP}){{4}}|[67][A-Za-z0-9+/]{{3}}(?:[A-Za-f67][A-Za-z0-9+/]{{3}}){{4}}")
_BEGINNING = re.compile(r"[A-Za-z0-9+/]{16,16384}+={0,2}")
_LAST_DASH = re.compile(r"[-_/]")
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


def find_encoded(scan: ScannedText) -> Iterator[Decoded]:
    """The runs of base64 that hold text."""
    text = scan.text
    for run in _runs(scan):
        if _TEXT.search(text, *run.span()) is None:
            continue
        for start in _starts(text, run):
            if _TEXT.match(text, start, run.end()) is None:
                continue
            for end in _ends(text, start, run.end()):
                if (plain := _plain(text[start:end])) is not None:
                    yield Decoded(start, end, plain)
                    break


def _runs(scan: ScannedText) -> Iterator[re.Match[str]]:
    for start, end in scan.tokens:
        if end - start >= _SHORTEST_RUN and _TEXT.search(scan.text, start, end):
            yield from _RUN.finditer(scan.text, start, end)


def _starts(text: str, run: re.Match[str]) -> Iterator[int]:
    """Where the encoded text may begin: at the run, behind the letter of an escape, or behind a separator in a name."""
    yield run.start()
    if text[run.start() - 1 : run.start()] == "\\":
        yield run.start() + 1
    for count, dash in enumerate(_LAST_DASH.finditer(text, *run.span())):
        if count == 8 or run.end() - dash.end() < 16:
            return
        yield dash.end()


def _ends(text: str, start: int, end: int) -> Iterator[int]:
    """Where it may end: with the run, or before what stands beside it in a name."""
    yield end
    if (standard := _BEGINNING.match(text, start, end)) and standard.end() < end:
        yield standard.end()


def is_credentials(decoded: str) -> bool:
    """``user:password``, as a header and Docker's settings hold it."""
    match = _CREDENTIALS.fullmatch(decoded.strip())
    return match is not None and not match["user"].isdigit() and not _IDENTIFIER.fullmatch(match["word"])


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
