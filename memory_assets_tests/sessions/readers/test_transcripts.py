"""Markdown transcripts: anybody's names, lists, quotations, times and letters; and pages that only look like one."""

from __future__ import annotations

import pytest

from memory_assets.sessions.model import SourceSkipped, SourceTaken
from memory_assets.sessions.reading import read_source

WORDS = ("배포는 금요일로 정했어.", "OK, Friday it is.", "Why not Monday?", "월요일은 휴일이야.")


def told(text: str) -> list[tuple[str | None, str, str]]:
    outcome = read_source("/notes/talk.md", text.encode())
    assert isinstance(outcome, SourceTaken), outcome
    assert outcome.source_format == "markdown"
    assert [defect for defect in outcome.defects if defect.reason != "missing_time"] == []
    return [(message.name, message.role, message.text) for message in outcome.sessions[0].messages]


@pytest.mark.parametrize(
    ("marks", "names", "roles"),
    [
        (("**Ann:** {}\n\n", "**Bob:** {}\n\n"), ("Ann", "Bob"), ("user", "user")),
        (("**지민**: {}\n", "**Claude**: {}\n"), ("지민", "Claude"), ("user", "assistant")),
        (("- **User:** {}\n", "- **Assistant:** {}\n"), ("User", "Assistant"), ("user", "assistant")),
        (("> **User**: {}\n>\n", "> **Assistant**: {}\n>\n"), ("User", "Assistant"), ("user", "assistant")),
        (("Q: {}\n", "A: {}\n\n"), ("Q", "A"), ("user", "assistant")),
        (("**Q:** {}\n", "**A:** {}\n\n"), ("Q", "A"), ("user", "assistant")),
        (("질문: {}\n", "답변: {}\n\n"), ("질문", "답변"), ("user", "assistant")),
        (("[10:00] Kim: {}\n", "[10:01] Lee: {}\n"), ("Kim", "Lee"), ("user", "user")),
        (("[10:00] User: {}\n", "[10:01] Assistant: {}\n"), ("User", "Assistant"), ("user", "assistant")),
        (("- [10:00] **Kim**: {}\n", "- [10:01] **Lee**: {}\n"), ("Kim", "Lee"), ("user", "user")),
    ],
)
def test_a_transcript_is_taken(marks: tuple[str, str], names: tuple[str, str], roles: tuple[str, str]) -> None:
    text = "# Weekly\n\n" + "".join(marks[place % 2].format(words) for place, words in enumerate(WORDS))
    assert [message for message in told(text) if message[1] != "system"] == [
        (names[place % 2], roles[place % 2], words) for place, words in enumerate(WORDS)
    ]


def test_what_follows_a_listed_or_quoted_mark_belongs_to_it() -> None:
    listed = "- **User:** one\n  two\n\n  ```\n  - **AI:** code\n  ```\n- **AI:** three\n- **User:** four\n- **AI:** five\n"
    assert told(listed)[0] == ("User", "user", "one\ntwo\n\n```\n- **AI:** code\n```")
    quoted = "> **Kim:** one\n> two\n> **Lee:** three\n> **Kim:** four\n> **Lee:** five\n"
    assert told(quoted)[0] == ("Kim", "user", "one\ntwo")


def test_a_day_and_time_before_a_name_is_when_it_was_said() -> None:
    text = "".join(f"[2026-03-0{n} 10:00:00] {name}: {n}\n" for n, name in enumerate(("Kim", "Lee", "Kim", "Lee"), start=1))
    outcome = read_source("/f", text.encode())
    assert isinstance(outcome, SourceTaken)
    assert [str(message.ts) for message in outcome.sessions[0].messages] == [
        f"2026-03-0{n} 10:00:00+00:00" for n in range(1, 5)
    ]


@pytest.mark.parametrize(
    "text",
    [
        # A glossary, a page's head, a record of changes, options weighed, two questions, one who talks alone.
        "# Terms\n\n- **Span:** a part\n- **Quote:** words\n- **Entry:** a memory\n- **Stage:** a step\n",
        "**Date:** today\n**Author:** Kim\n**Status:** done\n**Reviewer:** Lee\n",
        "## 1.1\n\n**Added:** a\n\n**Fixed:** b\n\n## 1.0\n\n**Added:** c\n\n**Fixed:** d\n",
        "## One\n\n**Pros:** a\n\n**Cons:** b\n\n## Two\n\n**Pros:** c\n\n**Cons:** d\n",
        "Q: Why?\nA: Because.\n",
        "**Note:** a\n\n**Note:** b\n\n**Note:** c\n\n**Note:** d\n",
        "Intro in prose.\n\n**Ann:** a\n\n**Bob:** b\n\n**Ann:** c\n\n**Bob:** d\n",
        "- **core:** faster\n- **cli:** kinder\n- **core:** smaller\n- **cli:** fixed\n",
        "10:00:01 INFO: up\n10:00:02 ERROR: down\n10:00:03 INFO: up\n10:00:04 ERROR: down\n",
        "User: root\nModel: gpt-4\n",
        "10:00 start: now\n10:05 then: this\n10:10 later: that\n10:15 end: over\n",
    ],
)
def test_what_only_looks_like_one_is_not(text: str) -> None:
    outcome = read_source("/f", text.encode())
    assert isinstance(outcome, SourceSkipped) and outcome.defect.reason == "not_a_session"
