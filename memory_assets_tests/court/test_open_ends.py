"""Questions that nobody answers, calls without a result, and reports that were not checked."""

import pytest

from memory_assets_tests.court.talk import Talk


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Which queue should it use, SQS or Redis?", "also log the duration please"),
        ("Before I go on: is the API key rotated monthly or weekly?", "and make it run at night"),
        ("Should failed rows be skipped or should the import stop?", "use pathlib for the paths"),
        ("What should happen with rows without an id?\n\nI'd skip them by default.", "rename the script to load.py"),
        ("Should the cache survive restarts, or is memory enough?", "also the cache key must include the locale"),
        ("행 수가 다르면 중단할까요, 경고만 남길까요?", "로그는 json으로 남겨줘"),
        ("어느 환경에 먼저 배포하면 될까요?", "아 그리고 README도 고쳐줘"),
        ("삭제된 사용자도 집계에 포함해야 하나요?", "배치는 새벽 3시에 돌게 해줘"),
        # A short word that goes on to other work names nothing, and who speaks of the thing has not chosen.
        ("How many retries should I allow before giving up?", "show me the diff"),
        ("권한은 누구에게 줄까요?", "오타 하나 고쳐줘"),
        ("쓰인 쿠폰은 만료시킬까요, 그대로 둘까요?", "쿠폰 테이블이 몇 행인지 세어줘"),
    ],
)
def test_a_question_of_the_agent_that_the_person_passes_over(question: str, reply: str) -> None:
    (finding,) = Talk().user("Write a job").agent(question).user(reply).edits("a.py").agent("Done.").found()
    assert finding.kind == "unanswered_question" and finding.evidence[0].quote in question


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Which queue should it use, SQS or Redis?", "Redis"),
        ("Should I also update the docs?", "also log the duration"),
        ("Want me to commit?", "add a test first"),
        ("Which queue?", "the first"),
        ("is it rotated monthly or weekly?", "weekly, but check the vault"),
        ("Should failed rows be skipped?", "yes and log them"),
        ("Should it retry?", "three times max"),
        ("커밋할까요?", "로그도 추가해줘"),
        ("어느 환경에 먼저 배포할까요?", "스테이징 먼저"),
        ("만료시킬까요, 그대로 둘까요?", "만료시켜"),
        ("쓰인 쿠폰은 만료시킬까요, 그대로 둘까요?", "쿠폰은 전부 만료시켜야 정산이 맞아"),
        ("포함해야 하나요?", "아니 빼줘"),
        ("경고만 남길까요?", "알아서 해"),
        # Who only tells something right behind a question answers it.
        ("Should a null count as an error, or become EUR?", "we invoice in lots of places, guessing gets me fired"),
        ("널을 오류로 볼까요, 아니면 유로로 채울까요?", "우리는 여러 나라에 청구하는데 짐작하면 큰일 나"),
    ],
)
def test_a_question_that_is_answered_or_offers_more(question: str, reply: str) -> None:
    assert Talk().user("Write a job").agent(question).user(reply).edits("a.py").agent("Done.").found() == []


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("why is the timeout 30 seconds there? and rename the flag to --wait", "Renamed the flag."),
        ("why does the importer retry five times? and bump it to six", "Bumped the importer's retries to six."),
        ("what does the cron entry do? also bump the version", "The version is 1.3.0 now."),
        ("push it, and is it normal that the build takes nine minutes?", "Pushed."),
        ("bump the version to 2.1. does anything else read that file?", "Bumped to 2.1."),
        ("can two workers pick the same job? please add the index meanwhile", "The index is there."),
        ("Which env variables does the deploy script read? and format it", "I've formatted the deploy script."),
        ("이 인덱스는 왜 두 개야? 그리고 커밋해줘", "커밋했습니다."),
        ("버전 2.1로 올려줘. 근데 이 파일 다른 데서도 읽어?", "2.1로 올렸습니다."),
        ("커밋해주고 근데 왜 파티션이 3개야?", "커밋했습니다."),
        ("문서 고쳐줘 그리고 이 옵션은 언제 없어지는 거야?", "문서를 고쳤습니다."),
    ],
)
def test_a_question_of_the_person_that_the_agent_passes_over(message: str, answer: str) -> None:
    talk = Talk().user("Start").agent("Started.").user(message).runs("git commit -am x", "[main 1]").agent(answer)
    assert [finding.kind for finding in talk.found()] == ["unanswered_question"]


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        (
            "why is the timeout 30 seconds there? and rename the flag",
            "It is 30 seconds because of the proxy. Renamed the flag.",
        ),
        ("why is it so slow? fix it please", "There was no index, I added one."),
        ("can you rename the flag?", "Renamed."),
        ("왜 느려? 고쳐줘", "인덱스를 추가했습니다."),
        ("add the index. is the table large by now?", "The index is there. The table has grown large: 4 GB."),
        ("커밋하고 어디까지 됐는지 볼까?", "커밋했습니다. 여기까지 됐습니다."),
        ("Add the column. Also which cache does the session use?", "Based on the config, the session uses the Redis cache."),
    ],
)
def test_a_question_of_the_person_that_is_answered(message: str, answer: str) -> None:
    talk = Talk().user("Start").agent("Started.").user(message).runs("git commit -am x", "[main 1]").agent(answer)
    assert talk.found() == []


