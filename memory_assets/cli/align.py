"""`memory align`: what the aligner makes of one quote and one text, without any store."""

from __future__ import annotations

import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.invocation import NOTHING_FOUND, OK, JsonOption, invocation
from memory_assets.cli.memories import quoted
from memory_assets.cli.output import plural, print_json, styled
from memory_assets.cli.quotes import highlighted, method_cells, shown_as_given, why_aligned, why_failed
from memory_assets.cli.tables import print_text
from memory_assets.errors import InvalidArgumentError

if TYPE_CHECKING:
    from memory_assets.evidence.model import AlignedEvidence

# As much as a message of a session may hold (docs/bad_input.md).
MAX_BYTES = 10 * 1024 * 1024
STANDARD_INPUT = "-"


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command("align")(align)


def align(
    context: typer.Context,
    message: Annotated[Path, typer.Option("--message", metavar="FILE", help="A file that holds one message's text, UTF-8.")],
    quote: Annotated[str, typer.Option("--quote", metavar="TEXT", help="The quote to look for; - reads the standard input.")],
    as_json: JsonOption = False,
) -> int:
    """Show where a quote stands in a text and how it was found, or why it was not. Exits 1 where it does not align."""
    from memory_assets.evidence.model import AlignedEvidence
    from memory_assets.memory import as_plain

    text = read_text(message)
    wanted = read_standard_input() if quote == STANDARD_INPUT else quote
    found = invocation(context).memory().align(text, wanted)
    aligned = isinstance(found, AlignedEvidence)
    if as_json:
        print_json({"schema_version": "align.v1", "aligned": aligned, **as_plain(found)})
    elif isinstance(found, AlignedEvidence):
        print_aligned(text, found)
    else:
        print_text(styled(("not aligned", "bold red")), why_failed(found.failure_reason, found.best_similarity), quoted(wanted))
    return OK if aligned else NOTHING_FOUND


def print_aligned(text: str, found: AlignedEvidence) -> None:
    """The span, the reasons, and the span in its text."""
    parts = ",".join(f"{start}-{end}" for start, end in found.segments)
    quoted_characters = sum(end - start for start, end in found.segments)
    print_text(
        styled(("aligned", "bold green"), "  ", *method_cells(found)),
        styled((f"c={parts}", "cyan"), f"  {quoted_characters:,} of {plural(len(text), 'character')}"),
        *why_aligned(found),
        *shown_as_given(found.quote, found.matched_text),
        styled(""),
        highlighted(text, found.segments),
    )


def read_text(path: Path) -> str:
    """A file's text as it is: line ends stay, a byte order mark is none of it.

    Raises:
        InvalidArgumentError: it is no regular file, cannot be read, is no UTF-8, or is larger than a message may be.
    """
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):  # opening a pipe waits for whoever writes to it
            kind = "a folder" if stat.S_ISDIR(mode) else "no regular file"
            raise InvalidArgumentError(f"{path} is {kind}", hint="name a file that holds one message's text")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise InvalidArgumentError(f"there is no file {path}", hint="check the path") from error
    except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
        reason = error.strerror if isinstance(error, OSError) else error
        raise InvalidArgumentError(f"{path} cannot be read: {reason}", hint="check the path and its rights") from error
    return _decoded(data, str(path))


def read_standard_input() -> str:
    """The whole standard input without the line end that a shell puts behind it.

    Raises:
        InvalidArgumentError: it is no UTF-8, or larger than a message may be.
    """
    text = _decoded(sys.stdin.buffer.read(MAX_BYTES + 1), "the standard input")
    return text.removesuffix("\n").removesuffix("\r")


def _decoded(data: bytes, source: str) -> str:
    if len(data) > MAX_BYTES:
        raise InvalidArgumentError(
            f"{source} is larger than a message may be ({MAX_BYTES // 1024**2} MiB)",
            hint="give one message's text, not a whole session",
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidArgumentError(
            f"{source} is no UTF-8: byte {error.start:,} cannot be read", hint="convert it, as in `iconv -f CP949 -t UTF-8`"
        ) from error
