import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.text.tokens import estimate_tokens

# Counted with two byte-pair tokenizers (100k and 200k vocabularies).
COUNTED = [
    ("블로커를 해결하려면 배포 스크립트에서 timeout 값을 30초로 바꿔야 합니다", 26, 39),
    ("로그를 확인해 보니 렌더링이 두 번 일어났다. 저장소 설정을 고치자.", 25, 38),
]


@pytest.mark.parametrize(("text", "low", "high"), COUNTED)
def test_korean_lies_between_two_tokenizers(text: str, low: int, high: int) -> None:
    assert low <= estimate_tokens(text) <= high


def test_korean_costs_more_than_its_characters_by_four() -> None:
    text = COUNTED[1][0]
    assert estimate_tokens(text) > 2 * len(text) / 4


def test_english_prose_is_near_four_characters_a_token() -> None:
    text = "Long-term memory from conversations: every memory points at the exact characters that it came from. " * 20
    assert len(text) / 5.2 < estimate_tokens(text) < len(text) / 3.8


def test_nothing_costs_nothing() -> None:
    assert estimate_tokens("") == 0


@given(st.text(min_size=1), st.text(min_size=1))
def test_more_text_never_costs_less(one: str, other: str) -> None:
    together = estimate_tokens(one + other)
    assert 1 <= max(estimate_tokens(one), estimate_tokens(other)) <= together
    assert together <= estimate_tokens(one) + estimate_tokens(other)
