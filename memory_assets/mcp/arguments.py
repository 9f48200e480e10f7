"""What each tool takes. The models are the JSON schemas that clients show to agents, and what arguments are checked with."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.json_schema import GenerateJsonSchema

from memory_assets.errors import InvalidArgumentError
from memory_assets.vocabulary import AskedMode, Intent, Scope, Signal, Stage, TaskStatus, UnitKind

Role = Literal["user", "assistant", "system", "tool"]
WhichBlocked = Literal["blocked", "only_suggested", "unknown_blocker"]

MOST_QUESTIONS = 100
MOST_IDS = 50
_UNUSED = ("title", "description")


def _as_list(value: Any) -> Any:
    # Agents give one id or word where a list is asked for: what is meant is plain.
    return [value] if isinstance(value, str) else value


def _as_tuple(value: Any) -> Any:
    listed = _as_list(value)
    return tuple(listed) if isinstance(listed, list) else listed


Query = Annotated[
    str,
    Field(description="What to look for, in plain words, Korean or English, as a question or as key words. No operators."),
]
Ids = Annotated[
    list[str],
    BeforeValidator(_as_list, json_schema_input_type=list[str]),
    Field(
        min_length=1,
        max_length=MOST_IDS,
        description="What results named: `mem:…` or `session:…` addresses, ids of units, entries or tasks.",
    ),
]
Kinds = Annotated[
    tuple[UnitKind, ...],
    BeforeValidator(_as_tuple, json_schema_input_type=tuple[UnitKind, ...]),
    Field(
        description="Only of these kinds: entry (a memory: decision, fact …), task, passage (a message), gotcha (an error "
        "and its fix), episode (the summary of a session), lesson (what earlier sessions teach)."
    ),
]
Roles = Annotated[
    tuple[Role, ...],
    BeforeValidator(_as_tuple, json_schema_input_type=tuple[Role, ...]),
    Field(description="Only what these said."),
]
Files = Annotated[
    tuple[str, ...],
    BeforeValidator(_as_tuple, json_schema_input_type=tuple[str, ...]),
    Field(max_length=50, description="Only what speaks of all of these files."),
]
Project = Annotated[str | None, Field(description="Only of this project, by its name.")]
Limit = Annotated[int, Field(ge=1, le=500, description="How many at the most.")]
Lines = Annotated[int, Field(ge=1, le=200, description="How many lines of each part at the most.")]


class _Schema(GenerateJsonSchema):
    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


class Arguments(BaseModel):
    """Base of the arguments: one that no tool knows is refused, and not passed over."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_max_length=100_000)

    @classmethod
    def input_schema(cls) -> dict[str, Any]:
        """The JSON Schema that a client shows to its agent, without titles that only repeat a name."""
        return {key: value for key, value in cls.model_json_schema(schema_generator=_Schema).items() if key not in _UNUSED}


class Filters(Arguments):
    """Within what a question is to be answered."""

    mode: Annotated[
        AskedMode,
        Field(
            description="lexical (words; quick), vector (meaning), hybrid (both), auto (what suits the question). vector and "
            "hybrid wait for the model at their first use."
        ),
    ] = "auto"
    limit: Annotated[
        int | None,
        Field(ge=1, le=200, description="How many hits at the most; without it as many as the question needs, 5 to 50."),
    ] = None
    intent: Annotated[
        Intent | None,
        Field(description="What the question is after; read from its words where it is left out."),
    ] = None
    scope: Annotated[
        Scope | None,
        Field(description="org (everything), project, worktree or task; goes with the argument of that name."),
    ] = None
    project: Project = None
    worktree: Annotated[
        str | None, Field(description="A folder: only sessions that worked in it or below it (scope worktree).")
    ] = None
    task: Annotated[str | None, Field(description="A task's id: only what is evidence of it (scope task).")] = None
    kinds: Kinds = ()
    roles: Roles = ()
    files: Files = ()
    since: Annotated[str | None, Field(description="Only what was said at or after this day or time (ISO 8601).")] = None
    until: Annotated[str | None, Field(description="Only what was said before this day or time (ISO 8601).")] = None
    stage_min: Annotated[
        Stage | None,
        Field(description="Only memories of this stage or higher; leaves messages out, which have none."),
    ] = None
    budget: Annotated[
        int | None,
        Field(
            ge=1,
            le=100_000,
            description="Tokens that the hits may cost together in the text, with their addresses; a hard cap.",
        ),
    ] = None


class SearchArguments(Filters):
    """Of search_memory."""

    query: Query
    expand: Annotated[
        bool,
        Field(
            description="A line for each hit and, where it is plain which is meant, what was said around it and its full "
            "text at once, all within `budget` (2,000)."
        ),
    ] = False


class Question(Arguments):
    """One question of several."""

    query: Query
    id: Annotated[str | None, Field(max_length=200, description="Comes back with the answer; otherwise its number.")] = None
    project: Project = None
    limit: Annotated[int | None, Field(ge=1, le=200, description="How many hits at the most, for this one.")] = None


class BulkArguments(Arguments):
    """Of bulk_search."""

    queries: Annotated[
        list[str | Question],
        Field(min_length=1, max_length=MOST_QUESTIONS, description="The questions: texts, or objects with an id."),
    ]
    mode: Annotated[AskedMode, Field(description="As of search_memory.")] = "auto"
    limit: Annotated[int, Field(ge=1, le=200, description="How many hits a question at the most.")] = 5
    project: Project = None


class TimelineArguments(Arguments):
    """Of get_timeline."""

    ids: Ids
    window: Annotated[int, Field(ge=0, le=20, description="How many messages of the same session before and after each.")] = 3


