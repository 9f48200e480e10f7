from __future__ import annotations

import json
from typing import Any

import pytest

from memory_assets.sessions.model import Message, Session, SourceSkipped, SourceTaken
from memory_assets.sessions.reading import read_source
from memory_assets_tests.sessions.texts import (
    AIDER,
    CHAT_V1,
    CHATGPT,
    CODEX,
    CONVERSATION,
    MARKDOWN,
    SESSION,
    SPECSTORY,
    chat,
    jsonl,
)


def taken(data: bytes) -> SourceTaken:
    outcome = read_source("/logs/대화 1", data)
    assert isinstance(outcome, SourceTaken), outcome
    return outcome


def session(data: bytes) -> Session:
    (found,) = taken(data).sessions
    return found


def told(messages: tuple[Message, ...]) -> list[tuple[str, str, str]]:
    return [(message.role, message.kind, message.text) for message in messages]


def test_codex_says_everything_once_and_loses_nothing() -> None:
    found = session(CODEX)
    assert told(found.messages) == [
        ("user", "injected", "<environment_context>\ncwd\n</environment_context>"),
        ("user", "said", "Use pnpm, not npm."),
        ("assistant", "said", "Only the screen showed this."),
        ("assistant", "tool_call", '{"cmd":"pnpm i"}'),
        ("tool", "tool_result", "Process exited with code 2\nOutput:\nno lockfile"),
        ("assistant", "said", "The lockfile is missing."),
    ]
    assert [message.uid for message in found.messages] == list("012345")
    assert found.ordinal_uids
    assert found.messages[4].is_error
    assert (found.session_id, found.project, found.git_branch) == ("codex-session-1", "shop", "dev")
    assert found.title == "Use pnpm, not npm."


