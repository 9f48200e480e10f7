"""Which task, condition or artifact is meant: by its id, a beginning of it, a former id, or its canonical key."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_assets.errors import AmbiguousIdError, InvalidArgumentError, NotFoundError
from memory_assets.log.fetching import fetch, full_id, storable
from memory_assets.results.tasks import MergeView
from memory_assets.tasks.canonical import condition_id, normalize, task_id
from memory_assets.vocabulary import EntityKind

if TYPE_CHECKING:
    import duckdb

LISTED_BY = {"task": "memory tasks --all", "condition": "memory conditions", "artifact": "memory artifacts"}
_PREFIXES: dict[str, EntityKind] = {"tsk_": "task", "cnd_": "condition", "art_": "artifact"}
_KEYS: dict[str, EntityKind] = {"task:": "task", "cond:": "condition", "art:": "artifact"}
_ARTICLES = {"task": "a task", "condition": "a condition", "artifact": "an artifact"}
_OCCURRENCE = re.compile(r"#[0-9]{1,9}$")

_MERGES = """
WITH said AS (
  SELECT entity_id AS from_id, other_id AS into_id, arg_max(event_type, (occurred_at, event_id)) AS last,
    arg_max(said_by, (occurred_at, event_id)) AS said_by, arg_max(note, (occurred_at, event_id)) AS note,
    max(occurred_at) AS said_at
  FROM task_words WHERE event_type IN ('entity_merged', 'entity_merge_reverted') GROUP BY entity_id, other_id
)
SELECT from_id, into_id, said_by, note, said_at FROM said WHERE last = 'entity_merged' ORDER BY said_at, from_id
"""


@dataclass(frozen=True, slots=True)
class Known:
    """An entity of the tables."""

    kind: EntityKind
    entity_id: str
    canonical_key: str
    title: str
    project: str | None


def one_entity(connection: duckdb.DuckDBPyConnection, given: str, *kinds: EntityKind) -> Known:
    """The entity of one of these kinds that is meant by an id, its beginning, a former id or a canonical key.

    Raises:
        NotFoundError, AmbiguousIdError
        InvalidArgumentError: it is an entity of another kind.
    """
    text = storable(given).strip()
    named = next((kind for start, kind in (_PREFIXES | _KEYS).items() if text.startswith(start)), None)
    if named is not None and named not in kinds:
        wanted = " or ".join(_ARTICLES[kind] for kind in kinds)
        raise InvalidArgumentError(
            f"{text[:100]!r} is {_ARTICLES[named]}, not {wanted}", hint=f"`{LISTED_BY[kinds[0]]}` lists what there is"
        )
    entity_id = _of_key(connection, text) if text.startswith(tuple(_KEYS)) else None
    if entity_id is None:
        entity_id = _of_id(connection, text, (named,) if named else kinds)
    ((kind, key, title, project),) = fetch(
        connection, "SELECT entity_type, canonical_key, title, project FROM entities WHERE entity_id = ?", [entity_id]
    )
    return Known(kind, entity_id, key, title, project)


def merges(connection: duckdb.DuckDBPyConnection) -> list[MergeView]:
    """Every merge that nobody took back, in the order in which they were said."""
    rows = fetch(connection, _MERGES)
    if not rows:
        return []
    names = _names_by_id(connection, {row[0] for row in rows})
    return [MergeView.of_row((row[0], row[1], names.get(row[0], ""), *row[2:])) for row in rows]


def name_of(canonical_key: str) -> str:
    """The name in a canonical key."""
    return canonical_key.split(":", 2)[-1]


def _of_key(connection: duckdb.DuckDBPyConnection, text: str) -> str | None:
    """By its canonical key, in any spelling of the name."""
    kind, _, rest = text.partition(":")
    project, _, name = rest.rpartition(":")
    occurrence = _OCCURRENCE.search(name)
    plain = name[: occurrence.start()] if occurrence else name
    spelled = f"{kind}:{project}:{normalize(plain)}{occurrence[0] if occurrence else ''}"
    rows = fetch(
        connection,
        "SELECT entity_id FROM entity_aliases WHERE canonical_key IN (?, ?) ORDER BY canonical_key = ? DESC LIMIT 1",
        [text, spelled, text],
    )
    return str(rows[0][0]) if rows else None


def _of_id(connection: duckdb.DuckDBPyConnection, text: str, kinds: tuple[EntityKind, ...]) -> str:
    for kind in kinds:
        prefix = next(start for start, named in _PREFIXES.items() if named == kind)
        try:
            return full_id(
                connection,
                f"SELECT entity_id AS id FROM entities WHERE entity_type = '{kind}'",
                text,
                what=kind,
                listed_by=LISTED_BY[kind],
                prefix=prefix,
            )
        except NotFoundError as error:
            missing = error
        former = _former(connection, text, kind, prefix)
        if former is not None:
            return former
    if len(kinds) > 1:
        raise NotFoundError(
            f"there is no {' or '.join(kinds)} {text[:100]!r}",
            hint=" and ".join(f"`{LISTED_BY[kind]}`" for kind in kinds) + " list what there is",
        )
    raise missing


def _former(connection: duckdb.DuckDBPyConnection, text: str, kind: EntityKind, prefix: str) -> str | None:
    """What goes on under another id: the id of each of its names stays an address of it."""
    typed = text if text.startswith(prefix) else f"{prefix}{text}"
    if kind == "artifact" or typed == prefix:
        return None
    rows = fetch(
        connection,
        "SELECT canonical_key, entity_id FROM entity_aliases WHERE entity_type = ? AND NOT is_primary ORDER BY canonical_key",
        [kind],
    )
    make = task_id if kind == "task" else condition_id
    found = {entity_id for key, entity_id in rows if make(key).startswith(typed)}
    if len(found) > 1:
        raise AmbiguousIdError(f"{text!r} begins several former ids: {', '.join(sorted(found)[:5])}", hint="give more of it")
    return next(iter(found), None)


def _names_by_id(connection: duckdb.DuckDBPyConnection, wanted: set[str]) -> dict[str, str]:
    keys = fetch(connection, "SELECT entity_type, canonical_key FROM entity_aliases WHERE entity_type <> 'artifact'")
    named = (((task_id if kind == "task" else condition_id)(key), name_of(key)) for kind, key in keys)
    return {entity_id: name for entity_id, name in named if entity_id in wanted}
