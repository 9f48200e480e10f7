"""The file of golden questions on the disk: read whole, written once."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.citations.addresses import MessageCitation, SpanCitation, parse_citation
from memory_assets.errors import InvalidArgumentError
from memory_assets.identifiers import typed_id
from memory_assets.log.fetching import fetch
from memory_assets.queries.entries import list_memories
from memory_assets.search.errors import GoldenInvalidError
from memory_assets.search.evaluation.golden import GoldenSuite, is_suite_name, parse_golden
from memory_assets.search.evaluation.golden_starter import Remembered, chosen, starter
from memory_assets.sessions.masking.forgotten_spans import FILLER

if TYPE_CHECKING:
    import duckdb

    from memory_assets.results.evaluation import EvalInitV1
    from memory_assets.settings import Settings

# Of the newest memories, some are asked for: more of them are read, for titles that are the same and for both languages.
_LOOKED_AT = 2_000
# A question as `golden_starter` writes it: a memory's address above, its title, and the one place where it was said.
_MADE = re.compile(r'  # mem:[^\n]*\n  - query: "[^\n]*"\n    expected:\n      - "(?P<uri>[^"\n]*)"\n')


def golden_path(settings: Settings, file: Path | None = None) -> Path:
    """The file that was named, else the one that the settings name."""
    return settings.golden_file if file is None else file.expanduser().absolute()


def read_golden(path: Path, connection: duckdb.DuckDBPyConnection | None = None) -> GoldenSuite:
    """The questions of a file.

    Args:
        connection: to the store that they are asked of: what `memory eval init` made of words that it forgot is passed over, as
            if they had been purged.

    Raises:
        GoldenInvalidError: it is not there, cannot be read, or holds no questions.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise GoldenInvalidError(f"there is no file {path}", hint="`memory eval init` writes one to start from") from error
    except OSError as error:
        raise GoldenInvalidError(f"{path} cannot be read: {error.strerror}", hint="check the path and its rights") from error
    except UnicodeDecodeError as error:
        raise GoldenInvalidError(f"{path} is not UTF-8", hint="save it as UTF-8") from error
    if connection is not None:
        text = without_made_questions(connection, text)
    try:
        return parse_golden(text, name=path.stem if is_suite_name(path.stem) else typed_id("file", path.stem)[:17])
    except GoldenInvalidError as error:
        raise GoldenInvalidError(
            f"{path}: {error}", hint=error.hint or "docs/evaluation.md says what may stand there"
        ) from error


def made_questions(text: str) -> int:
    """How many questions of a file stand there as `memory eval init` wrote them."""
    return len(_MADE.findall(text))


def without_made_questions(connection: duckdb.DuckDBPyConnection, text: str) -> str:
    """A file's text without the questions that `memory eval init` made of what is gone: a title is session text.

    What a person wrote is left, and so is a line that differs from what was made.
    """
    kept = _MADE.sub(lambda made: made[0] if _still_says(connection, made["uri"]) else "", text)
    if kept != text and kept.rstrip().endswith("\nquestions:"):
        return f"{kept.rstrip()} []\n"
    return kept


def _still_says(connection: duckdb.DuckDBPyConnection, address: str) -> bool:
    """Whether a place still holds what was said there: all of its characters, none of them overwritten."""
    citation = parse_citation(address)
    if not isinstance(citation, MessageCitation | SpanCitation):
        return True
    rows = fetch(
        connection,
        "SELECT text FROM messages WHERE session_id = ? AND message_index = ?",
        [citation.session_id, citation.message_index],
    )
    if not rows or isinstance(citation, MessageCitation):
        return bool(rows)
    text: str = rows[0][0]
    # People draw with these blocks too: such a question is passed over while something else of its session is forgotten.
    is_overwritten = FILLER in text[citation.span_start : citation.span_end] and bool(
        fetch(connection, "SELECT 1 FROM events WHERE event_type = 'text_forgotten' AND session_id = ?", [citation.session_id])
    )
    return citation.span_end <= len(text) and not is_overwritten


def write_golden(connection: duckdb.DuckDBPyConnection, path: Path, *, count: int = 20, force: bool = False) -> EvalInitV1:
    """Write a file to start from, made of so many memories.

    Raises:
        InvalidArgumentError: there is one already, and ``force`` is not set.
    """
    from memory_assets.results.evaluation import EvalInitV1

    memories = [
        Remembered(memory.citation, memory.title, memory.uri)
        for memory in list_memories(connection, limit=_LOOKED_AT).memories
        if memory.status in ("active", "contested") and memory.title.strip()
    ]
    asked = chosen(memories, count)
    _write(path, starter(asked), force=force)
    return EvalInitV1(path=str(path), questions=len(asked))


def _write(path: Path, text: str, *, force: bool) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Titles are session text: the file is its user's alone.
    replaced = os.O_TRUNC if force else os.O_EXCL
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | replaced, 0o600)
    except FileExistsError as error:
        raise InvalidArgumentError(f"{path} is there already", hint="--force writes it again, name another file") from error
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
