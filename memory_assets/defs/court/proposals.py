"""The leaf ``prompt_proposals``: what is proposed for the prompts of roles, and why a role has nothing."""

from collections.abc import Mapping

import dagster as dg

from memory_assets.commands.court_proposals import COURT, RoleProposals, propose_lessons
from memory_assets.court.lessons import role_told
from memory_assets.defs.court.batch import GROUP
from memory_assets.defs.court.leaves import lessons
from memory_assets.defs.last_made import LOG_SEQ
from memory_assets.defs.ledger_tables import table
from memory_assets.defs.resources import EventLogResource
from memory_assets.queries.prompt_lessons import lessons_named
from memory_assets.queries.prompts import count_updates, list_updates
from memory_assets.results.prompts import PromptUpdateV1

SHOWN = 50
_COLUMNS = {
    "role": "string",
    "proposal": "string",
    "status": "string",
    "by": "string",
    "lines added": "int",
    "lines removed": "int",
    "lessons": "int",
    "most cases": "int",
}


@dg.asset(
    deps=[lessons],
    group_name=GROUP,
    kinds={"duckdb"},
    owners=["team:memory"],
    description="""What is proposed for the prompts of roles; first of all lessons that are sure enough and that a prompt lacks.

- **reads** the lessons, and the prompts that people registered
- **guarantees** that nothing changes by it: a person approves (`memory prompts proposals`, or the page `/prompts`)

Texts are not shown here, nor are roles that are not usual without `dagster.show_quotes`.
""",
)
def prompt_proposals(event_log: EventLogResource) -> dg.MaterializeResult[None]:
    opened = event_log.opened
    roles = propose_lessons(opened.resources)
    with opened.database.reading() as connection:
        waiting, count = list_updates(connection, limit=SHOWN), count_updates(connection)
        known = lessons_named(connection, sorted({lesson.lesson_id for one in waiting for lesson in one.lessons}))
    cases = {lesson_id: len(lesson.cited.cases) for lesson_id, lesson in known.items()}
    shows_text = opened.settings.dagster.show_quotes
    seq = opened.log.last_seq()
    return dg.MaterializeResult(
        metadata={
            "roles_with_a_prompt": len(roles),
            "proposals_open": count,
            "proposed_now": sum(one.why == "proposed" for one in roles),
            "open": table(_COLUMNS, [_open_row(one, cases, shows_text=shows_text) for one in waiting]),
            "why_none": table(
                {"role": "string", "why": "string", "sure lessons": "int"},
                [_why_row(one, shows_text=shows_text) for one in roles if one.update_id is None][:SHOWN],
            ),
            LOG_SEQ: seq,
        },
        data_version=dg.DataVersion(str(seq)),
    )


def _open_row(update: PromptUpdateV1, cases: Mapping[str, int], *, shows_text: bool) -> tuple[str | int, ...]:
    lines = update.diff.split("\n")[2:]  # behind the names of both texts
    return (
        role_told(update.role, shows_text=shows_text),
        update.update_id,
        update.status,
        update.proposed_by if shows_text or update.proposed_by == COURT else "somebody",
        sum(line.startswith("+") for line in lines),
        sum(line.startswith("-") for line in lines),
        len(update.lessons),
        max((cases.get(lesson.lesson_id, 0) for lesson in update.lessons), default=0),
    )


def _why_row(role: RoleProposals, *, shows_text: bool) -> tuple[str | int, ...]:
    return role_told(role.role, shows_text=shows_text), role.why, role.lessons
