"""What is shown of entries and memories once other sessions and people have spoken (``graduation.standing``; architecture.md
section 4, *Order*).

For most memories that is what their sessions carry, which one statement says. The few that are contested, set aside, demoted or
on their way to certified are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from memory_assets.graduation.policy import POLICY_VERSION, Promoted, PromotionFacts, decide
from memory_assets.graduation.stages import STAGES, Stage
from memory_assets.graduation.standing import Confirmation, Demotion, EntryStatus, ceiling, shown_stage
from memory_assets.identifiers import sha256_hex
from memory_assets.log.event_log import Appended, Build, insert, rows_of
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.graduation import EntryPromoted
from memory_assets.log.sql import IN_LIST, json_list, visible

if TYPE_CHECKING:
    import duckdb

SUPPORTING_SESSIONS = 2

_PLAIN = (
    """UPDATE entries SET stage = granted_stage, status = 'active', superseded_by = NULL
       WHERE memory_id IN (SELECT memory_id FROM touched_memories) AND status <> 'superseded'""",
    """UPDATE memories SET status = 'active', superseded_by = NULL, certification = NULL
       WHERE memory_id IN (SELECT memory_id FROM touched_memories)""",
    """DELETE FROM promotions WHERE target_id IN (SELECT entry_id FROM entries
         WHERE memory_id IN (SELECT memory_id FROM touched_memories)) AND (to_stage = 'certified' OR outcome = 'demoted')""",
)

# Contested, spoken of by a person, or proved by the compiler and said in enough sessions.
_SPECIAL = f"""
SELECT DISTINCT unnest([older_memory_id, newer_memory_id]) AS memory_id FROM conflicts
UNION SELECT n.memory_id FROM command_entries e JOIN entries n USING (entry_id) WHERE n.memory_id IS NOT NULL
UNION SELECT memory_id FROM entries WHERE granted_stage = 'verified' AND checker LIKE 'idris2 %'
  AND memory_id IN (SELECT memory_id FROM touched_memories)
  GROUP BY memory_id HAVING count(DISTINCT session_id) >= {SUPPORTING_SESSIONS}
"""

_ENTRIES = f"""
SELECT n.memory_id, n.entry_id, n.session_id, n.project, n.granted_stage, n.checker, n.evidence_aligned, n.created_ts,
  n.source_event_id, s.chain_id, n.status = 'superseded'
FROM entries n JOIN sessions s USING (session_id)
WHERE n.memory_id IN (SELECT memory_id FROM touched_memories) AND n.memory_id IN ({_SPECIAL})
ORDER BY n.created_ts, n.session_id, n.message_index, n.ordinal, n.entry_id
"""

_CONFLICTS = """
SELECT status, resolution, older_memory_id, newer_memory_id, older_entries, newer_entries FROM conflicts
WHERE status = 'resolved' OR (status = 'open' AND (older_memory_id IN (SELECT memory_id FROM touched_memories)
  OR newer_memory_id IN (SELECT memory_id FROM touched_memories))) ORDER BY conflict_id
"""

_COMMANDS = """
SELECT e.entry_id, c.event_type, c.event_id, c.occurred_at, c.payload_json ->> '$.to_stage'
FROM commands c JOIN command_entries e USING (event_id)
WHERE c.event_type IN ('promotion_confirmed', 'entries_demoted') ORDER BY c.occurred_at, c.event_id
"""

_LEDGER = f"""
INSERT OR REPLACE INTO promotions
SELECT 'prm_' || substr(sha256(e.event_id || ' ' || named.entry_id), 1, 32), e.ts, 'entry', named.entry_id, n.session_id,
  e.payload_json ->> '$.from_stage', e.payload_json ->> '$.to_stage',
  CASE e.event_type WHEN 'entry_promoted' THEN 'promoted' WHEN 'entries_demoted' THEN 'demoted' ELSE 'rejected' END,
  coalesce(e.payload_json ->> '$.reason',
    CASE e.event_type WHEN 'entry_promoted' THEN 'all gates passed'
      ELSE coalesce('not said again for ' || (e.payload_json ->> '$.age_days')::DOUBLE::BIGINT::VARCHAR || ' days',
        'a person said so') END),
  e.payload_json ->> '$.policy_version', coalesce(e.payload_json -> '$.gates', '{{}}'), e.event_id, e.build_id
FROM (
  SELECT event_id, entry_id FROM command_entries WHERE side = 'entry'
  UNION ALL SELECT event_id, payload_json ->> '$.entry_id' FROM {visible(f"event_id IN {IN_LIST}")}
) named JOIN events e USING (event_id) JOIN entries n ON n.entry_id = named.entry_id
WHERE n.memory_id IN (SELECT memory_id FROM touched_memories)
  AND e.event_type IN ('entry_promoted', 'entry_promotion_rejected', 'entries_demoted')
