"""What nobody sees is found wherever it stands, and nothing that is seen is taken for it."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from memory_assets.text.invisible import first_unseen, without_unseen

# Written in front of digits in Arabic, Syriac and Kaithi: format characters by their category, and seen.
_SIGNS_OF_NUMBERS = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}


def test_every_format_character_and_control_is_unseen_between_two_letters() -> None:
    seen = []
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)) not in ("Cf", "Cc", "Cs", "Zl", "Zp") or code in _SIGNS_OF_NUMBERS:
            continue
        if first_unseen(f"a{chr(code)}b") is None or without_unseen(f"a{chr(code)}b") != "ab":
            seen.append(f"U+{code:04X}")
    assert seen == ["U+0009", "U+000A", "U+000D"]


@pytest.mark.parametrize(
    "hidden",
    [
        "\u00ad",
        "\u200b",
        "\u200c",
        "\u200d",
        "\u2060",
        "\ufeff",
        "\u202e",
        "\u3164",
        "\u115f",
        "\uffa0",
        "\ufe0f",
        "\ufe00",
        "\U000e0100",
        "\U000e0041",
        "\u034f",
    ],
)
def test_what_hides_in_a_word_is_found_in_english_and_in_korean(hidden: str) -> None:
    for one, other in (("com", "mit"), ("커", "밋")):
        found = first_unseen(one + hidden + other)
        assert found is not None and found.start() == len(one)
        assert without_unseen(one + hidden + other) == one + other


@pytest.mark.parametrize(
    "text",
    [
        "plain\twords\r\nin two lines",
        "커밋 전에 테스트를 돌린다",
        "⚠️ ❤️ ✔︎ 1️⃣ #️⃣",
        "👩‍💻 👨‍👩‍👧 🏳️‍🌈 👍🏽",
        "می‌خواهم",
        "क्‍ष",
        "naïve — “quoted” … 漢字",
    ],
)
def test_what_is_seen_stays(text: str) -> None:
    assert first_unseen(text) is None and without_unseen(text) == text


def test_a_row_of_selectors_behind_a_picture_spells_nothing_out() -> None:
    assert without_unseen("❤️\ufe0f\ufe0e\U000e0101!") == "❤️!"
