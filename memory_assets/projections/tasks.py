"""Tasks: claims of entries, the outcomes that rest on them, and the entities that those add up to.

The outcomes of a task carry the hash of the claims that they rest on (``basis``). The fold takes exactly those whose basis is
the hash of the claims as they stand: never the newest by append order, so no order of sessions or processes matters.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memory_assets.identifiers import sha256_hex
from memory_assets.log.event_log import Appended, Build, EventRows, insert, rows_of
from memory_assets.log.events import NewEvent, dedupe_key_of, event_id_of
from memory_assets.log.payloads.tasks import TaskCreated, TaskStatusChanged, TaskTransitionRejected
from memory_assets.log.sql import IN_LIST, json_list, visible
from memory_assets.retrieval.lexical_text import search_text
from memory_assets.tasks.canonical import normalize
from memory_assets.tasks.resolver import RESOLVER_VERSION, Created, Moved, Outcome, Rejected, TaskClaim, resolve, task_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb
    import pyarrow as pa

_CLAIMS = """
INSERT INTO task_claims
SELECT n.entry_id, 'task:' || coalesce(nullif(n.project, ''), 'default') || ':' || n.canonical_key, n.project, n.title,
  n.content_json ->> '$.status', n.content_json ->> '$.priority',
  coalesce(from_json(n.content_json -> '$.blocked_by', '["VARCHAR"]'), []), n.evidence_aligned, n.created_ts, n.session_id,
  s.chain_id, n.message_index, n.ordinal, n.source_event_id
FROM entries n JOIN sessions s USING (session_id)
WHERE n.entry_type = 'task' AND n.status NOT IN ('superseded', 'deprecated') AND n.stage <> 'raw'
  AND (n.session_id IN (SELECT session_id FROM affected) OR n.memory_id IN (SELECT memory_id FROM touched_memories))
"""

_ENTITIES = """
INSERT INTO entities
WITH created AS (
  SELECT o.*, w.title_norm, w.search_text FROM outcomes o JOIN task_words w USING (created_id)
  WHERE o.event_type = 'task_created'
), moved AS (
  SELECT created_id, arg_max(payload_json ->> '$.to_status', seq) AS status, max(occurred_at) AS moved_at FROM outcomes
  WHERE event_type = 'task_status_changed' GROUP BY created_id
), claimed AS (
  SELECT canonical_key, max(occurred_at) AS claimed_at, count(*) AS claims, bool_or(evidence_aligned) AS aligned,
    arg_max(e.stage, list_position(['verified', 'certified'], e.stage)) AS proved
  FROM task_claims c JOIN (SELECT entry_id, granted_stage AS stage FROM entries) e ON e.entry_id = c.claim_id
  GROUP BY canonical_key
)
SELECT c.payload_json ->> '$.task_id', 'task', c.payload_json ->> '$.canonical_key', c.payload_json ->> '$.title',
  coalesce(k.proved, 'candidate'), 'active',
  json_object('status', coalesce(m.status, c.payload_json ->> '$.initial_status'),
    'priority', c.payload_json ->> '$.priority', 'requested_status', c.payload_json ->> '$.requested_status',
    'claims', k.claims),
  c.title_norm, c.search_text, c.occurred_at, coalesce(m.moved_at, c.occurred_at), c.project, k.claimed_at,
  c.payload_json ->> '$.basis'
FROM created c LEFT JOIN moved m USING (created_id)
JOIN claimed k ON k.canonical_key = (c.payload_json ->> '$.canonical_key')
"""

_ALIASES = """
INSERT INTO entity_aliases
SELECT 'task', payload_json ->> '$.canonical_key', payload_json ->> '$.task_id', true, occurred_at
FROM outcomes WHERE event_type = 'task_created'
"""

_EDGES = """
INSERT INTO edges
SELECT 'edg_' || substr(sha256(c.claim_id || ' evidence_of ' || e.entity_id), 1, 32), 'entry', c.claim_id, 'evidence_of',
  'entity', e.entity_id,
  json_object('message_index', s.message_index, 'span', [s.span_start, s.span_end], 'method', s.match_method),
  c.occurred_at, c.source_event_id
