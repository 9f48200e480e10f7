"""Cases: what was heard of each session, what was claimed, and what the judge made of it."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from memory_assets.court.case import case_id
from memory_assets.errors import AmbiguousIdError, NotFoundError
from memory_assets.log.fetching import fetch, full_id, scalar, storable
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.queries.lessons import evidence_v1
from memory_assets.queries.sessions import one_session
from memory_assets.results.court import CaseClaimV1, CaseListV1, CaseSummaryV1, CaseV1, CourtEvidenceV1

if TYPE_CHECKING:
    import duckdb

_CASES = """
SELECT c.case_id, c.session_id, c.project, s.title, c.backend, c.version, c.version = $version AS is_current,
  c.revision_event_id <> s.ingest_event_id AS is_behind, c.event_count, c.claims, c.selected, c.deferred, c.dropped,
  c.occurred_at, e.ts AS heard_at
FROM cases c JOIN sessions s USING (session_id) JOIN events e ON e.event_id = c.event_id
"""
_OF = "($project IS NULL OR c.project = $project)"

# Of every claim of a case its quotes, where its session still says them: those of a deferred claim too.
_QUOTES = """
WITH claims AS (
  SELECT session_id, unnest(from_json(claims_json, '["JSON"]')) AS claim FROM case_statements WHERE case_id = $case
), quoted AS (
  SELECT session_id, claim ->> '$.claim_id' AS claim_id,
    unnest(from_json(claim -> '$.evidence', '[{"part": "VARCHAR", "case_event_id": "VARCHAR", "message_uid": "VARCHAR",
      "start": "INTEGER", "end": "INTEGER", "quote": "VARCHAR"}]')) AS q,
    generate_subscripts(from_json(claim -> '$.evidence', '["JSON"]'), 1) AS ordinal
  FROM claims
)
SELECT claim_id, q.part, q.case_event_id, q2.session_id, m.message_index, q.start, q."end", q.quote, m.role, m.name, m.ts,
  s.title, s.project
