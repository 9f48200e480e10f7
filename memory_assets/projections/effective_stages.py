"""What is shown of entries and memories once other sessions and people have spoken (``graduation.effective_stage``).

For most memories that is what their sessions carry, which one statement says. The few that are contested, set aside, demoted or
on their way to certified are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from memory_assets.graduation.effective_stage import (
    Confirmation,
    Demotion,
    EntryStatus,
    ceiling,
    certification,
    shown_stage,
    spoken,
    vouched_for,
)
from memory_assets.graduation.policy import POLICY_VERSION, SUPPORTING_SESSIONS, Promoted
from memory_assets.identifiers import sha256_hex
from memory_assets.log.batches import Appended, Build, insert, rows_of
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.graduation import EntryPromoted
from memory_assets.log.sql import IN_LIST, json_list, seen, visible
from memory_assets.vocabulary import STAGES, Stage

if TYPE_CHECKING:
    import duckdb

_PLAIN = (
    """UPDATE entries SET stage = granted_stage, status = 'active', superseded_by = NULL
       WHERE memory_id IN (SELECT memory_id FROM touched_memories) AND status <> 'superseded'""",
    """UPDATE memories SET status = 'active', superseded_by = NULL, certification = NULL
       WHERE memory_id IN (SELECT memory_id FROM touched_memories)""",
    """DELETE FROM promotions WHERE target_id IN (SELECT entry_id FROM entries
         WHERE memory_id IN (SELECT memory_id FROM touched_memories)) AND (to_stage = 'certified' OR outcome = 'demoted')""",
)

# In a conflict, spoken of by a person, or proved by the compiler and said in enough sessions.
_SPECIAL = f"""
SELECT DISTINCT unnest([older_memory_id, newer_memory_id]) AS memory_id FROM conflicts
UNION SELECT n.memory_id FROM command_entries e JOIN entries n USING (entry_id) WHERE n.memory_id IS NOT NULL
UNION SELECT memory_id FROM entries WHERE granted_stage = 'verified' AND checker LIKE 'idris2 %'
  AND memory_id IN (SELECT memory_id FROM touched_memories)
  GROUP BY memory_id HAVING count(DISTINCT session_id) >= {SUPPORTING_SESSIONS}
"""

_ENTRIES = f"""
SELECT n.memory_id, n.entry_id, n.session_id, n.project, n.granted_stage, n.checker, n.evidence_aligned, n.created_ts,
  n.source_event_id, s.chain_id
FROM entries n JOIN sessions s USING (session_id)
WHERE n.memory_id IN (SELECT memory_id FROM touched_memories) AND n.memory_id IN ({_SPECIAL})
ORDER BY n.created_ts, n.session_id, n.message_index, n.ordinal, n.entry_id
"""

_RESOLVED = """
SELECT resolution, older_memory_id, newer_memory_id, older_entries, newer_entries FROM conflicts
WHERE status = 'resolved' AND resolution <> 'both' ORDER BY resolved_at DESC, conflict_id
"""

# With what was set aside nothing is in conflict any more.
_CONTESTED = """
WITH aside AS (SELECT unnest(from_json(?, '["VARCHAR"]')) AS entry_id), open AS (
  SELECT conflict_id, older_entries, newer_entries FROM conflicts
  WHERE status = 'open' AND (older_memory_id IN (SELECT memory_id FROM touched_memories)
    OR newer_memory_id IN (SELECT memory_id FROM touched_memories))
), sides AS (
  SELECT conflict_id, 'older' AS side, unnest(older_entries) AS entry_id FROM open
  UNION ALL SELECT conflict_id, 'newer', unnest(newer_entries) FROM open
), moot AS (
  SELECT DISTINCT conflict_id FROM (
    SELECT conflict_id, side FROM sides GROUP BY conflict_id, side
    HAVING bool_and(entry_id IN (SELECT entry_id FROM aside)))
)
SELECT DISTINCT entry_id FROM sides WHERE conflict_id NOT IN (SELECT conflict_id FROM moot)
"""

_COMMANDS = """
SELECT e.entry_id, c.event_type, c.event_id, c.occurred_at, c.payload_json ->> '$.to_stage',
  (c.payload_json ->> '$.age_days') IS NULL
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


