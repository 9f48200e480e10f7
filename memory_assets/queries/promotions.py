"""How far each memory has come and what keeps it from the next stage."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_assets.graduation.assurance import assurance_of
from memory_assets.graduation.effective_stage import Confirmation, Demotion, ceiling, certification, spoken, vouched_for
from memory_assets.graduation.policy import CONTESTED, DEMOTED, Promoted
from memory_assets.log.fetching import fetch
from memory_assets.vocabulary import STAGES, Assurance, EntryType, Stage

if TYPE_CHECKING:
    import duckdb

_LADDER = list(STAGES)
# Of a memory's entries the one that its sessions carry furthest, and of these the first that was said, stands for it.
_MEMORIES = f"""
WITH told AS (
  SELECT n.* REPLACE (coalesce(n.granted_stage, n.stage) AS granted_stage),
    list_position({_LADDER}, coalesce(n.granted_stage, n.stage)) AS rung
  FROM entries n WHERE n.status <> 'superseded' AND ($memory IS NULL OR n.memory_id = $memory)
), refused AS (
  SELECT target_id, arg_max(gates_json, ts) AS gates_json FROM promotions WHERE to_stage = 'verified' GROUP BY target_id
)
SELECT m.memory_id, 'mem:' || m.short_id, m.title, m.entry_type, m.project, m.stage, m.checker, coalesce(m.status, 'active'),
  m.last_said_at, arg_max(t.entry_id, (t.rung, -epoch_us(t.created_ts), t.entry_id)), max(t.rung),
  arg_max(t.meta_json ->> '$.promotionBlockReason', (t.rung, -epoch_us(t.created_ts), t.entry_id)),
  arg_max(r.gates_json, (t.rung, -epoch_us(t.created_ts), t.entry_id)),
  count(DISTINCT t.session_id) FILTER (t.evidence_aligned AND t.granted_stage = 'verified'),
  max(t.checker) FILTER (t.granted_stage = 'verified' AND t.checker LIKE 'idris2 %'),
  max(t.checker) FILTER (t.granted_stage = 'verified'), list(DISTINCT t.entry_id ORDER BY t.entry_id),
  m.memory_id IN (SELECT older_memory_id FROM conflicts WHERE resolution = 'merge')
FROM memories m JOIN told t USING (memory_id) LEFT JOIN refused r ON r.target_id = t.entry_id
GROUP BY ALL ORDER BY m.last_said_at DESC, m.memory_id
"""

_WORDS = """
SELECT event_id, event_type, occurred_at, payload_json ->> '$.to_stage', (payload_json ->> '$.age_days') IS NULL,
  from_json(payload_json -> '$.entry_ids', '["VARCHAR"]')
FROM events WHERE event_type IN ('promotion_confirmed', 'entries_demoted') ORDER BY occurred_at, event_id
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
        assurance: what was proved of it, as screens say it.
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
    assurance: Assurance


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
    words: dict[str, list[Demotion | Confirmation]] = {}
    for event_id, event_type, at, to_stage, by_person, entry_ids in fetch(connection, _WORDS):
        word = spoken(event_type, event_id, at, to_stage, by_person=by_person)
        for entry_id in entry_ids:
            words.setdefault(entry_id, []).append(word)
    return [_ladder(row, words) for row in fetch(connection, _MEMORIES, {"memory": memory_id})]


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


def _ladder(row: tuple[Any, ...], said: Mapping[str, Sequence[Demotion | Confirmation]]) -> Ladder:
    memory_id, citation, title, entry_type, project, stage, checker, status, last_said_at, entry_id, rung, blocked = row[:12]
    gates_json, sessions, compiled_by, verified_by, entry_ids, merged = row[12:]
    # What a person made of two that contradict each other is not what two sessions say alike.
    supporting = min(sessions, 1) if merged else sessions
    words = list(dict.fromkeys(word for entry in entry_ids for word in said.get(entry, ())))
    confirmations = [word for word in words if isinstance(word, Confirmation)]
    demotions = [word for word in words if isinstance(word, Demotion)]
    highest = ceiling(demotions, confirmations, last_said_at)
    granted = STAGES[rung - 1]
    confirmed = vouched_for(demotions, confirmations) is not None
    next_stage: Stage | None = STAGES[STAGES.index(stage) + 1] if stage != "certified" and status != "deprecated" else None
    gates: dict[str, bool] = {}
    waits_for = ""
    if next_stage == "certified":
        outcome = certification(
            entry_id,
            compiled_by or verified_by or checker,
            sessions=supporting,
            confirmed=confirmed,
            contested=status == "contested",
            highest=highest,
        )
        gates = outcome.gates
        waits_for = "" if isinstance(outcome, Promoted) else outcome.reason
    elif next_stage is not None and STAGES.index(granted) > STAGES.index(stage):
        # Its sessions carry it further than it is shown.
        gates = {"no_open_conflict": status != "contested", "not_demoted": STAGES.index(highest) > STAGES.index(stage)}
        waits_for = CONTESTED if status == "contested" else DEMOTED
    elif next_stage is not None:
        waits_for, gates = blocked or "No checker has judged it yet", json.loads(gates_json or "{}")
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
        since=max(last_said_at, *(word.at for word in words)) if words else last_said_at,
        assurance=assurance_of(stage, supporting_sessions=supporting, vouched_for=confirmed),
    )
