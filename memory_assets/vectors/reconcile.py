"""The index beside the store, both ways: what is missing or other is queued, what is too much goes.

A row agrees when it is the only one of its unit, has the unit's content hash, and its vector, where it has one, is of the
model in use.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_assets.log.sql import JOB_ID, WANTED, WORDS
from memory_assets.progress import Progress
from memory_assets.results.outbox import Reconciled
from memory_assets.vectors.errors import IndexCorruptError, IndexUnansweredError, IndexUnreachableError
from memory_assets.vectors.writer_lock import WAIT_SECONDS, only_writer

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from memory_assets.log.database import Database
    from memory_assets.vectors.embedder import Embedder
    from memory_assets.vectors.index import VectorIndex
    from memory_assets.vectors.table import UnitTable
    from memory_assets.vectors.words import WordIndex

_COLUMNS = ("unit_id", "content_hash")
_FINGERPRINT = "fingerprint"
# Words are of no model.
_OF_NO_MODEL = ""

_COMPARED = f"""
CREATE TEMP TABLE compared AS
SELECT coalesce(u.unit_id, r.unit_id) AS unit_id, u.content_hash,
  CASE WHEN u.unit_id IS NULL THEN 'orphan' WHEN r.unit_id IS NULL THEN 'missing' WHEN r.copies > 1 THEN 'twice'
    WHEN r.fingerprint <> $fingerprint THEN 'other_model' WHEN r.content_hash <> u.content_hash THEN 'stale' ELSE 'same' END
  AS standing
FROM (SELECT * FROM memory_units u WHERE {WANTED}) u FULL JOIN (
  SELECT unit_id, count(*) AS copies, any_value(content_hash) AS content_hash, any_value(fingerprint) AS fingerprint
  FROM index_rows GROUP BY unit_id
) r ON r.unit_id = u.unit_id
"""

# What failed for this very content and was given up is not begun again: that takes somebody's word (`retry_failed`).
_QUEUED = f"""
INSERT INTO vector_outbox (job_id, item_kind, item_id, embedding_version, content_hash, op, status, attempts, created_at,
  updated_at)
SELECT {JOB_ID}, 'unit', u.unit_id, $version, u.content_hash, 'upsert',
  CASE u.standing WHEN 'same' THEN 'done' ELSE 'pending' END, 0, $now, $now
FROM compared u LEFT JOIN vector_outbox o ON o.item_id = u.unit_id AND o.embedding_version = $version
WHERE u.standing <> 'orphan' AND (o.job_id IS NULL OR o.op = 'delete' OR o.content_hash <> u.content_hash
  OR CASE u.standing WHEN 'same' THEN o.status <> 'done' ELSE o.status = 'done' END)
ON CONFLICT (job_id) DO UPDATE SET content_hash = excluded.content_hash, op = 'upsert', status = excluded.status,
  error = NULL, attempts = 0, next_attempt_at = NULL, updated_at = excluded.updated_at
"""

_OF_NOTHING = f"""
UPDATE vector_outbox SET op = 'delete', status = 'pending', error = NULL, attempts = 0, next_attempt_at = NULL,
  updated_at = $now
WHERE op <> 'delete' AND embedding_version = $version
  AND item_id NOT IN (SELECT u.unit_id FROM memory_units u WHERE {WANTED})
"""


@dataclass(frozen=True, slots=True)
class Side:
    """A table with its queue; the fingerprint is that of the model in use."""

    version: str
    table: UnitTable
    fingerprint: str

    @classmethod
    def of_vectors(cls, embedder: Embedder, index: VectorIndex) -> Side:
        """The vectors of the embedder's version."""
        return cls(embedder.embedding_version, index, embedder.fingerprint)

    @classmethod
    def of_words(cls, words: WordIndex) -> Side:
        """The table of words."""
        return cls(WORDS, words, _OF_NO_MODEL)

    def rows(self) -> pa.Table:
        """What is compared of each row."""
        # Without a table nothing need be known of the vectors, for which a model may have to be loaded.
        if not self.table.exists():
            return _none()
        if self.fingerprint != _OF_NO_MODEL:
            return self.table.rows((*_COLUMNS, _FINGERPRINT))
        import pyarrow as pa

        rows = self.table.rows(_COLUMNS)
        # Of its type also where there is no row: one that was killed behind making the table leaves it so.
        return rows.append_column(_FINGERPRINT, pa.array([_OF_NO_MODEL] * len(rows), pa.string()))

    def unusable(self, *, from_scratch: bool) -> str | None:
        """Why the whole table has to be made anew."""
        if from_scratch:
            return "as asked" if self.table.exists() else None
        try:
            models = set(self.rows()[_FINGERPRINT].to_pylist())
        except (IndexUnansweredError, IndexUnreachableError):
            raise  # it may be whole
        except IndexCorruptError as error:
            return str(error)
        if models and self.fingerprint not in models:
            return f"its vectors are of another model ({min(models)[:12]}, in use {self.fingerprint[:12]})"
        return None


