"""Names that mean nearly the same, as the embedder measures them.

Each name is embedded once a version, by its normal form, and compared with the names of its project that are there by then.
What was measured is an event, so a replay needs no model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from memory_assets.log.database import Database
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.tasks import TaskTitlesAlike
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.tasks.likeness import CANDIDATE_FLOOR, STRICT_FLOOR, is_semantic, never_the_same, vector_likeness
from memory_assets.vectors.errors import EmbedderUnavailableError

if TYPE_CHECKING:
    import duckdb

    from memory_assets.vectors.embedder import Embedder, Vectors

MOST_ALIKE = 5
"""Of each name the likest others; what is enough alike to be taken for it is kept whatever the number."""

LEAST_COSINE = 0.5
"""No calibration makes a question of less."""

_NEAREST = 64
# Names whose cosines with all others are held at a time.
_NAMES_AT_ONCE = 256

# A name that is the only one of its project waits until there is another. Ids mean nothing.
_NEW = """
WITH new AS (
  SELECT n.project_key, n.name, n.name_hash FROM task_names n
  WHERE NOT starts_with(n.name, 'tsk_') AND NOT EXISTS (SELECT 1 FROM title_vectors v
    WHERE v.project_key = n.project_key AND v.name_hash = n.name_hash AND v.embedding_version = ?)
)
SELECT project_key, name, name_hash FROM new WHERE project_key IN (
  SELECT project_key FROM task_names GROUP BY project_key HAVING count(*) > 1)
ORDER BY project_key, name
"""

# Without a join or an order: they would copy every vector (100 ms of 10,000 names, this 40; measured).
_COMPARED = "SELECT name_hash, vector FROM title_vectors WHERE embedding_version = ? AND project_key = ?"
_NAMES = "SELECT name_hash, name FROM task_names WHERE project_key = ?"

_FIRST_USERS = """
WITH used AS (
  SELECT project_key, name, chain_id, occurred_at, session_id, message_index, ordinal, step FROM task_claims
  UNION ALL
  SELECT project_key, unnest(blocker_names), chain_id, occurred_at, session_id, message_index, ordinal, step FROM task_claims
)
SELECT u.project_key, u.name, first(u.chain_id ORDER BY u.occurred_at, u.session_id, u.message_index, u.ordinal, u.step),
  min(u.occurred_at)
