"""Addresses of what lies outside the store: files, code, commits, logs, pages, recordings.

What such an address names was spoken of in a session. It is a name: nothing here, and nothing that takes one of these, opens
a path. Each prints and parses to the same thing; the fragments follow W3C Media Fragments (``xywh``, ``t``) and RFC 8118
(``page``) where these say something. docs/citations.md lists the forms.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

from memory_assets.citations.encoding import (
    LINES,
    MAX_NUMBER,
    check_range,
    decoded,
    dimensions,
    encoded,
    lines_of,
    lines_text,
    normal_name,
    normal_path,
    number,
)
from memory_assets.citations.errors import InvalidCitationError


@dataclass(frozen=True, slots=True)
class FileCitation:
    """``file:src/app.py``: a whole file."""

    kind: ClassVar[Literal["file"]] = "file"
    path: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", normal_path(self.path))

    @property
    def uri(self) -> str:
        return f"file:{encoded(self.path)}"


@dataclass(frozen=True, slots=True)
class LineCitation:
    """``file:src/app.py#L10-L20``: lines of a file, from 1, both included."""

    kind: ClassVar[Literal["line"]] = "line"
    path: str
    line_start: int
    line_end: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", normal_path(self.path))
        check_range("lines", self.line_start, self.line_end, least=1)

    @property
    def uri(self) -> str:
        return f"file:{encoded(self.path)}#{lines_text(self.line_start, self.line_end)}"


@dataclass(frozen=True, slots=True)
class CodeCitation:
    """``code:src/app.py#L10-L20&symbol=App.run&lang=python``: lines of a program."""

    kind: ClassVar[Literal["code"]] = "code"
    path: str
    line_start: int
    line_end: int
    symbol: str | None = None
    lang: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", normal_path(self.path))
        check_range("lines", self.line_start, self.line_end, least=1)
        _normal_names(self, "symbol", "lang")

    @property
    def uri(self) -> str:
        more = _parts(symbol=self.symbol, lang=self.lang)
        return f"code:{encoded(self.path)}#{'&'.join([lines_text(self.line_start, self.line_end), *more])}"


@dataclass(frozen=True, slots=True)
class SymbolCitation:
    """``symbol:App.run#path=src/app.py``: a function, class or variable by its name, and the file where it is known."""

    kind: ClassVar[Literal["symbol"]] = "symbol"
    symbol: str
    path: str | None = None

    def __post_init__(self) -> None:
        _normal_names(self, "symbol")
        if self.path is not None:
            object.__setattr__(self, "path", normal_path(self.path))

    @property
    def uri(self) -> str:
        return _with_fragment(f"symbol:{encoded(self.symbol)}", _parts(path=self.path))


@dataclass(frozen=True, slots=True)
class CommitCitation:
    """``commit:1a2b3c4`` or ``commit:1a2b3c4#repo=owner/name``: 4 to 64 hex digits."""

    kind: ClassVar[Literal["commit"]] = "commit"
    commit: str
    repo: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "commit", self.commit.lower())
        if not _COMMIT.fullmatch(self.commit):
            raise InvalidCitationError(f"no commit: {self.commit[:70]!r} is not 4 to 64 hex digits")
        _normal_names(self, "repo")

    @property
    def uri(self) -> str:
        return _with_fragment(f"commit:{self.commit}", _parts(repo=self.repo))


@dataclass(frozen=True, slots=True)
class LogCitation:
    """``log:/srv/talk.jsonl#L120``: a record of a log or of a session's source file.

    Attributes:
        line: from 1, where it is known.
        message_index: which message of the session that was read from this file; from 0.
    """

    kind: ClassVar[Literal["log"]] = "log"
    path: str
    line: int | None = None
    message_index: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", normal_path(self.path))
        if self.line is not None:
            check_range("line", self.line, self.line, least=1)
        if self.message_index is not None:
            check_range("message", self.message_index, self.message_index)

    @property
    def uri(self) -> str:
        line = [f"L{self.line}"] if self.line is not None else []
        return _with_fragment(f"log:{encoded(self.path)}", [*line, *_parts(m=self.message_index)])