def reconcile(
    database: Database,
    side: Side,
    *,
    lock_folder: Path,
    from_scratch: bool = False,
    dry_run: bool = False,
    wait_seconds: float = WAIT_SECONDS,
    progress: Progress | None = None,
) -> Reconciled:
    """Put a table of the index and its queue in line with the units. Loads no model and embeds nothing.

    A table that is damaged, or that holds vectors of another model alone, is dropped: its rows are made again.

    Args:
        from_scratch: drop it whatever it holds.
        dry_run: say what is found, and change nothing.

    Raises:
        IndexBusyError, IndexWriteError, IndexUnansweredError, IndexUnreachableError: see there; nothing was changed.
    """
    if dry_run:
        made_anew = side.unusable(from_scratch=from_scratch)
        rows = _none() if made_anew else side.rows()
        with database.reading() as connection:
            counted = _compare(connection, rows, side)
            return _reconciled(connection, counted, side, made_anew)
    with only_writer(lock_folder, side.version, wait_seconds=wait_seconds, progress=progress):
        made_anew = side.unusable(from_scratch=from_scratch)
        rows = _none() if made_anew else side.rows()
        with database.writing(log_stays=True) as connection:
            counted = _compare(connection, rows, side)
            gone = _put_in_line(connection, side)
            found = _reconciled(connection, counted, side, made_anew)
        # Queued first: what dies between the two leaves rows that are written over, or found again; and who searches
        # meanwhile hears of what waits, not of a table that is gone.
        if made_anew is None:
            side.table.delete(gone)
        else:
            side.table.drop()
    return found


def _none() -> pa.Table:
    import pyarrow as pa

    return pa.schema([(name, pa.string()) for name in (*_COLUMNS, _FINGERPRINT)]).empty_table()


def _compare(connection: duckdb.DuckDBPyConnection, rows: pa.Table, side: Side) -> dict[str, int]:
    """Fill the temporary table ``compared``, a row a unit that is here or there; how many of each standing."""
    connection.register("index_rows", rows)
    connection.execute(_COMPARED, {"fingerprint": side.fingerprint, "version": side.version})
    connection.unregister("index_rows")
    return dict(connection.execute("SELECT standing, count(*) FROM compared GROUP BY standing").fetchall())


def _put_in_line(connection: duckdb.DuckDBPyConnection, side: Side) -> list[str]:
    """Queue what has to be written; the units whose rows have to go."""
    named: dict[str, Any] = {"version": side.version, "now": datetime.now(UTC).replace(tzinfo=None)}
    connection.execute(_QUEUED, named)
    connection.execute(_OF_NOTHING, named)
    gone = connection.execute("SELECT unit_id FROM compared WHERE standing IN ('orphan', 'twice', 'other_model')")
    return [row[0] for row in gone.fetchall()]


def _reconciled(
    connection: duckdb.DuckDBPyConnection, counted: dict[str, int], side: Side, made_anew: str | None
) -> Reconciled:
    waiting = connection.execute(
        "SELECT count(*) FROM vector_outbox WHERE embedding_version = ? AND status <> 'done'", [side.version]
    ).fetchall()
    connection.execute("DROP TABLE compared")
    return Reconciled(
        same=counted.get("same", 0),
        missing=counted.get("missing", 0),
        stale=counted.get("stale", 0),
        other_model=counted.get("other_model", 0),
        twice=counted.get("twice", 0),
        orphans=counted.get("orphan", 0),
        waiting=int(waiting[0][0]),
        made_anew=made_anew,
    )
