"""A lesson says by itself what it is about; what says nothing a month later becomes none."""

import pytest

from memory_assets.court.judge import judge
from memory_assets.court.policy import policy
from memory_assets.sessions.model import Message
from memory_assets_tests.court.talk import REFUSED, Talk


def _corrected(words: str, answer: str) -> Talk:
    return (
        Talk().user("Store the times.").edits("store.go").agent("All tests pass.").user(words).agent(answer).edits("store.go")
    )


@pytest.mark.parametrize(
    ("words", "answer", "told"),
    [
        (
            "One caller forgetting? This is the responsibility of the callee.",
            "Fair point. The store calls UTC() on write, callers never touch it.",
            "The store calls UTC() on write, callers never touch it.",
        ),
        ("No, not like that.", "Sorry! Times belong into the store as they are.", "Times belong into the store as they are."),
        ("그거 말고", "죄송합니다. 시각은 저장소가 UTC로 바꾸어 적어야 합니다.", "시각은 저장소가 UTC로 바꾸어 적어야 합니다."),
    ],
)  # fmt: skip
def test_words_that_point_at_something_are_told_with_the_answer(words: str, answer: str, told: str) -> None:
    (finding,) = _corrected(words, answer).found("user_correction")
    assert finding.rule.endswith(f"→ {told}") and finding.evidence[-1].quote == told


@pytest.mark.parametrize("answer", ["Good call.", "You're right, let me fix the store.", "Sorry. I'll rewrite the store now."])
def test_an_answer_that_says_nothing_is_left_out(answer: str) -> None:
    (finding,) = _corrected("No, this is not what I asked for.", answer).found("user_correction")
    assert "→" not in finding.rule


def test_words_that_stand_by_themselves_are_told_alone() -> None:
    words = "The session store should write UTC timestamps with milliseconds, not local dates."
    (finding,) = _corrected(words, "You're right, the store wrote local dates.").found("user_correction")
    assert finding.rule == words


def test_what_was_done_is_told_by_the_sentence_that_is_corrected() -> None:
    talk = Talk().user("Go.").edits("a.py").agent("Done. Three files were written. The port of the server is 8080 now.")
    (finding,) = talk.user("No, the port stays.").edits("a.py", "b", "c").found("user_correction")
    assert "The port of the server is 8080 now." in finding.rule


def test_a_question_that_nobody_turns_into_a_rule_is_left_out_by_the_judge() -> None:
    talk = Talk().user("Go.").edits("a.py").agent("The steps are counted.")
    talk.messages.append(Message("m-u", "user", "said", "is it still empty in the second list?"))
    talk.messages.append(Message("m-t", "assistant", "thinking", "The user is reporting that the list is still empty."))
    case = talk.edits("b.py").case()
    findings = talk.found("user_correction")
    assert [finding.confidence for finding in findings] == [0.45]
    assert judge(case, findings, policy()).selected == ()


@pytest.mark.parametrize(
    "pasted",
    [
        "To suppress this warning in future sessions, run:",
        "[02/10/26 9:25 api ~/src] always run go mod tidy",
        "$ never run this as root",
        "To hide this notice in the future ...",
        "Press Ctrl+C to stop watching, never close the window",
    ],
)
def test_what_a_program_says_of_itself_orders_nothing(pasted: str) -> None:
    assert Talk().user("Start it.").runs("make", "ok").agent("It runs.").user(pasted).edits("a.py").found() == []


@pytest.mark.parametrize(
    "text",
    [
        "But we should keep in mind that the user might use `git stash`",
        "the decided path is fetching the session — never rawData",
    ],
)  # fmt: skip
def test_what_is_thought_of_is_no_order(text: str) -> None:
    assert Talk().user("Start.").agent("Done.").user(text).found("standing_order") == []


def test_an_outcome_that_is_hoped_for_is_no_praise() -> None:
    talk = Talk().user("Start.").edits("a.py").agent("Done.").user("That'll make the tests easier to read.")
    assert talk.found("praised") == []


@pytest.mark.parametrize("tool", ["AskUserQuestion", "Read", "Grep"])
def test_a_question_or_a_look_that_is_turned_down_teaches_nothing(tool: str) -> None:
    talk = Talk().user("Start.").uses(tool, {"file_path": "a.log", "question": "Which one?"}, REFUSED, failed=True)
    assert talk.found("refused_call") == []
    answered = talk.user("The first one.").agent("OK.").found("refused_call")
    assert bool(answered) == (tool != "AskUserQuestion")


def test_no_result_is_missed_where_calls_have_no_ids() -> None:
    talk = Talk().user("go").runs("ls", "a").uses("Edit", {"file_path": "a.py"}, None).agent("Done.")
    assert [finding.kind for finding in talk.found()] == ["missing_result"]
    for place, message in enumerate(talk.messages):
        talk.messages[place] = Message(message.uid, message.role, message.kind, message.text, tool_name=message.tool_name)
    assert talk.found() == []


@pytest.mark.parametrize(
    ("failed", "output", "worked"),
    [
        ("git add a/b.go", "fatal: pathspec 'a/b.go' did not match any files", "git status --short"),
        ("go test ./... | grep -E '--- FAIL'", "grep: unrecognized option `--- FAIL'", "go clean -testcache && go test ./..."),
    ],
)
def test_another_thing_that_works_is_no_changed_input(failed: str, output: str, worked: str) -> None:
    talk = Talk().user("Start.").runs(failed, f"Exit code 2\n{output}", failed=True).runs(worked, "ok")
    assert talk.found("changed_input") == []


@pytest.mark.parametrize(
    ("reason", "is_kept"),
    [
        ("I ran the test, the result is in out.log", False),
        ("here's a session that shows it", False),
        ("잠깐, 제가 방금 돌렸어요", False),
        ("I ran it, don't run the load test on this machine", True),
        ("use pnpm in this repository", True),
    ],
)
def test_a_refusal_for_what_happens_just_now_is_left_out_by_the_judge(reason: str, is_kept: bool) -> None:
    talk = Talk().user("Test it.").runs("./specs sync", REFUSED, failed=True).user(reason)
    findings = talk.found("refused_call")
    assert len(findings) == 1 and bool(judge(talk.case(), findings, policy()).selected) == is_kept


@pytest.mark.parametrize("text", ["yes, exactly, please implement this.", "yes", "네 그렇게 해주세요"])
def test_who_agrees_corrects_nothing(text: str) -> None:
    talk = Talk().user("Go.").edits("a.py").agent("You're right, I had it backwards.").user(text).agent("You're right.")
    assert talk.edits("a.py", "b", "c").found("user_correction") == []


def test_a_project_in_the_middle_of_a_report_is_no_place_for_an_order() -> None:
    text = "Even though I ran a session for this project, we don't find it"
    assert Talk().user("Start.").agent("Done.").user(text).found("standing_order") == []
    ordered = Talk().user("Start.").agent("Done.").user("For this project, we don't squash commits")
    assert [finding.kind for finding in ordered.found("standing_order")] == ["standing_order"]
