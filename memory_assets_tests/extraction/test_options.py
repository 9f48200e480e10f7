"""Which option an answer takes; one that it refuses, or only asks about, is taken by nobody."""

import pytest

from memory_assets.extraction.options import chosen, options_of

ASKED = "Which store?\n1. Redis\n2. Kafka\n3. memory"
OPTIONS = options_of(ASKED)
LETTERED = options_of("Which store?\nA) Redis\nB) Kafka\nC) memory")


def taken(answer: str) -> list[str]:
    return [option.text for option in chosen(answer, OPTIONS)]


@pytest.mark.parametrize(
    "answer",
    [
        "2번은 안 돼",
        "2번으로 하지 말자",
        "2번 빼고 다",
        "2번이 더 빠를까요?",
        "2번은 왜 필요해?",
        "2번으로 하면 어떻게 돼",
        "두 번째 말고",
        "두 번째는 별로야",
        "첫 번째는 싫어",
        "1번 아니면 2번",
        "2 is bad",
        "2 is not what I want",
        "2 isn't it",
        "2 and 3 are bad",
        "the second one is wrong",
        "2?",
        "2 or 3",
        "why 2",
        "1, no wait",
        "2 if it is fast",
        "2번은 나중에",
        "1. Yes\n2. No",
        "3 files are missing",
        "2개 파일이 남았어",
        "20 of them",
        "2.5 seconds",
        "2 sounds weird",
        "2번은 글쎄",
        "2번이 좋긴 한데 3번으로",
        "2번이 좋지만 3번으로",
        "1 looks good, 2 looks good",
    ],
)
def test_what_is_refused_or_asked_about_is_not_taken(answer: str) -> None:
    assert taken(answer) == []


@pytest.mark.parametrize("answer", ["A안으로 하지 말자", "A, no wait", "option B is bad", "use B? why", "use B or C"])
def test_a_letter_that_is_refused_is_not_taken(answer: str) -> None:
    assert chosen(answer, LETTERED) == []


@pytest.mark.parametrize(
    ("answer", "option"),
    [
        ("2번 말고 3번으로", "memory"),
        ("2번 대신 3번으로 하자", "memory"),
        ("2번으로 하지 말고 3번으로", "memory"),
        ("2번보다는 3번이 좋아", "memory"),
        ("2번은 싫어, 3번으로 가자", "memory"),
        ("2 seems wrong, use 3", "memory"),
        ("2 is bad, use 3 instead", "memory"),
        ("1, no wait, 2", "Kafka"),
        ("1. Actually 2.", "Kafka"),
        ("1 is out, 2", "Kafka"),
        ("1) I like the second", "Kafka"),
    ],
)
def test_what_is_taken_in_place_of_another_is_the_decision(answer: str, option: str) -> None:
    assert taken(answer) == [option]


@pytest.mark.parametrize(
    "answer",
    [
        "2",
        "2.",
        "2번",
        "2번으로",
        "2로 하자",
        "2안으로 진행해줘",
        "응 2번이 좋겠다",
        "2번 방식으로 부탁해",
        "2번으로 하고 테스트도 추가해줘",
        "두 번째로",
        "두번째 거",
        "둘째 안으로",
        "the second one",
        "the second option please",
        "ok, let's go with option 2 because 1 is not safe",
        "2, but not the yml",
        "2 looks good to me",
        "2 is fine",
        "2 please",
        "2, not 3",
        "no, 2",
        "2번으로. 근데 왜 이렇게 느려?",
        "#2 instead of 3",
    ],
)
def test_what_is_taken(answer: str) -> None:
    assert taken(answer) == ["Kafka"]


@pytest.mark.parametrize("answer", ["B", "B로", "B안으로 가자", "yes, do B", "B, please", "option B sounds good"])
def test_letters(answer: str) -> None:
    assert [option.text for option in chosen(answer, LETTERED)] == ["Kafka"]


@pytest.mark.parametrize("answer", ["1 and 3", "1번이랑 3번", "1, 3", "1번과 3번으로 하자"])
def test_two(answer: str) -> None:
    assert taken(answer) == ["Redis", "memory"]


@pytest.mark.parametrize(
    ("asked", "answer", "label"),
    [
        ("Three ways:\n\n1. a lock in Redis\n2. a row in Postgres\n\nI'd lean to 2.", "2. money belongs in postgres", "2"),
        ("선택지입니다.\n\nA. 재시도를 끈다\nB. 키를 붙인다\n\nB를 추천합니다.", "b 로 가는데 키는 뭘로 만들거야", "B"),
        (
            "### 1안: in-place\n### 2안: 새 클러스터\n### 3안: 노드만\n\n3안을 추천드립니다.",
            "2안은 안되고요.. 3안으로 하시죠",
            "3",
        ),
        ("Options: **A** pin the image, **B** bump the JDK, **C** set -Xmx by hand.", "A now, B is for the shop team", "A"),
        ("We could (a) retry, (b) queue it, or (c) drop it. Which one?", "b", "B"),
        ("어느 쪽으로 할까요? (1) 재시도 (2) 큐", "2번으로 해줘", "2"),
        ("A) 유지\nB) 삭제\n어느 쪽으로 할까요?", "B로", "B"),
        ("1. S3\n2. R2\nWhich one?", "the second one", "2"),
        ("A) 크론잡으로 돌리기\nB) 람다로 돌리기\n어느 쪽으로 할까요?", "B 말고 A", "A"),
        ("A) 크론잡으로 돌리기\nB) 람다로 돌리기\n어느 쪽으로 할까요?", "B가 낫겠다", "B"),
    ],
)
def test_lists_of_options_that_ask_by_proposing_or_stand_in_a_line(asked: str, answer: str, label: str) -> None:
    assert [option.label for option in chosen(answer, options_of(asked))] == [label]


def test_steps_are_no_options() -> None:
    assert options_of("I did it:\n\n1. the reader\n2. the writer") == []
    assert chosen("A now was never said", options_of("Options: **A** one, **B** two.")) == []


LIST_OF_WORK = "I fixed both. I suggest a follow-up later.\n1. The cache key was wrong\n2. The TTL was zero\nAll tests pass."
THREE = "Which one?\nA. Postgres\nB. SQLite\nC. Redis"
TWO = "어느 쪽으로 할까요?\nA. 포스트그레스\nB. 레디스"


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (LIST_OF_WORK, "1 is good, 2 still fails"),
        (LIST_OF_WORK, "2 looks good"),
        ("The bug has two parts: (a) the parser drops it. (b) the writer ignores it. I suggest fixing both.", "ok do a"),
        (THREE, "A first step is to add tests."),
        (THREE, "A now familiar error shows up"),
        (THREE, "A now breaks everything"),
        (TWO, "A로 하는데 B가 더 낫지 않아?"),
        (TWO, "B로 가는데 그건 별로야"),
        (TWO, "A로 가는데 왜 그래"),
    ],
)
def test_what_reports_doubts_or_begins_with_an_article_takes_nothing(asked: str, answer: str) -> None:
    assert chosen(answer, options_of(asked)) == []
