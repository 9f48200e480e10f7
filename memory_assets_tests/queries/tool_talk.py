"""A session in which tools speak: a command that fails, a file that is read, and what a person says of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory_assets.configuration import Resources
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.sessions import SessionHeading, SessionIngested, SourceTakenFor
from memory_assets.projections.fold import catch_up
from memory_assets.sessions.model import Message
from memory_assets.settings import Settings
from memory_assets_tests.filled_store import test_settings

STARTED = datetime(2026, 3, 1, 9, tzinfo=UTC)
SOURCE = "/srv/talks/tools.jsonl"
MESSAGES = (
    Message("u0", "user", "said", "The build of `src/shop/app.py` fails since commit 1a2b3c4d5e. 배포가 안 된다."),
    Message("u1", "assistant", "tool_call", '{"command":"python -m shop"}', tool_name="Bash", tool_use_id="t1"),
    Message("u2", "tool", "tool_result", "ModuleNotFoundError: No module named 'shop'", tool_use_id="t1", is_error=True),
    Message("u3", "assistant", "tool_call", '{"file_path":"src/shop/app.py"}', tool_name="Edit", tool_use_id="t2"),
    Message("u4", "tool", "tool_result", "Error: File has not been read yet. Read it first.", tool_use_id="t2", is_error=True),
    Message("u5", "assistant", "tool_call", '{"file_path":"src/shop/app.py"}', tool_name="Edit", tool_use_id="t3"),
    Message("u6", "tool", "tool_result", "The file src/shop/app.py has been updated.", tool_use_id="t3"),
    Message("u7", "assistant", "tool_call", '{"command":"python -m shop"}', tool_name="Bash", tool_use_id="t4"),
    Message("u8", "tool", "tool_result", "shop is open", tool_use_id="t4"),
    Message("u9", "assistant", "said", "I changed `Shop.run_all()` in src/shop/app.py and docs/배포.md, and the build passes."),
)


def fill_with_tools(home: Path) -> Settings:
    """Make a store of this session."""
    settings = test_settings(home)
    tell_messages(settings, "tools-1", MESSAGES)
    return settings


def tell_messages(settings: Settings, session_id: str, messages: Sequence[Message]) -> None:
    """Add a session of these messages, one a minute, to a store."""
    database = Resources(settings).database
    ingested = NewEvent(
        SessionIngested(
            revision=1,
            heading=SessionHeading(
                source_format="claude_code",
                source_id=session_id,
                title="A build",
                project="shop",
                started_at=STARTED,
                parser_version="r1",
                redaction_policy="none",
            ),
            content_hash=session_id,
            messages=[replace(message, ts=STARTED + timedelta(minutes=n)) for n, message in enumerate(messages)],
        ),
        session_id=session_id,
        occurred_at=STARTED,
        project="shop",
    )
    taken = NewEvent(
        SourceTakenFor(registration_event_id=f"ev_{session_id}", uri=SOURCE, file_hash=session_id),
        session_id=session_id,
        inputs=(ingested.event_id,),
        chain_id=ingested.event_id,
        occurred_at=STARTED,
        project="shop",
    )
    EventLog(database).append([ingested, taken])
    catch_up(database, Resources(settings).configured_versions, resolve=True)
