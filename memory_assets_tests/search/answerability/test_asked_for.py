"""What a question asks for, by its words."""

from __future__ import annotations

import pytest

from memory_assets.search.answerability.asked_for import AskedFor, asked_for, fits


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did Melanie run a charity race?", "time"),
        ("What day was the release?", "time"),
        ("언제 배포했지?", "time"),
        ("How many retries do we allow?", "number"),
        ("재시도는 몇 번까지 하지?", "number"),
        ("Why was the deploy rolled back?", "reason"),
        ("왜 Redis로 옮겼지?", "reason"),
        ("Who asked for the export?", "person"),
        ("누가 지우자고 했나", "person"),
        ("Where do uploads live?", "place"),
        ("어느 파일에 있나?", "place"),
        ("What did we choose for the cache?", "other"),
        ("캐시로 무엇을 쓰기로 했지?", "other"),
        ("", "other"),
    ],
)
def test_the_kind_of_a_question(question: str, kind: AskedFor) -> None:
    assert asked_for(question) == kind


@pytest.mark.parametrize(
    ("kind", "text", "does"),
    [
        ("time", "It was last week.", True),
        ("time", "It was fine.", False),
        ("number", "3번까지 한다", True),
        ("reason", "재시작이 빠르기 때문이다", True),
        ("reason", "재시작이 빠르다", False),
        ("place", "It is in src/app/main.py", True),
        ("other", "anything at all", False),
    ],
)
def test_a_text_has_what_is_asked_for(kind: AskedFor, text: str, does: bool) -> None:
    assert fits(kind, text) is does
