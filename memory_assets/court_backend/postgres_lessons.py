"""The backend in PostgreSQL: exact for the roles of most people, by an index for roles of many thousand lessons."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from memory_assets.court_backend import schema
from memory_assets.court_backend.connecting import CONNECT_SECONDS, check_server, connect_options, library, translated
from memory_assets.court_backend.errors import NotProjectedError, PostgresUnavailableError
from memory_assets.court_backend.lesson_index import LIKENESS_DIGITS, LessonHit
from memory_assets.court_backend.projector import EXACT_ROWS_OF_A_ROLE
from memory_assets.court_backend.schema import SCHEMA, VectorTable
from memory_assets.postgres.address import PostgresAddress
from memory_assets.postgres.client import allow_silence, impatient

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg_pool import ConnectionPool

    from memory_assets.court_backend.court_rows import Place
    from memory_assets.vectors.embedder import Embedder, Vectors

MOST_CONNECTIONS = 4
_ANSWER_SECONDS = 10
SILENT_SECONDS = _ANSWER_SECONDS + 5.0
"""A server ends a question itself before that: one that does not stands still."""

# Of so many candidates the index is asked for: the wider it looks, the less it misses.
_LEAST_WIDTH = 100
_MOST_WIDTH = 1_000

# Rounded, so that no index answers it: all rows of the role are compared.
_EXACT = """
SELECT unit_id, lesson_id, round(CAST(1 - (embedding {distance} %(query)s::{kind}) AS numeric), %(digits)s)::float8 AS likeness
FROM {table} WHERE role = %(role)s ORDER BY likeness DESC, unit_id LIMIT %(k)s
"""
# The same where there is no type of vectors; they and the question have length one.
_EXACT_ARRAYS = """
SELECT unit_id, lesson_id, round(CAST((
  SELECT sum(x::float8 * y::float8) FROM unnest(embedding, %(query)s::real[]) AS pair (x, y)) AS numeric), %(digits)s)::float8
  AS likeness
FROM {table} WHERE role = %(role)s ORDER BY likeness DESC, unit_id LIMIT %(k)s
"""
# What the index finds is put into the same order as what is compared one by one.
_NEAR = """
SELECT unit_id, lesson_id, round(CAST(1 - distance AS numeric), %(digits)s)::float8 AS likeness FROM (
  SELECT unit_id, lesson_id, embedding {distance} %(query)s::{kind} AS distance
  FROM {table} WHERE role = %(role)s ORDER BY embedding {distance} %(query)s::{kind} LIMIT %(k)s) AS near
