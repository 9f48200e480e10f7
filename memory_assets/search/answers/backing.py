"""What backs memories and tasks beyond their stage: how many sessions say them, and whether a person vouched for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_assets.graduation.assurance import assurance_of, assurance_of_task
from memory_assets.graduation.effective_stage import Confirmation, Demotion, spoken, vouched_for
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list

if TYPE_CHECKING:
    import duckdb

    from memory_assets.vocabulary import Assurance

# What a person made of two memories that contradict each other is not what two sessions say alike; a task rests on the sessions
# with words that speak of it. No statement is larger than it must be: a search waits for it (3.5 ms for 50 units, 6 as one).
_SESSIONS = f"""
SELECT memory_id, count(DISTINCT session_id) FILTER (evidence_aligned AND granted_stage = 'verified')
FROM entries WHERE memory_id IN {IN_LIST} AND status <> 'superseded' GROUP BY memory_id
UNION ALL
SELECT g.dst_id, count(DISTINCT n.session_id) FROM edges g JOIN entries n ON n.entry_id = g.src_id
WHERE g.rel_type = 'evidence_of' AND g.dst_id IN {IN_LIST} AND n.status <> 'superseded' AND n.granted_stage <> 'raw'
GROUP BY g.dst_id
"""
_MERGED = "SELECT DISTINCT older_memory_id FROM conflicts WHERE resolution = 'merge'"
_WORDS = """
SELECT event_id, event_type, occurred_at, payload_json ->> '$.to_stage', (payload_json ->> '$.age_days') IS NULL,
  from_json(payload_json -> '$.entry_ids', '["VARCHAR"]')
FROM events WHERE event_type IN ('promotion_confirmed', 'entries_demoted') AND session_id IS NULL ORDER BY occurred_at, event_id
"""
_HOLDERS = f"SELECT entry_id, memory_id FROM entries WHERE memory_id IS NOT NULL AND entry_id IN {IN_LIST}"


@dataclass(frozen=True, slots=True)
class Backing:
    """What backs one memory or task.

    Attributes:
        supporting_sessions: those whose aligned and proved evidence says it; of a task those that speak of it.
        vouched_for: a person did, and nothing has taken that back.
    """

    supporting_sessions: int = 0
    vouched_for: bool = False

    def assurance(self, stage: str | None) -> Assurance:
        """The word for a memory, or an entry of it, at a stage."""
        return assurance_of(stage, supporting_sessions=self.supporting_sessions, vouched_for=self.vouched_for)

    def assurance_as_task(self, stage: str | None) -> Assurance:
        """The word for a task at a stage."""
        return assurance_of_task(stage, supporting_sessions=self.supporting_sessions)


@dataclass(frozen=True, slots=True)
class Backings:
    """What backs some memories and tasks, by their ids; what is unknown has nothing behind it."""

    _known: Mapping[str, Backing]

    def of(self, source_id: str | None) -> Backing:
        """What backs one of them."""
        return self._known.get(source_id or "", Backing())

    def assurance(self, unit_kind: str, source_id: str | None, stage: str | None) -> Assurance:
        """The word for a unit: of a memory or task what was proved; everything else is words of a session, quoted."""
        match unit_kind:
            case "entry":
                return self.of(source_id).assurance(stage)
            case "task":
                return self.of(source_id).assurance_as_task(stage)
            case _:
                return "quoted"


def backings(connection: duckdb.DuckDBPyConnection, source_ids: Iterable[str | None]) -> Backings:
    """What backs some memories and tasks, in as many statements for one as for all."""
    wanted = json_list(sorted({source_id for source_id in source_ids if source_id is not None}))
    if wanted == "[]":
        return Backings({})
    merged = {memory_id for (memory_id,) in fetch(connection, _MERGED)}
    vouched = _vouched_for(connection)
    return Backings(
        {
            source_id: Backing(min(sessions, 1) if source_id in merged else sessions, source_id in vouched)
            for source_id, sessions in fetch(connection, _SESSIONS, [wanted, wanted])
        }
    )


def _vouched_for(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """The memories that people vouch for: few, like all that people say."""
    demotions: dict[str, list[Demotion]] = {}
    confirmations: dict[str, list[Confirmation]] = {}
    rows = fetch(connection, _WORDS)
    if not rows:
        return set()
    named = {entry_id for row in rows for entry_id in row[5]}
    holders = dict(fetch(connection, _HOLDERS, [json_list(sorted(named))]))
    for event_id, event_type, at, to_stage, by_person, entry_ids in rows:
        word = spoken(event_type, event_id, at, to_stage, by_person=by_person)
        for memory_id in {holders[entry_id] for entry_id in entry_ids if entry_id in holders}:
            if isinstance(word, Confirmation):
                confirmations.setdefault(memory_id, []).append(word)
            else:
                demotions.setdefault(memory_id, []).append(word)
    return {
        memory_id for memory_id, words in confirmations.items() if vouched_for(demotions.get(memory_id, ()), words) is not None
    }
