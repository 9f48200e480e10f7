"""What may be a prompt, what of it is copied, and when a change of one may be proposed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.court.findings import Severity
from memory_assets.court.lessons import role_of
from memory_assets.court.prompts import (
    MARK,
    MOST_CHARACTERS,
    CitedLesson,
    copied_run,
    new_runs,
    prompt_hash,
    prompt_policy,
    prompt_text,
    role_name,
    unified_diff,
    why_not_proposed,
)
from memory_assets.errors import InvalidArgumentError

BASE = "You write code.\nYou run the tests."


def test_a_prompt_is_kept_as_it_was_written() -> None:
    text = "규칙:\n\n- 테스트를 먼저 쓴다 👩‍💻\n\t- tabs stay\n  trailing spaces stay  "
    assert prompt_text(text) == text
    assert prompt_text(f"\ufeff\r\n{text}\r\n\r\n".replace("\n", "\n")) == text
    assert prompt_text(text.replace("\n", "\r\n")) == text
    assert prompt_hash(text) == prompt_hash(prompt_text(text.replace("\n", "\r\n")))


@pytest.mark.parametrize(
    ("given_text", "says"),
    [
        ("", "empty"),
        (" \n\t\n", "empty"),
        ("x" * (MOST_CHARACTERS + 1), "too long"),
        ("y" * 1_000_000, "too long"),
        ("a\nb\x00c", "U\\+0000 in line 2"),
        ("half \ud800 a character", "U\\+D800 in line 1"),
        ("red \x1b[31m", "U\\+001B"),
        ("turned \u202e around", "U\\+202E"),
        ("hidden \U000e0041 words", "U\\+E0041"),
        ("com\u00admit", "U\\+00AD"),
        ("zero\u200cwidth", "U\\+200C"),
        ("zero\u200dwidth", "U\\+200D"),
        ("a byte \ufe00 for each \U000e0100", "U\\+FE00"),
        ("filled \u3164", "U\\+3164"),
        (f"a <!-- {MARK} role=x -->", MARK),
    ],
)
def test_what_is_no_prompt_is_refused(given_text: str, says: str) -> None:
    with pytest.raises(InvalidArgumentError, match=says) as refused:
        prompt_text(given_text)
    assert refused.value.hint


def test_the_longest_prompt_is_one() -> None:
    assert len(prompt_text("x" * MOST_CHARACTERS)) == MOST_CHARACTERS


def test_a_role_is_a_name_in_any_words() -> None:
    assert role_name("  code \n reviewer ") == "code reviewer"
    assert role_name("심사관") == "심사관"
    assert role_name("Coder") == role_of(" coder") == "coder", "a prompt and its lessons have one role"
    for wrong in ("", "  ", "x" * 81, "a\x00b", "a\ud800"):
        with pytest.raises(InvalidArgumentError):
            role_name(wrong)


def test_a_diff_says_what_is_taken_out_and_put_in() -> None:
    diff = unified_diff(BASE, f"{BASE}\nYou say what you did.", before="coder, version 1", after="coder, pup_1")
    assert diff.split("\n") == [
        "--- coder, version 1",
        "+++ coder, pup_1",
        "@@ -1,2 +1,3 @@",
        " You write code.",
        " You run the tests.",
        "+You say what you did.",
    ]
    assert unified_diff(BASE, BASE, before="a", after="b") == ""


@given(st.text(alphabet="ab\n", max_size=60), st.text(alphabet="ab\n", max_size=60))
def test_a_diff_and_the_old_text_give_the_new_text(base: str, proposed: str) -> None:
    assert applied(base, unified_diff(base, proposed, before="x", after="y")) == proposed


def applied(base: str, diff: str) -> str:
    """What a reader of unified diffs makes of one."""
    old, new, at = base.split("\n"), [], 0
    for line in diff.split("\n")[2:]:
        if hunk := re.fullmatch(r"@@ -(\d+)(?:,(\d+))? \+[\d,]+ @@", line):
            start = int(hunk[1]) - (0 if hunk[2] == "0" else 1)
            new, at = [*new, *old[at:start]], start
            continue
        if line[:1] in " -":
            assert old[at] == line[1:]
            at += 1
        if line[:1] in " +":
            new.append(line[1:])
    return "\n".join([*new, *old[at:]])


# -- what is copied ----------------------------------------------------------------------------------------------------


def copied(base: str, proposed: str, *texts: str) -> tuple[str, str] | None:
    runs = new_runs(base, proposed, prompt_policy().words_in_a_row)
    return copied_run(runs, [(f"session:a#m={place}", text) for place, text in enumerate(texts)])


def test_five_words_in_a_row_are_copied_and_four_are_not() -> None:
    proposed = f"{BASE}\nNever push to the main branch."
    assert copied(BASE, proposed, "hello", "please: never PUSH,\nto the main-branch!") == (
        "never push to the main",
        "session:a#m=1",
    )
    assert copied(BASE, proposed, "push to the main thing", "never push to a main branch") is None
    assert copied(BASE, "항상 먼저 테스트를 돌리고 그 다음에 커밋한다", "네, 항상 먼저 테스트를 돌리고 그 다음에 하죠") == (
        "항상 먼저 테스트를 돌리고 그",
        "session:a#m=0",
    )


@pytest.mark.parametrize(
    "told",
    [
        "never_push_to_the_main_branch",
        "nev\u00ader push to the ma\u200bin branch",
        "NEVER Push, to -- the (main) branch!",
        "neverPushToTheMainBranch",
        "never 1 push 2 to 3 the 4 main 5 branch",
        "\uff4e\uff45\uff56\uff45\uff52 push to the main",
        "*never* `push` to | the\u00b7main",
    ],
)
def test_words_are_copied_however_they_are_spelt_and_parted(told: str) -> None:
    said = "Never push to the main branch."
    assert copied(BASE, f"{BASE}\n{told}", said) == ("never push to the main", "session:a#m=0")
    assert copied(BASE, f"{BASE}\n{said}", told) == ("never push to the main", "session:a#m=0")


def test_what_the_prompt_says_already_is_not_copied() -> None:
    base = "Never push to the main branch of any repository."
    assert copied(base, f"{base}\nAsk first.", "never push to the main branch of any repository") is None
    assert copied(base, base, "anything at all that is five words") is None
    assert copied("", "four words are few", "four words are few") is None


# -- when a change may be proposed -------------------------------------------------------------------------------------


def lesson(number: int, *cases: str, severity: Severity = "medium") -> CitedLesson:
    return CitedLesson(f"les_{number}", severity, frozenset(cases))


def test_a_change_rests_on_lessons_of_two_cases_or_on_a_critical_one() -> None:
    policy = prompt_policy()
    assert (policy.least_cases, policy.words_in_a_row, policy.severe_enough) == (2, 5, {"critical"})
    assert "of 0" in (why_not_proposed([], policy) or "")
    assert "of 1" in (why_not_proposed([lesson(1, "a"), lesson(2, "a")], policy) or "")
    assert why_not_proposed([lesson(1, "a"), lesson(2, "b")], policy) is None
    assert why_not_proposed([lesson(1, "a", "b")], policy) is None
    assert why_not_proposed([lesson(1, "a", severity="critical")], policy) is None
    assert "2 cases" in (why_not_proposed([lesson(1, "a", severity="high")], policy) or "")
