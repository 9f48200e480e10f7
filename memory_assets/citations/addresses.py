"""Addresses of what was remembered and of where it was said.

Each form prints and parses to the same thing:

* ``mem:a7Bc3x``, a memory by its short id;
* ``session:ID#m=12&c=140-182``, characters 140 to 181 of message 12 of a session; several segments where the quote left
  something out (``c=140-182,190-200``), and without ``c`` the whole message. Message indexes count from 0, spans are half-open
  and count code points of the stored text;
* ``terminal:session:ID#m=7``, what a terminal showed, with ``c`` as above;
* the forms of `external_citations`: ``file:``, ``code:``, ``symbol:``, ``commit:``, ``log:``, ``page:``, ``region:``,
  ``caption:``, ``time:``.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from memory_assets.citations.encoding import MAX_NUMBER
from memory_assets.citations.errors import InvalidCitationError, ShortIdExhaustedError
from memory_assets.citations.external import SCHEMES, OutsideCitation, parse_outside
from memory_assets.identifiers import sha256_hex

CitationKind = Literal[
    "message",
    "file",
    "line",
    "code",
    "symbol",
    "commit",
    "log",
    "terminal_snapshot",
    "page",
    "region",
    "caption",
    "time",
]
KINDS: tuple[CitationKind, ...] = get_args(CitationKind)

SHORT_ID_LENGTH = 6
MAX_ATTEMPTS = 10
_BASE62 = string.ascii_uppercase + string.ascii_lowercase + string.digits


@dataclass(frozen=True, slots=True)
class MemoryCitation:
    """``mem:a7Bc3x``."""

    short_id: str

    @property
    def uri(self) -> str:
        return f"mem:{self.short_id}"


@dataclass(frozen=True, slots=True)
class MessageCitation:
    """``session:ID#m=12``: a whole message.

    Raises:
        InvalidCitationError: the session id is no key, or the index is negative or over `MAX_NUMBER`.
    """

    kind: ClassVar[Literal["message"]] = "message"
    session_id: str
    message_index: int

    def __post_init__(self) -> None:
        _check_message(self.session_id, self.message_index)

    @property
    def uri(self) -> str:
        return f"session:{self.session_id}#m={self.message_index}"


@dataclass(frozen=True, slots=True)
class SpanCitation:
    """``session:ID#m=12&c=140-182``: characters of a message.

    Attributes:
        segments: (start, end) pairs, at least one, none empty, in order and apart or touching.

    Raises:
        InvalidCitationError: the segments are not so, the session id is no key, or the index is negative.
    """

    kind: ClassVar[Literal["message"]] = "message"
    session_id: str
    message_index: int
    segments: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        _check_message(self.session_id, self.message_index)
        _check_segments(self.session_id, self.message_index, self.segments)

    @property
    def span_start(self) -> int:
        return self.segments[0][0]

    @property
    def span_end(self) -> int:
        return self.segments[-1][1]

    @property
    def uri(self) -> str:
        characters = ",".join(f"{start}-{end}" for start, end in self.segments)
        return f"session:{self.session_id}#m={self.message_index}&c={characters}"


@dataclass(frozen=True, slots=True)
class TerminalCitation:
    """``terminal:session:ID#m=7``: what a terminal showed, as a session recorded it.

    Attributes:
        segments: as of a `SpanCitation`; none for all that it showed.

    Raises:
        InvalidCitationError: see `SpanCitation`.
    """

    kind: ClassVar[Literal["terminal_snapshot"]] = "terminal_snapshot"
    session_id: str
    message_index: int
    segments: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        _check_message(self.session_id, self.message_index)
        if self.segments:
            _check_segments(self.session_id, self.message_index, self.segments)

    @property
    def place(self) -> MessageCitation | SpanCitation:
        """The message that holds it, or characters of it."""
        if self.segments:
            return SpanCitation(self.session_id, self.message_index, self.segments)
        return MessageCitation(self.session_id, self.message_index)

    @property
    def uri(self) -> str:
        return f"terminal:{self.place.uri}"


@dataclass(frozen=True, slots=True)
class NotACitation:
    """Text that is no address; ``reason`` says why, in words for people."""

    text: str
    reason: str


PlaceCitation = MessageCitation | SpanCitation | TerminalCitation | OutsideCitation
"""What supports something: what ``citation.v1`` prints."""
Citation = MemoryCitation | PlaceCitation | NotACitation


def memory_short_id(memory_id: str, attempt: int = 0) -> str:
    """Six letters or digits that stand for a memory, the same on every machine and after every rebuild.

    Args:
        attempt: 0 first; 1, 2 … where the id before is another memory's. Each salts the hash.

    Raises:
        ShortIdExhaustedError: at the tenth attempt, which is never reached before billions of memories.
    """
    if not 0 <= attempt < MAX_ATTEMPTS:
        raise ShortIdExhaustedError(f"no short id is free for memory {memory_id} after {MAX_ATTEMPTS} attempts")
    number = int(sha256_hex(f"{memory_id}:{attempt}" if attempt else memory_id), 16)
    digits = []
    for _ in range(SHORT_ID_LENGTH):
        number, digit = divmod(number, len(_BASE62))
        digits.append(_BASE62[digit])
    return "".join(digits)


def bare(text: str) -> str:
    """An address or id without the space and the pair of square brackets around it."""
    address = text.strip()
    return address[1:-1].strip() if address.startswith("[") and address.endswith("]") else address


def parse_citation(text: str) -> Citation:
    """What an address names: ``a7Bc3x``, ``mem:a7Bc3x``, ``session:…`` and the others, each also in square brackets.

    Any text is taken; what is no address comes back as `NotACitation`. Nothing that an address names is looked up or opened.
    """
    address = bare(text)
    if len(address) > _MAX_ADDRESS:
        return NotACitation(text, "too long for an address")
    scheme, colon, rest = address.partition(":")
    if not colon and _SHORT_ID.fullmatch(address):
        return MemoryCitation(address)
    if not colon or scheme not in ("mem", "session", "terminal", *SCHEMES):
        return NotACitation(text, "it begins with none of mem:, session:, terminal:, " + ", ".join(f"{s}:" for s in SCHEMES))
    try:
        return _parse(scheme, rest)
    except InvalidCitationError as error:
        return NotACitation(text, str(error))


def _parse(scheme: str, rest: str) -> Citation:
    if scheme == "mem":
        if not _SHORT_ID.fullmatch(rest):
            raise InvalidCitationError(f"a memory's id is {SHORT_ID_LENGTH} letters or digits")
        return MemoryCitation(rest)
    if scheme == "session":
        return _parse_session(rest)
    if scheme == "terminal":
        if not rest.startswith("session:"):
            raise InvalidCitationError("a terminal is named by terminal:session:ID#m=7")
        match _parse_session(rest.removeprefix("session:")):
            case SpanCitation(session_id, index, segments):
                return TerminalCitation(session_id, index, segments)
            case MessageCitation(session_id, index):
                return TerminalCitation(session_id, index)
    return parse_outside(scheme, rest)


# Of program code there may be three names, each of whose bytes is three characters.
_MAX_ADDRESS = 40_000
_SHORT_ID = re.compile(rf"[A-Za-z0-9]{{{SHORT_ID_LENGTH}}}")
_SESSION_ID = re.compile(r"(?!.*\.\.)[a-z0-9][a-z0-9._-]{0,99}")
_NUMBER = r"(?:0|[1-9][0-9]{0,8})"
_SESSION = re.compile(r"(?P<session>[^#]{1,100})(?:#(?P<fragment>.*))?", re.DOTALL)
_MESSAGE = re.compile(_NUMBER)
_SEGMENTS = re.compile(rf"{_NUMBER}-{_NUMBER}(?:,{_NUMBER}-{_NUMBER})*")


def _parse_session(address: str) -> MessageCitation | SpanCitation:
    match = _SESSION.fullmatch(address)
    if match is None or not _SESSION_ID.fullmatch(match["session"]):
        raise InvalidCitationError("no session id behind session:")
    if match["fragment"] is None:
        raise InvalidCitationError("names a whole session; a citation names a message: session:ID#m=12")
    parts = [part.partition("=")[::2] for part in match["fragment"].split("&")]
    dimensions = dict(parts)
    if len(dimensions) != len(parts) or not {"m"} <= dimensions.keys() <= {"m", "c"}:
        raise InvalidCitationError("the fragment is m=MESSAGE or m=MESSAGE&c=START-END")
    if not _MESSAGE.fullmatch(dimensions["m"]):
        raise InvalidCitationError(f"no message index: m={dimensions['m'][:20]}")
    if "c" not in dimensions:
        return MessageCitation(match["session"], int(dimensions["m"]))
    segments = _parse_segments(dimensions["c"])
    if segments is None:
        raise InvalidCitationError("c= holds START-END, several between commas, in order, none empty")
    return SpanCitation(match["session"], int(dimensions["m"]), segments)


def _parse_segments(value: str) -> tuple[tuple[int, int], ...] | None:
    if not _SEGMENTS.fullmatch(value):
        return None
    pairs = (segment.split("-") for segment in value.split(","))
    segments = tuple((int(start), int(end)) for start, end in pairs)
    return segments if _are_segments(segments) else None


def _are_segments(segments: tuple[tuple[int, int], ...]) -> bool:
    edges = [edge for segment in segments for edge in segment]
    in_order = edges == sorted(edges) and all(start < end for start, end in segments)
    return bool(segments) and in_order and edges[0] >= 0 and edges[-1] <= MAX_NUMBER


def _check_segments(session_id: str, message_index: int, segments: tuple[tuple[int, int], ...]) -> None:
    if not _are_segments(segments):
        raise InvalidCitationError(f"no span of message {message_index} of session {session_id}: {segments}")


def _check_message(session_id: str, message_index: int) -> None:
    if not 0 <= message_index <= MAX_NUMBER or not _SESSION_ID.fullmatch(session_id):
        raise InvalidCitationError(f"no message: index {message_index} of session {session_id!r}")