def test_a_call_without_a_result_behind_which_the_session_goes_on() -> None:
    talk = Talk().user("go").runs("ls", "a").uses("Bash", {"command": "make watch"}, None)
    assert talk.found() == []
    (finding,) = talk.user("I killed it").agent("I see.").found()
    assert (finding.kind, finding.role, finding.evidence[0].quote) == ("missing_result", "system", "make watch")


def test_a_result_that_a_summary_stands_for_is_not_missing() -> None:
    talk = Talk().user("go").runs("ls", "a").uses("Bash", {"command": "make watch"}, None)
    assert talk.injected("Conversation compacted").agent("Going on.").found() == []


def test_a_report_that_the_next_check_contradicts() -> None:
    talk = Talk().user("Fix it").runs("make lint", "0 issues").edits("a.py").agent("All checks pass.")
    assert talk.found() == []
    talk.runs("make lint", "Exit code 1\na.py:1:1: error: unused name", failed=True)
    (finding,) = talk.found()
    assert [quote.quote for quote in finding.evidence] == ["a.py:1:1: error: unused name", "All checks pass."]


@pytest.mark.parametrize(
    ("failed", "report", "kinds"),
    [
        (True, "검증이 완료되었습니다.", ["missing_result"]),
        (True, "검증이 실패했습니다. 다시 보겠습니다.", []),
        (False, "검증이 완료되었습니다.", []),
    ],
)
def test_a_report_right_behind_a_failure(failed: bool, report: str, kinds: list[str]) -> None:
    talk = (
        Talk()
        .user("검증해줘")
        .runs("python verify.py", "ModuleNotFoundError: No module named 'yaml'" if failed else "ok", failed=failed)
    )
    assert [finding.kind for finding in talk.agent(report).found()] == kinds


@pytest.mark.parametrize(
    "message",
    [
        "why does this topic only have three partitions? and set the threshold to 30000",
        "근데 왜 이 토픽만 파티션이 3개야? 그리고 임계값 30000으로 바꿔줘",
    ],
)
def test_a_question_beside_a_request_for_the_same_file_is_no_correction(message: str) -> None:
    talk = Talk().user("raise the lag threshold").edits("alerts.yaml")
    talk.agent("The lag threshold of the topic (토픽 임계값) is 20000 now.").user(message).edits("alerts.yaml", "b", "c")
    assert [finding.kind for finding in talk.agent("30000.").found()] == ["unanswered_question"]


def test_a_question_stands_before_the_last_words() -> None:
    talk = Talk().user("Write a job").agent("Which queue should it use, SQS or Redis?").agent("I wait for that.")
    talk.user("log the duration of each run please").edits("a.py").agent("Done.")
    assert [finding.kind for finding in talk.found()] == ["unanswered_question"]


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        (
            "I read the job.\n\nThe queue could be SQS or Redis. SQS survives a restart. What do you think?",
            "The queue could be SQS or Redis. SQS survives a restart. What do you think?",
        ),
        ("I'd drop rows without an id.\n\nDoes that sound right?", "I'd drop rows without an id.\n\nDoes that sound right?"),
        ("- A: SQS\n- B: Redis\n\nWhich one would you prefer?", "A: SQS\n- B: Redis\n\nWhich one would you prefer?"),
        ("큐는 SQS와 Redis가 있습니다. 어느 쪽이 좋을까요?", "큐는 SQS와 Redis가 있습니다. 어느 쪽이 좋을까요?"),
        ("I read the job. Which queue should it use?", "Which queue should it use?"),
        ("Which do you prefer?", "Which do you prefer?"),
    ],
)
def test_a_question_that_says_nothing_by_itself_brings_what_it_is_about(said: str, quote: str) -> None:
    talk = Talk().user("Write a job").agent(said).user("log the duration of each run please").edits("a.py")
    (finding,) = talk.agent("Done.").found("unanswered_question")
    assert finding.evidence[0].quote == quote
    assert " ".join(quote.split()) in finding.rule


def _key_of_report(command: str, report: str) -> str:
    talk = Talk().user("Fix it").runs(command, "ok").edits("a.py").agent(report)
    (finding,) = talk.runs(command, "Exit code 1\na.py:1:1: error: unused name", failed=True).found()
    return finding.key


def test_reports_of_something_else_are_other_lessons() -> None:
    said = ("All checks pass.", "The migration is complete and everything works.")
    keys = {_key_of_report(command, report) for command in ("make lint", "pytest -q") for report in said}
    assert len(keys) == 4
    assert _key_of_report("make lint", said[0]) == _key_of_report("make lint", "All checks pass!")
