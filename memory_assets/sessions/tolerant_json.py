"""JSON that may be half-written, doubled or damaged: everything that can still be read is read."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

from memory_assets.sessions.source import REPLACEMENT, DecodedSource, DefectLog
from memory_assets.text.half_characters import HALF

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")
SUSPECT_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_NEXT_ITEM = re.compile(r"\}[ \t\n\r]*,[ \t\n\r]*(?=\{)")
# How a session begins in a list of them; what stands between two messages of one does not look so.
_NEXT_SESSION = re.compile(
    r"\}[ \t\n\r]*,[ \t\n\r]*"
    r'(?=\{[ \t\n\r]*"(?:title|id|conversation_id|create_time|update_time|mapping|schema_version|session_id)")'
)
# How the records of a log begin when one was cut off and the next written on the same line.
_RECORD_STARTS = ('{"parentUuid"', '{"timestamp"')
_MAX_ATTEMPTS = 50
_MAX_DEPTH = 6


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON value of a JSONL file and the 1-based line where it stands."""

    line: int
    value: Any


def read_records(source: DecodedSource, defects: DefectLog) -> list[Record]:
    """The values of a JSONL file: one a line, or several on a line; what cannot be read is named by its line."""
    records: list[Record] = []
    lines = source.text.split("\n")  # never splitlines: JSON text may hold U+2028 and form feeds
    last = max((n for n, line in enumerate(lines, start=1) if line and not line.isspace()), default=0)
    for number, line in enumerate(lines, start=1):
        if not line or line.isspace():
            continue
        try:
            values: list[Any] = [json.loads(line)]
        except (ValueError, RecursionError):
            values = _values_of_damaged_line(line)
            if values and _reads_to_the_end(line):
                pass  # two whole objects on one line: nothing is lost
            elif number == last and number == len(lines):
                defects.add(number, "truncated_record", "the last record is half-written; it is taken when it is whole")
            else:
                defects.add(number, "malformed_record", "the line is not JSON as a whole")
        suspect = SUSPECT_ESCAPE.search(line) is not None
        for value in values:
            records.append(Record(number, scrub(value, number, defects) if suspect else value))
    return records


def _values_of_damaged_line(line: str) -> list[Any]:
    values: list[Any] = []
    position = 0
    for _ in range(_MAX_ATTEMPTS):
        position = _skip_space(line, position)
        if position >= len(line):
            break
        try:
            value, position = _DECODER.raw_decode(line, position)
            values.append(value)
        except (ValueError, RecursionError):
            found = [at for start in _RECORD_STARTS if (at := line.find(start, position + 1)) >= 0]
            if not found:
                break
            position = min(found)
    return [value for value in values if isinstance(value, dict)]


def _reads_to_the_end(line: str) -> bool:
    position = 0
    try:
        while (position := _skip_space(line, position)) < len(line):
            _, position = _DECODER.raw_decode(line, position)
    except (ValueError, RecursionError):
        return False
    return True


def scrub(value: Any, line: int | None, defects: DefectLog) -> Any:
    """The value with U+FFFD for every NUL and lone surrogate that a JSON escape made; named once a record.

    A value that is nested too deeply to be cleaned becomes None, and is named.
    """
    found: set[str] = set()
    try:
        clean = _scrub(value, found)
    except RecursionError:
        defects.add(line, "malformed_record", "the record is nested too deeply")
        return None
    if "nul" in found:
        defects.add(line, "nul_character", "NUL characters were replaced by U+FFFD")
    if "surrogate" in found:
        defects.add(line, "lone_surrogate", "halves of a surrogate pair were replaced by U+FFFD")
    return clean


def _scrub(value: Any, found: set[str]) -> Any:
    if isinstance(value, str):
        if "\0" in value:
            found.add("nul")
            value = value.replace("\0", REPLACEMENT)
        if HALF.search(value):
            found.add("surrogate")
            value = HALF.sub(REPLACEMENT, value)
        return value
    if isinstance(value, list):
        return [_scrub(item, found) for item in value]
    if isinstance(value, dict):
        return {_scrub(key, found): _scrub(item, found) for key, item in value.items()}
    return value


@dataclass(frozen=True, slots=True)
class Document:
    """A file of one JSON value, or of several one behind the other.

    Attributes:
        values: each with the offset where it begins; one at least, None where nothing can be read.
        broken_at: the offsets where it could not be read on, () for sound JSON.
    """

    values: tuple[tuple[int, Any], ...]
    broken_at: tuple[int, ...]

    @property
    def value(self) -> Any:
        """The first value."""
        return self.values[0][1]


