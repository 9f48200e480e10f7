"""Pull requests, issues, addresses, files and commits: declared by whoever names one first, settled by whoever says so first.

What only a person's word names as a blocker has no reference of an entry; the word declares it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.log.batches import Appended, Build, insert, rows_of
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.tasks import ArtifactDeclared, ArtifactSettled
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.projections.rows import insert_rows
from memory_assets.projections.task_tables.entity_rows import Alias, Entity
from memory_assets.projections.task_tables.touched_entities import blockers_were_said, touch_what_blocks
from memory_assets.tasks.canonical import artifact_id, normalize, project_key
from memory_assets.tasks.references import references_in
from memory_assets.tasks.resolver import RESOLVER_VERSION
from memory_assets.text.lexical_text import search_text
from memory_assets.vocabulary import ArtifactKind

if TYPE_CHECKING:
    import duckdb

_ORDER = "occurred_at, session_id, message_index, ordinal, entry_id, place"

_REFERENCED = f"""
SELECT canonical_key, artifact_kind, title, raw, project, entry_id, chain_id, occurred_at, source_event_id, last_at, settling
FROM (
  SELECT *, max(occurred_at) OVER (PARTITION BY canonical_key) AS last_at,
    row_number() OVER (PARTITION BY canonical_key ORDER BY {_ORDER}) AS number,
    CASE WHEN settles THEN row_number() OVER (PARTITION BY canonical_key, settles ORDER BY {_ORDER}) END AS settling
  FROM artifact_references WHERE canonical_key IN (SELECT canonical_key FROM touched_artifacts)
) WHERE number = 1 OR settling = 1 ORDER BY canonical_key, number
"""

# What a person's word names and no entry does, known by the edge that it led to: of an artifact that anything changes of all.
_SPOKEN = """
WITH asked AS (
  SELECT dst_id AS artifact_id FROM edges
  WHERE rel_type IN ('blocked_by', 'blocked_by_suggested') AND src_id IN (SELECT entity_id FROM touched_entities)
  UNION ALL
  SELECT entity_id FROM entities
  WHERE entity_type = 'artifact' AND canonical_key IN (SELECT canonical_key FROM touched_artifacts)
)
SELECT g.dst_id, g.meta_json ->> '$.raw_text', t.project, g.created_at, g.source_event_id
FROM edges g JOIN entities t ON t.entity_id = g.src_id
WHERE g.rel_type IN ('blocked_by', 'blocked_by_suggested') AND starts_with(g.dst_id, 'art_')
  AND g.dst_id IN (SELECT artifact_id FROM asked) AND g.dst_id NOT IN (SELECT artifact_id FROM artifact_references)
ORDER BY g.created_at, g.source_event_id, g.src_id
"""

_MENTIONS = f"""
INSERT INTO edges
SELECT 'edg_' || substr(sha256(r.entry_id || ' mentions ' || r.artifact_id), 1, 32), 'entry', r.entry_id, 'mentions', 'entity',
  r.artifact_id, json_object('message_index', r.message_index, 'span', [r.span_start, r.span_end], 'method', r.match_method),
  r.occurred_at, r.source_event_id