_LADDER = list(STAGES)
_MEMORIES = f"""
UPDATE memories SET stage = shown.stage, checker = shown.checker, status = shown.status, superseded_by = shown.superseded_by
FROM (
  SELECT memory_id, {_LADDER}[max(rung)] AS stage, arg_max(checker, (rung, checker)) AS checker,
    CASE WHEN bool_or(status = 'contested') THEN 'contested' WHEN bool_and(status = 'deprecated') THEN 'deprecated'
      ELSE 'active' END AS status,
    CASE WHEN bool_and(status = 'deprecated') THEN min(superseded_by) END AS superseded_by
  FROM (SELECT *, list_position({_LADDER}, stage) AS rung FROM entries
        WHERE status <> 'superseded' AND memory_id IN (SELECT memory_id FROM touched_memories))
  GROUP BY memory_id) shown
WHERE shown.memory_id = memories.memory_id
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

    @property
    def supports(self) -> bool:
        """Whether the entry counts as evidence of its session for what the memory says."""
        return self.aligned and self.granted == "verified"

    @property
    def proved_by_compiler(self) -> bool:
        return self.supports and (self.checker or "").startswith("idris2 ")


@dataclass(frozen=True, slots=True)
class _Spoken:
    """What people and policies said of memories, and what follows from it.

    Attributes:
        commands: of each entry that they name, in the order in which they were said.
        contested: entries in an open conflict.
        set_aside: entries of the side that a person did not keep, each with the memory that stands in its place.
        merged: memories that a person made of two.
    """

    commands: Mapping[str, Sequence[Demotion | Confirmation]]
    contested: frozenset[str]
    set_aside: Mapping[str, str]
    merged: frozenset[str]


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
    connection.execute(_MEMORIES)


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
    said = _spoken(connection)
    return [standing for entries in memories.values() for standing in _of_memory(entries, said)]


def _spoken(connection: duckdb.DuckDBPyConnection) -> _Spoken:
    commands: dict[str, list[Demotion | Confirmation]] = {}
    for entry_id, event_type, event_id, at, to_stage, by_person in connection.execute(_COMMANDS).fetchall():
        commands.setdefault(entry_id, []).append(spoken(event_type, event_id, at, to_stage, by_person=by_person))
    resolved = connection.execute(_RESOLVED).fetchall()
    set_aside = _set_aside(resolved)
    contested = connection.execute(_CONTESTED, [json_list(set_aside)]).fetchall()
    merged = {older_memory for resolution, older_memory, _, _, _ in resolved if resolution == "merge"}
    return _Spoken(commands, frozenset(row[0] for row in contested), set_aside, frozenset(merged))


def _set_aside(resolved: list[tuple[Any, ...]]) -> dict[str, str]:
    """The entries that were set aside, each with the memory that stands in their place, over however many resolutions.

    The last word comes first. One that would close a circle, so that nothing were left, does not count.
    """
    kept_by: dict[str, str] = {}
    losers: list[tuple[list[str], str, str]] = []
    for resolution, older_memory, newer_memory, older, newer in resolved:
        if resolution == "merge":
            continue
        keeps_newer = resolution == "keep_newer"
        loser, winner = (older_memory, newer_memory) if keeps_newer else (newer_memory, older_memory)
        if loser != winner:
            if _stands_for(winner, kept_by) == loser:
                continue
            kept_by.setdefault(loser, winner)
        losers.append((older if keeps_newer else newer, loser, winner))
    return {
        entry_id: _stands_for(kept_by.get(loser, winner), kept_by) for entries, loser, winner in losers for entry_id in entries
    }


def _stands_for(memory_id: str, kept_by: Mapping[str, str]) -> str:
    while memory_id in kept_by:
        memory_id = kept_by[memory_id]
    return memory_id


def _of_memory(entries: list[_Entry], words: _Spoken) -> Iterator[_Standing]:
    said = dict.fromkeys(word for entry in entries for word in words.commands.get(entry.entry_id, ()))
    confirmations = [word for word in said if isinstance(word, Confirmation)]
    demotions = [word for word in said if isinstance(word, Demotion)]
    highest = ceiling(demotions, confirmations, max(entry.said_at for entry in entries))
    doubted = any(entry.entry_id in words.contested or entry.entry_id in words.set_aside for entry in entries)
    support = _support(
        entries,
        vouched_for(demotions, confirmations),
        highest,
        doubted=doubted,
        merged=entries[0].memory_id in words.merged,
    )
    for entry in entries:
        status: EntryStatus = (
            "deprecated"
            if entry.entry_id in words.set_aside
            else "contested"
            if entry.entry_id in words.contested
            else "active"
        )
        promotion = _promotion(entry, support) if support and entry.proved_by_compiler else None
        yield _Standing(
            entry,
            shown_stage(entry.granted, status, certified=promotion is not None, ceiling=highest),
            status,
            words.set_aside.get(entry.entry_id),
            promotion,
        )


@dataclass(frozen=True, slots=True)
class _Support:
    """What a certification rests on: the first sessions that say it, or a person's word; and the gates that it passed."""

    entries: tuple[_Entry, ...]
    confirmation: Confirmation | None
    promoted: Promoted

    @property
    def basis(self) -> str:
        word = [self.confirmation.event_id] if self.confirmation else []
        return sha256_hex(" ".join([*(entry.event_id for entry in self.entries), *word]))[:32]


def _support(
    entries: list[_Entry], confirmation: Confirmation | None, highest: Stage, *, doubted: bool, merged: bool
) -> _Support | None:
    """What certifies a memory; None where a gate is shut."""
    supporting = [entry for entry in entries if entry.supports]
    proved = next((entry for entry in supporting if entry.proved_by_compiler), None)
    if proved is None:
        return None
    first_of_session: dict[str, _Entry] = {}
    for entry in supporting:
        first_of_session.setdefault(entry.session_id, entry)
    # What a person made of two that contradict each other is not what two sessions say alike.
    enough = tuple(first_of_session.values())[: 1 if merged else SUPPORTING_SESSIONS]
    outcome = certification(
        proved.entry_id,
        proved.checker,
        sessions=len(enough),
        confirmed=confirmation is not None,
        contested=doubted,
        highest=highest,
    )
    if not isinstance(outcome, Promoted):
        return None
    return _Support(enough, None if len(enough) == SUPPORTING_SESSIONS else confirmation, outcome)


def _promotion(entry: _Entry, support: _Support) -> NewEvent:
    return NewEvent(
        payload=EntryPromoted(
            entry_id=entry.entry_id,
            from_stage="verified",
            to_stage="certified",
            policy_version=support.promoted.policy_version,
            checker=str(entry.checker),
            gates=support.promoted.gates,
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
            f"SELECT event_id FROM {seen(connection)(f'event_id IN {IN_LIST}')}", [json_list(wanted)]
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