ORDER BY likeness DESC, unit_id
"""


class PostgresLessons:
    """Lessons in a PostgreSQL that `project` fills. Nothing is opened before the first question.

    A few connections are kept: a server answers many questions, and a login costs more than an answer.
    """

    def __init__(self, address: PostgresAddress, embedder: Embedder) -> None:
        self.address = address
        self._embedder = embedder
        self._guard = threading.Lock()
        self._pool: ConnectionPool[Connection[Any]] | None = None

    def search_lessons(self, role: str, query: Vectors, k: int) -> Sequence[LessonHit]:
        """See ``LessonIndex``.

        Raises:
            PostgresUnavailableError, PostgresRefusedError: see there.
            NotProjectedError: it has no vectors of the embedder in use.
        """
        with self._connected() as connection, connection.transaction():
            connection.execute(f"SET LOCAL statement_timeout = '{_ANSWER_SECONDS}s'")
            vectors = self._vectors(connection)
            asked = {"query": _spelled(query, vectors), "role": role, "k": k, "digits": LIKENESS_DIGITS}
            rows: list[tuple[Any, ...]] = []
            size = _rows_of_role(connection, vectors, role)
            if vectors.has_vector_type and size > EXACT_ROWS_OF_A_ROLE and k <= _MOST_WIDTH:
                rows = _by_index(connection, vectors, asked)
            # The index stops looking some time: then all are compared.
            if len(rows) < min(k, size):
                rows = _exactly(connection, vectors, asked)
        return [LessonHit(*row) for row in rows]

    def place(self) -> Place | None:
        """The event of the log that the rows in PostgreSQL rest on; None where there are none.

        Raises:
            PostgresUnavailableError, PostgresRefusedError: see there.
        """
        with self._connected() as connection:
            stored = schema.read_projection(connection, self.address)
            return None if stored is None else stored.place

    def close(self) -> None:
        """Give the connections back."""
        with self._guard:
            if self._pool is not None:
                self._pool.close()
            self._pool = None

    def _vectors(self, connection: Connection[Any]) -> VectorTable:
        found: list[VectorTable] = []
        stored = schema.read_projection(connection, self.address)
        if stored is not None and stored.is_readable:
            tables = schema.vector_tables(connection, whole=True)
            found = [one for one in tables if one.fingerprint == self._embedder.fingerprint]
        if not found:
            raise NotProjectedError(
                f"{self.address} has no lessons with vectors of {self._embedder.model_id}",
                hint="`memory court project` writes them",
                passes=False,
            )
        return found[0]

    @contextlib.contextmanager
    def _connected(self) -> Iterator[Connection[Any]]:
        library()
        from psycopg_pool import PoolTimeout

        with translated(self.address):
            try:
                with self._opened().connection(timeout=CONNECT_SECONDS) as connection:
                    yield connection
            except PoolTimeout:
                raise self._why_not() from None

    def _opened(self) -> ConnectionPool[Connection[Any]]:
        """The pool; the first connection is made outside it, for a pool does not say why it has none."""
        from psycopg_pool import ConnectionPool

        with self._guard:
            if self._pool is None:
                # What the pool's threads could not reach is said once, by the error that whoever asks is given.
                logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
                with impatient().connect(self.address.url, **connect_options()) as connection:
                    check_server(connection, self.address)
                self._pool = ConnectionPool(
                    self.address.url,
                    connection_class=impatient(),
                    configure=lambda connection: allow_silence(connection, SILENT_SECONDS),
                    kwargs={"autocommit": True, **connect_options()},
                    min_size=0,
                    max_size=MOST_CONNECTIONS,
                    max_idle=60,
                    reconnect_timeout=CONNECT_SECONDS,
                    check=ConnectionPool.check_connection,
                    open=True,
                )
            return self._pool

    def _why_not(self) -> PostgresUnavailableError:
        """What a person is told where the pool has no connection: what a connection of its own is told."""
        self.close()
        with translated(self.address), library().connect(self.address.url, **connect_options()):
            pass
        return PostgresUnavailableError(f"{self.address} is busy: no connection became free", hint="ask again")


def _rows_of_role(connection: Connection[Any], vectors: VectorTable, role: str) -> int:
    """How many lessons a role has, counted as far as it matters."""
    counted = f"SELECT 1 FROM {SCHEMA}.{vectors.name} WHERE role = %s LIMIT {EXACT_ROWS_OF_A_ROLE + 1}"
    return int(connection.execute(f"SELECT count(*) FROM ({counted}) AS counted", [role]).fetchall()[0][0])


def _exactly(connection: Connection[Any], vectors: VectorTable, asked: dict[str, Any]) -> list[tuple[Any, ...]]:
    statement = _EXACT if vectors.has_vector_type else _EXACT_ARRAYS
    return connection.execute(statement.format(**_names(connection, vectors)), asked).fetchall()


def _by_index(connection: Connection[Any], vectors: VectorTable, asked: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Asks the index for more until enough of the role were found; without that it may find none of a role at all."""
    width = min(_MOST_WIDTH, max(_LEAST_WIDTH, 4 * asked["k"]))
    connection.execute(f"SET LOCAL hnsw.ef_search = {width}")
    connection.execute("SET LOCAL hnsw.iterative_scan = strict_order")
    # Not prepared: a plan for any role takes it for a small one, and compares all of a large one (measured).
    return connection.execute(_NEAR.format(**_names(connection, vectors)), asked, prepare=False).fetchall()


def _names(connection: Connection[Any], vectors: VectorTable) -> dict[str, str]:
    """Where the table, the type and its operator lie: an extension may lie in a schema of its own."""
    table = f"{SCHEMA}.{vectors.name}"
    if not vectors.has_vector_type:
        return {"table": table}
    place = schema.extension_schema(connection)
    return {"table": table, "kind": f"{place}.vector", "distance": f"OPERATOR({place}.<=>)"}


def _spelled(query: Vectors, vectors: VectorTable) -> str:
    numbers = ",".join(map(repr, query.tolist()))
    return f"[{numbers}]" if vectors.has_vector_type else f"{{{numbers}}}"
