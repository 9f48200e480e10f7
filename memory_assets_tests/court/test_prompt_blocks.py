"""A prompt in a file that agents read: only the block changes, and none that somebody changed by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.court.prompt_blocks import PromptBlock, Trouble, with_block
from memory_assets.court.prompts import prompt_hash

FIRST = PromptBlock("coder", 1, "You write code.\n\n- 테스트 먼저")
SECOND = PromptBlock("coder", 2, "You write tests.")
OTHER = PromptBlock("코드 심사관 -->", 7, "You judge.")


def written(file: str, block: PromptBlock) -> str:
    found = with_block(file, block)
    assert isinstance(found, str), found
    return found


def test_a_block_has_marks_that_say_whose_it_is_and_its_hash() -> None:
    assert written("", FIRST).split("\n") == [
        f"<!-- memory_assets:prompt role=coder version=1 sha256={prompt_hash(FIRST.prompt)} -->",
        "You write code.",
        "",
        "- 테스트 먼저",
        "<!-- /memory_assets:prompt -->",
        "",
    ]


LINES = st.text(alphabet="ab #<>!-\u00e9가\ufeff\u2028\x0b\n", max_size=40)


@given(LINES, LINES, st.sampled_from(["\n", "\r\n"]))
def test_all_else_of_the_file_stays_character_for_character(before: str, behind: str, line_break: str) -> None:
    before, behind = before.replace("\n", line_break), behind.replace("\n", line_break)
    with_first = written(before, FIRST)
    assert with_first.startswith(before)
    grown = with_first + behind
    with_second = written(grown, SECOND)
    assert with_second.startswith(before) and with_second.endswith(behind)
    kind = "\r\n" if "\r\n" in before else "\n"
    first, second = (block.lines().replace("\n", kind) for block in (FIRST, SECOND))
    assert grown.count(first) == 1 and with_second == grown.replace(first, second)
    # And back again.
    assert written(with_second, FIRST) == grown


def test_blocks_of_several_roles_stand_beside_each_other() -> None:
    both = written(written("# Project\n", FIRST), OTHER)
    changed = written(both, SECOND)
    assert OTHER.lines() in changed and SECOND.lines() in changed and FIRST.lines() not in changed
    assert changed.count("-->") == 4, "no role ends its mark"


@pytest.mark.parametrize(
    "changed",
    [
        lambda text: text.replace("You write code.", "You write good code."),
        lambda text: text.replace("\n- 테스트 먼저", "\n- 테스트 먼저\n- one more"),
        lambda text: text.replace("sha256=", "sha256=0").replace(prompt_hash(FIRST.prompt), prompt_hash("x")[:63]),
        lambda text: text.replace("You write code.\n", ""),
    ],
)
def test_what_was_changed_by_hand_is_not_written_over(changed: object) -> None:
    file = changed(written("# Project\n", FIRST))  # type: ignore[operator]
    assert with_block(file, SECOND) == Trouble("changed_by_hand")
    # The block of another role is nobody's business here.
    assert isinstance(with_block(file, OTHER), str)


def test_other_line_breaks_are_no_change_by_hand() -> None:
    unix = written("# Project\n", FIRST)
    assert written(unix.replace("\n", "\r\n"), SECOND) == written(unix, SECOND).replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("broken", "kind"),
    [
        (lambda block: block.replace("<!-- /memory_assets:prompt -->", ""), "broken"),
        (lambda block: block.split("\n", 1)[1], "broken"),
        (lambda block: block.replace("version=1", "version=one"), "broken"),
        (lambda block: block.replace("<!-- /memory_assets", f"{FIRST.lines()}\n<!-- /memory_assets"), "broken"),
        (lambda block: f"{block}\n{block}", "twice"),
    ],
)
def test_marks_that_do_not_stand_as_they_were_set_are_left_alone(broken: object, kind: str) -> None:
    found = with_block(broken(FIRST.lines()), SECOND)  # type: ignore[operator]
    assert isinstance(found, Trouble) and found.kind == kind
