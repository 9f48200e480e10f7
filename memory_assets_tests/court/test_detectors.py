"""What the detectors find, kind by kind, in Korean and English, and what they leave alone."""

from time import process_time

import pytest

from memory_assets.court.detectors import findings_of
from memory_assets.court.judge import judge
from memory_assets.court.policy import policy
from memory_assets_tests.court.talk import REFUSED, Talk

MISSING = "Exit code 127\nzsh: command not found: pytest"
CANCELLED = "<tool_use_error>Sibling tool call errored</tool_use_error>"
NO_FILE = "<tool_use_error>File does not exist.</tool_use_error>"


def test_a_command_that_works_when_it_is_told_otherwise() -> None:
    talk = Talk().user("Run the tests.").runs("pytest -q", MISSING, failed=True).runs("uv run pytest -q", "3 passed")
    (finding,) = talk.found()
    assert (finding.kind, finding.polarity) == ("changed_input", "do")
    assert [(quote.part, quote.quote) for quote in finding.evidence] == [
        ("failure", "zsh: command not found: pytest"),
        ("remedy", "uv run pytest -q"),
    ]
    assert finding.rule == 'When `pytest -q` fails with "zsh: command not found: pytest", run `uv run pytest -q` instead.'


@pytest.mark.parametrize(
    "talk",
    [
        Talk().runs("pytest -q", MISSING, failed=True).runs("pip install pytest", "ok").runs("python -m pytest -q", "3 passed"),
        Talk().runs("pytest", "FAILED a.py::test - assert 0\n1 failed", failed=True).edits("a.py").runs("pytest", "1 passed"),
        Talk().runs("curl https://a.example/x", "curl: (28) Connection timed out, try again later", failed=True).runs(
            "curl -s https://a.example/x", "ok"
        ),
        Talk().runs("pytest -q", MISSING, failed=True).runs("pytest -q", "3 passed"),
        Talk().runs("git status", CANCELLED, failed=True).runs(
            "git status -s", "M a.py"
        ),
        Talk().runs("grep -rn foo src", "Exit code 1", failed=True).runs("grep -rni foo src", "src/a.py:1: Foo"),
        Talk().runs("python load.py", MISSING, failed=True).user("I started the database.").runs("python3 load.py", "ok"),
        Talk().runs("make test", "make: *** [test] Error 2\nfatal: no such file x", failed=True).runs("make test || true", "x"),
        Talk().uses("Read", {"file_path": "/a/index.md"}, NO_FILE, failed=True).uses(
            "Read", {"file_path": "/a/skill.md"}, "text"
        ),
    ],
)  # fmt: skip
def test_what_may_have_helped_otherwise_is_no_changed_input(talk: Talk) -> None:
    assert talk.found("changed_input") == []


@pytest.mark.parametrize(
    "text",
    [
        "앞으로는 커밋 메시지를 한국어로 써줘.",
        "항상 테스트를 먼저 돌리고 커밋해줘.",
        "절대 main에 직접 푸시하지 마.",
        "커밋하기 전에 반드시 린트를 돌려줘.",
        "From now on, write commit messages in Korean.",
        "Always run the linter before you commit.",
        "Never push to main directly.",
        "Please always answer in English.",
        "Whenever you touch the schema, run the migration tests.",
    ],
)
def test_a_standing_order(text: str) -> None:
    (finding,) = Talk().user("Start.").agent("Done.").user(text).found()
    assert (finding.kind, finding.evidence[0].quote, finding.evidence[0].part) == ("standing_order", text, "order")


@pytest.mark.parametrize(
    "text",
    [
        "It always fails on Windows.",
        "Why does the build always take so long?",
        "The function never returns null.",
        "Never mind.",
        "이 테스트는 항상 실패해.",
        "절대 경로를 써줘.",
        "앞으로 어떻게 할까?",
        "이번만 린트를 항상 켜줘.",
        "The README says \"always run the linter\".",
        "리뷰어님이 항상 테스트를 돌리라고 했어.",
        "> Always run the linter before you commit.",
        "```\nAlways run the linter before you commit.\n```",
    ],
)  # fmt: skip
def test_no_standing_order(text: str) -> None:
    assert Talk().user("Start.").agent("Done.").user(text).found("standing_order") == []


