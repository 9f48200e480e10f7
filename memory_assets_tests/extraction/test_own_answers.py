"""Answers in a person's own words to a question that leaves a choice to them."""

import pytest

from memory_assets.extraction.rules import extract_window
from memory_assets.extraction.schema import ExtractedEntry
from memory_assets.extraction.windows import windows
from memory_assets.sessions.model import Message
from memory_assets_tests.extraction.talk import agent, user

RECYCLED = "The default is 720h. Which do you want: keep never, or let nodes be recycled after 30 days?"
PLACES = "There are two ways. Do you want to do it in place or blue/green?"


def decided(*talk: Message) -> list[ExtractedEntry]:
    return [
        entry
        for window in windows(talk)
        for entry in extract_window(talk, window)
        if entry.entry_type == "decision" and len(entry.evidence) > 1 and entry.evidence[0].message_index == 2
    ]


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        (RECYCLED, "720h. we want them recycled, old AMIs bit us in the audit"),
        (PLACES, "blue green is too expensive w/ the RDS peering. in place. staging first obviously"),
        ("Right now rows are kept forever. Would 30 days with a nightly delete suit you?", "make it 90, disputes come in late"),
        ("재시도는 몇 번까지 할까요?", "ㅇㅋ 8회. 그담에 슬랙으로 알림"),
        ("키를 무엇으로 만들까요?", "orderId-attemptSeq 로"),
    ],
)
def test_the_answer_and_the_question_are_a_decision(asked: str, reply: str) -> None:
    (entry,) = decided(user("so"), agent(asked), user(reply), agent("OK."))
    assert entry.evidence[0].quote == reply and entry.evidence[1].quote in asked and entry.evidence[1].message_index == 1
    assert entry.title.startswith(entry.evidence[1].quote[:20])


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        (RECYCLED, "no idea, what do others do?"),
        (RECYCLED, "wait, is staging done?"),
        (RECYCLED, "The invoice export should contain the VAT column."),
        (PLACES, "ok"),
        ("Which log shows it?", "not now"),
        ("Would you like me to mark the PR as ready for review?", "ehh there's a new bug in it"),
        ("몇 번까지 할까요?", "ㄴㄴ 됐어 내가 할거야"),
        ("Which one?\nA) Keep it append-only\nB) Compact it every night", "3 files are missing"),
    ],
)
def test_what_answers_nothing_decides_nothing(asked: str, reply: str) -> None:
    assert decided(user("so"), agent(asked), user(reply), agent("OK.")) == []


def test_a_choice_may_follow_what_is_said_in_own_words() -> None:
    asked = "어떤 방식으로 할까요?\n\n1. 로그를 둔다\n2. 매일 밤 압축한다\n"
    talk = (
        user("so"),
        agent(asked),
        user("압축하는 방식이 낫지 않나"),
        agent("네, 그렇습니다."),
        user("2번으로"),
        agent("네."),
    )
    found = [
        entry for window in windows(talk) for entry in extract_window(talk, window) if entry.evidence[0].quote == "2번으로"
    ]
    assert [entry.evidence[1].quote for entry in found] == ["매일 밤 압축한다"]
