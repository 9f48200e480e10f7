"""The ledger of decisions: those that were recorded, and those that sessions say and a proof verified."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_assets.citations.addresses import MessageCitation
from memory_assets.errors import check_word
from memory_assets.log.fetching import fetch, full_id
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.search.answers.backing import backings

if TYPE_CHECKING:
    import duckdb

    from memory_assets.vocabulary import Assurance

SOURCES = ("recorded", "session", "all")
STANDING = ("verified", "certified")

_RECORDED = """
SELECT decision_id, 'recorded' AS source, ts, action, outcome_json, confidence, project, actor, caused_by, checker
FROM decisions
"""
# A decision that a session says rests on its own quotes.
_SAID = """
SELECT 'mem:' || m.short_id, 'session', m.first_said_at, m.title, NULL, NULL, m.project, NULL, NULL, m.checker
FROM memories m WHERE m.entry_type = 'decision' AND m.stage IN ('verified', 'certified') AND m.status = 'active'
"""
_LISTED = f"""
SELECT * FROM ({_RECORDED} UNION ALL {_SAID})
WHERE ($source = 'all' OR source = $source) AND ($project IS NULL OR project = $project) ORDER BY ts DESC, decision_id
"""
_EVIDENCE = f"""
SELECT e.decision_id, e.evidence_id, 'mem:' || m.short_id, n.title, e.evidence_stage, n.stage, n.checker, n.status, e.role,
  e.said_at, n.session_id, n.message_index, n.memory_id
FROM decision_evidence e LEFT JOIN entries n ON n.entry_id = e.evidence_id LEFT JOIN memories m ON m.memory_id = n.memory_id
WHERE e.decision_id IN {IN_LIST}
UNION ALL
SELECT 'mem:' || m.short_id, n.entry_id, 'mem:' || m.short_id, n.title, n.stage, n.stage, n.checker, n.status, 'says it',
  n.created_ts, n.session_id, n.message_index, n.memory_id
FROM memories m JOIN entries n ON n.memory_id = m.memory_id AND n.status <> 'superseded' WHERE 'mem:' || m.short_id IN {IN_LIST}
ORDER BY 1, 10, 2
"""


@dataclass(frozen=True, slots=True)
class DecisionEvidence:
    """An entry that a decision rests on, as it was then and as it is now; ``stage`` is None where it is gone."""

    entry_id: str
    citation: str | None
    title: str | None
    stage_then: str
    stage: str | None
    checker: str | None
    status: str | None
    role: str
    said_at: datetime
    uri: str | None
    assurance: Assurance | None

    @property
    def stands(self) -> bool:
        return self.stage in STANDING and self.status == "active"


@dataclass(frozen=True, slots=True)
class DecisionView:
    """A decision.

    Attributes:
        source: ``recorded`` by somebody, or said in a ``session``.
        caused_by: the decision that led to it.
        checker: who proved that it cites what it may cite, or what the session says.
        weakened: some of its evidence is gone, contested, set aside or below verified by now.
    """

    decision_id: str
    source: str
    decided_at: datetime
    action: str
    outcome: str
    confidence: float | None
    project: str | None
    recorded_by: str | None
    caused_by: str | None
    checker: str | None
    weakened: bool
    evidence: tuple[DecisionEvidence, ...]


def list_decisions(
    connection: duckdb.DuckDBPyConnection, *, source: str = "all", project: str | None = None, limit: int | None = None
) -> list[DecisionView]:
    """Decisions, the newest first.

    Raises:
        InvalidArgumentError: there is no such source.
    """
    check_word("source", source, SOURCES)
    suffix = f" LIMIT {int(limit)}" if limit is not None else ""
    return _views(connection, fetch(connection, _LISTED + suffix, {"source": source, "project": project}))


def one_decision(connection: duckdb.DuckDBPyConnection, given: str) -> DecisionView:
    """The recorded decision with this id, or with an id that begins so.

    Raises:
        NotFoundError, AmbiguousIdError
    """
    decision_id = full_id(
        connection,
        "SELECT decision_id AS id FROM decisions",
        given,
        what="recorded decision",
        listed_by="memory decisions list --source recorded",
        prefix="dec_",
    )
    return _views(connection, fetch(connection, f"{_RECORDED} WHERE decision_id = ?", [decision_id]))[0]


def _views(connection: duckdb.DuckDBPyConnection, rows: list[tuple[Any, ...]]) -> list[DecisionView]:
    wanted = json_list(row[0] for row in rows)
    evidence: dict[str, list[DecisionEvidence]] = {}
    resting = fetch(connection, _EVIDENCE, [wanted, wanted]) if rows else []
    backed = backings(connection, (row[12] for row in resting))
    for row in resting:
        uri = None if row[10] is None else MessageCitation(row[10], row[11]).uri
        evidence.setdefault(row[0], []).append(
            DecisionEvidence(*(*row[1:10], uri, backed.of(row[12]).assurance(row[5]) if row[5] else None))
        )
    return [
        DecisionView(
            decision_id=row[0],
            source=row[1],
            decided_at=row[2],
            action=row[3],
            outcome=json.loads(row[4]) if row[4] else "",
            confidence=row[5],
            project=row[6],
            recorded_by=row[7],
            caused_by=row[8],
            checker=row[9],
            weakened=row[1] == "recorded" and not all(cited.stands for cited in evidence.get(row[0], ())),
            evidence=tuple(evidence.get(row[0], ())),
        )
        for row in rows
    ]
