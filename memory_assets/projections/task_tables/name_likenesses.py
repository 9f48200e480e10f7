"""Which names may be taken for each other: by their words as soon as both are in use, by their meaning once it was measured.

``name_likenesses`` is a function of the names in use and of the visible ``task_titles_alike`` of the configured version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memory_assets.log.sql import visible
from memory_assets.projections.nodes import touch
from memory_assets.tasks.canonical import name_hash
from memory_assets.tasks.likeness import STRICT_FLOOR, lexical_likeness, never_the_same
from memory_assets.tasks.names import Node

if TYPE_CHECKING:
    import duckdb

# A history that was replaced or forgotten since the offset takes what was measured of its names along.
_SOMETHING_WENT = """
WITH marks AS (
  SELECT session_id, seq FROM events
  WHERE event_type = 'session_forgotten' OR (event_type = 'session_ingested' AND event_id = chain_id)
)
SELECT 1 FROM marks WHERE session_id IN (SELECT session_id FROM marks WHERE seq > ?)
GROUP BY session_id HAVING count(*) > 1 LIMIT 1
"""

_MEASURED = f"""
SELECT payload_json ->> '$.project' AS project_key, payload_json ->> '$.one' AS one, payload_json ->> '$.other' AS other,
  'vector' AS method, max((payload_json ->> '$.similarity')::DOUBLE) AS similarity
FROM {visible("event_type = 'task_titles_alike' AND seq > ?")}
WHERE (payload_json ->> '$.embedding_version') IN (
  SELECT stage_version FROM configured_versions WHERE event_type = 'session_vectorized')
GROUP BY ALL
"""

# Names that share a key; each pair once.
_SHARED_KEYS = """
SELECT DISTINCT a.project_key, least(a.name, k.name), greatest(a.name, k.name)
FROM new_keys a JOIN (SELECT project_key, name, unnest(lexical_keys) AS key FROM task_names) k
  ON k.key = a.key AND k.project_key = a.project_key
WHERE k.name <> a.name
"""

_PARTNERS = """
WITH pairs AS (
  SELECT l.project_key, l.other AS partner FROM name_likenesses l JOIN gone_names g
    ON g.project_key = l.project_key AND g.name_hash = l.one
  UNION SELECT l.project_key, l.one FROM name_likenesses l JOIN gone_names g
    ON g.project_key = l.project_key AND g.name_hash = l.other)
