"""A reply decides by what it answers: both are quoted; doubt, refusal and small talk decide nothing."""

import json
from dataclasses import replace

import pytest

from memory_assets.extraction.question_calls import holds_answers
from memory_assets.extraction.rules import extract_window
from memory_assets.extraction.schema import ExtractedEntry
from memory_assets.extraction.windows import shown_text, windows
from memory_assets.sessions.model import Message
from memory_assets_tests.extraction.talk import agent, user

OFFER = "The form fails on empty names. Want me to add a check for empty names to the login form?"
PROPOSAL = (
    "I'd go with a `SessionFileExtension()` method on the agent. The alternative would be a whole file name, but that"
    " bundles two things. Thoughts?"
)


def decisions(*talk: Message) -> list[list[str]]:
    found = [entry for window in windows(talk) for entry in extract_window(talk, window)]
    return [[quote.quote for quote in entry.evidence] for entry in found if entry.entry_type == "decision"]


@pytest.mark.parametrize("reply", ["yes", "Sure, do it.", "yes please", "go ahead", "네, 진행해줘.", "어 그렇게 해줘."])
def test_assent_takes_the_offer(reply: str) -> None:
    (quotes,) = decisions(user("so"), agent(OFFER), user(reply))
    assert quotes == [reply, "Want me to add a check for empty names to the login form?"]


@pytest.mark.parametrize(
    "reply",
    [
        "no",
        "yes, but why?",
        "not now",
        "아니, 하지 마",
        "Thanks!",
        "great work",
        "ok but don't do it yet",
        "응? 왜?",
        "hm, let me think",
    ],
)
def test_doubt_refusal_and_thanks_take_nothing(reply: str) -> None:
    assert all(OFFER[31:] not in quotes for quotes in decisions(user("so"), agent(OFFER), user(reply)))


def test_the_way_that_is_weighed_against_another_is_never_the_one_agreed_on() -> None:
    (quotes,) = decisions(user("so"), agent(PROPOSAL), user("yes, let's do that"))
    assert quotes[:2] == ["yes, let's do that", "I'd go with a `SessionFileExtension()` method on the agent."]
    assert not any("alternative" in quote for quote in quotes)


def test_what_is_over_with_its_turn_was_not_decided() -> None:
    asked = agent("The totals are right now. Want to push what we have and re-test, or refine the login form further?")
    assert not decisions(user("so"), asked, user("yeah let's push and re-test"))


def test_a_yes_to_an_offer_belongs_to_what_is_asked_for_beside_it() -> None:
    talk = (
        agent("The form is right but for one thing. 상점 항목의 오타 수정은 바로 해드릴까요?"),
        user("어 해줘. 그리고 상점의 필수 항목을 모두 명시해줘."),
        agent("오타를 고치고 필수 항목을 모두 명시했습니다."),
    )
    assert not decisions(user("so"), *talk)
    (task,) = [entry for window in windows(talk) for entry in extract_window(talk, window) if entry.entry_type == "task"]
    assert "어 해줘." in [quote.quote for quote in task.evidence]


def test_a_proposal_without_a_question_takes_an_order() -> None:
    asked = agent("Nothing uses them. You can safely delete lines 18–25 of the config.")
    assert decisions(user("so"), asked, user("Do it.")) == [["Do it.", "You can safely delete lines 18–25 of the config."]]
    assert not decisions(user("so"), asked, user("ok"))


def test_numbered_answers_to_numbered_questions() -> None:
    asked = agent(
        "1. Should `reindex` write the file into your folders?\n2. Fold the case only on macOS?\n\nWhich way on 1 and 2?"
    )
    assert decisions(user("so"), asked, user("1. yes\n2. no, on Windows too")) == [
        ["yes", "Should `reindex` write the file into your folders?"]
    ]


def test_a_numbered_answer_takes_what_the_agent_leans_to() -> None:
    asked = agent(
        "1. Should `reindex` write the file, or only read it? I lean toward **letting `reindex` read only**, but you may "
        "prefer that it writes.\n2. Fold the case of paths only on macOS, and leave those on Linux byte-exact? I'd recommend "
        "yes, paths that differ on Linux are different folders.\n3. Is it urgent? Nobody knows."
    )
    assert decisions(user("so"), asked, user("1. your way is fine\n2. no, on Windows too\n3. yes")) == [
        [
            "your way is fine",
            "I lean toward **letting `reindex` read only**",
            "Should `reindex` write the file, or only read it?",
        ],
        ["yes", "Is it urgent?"],
    ]
    # What an agent only says yes to is called by the question.
    assert decisions(user("so"), asked, user("1. your way is fine\n2. yes, only on macOS"))[1] == [
        "yes, only on macOS",
        "Fold the case of paths only on macOS, and leave those on Linux byte-exact?",
        "I'd recommend yes, paths that differ on Linux are different folders.",
    ]


