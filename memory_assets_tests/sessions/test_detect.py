from __future__ import annotations

import json

import pytest

from memory_assets.sessions.detect import detect
from memory_assets.sessions.model import SourceSkipped, SourceTaken
from memory_assets.sessions.reading import read_source
from memory_assets_tests.sessions.texts import ALL, CHATGPT, CLAUDE, CONVERSATION

README = """# Shop

A web shop. User: see below. Assistant: none.

## User guide

- **User**: the one who buys
- **Model:** the product's model

```text
User: hi
Assistant: hello
```

## FAQ

Q: Why?
A: Because.
"""


@pytest.mark.parametrize("name", ALL)
def test_the_format_is_told_by_the_content_whatever_the_name(name: str) -> None:
    outcome = read_source("/logs/nothing.bin", ALL[name])
    assert isinstance(outcome, SourceTaken)
    assert outcome.source_format == name


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("prefix", [b"\xef\xbb\xbf", b"\n\n", b"\xef\xbb\xbf\r\n \r\n"])
def test_marks_and_blank_lines_before_the_content_do_not_matter(name: str, prefix: bytes) -> None:
    plain, prefixed = read_source("/f", ALL[name]), read_source("/f", prefix + ALL[name])
    assert isinstance(plain, SourceTaken) and isinstance(prefixed, SourceTaken)
    assert prefixed.sessions == plain.sessions


@pytest.mark.parametrize("name", ALL)
def test_crlf_gives_the_same_messages(name: str) -> None:
    plain, crlf = read_source("/f", ALL[name]), read_source("/f", ALL[name].replace(b"\n", b"\r\n"))
    assert isinstance(plain, SourceTaken) and isinstance(crlf, SourceTaken)
    assert crlf.sessions == plain.sessions


def test_utf16_is_read() -> None:
    outcome = read_source("/f", ALL["markdown"].decode().encode("utf-16"))
    assert isinstance(outcome, SourceTaken)
    assert outcome.sessions[0].messages[0].text.startswith("배포는 금요일")


@pytest.mark.parametrize(
    "text",
    [
        README,
        '{"name": "package", "version": "1.0.0"}',
        '{"type": "click", "sessionId": "s"}\n{"type": "view", "sessionId": "s"}\n',
        '[{"id": 1}, {"id": 2}]',
        '{"messages": [{"role": "user", "content": "a training example"}]}',
        "[link](target)\n\nprose",
        "name: shop\nuser: root\nmodel: x\n",
        "\x7fELF\x00\x01\x02",
        "Just some notes.\n\nUser: mentioned late\nAssistant: too\n",
        "[" * 5000,
        "{" * 5000,
    ],
)
def test_what_is_no_session(text: str) -> None:
    assert detect(text) is None
    outcome = read_source("/f.md", text.encode())
    assert isinstance(outcome, SourceSkipped)
    assert outcome.defect.reason == "not_a_session"


@pytest.mark.parametrize(
    ("dialogue", "count"),
    [
        ("**User:** hi\n\n**Assistant:** hello\n", 2),
        ("**사용자**: 안녕\n\n**어시스턴트**: 네\n\n**사용자**: 응\n", 3),
        ("User: hi\nAssistant: hello\nmore\nUser: bye\n", 3),
        ("나：안녕\n클로드：네, 안녕하세요\n", 2),
        ("# 제목\n\n나: 안녕\n어시스턴트: 네\n", 2),
        ("### 👤 User\n\nhi\n\n### 🤖 Assistant\n\nhello\n", 2),
        ("## You said:\n\nhi\n\n## ChatGPT said:\n\nhello\n", 2),
        ("#### Human\nhi\n\n#### Claude 3.5 Sonnet\nhello\n", 2),
    ],
)
def test_plain_dialogues(dialogue: str, count: int) -> None:
    outcome = read_source("/f.md", dialogue.encode())
    assert isinstance(outcome, SourceTaken)
    messages = outcome.sessions[0].messages
    assert [message.role for message in messages] == ["user", "assistant", "user"][:count]
    assert all(message.kind == "said" and message.text for message in messages)


def test_a_single_conversation_and_a_log_whose_first_record_is_damaged() -> None:
    assert detect(json.dumps(CONVERSATION)) == "chatgpt"
    assert detect(json.dumps(json.loads(CHATGPT), indent=2)) == "chatgpt"
    assert detect('{"broken\n' + CLAUDE.decode()) == "claude_code"
    assert detect("garbage\n" + CLAUDE.decode()) == "claude_code"