FROM quoted q2 JOIN messages m ON m.session_id = q2.session_id AND m.message_uid = q.message_uid
JOIN sessions s ON s.session_id = q2.session_id
WHERE m.kind NOT IN ('injected', 'superseded') AND substr(m.text, q.start + 1, q."end" - q.start) = q.quote
ORDER BY claim_id, ordinal
"""


def list_cases(
    connection: duckdb.DuckDBPyConnection,
    *,
    version: str,
    project: str | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> CaseListV1:
    """Cases, the newest sessions first.

    Args:
        version: of the court that would hear them now.
        offset: so many of the newest are left out.
    """
    suffix = f" LIMIT {int(limit)} OFFSET {int(offset)}" if limit is not None else ""
    rows = fetch(
        connection,
        f"{_CASES} WHERE {_OF} ORDER BY c.occurred_at DESC, c.case_id{suffix}",
        {"project": project, "version": version},
    )
    total = int(scalar(connection, f"SELECT count(*) FROM cases c WHERE {_OF}", {"project": project}))
    return CaseListV1(cases=tuple(CaseSummaryV1.of_row(row) for row in rows), total=total)


def one_case(connection: duckdb.DuckDBPyConnection, given: str, *, version: str) -> CaseV1:
    """A case by its id, its session's id, or the beginning of either; with all that was claimed.

    Raises:
        NotFoundError, AmbiguousIdError
    """
    case_id = case_id_of(connection, given)
    (row,) = fetch(connection, f"{_CASES} WHERE c.case_id = $case", {"case": case_id, "version": version})
    ((policy_version, selected_json, deferred_json),) = fetch(
        connection, "SELECT policy_version, selected_json, deferred_json FROM judgements WHERE case_id = ?", [case_id]
    )
    statements = fetch(
        connection,
        "SELECT court_role, claims_json, dropped_json FROM case_statements WHERE case_id = ? ORDER BY court_role DESC",
        [case_id],
    )
    quotes: dict[str, list[CourtEvidenceV1]] = {}
    for claim_id, *place in fetch(connection, _QUOTES, {"case": case_id}):
        quotes.setdefault(claim_id, []).append(evidence_v1(place))
    selected = {one["claim_id"]: one["lesson_id"] for one in json.loads(selected_json)}
    deferred = {one["claim_id"]: one["reason"] for one in json.loads(deferred_json)}
    given_lessons = _lessons_of(connection, case_id)
    judged = [
        _claim(court_role, claim, selected, deferred, given_lessons, quotes)
        for court_role, claims_json, _ in statements
        for claim in json.loads(claims_json)
    ]
    dropped: Counter[str] = Counter()
    for _, _, dropped_json in statements:
        dropped.update(json.loads(dropped_json))
    summary = CaseSummaryV1.of_row(row)
    return CaseV1(
        **summary.model_dump(),
        policy_version=policy_version,
        judged=tuple(sorted(judged, key=lambda claim: claim.decision == "deferred")),
        dropped_by_reason=dict(dropped),
    )


def case_id_of(connection: duckdb.DuckDBPyConnection, given: str) -> str:
    """The whole id of a case that was heard, given by its own id or its session's.

    Raises:
        NotFoundError, AmbiguousIdError
    """
    text = storable(given).strip().removeprefix("session:")
    if not text:
        raise NotFoundError("an empty id names no case", hint="`memory court list` shows those that were heard")
    of_session = fetch(
        connection,
        "SELECT case_id, session_id = $text FROM cases WHERE starts_with(session_id, $text) ORDER BY 2 DESC",
        {"text": text},
    )
    if len(of_session) == 1 or (of_session and of_session[0][1]):
        return str(of_session[0][0])
    ids = "SELECT case_id AS id FROM cases"
    return full_id(connection, ids, text, what="case", listed_by="memory court list", prefix="case_")


def session_of_case(connection: duckdb.DuckDBPyConnection, given: str) -> str:
    """The session of a case, heard or not, given by the case's id, the session's, or the beginning of either.

    Raises:
        NotFoundError, AmbiguousIdError
    """
    text = given.strip()
    if not text.startswith("case_"):
        return one_session(connection, text).session_id
    sessions = fetch(connection, "SELECT session_id FROM sessions ORDER BY session_id")
    found = [session_id for (session_id,) in sessions if case_id(session_id).startswith(text)]
    if len(found) == 1:
        return str(found[0])
    if found:
        raise AmbiguousIdError(f"{text!r} begins {len(found)} cases", hint="give more of it")
    raise NotFoundError(f"there is no case {text[:100]!r}", hint="`memory court list` shows those that were heard")


def _lessons_of(connection: duckdb.DuckDBPyConnection, case_id: str) -> set[str]:
    rows = fetch(connection, "SELECT claim_id FROM accepted_lessons WHERE case_id = ?", [case_id])
    return {row[0] for row in rows}


def _claim(
    court_role: str,
    claim: dict[str, Any],
    selected: dict[str, str],
    deferred: dict[str, str],
    given_lessons: set[str],
    quotes: dict[str, list[CourtEvidenceV1]],
) -> CaseClaimV1:
    claim_id = claim["claim_id"]
    return CaseClaimV1.model_validate(
        {name: claim[name] for name in ("claim_id", "kind", "role", "polarity", "severity", "title", "rule", "confidence")}
        | {
            "court_role": court_role,
            "trigger": claim.get("trigger", ""),
            "decision": "selected" if claim_id in selected else "deferred",
            "reason": deferred.get(claim_id, ""),
            "lesson_id": selected.get(claim_id) if claim_id in given_lessons else None,
            "evidence": quotes.get(claim_id, []),
        }
    )


def heard_before(connection: duckdb.DuckDBPyConnection, session_ids: list[str]) -> list[str]:
    """Those of some sessions that were heard once, and have no case now: their history was written anew."""
    rows = fetch(
        connection,
        f"""SELECT DISTINCT session_id FROM events WHERE event_type = 'judgement_rendered' AND session_id IN {IN_LIST}
              AND session_id NOT IN (SELECT session_id FROM cases) ORDER BY 1""",
        [json_list(session_ids)],
    )
    return [row[0] for row in rows]