class DetailsArguments(Arguments):
    """Of get_details."""

    ids: Ids
    budget: Annotated[int, Field(ge=0, le=100_000, description="Tokens that the texts may cost together; a hard cap.")] = 8000


class ContextArguments(Arguments):
    """Of get_context."""

    query: Annotated[str, Field(description="What the work at hand is about, in plain words.")]
    project: Project = None
    budget: Annotated[int, Field(ge=0, le=100_000, description="Tokens that the whole may cost; a hard cap.")] = 4000


class AskArguments(Arguments):
    """Of ask_memory."""

    question: Annotated[str, Field(description="What you want to know, as a whole question.")]
    project: Project = None
    mode: Annotated[AskedMode, Field(description="How to search.")] = "auto"
    words: Annotated[int, Field(ge=1, le=1000, description="How many words may be quoted together.")] = 45
    multi_hop: Annotated[bool, Field(description="Take a question that asks several things apart, and answer each.")] = False
    conversation: Annotated[
        str | None,
        Field(description="A name of your own: the question follows on those asked under it before ('when was that?')."),
    ] = None


class SessionDigestArguments(Arguments):
    """Of get_session_digest."""

    id: Annotated[str, Field(description="A session's id, or the beginning of it.")]
    limit: Lines = 8


class ProjectDigestArguments(Arguments):
    """Of get_project_digest."""

    project: Annotated[str, Field(description="The project's name.")]
    days: Annotated[int, Field(ge=1, le=3650, description="How many days before its last session are lately.")] = 7
    limit: Lines = 5


class DayDigestArguments(Arguments):
    """Of get_day_digest."""

    date: Annotated[str | None, Field(description="A day (UTC), as in 2025-01-31; today without it.")] = None
    project: Project = None
    limit: Lines = 5


class GotchaArguments(Arguments):
    """Of search_gotchas."""

    query: Annotated[str, Field(description="The error's message, or what is about to be done.")]
    files: Files = ()
    limit: Annotated[int, Field(ge=1, le=100, description="How many at the most.")] = 10
    project: Project = None


class TaskListArguments(Arguments):
    """Of list_tasks."""

    status: Annotated[TaskStatus | None, Field(description="Only of this status.")] = None
    project: Project = None
    limit: Limit = 30


class BlockedArguments(Arguments):
    """Of list_blocked_tasks."""

    which: Annotated[
        WhichBlocked,
        Field(
            description="blocked (all), only_suggested (nothing but suggestions says what they wait for), unknown_blocker "
            "(nobody said)."
        ),
    ] = "blocked"
    project: Project = None
    limit: Limit = 30


class TaskArguments(Arguments):
    """Of get_task."""

    id: Annotated[str, Field(description="A task's id, a beginning of it, or its key.")]


class EvidenceArguments(Arguments):
    """Of get_evidence."""

    id: Annotated[str, Field(description="An entry's id, a beginning of it, or a `mem:…` address.")]


Case = Annotated[
    str, Field(min_length=1, description="A case's id, as claims and lessons name it, or its session's; a beginning will do.")
]


class CaseArguments(Arguments):
    """Of get_case."""

    case_id: Case


class CaseEventArguments(Arguments):
    """Of list_case_events."""

    case_id: Case
    after: Annotated[str | None, Field(description="The `next_after` of the page before; without it the first page.")] = None
    limit: Annotated[int, Field(ge=1, le=200, description="How many events at the most.")] = 20
    budget: Annotated[int, Field(ge=0, le=100_000, description="Tokens that the texts may cost together; a hard cap.")] = 4000


class LessonArguments(Arguments):
    """Of search_lessons."""

    query: Annotated[str, Field(description="What is about to be done, or what went wrong, in plain words.")]
    role: Annotated[str | None, Field(max_length=200, description="Only lessons for this role, as coder.")] = None
    k: Annotated[int, Field(ge=1, le=100, description="How many at the most.")] = 10


class ConditionArguments(Arguments):
    """Of list_resolved_conditions."""

    project: Project = None
    limit: Limit = 30


class SchemaArguments(Arguments):
    """Of schema."""

    id: Annotated[str | None, Field(description="A schema's name, as search_response.v1; without it all are listed.")] = None


class NoArguments(Arguments):
    """Of tools that take none."""


class FeedbackArguments(Arguments):
    """Of feedback."""

    id: Annotated[str, Field(description="What it is said of: an address or id that a result named.")]
    signal: Annotated[Signal, Field(description="used (it was relied on), helpful (it answered), wrong (false or outdated).")]
    note: Annotated[str, Field(max_length=2000, description="Why, for a person who reads it later.")] = ""


class PromptUpdateArguments(Arguments):
    """Of propose_prompt_update."""

    role: Annotated[str, Field(max_length=200, description="The role whose prompt it is, as it is registered.")]
    proposal: Annotated[str, Field(description="The whole new text of the prompt, in words of your own.")]
    reason: Annotated[str, Field(max_length=2000, description="Why it should change, for the person who decides.")]
    lessons: Annotated[
        tuple[str, ...],
        BeforeValidator(_as_tuple, json_schema_input_type=tuple[str, ...]),
        Field(max_length=MOST_IDS, description="Ids of the lessons that it is made of; otherwise all that stand for the role."),
    ] = ()


def moment(text: str | None, name: str) -> datetime | None:
    """A day or time of ISO 8601, UTC where it names no zone.

    Raises:
        InvalidArgumentError: it is none.
    """
    from datetime import UTC

    if text is None:
        return None
    try:
        whole = date.fromisoformat(text) if len(text) == 10 else None
        found = datetime.fromisoformat(text) if whole is None else datetime(whole.year, whole.month, whole.day)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidArgumentError(f"{name}: {text[:60]!r} is no day or time", hint="as in 2025-01-31") from error