def test_an_option_can_be_named_after_a_side_question() -> None:
    options = "어떤 방식으로 진행할까요?\n\n1. 모델을 바꾼 뒤 직접 실행\n2. subagent로 병렬 처리"
    talk = [user("so"), agent(options), user("이 모델은 얼마나 느려?"), agent("두 배쯤 느립니다."), user("2번 방식으로 해줘.")]
    assert ["2번 방식으로 해줘.", "subagent로 병렬 처리"] in decisions(*talk)


def dialog(text: str) -> Message:
    return Message("answer", "tool", "tool_result", text)


def test_answers_of_a_dialog() -> None:
    told = (
        'User has answered your questions: "어디에 둘까요?"="docs/guides 아래에", "Which format?"="YAML". You can now continue.'
    )
    assert holds_answers(dialog(told)) and shown_text(dialog(told)) == told
    assert decisions(user("so"), dialog(told)) == [['"어디에 둘까요?"="docs/guides 아래에"'], ['"Which format?"="YAML"']]
    assert not holds_answers(dialog("all tests pass"))


def test_an_answer_of_a_dialog_is_quoted_with_how_it_is_carried_out() -> None:
    told = 'User has answered your questions: "<role> 블록을 어떻게 처리하시겠습니까?"="Responsibilities 섹션으로 변환 (추천)".'
    did = "`<role>` 블록을 `## Responsibilities` 섹션으로 변환"
    asks = agent("먼저 물어보겠습니다.", uid="asks")
    talk = (user("so"), asks, dialog(told), agent(f"문서를 옮겼습니다:\n\n- {did}\n- 다른 블록은 그대로 유지"), user("고마워"))
    quoted = ['"<role> 블록을 어떻게 처리하시겠습니까?"="Responsibilities 섹션으로 변환 (추천)"', did]
    found = [[quote.quote for quote in entry.evidence] for window in windows(talk) for entry in extract_window(talk, window)]
    assert [quotes for quotes in found if did in quotes] == [quoted]
    assert quoted[:1] in decisions(*talk[:3], user("잠깐"), talk[3])


def test_answers_of_a_dialog_as_specstory_writes_them() -> None:
    text = "**One plan or two?**\n\nOptions:\n- **Combined** - one plan\n- **Separate** - two plans\n\n**Answer:** Combined"
    call = Message("q", "assistant", "tool_call", text, tool_name="AskUserQuestion")
    assert decisions(user("so"), call) == [["**Answer:** Combined", "**One plan or two?**", "- **Combined** - one plan"]]
    asked = Message("q", "assistant", "tool_call", json.dumps({"questions": []}), tool_name="AskUserQuestion")
    assert not holds_answers(asked)


def test_a_yes_to_an_offer_of_something_else_stays_one() -> None:
    offer = "Want me to add a rate limiter to the public API?"
    reply = user("Yes, do it. Also rename the config module to settings in the whole package please.")
    talk = (user("so"), agent(offer), reply, agent("I renamed the config module to settings."))
    assert any(offer in quotes for quotes in decisions(*talk))


def test_a_yes_to_an_offer_that_is_reported_done_is_a_task_of_its_own() -> None:
    talk = (
        agent("잘 반영하셨네요. 오타 수정은 바로 해드릴까요?"),
        user("어 해줘. 그리고 필드 전부 필수에 대한 항목을 명시해줘."),
        agent('두 가지 수정 완료했습니다:\n\n1. "쉽표" → "쉼표" 오타 수정\n2. 필드가 모두 필수임을 명확히 표기'),
    )
    assert not decisions(user("so"), *talk)
    found = [entry for window in windows(talk) for entry in extract_window(talk, window) if entry.entry_type == "task"]
    assert [(entry.title, entry.status) for entry in found] == [
        ("오타 수정은 바로 해드릴까요?", "done"),
        ("필드 전부 필수에 대한 항목을 명시해줘.", "done"),
    ]
    assert '"쉽표" → "쉼표" 오타 수정' in [quote.quote for quote in found[0].evidence]


def test_what_failed_or_says_the_opposite_carries_nothing_out() -> None:
    talk = (
        agent("상점 항목의 오타 수정은 바로 해드릴까요?"),
        user("어 해줘. 그리고 필드 전부 필수에 대한 항목을 명시해줘."),
        agent("필드가 모두 필수임을 명시했습니다.\n\n- 상점 항목의 오타 수정 실패\n"),
    )
    found = [entry for window in windows(talk) for entry in extract_window(talk, window)]
    assert all(
        "오타 수정 실패" not in [quote.quote[-8:] for quote in entry.evidence] for entry in found if entry.status == "done"
    )
    told = 'User has answered your questions: "What becomes of the cache of the reader?"="Enable the cache of the reader".'
    asks = agent("One question first.", uid="asks")
    talk = (user("so"), asks, dialog(told), agent("I changed the shop.\n\n- Disable the cache of the reader\n"))
    assert ['"What becomes of the cache of the reader?"="Enable the cache of the reader"'] in decisions(*talk)