@pytest.mark.parametrize(
    "text",
    [
        "No, use tabs instead of spaces.",
        "That's not what I asked for. Only rename the function.",
        "아니, 그게 아니라 설정 파일만 고쳐달라고 했어.",
        "왜 테스트를 지웠어? 다시 살려줘.",
        "I fixed the parser myself, leave it as it is.",
    ],
)
def test_a_correction(text: str) -> None:
    talk = Talk().user("Rename the parser.").agent("I renamed it.").edits("a.py").user(text)
    (finding,) = talk.found()
    assert finding.kind == "user_correction" and text.startswith(finding.evidence[1].quote)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("Should I update the docs as well?", "No."),
        ("I renamed it.", "Thanks, looks good. Now add a test for it."),
        ("I renamed it.", "No problem, go on."),
        ("이름을 바꿨습니다.", "좋아. 다음은 테스트를 추가해줘."),
        ("I renamed it.", 'The reviewer said "no, this is not what I asked for".'),
    ],
)
def test_no_correction(asked: str, text: str) -> None:
    assert Talk().user("Rename the parser.").edits("a.py").agent(asked).user(text).found("user_correction") == []


def test_a_correction_is_told_by_what_the_agent_answers() -> None:
    talk = Talk().user("Add a cache.").edits("cache.py").agent("I added the cache.")
    talk.user("The file is read twice in that loop.")
    assert talk.found("user_correction") == []
    assert [one.kind for one in talk.agent("You're right, it is. Let me fix it.").found()] == ["user_correction"]


def test_a_refused_call_with_the_reason() -> None:
    talk = Talk().user("Clean up.").runs("rm -rf build", REFUSED, failed=True).user("Use make clean, never rm.")
    (finding,) = talk.found("refused_call")
    assert [quote.quote for quote in finding.evidence] == ["rm -rf build", "Use make clean, never rm."]
    assert finding.polarity == "dont" and finding.severity == "high"
    assert talk.found("user_correction") == []


@pytest.mark.parametrize(
    "words",
    ["proceed", "ok, go ahead", "Yes please", "진행해줘", "그래, 계속해"],
)
def test_a_refused_call_that_may_go_on_after_all_teaches_nothing(words: str) -> None:
    talk = Talk().user("Ship it.").runs("git push origin main", REFUSED, failed=True).user(words)
    assert talk.runs("git push origin main", "done").found("refused_call") == []


@pytest.mark.parametrize("words", ["go ahead but not on main", "can you use pnpm instead?", "그거 말고 pnpm 써줘"])
def test_a_refused_call_whose_reason_begins_like_a_yes_or_ends_like_a_question(words: str) -> None:
    talk = Talk().user("Install it.").runs("npm i", REFUSED, failed=True).user(words)
    assert [finding.evidence[-1].quote for finding in talk.found("refused_call")] == [words]


def test_a_plan_that_is_not_taken_up_teaches_nothing() -> None:
    assert Talk().user("Plan it.").uses("ExitPlanMode", {"plan": "x"}, REFUSED, failed=True).found() == []


def test_what_is_taken_back_for_a_reason() -> None:
    talk = Talk().user("Make it faster.").edits("a.py", "one", "two").agent("Done.")
    talk.user("That made it slower, please revert it.").edits("a.py", "two", "one")
    (finding,) = talk.found("reverted")
    assert "That made it slower, please revert it." in [quote.quote for quote in finding.evidence]


def test_the_same_failure_again_and_again() -> None:
    talk = Talk().user("Deploy.")
    for _ in range(3):
        talk.runs("./deploy.sh", "Error: registry token is missing", failed=True)
    (finding,) = talk.found("repeated_failure")
    assert len(finding.evidence) == 2 and "registry token is missing" in finding.title


def test_every_quote_stands_where_it_says_and_the_same_case_gives_the_same() -> None:
    talk = Talk().user("Fix it.").runs("pytest", MISSING, failed=True).runs("uv run pytest", "ok")
    talk.agent("Done 👍🏽.").user("아니, 그게 아니라 𝕏만 고쳐줘. 앞으로는 항상 먼저 물어봐줘.")
    findings = talk.found()
    assert len(findings) >= 2 and findings == talk.found()
    for finding in findings:
        assert finding.evidence and len(finding.title) <= 120 and 0 <= finding.confidence <= 1
        for quote in finding.evidence:
            assert talk.messages[quote.place].text[quote.start : quote.end] == quote.quote != ""


