"""What commands print. Session text is data: no markup is read in it and no control character reaches the terminal."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

# Controls (C0, DEL, C1), marks that turn the direction of the text around them, separators that break lines, halves of
# surrogate pairs: each becomes one visible character, so that spans still fit.
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# In JSON the first 32 are escaped already.
_UNSAFE_IN_JSON = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def clean(text: str) -> str:
    """Text that a terminal shows as it is, character for character of the same length."""
    return _UNSAFE.sub(_visible, text)


def one_line(text: str) -> str:
    """:func:`clean` text with every run of white space as one space."""
    return clean(" ".join(text.split()))


def json_text(value: Any) -> str:
    """One line of JSON that is safe to show on a terminal, of plain values and whatever the façade gives."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_plain)
    return _UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def print_json(value: Any) -> None:
    """:func:`json_text` as one line on stdout."""
    _write_line(json_text(value))


def print_result(
    found: Any, to_people: Callable[[Any], None], *, as_json: bool, nothing: str | None = None, **head: Any
) -> None:
    """What a command found: as one line of JSON, or as text for people.

    Args:
        nothing: what people are told in place of an empty result.
        head: keys of the JSON object in front of those of a result that has no schema of its own.
    """
    if as_json:
        print_json({**head, **_plain(found)} if head else found)
    elif nothing is not None and not found:
        print_line(nothing)
    else:
        to_people(found)


def print_line(text: str) -> None:
    """One line of plain text on stdout; where it is piped it is never wrapped or cut."""
    _write_line(clean(text))


def prepare_streams() -> None:
    """Whatever the terminal cannot encode is written as an escape instead of failing (Korean under an ASCII locale)."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def console(*, stderr: bool = False) -> Console:
    """A rich console that adds nothing to what it is given: no markup, no emoji names, no highlighting."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False, highlight=False, soft_wrap=False)


def styled(*parts: str | tuple[str, str]) -> Text:
    """One line of text, cleaned, of plain parts and of (text, style) pairs."""
    from rich.text import Text

    return Text.assemble(*(clean(part) if isinstance(part, str) else (clean(part[0]), part[1]) for part in parts))


def cut(text: Text, width: int) -> Text:
    """The text in at most ``width`` terminal cells (a Hangul syllable takes two), with an ellipsis where it was cut."""
    shown = text.copy()
    shown.truncate(width, overflow="ellipsis")
    return shown


def moment(time: datetime | None) -> str:
    """A time for people: minutes, UTC."""
    return "-" if time is None else time.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def day(time: datetime | None) -> str:
    """A date for people, UTC."""
    return "-" if time is None else time.astimezone(UTC).strftime("%Y-%m-%d")


def plural(count: int, one: str, many: str | None = None) -> str:
    """``1 session``, ``2 sessions``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def _plain(value: Any) -> Any:
    from memory_assets.memory import as_plain

    return as_plain(value)


def _visible(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def _write_line(text: str) -> None:
    encoding = (sys.stdout.encoding or "utf-8").lower().replace("-", "")
    if encoding != "utf8":
        # `\x…` of an error handler is no JSON, `\u…` is; and it is as good as any escape in plain text.
        text = "".join(c if c.isascii() else json.dumps(c)[1:-1] for c in text)
    sys.stdout.write(text + "\n")