def test_a_question_which_way_is_right_is_no_offer() -> None:
    asked = "Should I fold the path fix into the plan of the shop, or would you prefer a separate step?"
    text = f"**{asked}**\n\nOptions:\n- **Combined** - one plan\n- **Separate** - two plans\n\n**Answer:** Combined"
    call = Message("q", "assistant", "tool_call", text, tool_name="AskUserQuestion")
    talk = (
        user("Add the check of names to the login form."),
        call,
        agent("I added the check of names to the login form and folded the path fix in."),
    )
    assert [quotes[0] for quotes in decisions(*talk)] == ["**Answer:** Combined"]


def test_one_line_that_answers_several_questions() -> None:
    asked = (
        "**How much telemetry (MIP #4)?**\n\nOptions:\n"
        "- **New event + logging** - an event and a log\n- **Logging only** - a log\n\n"
        "**How bold should the merge be (MIP #5)?**\n\nOptions:\n"
        "- **Extract sub-helpers** - small ones\n- **Full merge** - one\n\n"
    )

    event, helpers = "- **New event + logging** - an event and a log", "- **Extract sub-helpers** - small ones"
    telemetry, merge = "**How much telemetry (MIP #4)?**", "**How bold should the merge be (MIP #5)?**"

    def told(answer: str) -> list[list[str]]:
        call = Message("q", "assistant", "tool_call", f"{asked}**Answer:** {answer}", tool_name="AskUserQuestion")
        return decisions(user("so"), call)

    both = 'New event + logging" selected preview:\n  an event, Extract sub-helpers" selected preview:\n+ row'
    line = "**Answer:** New event + logging"
    assert told(both) == [[event, telemetry, line], [helpers, merge, line]]
    assert told("as you like it") == [["**Answer:** as you like it"]]
    assert told("Full merge") == [["- **Full merge** - one", merge, "**Answer:** Full merge"]]
    # The options of a question behind it are no answer to one before it.
    assert told(f"as you like it\n\n{asked}**Answer:** Full merge")[0] == ["**Answer:** as you like it"]


def test_options_that_are_called_alike_are_told_apart() -> None:
    asked = (
        "**Which store?**\n\nOptions:\n- **Postgres** - one\n- **Postgres + Redis (Recommended)** - two\n\n"
        "**Which plan?**\n\nOptions:\n- **A** - one\n- **B** - two\n\n"
    )
    call = Message("q", "assistant", "tool_call", f"{asked}**Answer:** Postgres + Redis, none", tool_name="AskUserQuestion")
    assert decisions(user("so"), call) == [
        ["- **Postgres + Redis (Recommended)** - two", "**Which store?**", "**Answer:** Postgres + Redis, none"]
    ]


def test_an_option_of_two_questions_and_one_that_is_refused_are_not_taken() -> None:
    asked = (
        "**Use TypeScript?**\n\nOptions:\n- **Yes** - it\n- **No** - not\n\n"
        "**Which store?**\n\nOptions:\n- **Redis** - fast\n- **Postgres** - safe\n- **Yes** - any\n\n"
    )
    call = Message("q", "assistant", "tool_call", f"{asked}**Answer:** Yes, not Redis, Postgres", tool_name="AskUserQuestion")
    assert [quotes[0] for quotes in decisions(user("so"), call)] == ["- **Postgres** - safe"]
    alone = Message("q", "assistant", "tool_call", "**Choose a database**\n\n**Answer:** No", tool_name="AskUserQuestion")
    assert not decisions(user("so"), alone)


@pytest.mark.parametrize("reply", ["Yes, go with that.", "좋아, 진행하자."])
def test_who_takes_what_is_recommended_decides_it(reply: str) -> None:
    asked = agent("I recommend storing the sessions of the shop in Redis, which expires them. Do you want that?")
    talk = (user("Where do we store the sessions of the shop?"), asked, user(reply))
    told = [entry for window in windows(talk) for entry in extract_window(talk, window) if entry.evidence[0].message_index == 2]
    assert told and any("Redis" in quote.quote for quote in told[0].evidence)


def test_a_no_in_a_dialog_stays_a_decision() -> None:
    text = (
        "**Should I store the session tokens in Redis?**\n\nOptions:\n"
        "- **Yes** - in Redis\n- **No, keep Postgres** - as it is\n\n"
        "**Answer:** No, keep Postgres"
    )
    call = Message("q", "assistant", "tool_call", text, tool_name="AskUserQuestion")
    talk = (user("Please add session storage to the login service."), call, agent("I added session storage in Postgres."))
    assert ["**Answer:** No, keep Postgres"] in [quotes[:1] for quotes in decisions(*talk)]


def titles(*talk: Message) -> list[ExtractedEntry]:
    return [entry for window in windows(talk) for entry in extract_window(talk, window)]


def test_a_decision_is_called_by_what_was_taken() -> None:
    (found,) = titles(user("so"), agent(OFFER), user("yes"))
    assert found.title == "Want me to add a check for empty names to the login form?"


def test_answers_that_are_an_error_besides_are_not_shown() -> None:
    told = 'User has answered your questions: "Which store?"="Postgres with row locks".'
    assert shown_text(dialog(told)) and not shown_text(replace(dialog(told), is_error=True))
