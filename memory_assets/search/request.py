"""What is asked of a search. One value, however it was asked: command line, bulk line, MCP tool."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memory_assets.vocabulary import AskedMode, FusionMethod, Intent, Scope

# A summary of a session cites much of it: it answers where a session is asked for, and stands in the way elsewhere.
DEFAULT_KINDS = ("entry", "task", "passage", "gotcha", "lesson")
KINDS_WITH_STAGE = ("entry", "task")
ROLES = ("user", "assistant", "system", "tool")
MAX_HITS = 1000
MAX_QUERY_CHARACTERS = 20_000
"""What is longer is a pasted document, and refused: its first words are no question."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A question, and within what it is to be answered.

    Attributes:
        mode: ``auto`` is both legs, without the one that knows nothing of the question's language.
        k: hits at the most; None for as many as the question's complexity asks for.
        scope: how far to look; what is given of a narrower scope counts for nothing then. None for as narrow as task, worktree
            and project together make it, and everything without them.
        project: only what was said in this project.
        worktree: a folder: only sessions that worked in it or below it.
        task: a task's id, address or beginning of an id: only what is evidence of it.
        kinds: of units; none for :data:`DEFAULT_KINDS`.
        roles: who says it; of lessons alone, whom they teach.
        files: paths or names of files: only what speaks of every one of them.
        since, until: aware; ``since`` inclusive, ``until`` exclusive.
        stage_min: the lowest stage of a memory that is wanted; passages stand on none and are left out by it.
        budget: tokens that the hits may cost together, as they are delivered; a hard cap.
        beside: show what of the passages beside a hit says more of the question; for those that put hits together no text need
            stand twice.
        log: count what is delivered as shown.
        now: aware; what "last week" is counted from. None for the clock.
    """

    query: str
    mode: AskedMode = "auto"
    k: int | None = None
    intent: Intent | None = None
    scope: Scope | None = None
    project: str | None = None
    worktree: str | None = None
    task: str | None = None
    kinds: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    stage_min: str | None = None
    fusion: FusionMethod = "weighted"
    budget: int | None = None
    beside: bool = True
    log: bool = True
    now: datetime | None = None
