"""Which sentence beside a quote says why."""

from __future__ import annotations

import pytest

from memory_assets.text.reasons import gives_reason, names_cause, reason_beside
from memory_assets.text.sentences import sentences


@pytest.mark.parametrize(
    ("text", "quote", "reason"),
    [
        ("UTF-8에 BOM을 붙이자. 엑셀도 다 읽을 수 있으니까.", "UTF-8에 BOM을 붙이자.", "엑셀도 다 읽을 수 있으니까."),
        ("Restarts are slow because of the cache. We move it to Redis.", "We move it to Redis.", "Restarts are slow because"),
        ("We move it to Redis. Otherwise every restart is slow.", "We move it to Redis.", "Otherwise every restart is slow."),
        # What says why itself needs no other sentence.
        ("We use Redis because restarts are quick. Otherwise they are slow.", "We use Redis because restarts are quick.", None),
        # A question asks why, what stands further away is about something else, and so is the next item of a list.
        ("We move it to Redis. Is that because of restarts?", "We move it to Redis.", None),
        ("We move it to Redis. It is done. Otherwise it is slow.", "We move it to Redis.", None),
        ("- We move it to Redis.\n- The log is kept because people ask for it.", "We move it to Redis.", None),
        ("We move it to Redis. The log is kept for a year.", "We move it to Redis.", None),
        ("We move it to Redis.", "We move it to Redis.", None),
    ],
)
def test_the_reason_is_the_sentence_beside_it(text: str, quote: str, reason: str | None) -> None:
    start = text.index(quote)
    found = reason_beside(sentences(text), start, start + len(quote))
    assert (found is None) if reason is None else (found is not None and found.text.startswith(reason))
    assert found is None or text[found.start : found.end] == found.text


def test_characters_that_no_sentence_holds_have_no_reason() -> None:
    assert reason_beside(sentences("```\ncode because\n```"), 4, 8) is None


@pytest.mark.parametrize("text", ["재시작이 빠르기 때문이다", "메모리가 모자라므로 줄인다", "in order to be quick"])
def test_words_that_give_a_reason(text: str) -> None:
    assert gives_reason(text) and not gives_reason("We did it on Monday. 월요일에 했다.")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("롤백의 원인은 마이그레이션이 늦게 실행된 것입니다.", True),
        ("재시작이 빠르기 때문이다.", True),
        ("지난 금요일 배포 때문에 롤백했어.", False),
        ("The root cause is a clock that went wrong.", True),
        ("It failed because the disk was full.", True),
        ("find the cause of it", False),
        ("what is the reason?", False),
    ],
)
def test_what_names_a_cause(text: str, names: bool) -> None:
    assert names_cause(text) is names
