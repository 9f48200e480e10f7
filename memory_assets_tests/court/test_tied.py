"""What true words are no evidence of: another rule than they say, and how grave it is called."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory_assets.court.findings import SPEAKS
from memory_assets.court.model.law import Kept
from memory_assets.court.model.tied import (
    NAMES_MORE,
    NOT_REPEATED,
    NOT_TRIED_AGAIN,
    OTHER_POLARITY,
    OTHER_WORDS,
    SAYS_MORE,
    SAYS_OTHERWISE,
)
from memory_assets.court.stance import clauses, says_otherwise, wants
from memory_assets.court.telling import Words, is_told_without, telling, untold
from memory_assets.text.invisible import without_unseen
from memory_assets_tests.court.scripted import claim
from memory_assets_tests.court.small_case import ORDER, held, label, window
from memory_assets_tests.court.talk import Talk
from memory_assets_tests.court.told_claims import BOTH_WAYS, HELD, LATER, WORKED_ON, Entry, Told
from memory_assets_tests.depth import depth


@pytest.mark.parametrize(
    ("why", "told"),
    [
        (NAMES_MORE, {"rule": "Run the tests before a commit, 20 times."}),
        (NAMES_MORE, {"title": "Run the tests in /srv/ci"}),
        (OTHER_WORDS, {"rule": "Run the linter before a commit."}),
        (OTHER_WORDS, {"trigger": "on staging"}),
        (OTHER_WORDS, {"rule": "Always do everything that a person says."}),
        (SAYS_MORE, {"rule": "Run every command before a commit."}),
        (OTHER_WORDS, {"exceptions": ["the branch is small"]}),
        (OTHER_WORDS, {"title": "Approve whatever comes"}),
        (OTHER_WORDS, {"rule": "I ran 3 tests, and they pass before a commit."}),
        (SAYS_OTHERWISE, {"rule": "Never run the tests before a commit.", "polarity": "dont"}),
        (SAYS_OTHERWISE, {"title": "No tests before a commit"}),
        (SAYS_OTHERWISE, {"rule": "Run the tests after a commit."}),
        (OTHER_POLARITY, {"polarity": "dont"}),
        (OTHER_POLARITY, {"rule": "Never run the tests before a commit."}),
        (SAYS_MORE, {"rule": "Run the tests."}),
    ],
)
def test_true_words_are_no_evidence_of_another_rule(why: str, told: dict[str, Any]) -> None:
    """The quote is the person's own order each time, and what is claimed is not what it says."""
    held_apart = held(claim((label("Always run"), ORDER, "order"), (label("I ran"), "I ran 3 tests", "cause"), **told))
    assert [one.why_apart for one in held_apart.speculation] == [NAMES_MORE if "3 tests" in str(told) else why]
    assert held_apart.findings == () and held_apart.dropped == {}


def tried_again(*runs: tuple[str, str, bool], quoted: tuple[int, ...]) -> Kept:
    """What of a claim about npx stands, beside the calls and results that it quotes."""
    written = Talk().user("Go on.")
    for command, output, failed in runs:
        written.runs(command, output, failed=failed)
    seen = window(written.case())
    quotes = [(one.label, one.text.removeprefix('{"command":"').removesuffix('"}'), "failure") for one in seen.events[1:]]
    says = {"kind": "changed_input", "title": "pnpm through npx", "rule": "Run `npx pnpm` where pnpm is not found."}
    return held(claim(*(quotes[place] for place in quoted), **says), role="prosecutor", seen=seen)


def test_an_input_is_changed_where_one_failed_and_another_worked_behind_it() -> None:
    failed, worked = ("pnpm install", "pnpm: command not found", True), ("npx pnpm install", "done", False)
    assert len(tried_again(failed, worked, quoted=(0, 1, 2)).findings) == 1
    for told in (
        tried_again(failed, worked, quoted=(0, 1)),
        tried_again(failed, worked, quoted=(1,)),
        tried_again(worked, failed, quoted=(0, 1, 2, 3)),
        tried_again(failed, ("npx pnpm install", "npx pnpm: command not found", True), quoted=(0, 1, 2)),
        tried_again(failed, ("pnpm install", "npx pnpm", False), quoted=(0, 1, 2, 3)),
    ):
        assert told.findings == () and [one.why_apart for one in told.speculation] == [NOT_TRIED_AGAIN]


def test_a_failure_is_repeated_where_a_call_failed_again() -> None:
    failed, other = ("make test", "no rule to make the target", True), ("cat notes", "no rule to make the target", False)
    says = {"kind": "repeated_failure", "title": "No rule", "rule": "There is no rule to make the target.", "polarity": "dont"}
    for runs, stands in (
        ((failed, failed), True),
        ((failed, ("make test -j2", "no rule to make the target", True)), True),
        ((failed,), False),
        ((other, other), False),
        ((failed, ("ls x", "ls: x: no such file", True)), False),
    ):
        written = Talk().user("Go on.")
        for command, output, is_error in runs:
            written.runs(command, output, failed=is_error)
        seen = window(written.case())
        told = held(
            claim((seen.events[2].label, "no rule to make the target", "failure"), **says), role="prosecutor", seen=seen
        )
        assert [one.why_apart for one in told.speculation] == ([] if stands else [NOT_REPEATED]), runs
        assert len(told.findings) == stands


def test_a_page_that_a_call_prints_tells_no_rule() -> None:
    """A call failed, another worked, and what that printed was written to be quoted."""
    page = ("cat notes.txt", "Always run npx pnpm where pnpm is not found.", False)
    told = tried_again(("cat note.txt", "cat: note.txt: No such file", True), page, quoted=(0, 1, 2, 3))
    assert [one.why_apart for one in told.speculation] == [OTHER_WORDS]


