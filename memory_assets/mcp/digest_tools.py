"""The tools that tell what a session, a project or a day was about."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memory_assets.mcp import arguments as given
from memory_assets.mcp.answers import Answer, answer
from memory_assets.mcp.digest_text import day_digest_lines, project_digest_lines, session_digest_lines
from memory_assets.mcp.output_schemas import Output
from memory_assets.mcp.tool import Tool

if TYPE_CHECKING:
    from memory_assets.mcp.store import Store


def _get_session_digest(store: Store, asked: given.SessionDigestArguments) -> Answer:
    from memory_assets.queries.session_digest import first_of_each

    digest = first_of_each(store.memory.session_digest(asked.id), asked.limit)
    return answer(digest, list(session_digest_lines(digest)))


def _get_project_digest(store: Store, asked: given.ProjectDigestArguments) -> Answer:
    digest = store.memory.project_digest(asked.project, days=asked.days, most=asked.limit)
    return answer(digest, list(project_digest_lines(digest)))


def _get_day_digest(store: Store, asked: given.DayDigestArguments) -> Answer:
    from memory_assets.queries.day_digest import first_of_each_session

    day = (given.moment(asked.date, "date") or datetime.now(UTC)).date()
    digest = first_of_each_session(store.memory.day_digest(day, project=asked.project), asked.limit)
    return answer(digest, list(day_digest_lines(digest)))


DIGEST_TOOLS: tuple[Tool, ...] = (
    Tool(
        "get_session_digest",
        "What a session was about",
        "One session in its own words: what was asked, what was decided and why, what was done with which files and commits, "
        "what failed and what mended it, and what it left open; each line with its addresses. Use it when a hit's session "
        "matters as a whole, and to go on where a session stopped. Some 500 to 2,000 tokens.",
        given.SessionDigestArguments,
        _get_session_digest,
        Output("session_digest.v1"),
    ),
    Tool(
        "get_project_digest",
        "How a project stands",
        "One project: what holds, what changed lately, which tasks are open and what is contested; each line with its "
        "addresses. Use it once before work in a project that you do not know. Some 1,000 to 3,000 tokens.",
        given.ProjectDigestArguments,
        _get_project_digest,
        Output("project_digest.v1"),
    ),
    Tool(
        "get_day_digest",
        "What happened on a day",
        "The sessions of today, or of another day (UTC), each as by get_session_digest but only with what was said on that "
        "day. Use it for 'what did we do today', '어제 뭐 했지'. Some 300 to 1,000 tokens a session. No session is an answer "
        "too.",
        given.DayDigestArguments,
        _get_day_digest,
        Output("day_digest.v1"),
    ),
)
