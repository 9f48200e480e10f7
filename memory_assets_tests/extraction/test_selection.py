"""What says the same supports an entry; what says another thing in nearly the same words is an entry of its own."""

import pytest

from memory_assets.extraction.conflicts import conflict
from memory_assets.extraction.rules import extract_window
from memory_assets.extraction.windows import windows
from memory_assets.sessions.model import Message
from memory_assets_tests.extraction.talk import agent, user

PAIRS = [
    (
        "We decided to set the timeout of the reader to 30 seconds.",
        "We decided to set the timeout of the reader to 60 seconds.",
    ),
    ("Always run the linter before you commit.", "Never run the linter before you commit."),
    ("We decided to use Postgres for the job queue.", "We decided to use MySQL for the job queue."),
    ("Always enable the cache of the reader.", "Always disable the cache of the reader."),
    ("커밋 메시지는 항상 한국어로 작성한다.", "커밋 메시지는 항상 영어로 작성한다."),
    ("커밋 전에 린터를 항상 실행해.", "커밋 전에 린터를 절대 실행하지 마."),
    ("We should delete the old session files.", "We should not delete the old session files."),
    ("We decided to write the parser in C++ for now.", "We decided to write the parser in C for now."),
    ("We decided to wait 1.5 seconds before the retry.", "We decided to wait 15 seconds before the retry."),
    ("We decided to keep rows where x > 5 holds.", "We decided to keep rows where x < 5 holds."),
    ("We decided to start the offset at -5 in the reader.", "We decided to start the offset at 5 in the reader."),
    ("We decided to keep the settings in config.toml only.", "We decided to keep the settings in config.yaml only."),
    ("Always pass --force to the import command.", "Always pass force to the import command."),
    ("서버 포트는 항상 8080으로 고정한다.", "서버 포트는 항상 9090으로 고정한다."),
    ("이벤트 로그는 항상 삭제한다.", "이벤트 로그는 항상 유지한다."),
]


OTHERS = [
    ("timeout 30", "timeout 60"),
    ("use tabs", "use spaces"),
    ("wait 1.5 s", "wait 15 s"),
    ("keep it for 10² days", "keep it for 102 days"),
    ("DuckDB로 가자", "SQLite로 가자"),
    ("캐시를 켜자", "캐시를 끄자"),
    ("배포 전에 테스트를 돌린다", "배포 후에 테스트를 돌린다"),
    ("파일을 삭제해도 된다", "파일을 삭제하면 안 된다"),
    ("Redis instead of Kafka", "Kafka instead of Redis"),
    ("dev → main for each release", "main → dev for each release"),
    ("rename `user_id` -> `account_id` in orders", "rename `account_id` -> `user_id` in orders"),
    ("use the retry only in tests", "use the retry in tests"),
    ("In production we disable the cache", "Enable the cache in production, please"),
]
ALIKE = [
    ("Fix the flaky sensor test", "Fixed the flaky sensor test by waiting"),
    ("README에 설치 방법을 추가해줘", "README에 설치 방법을 추가했습니다"),
    ("Fix the login bug in src/app.py", "Fixed the login bug in `src/app.py`, 3 tests pass"),
    ("- Keep the log", "**Keep** the log."),
]


def quoted(*talk: Message) -> list[list[int]]:
    found = [entry for window in windows(talk) for entry in extract_window(talk, window)]
    return sorted([quote.message_index for quote in entry.evidence] for entry in found)


@pytest.mark.parametrize(("one", "other"), [*PAIRS, *(pair[::-1] for pair in PAIRS)])
def test_what_contradicts_is_an_entry_of_its_own(one: str, other: str) -> None:
    assert quoted(user(one), agent("Let me look."), user(other)) == [[0], [2]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "We decided to keep the event log append-only for good.",
            "As decided: the event log stays append-only, we keep it for good.",
        ),
        ("이벤트 로그는 계속 유지하기로 했어.", "이벤트 로그를 계속 유지하기로 했습니다."),
        ("We decided to set the timeout to 30 seconds.", "As decided, we set the timeout to 30 seconds."),
    ],
)
def test_what_says_the_same_supports(one: str, other: str) -> None:
    (entry,) = quoted(user(one), agent("Let me look."), user(other))
    assert sorted(entry) == [0, 2]


def test_a_decision_that_takes_another_back_quotes_it() -> None:
    one, other = "We decided to use Postgres for the job queue.", "On second thought, use MySQL for the job queue."
    assert quoted(user(one), agent("Let me look."), user(other)) == [[0], [2, 0]]


@pytest.mark.parametrize(("one", "other"), [*PAIRS, *OTHERS])
def test_a_conflict_is_one_in_either_direction(one: str, other: str) -> None:
    assert conflict(one, other) and conflict(other, one)


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_more_or_less_detail_is_no_conflict(one: str, other: str) -> None:
    assert not conflict(one, other) and not conflict(other, one)