FROM task_claims c JOIN entities e ON e.entity_type = 'task' AND e.canonical_key = c.canonical_key
JOIN evidence_spans s ON s.entry_id = c.claim_id
WHERE c.canonical_key IN (SELECT canonical_key FROM touched_tasks) AND s.match_method <> 'none'
QUALIFY row_number() OVER (PARTITION BY c.claim_id ORDER BY s.ordinal) = 1
"""

_OUTCOMES = f"""seq IN (
  SELECT seq FROM events WHERE event_type = 'task_created' AND event_id IN {IN_LIST}
  UNION ALL
  SELECT seq FROM events
  WHERE event_type IN ('task_status_changed', 'task_transition_rejected') AND causation_id IN {IN_LIST})"""

_TOUCHED_CLAIM = """(session_id IN (SELECT session_id FROM affected)
  OR claim_id IN (SELECT entry_id FROM entries WHERE memory_id IN (SELECT memory_id FROM touched_memories)))"""

_CLAIM_ORDER = "occurred_at, session_id, message_index, ordinal, claim_id"


def remember_touched_tasks(connection: duckdb.DuckDBPyConnection) -> None:
    """Note the tasks that the claims of the scope and of touched memories are about; before their fold and again after it."""
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS touched_tasks (canonical_key VARCHAR)")
    connection.execute(
        f"""INSERT INTO touched_tasks SELECT DISTINCT canonical_key FROM task_claims
            WHERE {_TOUCHED_CLAIM} EXCEPT SELECT * FROM touched_tasks"""
    )


def remember_unresolved_tasks(connection: duckdb.DuckDBPyConnection) -> bool:
    """Note the tasks without an outcome that rests on their claims as they stand; whether there are any."""
    connection.execute(
        """CREATE OR REPLACE TEMP TABLE touched_tasks AS SELECT DISTINCT canonical_key FROM task_claims
           WHERE canonical_key NOT IN (SELECT canonical_key FROM entities WHERE entity_type = 'task')"""
    )
    return bool(connection.execute("SELECT 1 FROM touched_tasks LIMIT 1").fetchall())


def fold_claims(connection: duckdb.DuckDBPyConnection) -> None:
    """Fold the claims of the scope's sessions and of touched memories anew. What a person set aside claims nothing."""
    connection.execute(f"DELETE FROM task_claims WHERE {_TOUCHED_CLAIM}")
    connection.execute(_CLAIMS)


def resolve_tasks(connection: duckdb.DuckDBPyConnection, build: Build | None) -> Appended:
    """Append the outcomes of every touched task that rest on its claims as they stand; part of the caller's transaction."""
    bases = _bases(connection)
    known = _known_ids(connection, bases)
    claims = _claims(connection, [key for key in bases if _created_id(key, bases[key]) not in known])
    rows: EventRows = rows_of([event for key, told in claims.items() for event in _outcome_events(key, bases[key], told)])
    return insert(connection, rows, build=build)


def fold_tasks(connection: duckdb.DuckDBPyConnection) -> None:
    """Fold every touched task anew from the outcomes that rest on its claims as they stand."""
    for statement in (
        "DELETE FROM edges WHERE dst_type = 'entity' AND dst_id IN (SELECT entity_id FROM entities"
        " WHERE canonical_key IN (SELECT canonical_key FROM touched_tasks))",
        "DELETE FROM entity_aliases WHERE entity_type = 'task' AND canonical_key IN (SELECT canonical_key FROM touched_tasks)",
        "DELETE FROM entities WHERE entity_type = 'task' AND canonical_key IN (SELECT canonical_key FROM touched_tasks)",
    ):
        connection.execute(statement)
    created = json_list(_created_id(key, basis) for key, basis in _bases(connection).items())
    connection.execute(
        f"""CREATE OR REPLACE TEMP TABLE outcomes AS
            SELECT CASE event_type WHEN 'task_created' THEN event_id ELSE causation_id END AS created_id, seq, event_id,
              event_type, payload_json, occurred_at, project FROM {visible(_OUTCOMES)}""",
        [created, created],
    )
    titles = connection.execute(
        "SELECT event_id, payload_json ->> '$.title' FROM outcomes WHERE event_type = 'task_created'"
    ).fetchall()
    if titles:
        connection.register("task_words", _words(titles))
        for statement in (_ENTITIES, _ALIASES, _EDGES):
            connection.execute(statement)
        connection.unregister("task_words")
    connection.execute("DROP TABLE outcomes")


