"""What an agent takes back, by git or by an edit, and who says why."""

import pytest

from memory_assets_tests.court.talk import Talk


def _changed() -> Talk:
    return Talk().user("Make it faster").edits("src/a.py", "one", "two")


BY_THE_AGENT = [
    ("That made it slower, so I'm backing it out.", "git checkout -- src/a.py"),
    ("No gain at all. Rolling the change back.", "git restore src/a.py"),
    ("효과가 없어서 원상 복구하겠습니다.", "git checkout -- src/a.py"),
]
BY_THE_PERSON = [
    ("it's slower now, take it out again", None),
    ("that made it worse. back to how it was please", "git checkout src/a.py"),
    ("nope, revert", "git reset --hard HEAD~1"),
    ("더 느려졌는데? 되돌리자", None),
    ("이거 빼자. 화면이 깨져", "git restore src/a.py"),
]


@pytest.mark.parametrize(("said", "command"), BY_THE_AGENT)
def test_the_agent_takes_its_change_back(said: str, command: str) -> None:
    (finding,) = _changed().agent(said).runs(command, "").found()
    assert finding.kind == "reverted"
    assert [quote.part for quote in finding.evidence] == ["failure", "cause", "remedy"]
    assert finding.evidence[1].quote in said and finding.evidence[2].quote == command


@pytest.mark.parametrize(("said", "command"), BY_THE_PERSON)
def test_the_person_has_the_change_taken_back(said: str, command: str | None) -> None:
    talk = _changed().agent("Done.").user(said)
    talk = talk.runs(command, "") if command else talk.edits("src/a.py", "two", "one")
    (finding,) = talk.found()
    assert finding.kind == "reverted" and finding.evidence[1].quote in said


def test_a_roll_back_of_what_was_rolled_out() -> None:
    talk = Talk().user("Deploy it").runs("kubectl set image deploy/api api=x:2", "ok")
    talk.agent("The new image crashes, I roll back.").runs("kubectl rollout undo deploy/api", "rolled back")
    (finding,) = talk.found()
    assert finding.kind == "reverted" and finding.evidence[0].quote == "kubectl set image deploy/api api=x:2"


def test_without_a_reason_it_is_less_sure() -> None:
    (without,) = _changed().edits("src/a.py", "two", "one").found()
    (with_one,) = _changed().agent("It was slower. I'll revert it.").edits("src/a.py", "two", "one").found()
    assert without.confidence < with_one.confidence


@pytest.mark.parametrize(
    "talk",
    [
        _changed().runs("git checkout main", "Switched"),
        _changed().runs("git checkout -b feat", "Switched"),
        _changed().runs("git stash", "Saved").runs("git stash pop", "ok"),
        _changed().agent("Now I remove the debug print.").edits("src/a.py", "two", "one"),
        _changed().edits("src/b.py", "two", "one"),
        Talk().user("Undo it").runs("git checkout -- other.py", ""),
    ],
)
def test_what_takes_nothing_back(talk: Talk) -> None:
    assert talk.found() == []
