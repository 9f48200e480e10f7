"""What an agent leaves open at the end of its message is a task; what the person takes up is none of its own."""

import pytest

from memory_assets.sessions.model import Message
from memory_assets_tests.extraction.talk import agent, user
from memory_assets_tests.extraction.test_requests import tasks

REVIEW = """## Review of the cart

The totals are right, and the tests read well.

### {heading}

1. **Close the file handle** — it stays open when the parser fails
2. The loop could stop at the first match
3. Consider another name for the option
   - a nested line about names of options
"""


def left_open(*talk: Message) -> list[tuple[str, str | None]]:
    return [(task.entry.title, task.entry.status) for task in tasks(*talk) if task.entry.evidence[0].message_index % 2]


ITEMS = [("Close the file handle", "pending"), ("The loop could stop at the first match", "pending")]


@pytest.mark.parametrize(
    "heading",
    [
        "Minor suggestions (non-blocking)",
        "Top 3 Most Important Improvements",
        "Remaining work",
        "남은 작업",
        "개선 사항",
        "Next steps",
    ],
)
def test_an_item_under_a_heading_of_open_ends_is_a_task(heading: str) -> None:
    assert left_open(user("Please review the cart."), agent(REVIEW.format(heading=heading))) == ITEMS


@pytest.mark.parametrize(
    "heading", ["What changed", "Strengths", "Improvements made", "변경 사항", "Key improvements in this release"]
)
def test_an_item_under_another_heading_is_none(heading: str) -> None:
    assert left_open(user("Please review the cart."), agent(REVIEW.format(heading=heading))) == []


def test_a_numbered_heading_under_it_is_an_item() -> None:
    said = "## Top improvements\n\n### 1. **Fix the watch command**\nIt fails.\n\n## Tests\n\n### 1. Of the parser\n"
    assert left_open(user("Please review the cart."), agent(said)) == [("Fix the watch command", "pending")]


@pytest.mark.parametrize(
    "answer",
    [
        "Great points, fix them.",
        "제안해준 것 전부 반영해줘.",
        "The file handle has to be closed by whoever opened it.",
    ],
)
def test_what_the_person_takes_up_is_no_task_of_its_own(answer: str) -> None:
    review = agent(REVIEW.format(heading="Suggestions"))
    assert left_open(user("Please review the cart."), review, user(answer), agent("Let me look.")) == []


def test_what_is_addressed_by_number_is_one_task_with_the_request() -> None:
    review = agent(REVIEW.format(heading="Suggestions"))
    found = tasks(user("How does the cart look?"), review, user("Address 1 and 2."), agent("Let me look."))
    told = {item.entry.title: [quote.quote for quote in item.entry.evidence] for item in found}
    assert list(told) == [title for title, _ in ITEMS]
    assert all("Address 1 and 2." in quotes for quotes in told.values())


def test_another_subject_leaves_it_open_but_what_was_to_come_next() -> None:
    talk = [user("Please add the export of invoices."), agent("Let me look at the billing.", uid="end")]
    assert left_open(user("Please review the cart."), agent(REVIEW.format(heading="Suggestions")), *talk) == ITEMS
    assert left_open(user("Please review the cart."), agent(REVIEW.format(heading="Next steps")), *talk) == []


@pytest.mark.parametrize(
    ("said", "left"),
    [
        (
            "The changes are ready to be committed whenever you like.",
            "The changes are ready to be committed whenever you like.",
        ),
        (
            "The tests are new — all unstaged, for you to review and commit.",
            "all unstaged, for you to review and commit.",
        ),
        (
            "Worth still asking the colleague for the exact error text.",
            "Worth still asking the colleague for the exact error text.",
        ),
        ("템플릿의 변경사항은 나중에 별도로 커밋해야 합니다.", "템플릿의 변경사항은 나중에 별도로 커밋해야 합니다."),
    ],
)
def test_what_the_last_words_leave_to_do_is_a_task(said: str, left: str) -> None:
    asked = user("Please fix the login form.")
    assert left_open(asked, agent(f"The login form is fixed. {said}")) == [(left, "pending")]
    on = (user("Please add the export of invoices."), agent("Let me look at the billing.", uid="end"))
    assert left_open(asked, agent(f"The login form is fixed. {said}"), *on) == []


@pytest.mark.parametrize(
    "said",
    ["Nothing is left to be merged.", "If it is ready to merge, tell me.", "One effect worth noting: the search is slower."],
)
def test_what_leaves_nothing_is_none(said: str) -> None:
    assert left_open(user("Please fix the login form."), agent(f"The login form is fixed. {said}")) == []


def test_what_an_agent_says_on_the_way_to_be_needed_is_no_task() -> None:
    asked = user("Please fix the login form.")
    said = agent("We need to update the session store because the token of the login is kept there.")
    assert left_open(asked, said, user("And how is the cart stored?"), agent("In a table of its own.", uid="end")) == []


def test_what_may_be_done_if_need_be_is_left_open_by_nobody() -> None:
    optional = "참고로 다른 문서의 변경사항도 있는데, 이것은 필요에 따라 별도로 커밋할 수 있습니다."
    assert left_open(user("문서를 고쳐줘."), agent(f"문서를 고쳤습니다. {optional}")) == []
    needed = "다른 문서의 변경사항은 별도로 커밋해야 합니다."
    assert left_open(user("문서를 고쳐줘."), agent(f"문서를 고쳤습니다. {needed}")) == [(needed, "pending")]