def _words(titles: list[tuple[str, str]]) -> pa.Table:
    import pyarrow as pa

    return pa.table(
        {
            "created_id": [created_id for created_id, _ in titles],
            "title_norm": [normalize(title) for _, title in titles],
            "search_text": [search_text(title) for _, title in titles],
        }
    )


def close_touched_tasks(connection: duckdb.DuckDBPyConnection) -> None:
    """Drop what :func:`remember_touched_tasks` made."""
    connection.execute("DROP TABLE IF EXISTS touched_tasks")


def _bases(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    rows = connection.execute(
        f"""SELECT canonical_key, string_agg(source_event_id, ' ' ORDER BY {_CLAIM_ORDER}) FROM task_claims
            WHERE canonical_key IN (SELECT canonical_key FROM touched_tasks) GROUP BY canonical_key ORDER BY canonical_key"""
    ).fetchall()
    return {key: sha256_hex(f"{RESOLVER_VERSION} {claims}")[:32] for key, claims in rows}


def _created_id(key: str, basis: str) -> str:
    return event_id_of(dedupe_key_of(TaskCreated.event_type, None, (key, basis), stage_version=RESOLVER_VERSION))


def _known_ids(connection: duckdb.DuckDBPyConnection, bases: dict[str, str]) -> set[str]:
    wanted = [_created_id(key, basis) for key, basis in bases.items()]
    rows = connection.execute(f"SELECT event_id FROM events WHERE event_id IN {IN_LIST}", [json_list(wanted)]).fetchall()
    return {row[0] for row in rows}


def _claims(connection: duckdb.DuckDBPyConnection, keys: Iterable[str]) -> dict[str, list[tuple[TaskClaim, str]]]:
    rows = connection.execute(
        f"""SELECT claim_id, canonical_key, project, title, status, priority, evidence_aligned, occurred_at, session_id,
              message_index, ordinal, chain_id FROM task_claims WHERE canonical_key IN {IN_LIST}
            ORDER BY canonical_key, {_CLAIM_ORDER}""",
        [json_list(keys)],
    ).fetchall()
    claims: dict[str, list[tuple[TaskClaim, str]]] = {}
    for row in rows:
        claims.setdefault(row[1], []).append((TaskClaim(*row[:11]), row[11]))
    return claims


def _outcome_events(key: str, basis: str, told: list[tuple[TaskClaim, str]]) -> list[NewEvent]:
    chains = tuple(dict.fromkeys(chain for _, chain in told))
    created_id = _created_id(key, basis)
    return [
        NewEvent(
            payload=_payload(key, basis, outcome),
            inputs=(key, basis),
            stage_version=RESOLVER_VERSION,
            ordinal=ordinal,
            occurred_at=_aware(outcome.claim),
            causation_id=None if isinstance(outcome, Created) else created_id,
            basis_chains=chains,
            project=outcome.claim.project,
        )
        for ordinal, outcome in enumerate(resolve([claim for claim, _ in told]))
    ]


def _payload(key: str, basis: str, outcome: Outcome) -> TaskCreated | TaskStatusChanged | TaskTransitionRejected:
    claim = outcome.claim
    match outcome:
        case Created():
            return TaskCreated(
                task_id=task_id(key),
                canonical_key=key,
                basis=basis,
                project=claim.project,
                title=claim.title,
                initial_status=outcome.initial_status,
                requested_status=claim.status,
                priority=claim.priority,
                source_entry_id=claim.claim_id,
            )
        case Moved():
            return TaskStatusChanged(
                task_id=task_id(key),
                canonical_key=key,
                basis=basis,
                from_status=outcome.from_status,
                to_status=outcome.to_status,
                source_entry_id=claim.claim_id,
            )
        case Rejected():
            return TaskTransitionRejected(
                task_id=task_id(key),
                canonical_key=key,
                basis=basis,
                from_status=outcome.from_status,
                requested_status=outcome.requested_status,
                rule=outcome.rule,
                source_entry_id=claim.claim_id,
            )


def _aware(claim: TaskClaim) -> datetime:
    return claim.occurred_at.replace(tzinfo=UTC)
