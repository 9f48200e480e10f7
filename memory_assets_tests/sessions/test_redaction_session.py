"""Masking a session: all its words, none of its ids."""

from __future__ import annotations

from dataclasses import replace

from memory_assets.sessions.masked_ids import masked_id
from memory_assets.sessions.model import Message, Session
from memory_assets.sessions.redaction import redact_session
from memory_assets.sessions.redaction_policy import default_policy

_CLEAN = Session(
    session_id="s1",
    source_id="s1",
    source_format="claude_code",
    messages=(
        Message(uid="u1", role="user", kind="said", text="안녕, 시작하자"),
        Message(uid="u2", role="tool", kind="tool_result", text="ok", tool_name="Bash", tool_use_id="t1"),
    ),
    project="demo",
    title="first steps",
    cwd="/home/me/demo",
    git_branch="main",
)


def test_a_clean_session_is_unchanged() -> None:
    session, counts, defects = redact_session(_CLEAN, default_policy(), path="a.jsonl")
    assert (session, counts, defects) == (_CLEAN, {}, ())
    assert session.messages[0] is _CLEAN.messages[0]


def test_every_text_is_masked_and_counted() -> None:
    dirty = replace(
        _CLEAN,
        title="mail to bob@example.com",
        cwd="/srv/https://u:hunter2@h/x",
        messages=(
            Message(uid="a@b.io", role="user", kind="said", text="password: hunter2", name="bob@example.com"),
            Message(uid="u2", role="tool", kind="tool_result", text="<private>x</private>", tool_name="c@d.io"),
        ),
    )
    session, counts, defects = redact_session(dirty, default_policy(), path="a.jsonl")
    assert session.title == "mail to [EMAIL]"
    assert session.cwd == "/srv/https://u:[SECRET:url_password]@h/x"
    assert [message.text for message in session.messages] == ["password: [SECRET:password]", "[PRIVATE]"]
    assert (session.messages[0].name, session.messages[1].tool_name) == ("[EMAIL]", "[EMAIL]")
    assert [message.uid for message in session.messages] == [masked_id("a@b.io", lambda _: "[EMAIL]"), "u2"]
    assert session.messages[0].uid.startswith("masked-")
    assert counts == {"EMAIL": 4, "PRIVATE": 1, "SECRET:password": 1, "SECRET:url_password": 1}
    assert defects == ()
    assert redact_session(session, default_policy(), path="a.jsonl") == (session, {}, ())


def test_unclosed_private_is_a_defect_that_names_the_message_and_quotes_nothing() -> None:
    dirty = replace(_CLEAN, messages=(*_CLEAN.messages, Message(uid="u3", role="user", kind="said", text="<private>pst")))
    session, counts, defects = redact_session(dirty, default_policy(), path="a.jsonl")
    assert session.messages[2].text == "[PRIVATE]"
    assert counts == {"PRIVATE": 1}
    assert [(defect.path, defect.reason) for defect in defects] == [("a.jsonl", "unclosed_private")]
    assert "message 2" in defects[0].detail
    assert "pst" not in defects[0].detail