"""


@dataclass(frozen=True, slots=True)
class _Entry:
    memory_id: str
    entry_id: str
    session_id: str
    project: str | None
    granted: Stage
    checker: str | None
    aligned: bool
    said_at: datetime
    event_id: str
    chain_id: str
    superseded: bool

    @property
    def supports(self) -> bool:
        """Whether the entry counts as evidence of its session for what the memory says."""
        return self.aligned and self.granted == "verified" and not self.superseded

    @property
    def proved_by_compiler(self) -> bool:
        return self.supports and (self.checker or "").startswith("idris2 ")


@dataclass(frozen=True, slots=True)
class _Conflict:
    status: str
    resolution: str | None
    older_memory: str
    newer_memory: str
    older: frozenset[str]
    newer: frozenset[str]

    @property
    def set_aside(self) -> dict[str, str]:
        """The entries of the side that a person did not keep, each with the memory that was kept."""
        match self.resolution:
            case "keep_newer":
                return dict.fromkeys(self.older, self.newer_memory)
            case "keep_older":
                return dict.fromkeys(self.newer, self.older_memory)
            case _:
                return {}


@dataclass(frozen=True, slots=True)
class _Standing:
    """What is shown of an entry, and the promotion to certified that is due for it or in the log."""

    entry: _Entry
    stage: Stage
    status: EntryStatus
    superseded_by: str | None
    promotion: NewEvent | None


def fold_standing(connection: duckdb.DuckDBPyConnection) -> None:
    """Say anew what is shown of the entries of touched memories, and of these memories."""
    for statement in _PLAIN:
        connection.execute(statement)
    standings = _standings(connection)
    if standings:
        _write_entries(connection, standings)
    connection.execute(
        """UPDATE memories SET stage = shown.stage, checker = shown.checker, status = shown.status,
             superseded_by = shown.superseded_by
           FROM (
             SELECT memory_id, ['raw', 'working', 'candidate', 'verified', 'certified'][max(rung)] AS stage,
               arg_max(checker, (rung, checker)) AS checker,
               CASE WHEN bool_or(status = 'contested') THEN 'contested' WHEN bool_and(status = 'deprecated') THEN 'deprecated'
                 ELSE 'active' END AS status,
               CASE WHEN bool_and(status = 'deprecated') THEN min(superseded_by) END AS superseded_by
             FROM (SELECT *, list_position(['raw', 'working', 'candidate', 'verified', 'certified'], stage) AS rung
                   FROM entries WHERE status <> 'superseded' AND memory_id IN (SELECT memory_id FROM touched_memories))
             GROUP BY memory_id) shown
           WHERE shown.memory_id = memories.memory_id"""
    )


def certifications_due(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether a promotion to certified is not in the log yet."""
    return bool(connection.execute("SELECT 1 FROM memories WHERE certification = 'due' LIMIT 1").fetchall())


def certify(connection: duckdb.DuckDBPyConnection, build: Build | None) -> Appended:
    """Append the promotions to certified that are due, and touch their memories; part of the caller's transaction."""
    connection.execute("INSERT INTO touched_memories SELECT memory_id FROM memories WHERE certification = 'due'")
    due = [standing.promotion for standing in _standings(connection) if standing.promotion is not None]
    return insert(connection, rows_of(due), build=build)


def _standings(connection: duckdb.DuckDBPyConnection) -> list[_Standing]:
    memories: dict[str, list[_Entry]] = {}
    for row in connection.execute(_ENTRIES).fetchall():
        memories.setdefault(row[0], []).append(_Entry(*row))
    if not memories:
        return []
    conflicts = [
        _Conflict(row[0], row[1], row[2], row[3], frozenset(row[4]), frozenset(row[5]))
        for row in connection.execute(_CONFLICTS).fetchall()
    ]
    commands: dict[str, list[Demotion | Confirmation]] = {}
    for entry_id, event_type, event_id, at, to_stage in connection.execute(_COMMANDS).fetchall():
        kind = Confirmation if event_type == "promotion_confirmed" else Demotion
        commands.setdefault(entry_id, []).append(kind(at, event_id, to_stage))
    set_aside: dict[str, str] = {}
    for conflict in conflicts:
        if conflict.status == "resolved":
            set_aside |= conflict.set_aside
    # With what was set aside nothing is in conflict any more.
    open_ones = [
        conflict
        for conflict in conflicts
        if conflict.status == "open" and not any(side <= set_aside.keys() for side in (conflict.older, conflict.newer))
    ]
    return [standing for entries in memories.values() for standing in _of_memory(entries, open_ones, set_aside, commands)]


