"""What a sentence only supposes."""

from __future__ import annotations

import pytest

from memory_assets.text.suppositions import is_supposed


@pytest.mark.parametrize(
    "text",
    [
        "This is probably the cache.",
        "E404 usually means that the token cannot write there.",
        "There may be conflicts with the other branch.",
        "I suspect the pool.",
        "아마 캐시 때문일 겁니다.",
        "커넥션 풀이 모자란 것 같습니다.",
        "설정 문제로 보입니다.",
    ],
)
def test_what_supposes(text: str) -> None:
    assert is_supposed(text)


@pytest.mark.parametrize(
    "text",
    [
        "The root cause is a pool of five connections.",
        "It must be set before the start.",
        "원인은 커넥션 풀이 다섯 개뿐이었기 때문입니다.",
        "이 값은 설정 파일에서 볼 수 있습니다.",
    ],
)
def test_what_says_so(text: str) -> None:
    assert not is_supposed(text)
