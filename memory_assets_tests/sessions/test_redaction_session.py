"""Masking a session: all its words, none of its ids."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from memory_assets.sessions.draft import Part, SessionDraft
from memory_assets.sessions.masking import redaction
from memory_assets.sessions.masking.clean_texts import CleanTexts
from memory_assets.sessions.masking.masked_ids import masked_id
from memory_assets.sessions.masking.redaction import Redacted, redact_session, redact_text
from memory_assets.sessions.masking.redaction_policy import RedactionPolicy, default_policy
from memory_assets.sessions.model import Message, Session, SourceTaken
from memory_assets.sessions.reading import read_source
from memory_assets.sessions.source import DefectLog

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


def test_texts_that_are_clean_are_looked_at_once_and_all_others_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    key, unclosed = "password: hunter2", "<private>no end"
    texts = ("안녕, 시작하자", key, "half a pair \ud83d of it", unclosed, "안녕, 시작하자!")
    session = replace(
        _CLEAN, messages=tuple(Message(uid=f"u{n}", role="user", kind="said", text=t) for n, t in enumerate(texts))
    )
    clean = CleanTexts()
    wanted = redact_session(session, default_policy(), path="a.jsonl")
    looked_at: list[str] = []

    def redacted(text: str, policy: RedactionPolicy) -> Redacted:
        looked_at.append(text)
        return redact_text(text, policy)

    monkeypatch.setattr(redaction, "redact_text", redacted)
    assert redact_session(session, default_policy(), path="a.jsonl", clean=clean) == wanted
    assert set(looked_at) > set(texts)
    looked_at.clear()
    assert redact_session(session, default_policy(), path="a.jsonl", clean=clean) == wanted
    assert looked_at == [key, unclosed]


def test_too_many_clean_texts_are_all_forgotten() -> None:
    clean = CleanTexts(most=3)
    for number in range(4):
        clean.add(f"text {number}")
    assert [f"text {number}" in clean for number in range(5)] == [False, False, False, True, False]


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


_KEY = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3lM6"
# No blank in the second half of a title's 80 characters, so that the cut goes through the key.
_LEAD = "see https://logs.example.com/of/the/deployment/of/yesterday/evening#"


@pytest.mark.parametrize(
    ("title", "secret"),
    [
        (f"{_LEAD}{_KEY} and fails", "ghp_"),
        (f"{_LEAD[:60]}/{_KEY}", "ghp_"),
        (f"from <private>{_LEAD * 3}</private> and what else", "deployment"),
    ],
)
def test_a_title_is_masked_before_it_is_cut(title: str, secret: str) -> None:
    draft = SessionDraft("s1", "chat.v1", title=title)
    draft.add_record("u1", [Part("user", "said", "안녕, 시작하자")], DefectLog("a.json"))
    session, _, _ = redact_session(draft.finish(DefectLog("a.json")), default_policy(), path="a.json")
    assert session.title is not None
    assert len(session.title) <= 80
    assert secret not in session.title


def test_a_title_out_of_a_later_message_is_masked_before_it_is_cut() -> None:
    """The session's first message came from another file, which tells more: the title is no longer the first one's."""
    draft = SessionDraft("s1", "chat.v1")
    draft.add_record("u2", [Part("user", "said", f"{_LEAD}{_KEY} and fails")], DefectLog("a.json"))
    session = draft.finish(DefectLog("a.json"))
    first = Message(uid="u1", role="user", kind="said", text="what came before that, in the other file")
    united = replace(session, messages=(first, *session.messages))
    masked, _, _ = redact_session(united, default_policy(), path="a.json")
    assert masked.title is not None
    assert "ghp_" not in masked.title


_LONG_TITLE = f"{_LEAD}{_KEY} and what else there is to say of the deployment of yesterday evening"
_TITLED: dict[str, str] = {
    "chat.v1": json.dumps(
        {
            "schema_version": "chat.v1",
            "session_id": "s1",
            "title": _LONG_TITLE,
            "messages": [{"role": "user", "content": "hello there", "ts": "2025-03-01T09:00:00Z"}],
        }
    ),
    "claude_code": "\n".join(
        json.dumps(record)
        for record in (
            {"type": "summary", "summary": _LONG_TITLE, "leafUuid": "u1"},
            {
                "type": "user",
                "uuid": "u1",
                "parentUuid": None,
                "sessionId": "s1",
                "timestamp": "2025-03-01T09:00:00Z",
                "message": {"role": "user", "content": "hello there"},
            },
        )
    ),
    "markdown": f"# {_LONG_TITLE}\n\n## User\n\nhello there\n\n## Assistant\n\nhello\n",
    "aider": f"# aider chat started at 2025-03-01 09:00:00\n\n#### {_LONG_TITLE}\n\nhello\n",
}


@pytest.mark.parametrize("source_format", list(_TITLED))
def test_the_title_of_every_format_is_cut_and_masked(source_format: str) -> None:
    taken = read_source("a", _TITLED[source_format].encode())
    assert isinstance(taken, SourceTaken)
    assert taken.source_format == source_format
    for session in taken.sessions:
        once, _, _ = redact_session(session, default_policy(), path="a")
        assert once.title is not None
        assert len(once.title) <= 80
        assert "ghp_" not in once.title and "aB3dE6" not in once.title
        # Masking again, as a rescan does, changes nothing.
        assert redact_session(once, default_policy(), path="a")[0].title == once.title