SELECT n.project_key, n.name FROM task_names n JOIN pairs p ON p.project_key = n.project_key AND p.partner = n.name_hash
"""

_ENDS = """
SELECT DISTINCT n.project_key, n.name FROM task_names n
JOIN (SELECT project_key, unnest([one, other]) AS name_hash FROM changed_likenesses) c USING (project_key, name_hash)
"""


def fold_likenesses(connection: duckdb.DuckDBPyConnection, since: int) -> None:
    """Fold what an embedder measured behind an offset, and touch the names that it is about."""
    measured_more = "SELECT 1 FROM events WHERE event_type = 'task_titles_alike' AND seq > ? LIMIT 1"
    went = _something_went(connection, since)
    if not went and not connection.execute(measured_more, [since]).fetchall():
        return
    connection.execute(f"CREATE OR REPLACE TEMP TABLE measured AS {_MEASURED}", [0 if went else since])
    if went:
        _take_back(connection)
    connection.execute(
        """CREATE OR REPLACE TEMP TABLE changed_likenesses AS
           SELECT m.* FROM measured m LEFT JOIN name_likenesses l USING (project_key, one, other, method)
           WHERE l.similarity IS NULL OR l.similarity < m.similarity OR (? AND l.similarity > m.similarity)""",
        [went],
    )
    connection.execute("INSERT OR REPLACE INTO name_likenesses BY NAME SELECT * FROM changed_likenesses")
    touch(connection, connection.execute(_ENDS).fetchall())
    for table in ("measured", "changed_likenesses"):
        connection.execute(f"DROP TABLE {table}")


def compare_by_words(connection: duckdb.DuckDBPyConnection, new: Mapping[Node, Sequence[int]]) -> None:
    """Compare names that are new among ``task_names`` with those of their projects that share one of their lexical keys."""
    import pyarrow as pa

    keyed = [(scope, name, key) for (scope, name), keys in new.items() for key in keys]
    connection.register(
        "new_keys",
        pa.table(
            {
                "project_key": pa.array([scope for scope, _, _ in keyed], pa.string()),
                "name": pa.array([name for _, name, _ in keyed], pa.string()),
                "key": pa.array([key for _, _, key in keyed], pa.int64()),
            }
        ),
    )
    pairs = connection.execute(_SHARED_KEYS).fetchall() if keyed else []
    connection.unregister("new_keys")
    alike = [(scope, one, other, lexical_likeness(one, other)) for scope, one, other in pairs]
    alike = [pair for pair in alike if pair[3] >= STRICT_FLOOR and not never_the_same(pair[1], pair[2])]
    if not alike:
        return
    hashes = [sorted((name_hash(one), name_hash(other))) for _, one, other, _ in alike]
    connection.register(
        "new_likenesses",
        pa.table(
            {
                "project_key": pa.array([scope for scope, *_ in alike], pa.string()),
                "one": pa.array([one for one, _ in hashes], pa.string()),
                "other": pa.array([other for _, other in hashes], pa.string()),
                "method": pa.array(["lexical"] * len(alike), pa.string()),
                "similarity": pa.array([similarity for *_, similarity in alike], pa.float64()),
            }
        ),
    )
    connection.execute("INSERT INTO name_likenesses BY NAME SELECT * FROM new_likenesses")
    connection.unregister("new_likenesses")


def forget_names(connection: duckdb.DuckDBPyConnection, gone: Sequence[Node]) -> None:
    """Take away what hangs on names that nobody uses any more, and touch the names that were like them.

    What was measured of them stays as long as the log shows it.
    """
    import pyarrow as pa

    connection.register(
        "gone_names",
        pa.table(
            {
                "project_key": pa.array([scope for scope, _ in gone], pa.string()),
                "name_hash": pa.array([name_hash(name) for _, name in gone], pa.string()),
            }
        ),
    )
    touch(connection, connection.execute(_PARTNERS).fetchall())
    connection.execute(
        """DELETE FROM name_likenesses WHERE method = 'lexical' AND (
             (project_key, one) IN (SELECT (project_key, name_hash) FROM gone_names)
             OR (project_key, other) IN (SELECT (project_key, name_hash) FROM gone_names))"""
    )
    connection.execute(
        "DELETE FROM title_vectors WHERE (project_key, name_hash) IN (SELECT (project_key, name_hash) FROM gone_names)"
    )
    connection.unregister("gone_names")


def forget_vectors(connection: duckdb.DuckDBPyConnection) -> None:
    """Take away the vectors of names that nobody uses, where all names were made anew and nobody knows which went."""
    connection.execute(
        "DELETE FROM title_vectors WHERE (project_key, name_hash) NOT IN (SELECT (project_key, name_hash) FROM task_names)"
    )


def _something_went(connection: duckdb.DuckDBPyConnection, since: int) -> bool:
    measured = connection.execute("SELECT 1 FROM name_likenesses WHERE method = 'vector' LIMIT 1").fetchall()
    return bool(measured and connection.execute(_SOMETHING_WENT, [since]).fetchall())


def _take_back(connection: duckdb.DuckDBPyConnection) -> None:
    """What is not visible any more counts no longer. Its names lose their vectors, so that they are compared again: what was
    hidden with one session may be said of the same names by others."""
    connection.execute(
        """CREATE OR REPLACE TEMP TABLE changed_likenesses AS
           SELECT * FROM name_likenesses l WHERE method = 'vector' AND NOT EXISTS (SELECT 1 FROM measured m
             WHERE m.project_key = l.project_key AND m.one = l.one AND m.other = l.other)"""
    )
    touch(connection, connection.execute(_ENDS).fetchall())
    connection.execute(
        """DELETE FROM name_likenesses WHERE method = 'vector' AND (project_key, one, other) IN (
             SELECT (project_key, one, other) FROM changed_likenesses)"""
    )
    connection.execute(
        """DELETE FROM title_vectors WHERE (project_key, name_hash) IN (
             SELECT (project_key, unnest([one, other])) FROM changed_likenesses)"""
    )
