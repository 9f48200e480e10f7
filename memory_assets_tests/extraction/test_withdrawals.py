"""A request that the person takes back is not open any more."""

from __future__ import annotations

import pytest

from memory_assets.extraction.rules import extract_window
from memory_assets.extraction.schema import ExtractedEntry
from memory_assets.extraction.windows import windows
from memory_assets.extraction.withdrawals import takes_back
from memory_assets_tests.extraction.talk import agent, user

ASKED = "Please put each agent on its own line in the error message, it would be easier to parse."
LOOKED = "I see, the titles collapse line breaks. I will look at the renderer first."


@pytest.mark.parametrize(
    "text",
    [
        "Not worth it... it's fine.",
        "never mind",
        "Actually, never mind!",
        "No, let's drop it.",
        "ok, just leave it as is",
        "please revert that change.",
        "그냥 두자.",
        "음, 그만두자",
        "하지 말자. 다음 걸로 넘어가자.",
        "없던 일로 하자",
    ],
)
def test_what_takes_back(text: str) -> None:
    assert takes_back(text)


@pytest.mark.parametrize(
    "text",
    [
        "Never mind the tests, fix the parser.",
        "how do I undo that?",
        "Revert the commit of yesterday and push.",
        "leave it running until Friday",
        "Is it not worth it?",
        "그냥 두면 안 돼",
        "됐어, 고마워",
    ],
)
def test_what_does_not(text: str) -> None:
    assert not takes_back(text)


def task_of(*talk: str) -> ExtractedEntry:
    """The task that the first message asks for."""
    messages = [(user if number % 2 == 0 else agent)(text) for number, text in enumerate(talk)]
    (window,) = windows(messages)
    return next(one for one in extract_window(messages, window) if one.evidence[0].message_index == 0)


def test_a_request_that_is_taken_back_is_cancelled() -> None:
    task = task_of(ASKED, LOOKED, "Not worth it... it's fine. Bigger fish to fry.", "Understood.")
    assert task.entry_type == "task" and task.status == "cancelled"
    assert [(one.status, one.message_index) for one in task.history] == [("pending", 0), ("cancelled", 2)]
    assert task.evidence[-1].quote == "Not worth it... it's fine."


def test_one_that_was_done_before_stays_done() -> None:
    assert task_of(ASKED, "Done: each agent stands on its own line now.", "Never mind, thanks.", "OK.").status == "done"


def test_what_comes_later_takes_back_what_is_just_before_it_alone() -> None:
    later = "Please also rename the flag in the help of the command."
    assert task_of(ASKED, LOOKED, later, "I will look at the help first.", "never mind", "OK.").status != "cancelled"