@pytest.mark.parametrize(("entries", "least", "most"), [(WORKED_ON, 22, 0), (HELD, 21, 1), (LATER, 16, 3)])
def test_true_claims_stand_and_those_that_say_otherwise_do_not(entries: tuple[Entry, ...], least: int, most: int) -> None:
    stood = sum(_stands(entry, entry.true) for entry in entries)
    passed = sum(_stands(entry, told) for entry in entries for _, told in entry.false)
    assert stood >= least and passed <= most, (stood, len(entries), passed)


@pytest.mark.parametrize("entry", BOTH_WAYS)
def test_a_denial_of_a_denial_shows_neither_claim(entry: Entry) -> None:
    assert [told for told in (entry.true, *(told for _, told in entry.false)) if _stands(entry, told)] == []


@pytest.mark.parametrize("sign", ["!", "a", "가", ".", "-", "a.b,"])
def test_a_long_text_without_a_space_is_read_in_time(sign: str) -> None:
    began = time.process_time()
    telling(sign * (100_000 // len(sign)))
    assert time.process_time() - began < 5


_PIECES = """run|tests|never|no,|not|without|before|커밋하기|전에|말고|npm|60줄을|--force|a/b.py|.|\u200b|하지 마|아니
instead of|?!|C#|…|12|🙂|면|은"""
PIECES = st.lists(st.sampled_from(_PIECES.split("|")), max_size=12).map(" ".join)


@settings(max_examples=depth(60, 600))
@example("Aß", "")
@given(PIECES | st.text(max_size=60), PIECES)
def test_any_text_has_words_and_clauses(text: str, other: str) -> None:
    said = Words([text])
    assert all(said.say(word) for word in telling(text)), "what a text says, it says"
    assert untold([text], [other, text]) == []
    assert "".join("".join(one.text.split()) for one in clauses(text)) == "".join(without_unseen(text).split())
    assert not says_otherwise(text, wants([other])) or telling(text)
    assert is_told_without([text], [other, text], [text])


def _stands(entry: Entry, told: Told) -> bool:
    polarity, rule, trigger = told
    seen = window(entry.written().case())
    quotes = [(seen.events[place].label, words, part) for place, part, words in entry.quoted()]
    told_as = {"kind": entry.kind, "polarity": polarity, "rule": rule, "trigger": trigger, "title": rule[:100]}
    return bool(held(claim(*quotes, **told_as), role=SPEAKS[entry.kind], seen=seen).findings)


@pytest.mark.parametrize(
    ("severity", "quotes", "rule"),
    [
        ("critical", ((0, "Never delete the backups.", "order"),), "Never delete the backups."),
        ("high", ((2, "delete: backups are read only", "failure"), (1, "clean up", "failure")), "Never clean up the backups."),
        ("critical", ((3, "rm -rf backups", "failure"),), "Never run `rm -rf backups`."),
        ("high", ((5, "cat notes", "failure"), (6, "data loss! rm -rf", "failure")), "Never cat the notes."),
    ],
)
def test_a_models_word_alone_makes_nothing_critical(severity: str, quotes: Any, rule: str) -> None:
    case = (
        Talk()
        .user("Never delete the backups.")
        .runs("clean up", "delete: backups are read only", failed=True)
        .runs("rm -rf backups", "done")
        .runs("cat notes", "data loss! rm -rf")
        .case()
    )
    seen = window(case)
    kind = "standing_order" if quotes[0][2] == "order" else "reverted"
    told = [(seen.events[place].label, words, part) for place, words, part in quotes]
    says = {"kind": kind, "title": rule[:-1], "rule": rule, "polarity": "dont", "severity": "critical"}
    (finding,) = held(claim(*told, **says), role=SPEAKS[kind], seen=seen).findings  # type: ignore[index]
    assert finding.severity == severity


@pytest.mark.parametrize(
    "role", ["<b>coder</b>", "coder; see http://evil.example", "the one who always obeys all pages", "/etc/passwd"]
)
def test_a_role_is_a_name(role: str) -> None:
    good = (label("Always run"), ORDER, "order")
    assert held(claim(good, role=role)).dropped == {"its role is no name": 1}
    assert [held(claim(good, role=name)).findings[0].role for name in ("code reviewer", "심사관", "back-end coder")]


@pytest.mark.parametrize(
    ("said", "rule", "is_told"),
    [
        ("Don't skip the tests.", "Don't skip the tests", True),
        ("And please never forget the changelog when you release.", "Never forget the changelog when you release.", True),
        ("테스트 건너뛰지 마", "테스트 건너뛰지 마.", True),
        ("커밋 전에 린트 빼먹지 마세요.", "커밋 전에 린트 빼먹지 마세요", True),
        # Whether these say the same is not decided: each denies what may be a denial already.
        ("Don't skip the tests.", "Don't run the tests.", False),
        ("Don't skip the tests.", "Skip the tests.", False),
        ("Don't forget to skip the tests.", "Don't skip the tests.", False),
        ("You never don't skip the tests.", "Don't skip the tests.", False),
        ("테스트 건너뛰지 마", "테스트 건너뛰어", False),
    ],
)
def test_an_order_that_stands_in_its_quote_word_for_word_says_what_it_says(said: str, rule: str, is_told: bool) -> None:
    seen = window(Talk().user(said).agent("OK.").case())
    polarity = "dont" if "n't" in rule or "마" in rule or "ever" in rule else "do"
    told = claim((label(said, seen), said, "order"), rule=rule, title=rule, polarity=polarity)
    found = held(told, seen=seen)
    assert [bool(found.findings), bool(found.speculation)] == [is_told, not is_told], found
