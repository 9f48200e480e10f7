"""What supports something, as it is printed: one object a kind, told apart by ``kind``.

``kind``, ``uri``, ``path`` and ``label`` are in each, and the fields are flat. `parse_citation` reads each ``uri``.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Literal, Self, TypedDict, Unpack, get_args

from pydantic import Field

from memory_assets.citations.addresses import PlaceCitation
from memory_assets.results.model import WireModel

Segments = tuple[tuple[int, int], ...]


class Known(TypedDict, total=False):
    """What is known of a place beside what its address says; the fields are those of the citation."""

    id: str | None
    path: str | None
    session_id: str
    role: str | None
    name: str | None
    tool_name: str | None
    ts: datetime | None
    quote: str | None
    quote_hash: str | None
    label: str


class _Cited(WireModel):
    schema_version: Literal["citation.v1"] = "citation.v1"

    @classmethod
    def of(cls, citation: PlaceCitation, **known: Unpack[Known]) -> Self:
        """The wire form of an address, with what is known of the place. Without a label the address is one."""
        said = {"line_start" if name == "line" else name: value for name, value in asdict(citation).items()}
        if segments := said.get("segments"):
            said |= {"span_start": segments[0][0], "span_end": segments[-1][1]}
        return cls(**{**said, **known, "uri": citation.uri, "label": known.get("label") or citation.uri})


class CitationV1(_Cited):
    """Where something was said: a message of a session, or characters of it.

    Attributes:
        uri: the address, ``session:ID#m=12&c=140-182`` or ``session:ID#m=12``; `parse_citation` reads it.
        id: the memory that the citation supports, as ``mem:a7Bc3x``; None for a passage that cites itself.
        path: the file that the session was last read from, None where it is unknown or not to be shown.
        span_start, span_end: half-open, code points of the stored text; both None for the whole message.
        quote: the cited characters themselves.
        label: one line for people.
    """

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


class OtherCitationV1(_Cited):
    """What every kind but ``message`` has.

    Attributes:
        id: the memory that the citation supports, as ``mem:a7Bc3x``, where there is one.
        path: the file that is named; a name, which nobody opens.
    """

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


class LogCitationV1(OtherCitationV1):
    """A record of a log: a file, the line where it is known, and the message that was read from it where it is one."""

    kind: Literal["log"] = "log"
    line_start: int | None = Field(default=None, ge=1)
    session_id: str | None = None
    message_index: int | None = Field(default=None, ge=0)
    tool_name: str | None = None
    ts: datetime | None = None


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


_OF_KIND: dict[str, type[AnyCitationV1]] = {
    model.model_fields["kind"].default: model for model in get_args(get_args(AnyCitationV1)[0])
}


def citation_v1(citation: PlaceCitation, **known: Unpack[Known]) -> AnyCitationV1:
    """The wire form of an address of any kind, with what is known of the place."""
    return _OF_KIND[citation.kind].of(citation, **known)
