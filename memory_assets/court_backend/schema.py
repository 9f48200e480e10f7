"""The tables in PostgreSQL: the court's own, how far they go, and a table of vectors for each model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memory_assets.court_backend.errors import PostgresRefusedError
from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.postgres.address import PostgresAddress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from psycopg import Connection

    from memory_assets.court_backend.court_rows import CourtTable, Place
    from memory_assets.vectors.embedder import Embedder

SCHEMA = "memory_court"
LAYOUT = 2
"""Changes whenever a table of this module does; the court's tables say themselves what they are."""

EXTENSION = "vector"
LEAST_EXTENSION = (0, 8)
"""Older ones have no iterative scan: a filtered search through their index may find nothing."""

MOST_INDEXED_DIMENSIONS = 2_000
"""Longer vectors pgvector does not index; they are compared one by one."""

_OWN = f"""
CREATE TABLE {SCHEMA}.projection (
  is_one boolean PRIMARY KEY DEFAULT true CHECK (is_one),
  layout text NOT NULL,
  store text NOT NULL,
  seq bigint NOT NULL,
  link text NOT NULL,
  folded_by text NOT NULL,
  projected_at timestamptz NOT NULL);
CREATE TABLE {SCHEMA}.embeddings (
  embedding_version text PRIMARY KEY,
  model_id text NOT NULL,
  dimensions integer NOT NULL,
  fingerprint text NOT NULL,
  table_name text NOT NULL,
  has_vector_type boolean NOT NULL,
  is_whole boolean NOT NULL);
"""
_OWN_NAMES = ("projection", "embeddings")
_LAYOUT_MARK = f"{LAYOUT}-"


@dataclass(frozen=True, slots=True)
class Projection:
    """What PostgreSQL says of its tables.

    Attributes:
        store: whose they are, see ``CourtInPostgres``.
    """

    layout: str
    store: str
    place: Place

    @property
    def is_readable(self) -> bool:
        """Whether this version knows what ``projection`` and ``embeddings`` hold."""
        return self.layout.startswith(_LAYOUT_MARK)


@dataclass(frozen=True, slots=True)
class VectorTable:
    """Where the vectors of an embedding version lie.

    Attributes:
        has_vector_type: whether as pgvector's type; else as arrays of numbers.
    """

    embedding_version: str
    model_id: str
    dimensions: int
    fingerprint: str
    name: str
    has_vector_type: bool


def layout_of(tables: Sequence[CourtTable]) -> str:
    """A hash of everything that the tables' definitions are made of."""
    told = [[table.name, list(table.key), [[one.name, one.kind, one.nullable] for one in table.columns]] for table in tables]
    return f"{_LAYOUT_MARK}{sha256_hex(canonical_json([_OWN, told]))[:16]}"


def read_projection(connection: Connection[Any], address: PostgresAddress) -> Projection | None:
    """What the tables rest on; None where there are none.

    Raises:
        PostgresRefusedError: a schema of this name is somebody else's.
    """
    from memory_assets.court_backend.court_rows import Place

    there = connection.execute(
        "SELECT to_regclass(%s) IS NOT NULL, to_regnamespace(%s) IS NOT NULL", [f"{SCHEMA}.projection", SCHEMA]
    ).fetchall()
    has_table, has_schema = there[0]
    if not has_table:
        tables = connection.execute("SELECT 1 FROM pg_class WHERE relnamespace = to_regnamespace(%s) LIMIT 1", [SCHEMA])
        if has_schema and tables.fetchall():
            raise PostgresRefusedError(
                f"{address} has a schema {SCHEMA} that is not ours", hint="rename it, or name another database"
            )
        return None
    rows = connection.execute(f"SELECT layout, store, seq, link, folded_by FROM {SCHEMA}.projection").fetchall()
    return Projection(rows[0][0], rows[0][1], Place(*rows[0][2:])) if rows else None


def create(connection: Connection[Any], tables: Sequence[CourtTable]) -> None:
    """Make every table anew, empty. What others have put into the schema stays.

    Raises:
        psycopg.errors.DependentObjectsStillExist: somebody's view hangs on a table that would have to go.
    """
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
    if ours := _tables_of_ours(connection, tables):
        connection.execute(f"DROP TABLE {', '.join(f'{SCHEMA}.{name}' for name in ours)}")
    connection.execute(_OWN)
    for table in tables:
        columns = ", ".join(f"{one.name} {one.kind}{'' if one.nullable else ' NOT NULL'}" for one in table.columns)
        connection.execute(f"CREATE TABLE {SCHEMA}.{table.name} ({columns}, PRIMARY KEY ({', '.join(table.key)}))")


def empty(connection: Connection[Any], tables: Sequence[CourtTable]) -> None:
    """Take every row out, with the files that held them: nothing of what was purged stays in them."""
    ours = [name for name in _tables_of_ours(connection, tables) if name not in _OWN_NAMES]
    connection.execute(f"TRUNCATE {', '.join(f'{SCHEMA}.{name}' for name in ours)}")
    connection.execute(f"UPDATE {SCHEMA}.embeddings SET is_whole = false")


