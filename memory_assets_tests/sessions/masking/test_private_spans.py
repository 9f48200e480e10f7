"""A private block that a reader cuts into several messages is private all the same."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory_assets.sessions.masking.redaction import redact_session
from memory_assets.sessions.masking.redaction_policy import default_policy
from memory_assets.sessions.model import Session, SourceTaken
from memory_assets.sessions.reading import read_source

SECRETS = ("ALPHA", "BRAVO", "CHARLIE")


def claude(content: Any) -> bytes:
    records = [
        {
            "type": "user",
            "uuid": f"u{number}",
            "sessionId": "s",
            "timestamp": "2026-01-01T00:00:00Z",
            "message": {"role": "user", "content": said},
        }
        for number, said in enumerate((content, "We keep PostgreSQL."))
    ]
    return "\n".join(json.dumps(record) for record in records).encode()


def codex(*texts: str) -> bytes:
    def item(*parts: str) -> str:
        content = [{"type": "input_text", "text": part} for part in parts]
        return json.dumps(
            {
                "timestamp": "2026-01-01T00:00:00Z",
                "type": "response_item",
                "payload": {"type": "message", "role": "user", "content": content},
            }
        )

    meta = {"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": "s"}}
    return "\n".join([json.dumps(meta), item(*texts), item("We keep PostgreSQL.")]).encode()


BLOCK = "before <private>ALPHA\n<system-reminder>BRAVO</system-reminder>\nCHARLIE</private> after"
FILES = {
    "claude_code, a reminder inside": claude(BLOCK),
    "claude_code, two blocks of text": claude([{"type": "text", "text": "before <private>ALPHA"},
                                               {"type": "text", "text": "BRAVO CHARLIE</private> after"}]),
    "codex, two blocks of text": codex("before <private>ALPHA BRAVO", "CHARLIE</private> after"),
    "markdown": b"**User:** before <private>ALPHA\n\n**Assistant:** BRAVO\n\n**User:** CHARLIE</private> after\n\n"
                b"**Assistant:** We keep PostgreSQL.\n",
    "aider": b"# aider chat started at 2026-01-01 00:00:00\n\n#### before <private>ALPHA\n####\n#### BRAVO\nCHARLIE\n"
             b"#### </private> after\n\nWe keep PostgreSQL.\n",
}  # fmt: skip


def masked(data: bytes) -> tuple[Session, dict[str, int]]:
    outcome = read_source("/f", data)
    assert isinstance(outcome, SourceTaken), outcome
    session, counts, _ = redact_session(outcome.sessions[0], default_policy(), path="/f")
    return session, counts


@pytest.mark.parametrize("name", FILES)
def test_no_part_of_a_block_is_left(name: str) -> None:
    session, counts = masked(FILES[name])
    said = " ".join([session.title or "", *(message.text for message in session.messages)])
    assert not [secret for secret in SECRETS if secret in said]
    assert "before" in said and "after" in said and "We keep PostgreSQL." in said
    assert counts["PRIVATE"] >= 1


def test_a_title_is_taken_from_what_is_left() -> None:
    session, _ = masked(claude("<private>\nALPHA BRAVO CHARLIE\n</private>"))
    assert session.title == "[PRIVATE]"


def test_tags_in_different_records_of_a_log_are_no_block() -> None:
    records = [claude("what does <private> do?"), claude("it ends with </private>")]
    lines = [json.loads(data.split(b"\n")[0]) for data in records]
    lines[1]["uuid"] = "u9"
    between = dict(lines[0], uuid="u5", message={"role": "assistant", "content": "an hour of work"})
    session, _ = masked("\n".join(json.dumps(line) for line in (lines[0], between, lines[1])).encode())
    assert [message.text for message in session.messages] == [
        "what does [PRIVATE]",
        "an hour of work",
        "it ends with </private>",
    ]


def test_a_tool_s_tags_take_nothing_away() -> None:
    text = (
        "**User:** go\n\n**Assistant:** found <private> in code\n\n**User:** an hour of work\n\n"
        "**Assistant:** and </private> here\n"
    )
    session, _ = masked(text.encode())
    assert "an hour of work" in [message.text for message in session.messages]
