"""Secrets in a table: a column whose head is a secret's name, in Markdown or in comma-separated values."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from memory_assets.sessions.masking.regions import Region
from memory_assets.sessions.masking.scanned_text import ScannedText
from memory_assets.sessions.masking.secret_values import Strength, is_secret_value

_RANK = 800
_LONGEST_HEAD = 1_000
_HEAD = re.compile(
    r"(?P<password>(?:[\w ]{0,20}[ _-])?(?:pass(?:word|wd|phrase|code)?|pwd|pw)|[\w ]{0,10}(?:비밀번호|비번|암호|패스워드))"
    r"|(?P<secret>(?:[\w ]{0,20}[ _-])?(?:secret|api[ _-]?key|access[ _-]?key)|[\w ]{0,10}(?:시크릿|api ?키|인증키))"
    r"|(?P<token>(?:[\w ]{0,20}[ _-])?token|[\w ]{0,10}토큰)",
    re.IGNORECASE,
)
# A head that may be one, before the lines of a text are looked at one by one.
NAMES = ("pass", "pwd", "secret", "key", "token", "pw", "비밀번호", "비번", "암호", "패스워드", "시크릿", "토큰", "키")
_BEHIND_NAME = re.compile(r"[\w ./()-]{0,16}[*`\"']{0,2}[ \t]{0,20}\r?[,|\t\n]")
_RULED = re.compile(r"[|:\s-]*--[|:\s-]*")
_PLAIN_HEAD = re.compile(r"[\w .#/()-]{1,30}")
_KINDS: dict[Strength, str] = {"password": "SECRET:password", "secret": "SECRET:secret", "token": "SECRET:token"}
KINDS = tuple(_KINDS.values())


@dataclass(frozen=True, slots=True)
class _Column:
    place: int
    name: str
    strength: Strength


def find_table_values(scan: ScannedText) -> Iterator[Region]:
    """The cells below a head that names a secret."""
    text = scan.text
    if "\n" not in text:
        return
    # A row that looks like a head stands below one already: each column is read once.
    read_to: dict[tuple[str, int], int] = {}
    for start, end in sorted(set(_likely_heads(scan))):
        for separator in ("|", ",", "\t"):
            if separator not in text[start:end]:
                continue
            columns = [
                column for column in _columns(text[start:end], separator) if read_to.get((separator, column.place), 0) <= start
            ]
            if columns:
                table_end = yield from _values(text, end + 1, columns, separator)
                read_to.update({(separator, column.place): table_end for column in columns})


def _likely_heads(scan: ScannedText) -> Iterator[tuple[int, int]]:
    """The lines in which a name ends a cell."""
    text, lowered = scan.text, scan.lowered
    for name in scan.held.intersection(NAMES):
        position = lowered.find(name)
        while position != -1:
            if _BEHIND_NAME.match(text, position + len(name)):
                start, end = text.rfind("\n", 0, position) + 1, text.find("\n", position)
                if 0 < end - start < _LONGEST_HEAD:
                    yield start, end
            position = lowered.find(name, position + 1)


def _columns(head: str, separator: str) -> list[_Column]:
    if separator not in head.strip().strip(separator) and head.count(separator) < 2:
        return []
    cells = [cell.strip(" \t\"'*`\r") for cell in head.split(separator)]
    if separator != "|" and not all(_PLAIN_HEAD.fullmatch(cell) for cell in cells):
        return []
    return [
        _Column(place, cell, strength)
        for place, cell in enumerate(cells)
        if (named := _HEAD.fullmatch(cell))
        for strength in _KINDS
        if named[strength]
    ]


def _values(text: str, start: int, columns: list[_Column], separator: str) -> Generator[Region, None, int]:
    """The cells of the columns from the line that begins at ``start``; returns where the table ends."""
    ruled = separator != "|"
    while True:
        end = text.find("\n", start)
        line = text[start:] if end == -1 else text[start:end]
        if separator not in line or len(line) > 4_000:
            return start
        if not ruled:  # below the head of a Markdown table stands a rule
            if _RULED.fullmatch(line) is None:
                return start
            ruled = True
        else:
            yield from _cells(line, start, columns, separator)
        if end == -1:
            return len(text)
        start = end + 1


def _cells(line: str, start: int, columns: list[_Column], separator: str) -> Iterator[Region]:
    cells = line.split(separator)
    for column in columns:
        if column.place >= len(cells):
            continue
        cell = cells[column.place]
        value = cell.strip(" \t\"'`*\r")
        if is_secret_value(value, name=column.name, strength=column.strength, form="quoted"):
            offset = start + sum(len(before) + 1 for before in cells[: column.place]) + cell.index(value)
            yield Region(offset, offset + len(value), _KINDS[column.strength], _RANK)
