"""Sessions that this package brought about itself are passed over by name."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_assets.defs.own_sessions import is_own_session
from memory_assets.extraction.window_request import request
from memory_assets.extraction.windows import windows
from memory_assets.sessions.model import Message, Session
from memory_assets.settings import Settings
from memory_assets_tests.defs.conftest import Import
from memory_assets_tests.defs.files import chat, claude, records, talk
from memory_assets_tests.defs.state import rows

HOME = Path("/home/someone/.memory")


def session(*texts: str, cwd: str | None = None) -> Session:
    messages = tuple(Message(f"u{place}", "user", "said", text) for place, text in enumerate(texts))
    return Session("s", "s", "claude_code", messages, cwd=cwd, started_at=datetime(2025, 1, 1, tzinfo=UTC))


def asked() -> list[str]:
    """What an extraction model is really sent."""
    messages = [Message(f"u{place}", "user", "said", text) for place, text in enumerate(talk(1))]
    (window,) = windows(messages)
    return [part["content"] for part in request(messages, window)]


def test_our_requests_are_known_however_they_are_recorded() -> None:
    system, user = asked()
    assert is_own_session(session(user, '{"entries": []}'), HOME)
    assert is_own_session(session(system, user), HOME)
    assert is_own_session(session(f"{system}\n\n{user}"), HOME)


def test_what_people_say_of_them_is_not() -> None:
    _, user = asked()
    assert not is_own_session(session("Why does the prompt say <<<message 3 user>>>?", "Because."), HOME)
    assert not is_own_session(session("hello", "what do you see?", user), HOME), "a request pasted later on is talk about it"
    assert not is_own_session(session("hello", cwd="/home/someone/.memory-notes"), HOME)
    assert not is_own_session(session("hello", cwd="work"), HOME)
    assert is_own_session(session("hello", cwd="/home/someone/.memory/dagster"), HOME)


@pytest.mark.long
def test_they_are_passed_over_and_their_neighbours_taken(inbox: Path, settings: Settings, take: Import) -> None:
    _, user = asked()
    chat(inbox, "asked", [user, '{"entries": []}'])
    inside = records("inside", talk(3), cwd=str(settings.home / "dagster"))
    claude(inbox, "two.jsonl", [*inside, *records("beside", talk(4))])
    report = take(inbox)
    assert (report.sessions, report.new, report.skipped, report.quarantined) == (1, 1, 2, 0)
    reasons = {(Path(warning["path"]).name, warning["reason"]) for warning in report.warnings}
    assert reasons == {("asked.json", "own_session"), ("two.jsonl", "own_session")}
    assert rows(settings, "SELECT session_id FROM sessions") == [("beside",)]
    assert take(inbox).events_appended == 0