@dataclass(frozen=True, slots=True)
class PageCitation:
    """``page:report.pdf#page=3`` or ``#page=3-5``: pages of a document, from 1, both included."""

    kind: ClassVar[Literal["page"]] = "page"
    path: str
    page: int
    page_end: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", normal_path(self.path))
        check_range("pages", self.page, self.page_end, least=1)

    @property
    def uri(self) -> str:
        pages = f"{self.page}" if self.page == self.page_end else f"{self.page}-{self.page_end}"
        return f"page:{encoded(self.path)}#page={pages}"


@dataclass(frozen=True, slots=True)
class RegionCitation:
    """``region:scan.pdf#page=3&xywh=10,20,300,40``: a rectangle of a picture or a page, in pixels or in percent of it."""

    kind: ClassVar[Literal["region"]] = "region"
    path: str
    x: int
    y: int
    w: int
    h: int
    unit: Literal["pixel", "percent"] = "pixel"
    page: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", normal_path(self.path))
        most = 100 if self.unit == "percent" else MAX_NUMBER
        if min(self.x, self.y) < 0 or min(self.w, self.h) < 1 or max(self.x + self.w, self.y + self.h) > most:
            raise InvalidCitationError(f"no rectangle: {self.x},{self.y},{self.w},{self.h} ({self.unit})")
        if self.page is not None:
            check_range("page", self.page, self.page, least=1)

    @property
    def uri(self) -> str:
        unit = "percent:" if self.unit == "percent" else ""
        parts = [*_parts(page=self.page), f"xywh={unit}{self.x},{self.y},{self.w},{self.h}"]
        return _with_fragment(f"region:{encoded(self.path)}", parts)


@dataclass(frozen=True, slots=True)
class CaptionCitation:
    """``caption:photo.png#model=…``: what a picture was said to show, and the model that said so where one did."""

    kind: ClassVar[Literal["caption"]] = "caption"
    path: str
    model: str | None = None
    page: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", normal_path(self.path))
        _normal_names(self, "model")
        if self.page is not None:
            check_range("page", self.page, self.page, least=1)

    @property
    def uri(self) -> str:
        return _with_fragment(f"caption:{encoded(self.path)}", _parts(page=self.page, model=self.model))


@dataclass(frozen=True, slots=True)
class TimeCitation:
    """``time:call.mp3#t=12.5,20``: seconds of a recording, to the millisecond; without an end, from there on."""

    kind: ClassVar[Literal["time"]] = "time"
    path: str
    start_ms: int
    end_ms: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", normal_path(self.path))
        if self.end_ms is not None and self.end_ms <= self.start_ms:
            raise InvalidCitationError(f"no time: {self.start_ms} ms to {self.end_ms} ms")
        check_range("time", self.start_ms, self.start_ms if self.end_ms is None else self.end_ms)

    @property
    def uri(self) -> str:
        end = "" if self.end_ms is None else f",{_seconds(self.end_ms)}"
        return f"time:{encoded(self.path)}#t={_seconds(self.start_ms)}{end}"


OutsideCitation = (
    FileCitation
    | LineCitation
    | CodeCitation
    | SymbolCitation
    | CommitCitation
    | LogCitation
    | PageCitation
    | RegionCitation
    | CaptionCitation
    | TimeCitation
)

_COMMIT = re.compile(r"[0-9a-f]{4,64}")
_TIME = re.compile(r"(?:npt:)?([0-9]{1,6})(?:\.([0-9]{1,3}))?(?:,([0-9]{1,6})(?:\.([0-9]{1,3}))?)?")
_PAGES = re.compile(r"([1-9][0-9]{0,8})(?:-([1-9][0-9]{0,8}))?")


def parse_outside(scheme: str, address: str) -> OutsideCitation:
    """What an address of one of :data:`SCHEMES` names; ``address`` is what stands behind the scheme's colon.

    Raises:
        InvalidCitationError: it names nothing; the message says why, in words for people.
    """
    target, mark, fragment = address.partition("#")
    return _PARSERS[scheme](decoded(target), fragment if mark else None)


