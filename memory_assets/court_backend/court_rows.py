"""The court's tables as the store has them, read at once: what PostgreSQL is to hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from memory_assets.log.sql import EMBEDDED
from memory_assets.vectors.outbox_jobs import EMBED_TEXT

if TYPE_CHECKING:
    import duckdb

    from memory_assets.log.database import Database

TABLES = (
    "cases",
    "case_statements",
    "judgements",
    "accepted_lessons",
    "lesson_evidence",
    "lessons",
    "lesson_links",
    "improvements",
    "role_prompts",
    "prompt_updates",
)

# By the type in the store. JSON keeps its spelling; keys are ordered as the store orders them, by their bytes.
_TYPES = {
    "VARCHAR": 'text COLLATE "C"',
    "VARCHAR[]": "text[]",
    "JSON": "json",
    "INTEGER": "integer",
    "BIGINT": "bigint",
    "DOUBLE": "double precision",
    "BOOLEAN": "boolean",
    "TIMESTAMP": "timestamp",
}

_COLUMNS = """SELECT column_name, data_type, is_nullable FROM duckdb_columns()
WHERE table_name = ? AND database_name = current_database() ORDER BY column_index"""
_KEY = """SELECT constraint_column_names FROM duckdb_constraints()
WHERE table_name = ? AND constraint_type = 'PRIMARY KEY' AND database_name = current_database()"""
_TEXTS = f"""SELECT u.unit_id, u.source_id, u.role, u.embed_hash, {EMBED_TEXT} FROM memory_units u
WHERE u.unit_kind = 'lesson' AND {EMBEDDED} ORDER BY u.unit_id"""


@dataclass(frozen=True, slots=True)
class Place:
    """How far the log was folded, and by what.

    Attributes:
        seq: the newest event that the tables rest on.
        link: of that event; another link at the same seq is another history: the log was purged or restored.
        folded_by: the version of the fold: another one may give other rows of the same events.
    """

    seq: int
    link: str
    folded_by: str


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    kind: str
    nullable: bool


@dataclass(frozen=True, slots=True)
class CourtTable:
    """A table with all its rows, in the order of its key."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def by_key(self, rows: Iterable[tuple[Any, ...]]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
        """Rows of this table, here or elsewhere, by their keys."""
        places = [[column.name for column in self.columns].index(name) for name in self.key]
        return {tuple(row[place] for place in places): row for row in rows}


@dataclass(frozen=True, slots=True)
class LessonText:
    """What is embedded of a lesson that stands."""

    unit_id: str
    lesson_id: str
    role: str
    embed_hash: str
    text: str


@dataclass(frozen=True, slots=True)
class CourtRows:
    """The tables as of one place of the log."""

    place: Place
    tables: tuple[CourtTable, ...]
    texts: tuple[LessonText, ...]


class CourtSource(Protocol):
    """Who has the rows."""

    def place(self) -> Place:
        """How far the tables go now."""
        ...

    def link_at(self, seq: int) -> str | None:
        """The link of an event; None where the log has none there."""
        ...

    def rows(self) -> CourtRows:
        """All rows, as of one moment."""
        ...


class StoredCourt:
    """The tables of a store, each time as they are."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def place(self) -> Place:
        """How far the tables go now."""
        with self._database.reading() as connection:
            return place_of(connection)

    def link_at(self, seq: int) -> str | None:
        """The link of an event; None where the log has none there."""
        with self._database.reading() as connection:
            return _link(connection, seq)

    def rows(self) -> CourtRows:
        """All rows, as of one moment."""
        with self._database.reading() as connection:
            texts = tuple(LessonText(*row) for row in connection.execute(_TEXTS).fetchall())
            return CourtRows(place_of(connection), tuple(_table(connection, name) for name in TABLES), texts)


def place_of(connection: duckdb.DuckDBPyConnection) -> Place:
    """How far a store's tables go now."""
    rows = connection.execute("SELECT last_seq, projector_version FROM projection_offsets").fetchall()
    seq, folded_by = rows[0] if rows else (0, "")
    return Place(seq, _link(connection, seq) or "", folded_by)


def _link(connection: duckdb.DuckDBPyConnection, seq: int) -> str | None:
    rows = connection.execute("SELECT link_hash FROM events WHERE seq = ?", [seq]).fetchall()
    return bytes(rows[0][0]).hex() if rows and rows[0][0] is not None else None


def _table(connection: duckdb.DuckDBPyConnection, name: str) -> CourtTable:
    columns = tuple(
        Column(column, _TYPES[kind], nullable) for column, kind, nullable in connection.execute(_COLUMNS, [name]).fetchall()
    )
    (key,) = connection.execute(_KEY, [name]).fetchall()
    return CourtTable(name, columns, tuple(key[0]), _rows(connection, name, columns, key[0]))


def _rows(
    connection: duckdb.DuckDBPyConnection, name: str, columns: Sequence[Column], key: Sequence[str]
) -> tuple[tuple[Any, ...], ...]:
    wanted = ", ".join(column.name for column in columns)
    return tuple(connection.execute(f"SELECT {wanted} FROM {name} ORDER BY {', '.join(key)}").fetchall())
