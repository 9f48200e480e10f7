"""The leaves ``lessons`` and ``improvements``: what all cases together have become.

What a lesson says is text made of sessions, and a role that is not usual may be a model's free words. They stay out of
Dagster's records unless ``dagster.show_quotes`` lets them in; ids, usual roles and numbers say what is to be looked at with
``memory lessons``.
"""

from collections.abc import Iterator

import dagster as dg

from memory_assets.commands.said import settle
from memory_assets.court.lessons import role_told
from memory_assets.defs.court.batch import GROUP
from memory_assets.defs.court.steps import court_judgement
from memory_assets.defs.last_made import LOG_SEQ
from memory_assets.defs.ledger_tables import table
from memory_assets.defs.resources import EventLogResource

SHOWN = 50

_ROLES = """
SELECT role, count(*) FILTER (status = 'active') AS active, count(*) FILTER (status = 'contested') AS contested,
  count(*) FILTER (status IN ('merged', 'superseded')) AS replaced, count(*) FILTER (status = 'retired') AS retired,
  max(support_cases) FILTER (status = 'active') AS most_cases,
  round(avg(confidence) FILTER (status = 'active'), 2) AS confidence
FROM lessons GROUP BY role ORDER BY active DESC, role
"""
_KINDS = "SELECT kind, count(*) AS lessons FROM lessons WHERE status = 'active' GROUP BY kind ORDER BY 2 DESC, 1"
_SUREST = f"""
SELECT lesson_id, role, kind, severity, support_cases, confidence, title FROM lessons WHERE status = 'active'
ORDER BY confidence DESC, support_cases DESC, lesson_id LIMIT {SHOWN}
"""
# A reason names the claim that it speaks of behind its words.
_WHY = """
SELECT regexp_replace(d ->> '$.reason', ' clm_[0-9a-f]+', ''), count(*) AS claims
FROM (SELECT unnest(from_json(deferred_json, '["JSON"]')) AS d FROM judgements) GROUP BY 1 ORDER BY 2 DESC, 1
"""
_DROPPED = """
SELECT key, sum(value::INTEGER)::INTEGER FROM (SELECT unnest(map_entries(from_json(dropped_json, '"MAP(VARCHAR, INTEGER)"')),
  recursive := true) FROM case_statements) GROUP BY key ORDER BY 2 DESC, 1
"""
_COUNTS = """
SELECT (SELECT count(*) FROM cases), (SELECT coalesce(sum(claims), 0)::BIGINT FROM cases),
  (SELECT coalesce(sum(selected), 0)::BIGINT FROM cases), (SELECT count(*) FROM lessons WHERE status = 'active'),
  (SELECT count(*) FROM lessons WHERE status = 'contested'), (SELECT count(*) FROM lessons)
"""
# The folds see to it; this looks at what they made, with the messages as they are. A claim counts once, a lesson by its claims.
_RESTING = """
WITH claims AS (SELECT lesson_id, claim_id FROM lessons UNION SELECT lesson_id, claim_id FROM accepted_lessons)
SELECT count(DISTINCT c.lesson_id) FILTER (e.claim_id IS NULL),
  count(DISTINCT c.lesson_id) FILTER (e.claim_id IS NOT NULL AND (m.text IS NULL OR m.kind IN ('injected', 'superseded')
    OR substr(m.text, e.span_start + 1, e.span_end - e.span_start) <> e.quote))
FROM claims c LEFT JOIN lesson_evidence e USING (claim_id)
LEFT JOIN messages m ON m.session_id = e.session_id AND m.message_index = e.message_index
"""
_IMPROVEMENTS = f"""
SELECT improvement_id, target, severity, count(DISTINCT case_id) AS cases, max(confidence) AS confidence, any_value(title)
FROM improvements GROUP BY improvement_id, target, severity ORDER BY cases DESC, confidence DESC, improvement_id LIMIT {SHOWN}
"""


