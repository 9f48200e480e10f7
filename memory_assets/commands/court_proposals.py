"""What the embedded court proposes for prompts: lessons that are sure enough and that a role's prompt does not hold yet.

It proposes and nothing more: a person approves. A lesson is proposed once. Where a person rejected it, or took it and wrote it
in other words, that was said; where the prompt has changed meanwhile, the proposal is made anew from what it is then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from memory_assets.commands.errors import PromptChangedError
from memory_assets.commands.prompts import copied_rules, propose_update
from memory_assets.court.prompt_lessons import holds, with_lessons
from memory_assets.court.prompts import prompt_policy
from memory_assets.errors import MemoryAssetsError
from memory_assets.log.fetching import fetch
from memory_assets.projections.fold import catch_up
from memory_assets.queries.prompts import UpdateHead, one_prompt, update_heads

if TYPE_CHECKING:
    import duckdb

    from memory_assets.configuration import Resources

COURT = "the embedded court"
"""Who proposes it, by name."""

Why = Literal[
    "proposed",
    "one is open",
    "no lesson is sure enough",
    "nothing new",
    "they are the session's own words",
    "the prompt changed meanwhile",
    "refused",
]
"""What became of a role: why there is no new proposal, where there is none."""

_ROLES = "SELECT role FROM role_prompts WHERE is_active ORDER BY role"
# Surest first, as lists show them; equal ones by their ids, so that the same store gives the same text.
_SURE = """
SELECT lesson_id, rule, severity, support_sessions FROM lessons WHERE role = ? AND status = 'active'
  AND (support_sessions >= ? OR list_contains(?, severity))
ORDER BY confidence DESC, support_sessions DESC, lesson_id
"""


@dataclass(frozen=True, slots=True)
class SureLesson:
    """A lesson that rests on enough to change a prompt by itself."""

    lesson_id: str
    rule: str
    severity: str
    sessions: int


@dataclass(frozen=True, slots=True)
class RoleProposals:
    """A role with a prompt, and how it stands.

    Attributes:
        update_id: of the proposal that is open, of the court's own where there are several.
        lessons: those that are sure enough, whether or not the prompt holds them.
    """

    role: str
    why: Why
    update_id: str | None
    lessons: int


def propose_lessons(resources: Resources) -> list[RoleProposals]:
    """Propose for each role that has a prompt what its lessons give; the same again proposes nothing more."""
    catch_up(resources.database, resources.configured_versions)
    with resources.database.reading() as connection:
        roles = [str(role) for (role,) in fetch(connection, _ROLES)]
    return [_propose(resources, role) for role in roles]


def _propose(resources: Resources, role: str) -> RoleProposals:
    with resources.database.reading() as connection:
        active = one_prompt(connection, role)
        prompt = active.prompt
        sure = _sure_lessons(connection, role)
        known = update_heads(connection, role)
        waiting = next((one for one in known if one.is_open and one.proposed_by == COURT), None)
        wanted = [lesson for lesson in sure if lesson.lesson_id not in _said_of(known) and not holds(prompt, lesson.rule)]
        mine = wanted and copied_rules(connection, prompt, [lesson.rule for lesson in wanted])
    if waiting is not None:
        return RoleProposals(role, "one is open", waiting.update_id, len(sure))
    if not wanted:
        return RoleProposals(role, "nothing new" if sure else "no lesson is sure enough", None, len(sure))
    own = [lesson for lesson in wanted if lesson.rule not in mine]
    if not own:
        return RoleProposals(role, "they are the session's own words", None, len(sure))
    try:
        made = propose_update(
            resources,
            role,
            with_lessons(prompt, [lesson.rule for lesson in own]),
            reason=_reason(own),
            lessons=[lesson.lesson_id for lesson in own],
            by=COURT,
            author="agent",
            made_from=active.sha256,
        )
    except PromptChangedError:
        return RoleProposals(role, "the prompt changed meanwhile", None, len(sure))
    except MemoryAssetsError:  # what a person would be told as well: it is too long, or holds what nobody sees
        return RoleProposals(role, "refused", None, len(sure))
    return RoleProposals(role, "proposed", made.update_id, len(sure))


def _sure_lessons(connection: duckdb.DuckDBPyConnection, role: str) -> list[SureLesson]:
    policy = prompt_policy()
    rows = fetch(connection, _SURE, [role, policy.least_cases, sorted(policy.severe_enough)])
    return [SureLesson(*row) for row in rows]


def _said_of(known: Sequence[UpdateHead]) -> set[str]:
    """The lessons of which a person has said something, or is asked already."""
    settled = [one for one in known if one.status in ("rejected", "applied") or one.is_open]
    return {lesson_id for update in settled for lesson_id in update.lesson_ids}


def _reason(lessons: Sequence[SureLesson]) -> str:
    """Words of ours, and numbers."""
    severe = sum(lesson.severity in prompt_policy().severe_enough for lesson in lessons)
    sessions = max(lesson.sessions for lesson in lessons)
    told = (
        f"{len(lessons)} lesson{'s' if len(lessons) != 1 else ''} that the prompt does not hold, of up to {sessions} sessions"
    )
    return told + (f", {severe} of them critical" if severe else "")
