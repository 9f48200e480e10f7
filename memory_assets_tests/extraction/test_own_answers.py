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
        ("Should I keep the old AMIs, or recycle them after 30 days?", "no, recycle them after 60 days"),
        ("Should the timeout be 30 seconds?", "60, the load balancer cuts at 65"),
        ("Should I use Postgres or SQLite for it?", "postgres"),
        ("Redis와 인메모리 중 무엇으로 할까요?", "redis"),
    ],
)
def test_the_answer_and_the_question_are_a_decision(asked: str, reply: str) -> None:
    (entry,) = decided(user("so"), agent(asked), user(reply), agent("OK."))
    assert entry.evidence[0].quote == reply and entry.evidence[1].quote in asked and entry.evidence[1].message_index == 1
    assert entry.title.startswith(entry.evidence[1].quote[:20])


KEPT = "Should I keep the old AMIs, or recycle them after 30 days?"
CACHE = "캐시를 유지할까요, 아니면 30일 뒤에 지울까요?"
NO_ANSWER = (
    "hmm", "cool", "/clear", "good question", "explain", "tests fail", "where is the log",
    "why keep them", "what are AMIs here",
    "can you explain the AMIs first", "actually no", "none of them", "you decide", "I have to think about the AMIs",
    "let me check with the team on AMIs", "the second build has 3 errors", "the AMIs page returns 404 for me",
    "Error: connect ECONNREFUSED 127.0.0.1:5432", "no idea, what do others do?", "wait, is staging done?", "ok",
    "The invoice export should contain the VAT column.", "please recycle the AMIs of staging and fix the header",
)  # fmt: skip
WAYS = "Should I use Postgres or SQLite for it?"
NO_CHOICE = (
    *("the postgres container is stopped", "postgres was down yesterday", "I dislike postgres", "sqlite is too slow for us"),
    *("anything but sqlite", "we tried postgres and it was slow", "postgres로 하면 비용이 얼마야", "sqlite는 안 써"),
)
NO_KOREAN_ANSWER = (
    *("잘 모르겠어", "몰라", "알아서 해", "아무거나", "생각 좀 해볼게", "캐시가 뭐야", "캐시 왜 안돼", "로그 보여줘"),
    "ㄴㄴ 됐어 내가 할거야",
)


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        *((KEPT, reply) for reply in NO_ANSWER),
        *((CACHE, reply) for reply in NO_KOREAN_ANSWER),
        *((WAYS, reply) for reply in NO_CHOICE),
        ("Which log shows it?", "not now"),
        ("Which of the two files is failing?", "both"),
        ("Do you see the error in the browser or the terminal?", "terminal"),
        ("What should I look at next?", "look at login.py"),
        ("무엇을 도와드릴까요?", "로그인 버그 고쳐줘"),
        ("언제부터 그랬을까요?", "3일 전"),
        ("Would you like me to mark the PR as ready for review?", "ehh there's a new bug in it"),
        ("Which one?\nA) Keep it append-only\nB) Compact it every night", "3 files are missing"),
    ],
)
def test_what_answers_nothing_decides_nothing(asked: str, reply: str) -> None:
    assert decided(user("so"), agent(asked), user(reply), agent("OK.")) == []


def test_the_answer_behind_a_yes_on_its_own_line_is_quoted() -> None:
    (entry,) = decided(user("so"), agent(KEPT), user("ok\nrecycle them after 60 days"), agent("OK."))
    assert entry.evidence[0].quote == "recycle them after 60 days" and entry.title.endswith("60 days")


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