def empty_of_another_layout(connection: Connection[Any], tables: Sequence[CourtTable]) -> None:
    """Take every row out of tables of which this version only knows the names; they are made anew by the next writing.

    ``embeddings`` stays, as the only list of the tables of vectors: the next writing drops them by it.
    """
    ours = [name for name in _tables_of_ours(connection, tables) if name not in _OWN_NAMES]
    connection.execute(f"TRUNCATE {', '.join(f'{SCHEMA}.{name}' for name in ours)}")
    connection.execute(f"UPDATE {SCHEMA}.projection SET seq = 0, link = ''")


def _tables_of_ours(connection: Connection[Any], tables: Sequence[CourtTable]) -> list[str]:
    """Those of our tables that there are, whichever version made them; a name that we never gave is somebody else's."""
    known = [*_OWN_NAMES, *(table.name for table in tables)]
    rows = connection.execute(
        f"SELECT tablename::text FROM pg_tables WHERE schemaname = '{SCHEMA}' AND tablename = ANY(%s)", [known]
    ).fetchall()
    ours = [str(name) for (name,) in rows]
    if "embeddings" in ours:
        there = connection.execute(
            f"""SELECT e.table_name FROM {SCHEMA}.embeddings e
                JOIN pg_tables t ON t.schemaname = '{SCHEMA}' AND t.tablename = e.table_name"""
        ).fetchall()
        ours += [str(name) for (name,) in there]
    return sorted(ours)


def vector_tables(connection: Connection[Any], *, whole: bool = False) -> list[VectorTable]:
    """Every table of vectors.

    Args:
        whole: only those that have a vector of every lesson: half of them are no answer.
    """
    rows = connection.execute(
        f"""SELECT embedding_version, model_id, dimensions, fingerprint, table_name, has_vector_type
            FROM {SCHEMA}.embeddings WHERE is_whole OR NOT %s ORDER BY embedding_version""",
        [whole],
    ).fetchall()
    return [VectorTable(*row) for row in rows]


def wanted_vectors(embedder: Embedder, *, has_vector_type: bool) -> VectorTable:
    """The table that the embedder in use has, or is to get: another model or another way to keep it is another table."""
    told = [embedder.embedding_version, embedder.fingerprint, embedder.dimensions, has_vector_type]
    return VectorTable(
        embedder.embedding_version,
        embedder.model_id,
        embedder.dimensions,
        embedder.fingerprint,
        f"lesson_vectors_{sha256_hex(canonical_json(told))[:12]}",
        has_vector_type,
    )


def create_vectors(connection: Connection[Any], wanted: VectorTable) -> None:
    """Make a table of vectors, empty."""
    kind = f"{extension_schema(connection)}.vector({wanted.dimensions})" if wanted.has_vector_type else "real[]"
    connection.execute(f"DROP TABLE IF EXISTS {SCHEMA}.{wanted.name}")  # one that no list names any more
    connection.execute(
        f"""CREATE TABLE {SCHEMA}.{wanted.name} (
              unit_id text COLLATE "C" PRIMARY KEY,
              lesson_id text NOT NULL,
              role text NOT NULL,
              embed_hash text NOT NULL,
              embedding {kind} NOT NULL)"""
    )
    connection.execute(f"CREATE INDEX {wanted.name}_role ON {SCHEMA}.{wanted.name} (role)")


def write_vectors_entry(connection: Connection[Any], wanted: VectorTable) -> None:
    """Say that a table of vectors is whole; those of other models go."""
    for other in vector_tables(connection):
        if other != wanted:
            connection.execute(f"DROP TABLE {SCHEMA}.{other.name}")
    connection.execute(f"DELETE FROM {SCHEMA}.embeddings")
    connection.execute(
        f"INSERT INTO {SCHEMA}.embeddings VALUES (%s, %s, %s, %s, %s, %s, true)",
        [
            wanted.embedding_version,
            wanted.model_id,
            wanted.dimensions,
            wanted.fingerprint,
            wanted.name,
            wanted.has_vector_type,
        ],
    )


def extension_version(connection: Connection[Any]) -> str | None:
    """The version of pgvector in this database; None where it has none."""
    rows = connection.execute("SELECT extversion FROM pg_extension WHERE extname = %s", [EXTENSION]).fetchall()
    return str(rows[0][0]) if rows else None


def extension_schema(connection: Connection[Any]) -> str:
    """Where pgvector's types lie, quoted."""
    rows = connection.execute(
        "SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname = %s",
        [EXTENSION],
    ).fetchall()
    return str(rows[0][0])


def is_new_enough(version: str | None) -> bool:
    """Whether an extension of this version can be searched through its index, filtered."""
    if version is None:
        return False
    numbers = [int(part) for part in version.split(".")[:2] if part.isdigit()]
    return tuple(numbers) >= LEAST_EXTENSION


def make_extension(connection: Connection[Any]) -> bool:
    """Have pgvector in this database where it can be had; whether it is there, and new enough."""
    from psycopg import errors

    if extension_version(connection) is None:
        offered = connection.execute("SELECT 1 FROM pg_available_extensions WHERE name = %s", [EXTENSION]).fetchall()
        if not offered:
            return False
        try:
            with connection.transaction():  # a savepoint: without the right to it everything else still goes
                connection.execute(f"CREATE EXTENSION IF NOT EXISTS {EXTENSION}")
        except errors.InsufficientPrivilege:
            return False
    return is_new_enough(extension_version(connection))
