"""What supports something, as it is printed: one object a kind, told apart by ``kind``.

``kind``, ``uri``, ``path`` and ``label`` are in each, and the fields are flat. `parse_citation` reads each ``uri``.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from memory_assets.citations.addresses import MessageCitation, PlaceCitation, SpanCitation, TerminalCitation
from memory_assets.citations.external import (
    CaptionCitation,
    CodeCitation,
    CommitCitation,
    FileCitation,
    LineCitation,
    LogCitation,
    PageCitation,
    RegionCitation,
    SymbolCitation,
    TimeCitation,
)
from memory_assets.results.model import WireModel

Segments = tuple[tuple[int, int], ...]


class CitationV1(WireModel):
    """Where something was said: a message of a session, or characters of it.

    Attributes:
        uri: the address, ``session:ID#m=12&c=140-182`` or ``session:ID#m=12``; `parse_citation` reads it.
        id: the memory that the citation supports, as ``mem:a7Bc3x``; None for a passage that cites itself.
        path: the file that the session was last read from, None where it is unknown or not to be shown.
        span_start, span_end: half-open, code points of the stored text; both None for the whole message.
        quote: the cited characters themselves.
        label: one line for people.
    """

    schema_version: Literal["citation.v1"] = "citation.v1"
    kind: Literal["message"] = "message"
    uri: str
    id: str | None = None
    path: str | None = None
    session_id: str
    message_index: int = Field(ge=0)
    span_start: int | None = Field(default=None, ge=0)
    span_end: int | None = Field(default=None, ge=0)
    segments: Segments = ()
    role: str | None = None
    name: str | None = None
    ts: datetime | None = None
    quote: str | None = None
    quote_hash: str | None = None
    label: str = ""

    @classmethod
    def of(
        cls,
        citation: MessageCitation | SpanCitation,
        *,
        id: str | None = None,
        path: str | None = None,
        role: str | None = None,
        name: str | None = None,
        ts: datetime | None = None,
        quote: str | None = None,
        quote_hash: str | None = None,
        label: str = "",
    ) -> CitationV1:
        """The wire form of an address, with what is known of the place."""
        span = citation if isinstance(citation, SpanCitation) else None
        return cls(
            uri=citation.uri,
            id=id,
            path=path,
            session_id=citation.session_id,
            message_index=citation.message_index,
            span_start=span.span_start if span else None,
            span_end=span.span_end if span else None,
            segments=span.segments if span else (),
            role=role,
            name=name,
            ts=ts,
            quote=quote,
            quote_hash=quote_hash,
            label=label or citation.uri,
        )


class OtherCitationV1(WireModel):
    """What every kind but ``message`` has.

    Attributes:
        id: the memory that the citation supports, as ``mem:a7Bc3x``, where there is one.
        path: the file that is named; a name, which nobody opens.
    """

    schema_version: Literal["citation.v1"] = "citation.v1"
    uri: str
    id: str | None = None
    path: str | None = None
    quote: str | None = None
    quote_hash: str | None = None
    label: str = ""


class TerminalSnapshotCitationV1(OtherCitationV1):
    """What a terminal showed: a tool's result in a session. ``path`` is the file that the session was last read from."""

    kind: Literal["terminal_snapshot"] = "terminal_snapshot"
    session_id: str
    message_index: int = Field(ge=0)
    span_start: int | None = Field(default=None, ge=0)
    span_end: int | None = Field(default=None, ge=0)
    segments: Segments = ()
    tool_name: str | None = None
    ts: datetime | None = None

    @classmethod
    def of(
        cls,
        citation: TerminalCitation,
        *,
        id: str | None = None,
        path: str | None = None,
        tool_name: str | None = None,
        ts: datetime | None = None,
        quote: str | None = None,
        quote_hash: str | None = None,
        label: str = "",
    ) -> TerminalSnapshotCitationV1:
        """The wire form of an address, with what is known of the place."""
        segments = citation.segments
        return cls(
            uri=citation.uri,
            id=id,
            path=path,
            session_id=citation.session_id,
            message_index=citation.message_index,
            span_start=segments[0][0] if segments else None,
            span_end=segments[-1][1] if segments else None,
            segments=segments,
            tool_name=tool_name,
            ts=ts,
            quote=quote,
            quote_hash=quote_hash,
            label=label or citation.uri,
        )


class LogCitationV1(OtherCitationV1):
    """A record of a log: a file, the line where it is known, and the message that was read from it where it is one."""

    kind: Literal["log"] = "log"
    line_start: int | None = Field(default=None, ge=1)
    session_id: str | None = None
    message_index: int | None = Field(default=None, ge=0)
    tool_name: str | None = None
    ts: datetime | None = None

    @classmethod
    def of(
        cls,
        citation: LogCitation,
        *,
        id: str | None = None,
        session_id: str | None = None,
        tool_name: str | None = None,
        ts: datetime | None = None,
        quote: str | None = None,
        quote_hash: str | None = None,
        label: str = "",
    ) -> LogCitationV1:
        """The wire form of an address, with what is known of the place."""
        return cls(
            uri=citation.uri,
            id=id,
            path=citation.path,
            line_start=citation.line,
            session_id=session_id,
            message_index=citation.message_index,
            tool_name=tool_name,
            ts=ts,
            quote=quote,
            quote_hash=quote_hash,
            label=label or citation.uri,
        )


