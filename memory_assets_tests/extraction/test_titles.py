"""One line for people: what a sentence is about comes with it, and marks that say nothing of it go."""

from __future__ import annotations

import pytest

from memory_assets.extraction.rules import extract_window
from memory_assets.extraction.titles import MAX_TITLE, title_behind, title_of
from memory_assets.extraction.windows import windows
from memory_assets.sessions.model import Message
from memory_assets_tests.extraction.talk import agent, user


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("- **`RestoreLogsOnly`**: resolve it from `point.Agent`", "RestoreLogsOnly: resolve it from point.Agent"),
        ("Subagent로 병렬 실행 (추천)", "Subagent로 병렬 실행"),
        ("Extract sub-helpers (Recommended)", "Extract sub-helpers"),
        ("use it (recommended by the vendor)", "use it (recommended by the vendor)"),
        ("(추천)", "(추천)"),
        ("❌ Redis for the queue", "❌ Redis for the queue"),
        ("✅ **Done**: the watch command has the flag", "Done: the watch command has the flag"),
        ("⚠️ The name of the flag is long", "The name of the flag is long"),
        ("✅", "✅"),
        ("⚠️", "⚠️"),
        ("👨‍💻 fix the parser", "👨‍💻 fix the parser"),
        ("🚫 Force push to the main branch", "🚫 Force push to the main branch"),
        ("☐ open the port", "☐ open the port"),
        ("↑ latency", "↑ latency"),
        ("Got it - `mise run dup` task instead of a hook.", "mise run dup task instead of a hook."),
        ("Also... need to validate the argument", "need to validate the argument"),
        ("So then don't we NOT want it at all", "don't we NOT want it at all"),
        ("You're right — the file already lives there.", "the file already lives there."),
        ("네, monitoring.md를 옮기겠습니다.", "monitoring.md를 옮기겠습니다."),
        ("그리고 필드 전부를 명시해줘.", "필드 전부를 명시해줘."),
        ("so we don't need to change it each time", "so we don't need to change it each time"),
        ("So, at startup we check the file", "at startup we check the file"),
        ("So far it holds for two readers", "So far it holds for two readers"),
        ("Right click opens the menu", "Right click opens the menu"),
        ("OK button is missing", "OK button is missing"),
        ("Now that it fails, we stop", "Now that it fails, we stop"),
        ("But why?", "But why?"),
        ("No, use Redis here", "No, use Redis here"),
    ],
)
def test_marks_are_no_part_of_a_title(text: str, title: str) -> None:
    assert title_of(text) == title


def test_what_names_it_comes_first_and_leaves_room() -> None:
    assert title_behind("The cache is stale.", "Without this, reads fail.") == "The cache is stale. Without this, reads fail."
    assert title_behind("Base tree is unavailable", "This is logged.") == "Base tree is unavailable — This is logged."
    cut = title_behind("The cache is stale.", "Without this, " + "reads of every session fail and " * 7, may_cut=True)
    assert cut.startswith("The cache is stale. Without this, reads") and cut.endswith("…") and len(cut) <= MAX_TITLE
    assert title_behind("The cache is stale.", "It " + "fails " * 36).startswith("It fails")
    assert title_behind(
        "The cache of the session is " + "very " * 20 + "stale.", "It " + "fails " * 36, may_cut=True
    ).startswith("It fails")


def test_a_title_is_the_whole_sentence() -> None:
    said = "The reader of archives keeps the offset of the last line that it has read " + "and of each line before " * 4 + "too"
    assert MAX_TITLE > len(said) > 150 and title_of(said) == said


def titles(*talk: Message) -> list[tuple[str, str, str | None]]:
    return [(e.entry_type, e.title, e.status) for window in windows(talk) for e in extract_window(talk, window)]


@pytest.mark.parametrize(
    "said",
    [
        "`read_archive` swallows errors without a trace. For example, a torn archive is the root cause of the missing rows.",
        "Keep one workflow for the release of `core`. Or drop both, the registry allows one publisher: that is the root cause.",
        "`read_offset` falls back to the oldest one. Since this is the root cause of the stale rows, the cursor is reset.",
        "`read_offset`은 오래된 오프셋을 읽는다. 예를 들어 잘린 파일에서는 그것이 원인이 되어 행이 빠진다.",
    ],
)
def test_an_example_and_an_alternative_stand_behind_what_they_belong_to(said: str) -> None:
    first = said.split(". ")[0].replace("`", "")
    found = titles(user("so"), agent(said))
    assert [title for _, title, _ in found if title.startswith(first) and len(title) > len(first) + 20]


def test_a_question_that_finds_fault_stands_behind_what_it_finds_fault_with() -> None:
    first = [user("rewrite the token reader"), agent("I rewrite it now."), agent("The reader has six returns now.")]
    found = titles(
        *first, user("Why so many returns! Don't you read @CLAUDE.md ?"), agent("You're right, I'll use one exit point.")
    )
    assert [title for kind, title, _ in found if kind == "preference"] == ["Why so many returns! Don't you read @CLAUDE.md ?"]


@pytest.mark.parametrize(
    ("first", "ask"),
    [
        ("customers get charged twice sometimes, see PAY-2291.", "can u find out why"),
        ("the orders table is super laggy.", "make it not laggy"),
        ("we're double charging people.", "find out why, don't fix anything yet"),
        ("결제가 어제부터 두 번씩 승인돼.", "왜 그런지 확인해줘"),
        ("푸시를 누르면 흰 화면만 떠.", "원인부터 찾아줘"),
        ("p95 of the search went from 180 to 410ms.", "can u look, the repo is checked out here"),
    ],
)
def test_a_request_for_a_cause_is_called_by_what_is_told_first(first: str, ask: str) -> None:
    talk = [user(f"{first} two reports since monday. {ask}"), *(agent(f"I look at part {n}.") for n in "abcd")]
    (title,) = [title for kind, title, _ in titles(*talk) if kind == "task"]
    assert title.startswith(first) and title.endswith(ask)


def test_what_a_request_is_for_is_told_behind_the_request() -> None:
    asked = (
        "How much work would it be to ask each agent for its folders? so we don't need to change the list with every new agent"
    )
    found = titles(user(asked), agent("Done. Each agent names its folders, and the list is made of them."))
    assert [(kind, status) for kind, title, status in found if title.startswith("How much work")] == [("task", "done")]


def test_a_cause_brings_what_it_is_the_cause_of() -> None:
    said = "문서 16개의 YAML front matter가 한국어로 작성되었습니다. 원인은 두 가이드의 언어 정책이 서로 충돌하기 때문입니다."
    assert any(
        title.startswith("문서 16개의") and "원인은" in title
        for _, title, _ in titles(user("front matter가 왜 한국어로 되었는지 확인해줘"), agent(said))
    )
