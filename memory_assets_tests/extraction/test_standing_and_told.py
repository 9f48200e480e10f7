"""What a person wants always, what is ordered for this turn, and what only tells how something is."""

import pytest

from memory_assets.extraction.rules import extract_window
from memory_assets.extraction.schema import ExtractedEntry
from memory_assets.extraction.windows import windows
from memory_assets.sessions.model import Message
from memory_assets_tests.extraction.talk import agent, user


def entries(*talk: Message) -> list[ExtractedEntry]:
    return [entry for window in windows(talk) for entry in extract_window(talk, window)]


@pytest.mark.parametrize(
    ("order", "before"),
    [
        ("use testcontainers in the tests of the db please.", "no mock is as good, told you last time too"),
        ("커밋 메시지 한글로 써줘 우리 팀은 다 한글이야.", "지난번에도 말했는데"),
        ("Again, don't touch the imports of the page.", "I do it myself."),
    ],
)
def test_what_is_ordered_again_stands(order: str, before: str) -> None:
    found = [(entry.entry_type, entry.title) for entry in entries(user(f"{order} {before}"), agent("Sorry."))]
    assert found == [("preference", order)]


@pytest.mark.parametrize(
    "said",
    [
        "how many times does the retry loop run? Please raise it to 5.",
        "I just asked for a refund and the page crashed. Fix the crash in refund.py.",
        "I told you already to use tabs there. Now fix the login bug of the shop.",
        "고객이 환불해달라고 말했는데 환불 기능 추가해줘",
        "again, please run the tests and fix the header of the page",
    ],
)
def test_what_is_ordered_beside_something_that_was_said_does_not_stand(said: str) -> None:
    found = entries(user(said), *(agent(f"I look at part {n}.") for n in "abcd"))
    assert {entry.entry_type for entry in found if "fix" in entry.title.lower() or "추가" in entry.title} <= {"task"}


@pytest.mark.parametrize(
    "said",
    [
        "As I told you before, always use tabs.",
        "I already told you, never push to main.",
        "I told you twice already: don't use emojis in commit messages.",
        "지난번에도 말했지만 항상 탭을 써.",
        "no emojis in the README please",
        "앞으로 새 문서에도 제목엔 항상 영문 id 붙이는 걸로.",
    ],
)
def test_what_is_wanted_always_stands_however_it_is_said(said: str) -> None:
    assert [entry.entry_type for entry in entries(user(said), agent("OK."))] == ["preference"]


@pytest.mark.parametrize(
    "said",
    [
        "푸시를 눌러서 들어오면 가끔 흰 화면만 뜬다는 리뷰가 계속 올라와.",
        "민지님이 A32에서 확인했는데 흰 화면은 없어졌대.",
        "로컬에서는 잘 되는데",
        "Training code is `train/`, features are built by `features/build.py`.",
        "Models are in dbt/models/marts, raw data lands via the loader.",
        "no more emails come in since the deploy",
        "no new rows in the table after the import",
        "10초로 늘려도 타임아웃 나",
        "서버 2대로 늘려야 하나",
        "No module named requests",
        "no response from the server",
        "No data in the table of the orders",
        "no such file or directory",
        "포트가 8080로 하고 있어서 에러나",
        "버전 2로 해봤는데 안 돼",
        "3 tests then fail on the runner",
        "login doesn't work on safari",
        "export fails silently on the phone",
        "테스트가 돌아야지 배포되지",
    ],
)
def test_what_tells_of_a_fault_is_neither_decided_nor_wanted(said: str) -> None:
    assert {entry.entry_type for entry in entries(user(said), agent("I look."))} <= {"fact", "insight"}
