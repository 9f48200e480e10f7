"""How far each memory has come and what keeps it from the next stage (requirements E-22, G-170, G-173)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_assets.extraction.schema import EntryType
from memory_assets.graduation.policy import Promoted, PromotionFacts, decide
from memory_assets.graduation.stages import STAGES, Stage
from memory_assets.queries.rows import fetch

if TYPE_CHECKING:
    import duckdb

# Of a memory's entries the one that its sessions carry furthest, and of these the first that was said, stands for it.
_MEMORIES = """
WITH confirmed AS (
  SELECT unnest(from_json(payload_json -> '$.entry_ids', '["VARCHAR"]')) AS entry_id, payload_json ->> '$.to_stage' AS to_stage,
    occurred_at
  FROM events WHERE event_type = 'promotion_confirmed'
), demoted AS (
  SELECT unnest(from_json(payload_json -> '$.entry_ids', '["VARCHAR"]')) AS entry_id, occurred_at
  FROM events WHERE event_type = 'entries_demoted'
), told AS (
  SELECT n.*, list_position(['raw', 'working', 'candidate', 'verified', 'certified'], n.granted_stage) AS rung
  FROM entries n WHERE n.status <> 'superseded' AND ($memory IS NULL OR n.memory_id = $memory)
), refused AS (
  SELECT target_id, arg_max(gates_json, ts) AS gates_json FROM promotions WHERE to_stage = 'verified' GROUP BY target_id
)
SELECT m.memory_id, 'mem:' || m.short_id, m.title, m.entry_type, m.project, m.stage, m.checker, m.status, m.last_said_at,
  arg_max(t.entry_id, (t.rung, -epoch_us(t.created_ts), t.entry_id)), max(t.rung),
  arg_max(t.meta_json ->> '$.promotionBlockReason', (t.rung, -epoch_us(t.created_ts), t.entry_id)),
  arg_max(r.gates_json, (t.rung, -epoch_us(t.created_ts), t.entry_id)),
  count(DISTINCT t.session_id) FILTER (t.evidence_aligned AND t.granted_stage = 'verified'),
  max(t.checker) FILTER (t.granted_stage = 'verified' AND t.checker LIKE 'idris2 %'),
  max(t.checker) FILTER (t.granted_stage = 'verified'),
  bool_or(c.to_stage = 'certified'), list(DISTINCT t.entry_id ORDER BY t.entry_id), max(c.occurred_at), max(d.occurred_at)
FROM memories m JOIN told t USING (memory_id) LEFT JOIN refused r ON r.target_id = t.entry_id
LEFT JOIN confirmed c ON c.entry_id = t.entry_id LEFT JOIN demoted d ON d.entry_id = t.entry_id
GROUP BY ALL ORDER BY m.last_said_at DESC, m.memory_id
"""


@dataclass(frozen=True, slots=True)
class Ladder:
    """Where a memory stands.

    Attributes:
        granted: what its sessions carry; ``stage`` is what is shown.
        next_stage: the one above ``stage``; None at the top, and for one that was set aside.
        waits_for: why it is not there, in words; empty where nothing keeps it.
        gates: the gates to that stage, open or shut; empty where none was looked at.
        sessions: those whose aligned evidence says it.
        confirmed: whether a person vouched for it.
        since: when it was last said, demoted or confirmed: its age counts from here.
    """

    memory_id: str
    citation: str
    title: str
    entry_type: EntryType
    project: str | None
    stage: Stage
    checker: str | None
    status: str
    granted: Stage
    next_stage: Stage | None
    waits_for: str
    gates: dict[str, bool]
    sessions: int
    confirmed: bool
    entry_ids: tuple[str, ...]
    last_said_at: datetime
    since: datetime


@dataclass(frozen=True, slots=True)
class Review:
    """What waits on the ladder.

    Attributes:
        stages: memories by the stage that is shown.
        reasons: how many wait for what, by next stage and reason, the most first.
        waiting: the memories that wait, the newest first; ``total`` counts them without a limit.
    """

    stages: dict[str, int]
    reasons: tuple[tuple[str, str, int], ...]
    waiting: tuple[Ladder, ...]
    total: int


def ladders(connection: duckdb.DuckDBPyConnection, *, memory_id: str | None = None) -> list[Ladder]:
    """Every memory, or one, the one that was said last first."""
    return [_ladder(row) for row in fetch(connection, _MEMORIES, {"memory": memory_id})]


def review(connection: duckdb.DuckDBPyConnection, *, project: str | None = None, limit: int | None = None) -> Review:
    """What waits, and for what."""
    found = [ladder for ladder in ladders(connection) if project is None or ladder.project == project]
    waiting = [ladder for ladder in found if ladder.next_stage is not None]
    counted: dict[tuple[str, str], int] = {}
    for ladder in waiting:
        key = (str(ladder.next_stage), ladder.waits_for)
        counted[key] = counted.get(key, 0) + 1
    return Review(
        stages={stage: count for stage in STAGES if (count := sum(ladder.stage == stage for ladder in found))},
        reasons=tuple(
            (stage, reason, count) for (stage, reason), count in sorted(counted.items(), key=lambda item: (-item[1], item[0]))
        ),
        waiting=tuple(waiting if limit is None else waiting[:limit]),
        total=len(waiting),
    )


def _ladder(row: tuple[Any, ...]) -> Ladder:
    memory_id, citation, title, entry_type, project, stage, checker, status, last_said_at, entry_id, rung, blocked = row[:12]
    gates_json, sessions, compiled_by, verified_by, confirmed, entry_ids, confirmed_at, demoted_at = row[12:]
    granted = STAGES[rung - 1]
    confirmed = bool(confirmed)
    next_stage: Stage | None = STAGES[STAGES.index(stage) + 1] if stage != "certified" and status != "deprecated" else None
    gates: dict[str, bool] = {}
    if next_stage is None:
        waits_for = ""
    elif status == "contested":
        waits_for, gates = "A conflict about the memory is open", {"no_open_conflict": False}
    elif STAGES.index(granted) > STAGES.index(stage):
        waits_for = "It was demoted, and neither said again nor confirmed since"
    elif next_stage == "certified":
        name, _, version = str(compiled_by or verified_by or checker or "").partition(" ")
        facts = PromotionFacts(
            entry_id=entry_id,
            stage="verified",
            aligned_quotes=1,
            module_generated=True,
            checker="idris2" if name == "idris2" else "embedded",
            checker_version=version,
            proof_passed=True,
            supporting_sessions=sessions,
            user_confirmed=confirmed,
        )
        outcome = decide(facts, "certified")
        gates = outcome.gates
        waits_for = "" if isinstance(outcome, Promoted) else outcome.reason
    else:
        waits_for, gates = blocked or "The stage before has not judged it yet", json.loads(gates_json or "{}")
    return Ladder(
        memory_id=memory_id,
        citation=citation,
        title=title,
        entry_type=entry_type,
        project=project,
        stage=stage,
        checker=checker,
        status=status,
        granted=granted,
        next_stage=next_stage,
        waits_for=waits_for,
        gates=gates,
        sessions=sessions,
        confirmed=confirmed,
        entry_ids=tuple(entry_ids),
        last_said_at=last_said_at,
        since=max(time for time in (last_said_at, confirmed_at, demoted_at) if time is not None),
    )
