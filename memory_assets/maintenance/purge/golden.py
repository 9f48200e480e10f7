"""Golden questions whose answer is gone: named, and taken out of the file where `memory eval init` wrote them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memory_assets.errors import MemoryAssetsError
from memory_assets.queries.golden_file import made_questions, read_golden, without_made_questions
from memory_assets.queries.resolve import resolve

if TYPE_CHECKING:
    import duckdb

    from memory_assets.configuration import Resources


def golden_without_answer(resources: Resources) -> tuple[str, ...]:
    """The questions that expect something which is not there any more, by id."""
    path = resources.settings.golden_file
    if not path.is_file():
        return ()
    try:
        questions = read_golden(path).questions
    except MemoryAssetsError:
        return ()  # who asks them is told why they cannot be read
    with resources.database.reading() as connection:
        return tuple(
            question.question_id
            for question in questions
            if any(not _is_there(connection, address) for address in question.expected)
        )


def drop_made_questions(resources: Resources) -> int:
    """Take the questions out of the file that are passed over anyway. How many."""
    path = resources.settings.golden_file
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return 0
    with resources.database.reading() as connection:
        kept = without_made_questions(connection, text)
    count = made_questions(text) - made_questions(kept)
    if not count:
        return 0
    unfinished = path.with_name(f"{path.name}.new")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(kept)
    unfinished.replace(path)
    return count


def _is_there(connection: duckdb.DuckDBPyConnection, address: str) -> bool:
    try:
        resolve(connection, address)
    except MemoryAssetsError:
        return False
    return True