class FileCitationV1(OtherCitationV1):
    """A whole file."""

    kind: Literal["file"] = "file"


class LineCitationV1(OtherCitationV1):
    """Lines of a file, from 1, both included."""

    kind: Literal["line"] = "line"
    line_start: int = Field(ge=1)
    line_end: int = Field(ge=1)


class CodeCitationV1(OtherCitationV1):
    """Lines of a program, from 1, both included."""

    kind: Literal["code"] = "code"
    line_start: int = Field(ge=1)
    line_end: int = Field(ge=1)
    symbol: str | None = None
    lang: str | None = None


class SymbolCitationV1(OtherCitationV1):
    """A function, class or variable by its name."""

    kind: Literal["symbol"] = "symbol"
    symbol: str


class CommitCitationV1(OtherCitationV1):
    """A commit by its hash, whole or shortened."""

    kind: Literal["commit"] = "commit"
    commit: str
    repo: str | None = None


class PageCitationV1(OtherCitationV1):
    """Pages of a document, from 1, both included."""

    kind: Literal["page"] = "page"
    page: int = Field(ge=1)
    page_end: int = Field(ge=1)


class RegionCitationV1(OtherCitationV1):
    """A rectangle of a picture or a page."""

    kind: Literal["region"] = "region"
    page: int | None = Field(default=None, ge=1)
    x: int = Field(ge=0)
    y: int = Field(ge=0)
    w: int = Field(ge=1)
    h: int = Field(ge=1)
    unit: Literal["pixel", "percent"] = "pixel"


class CaptionCitationV1(OtherCitationV1):
    """What a picture was said to show."""

    kind: Literal["caption"] = "caption"
    page: int | None = Field(default=None, ge=1)
    model: str | None = None


class TimeCitationV1(OtherCitationV1):
    """A part of a recording; without an end, from there on."""

    kind: Literal["time"] = "time"
    start_ms: int = Field(ge=0)
    end_ms: int | None = Field(default=None, ge=0)


AnyCitationV1 = Annotated[
    CitationV1
    | FileCitationV1
    | LineCitationV1
    | CodeCitationV1
    | SymbolCitationV1
    | CommitCitationV1
    | LogCitationV1
    | TerminalSnapshotCitationV1
    | PageCitationV1
    | RegionCitationV1
    | CaptionCitationV1
    | TimeCitationV1,
    Field(discriminator="kind"),
]


def citation_v1(
    citation: PlaceCitation, *, id: str | None = None, quote: str | None = None, quote_hash: str | None = None, label: str = ""
) -> AnyCitationV1:
    """The wire form of an address of any kind, with nothing but what the address itself says."""
    known = {"uri": citation.uri, "id": id, "quote": quote, "quote_hash": quote_hash, "label": label or citation.uri}
    match citation:
        case MessageCitation() | SpanCitation():
            return CitationV1.of(citation, id=id, quote=quote, quote_hash=quote_hash, label=label)
        case TerminalCitation():
            return TerminalSnapshotCitationV1.of(citation, id=id, quote=quote, quote_hash=quote_hash, label=label)
        case LogCitation():
            return LogCitationV1.of(citation, id=id, quote=quote, quote_hash=quote_hash, label=label)
        case FileCitation(path):
            return FileCitationV1(path=path, **known)
        case LineCitation(path, first, last):
            return LineCitationV1(path=path, line_start=first, line_end=last, **known)
        case CodeCitation(path, first, last, symbol, lang):
            return CodeCitationV1(path=path, line_start=first, line_end=last, symbol=symbol, lang=lang, **known)
        case SymbolCitation(symbol, symbol_path):
            return SymbolCitationV1(symbol=symbol, path=symbol_path, **known)
        case CommitCitation(commit, repo):
            return CommitCitationV1(commit=commit, repo=repo, **known)
        case PageCitation(path, page, page_end):
            return PageCitationV1(path=path, page=page, page_end=page_end, **known)
        case RegionCitation(path, x, y, w, h, unit, region_page):
            return RegionCitationV1(path=path, page=region_page, x=x, y=y, w=w, h=h, unit=unit, **known)
        case CaptionCitation(path, model, caption_page):
            return CaptionCitationV1(path=path, model=model, page=caption_page, **known)
        case TimeCitation(path, start_ms, end_ms):
            return TimeCitationV1(path=path, start_ms=start_ms, end_ms=end_ms, **known)