def test_an_early_rollout_of_bare_items() -> None:
    data = jsonl(
        {"id": "old-1", "timestamp": "2025-05-01T00:00:00Z", "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "계속"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "계속"}]},
    )
    outcome = taken(data)
    assert outcome.source_format == "codex"
    assert [message.text for message in outcome.sessions[0].messages] == ["계속", "계속"]
    assert outcome.defects == ()


def test_chatgpt_keeps_the_path_and_what_was_left_beside_it() -> None:
    outcome = taken(CHATGPT)
    assert [found.session_id for found in outcome.sessions] == ["conv-1", "conv-2"]
    first = outcome.sessions[0]
    assert [(message.uid, message.text, message.sidechain) for message in first.messages] == [
        ("n1", "부산 숙소 추천해줘", False),
        ("n2", "첫 답 (버려진 가지)", True),
        ("n3", "해운대가 좋습니다.", False),
        ("n4", "감사", False),
    ]
    assert first.title == "여행 계획"
    lost = {**CONVERSATION, "current_node": None}
    said = session(json.dumps([lost]).encode()).messages
    assert [message.uid for message in said if not message.sidechain] == ["n1", "n3", "n4"]


def test_a_cycle_in_a_chatgpt_tree_ends() -> None:
    mapping = {**CONVERSATION["mapping"], "root": {"parent": "n4", "message": None}}
    found = session(json.dumps([{**CONVERSATION, "mapping": mapping}]).encode())
    assert [message.uid for message in found.messages] == ["n1", "n2", "n3", "n4"]


def test_a_half_written_chatgpt_export_keeps_its_whole_conversations() -> None:
    outcome = taken(CHATGPT[: len(CHATGPT) * 3 // 4])
    assert [found.session_id for found in outcome.sessions] == ["conv-1"]
    assert {defect.reason for defect in outcome.defects} <= {"truncated_record", "malformed_record"}
    assert outcome.defects


def test_specstory_tells_words_thoughts_calls_and_results_apart() -> None:
    found = session(SPECSTORY)
    assert found.session_id == SESSION
    assert told(found.messages) == [
        ("user", "said", "Please keep answers in English, 주석은 한국어로."),
        ("assistant", "thinking", "English, Korean comments."),
        ("assistant", "said", "Reading the file first."),
        ("assistant", "tool_call", "path `notes.md`"),
        ("tool", "tool_result", "_**User (2020-01-01 00:00:00Z)**_\n\nquoted, not said"),
        ("assistant", "said", "A sub-agent answers."),
        ("user", "said", "ok"),
    ]
    assert [message.sidechain for message in found.messages] == [False] * 5 + [True, False]
    assert all(message.ts is not None for message in found.messages)


def test_a_specstory_time_that_cannot_be_is_named() -> None:
    outcome = taken(SPECSTORY.replace(b"_**User (2026-03-03 11:01:00Z)**_", b"_**User (2026-99-03 11:01:00Z)**_"))
    assert [defect.reason for defect in outcome.defects] == ["invalid_time"]
    assert outcome.sessions[0].messages[-1].text == "ok"


def test_aider_has_a_session_for_each_start_that_says_something() -> None:
    found = session(AIDER)
    assert told(found.messages) == [
        ("system", "injected", "Aider v0.86.1"),
        ("user", "said", "add a limit of 20\nand a test"),
        ("assistant", "said", "I will add it.\n\n#### A heading of the model's\n\n> a quotation of the model's"),
        ("system", "injected", "Applied edit to app.py"),
        ("user", "said", "/commit"),
    ]
    assert found.started_at is not None and found.started_at.isoformat() == "2026-03-04T08:05:00+00:00"
    assert read_source("/elsewhere", AIDER).sessions == (found,)  # type: ignore[union-attr]
    assert taken(AIDER).defects == ()


def test_aider_without_its_trailing_blanks() -> None:
    stripped = b"\n".join(line.rstrip() for line in AIDER.split(b"\n")).replace(b"#### A heading of the model's\n\n", b"")
    found = session(stripped)
    assert [message.text for message in found.messages if message.role == "user"] == [
        "add a limit of 20\nand a test",
        "/commit",
    ]


def test_plain_markdown_with_frontmatter() -> None:
    found = session(MARKDOWN)
    assert (found.session_id, found.project, found.title) == ("weekly-3", "shop", "주간 회의")
    assert told(found.messages) == [
        ("user", "said", "배포는 금요일로 정했어.\n\n```text\n## Assistant\nnot a turn\n```"),
        ("assistant", "said", "알겠습니다. 금요일 배포.\n\n### Notes\n\n1. one"),
    ]
    assert found.messages[1].ts is not None


def test_plain_markdown_without_an_id_is_named_by_its_path() -> None:
    found = session(b"# Notes\n\n**User:** hi\n\n---\n\n**Assistant:** hello\n")
    assert found.source_id == "/logs/대화 1"
    assert found.title == "Notes"
    assert [message.text for message in found.messages] == ["hi", "hello"]


def test_chat_v1_takes_what_it_is_given() -> None:
    outcome = taken(chat())
    (found,) = outcome.sessions
    assert (found.session_id, found.project) == ("team-chat-1", "shop")
    assert [(m.uid, m.role, m.name, m.text) for m in found.messages] == [
        ("m1", "user", "지민", "API는 v2로 고정."),
        ("m2", "assistant", None, ""),
        ("m3", "assistant", None, "고정했습니다."),
    ]
    assert found.started_at is not None and found.started_at.isoformat() == "2026-03-06T00:00:00+00:00"
    assert outcome.defects == ()


def messages_of(*messages: Any) -> bytes:
    return chat(messages=list(messages))


def test_chat_v1_defects() -> None:
    outcome = taken(
        messages_of(
            {"role": "user", "content": "one", "ts": "2026-03-06T00:00:00Z"},
            {"role": "wizard", "content": [{"type": "text", "text": "two"}], "ts": "2026-03-06T00:00:00Z"},
            {"role": "human", "content": "three"},
            {"role": "ai", "content": "four", "ts": "soon"},
            "five",
            {"role": "user"},
        )
    )
    (found,) = outcome.sessions
    assert found.ordinal_uids
    assert [(m.uid, m.role, m.text) for m in found.messages] == [
        ("0", "user", "one"),
        ("1", "user", "two"),
        ("2", "user", "three"),
        ("3", "assistant", "four"),
    ]
    assert sorted(defect.reason for defect in outcome.defects) == [
        "invalid_time",
        "malformed_record",
        "malformed_record",
        "missing_time",
        "unknown_record",
    ]


def test_a_chat_without_any_time_is_one_defect() -> None:
    outcome = taken(messages_of(*({"role": "user", "content": str(n)} for n in range(5))))
    assert [defect.reason for defect in outcome.defects] == ["missing_time"]


def test_a_damaged_chat_keeps_what_can_be_read() -> None:
    text = json.dumps(CHAT_V1, ensure_ascii=False, indent=1)
    half = taken(text[: text.index("고정했습니다")].encode())
    assert [message.uid for message in half.sessions[0].messages] == ["m1", "m2"]
    assert [(defect.reason, defect.line) for defect in half.defects] == [("truncated_record", 20)]
    damaged = taken(text.replace('"id": "m2"', '"id": ?').encode())
    assert [message.uid for message in damaged.sessions[0].messages] == ["m1", "m3"]
    assert [defect.reason for defect in damaged.defects] == ["malformed_record"]


def test_a_chat_whose_id_is_no_key() -> None:
    found = session(chat(session_id="회의 / 1"))
    assert found.source_id == "회의 / 1"
    assert found.session_id.startswith("1-") or found.session_id.startswith("chat.v1-")
    nameless = taken(chat(session_id=None))
    assert [defect.reason for defect in nameless.defects] == ["invalid_session_id"]


CHATS = [
    {"schema_version": "chat.v1", "session_id": f"many-{n}", "messages": [{"id": "a", "role": "user", "content": f"말 {n}"}]}
    for n in range(3)
]


def test_a_chat_v1_file_may_hold_several_sessions() -> None:
    as_lines = "\n".join(json.dumps(chat, ensure_ascii=False) for chat in CHATS).encode()
    as_list = json.dumps(CHATS, ensure_ascii=False).encode()
    for data in (as_lines, as_list):
        outcome = taken(data)
        assert outcome.source_format == "chat.v1"
        assert [found.session_id for found in outcome.sessions] == ["many-0", "many-1", "many-2"]
        assert [found.messages[0].text for found in outcome.sessions] == ["말 0", "말 1", "말 2"]


def test_a_damaged_line_among_chat_v1_lines_is_named_and_the_others_are_taken() -> None:
    lines = [json.dumps(chat, ensure_ascii=False) for chat in CHATS]
    lines[1] = lines[1][:40]
    outcome = taken("\n".join(lines).encode())
    assert [found.session_id for found in outcome.sessions] == ["many-0", "many-2"]
    assert [(defect.line, defect.reason) for defect in outcome.defects] == [
        (1, "missing_time"),
        (2, "malformed_record"),
        (3, "missing_time"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(json.dumps(chat, indent=2) for chat in CHATS),
        "[\n" + ",\n".join(json.dumps(chat) for chat in CHATS) + "\n]",
        "\n".join(json.dumps(chat) for chat in [*CHATS, CHATS[0]]),
    ],
)
def test_sessions_one_behind_the_other_are_all_taken_without_a_warning(text: str) -> None:
    outcome = taken(text.encode())
    assert [found.session_id for found in outcome.sessions] == ["many-0", "many-1", "many-2"]
    assert {defect.reason for defect in outcome.defects} == {"missing_time"}


def test_a_second_session_that_is_cut_off_is_named() -> None:
    outcome = taken(f"{json.dumps(CHATS[0])}\n{json.dumps(CHATS[1])[:12]}".encode())
    assert [found.session_id for found in outcome.sessions] == ["many-0"]
    assert [(defect.line, defect.reason) for defect in outcome.defects][-1] == (2, "truncated_record")


def test_what_stands_behind_the_json_is_named() -> None:
    outcome = taken(f"{json.dumps(CHATS[0], indent=1)}\nrubbish }}".encode())
    assert [defect.reason for defect in outcome.defects if defect.reason != "missing_time"] == ["malformed_record"]


def test_a_session_that_a_file_tells_twice_is_all_that_it_tells() -> None:
    grown = {**CHATS[0], "messages": [*CHATS[0]["messages"], {"id": "b", "role": "assistant", "content": "네"}]}
    for chats in ([CHATS[0], grown], [grown, CHATS[0]]):
        (found,) = taken(json.dumps(chats).encode()).sessions
        assert [message.text for message in found.messages] == ["말 0", "네"]
    other = {**CHATS[0], "messages": [{"id": "z", "role": "user", "content": "something else"}]}
    outcome = taken(json.dumps([CHATS[0], other]).encode())
    assert "unrelated_history" in {defect.reason for defect in outcome.defects}
    assert [[message.text for message in session.messages] for session in outcome.sessions] == [["말 0", "something else"]]


@pytest.mark.parametrize("indent", [None, 1])
def test_damage_in_one_conversation_of_an_export_leaves_the_others(indent: int | None) -> None:
    conversations = [{**CONVERSATION, "title": f"t{n}", "conversation_id": f"conv-{n}"} for n in range(4)]
    text = json.dumps(conversations, indent=indent, ensure_ascii=False)
    at = text.index('"mapping"', text.index('"t1"')) + len('"mapping": {"')
    outcome = taken((text[:at] + '"' + text[at:]).encode())
    assert {"conv-0", "conv-2", "conv-3"} <= {found.source_id for found in outcome.sessions}
    assert "malformed_record" in {defect.reason for defect in outcome.defects}


def test_sessions_without_an_id_are_known_by_their_place() -> None:
    nameless = [{**chat, "session_id": None} for chat in CHATS]
    assert len({found.session_id for found in taken(json.dumps(nameless).encode()).sessions}) == 3


@pytest.mark.parametrize("indent", [None, 2])
def test_a_defect_of_a_whole_file_format_is_named_by_its_line(indent: int | None) -> None:
    messages = [{"id": f"m{n}", "role": "user", "content": f"{n}", "ts": "2026-01-01T00:00:00Z"} for n in range(4)]
    messages[1]["ts"] = "soon"
    messages[3]["ts"] = "later"
    value = {"schema_version": "chat.v1", "session_id": "s", "note": ["[", {"}": 1}], "messages": messages}
    for document in (value, [CHATS[0], value]):
        text = json.dumps(document, indent=indent)
        lines = [text[: text.index(f'"id": "{uid}"')].rstrip(" {\n").count("\n") + 2 for uid in ("m1", "m3")]
        expected = lines if indent else [1, 1]
        told = [defect.line for defect in taken(text.encode()).defects if defect.reason == "invalid_time"]
        assert told == expected


def test_a_chatgpt_message_with_an_impossible_time_is_named_by_its_line() -> None:
    value = json.loads(CHATGPT)
    node = next(key for key, node in value[0]["mapping"].items() if node.get("message") and node["message"].get("create_time"))
    value[0]["mapping"][node]["message"]["create_time"] = "soon"
    text = json.dumps(value, indent=1, ensure_ascii=False)
    (defect,) = [defect for defect in taken(text.encode()).defects if defect.reason == "invalid_time"]
    assert text.split("\n")[(defect.line or 0) - 1].strip() == f'"{node}": {{'


@pytest.mark.parametrize("content", ["[" * 100_000, '{"a":' * 100_000, "9" * 5_000])
def test_what_keeps_every_message_away_is_named(content: str) -> None:
    text = f'{{"schema_version": "chat.v1",\n"session_id": "s",\n"messages": [{{"role": "user", "content": {content}}}]}}'
    outcome = read_source("/f", text.encode())
    assert isinstance(outcome, SourceSkipped)
    assert outcome.defect.reason in ("malformed_record", "truncated_record") and outcome.defect.line == 3