def _parse_file(path: str, fragment: str | None) -> OutsideCitation:
    given = dimensions(fragment, LINES)
    return LineCitation(path, *lines_of(given[LINES])) if LINES in given else FileCitation(path)


def _parse_code(path: str, fragment: str | None) -> OutsideCitation:
    given = dimensions(fragment, LINES, "symbol", "lang")
    return CodeCitation(path, *lines_of(given.get(LINES, "")), given.get("symbol"), given.get("lang"))


def _parse_symbol(name: str, fragment: str | None) -> OutsideCitation:
    return SymbolCitation(name, dimensions(fragment, "path").get("path"))


def _parse_commit(commit: str, fragment: str | None) -> OutsideCitation:
    return CommitCitation(commit, dimensions(fragment, "repo").get("repo"))


def _parse_log(path: str, fragment: str | None) -> OutsideCitation:
    given = dimensions(fragment, LINES, "m")
    first, last = lines_of(given[LINES]) if LINES in given else (None, None)
    if first != last:
        raise InvalidCitationError("a log's record begins at one line, as in L120")
    return LogCitation(path, first, _number_in(given, "m"))


def _parse_page(path: str, fragment: str | None) -> OutsideCitation:
    match = _PAGES.fullmatch(dimensions(fragment, "page").get("page", ""))
    if match is None:
        raise InvalidCitationError("a page is named by page=3 or page=3-5")
    return PageCitation(path, int(match[1]), int(match[2] or match[1]))


def _parse_region(path: str, fragment: str | None) -> OutsideCitation:
    given = dimensions(fragment, "page", "xywh")
    unit, colon, numbers = given.get("xywh", "").rpartition(":")
    sides = numbers.split(",")
    if len(sides) != 4 or (colon and unit not in ("pixel", "percent")):
        raise InvalidCitationError("a region is named by xywh=10,20,300,40 or xywh=percent:10,20,30,40")
    x, y, w, h = map(number, sides)
    return RegionCitation(path, x, y, w, h, "percent" if unit == "percent" else "pixel", _number_in(given, "page"))


def _parse_caption(path: str, fragment: str | None) -> OutsideCitation:
    given = dimensions(fragment, "page", "model")
    return CaptionCitation(path, given.get("model"), _number_in(given, "page"))


def _parse_time(path: str, fragment: str | None) -> OutsideCitation:
    match = _TIME.fullmatch(dimensions(fragment, "t").get("t", ""))
    if match is None:
        raise InvalidCitationError("a time is named in seconds, by t=12.5,20 or t=12.5")
    start, start_part, end, end_part = match.groups()
    return TimeCitation(path, _milliseconds(start, start_part), None if end is None else _milliseconds(end, end_part))


_PARSERS: dict[str, Callable[[str, str | None], OutsideCitation]] = {
    "file": _parse_file,
    "code": _parse_code,
    "symbol": _parse_symbol,
    "commit": _parse_commit,
    "log": _parse_log,
    "page": _parse_page,
    "region": _parse_region,
    "caption": _parse_caption,
    "time": _parse_time,
}
SCHEMES = tuple(_PARSERS)


def _normal_names(citation: object, *names: str) -> None:
    """Bring names that may be absent to their one spelling."""
    for name in names:
        if (value := getattr(citation, name)) is not None:
            object.__setattr__(citation, name, normal_name(value))


def _parts(**values: str | int | None) -> list[str]:
    return [f"{name}={encoded(str(value))}" for name, value in values.items() if value is not None]


def _with_fragment(target: str, parts: list[str]) -> str:
    return f"{target}#{'&'.join(parts)}" if parts else target


def _number_in(given: dict[str, str], name: str) -> int | None:
    return number(given[name]) if name in given else None


def _seconds(milliseconds: int) -> str:
    whole, part = divmod(milliseconds, 1000)
    return f"{whole}.{part:03}".rstrip("0") if part else str(whole)


def _milliseconds(seconds: str, part: str | None) -> int:
    return int(seconds) * 1000 + int((part or "").ljust(3, "0"))