FROM artifact_references r WHERE r.span_start IS NOT NULL AND r.canonical_key IN {IN_LIST}
QUALIFY row_number() OVER (PARTITION BY r.entry_id, r.artifact_id ORDER BY {_ORDER}) = 1
"""

_FORMER = """
SELECT entity_id FROM entities
WHERE entity_type = 'artifact' AND canonical_key IN (SELECT canonical_key FROM touched_artifacts)
"""

_GONE = (
    f"DELETE FROM edges WHERE rel_type = 'mentions' AND dst_id IN {IN_LIST}",
    f"DELETE FROM entity_aliases WHERE entity_id IN {IN_LIST}",
    f"DELETE FROM entities WHERE entity_id IN {IN_LIST}",
)


@dataclass(frozen=True, slots=True)
class _Source:
    """Who says it: an entry, or a person by an outcome."""

    event_id: str
    entry_id: str | None
    chain_id: str | None
    said_at: datetime

    def event(self, payload: ArtifactDeclared | ArtifactSettled, project: str | None) -> NewEvent:
        chains = (self.chain_id,) if self.chain_id else ()
        return NewEvent(
            payload=payload,
            inputs=(payload.basis, *chains),
            stage_version=RESOLVER_VERSION,
            actor="pipeline" if self.entry_id else "person",
            occurred_at=self.said_at.replace(tzinfo=UTC),
            causation_id=self.event_id,
            basis_chains=chains or None,
            project=project,
        )


@dataclass(frozen=True, slots=True)
class _Artifact:
    """What is said of an artifact: who named it first, who said first that it is settled, and when it was named last."""

    canonical_key: str
    kind: ArtifactKind
    title: str
    raw: str
    project: str | None
    first: _Source
    settled: _Source | None
    last_at: datetime

    @property
    def entity_id(self) -> str:
        return artifact_id(self.canonical_key)

    @property
    def declared(self) -> NewEvent:
        payload = ArtifactDeclared(
            artifact_id=self.entity_id,
            canonical_key=self.canonical_key,
            basis=self._basis(self.first, self.title, self.raw),
            artifact_kind=self.kind,
            title=self.title,
            raw=self.raw,
            project=self.project,
            source_entry_id=self.first.entry_id,
        )
        return self.first.event(payload, self.project)

    @property
    def settling(self) -> NewEvent | None:
        if self.settled is None or self.settled.entry_id is None:
            return None
        payload = ArtifactSettled(
            artifact_id=self.entity_id, basis=self._basis(self.settled), source_entry_id=self.settled.entry_id
        )
        return self.settled.event(payload, self.project)

    def _basis(self, source: _Source, *shown: str) -> str:
        return sha256_hex(canonical_json([RESOLVER_VERSION, self.canonical_key, source.event_id, *shown]))[:32]


@dataclass(frozen=True, slots=True)
class _Shown:
    """An artifact as far as the log tells of it."""

    artifact: _Artifact
    declared: NewEvent
    settling: NewEvent | None

    @property
    def basis(self) -> str:
        """What the newest of its events rests on."""
        return (self.settling or self.declared).inputs[0]


def fold_artifacts(connection: duckdb.DuckDBPyConnection, *, resolve: bool, build: Build | None) -> list[Appended]:
    """Fold the touched artifacts anew, and the edges from the entries that name them; behind the fold of the tasks.

    Args:
        resolve: append the events that are missing, as part of the caller's transaction.
    """
    spoken: list[_Artifact] = []
    if blockers_were_said(connection):
        touch_what_blocks(connection)
        spoken = _spoken(connection)
    if not spoken and not connection.execute("SELECT 1 FROM touched_artifacts LIMIT 1").fetchall():
        return []
    former = [row[0] for row in connection.execute(_FORMER).fetchall()]
    for statement in _GONE if former else ():
        connection.execute(statement, [json_list(former)])
    found = {artifact.canonical_key: artifact for artifact in (*spoken, *_referenced(connection))}
    told = [_Shown(artifact, artifact.declared, artifact.settling) for artifact in found.values()]
    events = {event.event_id: event for one in told for event in (one.declared, one.settling) if event is not None}
    known = {
        row[0]
        for row in connection.execute(
            f"SELECT event_id FROM events WHERE event_id IN {IN_LIST}", [json_list(events)]
        ).fetchall()
    }
    missing = [event for event_id, event in events.items() if event_id not in known] if resolve else []
    appended = [insert(connection, rows_of(missing), build=build)] if missing else []
    known |= {event.event_id for event in missing}
    _write(connection, [_as_far_as(one, known) for one in told if one.declared.event_id in known])
    return appended


def _as_far_as(told: _Shown, known: set[str]) -> _Shown:
    settling = told.settling if told.settling is not None and told.settling.event_id in known else None
    return _Shown(told.artifact, told.declared, settling)


def _referenced(connection: duckdb.DuckDBPyConnection) -> list[_Artifact]:
    found: dict[str, _Artifact] = {}
    for row in connection.execute(_REFERENCED).fetchall():
        key, kind, title, raw, project, entry_id, chain_id, said_at, event_id, last_at, settling = row
        source = _Source(event_id, entry_id, chain_id, said_at)
        first = found.get(key) or _Artifact(key, kind, title, raw, project, source, None, last_at)
        found[key] = replace(first, settled=source) if settling == 1 else first
    return list(found.values())


def _spoken(connection: duckdb.DuckDBPyConnection) -> list[_Artifact]:
    found: dict[str, _Artifact] = {}
    for entity_id, text, project, said_at, event_id in connection.execute(_SPOKEN).fetchall():
        for named in references_in(text, project_key(project), is_blocker=True):
            if artifact_id(named.canonical_key) == entity_id:
                source = _Source(event_id, None, None, said_at)
                artifact = _Artifact(named.canonical_key, named.kind, named.title, named.raw, project, source, None, said_at)
                found.setdefault(entity_id, artifact)
    return list(found.values())


def _write(connection: duckdb.DuckDBPyConnection, shown: Sequence[_Shown]) -> None:
    entities = [_row(one) for one in shown]
    insert_rows(connection, "entities", entities)
    insert_rows(
        connection,
        "entity_aliases",
        [Alias("artifact", row.canonical_key, row.entity_id, True, row.created_at) for row in entities],
    )
    if entities:
        connection.execute(_MENTIONS, [json_list(row.canonical_key for row in entities)])


def _row(shown: _Shown) -> Entity:
    artifact, settling = shown.artifact, shown.settling
    state = {"status": "settled" if settling else "open", "kind": artifact.kind, "raw": artifact.raw}
    newest = artifact.settled if settling and artifact.settled else artifact.first
    return Entity(
        entity_id=artifact.entity_id,
        entity_type="artifact",
        canonical_key=artifact.canonical_key,
        title=artifact.title,
        stage="candidate",
        status="active",
        current_json=canonical_json(state),
        title_norm=normalize(artifact.title),
        search_text=search_text(artifact.title),
        created_at=artifact.first.said_at,
        updated_at=newest.said_at,
        project=artifact.project,
        last_occurred_at=artifact.last_at,
        basis=shown.basis,
    )