def _crowded(messages: int) -> Talk:
    """A long session in which much happens."""
    talk, number = Talk(), 0
    while len(talk.messages) < messages:
        number += 1
        talk.user(f"No, that's wrong, change part {number}. From now on always run step {number}. Why is it {number}?")
        talk.runs(f"pytest -q t{number}.py", MISSING, failed=True).runs(f"uv run pytest -q t{number}.py", "3 passed")
        talk.edits(f"a{number % 50}.py", f"x{number}", f"y{number}").uses("Bash", {"command": f"sleep {number}"}, None)
        talk.edits(f"a{number % 50}.py", f"y{number}", f"x{number}")
        talk.agent(f"I'll revert that because it broke part {number}. Which one should I take?")
        talk.runs("make deploy", f"Error: token is missing {number}", failed=True)
    return talk


def _cost(talk: Talk) -> float:
    case = talk.case()
    begun = process_time()
    assert findings_of(case)
    return process_time() - begun


@pytest.mark.long
def test_the_cost_grows_with_the_session_and_no_faster() -> None:
    _cost(_crowded(500))  # the cues are read once
    short, long = _cost(_crowded(1_000)), _cost(_crowded(8_000))
    assert short < 0.6 and long < 8 * 3 * max(short, 0.02)


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        " ",
        '"',
        "`",
        "a",
        "가",
        "always ",
        "앞으로 ",
        "no ",
        "(",
        "/",
        ". ",
        "if you ",
        "할 때 ",
        "Error: ",
        "expected ",
        "> x\n",
    ],
)
def test_a_long_text_costs_no_more_than_its_length(text: str) -> None:
    long = text * (400_000 // len(text))
    talk = Talk().user("Start it.").edits("a.py").agent(f"Done. {long}").user(f"ok {long}").agent(long).edits("a.py")
    talk.runs(long[:50_000], long, failed=True).runs(f"x {long[:50_000]}", long)
    talk.uses("Grep", {"pattern": long}, "No matches found").uses("Grep", {"pattern": long[1:]}, long)
    case = talk.case()
    begun = process_time()
    findings_of(case)
    assert process_time() - begun < 2


REASONED = f"{REFUSED} To tell you how to proceed, the user said:\n"


@pytest.mark.parametrize(
    ("words", "answer", "is_kept"),
    [
        # It states something of the call, by a name that it has, or of what the agent had just shown.
        ("the report lives in out/q3.csv since June, nobody reads q2.csv", "OK.", True),
        ("deploys are for the pipeline", "OK.", False),
        # A question holds for this call; where the agent concedes the doubt, it was right.
        ("are we sure that nobody writes there meanwhile?", "OK.", False),
        ("are we sure that nobody writes there meanwhile?", "Good point. The nightly job writes there until six.", True),
        ("hmm how do I undo that?", "With git reset.", False),
        ("out/q2.csv", "OK.", False),
    ],
)
def test_a_refusal_is_a_lesson_where_something_is_said_of_the_call(words: str, answer: str, is_kept: bool) -> None:
    talk = Talk().user("Go.").agent("I write the report.").runs("./report out/q2.csv", REFUSED, failed=True).user(words)
    talk = talk.agent(answer)
    (finding,) = talk.found("refused_call")
    assert bool(judge(talk.case(), [finding], policy()).selected) == is_kept
    given_with_it = Talk().user("Go.").runs("./report", REASONED + words, failed=True).user(words).agent("OK.")
    (stated,) = given_with_it.found("refused_call")
    states = words.startswith(("deploys", "the report"))
    assert bool(judge(given_with_it.case(), [stated], policy()).selected) == states


def test_a_refusal_without_a_word_is_a_lesson_of_a_dangerous_call_alone() -> None:
    for command, is_kept in (("go build ./...", False), ("rm -rf data", True)):
        talk = Talk().user("Go.").runs(command, REFUSED, failed=True)
        findings = talk.found("refused_call")
        assert len(findings) == 1 and bool(judge(talk.case(), findings, policy()).selected) == is_kept
