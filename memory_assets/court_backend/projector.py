"""The court's tables into PostgreSQL: rows, vectors and how far they go, in one transaction.

One writer at a time, by an advisory lock that is taken in a statement of its own: a statement sees what was committed before
it began, so what is read behind the lock is what the writer before left. The store is read behind the lock too: whoever waited
writes what is newest then, and never puts older rows over newer ones.

What is there is compared row by row with what is wanted, and what differs is written. So a rebuild and a step forward end in
the same rows, and a row that somebody else changed is mended.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memory_assets.court_backend import schema
from memory_assets.court_backend.connecting import connected
from memory_assets.court_backend.court_rows import CourtRows, CourtSource, CourtTable, LessonText, Place
from memory_assets.court_backend.errors import PostgresRefusedError
from memory_assets.court_backend.schema import SCHEMA, Projection, VectorTable
from memory_assets.errors import MemoryAssetsError
from memory_assets.postgres.address import PostgresAddress
from memory_assets.postgres.client import allow_silence

if TYPE_CHECKING:
    from psycopg import Connection

    from memory_assets.vectors.embedder import Embedder, Vectors

WRITER_LOCK = 4_216_301_127
"""The key of the advisory lock; any number that no other program is likely to take."""

WAIT_SECONDS = 30
"""How long another projector is waited for."""

INDEX_SECONDS = 3_600.0
"""How long an index may be made: nothing is heard of the server meanwhile."""

EXACT_ROWS_OF_A_ROLE = 5_000
"""Roles of so many lessons are compared one by one: nothing is missed, in a few milliseconds."""

VectorsOf = Callable[[Sequence[LessonText]], "Vectors"]
"""One row of length one a text, in their order."""


@dataclass(frozen=True, slots=True)
class Projected:
    """What was done.

    Attributes:
        place: what the tables rest on now.
        written, deleted: rows of the court's tables.
        embedded: vectors that were written.
        rebuilt: why everything was written anew; None where it was not.
        has_index: whether large roles are searched through an index.
    """

    place: Place
    written: int = 0
    deleted: int = 0
    embedded: int = 0
    rebuilt: str | None = None
    has_vector_type: bool = False
    has_index: bool = False


@dataclass(frozen=True, slots=True)
class NewVectors:
    """Vectors that are to be written: of every text that the table does not have as it is."""

    table: VectorTable
    texts: Sequence[LessonText]
    vectors: Vectors


def project(
    address: PostgresAddress,
    source: CourtSource,
    embedder: Embedder,
    vectors_of: VectorsOf,
    *,
    store: str,
    rebuild: bool = False,
) -> Projected:
    """Bring PostgreSQL up to the store's tables.

    Without a model the rows follow all the same, and vectors of what is gone go; the rest waits, and is searched by nobody.

    Args:
        store: whose tables these are: those of another store are only overwritten by a rebuild.
        rebuild: write everything anew, whatever is there.

    Raises:
        PostgresUnavailableError, PostgresBusyError, PostgresRefusedError: nothing was changed.
        EmbedderUnavailableError, IndexCorruptError: the rows followed, vectors did not.
    """
    failed: MemoryAssetsError | None = None
    with connected(address) as connection, connection.transaction():
        _lock(connection)
        stored = schema.read_projection(connection, address)
        if stored is not None and not rebuild:
            _expect_own(stored, store, address)
        has_vector_type = schema.make_extension(connection)
        if not rebuild and stored is not None and stored.is_readable and stored.place == source.place():
            wanted = schema.wanted_vectors(embedder, has_vector_type=has_vector_type)
            if wanted in schema.vector_tables(connection, whole=True):
                return Projected(stored.place, has_vector_type=has_vector_type, has_index=_has_index(connection, wanted))
        rows = source.rows()
        why = "it was asked for" if rebuild else _why_anew(stored, source, rows)
        made = _new_vectors(connection, rows, embedder, vectors_of, has_vector_type=has_vector_type, anew=why is not None)
        done = _write(connection, rows, made, store=store, why=why, stored=stored)
        failed = made if isinstance(made, MemoryAssetsError) else None
    if failed is not None:
        raise failed
    return done


def take_out(address: PostgresAddress, source: CourtSource, *, store: str) -> Projected:
    """Have PostgreSQL hold no row, and no vector, of what the store does not hold any more. No model is asked.

    What is new comes too, but for its vectors. Tables that are not there are not made.

    Raises:
        PostgresUnavailableError, PostgresBusyError, PostgresRefusedError: nothing was changed.
    """
    with connected(address) as connection, connection.transaction():
        _lock(connection)
        stored = schema.read_projection(connection, address)
        if stored is None:
            return Projected(source.place())
        _expect_own(stored, store, address)
        if stored.place == source.place():
            return Projected(stored.place)
        rows = source.rows()
        why = _why_anew(stored, source, rows)
        if stored.layout != schema.layout_of(rows.tables):
            schema.empty_of_another_layout(connection, rows.tables)
            return Projected(rows.place, rebuilt=why)
        return _write(connection, rows, None, store=store, why=why, stored=stored)


def _expect_own(stored: Projection, store: str, address: PostgresAddress) -> None:
    if stored.store != store:
        raise PostgresRefusedError(
            f"{address} holds the court of another store",
            hint="name another database, or take this one over with `memory court project --rebuild`",
        )


def _lock(connection: Connection[Any]) -> None:
    connection.execute(f"SET LOCAL lock_timeout = '{WAIT_SECONDS}s'")
    connection.execute("SELECT pg_advisory_xact_lock(%s)", [WRITER_LOCK])


def _why_anew(stored: Projection | None, source: CourtSource, rows: CourtRows) -> str | None:
    """Why nothing that is there can be gone on from; None where it can."""
    if stored is None:
        return "nothing was there"
    if stored.layout != schema.layout_of(rows.tables):
        return "its tables were of another version of this program"
    if stored.place.seq and source.link_at(stored.place.seq) != stored.place.link:
        return "the log has another history than it was written from: something was purged, or a copy put back"
    if stored.place.seq > rows.place.seq:
        return "it was ahead of the log"
    return None


def _new_vectors(
    connection: Connection[Any],
    rows: CourtRows,
    embedder: Embedder,
    vectors_of: VectorsOf,
    *,
    has_vector_type: bool,
    anew: bool,
) -> NewVectors | MemoryAssetsError:
    """What is to be written of vectors, or why there is no model. It may take minutes: nothing is locked that readers need."""
    try:
        wanted = schema.wanted_vectors(embedder, has_vector_type=has_vector_type)
        have = {} if anew else stored_vectors(connection, wanted)
        texts = [text for text in rows.texts if have.get(text.unit_id) != identity_of(text)]
        return NewVectors(wanted, texts, vectors_of(texts))
    except MemoryAssetsError as error:
        return error


def _write(
    connection: Connection[Any],
    rows: CourtRows,
    made: NewVectors | MemoryAssetsError | None,
    *,
    store: str,
    why: str | None,
    stored: Projection | None,
) -> Projected:
    layout = schema.layout_of(rows.tables)
    if stored is None or stored.layout != layout:
        schema.create(connection, rows.tables)
    elif why:
        schema.empty(connection, rows.tables)
    written = deleted = 0
    for table in rows.tables:
        new, gone = _bring_up(connection, table)
        written, deleted = written + new, deleted + gone
    _take_out_vectors(connection, rows.texts)
    has_index = _write_vectors(connection, made) if isinstance(made, NewVectors) else False
    connection.execute(f"DELETE FROM {SCHEMA}.projection")
    connection.execute(
        f"INSERT INTO {SCHEMA}.projection VALUES (true, %s, %s, %s, %s, %s, now())",
        [layout, store, rows.place.seq, rows.place.link, rows.place.folded_by],
    )
    if not isinstance(made, NewVectors):
        return Projected(rows.place, written, deleted, 0, why)
    return Projected(rows.place, written, deleted, len(made.texts), why, made.table.has_vector_type, has_index)


def _bring_up(connection: Connection[Any], table: CourtTable) -> tuple[int, int]:
    """Write what differs; how many rows were written and how many went."""
    wanted, have = table.by_key(table.rows), table.by_key(stored_rows(connection, table))
    gone = [key for key in have if key not in wanted]
    changed = {key: row for key, row in wanted.items() if have.get(key) != row}
    replaced = [*gone, *(key for key in changed if key in have)]
    if replaced:
        kinds = {column.name: column.kind.split()[0] for column in table.columns}
        arrays = ", ".join(f"%s::{kinds[name]}[]" for name in table.key)
        connection.execute(
            f"DELETE FROM {SCHEMA}.{table.name} WHERE ({', '.join(table.key)}) IN (SELECT * FROM unnest({arrays}))",
            [list(values) for values in zip(*replaced, strict=True)],
        )
    if changed:
        names = ", ".join(column.name for column in table.columns)
        with connection.cursor() as cursor, cursor.copy(f"COPY {SCHEMA}.{table.name} ({names}) FROM STDIN") as copy:
            for row in changed.values():
                copy.write_row(row)
    return len(changed), len(gone)


def stored_rows(connection: Connection[Any], table: CourtTable) -> list[tuple[Any, ...]]:
    """The rows of a table in PostgreSQL, as the store would give them."""
    names = ", ".join(f"{one.name}::text" if one.kind == "json" else one.name for one in table.columns)
    return connection.execute(f"SELECT {names} FROM {SCHEMA}.{table.name} ORDER BY {', '.join(table.key)}").fetchall()


def identity_of(text: LessonText) -> tuple[str, str, str]:
    """What a vector is of: where any of it differs, it is the vector of something else."""
    return text.lesson_id, text.role, text.embed_hash


def stored_vectors(connection: Connection[Any], wanted: VectorTable) -> dict[str, tuple[str, str, str]]:
    """What each vector of a table is of, by its unit."""
    if wanted not in schema.vector_tables(connection):
        return {}
    rows = connection.execute(f"SELECT unit_id, lesson_id, role, embed_hash FROM {SCHEMA}.{wanted.name}").fetchall()
    return {row[0]: (row[1], row[2], row[3]) for row in rows}


def _take_out_vectors(connection: Connection[Any], texts: Sequence[LessonText]) -> None:
    """No vector stays of what is not said any more, in no model's table; and whether each has all that it should is noted."""
    wanted = {text.unit_id: identity_of(text) for text in texts}
    for table in schema.vector_tables(connection):
        have = stored_vectors(connection, table)
        stale = [unit_id for unit_id, identity in have.items() if wanted.get(unit_id) != identity]
        if stale:
            connection.execute(f"DELETE FROM {SCHEMA}.{table.name} WHERE unit_id = ANY(%s)", [stale])
        connection.execute(
            f"UPDATE {SCHEMA}.embeddings SET is_whole = %s WHERE table_name = %s",
            [len(have) - len(stale) == len(wanted), table.name],
        )


