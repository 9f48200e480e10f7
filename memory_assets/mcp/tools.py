"""The tools: what each is for, what it takes and gives, and the one call of the façade that answers it.

A description is read by an agent that decides by it alone: when to use the tool, what it costs, what to do next.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from memory_assets.errors import InvalidArgumentError
from memory_assets.mcp import arguments as given
from memory_assets.mcp.answers import Answer, answer, as_plain
from memory_assets.mcp.ask_tool import ASK_TOOL
from memory_assets.mcp.court_tools import COURT_TOOLS
from memory_assets.mcp.digest_tools import DIGEST_TOOLS
from memory_assets.mcp.layer_text import context_lines, details_lines, disclosure_lines, gotcha_lines, timeline_lines
from memory_assets.mcp.output_schemas import Output
from memory_assets.mcp.search_text import bulk_lines, hits_cost, search_lines, unknown_lines
from memory_assets.mcp.store_text import (
    ack_lines,
    doctor_lines,
    evidence_lines,
    prompt_update_lines,
    schema_lines,
    stats_lines,
)
from memory_assets.mcp.task_text import condition_lines, task_lines, task_list_lines
from memory_assets.mcp.tool import Tool
from memory_assets.search.usage import note_opened

if TYPE_CHECKING:
    from memory_assets.mcp.store import Store
    from memory_assets.results.search import SearchResponseV1
    from memory_assets.results.tasks import TaskView

_MORE = {"more": {"type": "boolean", "description": "There are further ones: raise limit."}}
_EVIDENCE_TEXT = 4000
_MOST_HITS = 1000
_DISCLOSED = 2000


def _search_memory(store: Store, asked: given.SearchArguments) -> Answer:
    fields: dict[str, Any] = {
        "mode": asked.mode,
        "k": asked.limit,
        "intent": asked.intent,
        "scope": asked.scope,
        "project": asked.project,
        "worktree": asked.worktree,
        "task": asked.task,
        "kinds": asked.kinds,
        "roles": asked.roles,
        "files": asked.files,
        "since": given.moment(asked.since, "since"),
        "until": given.moment(asked.until, "until"),
        "stage_min": asked.stage_min,
    }
    if asked.expand:
        budget = _DISCLOSED if asked.budget is None else asked.budget
        found = store.memory.search(asked.query, **fields)
        opened = store.memory.disclose(found, budget=budget)
        return answer(opened, [*unknown_lines(found), *disclosure_lines(opened)])
    if asked.budget is None:
        found = store.memory.search(asked.query, **fields)
    else:
        found = _within(store, asked.query, fields, asked.budget)
    return answer(found, search_lines(found))


def _within(store: Store, query: str, fields: dict[str, Any], budget: int) -> SearchResponseV1:
    """The hits whose lines, addresses and all, cost no more than a budget.

    A search counts the texts of its hits alone, so it is asked again for less until all is within; only the last is delivered.
    """
    found = store.memory.search(query, **fields, budget=budget, log=False)
    while found.estimated_tokens > 1 and (cost := hits_cost(found)) > budget:
        less = min(found.estimated_tokens * budget // cost, found.estimated_tokens - 1)
        found = store.memory.search(query, **fields, budget=max(less, 1), log=False)
    delivered = store.memory.search(query, **fields, budget=found.budget)
    return delivered.model_copy(update={"budget": budget})


def _bulk_search(store: Store, asked: given.BulkArguments) -> Answer:
    questions = [one if isinstance(one, given.Question) else given.Question(query=one) for one in asked.queries]
    most = sum(one.limit or asked.limit for one in questions)
    if most > _MOST_HITS:
        raise InvalidArgumentError(
            f"{len(questions)} questions for up to {most:,} hits together are too many: {_MOST_HITS:,} at the most",
            hint="give a smaller limit, or ask fewer questions",
        )
    lines = (
        json.dumps(
            {
                "id": one.id or str(place),
                "query": one.query,
                "mode": asked.mode,
                "k": one.limit or asked.limit,
                "project": one.project or asked.project,
            }
        )
        for place, one in enumerate(questions, start=1)
    )
    items = list(store.memory.bulk_search(lines))
    return answer({"items": items}, list(bulk_lines(items)))


def _get_timeline(store: Store, asked: given.TimelineArguments) -> Answer:
    timeline = store.memory.timeline(asked.ids, window=asked.window)
    return answer(timeline, list(timeline_lines(timeline)))


def _get_details(store: Store, asked: given.DetailsArguments) -> Answer:
    details = store.memory.details(asked.ids, budget=asked.budget)
    note_opened(store.memory.settings, [item.unit_id for item in details.items if item.unit_id])
    return answer(details, list(details_lines(details)))


def _get_context(store: Store, asked: given.ContextArguments) -> Answer:
    bundle = store.memory.context(asked.query, project=asked.project, budget=asked.budget)
    return answer(bundle, list(context_lines(bundle)))


def _search_gotchas(store: Store, asked: given.GotchaArguments) -> Answer:
    found = store.memory.search_gotchas(asked.query, files=asked.files, k=asked.limit, project=asked.project)
    return answer(found, list(gotcha_lines(found)))


def _list_tasks(store: Store, asked: given.TaskListArguments) -> Answer:
    found = store.memory.tasks(status=asked.status, project=asked.project, limit=asked.limit + 1)
    return _task_list(found, asked.limit, f"{asked.status.replace('_', ' ')} tasks" if asked.status else "tasks")


def _list_blocked_tasks(store: Store, asked: given.BlockedArguments) -> Answer:
    found = store.memory.tasks(which=asked.which, project=asked.project, limit=asked.limit + 1)
    return _task_list(found, asked.limit, "blocked tasks")


def _task_list(found: list[TaskView], limit: int, what: str) -> Answer:
    shown, more = found[:limit], len(found) > limit
    return answer({"tasks": shown, "more": more}, list(task_list_lines(shown, more=more, what=what)))


def _get_task(store: Store, asked: given.TaskArguments) -> Answer:
    detail = store.memory.task(asked.id)
    return answer(detail, list(task_lines(detail)))


def _get_evidence(store: Store, asked: given.EvidenceArguments) -> Answer:
    view = store.memory.evidence(asked.id)
    note_opened(store.memory.settings, [view.entry.entry_id])
    plain = as_plain(view)
    for quote in plain["quotes"]:
        _shorten(quote)
    return answer(plain, list(evidence_lines(view)))


def _shorten(quote: dict[str, Any]) -> None:
    """Leave of a long message what stands around the quote; spans count from its whole text, so it says what is missing."""
    message, found = quote["message"], quote["quote"]
    if message is None or len(message["text"]) <= _EVIDENCE_TEXT:
        return
    start = max(0, (found["span_start"] or 0) - _EVIDENCE_TEXT // 4)
    end = max(start + _EVIDENCE_TEXT, (found["span_end"] or 0) + _EVIDENCE_TEXT // 4)
    message |= {"text": message["text"][start:end], "text_starts_at": start, "text_length": len(message["text"])}


def _list_resolved_conditions(store: Store, asked: given.ConditionArguments) -> Answer:
    from memory_assets.queries.conditions import list_conditions

    found = store.memory.read(list_conditions, status="settled", project=asked.project, limit=asked.limit + 1)
    shown, more = found[: asked.limit], len(found) > asked.limit
    return answer({"conditions": shown, "more": more}, list(condition_lines(shown, more=more)))


def _schema(store: Store, asked: given.SchemaArguments) -> Answer:
    from memory_assets.queries.capabilities import schema, schema_definition

    found = schema(store.memory.resources) if asked.id is None else schema_definition(asked.id)
    plain = as_plain(found)
    return answer(plain, list(schema_lines(plain)))


def _doctor(store: Store, _: given.NoArguments) -> Answer:
    from memory_assets.maintenance.doctor import checks
    from memory_assets.results.doctor import DoctorV1

    found = DoctorV1.of(checks(store.memory.resources))
    return answer(found, list(doctor_lines(found.checks)))


def _stats(store: Store, _: given.NoArguments) -> Answer:
    stats = store.memory.stats()
    return answer(stats, list(stats_lines(stats)))


def _feedback(store: Store, asked: given.FeedbackArguments) -> Answer:
    ack = store.memory.feedback(asked.id, asked.signal, by="agent over MCP", note=asked.note)
    return answer(ack, list(ack_lines(ack)))


def _propose_prompt_update(store: Store, asked: given.PromptUpdateArguments) -> Answer:
    from memory_assets.commands.prompts import propose_update

    made = propose_update(
        store.memory.resources,
        asked.role,
        asked.proposal,
        reason=asked.reason,
        lessons=asked.lessons,
        by="agent over MCP",
        author="agent",
    )
    return answer(made, list(prompt_update_lines(made)))


TOOLS: tuple[Tool, ...] = (
    Tool(
        "search_memory",
        "Search memory",
        "Search everything that recorded sessions said and decided: decisions, facts, preferences, tasks, errors with their "
        "fixes, and the messages themselves. Use it first, before you ask the user something that they may have said "
        "already, and when a question speaks of earlier work ('why did we …', '지난주에 …'). Korean and English alike, also "
        "mixed. Layer 1: some 100 to 200 tokens a hit; `budget` caps them, and `expand` opens what is plainly "
        "meant. Every hit has addresses (mem:…, session:…) to cite "
        "and to pass to get_timeline (layer 2) or get_details (layer 3). The certificate says how complete the answer is and "
        "what to do next. That nothing is known is an answer too: the hits are the nearest then, and no answers. The first "
        "question may be answered by words alone while the model is loaded; a note says so.",
        given.SearchArguments,
        _search_memory,
        Output("search_response.v1", other="disclosure.v1"),
    ),
    Tool(
        "bulk_search",
        "Search memory for many questions",
        f"Up to {given.MOST_QUESTIONS} questions in one call, quicker than one by one; each is answered as by search_memory, "
        "with `limit` (5) hits each, and 1,000 together at the most. A question that fails says so in its place and leaves the "
        "others. Costs some 100 to 200 tokens a hit, so keep `limit` small.",
        given.BulkArguments,
        _bulk_search,
        Output("bulk_search_item.v1", "items"),
    ),
    Tool(
        "get_timeline",
        "What was said around it",
        "Layer 2: what was said before and after hits in their sessions, in the order of time, some 150 tokens an id at the "
        "usual window. Use it where a hit is on the right subject but does not say enough, or where what came next matters. "
        "An id that names nothing is an error of its own; the others are answered.",
        given.TimelineArguments,
        _get_timeline,
        Output("timeline.v1"),
    ),
    Tool(
        "get_details",
        "The full text",
        "Layer 3: the full text of hits with their citations and what belongs to them, some 500 tokens an id and up to "
        "`budget` together. Use it for the few hits that you rely on, when exact words, code or output matter. An id that "
        "names nothing is an error of its own; the others are answered.",
        given.DetailsArguments,
        _get_details,
        Output("details.v1"),
    ),
    Tool(
        "get_context",
        "Context for a piece of work",
        "One bundle for work that begins: pinned memories, what bears upon the query, and known errors, within `budget` tokens "
        "(4,000), every part cited; what nothing is cited for is marked [HYPOTHESIS]. Use it once at the start of a task; use "
        "search_memory for single questions.",
        given.ContextArguments,
        _get_context,
        Output("context_bundle.v1"),
    ),
    ASK_TOOL,
    *DIGEST_TOOLS,
    Tool(
        "search_gotchas",
        "Search known errors",
        "Errors that were met before and what fixed them. Use it when a command fails, with the error's message, and before "
        "work on files that have made trouble (`files`). Some 100 tokens each. None is an answer too.",
        given.GotchaArguments,
        _search_gotchas,
        Output("gotcha_list.v1"),
    ),
    Tool(
        "list_tasks",
        "List tasks",
        "Tasks that sessions spoke of, in the order of a board: in progress, blocked, pending, done, cancelled; each with its "
        "priority, what it waits for, and where it was said. Some 100 tokens a task: narrow it by `status` and `project`.",
        given.TaskListArguments,
        _list_tasks,
        Output("task_list.v1", "tasks", is_list=True, more=_MORE),
    ),
    Tool(
        "list_blocked_tasks",
        "List blocked tasks",
        "Tasks that wait for something: for what, what that turned out to be, whether it is cleared, and since when. Some 150 "
        "tokens a task.",
        given.BlockedArguments,
        _list_blocked_tasks,
        Output("task_list.v1", "tasks", is_list=True, more=_MORE),
    ),
    Tool(
        "get_task",
        "One task with its history",
        "One task: how it stands, what it waits for and what waits for it, its other names, and every move with who said it "
        "where. Some 300 to 2,000 tokens.",
        given.TaskArguments,
        _get_task,
        Output("task_detail.v1"),
    ),
    Tool(
        "get_evidence",
        "The evidence of an entry",
        "What exactly an entry or memory rests on: each quote at its place in its message, how it was found, and how sure "
        "that is. Use it before you rely on a memory in something that matters. Some 200 to 1,000 tokens.",
        given.EvidenceArguments,
        _get_evidence,
        Output("evidence.v1"),
    ),
    Tool(
        "list_resolved_conditions",
        "List resolved conditions",
        "What tasks waited for that turned out to be another task or artifact, or is met. Some 80 tokens each.",
        given.ConditionArguments,
        _list_resolved_conditions,
        Output("condition_list.v1", "conditions", is_list=True, more=_MORE),
    ),
    *COURT_TOOLS,
    Tool(
        "schema",
        "What can be asked and answered",
        "The objects that tools give, the words that arguments may hold, and the versions behind them; with `id` one "
        "object's JSON Schema. For programs; an agent seldom needs it.",
        given.SchemaArguments,
        _schema,
        Output("schema.v1", other="schema_definition.v1"),
    ),
    Tool(
        "doctor",
        "Is the memory well",
        "Checks of everything that the store needs, each with what to do about it. Use it when another tool reports an "
        "error. Some 300 tokens; takes up to some seconds.",
        given.NoArguments,
        _doctor,
        Output("doctor.v1"),
    ),
    Tool(
        "stats",
        "What the memory holds",
        "Sessions, messages, memories, tasks and units, counted. Some 200 tokens.",
        given.NoArguments,
        _stats,
        Output("stats.v1"),
    ),
)

WRITING_TOOLS: tuple[Tool, ...] = (
    Tool(
        "feedback",
        "Say what a result was worth",
        "Record that a result was used, helped, or is wrong or outdated; it moves later searches a little and is kept with "
        "your name. Use it after you relied on a hit, and whenever the user says that a memory is wrong. Nothing is deleted "
        "by it.",
        given.FeedbackArguments,
        _feedback,
        Output("ack.v1"),
        writes=True,
    ),
    Tool(
        "propose_prompt_update",
        "Propose another prompt for a role",
        "Propose a new text for the prompt of a role that is registered, with the reason. Nothing changes by it: a person "
        "reads the diff and approves it by name, or not; no tool approves or applies. It rests on lessons of two cases or on "
        "a critical one, and copies no five words in a row from a session. Use it seldom, and only for what would have helped "
        "more than once.",
        given.PromptUpdateArguments,
        _propose_prompt_update,
        Output("prompt_update.v1"),
        writes=True,
    ),
)
