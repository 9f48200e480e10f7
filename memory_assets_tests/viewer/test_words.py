"""Each word of the pages is there in both languages, and none is asked for that is not there."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

from memory_assets.viewer.words import LANGUAGES, say, wanted_language, words

VIEWER = Path(__file__).resolve().parents[2] / "memory_assets" / "viewer"
SOURCES = [*VIEWER.glob("templates/**/*.html"), *VIEWER.glob("*.py")]


def _blanks(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_each_word_leaves_the_same_open_in_both_languages() -> None:
    assert len(words()) > 50
    for name, ways in words().items():
        assert set(ways) == set(LANGUAGES) and all(ways.values()), name
        assert _blanks(ways["en"]) == _blanks(ways["ko"]), name


def test_every_word_that_a_page_asks_for_is_there() -> None:
    asked = {
        (source.name, name)
        for source in SOURCES
        for name in re.findall(r"""\bsay\(["']([a-z_]+\.[a-z_0-9]+)["']""", source.read_text(encoding="utf-8"))
    }
    assert len(asked) > 30
    assert {(source, name) for source, name in asked if name not in words()} == set()


def test_what_is_left_open_is_filled_in() -> None:
    assert say("ko", "list.page", page=2, pages=7) == "7쪽 중 2쪽"


@pytest.mark.parametrize(
    ("asked", "kept", "accepted", "expected"),
    [
        (None, None, "", "en"),
        (None, None, "ko-KR,ko;q=0.9,en;q=0.8", "ko"),
        (None, None, "de,en;q=0.5,ko;q=0.9", "ko"),
        (None, "en", "ko", "en"),
        ("ko", "en", "en", "ko"),
        ("<script>", "../x", "q=;,;q=x," * 100, "en"),
    ],
)
def test_the_language_is_the_one_that_was_asked_for(asked: str | None, kept: str | None, accepted: str, expected: str) -> None:
    assert wanted_language(asked, kept, accepted) == expected


def test_no_word_stands_there_for_nothing() -> None:
    """Those of closed lists are asked for by what the store says."""
    sources = "\n".join(source.read_text(encoding="utf-8") for source in SOURCES)
    lists = set(re.findall(r"""say_kind\(["']([a-z_]+)["']""", sources))
    built = set(re.findall(r"""say\(["']([a-z_]+)\.["'] ~""", sources))
    unused = [
        name
        for name in words()
        if name.partition(".")[0] not in lists | built and not re.search(rf"""say\(["']{re.escape(name)}["']""", sources)
    ]
    assert unused == []
