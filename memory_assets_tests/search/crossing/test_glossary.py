"""The glossary: what ships is sound, and what is none is refused with its place."""

from __future__ import annotations

import pytest

from memory_assets.search.crossing.glossary import GLOSSARY, GlossaryError, parsed, shipped_glossary

GOOD = "# work\n배포\tdeploy, release\n미루다, 연기하다\tpostpone\n"


def test_the_shipped_glossary_is_read_and_large_enough() -> None:
    glossary = shipped_glossary()
    assert len(glossary.senses) >= 2_500
    assert sum(len(ours) * len(theirs) for ours, theirs in glossary.senses) >= 5_000


def test_a_pair_is_found_from_both_sides() -> None:
    glossary = shipped_glossary()
    for place, (ours, theirs) in enumerate(glossary.senses):
        assert all(place in glossary.korean[word.replace(" ", "")] for word in ours)
        assert all(place in glossary.english[word] for word in theirs)


def test_comments_and_empty_lines_are_no_senses() -> None:
    assert parsed(GOOD + "\n\n", "g.tsv").senses == (
        (("배포",), ("deploy", "release")),
        (("미루다", "연기하다"), ("postpone",)),
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("배포 deploy", "1 columns"),
        ("배포\tdeploy\trelease", "3 columns"),
        ("\tdeploy", "an empty word"),
        ("배포\t", "an empty word"),
        ("배포, \tdeploy", "an empty word"),
        ("설정\t설정", "no English word"),
        ("deploy\tdeploy", "no Korean word"),
        ("deploy\t배포", "no Korean word"),
        ("배포\tDeploy", "lower case"),
        ("배포,설정\tdeploy", "a comma and a space"),
        (" 설정\tsetting", "a comma and a space"),
        ("설정\tsetting\r", "a comma and a space"),
        ("설정\tset\x00ting", "a comma and a space"),
        ("배포\trelease", "배포 and release are there already, in line 2"),
    ],
)
def test_a_line_that_is_none_is_named(line: str, why: str) -> None:
    with pytest.raises(GlossaryError) as refused:
        parsed(GOOD + line + "\n", "g.tsv")
    assert str(refused.value).startswith("g.tsv, line 4: ") and why in str(refused.value)


def test_a_pair_is_there_twice_whatever_its_spaces() -> None:
    with pytest.raises(GlossaryError, match=r"line 2: .* line 1"):
        parsed("남자 친구\tboyfriend\n남자친구\tboyfriend\n", "g.tsv")


def test_the_file_ends_with_a_line_break() -> None:
    assert GLOSSARY.read_text(encoding="utf-8").endswith("\n")