FROM used u JOIN alike_names a ON a.project_key = u.project_key AND a.name = u.name GROUP BY ALL
"""


@dataclass(frozen=True, slots=True)
class NewLikenesses:
    """What was measured; to be written in one transaction: the events appended, then :func:`keep_vectors`.

    Attributes:
        events: one a pair.
        name_hashes: the names that were compared, each with its project in front; a row of ``vectors`` each.
    """

    embedding_version: str
    events: tuple[NewEvent, ...] = ()
    name_hashes: tuple[tuple[str, str], ...] = ()
    vectors: Vectors | None = None


@dataclass(frozen=True, slots=True)
class _Name:
    name: str
    hash: str


@dataclass(frozen=True, slots=True)
class _Pair:
    project_key: str
    one: _Name
    other: _Name
    similarity: float


def has_new_names(connection: duckdb.DuckDBPyConnection, version: str) -> bool:
    """Whether :func:`new_likenesses` has something to compare."""
    return is_semantic(version) and bool(connection.execute(f"SELECT 1 FROM ({_NEW}) LIMIT 1", [version]).fetchall())


def new_likenesses(database: Database, embedder: Embedder) -> NewLikenesses:
    """Compare the names that have no vector of this version with all of their project.

    Nothing is loaded when there is nothing to compare, or where vectors say nothing of meaning. No connection is held while
    names are embedded. With an embedder that cannot be loaded there are no likenesses, and the names stay to be compared.
    """
    version = embedder.embedding_version
    if not is_semantic(version):
        return NewLikenesses(version)
    with database.reading() as connection:
        new = connection.execute(_NEW, [version]).fetchall()
        if not new:
            return NewLikenesses(version)
        known = _known_vectors(connection, version, [name_hash for _, _, name_hash in new])
        compared = {scope: _compared(connection, version, scope) for scope in dict.fromkeys(scope for scope, _, _ in new)}
    try:
        vectors = _embedded(embedder, [(name, name_hash) for _, name, name_hash in new], known)
    except EmbedderUnavailableError:
        return NewLikenesses(version)
    pairs: list[_Pair] = []
    for scope, (old_names, old_vectors) in compared.items():
        rows = [row for row, (project_key, _, _) in enumerate(new) if project_key == scope]
        names = [_Name(name, name_hash) for _, name, name_hash in (new[row] for row in rows)]
        pairs += _alike(version, scope, names, vectors[rows], old_names, old_vectors)
    return NewLikenesses(
        version,
        tuple(_events(database, version, pairs)),
        tuple((scope, name_hash) for scope, _, name_hash in new),
        vectors,
    )


def keep_vectors(connection: duckdb.DuckDBPyConnection, found: NewLikenesses) -> None:
    """Keep the vectors of the names that are still in use; part of the transaction that appends the events."""
    import pyarrow as pa

    if found.vectors is None or not found.name_hashes:
        return
    rows = pa.FixedSizeListArray.from_arrays(pa.array(found.vectors.reshape(-1)), found.vectors.shape[1])
    table = pa.table(
        {
            "project_key": pa.array([scope for scope, _ in found.name_hashes], pa.string()),
            "name_hash": pa.array([name_hash for _, name_hash in found.name_hashes], pa.string()),
            "vector": rows.cast(pa.list_(pa.float32())),
        }
    )
    connection.register("new_vectors", table)
    connection.execute(
        """INSERT INTO title_vectors SELECT project_key, name_hash, ?, vector FROM new_vectors
           WHERE (project_key, name_hash) IN (SELECT (project_key, name_hash) FROM task_names) ON CONFLICT DO NOTHING""",
        [found.embedding_version],
    )
    connection.unregister("new_vectors")


def _known_vectors(connection: duckdb.DuckDBPyConnection, version: str, hashes: Sequence[str]) -> dict[str, Sequence[float]]:
    """Vectors of names that another project has too."""
    rows = connection.execute(
        f"""SELECT name_hash, any_value(vector) FROM title_vectors WHERE embedding_version = ? AND name_hash IN {IN_LIST}
            GROUP BY name_hash""",
        [version, json_list(hashes)],
    ).fetchall()
    return dict(rows)


def _compared(connection: duckdb.DuckDBPyConnection, version: str, scope: str) -> tuple[list[_Name], Vectors]:
    """The names of a project that were compared before, and their vectors."""
    table = connection.execute(_COMPARED, [version, scope]).to_arrow_table()
    called = dict(connection.execute(_NAMES, [scope]).fetchall())
    hashes = table["name_hash"].to_pylist()
    flat = table["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    vectors: Vectors = flat.reshape(len(hashes), -1 if hashes else 0)
    used = [row for row, name_hash in enumerate(hashes) if name_hash in called]
    names = [_Name(called[hashes[row]], hashes[row]) for row in used]
    return names, vectors if len(used) == len(hashes) else vectors[used]


def _embedded(embedder: Embedder, names: Sequence[tuple[str, str]], known: Mapping[str, Sequence[float]]) -> Vectors:
    """One row a name. What is known, or the same in two projects, is embedded once."""
    import numpy as np

    texts = {name_hash: name for name, name_hash in names if name_hash not in known}
    rows: dict[str, Any] = {name_hash: np.asarray(vector, dtype=np.float32) for name_hash, vector in known.items()}
    if texts:
        rows.update(zip(texts, embedder.embed_documents(list(texts.values())), strict=True))
    return np.stack([rows[name_hash] for _, name_hash in names]).astype(np.float32)


def _alike(
    version: str, scope: str, new: Sequence[_Name], vectors: Vectors, old: Sequence[_Name], old_vectors: Vectors
) -> Iterator[_Pair]:
    """Of each new name the likest of all; each pair once."""
    import numpy as np

    names = [*new, *old]
    everything = np.concatenate([vectors, old_vectors]) if old else vectors
    seen: set[tuple[str, str]] = set()
    nearest = min(_NEAREST, len(names) - 1)
    for start in range(0, len(new), _NAMES_AT_ONCE):
        cosines = vectors[start : start + _NAMES_AT_ONCE] @ everything.T
        for row, found in enumerate(cosines):
            name = new[start + row]
            found[start + row] = -1.0
            places = np.argpartition(-found, nearest - 1)[:nearest]
            likest = sorted(
                (
                    (likeness, names[place])
                    for place in places.tolist()
                    if (likeness := _likeness(float(found[place]), version, name.name, names[place].name)) is not None
                ),
                key=lambda pair: (-pair[0], pair[1].hash),
            )
            for place, (likeness, other) in enumerate(likest):
                one, two = sorted((name, other), key=lambda named: named.hash)
                if (place < MOST_ALIKE or likeness >= STRICT_FLOOR) and (one.hash, two.hash) not in seen:
                    seen.add((one.hash, two.hash))
                    yield _Pair(scope, one, two, likeness)


def _likeness(cosine: float, version: str, one: str, other: str) -> float | None:
    """None for names that are not worth a question. Four digits: the rest depends on which texts were embedded together."""
    if cosine < LEAST_COSINE:
        return None
    likeness = round(vector_likeness(cosine, version, one, other), 4)
    return likeness if likeness >= CANDIDATE_FLOOR and not never_the_same(one, other) else None


def _events(database: Database, version: str, pairs: Sequence[_Pair]) -> Iterator[NewEvent]:
    if not pairs:
        return
    users = _first_users(database, pairs)
    for pair in pairs:
        first = [
            users[named] for named in ((pair.project_key, pair.one.name), (pair.project_key, pair.other.name)) if named in users
        ]
        chains = tuple(dict.fromkeys(chain for chain, _ in first))
        yield NewEvent(
            payload=TaskTitlesAlike(
                project=pair.project_key,
                one=pair.one.hash,
                other=pair.other.hash,
                similarity=pair.similarity,
                embedding_version=version,
            ),
            # With the histories: what was hidden with one session is said anew for the others that use the same names.
            inputs=(version, pair.project_key, pair.one.hash, pair.other.hash, *chains),
            stage_version=version,
            occurred_at=max((said_at for _, said_at in first), default=None),
            basis_chains=chains or None,
            project=None if pair.project_key == "default" else pair.project_key,
        )


def _first_users(database: Database, pairs: Sequence[_Pair]) -> dict[tuple[str, str], tuple[str, datetime]]:
    """Of each name the history that used it first, and when; none of what only people say."""
    import pyarrow as pa

    nodes = list(dict.fromkeys((pair.project_key, named.name) for pair in pairs for named in (pair.one, pair.other)))
    table = pa.table({"project_key": [scope for scope, _ in nodes], "name": [name for _, name in nodes]})
    with database.reading() as connection:
        connection.register("alike_names", table)
        rows = connection.execute(_FIRST_USERS).fetchall()
        connection.unregister("alike_names")
    return {(scope, name): (chain, said_at.replace(tzinfo=UTC)) for scope, name, chain, said_at in rows}