def _write_vectors(connection: Connection[Any], made: NewVectors) -> bool:
    """Write vectors; whether an index goes with them.

    A table of another model is filled beside the one that is searched, which goes when it is whole.
    """
    wanted = made.table
    if wanted not in schema.vector_tables(connection):
        schema.create_vectors(connection, wanted)
    table = f"{SCHEMA}.{wanted.name}"
    opening, closing = "[]" if wanted.has_vector_type else "{}"
    if made.texts:
        columns = "(unit_id, lesson_id, role, embed_hash, embedding)"
        with connection.cursor() as cursor, cursor.copy(f"COPY {table} {columns} FROM STDIN") as copy:
            for text, vector in zip(made.texts, made.vectors.tolist(), strict=True):
                numbers = opening + ",".join(map(repr, vector)) + closing
                copy.write_row((text.unit_id, *identity_of(text), numbers))
        connection.execute(f"ANALYZE {table}")
    schema.write_vectors_entry(connection, wanted)
    return _index_large_roles(connection, wanted)


def _index_large_roles(connection: Connection[Any], wanted: VectorTable) -> bool:
    """Have an index where a role is too large to be compared one by one, and none where none is."""
    name = f"{wanted.name}_near"
    (largest,) = connection.execute(
        f"SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM {SCHEMA}.{wanted.name} GROUP BY role) AS counted"
    ).fetchall()
    fits = wanted.has_vector_type and wanted.dimensions <= schema.MOST_INDEXED_DIMENSIONS
    if not fits or largest[0] <= EXACT_ROWS_OF_A_ROLE:
        connection.execute(f"DROP INDEX IF EXISTS {SCHEMA}.{name}")
        return False
    operators = f"{schema.extension_schema(connection)}.vector_cosine_ops"
    allow_silence(connection, INDEX_SECONDS)
    connection.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {SCHEMA}.{wanted.name} USING hnsw (embedding {operators})")
    allow_silence(connection, None)
    return True


def _has_index(connection: Connection[Any], wanted: VectorTable) -> bool:
    rows = connection.execute("SELECT to_regclass(%s) IS NOT NULL", [f"{SCHEMA}.{wanted.name}_near"]).fetchall()
    return bool(rows[0][0])