def read_document(text: str) -> Document:
    """The JSON of a whole file, as far as it can be read.

    Of a half-written or damaged file the containers are read item by item down to the damage; in a list under the key
    ``messages`` reading goes on at the next item, in a list of sessions at the next session.
    """
    values: list[tuple[int, Any]] = []
    broken: list[int] = []
    at = _skip_space(text, 0)
    while not values or at < len(text):
        start = at
        value, at = _read_partly(text, start, broken, depth=0, resume=_NEXT_SESSION)
        if not values or isinstance(value, dict | list):
            values.append((start, value))
        elif at >= 0:
            broken.append(start)  # a number or a word behind the value is rubbish
        if at < 0:
            break
        at = _skip_space(text, at)
    return Document(tuple(values), tuple(broken))


def _read_partly(
    text: str, at: int, broken: list[int], *, depth: int, resume: re.Pattern[str] | None = None
) -> tuple[Any, int]:
    """A value at ``at`` and the offset behind it; -1 for the offset means that reading ended in damage.

    Args:
        resume: matches up to where a list's items go on behind damage.
    """
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        pass
    opening = text[at : at + 1]
    if depth >= _MAX_DEPTH or opening not in ("{", "["):
        broken.append(at)
        return None, -1
    return _object_partly(text, at + 1, broken, depth) if opening == "{" else _list_partly(text, at + 1, broken, depth, resume)


def _object_partly(text: str, at: int, broken: list[int], depth: int) -> tuple[dict[str, Any], int]:
    result: dict[str, Any] = {}
    while True:
        at = _skip_space(text, at)
        if text[at : at + 1] == "}":
            return result, at + 1
        try:
            key, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            broken.append(at)
            return result, -1
        at = _skip_space(text, at)
        if not isinstance(key, str) or text[at : at + 1] != ":":
            broken.append(at)
            return result, -1
        at = _skip_space(text, at + 1)
        value, at = _read_partly(text, at, broken, depth=depth + 1, resume=_NEXT_ITEM if key == "messages" else None)
        if at >= 0 or value:
            result[key] = value
        if at < 0:
            return result, -1
        at = _skip_space(text, at)
        if text[at : at + 1] == ",":
            at += 1


def _list_partly(text: str, at: int, broken: list[int], depth: int, resume: re.Pattern[str] | None) -> tuple[list[Any], int]:
    result: list[Any] = []
    # Half a message is none; half a session holds whole messages.
    depth = _MAX_DEPTH if resume is _NEXT_ITEM else depth + 1
    while True:
        at = _skip_space(text, at)
        if text[at : at + 1] == "]":
            return result, at + 1
        if at >= len(text):
            broken.append(at)
            return result, -1
        start = at
        value, at = _read_partly(text, start, broken, depth=depth)
        if at >= 0 or value:
            result.append(value)
        if at < 0:
            following = resume.search(text, broken[-1]) if resume and len(broken) < _MAX_ATTEMPTS else None
            if following is None:
                return result, -1
            at = following.end()
            continue
        at = _skip_space(text, at)
        if text[at : at + 1] == ",":
            at += 1


class PartLines:
    """The lines on which the parts of a whole-file JSON value begin, so that a defect can be named by its line."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._breaks = [at for at, character in enumerate(text) if character == "\n"] if "\n" in text else []
        self._parts: dict[int, dict[str | int, int]] = {}

    def line(self, start: int, *path: str | int) -> int | None:
        """The 1-based line of a part of the value that begins at offset ``start``, by keys and positions.

        None where damage keeps it from being told.
        """
        if not self._breaks:
            return 1
        at = start
        for key in path:
            if at not in self._parts:
                self._parts[at] = _offsets_of_parts(self._text, at)
            found = self._parts[at].get(key)
            if found is None:
                return None
            at = found
        return bisect_left(self._breaks, at) + 1


def _offsets_of_parts(text: str, at: int) -> dict[str | int, int]:
    """Where the values of an object, or the items of a list, begin. A damaged container tells nothing: items may be missing."""
    parts: dict[str | int, int] = {}
    is_object = text[at : at + 1] == "{"
    if not is_object and text[at : at + 1] != "[":
        return parts
    at = _skip_space(text, at + 1)
    try:
        while text[at : at + 1] not in ("}", "]"):
            key: str | int = len(parts)
            if is_object:
                key, at = _DECODER.raw_decode(text, at)
                at = _skip_space(text, _skip_space(text, at) + 1)
            parts[key] = at
            _, at = _DECODER.raw_decode(text, at)
            at = _skip_space(text, at)
            if text[at : at + 1] == ",":
                at = _skip_space(text, at + 1)
    except (ValueError, RecursionError, TypeError):
        return {}
    return parts


def _skip_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def line_of(text: str, offset: int) -> int:
    """The 1-based line of an offset."""
    return text.count("\n", 0, offset) + 1