def _of_memory(
    entries: list[_Entry],
    conflicts: list[_Conflict],
    set_aside: dict[str, str],
    commands: dict[str, list[Demotion | Confirmation]],
) -> Iterable[_Standing]:
    contested = {entry_id for conflict in conflicts for entry_id in conflict.older | conflict.newer}
    said = dict.fromkeys(word for entry in entries for word in commands.get(entry.entry_id, ()))
    confirmations = [word for word in said if isinstance(word, Confirmation)]
    demotions = [word for word in said if isinstance(word, Demotion)]
    highest = ceiling(demotions, confirmations, max(entry.said_at for entry in entries))
    support = _support(entries, confirmations, contested | set_aside.keys(), highest)
    for entry in entries:
        if entry.superseded:
            continue
        status: EntryStatus = (
            "deprecated" if entry.entry_id in set_aside else "contested" if entry.entry_id in contested else "active"
        )
        promotion = _promotion(entry, support) if support and entry.proved_by_compiler else None
        yield _Standing(
            entry,
            shown_stage(entry.granted, status, certified=promotion is not None, ceiling=highest),
            status,
            set_aside.get(entry.entry_id),
            promotion,
        )


@dataclass(frozen=True, slots=True)
class _Support:
    """What a certification rests on: the first sessions that say it, or a person's word."""

    entries: tuple[_Entry, ...]
    confirmation: Confirmation | None

    @property
    def basis(self) -> str:
        word = [self.confirmation.event_id] if self.confirmation else []
        return sha256_hex(" ".join([*(entry.event_id for entry in self.entries), *word]))[:32]


def _support(
    entries: list[_Entry], confirmations: list[Confirmation], doubted: Iterable[str], highest: Stage
) -> _Support | None:
    """What certifies a memory; None where a gate that looks at all of it is shut."""
    supporting = [entry for entry in entries if entry.supports]
    proved = next((entry for entry in supporting if entry.proved_by_compiler), None)
    doubts = set(doubted)
    if proved is None or highest != "certified" or any(entry.entry_id in doubts for entry in entries):
        return None
    first_of_session: dict[str, _Entry] = {}
    for entry in supporting:
        first_of_session.setdefault(entry.session_id, entry)
    word = next((word for word in confirmations if word.to_stage == "certified"), None)
    name, _, version = str(proved.checker).partition(" ")
    facts = PromotionFacts(
        entry_id=proved.entry_id,
        stage="verified",
        aligned_quotes=1,
        module_generated=True,
        checker="idris2" if name == "idris2" else "embedded",
        checker_version=version,
        proof_passed=True,
        supporting_sessions=len(first_of_session),
        user_confirmed=word is not None,
    )
    if not isinstance(decide(facts, "certified"), Promoted):
        return None
    enough = tuple(first_of_session.values())[:SUPPORTING_SESSIONS]
    return _Support(enough, None) if len(enough) == SUPPORTING_SESSIONS else _Support(enough, word)


def _promotion(entry: _Entry, support: _Support) -> NewEvent:
    return NewEvent(
        payload=EntryPromoted(
            entry_id=entry.entry_id,
            from_stage="verified",
            to_stage="certified",
            policy_version=POLICY_VERSION,
            checker=str(entry.checker),
            gates={"proved_by_idris2": True, "supported_twice": True, "no_open_conflict": True},
            basis=support.basis,
        ),
        inputs=(entry.event_id, support.basis),
        stage_version=f"policy {POLICY_VERSION}",
        occurred_at=max(one.said_at for one in (entry, *support.entries)).replace(tzinfo=UTC),
        causation_id=entry.event_id,
        basis_chains=tuple(dict.fromkeys(one.chain_id for one in (entry, *support.entries))),
        project=entry.project,
    )


def _write_entries(connection: duckdb.DuckDBPyConnection, standings: list[_Standing]) -> None:
    import pyarrow as pa

    wanted = {standing.promotion.event_id: standing for standing in standings if standing.promotion is not None}
    granted = {
        row[0]
        for row in connection.execute(
            f"SELECT event_id FROM {visible(f'event_id IN {IN_LIST}')}", [json_list(wanted)]
        ).fetchall()
    }
    rows: list[dict[str, Any]] = []
    certifications: dict[str, str] = {}
    for standing in standings:
        stage, promotion = standing.stage, standing.promotion
        if promotion is not None:
            is_granted = promotion.event_id in granted
            if not is_granted:
                stage = min(stage, "verified", key=STAGES.index)
            if certifications.get(standing.entry.memory_id) != "due":
                certifications[standing.entry.memory_id] = "granted" if is_granted else "due"
        rows.append(
            {
                "entry_id": standing.entry.entry_id,
                "stage": stage,
                "status": standing.status,
                "superseded_by": standing.superseded_by,
            }
        )
    table = pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in rows[0]})
    connection.register("new_standing", table)
    connection.execute(
        """UPDATE entries SET stage = s.stage, status = s.status, superseded_by = s.superseded_by FROM new_standing s
           WHERE s.entry_id = entries.entry_id"""
    )
    connection.unregister("new_standing")
    connection.register(
        "new_certifications",
        pa.table(
            {
                "memory_id": pa.array(certifications.keys(), pa.string()),
                "certification": pa.array(certifications.values(), pa.string()),
            }
        ),
    )
    connection.execute(
        """UPDATE memories SET certification = c.certification FROM new_certifications c
           WHERE c.memory_id = memories.memory_id"""
    )
    connection.unregister("new_certifications")
    connection.execute(_LEDGER, [json_list(granted)])
