"""The same failure again and again, and what only looks like it."""

import sys
from types import FrameType

import pytest

from memory_assets.court.detectors.repeated import repeated_failures
from memory_assets.court.detectors.traffic import steps_of
from memory_assets_tests.court.talk import Talk

DENIED = "Exit code 1\nError: denied"
CANCELLED = "<tool_use_error>Sibling tool call errored</tool_use_error>"
TIMEOUT = "Exit code 128\nssh: connect to host x: Connection timed out"
PODS = ("mm4ht", "8dkwz", "p01vn")


def _runs(*outputs: str, command: str = "./deploy.sh") -> Talk:
    talk = Talk().user("Deploy it.")
    for output in outputs:
        talk.runs(command, output, failed=True)
    return talk


def _reads(*names: str) -> Talk:
    talk = Talk().user("Find it.")
    for name in names:
        talk.uses("Read", {"file_path": name}, "<tool_use_error>File does not exist.</tool_use_error>", failed=True)
    return talk


def test_three_times_the_same() -> None:
    (finding,) = _runs(DENIED, DENIED, DENIED).agent("The problem was an expired token.").found()
    assert finding.kind == "repeated_failure" and finding.evidence[-1].quote == "The problem was an expired token."


def test_ids_and_times_make_no_other_failure() -> None:
    outputs = [
        f"error: timed out waiting for pods/api-6c9f7d4b8-{pod} (ImagePullBackOff)" for pod in ("mm4ht", "8dkwz", "p01vn")
    ]
    assert [finding.kind for finding in _runs(*outputs, command="kubectl wait pod").found()] == ["repeated_failure"]


@pytest.mark.parametrize(
    "talk",
    [
        _runs(DENIED, DENIED),
        _runs(CANCELLED, CANCELLED, CANCELLED),
        _runs("Exit code 1", "Exit code 1", "Exit code 1", command="grep x a"),
        _runs(DENIED, "Exit code 1\nError: no route", "Exit code 1\nError: no space"),
        _runs(TIMEOUT, TIMEOUT, command="git push").runs("git push", "ok"),
        _reads("a.md", "b.md", "c.md"),
    ],
)
def test_other_failures_are_not_the_same(talk: Talk) -> None:
    assert talk.found() == []


def test_a_success_between_ends_it() -> None:
    assert _runs(DENIED, DENIED).runs("./deploy.sh", "ok").runs("./deploy.sh", DENIED, failed=True).found() == []


def _calls(distinct: int) -> int:
    """How many functions run while many distinct failures, each followed by a success, are looked through."""
    talk = Talk().user("Try them.")
    for number in range(distinct):
        letters = "".join(chr(ord("a") + int(digit)) for digit in str(number))
        talk.runs(f"./deploy.sh {letters}", f"Exit code 1\nError: {letters} is denied", failed=True)
        talk.runs(f"make {letters}", "ok")
    case = talk.case()
    steps, counted = steps_of(case), 0
    assert all(step.outcome and (step.error is None or step.error.tag) and step.programs is not None for step in steps)

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal counted
        counted += 1

    sys.setprofile(count)
    try:
        found = list(repeated_failures(case, steps, "en"))
    finally:
        sys.setprofile(None)
    assert found == []
    return counted


def test_distinct_failures_cost_what_their_number_says() -> None:
    assert _calls(400) < 6 * _calls(100)


def test_the_newest_success_ends_only_what_it_ran() -> None:
    talk = _runs(DENIED, DENIED).runs("make all", "ok").runs("./deploy.sh", DENIED, failed=True)
    assert [finding.kind for finding in talk.found()] == ["repeated_failure"]
