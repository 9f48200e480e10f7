"""What is forgotten, what was, and what comes back, as it is printed."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from memory_assets.results.model import WireModel


class ForgottenSessionV1(WireModel):
    """A session that goes as a whole.

    Attributes:
        sources: the files that it was told by; they stay where they are.
    """

    session_id: str
    title: str | None
    project: str | None
    started_at: datetime
    messages: int
    sources: tuple[str, ...]


class ForgottenPartV1(WireModel):
    """Characters of one message, of its speaker's name, or of a session's title (without a message).

    Attributes:
        whole: nothing of the text is left.
    """

    session_id: str
    message_index: int | None
    field: Literal["text", "name", "title"]
    characters: int
    whole: bool


class NamedV1(WireModel):
    """A memory, task, lesson or proposal, by its address and title."""

    address: str
    title: str


class ForgetReportV1(WireModel):
    """What a word of forgetting takes.

    Attributes:
        messages: of the sessions that go, and those of which a part goes.
        entries: that rest on any of it.
        memories_gone: that rest on nothing else; ``memories_kept``: that other evidence holds.
        tasks_gone: that nothing else speaks of.
        lessons_gone: that no other case gives; ``lessons_kept``: that other cases give as well. A session of which a part
            goes is heard again without it.
        cases, improvements, answers: cases of sessions that go, improvements and recorded answers that rest on any of it.
        prompts_kept: proposals and prompts of roles that name a lesson that goes. They are words of their own, and stay.
        elsewhere: addresses of other messages in which the same words stand, at most a hundred.
        events: ids of what was written; empty in a dry run. `memory unforget` takes them.
    """

    schema_version: Literal["forget_report.v1"] = "forget_report.v1"
    dry_run: bool
    sessions: tuple[ForgottenSessionV1, ...]
    parts: tuple[ForgottenPartV1, ...]
    messages: int
    entries: int
    memories_gone: tuple[NamedV1, ...]
    memories_kept: tuple[NamedV1, ...]
    tasks_gone: tuple[NamedV1, ...]
    lessons_gone: tuple[NamedV1, ...] = ()
    lessons_kept: tuple[NamedV1, ...] = ()
    cases: int = 0
    improvements: int = 0
    answers: int = 0
    prompts_kept: tuple[NamedV1, ...] = ()
    elsewhere: tuple[str, ...] = ()
    events: tuple[str, ...] = ()


class ForgettingV1(WireModel):
    """A word of forgetting that the log holds.

    Attributes:
        what: a whole session, or parts of one.
        parts, characters: how much, of parts.
        holds: nobody has taken it back. What is taken back is there again, unless it was purged.
        purged: the log does not hold it any more: it can only be imported again.
    """

    event_id: str
    forgotten_at: datetime
    session_id: str
    what: Literal["session", "parts"]
    reason: str
    parts: int
    characters: int
    holds: bool
    purged: bool


class ForgettingListV1(WireModel):
    """Every word of forgetting, the newest first: by number and place, never by text."""

    schema_version: Literal["forgetting_list.v1"] = "forgetting_list.v1"
    forgettings: tuple[ForgettingV1, ...]


class KeptAwayV1(WireModel):
    """A message of which something is kept away, or a session's title (without a message).

    Attributes:
        private_blocks: how often ``[PRIVATE]`` stands in it.
        forgotten_spans, forgotten_characters: of its text and of its speaker's name.
    """

    session_id: str
    message_index: int | None
    private_blocks: int
    forgotten_spans: int
    forgotten_characters: int


class KeptAwayListV1(WireModel):
    """Where something is kept away, by number and place, never by text; sessions that are forgotten as a whole are left out."""

    schema_version: Literal["kept_away_list.v1"] = "kept_away_list.v1"
    places: tuple[KeptAwayV1, ...]


class UnforgetReportV1(WireModel):
    """What came back.

    Attributes:
        session_ids: the sessions that are there again, whole or with what was missing of them.
    """

    schema_version: Literal["unforget_report.v1"] = "unforget_report.v1"
    session_ids: tuple[str, ...]
    events: tuple[str, ...]
