"""Points of an agent's list that are named by number are called by what they say, and are one task with it."""

import pytest

from memory_assets.extraction.window_request import request
from memory_assets.extraction.windows import Window, window_hash, windows
from memory_assets.sessions.model import Message
from memory_assets_tests.extraction.talk import agent, user
from memory_assets_tests.extraction.test_requests import tasks

REVIEW = agent(
    "## Review of the cart\n\nThe totals are right.\n\n## The most important improvements\n\n"
    "1. **Close the file handle of the parser (#96).** It stays open when the parser fails.\n"
    "2. **Test the loop of the importer (#47).** Nothing covers it.\n"
    "3. **Pass the flags from search to resume (#65).** They are dropped.\n",
    uid="review",
)
HANDLE, LOOP, FLAGS = (
    "Close the file handle of the parser (#96).",
    "Test the loop of the importer (#47).",
    "Pass the flags from search to resume (#65).",
)
DONE = (
    "Both are done and verified.\n\n## MIP #1 — the handle\n\nThe parser closes its handle now.\n\n"
    "## MIP #2 — the loop\n\nAdded four tests of the importer.\n"
)


def told(*talk: Message, budget: int = 24_000) -> dict[str, str | None]:
    return {task.entry.title: task.entry.status for task in tasks(*talk, budget=budget)}


def names(*talk: Message) -> list[tuple[int, str]]:
    return [(point.number, point.title) for window in windows(talk) for point in window.points]


@pytest.mark.parametrize("budget", [24_000, 200])
def test_a_request_by_number_is_one_task_with_the_point(budget: int) -> None:
    talk = [user("Which parts of the cart are weak?"), REVIEW, user("Let's address MIP #1 and #2"), agent(DONE, uid="done")]
    assert told(*talk, budget=budget) == {HANDLE: "done", LOOP: "done", FLAGS: "pending"}
    found = {task.entry.title: [quote.quote for quote in task.entry.evidence] for task in tasks(*talk, budget=budget)}
    assert found[LOOP][0] == f"**{LOOP}**" and {"Let's address MIP #1 and #2", "Added four tests of the importer."} <= set(
        found[LOOP]
    )


@pytest.mark.parametrize(("form", "named"), [("CLI", True), ("PRIO", True), ("TASK", False), ("PR", False)])
def test_what_has_numbers_of_its_own_is_the_short_form_of_no_list(form: str, named: bool) -> None:
    talk = [user("Which parts of the cart are weak?"), REVIEW, user(f"Let's address {form} #1 and #2")]
    assert names(*talk) == ([(1, HANDLE), (2, LOOP)] if named else [])


def test_a_report_by_number_ends_the_point() -> None:
    talk = [user("Which parts of the cart are weak?"), REVIEW, user("let's talk about MIP #3. Which flags does resume need?")]
    asked = [*talk, agent("Eleven of them.", uid="eleven"), user("just make sure that `--debug-raw` stays hidden.")]
    assert told(*asked)[FLAGS] == "pending"
    assert told(*asked, agent("MIP #3 is done and verified.", uid="end"))[FLAGS] == "done"
    for said in (
        "MIP #3 is not done yet.",
        "MIP #1 is done, MIP #3 is still open.",
        "MIP #1 is done, next is MIP #3.",
        "MIP #1 is done; shall I continue with MIP #3?",
    ):
        assert told(*asked, agent(said, uid="end"))[FLAGS] == "pending"


def test_of_several_points_only_those_that_the_report_speaks_of_are_done() -> None:
    talk = [user("Which parts of the cart are weak?"), REVIEW, user("Let's address MIP #1 and #2")]
    assert told(*talk, agent("I fixed MIP #1. MIP #2 I skipped, it needs your decision.", uid="one")) == {
        HANDLE: "done",
        LOOP: "pending",
        FLAGS: "pending",
    }
    failed = "I closed the handle of the parser.\n\n## MIP #2\n\nNot done: the importer has no seam.\n"
    assert told(*talk, agent(failed, uid="one"))[LOOP] == "pending"


def test_a_number_of_two_lists_means_none() -> None:
    two = agent(
        "## Suggestions\n\n1. Close the file handle\n2. Test the loop\n\n## Nits\n\n1. Rename the loop\n2. Sort it", uid="two"
    )
    assert names(user("Which parts of the cart are weak?"), two, user("fix nit 1")) == []


def test_a_task_of_its_own_beside_a_point_keeps_its_words() -> None:
    talk = [
        user("Which parts of the cart are weak?"),
        REVIEW,
        user("Fix #1, please. Also add a dark mode to the settings page."),
    ]
    assert "add a dark mode to the settings page." in told(*talk, agent("I added a dark mode to the settings page.", uid="end"))


@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        ("Address 1 and 3.", [1, 3]),
        ("fix #2 please", [2]),
        ("let's do 3 first", [3]),
        ("suggestions 1, 2 and 3", [1, 2, 3]),
        ("1번이랑 3번 반영해줘", [1, 3]),
        ("MIP #2, #3", [2, 3]),
        *(
            (other, [])
            for other in ("PR #2 is open", "fix #47", "let's do 12 for 17", "use 2 spaces", "in 2 of 3 cases", "v1.2")
        ),
    ],
)
def test_what_names_a_point_right_behind_the_list(said: str, numbers: list[int]) -> None:
    titles = {1: HANDLE, 2: LOOP, 3: FLAGS}
    assert names(user("Which parts of the cart are weak?"), REVIEW, user(said)) == [
        (number, titles[number]) for number in numbers
    ]


def test_a_bare_number_means_the_list_right_before_and_a_short_form_its_own() -> None:
    later = agent("## Next steps\n\n1. Write the changelog of the cart\n2. Tag the release of the cart\n", uid="later")
    talk = [user("Which parts of the cart are weak?"), REVIEW, user("Let's address MIP #1"), later]
    assert names(*talk, user("do 2"))[1:] == [(2, "Tag the release of the cart")]
    assert names(*talk, user("MIP #2 next"))[1:] == [(2, LOOP)]
    assert names(*talk, agent("That was it.", uid="it"), user("do 2"))[1:] == []
    assert names(user("fix #1"), REVIEW) == []


def test_the_points_are_seen_and_hashed() -> None:
    talk = [user("Which parts of the cart are weak?"), REVIEW, user("Address 1."), agent("The handle is closed.", uid="end")]
    last = windows(talk, budget=200)[-1]
    assert last.points and last.start > 1
    bare = Window(last.start, last.end, last.context_start, is_cut=last.is_cut, asked=last.asked, asked_first=last.asked_first)
    assert window_hash(talk, last) != window_hash(talk, bare)
    assert f"message 2 #1 {HANDLE}" in request(talk, last)[1]["content"]
    assert "<<<points" not in request(talk, bare)[1]["content"]
