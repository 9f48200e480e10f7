"""A source file as text, and what a reader makes of it."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from memory_assets.sessions.model import Defect, DefectReason, Session

REPLACEMENT = "\ufffd"
_DATA_URI = re.compile(r"data:[\w.+-]{1,40}/[\w.+-]{1,80};base64,[A-Za-z0-9+/=]{64,}")


@dataclass(frozen=True, slots=True)
class DecodedSource:
    """A file's text: no byte order mark, no NUL, no lone surrogate."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class ReaderResult:
    """What one reader found: sessions in source order (some may be without a message), and what it could not take."""

    sessions: tuple[Session, ...]
    defects: tuple[Defect, ...]


class DefectLog:
    """Collects the defects of one file while it is read."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._defects: list[Defect] = []

    def add(self, line: int | None, reason: DefectReason, detail: str = "") -> None:
        """Note one defect; ``detail`` is for people and holds nothing of the session's text."""
        self._defects.append(Defect(self._path, line, reason, detail))

    def all(self) -> tuple[Defect, ...]:
        """Every defect noted so far, by line; those of the whole file first."""
        return tuple(sorted(self._defects, key=lambda defect: defect.line or 0))


def decode(path: str, data: bytes) -> tuple[DecodedSource, tuple[Defect, ...]]:
    """The bytes as text. What is not UTF-8, and every NUL, becomes U+FFFD and is named by its line."""
    defects = DefectLog(path)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = data.decode("utf-16", errors="replace")
        if REPLACEMENT in text:
            defects.add(None, "invalid_utf8", "the file is UTF-16, and some of it cannot be decoded")
    else:
        data = _without_half_a_character(data.removeprefix(codecs.BOM_UTF8), defects)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = data.decode("utf-8", errors="replace")
            for number, line in enumerate(data.split(b"\n"), start=1):
                if not line.isascii() and not _is_utf8(line):
                    defects.add(number, "invalid_utf8", "bytes that are not UTF-8 were replaced by U+FFFD")
    if "\0" in text:
        for number, content in enumerate(text.split("\n"), start=1):
            if "\0" in content:
                defects.add(number, "nul_character", "NUL characters were replaced by U+FFFD")
        text = text.replace("\0", REPLACEMENT)
    return DecodedSource(path, text), defects.all()


def _without_half_a_character(data: bytes, defects: DefectLog) -> bytes:
    # A file that is still being written may end within a character, and Hangul has three bytes each.
    for length in range(1, min(3, len(data)) + 1):
        first = data[-length]
        if first < 0x80:
            break
        if first >= 0xC0:
            if length < (2 if first < 0xE0 else 3 if first < 0xF0 else 4):
                line = data.count(b"\n") + 1
                defects.add(line, "truncated_record", "the file ends within a character; it is taken when it is whole")
                return data[:-length]
            break
    return data


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def without_data_uris(text: str) -> str:
    """The text with every embedded base64 file replaced by ``[image]``: nobody wrote those characters."""
    if ";base64," not in text:
        return text
    return _DATA_URI.sub("[image]", text)


def unix_lines(text: str) -> str:
    """CRLF and CR as LF, so that copies of one Markdown file from two systems give the same messages."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
