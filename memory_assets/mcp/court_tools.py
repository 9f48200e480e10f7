"""The tools that tell what was heard of a session, and what roles learned from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from memory_assets.mcp import arguments as given
from memory_assets.mcp.answers import Answer, answer, as_plain
from memory_assets.mcp.court_text import case_event_lines, case_lines, lesson_lines
from memory_assets.mcp.output_schemas import Output
from memory_assets.mcp.tool import Tool

if TYPE_CHECKING:
    from memory_assets.mcp.store import Store
    from memory_assets.results.model import WireModel

Told = TypeVar("Told", bound="WireModel")
_WORDS = ("exceptions", "label", "quote", "reason", "rule", "title", "trigger")
"""Fields that hold what was said, or words made of it."""


def _get_case(store: Store, asked: given.CaseArguments) -> Answer:
    from memory_assets.queries.cases import one_case

    case = store.memory.read(one_case, asked.case_id, version=store.memory.resources.court_version)
    shown = _masked_again(case, _mask(store))
    return answer(shown, list(case_lines(shown)))


def _list_case_events(store: Store, asked: given.CaseEventArguments) -> Answer:
    from memory_assets.queries.case_events import list_case_events

    found = store.memory.read(
        list_case_events, asked.case_id, mask=_mask(store), after=asked.after, limit=asked.limit, budget=asked.budget
    )
    return answer(found, list(case_event_lines(found)))


def _search_lessons(store: Store, asked: given.LessonArguments) -> Answer:
    from memory_assets.queries.lessons import search_lessons

    found = search_lessons(store.memory.searcher, asked.query, role=asked.role, k=asked.k)
    shown = _masked_again(found, _mask(store))
    return answer(shown, list(lesson_lines(shown)))


def _mask(store: Store) -> Callable[[str], str]:
    """Takes out of a text what the policy in force masks: the store may be older than that."""
    from memory_assets.sessions.masking.redaction import redact_text

    policy = store.memory.resources.redaction_policy
    return lambda text: redact_text(text, policy).text


def _masked_again(told: Told, mask: Callable[[str], str]) -> Told:
    return type(told).model_validate(_masked_words(as_plain(told), mask))


def _masked_words(plain: Any, mask: Callable[[str], str], key: str = "") -> Any:
    if isinstance(plain, dict):
        return {name: _masked_words(value, mask, name) for name, value in plain.items()}
    if isinstance(plain, list):
        return [_masked_words(value, mask, key) for value in plain]
    return mask(plain) if isinstance(plain, str) and key in _WORDS else plain


COURT_TOOLS: tuple[Tool, ...] = (
    Tool(
        "search_lessons",
        "Search lessons",
        "What earlier sessions teach a role: what to do or to leave, with the words that it was learned from. Use it before "
        "work of a kind that went wrong before, or when something fails again. Some 150 tokens each. None is an answer too.",
        given.LessonArguments,
        _search_lessons,
        Output("lesson_list.v1"),
    ),
    Tool(
        "get_case",
        "What was heard of a session",
        "One session as a case: every claim of what went wrong or well, the words that show it, whether it was kept as a "
        "lesson, and why not. Use it to weigh a lesson by the session that it comes from. Some 150 tokens a claim.",
        given.CaseArguments,
        _get_case,
        Output("case.v1"),
    ),
    Tool(
        "list_case_events",
        "The events of a case",
        "The messages of a case in their order, with the ids that claims name, who acts and the text, masked and cut to "
        "`budget` tokens a page. Use it after get_case, to read what its claims rest on.",
        given.CaseEventArguments,
        _list_case_events,
        Output("case_event_list.v1"),
    ),
)
