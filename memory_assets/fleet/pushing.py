"""Rows on their way into the shared log, in statements of which each is one short message.

A server ends a session that is silent within a transaction also while it waits for the rest of such a message. While rows are
streamed to it (COPY) it waits for as long as its connection lives, and a machine that was stopped then would keep the lock.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memory_assets.log.errors import UnstorableTextError
from memory_assets.log.event_store import SHARED_COLUMNS, Row

if TYPE_CHECKING:
    from psycopg import Connection

MESSAGE_CHARACTERS = 80_000
"""At most, so that a slow network carries it in less time than a holder of the lock may be silent. On the way a character of
Hangul is three bytes, and so is a quotation mark of a payload."""

_BRACKETS = 2
_COLUMNS = ", ".join(SHARED_COLUMNS)
_LINK = SHARED_COLUMNS.index("link_hash")
_INSERT = (
    f"INSERT INTO memory_log.events ({_COLUMNS}) SELECT {_COLUMNS} FROM json_populate_recordset(NULL::memory_log.events, {{}})"
)
_PIECE = "INSERT INTO memory_log.pieces (place, text) VALUES ({}, {})"
_TOGETHER = "(SELECT string_agg(text, '' ORDER BY place)::json FROM memory_log.pieces)"


def push_rows(connection: Connection[Any], rows: Sequence[Row]) -> None:
    """Insert rows in the caller's transaction.

    Raises:
        UnstorableTextError: a text holds U+0000.
    """
    texts: list[str] = []
    characters = _BRACKETS
    for row in rows:
        refuse_nul(row)
        text = _as_json(row)
        if texts and characters + len(text) > MESSAGE_CHARACTERS:
            _insert(connection, texts)
            texts, characters = [], _BRACKETS
        texts.append(text)
        characters += len(text) + 1
    if texts:
        _insert(connection, texts)


def refuse_nul(row: Row) -> None:
    """Refuse a row that PostgreSQL cannot keep.

    Raises:
        UnstorableTextError
    """
    for name, value in zip(SHARED_COLUMNS, row, strict=True):
        texts = value if isinstance(value, list) else [value]
        if any(isinstance(text, str) and "\x00" in text for text in texts):
            raise UnstorableTextError(
                f"the {name} of an event holds U+0000, which PostgreSQL cannot keep",
                hint="whoever made the event leaves such characters out, as the readers do",
            )


def _as_json(row: Row) -> str:
    values = [*row[:_LINK], f"\\x{bytes(row[_LINK]).hex()}", *row[_LINK + 1 :]]
    return json.dumps(dict(zip(SHARED_COLUMNS, values, strict=True)), ensure_ascii=False)


def _insert(connection: Connection[Any], texts: Sequence[str]) -> None:
    from psycopg import sql

    together = f"[{','.join(texts)}]"
    if len(together) <= MESSAGE_CHARACTERS:
        # Without parameters: with some it would be several messages, and the server counts no silence between them.
        connection.execute(sql.SQL(_INSERT).format(sql.Literal(together)))
        return
    for start in range(0, len(together), MESSAGE_CHARACTERS):
        connection.execute(sql.SQL(_PIECE).format(start, together[start : start + MESSAGE_CHARACTERS]))
    connection.execute(sql.SQL(_INSERT).format(sql.SQL(_TOGETHER)))
    connection.execute("DELETE FROM memory_log.pieces")