@dg.asset(
    deps=[dg.AssetDep(court_judgement, partition_mapping=dg.AllPartitionMapping())],
    group_name=GROUP,
    kinds={"duckdb"},
    owners=["team:memory"],
    check_specs=[
        dg.AssetCheckSpec(
            "lessons_rest_on_evidence", asset="lessons", description="Every lesson quotes what its session says."
        ),
        dg.AssetCheckSpec("no_lesson_contested", asset="lessons", description="No lesson contradicts another one that stands."),
    ],
    description="""What all cases teach each role: which lessons stand, what they rest on, and what the judge left out, and why.

- **reads** the judgements, and folds what they give
- **guarantees** that any order of cases gives the same lessons, and that each cites the words that show it

Titles, and roles that are not usual, are shown only with `dagster.show_quotes`. `memory lessons` says more.
""",
)
def lessons(event_log: EventLogResource) -> Iterator[dg.MaterializeResult[None]]:
    opened = event_log.opened
    settle(opened.resources)
    shows_titles = opened.settings.dagster.show_quotes
    with opened.database.reading() as connection:
        counts = connection.execute(_COUNTS).fetchall()[0]
        cases, claims, selected, active, contested, known = counts
        roles = [(role_told(role, shows_text=shows_titles), *rest) for role, *rest in connection.execute(_ROLES).fetchall()]
        kinds = connection.execute(_KINDS).fetchall()
        why, dropped = connection.execute(_WHY).fetchall(), connection.execute(_DROPPED).fetchall()
        surest = [
            (lesson_id, role_told(role, shows_text=shows_titles), *rest)
            for lesson_id, role, *rest in connection.execute(_SUREST).fetchall()
        ]
        ((without, misquoting),) = connection.execute(_RESTING).fetchall()
    seq = opened.log.last_seq()
    columns = {"lesson": "string", "role": "string", "kind": "string", "severity": "string", "cases": "int", "sure": "float"}
    yield dg.MaterializeResult(
        metadata={
            "cases": cases,
            "claims": claims,
            "claims_kept": selected,
            "lessons": active,
            "lessons_of_all_time": known,
            "claims_left_out": table({"why": "string", "claims": "int"}, [*why, *dropped]),
            "by_role": table(
                {
                    "role": "string",
                    "active": "int",
                    "contested": "int",
                    "replaced": "int",
                    "retired": "int",
                    "most cases": "int",
                    "mean confidence": "float",
                },
                roles,
            ),
            "by_kind": table({"found by": "string", "lessons": "int"}, kinds),
            "surest": table(
                columns | ({"title": "string"} if shows_titles else {}), [row if shows_titles else row[:-1] for row in surest]
            ),
            LOG_SEQ: seq,
        },
        data_version=dg.DataVersion(str(seq)),
        check_results=[
            dg.AssetCheckResult(
                check_name="lessons_rest_on_evidence",
                asset_key="lessons",
                passed=without + misquoting == 0,
                metadata={"without": without, "misquoting": misquoting},
            ),
            dg.AssetCheckResult(
                check_name="no_lesson_contested",
                asset_key="lessons",
                passed=contested == 0,
                severity=dg.AssetCheckSeverity.WARN,
                metadata={"contested": contested, "more": "`memory lessons list --status contested`"},
            ),
        ],
    )


@dg.asset(
    deps=[dg.AssetDep(court_judgement, partition_mapping=dg.AllPartitionMapping())],
    group_name=GROUP,
    kinds={"duckdb"},
    owners=["team:memory"],
    description="What people, or the system around the agents, could do better. No lesson of an agent is among it.",
)
def improvements(event_log: EventLogResource) -> dg.MaterializeResult[None]:
    opened = event_log.opened
    settle(opened.resources)
    shows_titles = opened.settings.dagster.show_quotes
    with opened.database.reading() as connection:
        found = connection.execute(_IMPROVEMENTS).fetchall()
        ((known,),) = connection.execute("SELECT count(DISTINCT improvement_id) FROM improvements").fetchall()
    seq = opened.log.last_seq()
    columns = {"improvement": "string", "for": "string", "severity": "string", "cases": "int", "confidence": "float"}
    return dg.MaterializeResult(
        metadata={
            "improvements": known,
            "strongest": table(
                columns | ({"title": "string"} if shows_titles else {}), [row if shows_titles else row[:-1] for row in found]
            ),
            LOG_SEQ: seq,
        },
        data_version=dg.DataVersion(str(seq)),
    )
