"""Questions about what the store keeps of something: decisions, open tasks, how a task stands; the rest is searched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_assets.ask.request import AskRequest
from memory_assets.ask.topic_questions import AskedTopic, Kept, asked_topic
from memory_assets.cli.main import main
from memory_assets.memory import Memory
from memory_assets.results.answer import AnswerV1
from memory_assets.settings import load_settings
from memory_assets_tests.ask.test_listing import BUCKET, DECIDED, EVERY, GUIDE, KEYS, LATER, LONG, TALKS, ask, quoted, store


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return store(tmp_path_factory.mktemp("topics"))


@pytest.mark.parametrize(
    ("question", "kept", "topic"),
    [
        ("what did we decide about the port?", "decision", "port"),
        ("So, what have we decided on error handling in the CLI?", "decision", "error handling in the CLI"),
        ("what was decided for PostCommit with ACTIVE sessions", "decision", "PostCommit with ACTIVE sessions"),
        ("what's the decision about caching?", "decision", "caching"),
        ("what did we end up deciding about a new port", "decision", "new port"),
        ("do you remember what we decided about the port?", "decision", "port"),
        ("which decisions were made about caching?", "decision", "caching"),
        ("decisions about caching", "decision", "caching"),
        ("list our decisions on deploys", "decision", "deploys"),
        ("배포에 대해 뭘 결정했지?", "decision", "배포"),
        ("우리 배포 관련해서 어떻게 하기로 했지?", "decision", "배포"),
        ("배포는 어떻게 하기로 했지", "decision", "배포"),
        ("배포 뭐 결정했지?", "decision", "배포"),
        ("배포에 대한 결정 사항 알려줘", "decision", "배포"),
        ("배포 결정사항", "decision", "배포"),
        ("what is left to do about the uploader?", "open", "uploader"),
        ("open tasks about the uploader", "open", "uploader"),
        ("what remains to be done for the release?", "open", "release"),
        ("영수증 문서 관련 남은 일 있어?", "open", "영수증 문서"),
        ("is the attribution bug fixed?", "state", "attribution bug fixed"),
        ("are the staging keys rotated yet?", "state", "staging keys rotated"),
        ("did we rotate the staging keys?", "state", "rotate the staging keys"),
        ("have we finished the migration guide yet", "state", "migration guide"),
        ("has the migration of the tables been completed?", "state", "migration of the tables"),
        ("what's the status of the migration guide right now?", "state", "migration guide"),
        ("영수증 문서 다 끝났어?", "state", "영수증 문서"),
        ("영수증 문서는 완료됐나요?", "state", "영수증 문서"),
        ("로그인 버그 고쳤어?", "state", "로그인 버그 고쳤"),
    ],
)
def test_a_question_about_something(question: str, kept: Kept, topic: str) -> None:
    assert asked_topic(question) == AskedTopic(kept, topic)


@pytest.mark.parametrize(
    "question",
    [
        # Nothing is named, or any task is.
        "is it done?",
        "is everything done?",
        "is the test done?",
        "작업 끝났어?",
        "그거 끝났어?",
        "did we finish?",
        "what did we decide about the?",
        'what did we decide about ""?',
        "is ! done?",
        # How something is, what happened, and when.
        "what is on the roof?",
        "is redis used?",
        "is the field of the form required?",
        "did you see the error?",
        "did you run the tests?",
        "has the last deploy failed?",
        "what is the status of git?",
        "세션 상태가 뭐야?",
        "세션이 에러로 끝났어?",
        "was the session file removed before the commit was made?",
        "is the port hardcoded or renamed?",
        "what did we decide about trailers in February?",
        # How, by whom and where.
        "why did we decide that?",
        "what did we decide?",
        "did we decide to use redis?",
        "what did Mina decide about the port?",
        "what did we decide about where to put it?",
        "배포 요일을 언제로 결정했지?",
        "캐시를 어디에 두기로 했지?",
        "테스트에 대해 어떻게 정리했지?",
        "writing-guide.md 언어 정책은 결국 어떻게 수정했지",
        "15개 파일은 무엇으로 병렬 처리했지",
        "output-formats.md는 몇 등으로 끝났어?",
        "shop에서 배포에 대해 뭘 결정했지?",
        # Whether not.
        "is the login bug still not fixed?",
        "로그인 버그 아직 안 고쳤어?",
        # More than one question.
        "what did we decide about the port? Use short words.",
        f"is {'the port of the server of ' * 40}it closed?",
    ],
)
def test_a_question_of_anything_else(question: str) -> None:
    assert asked_topic(question) is None


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("what did we decide about timestamps?", {DECIDED}),
        ("배포에 대해 뭘 결정했지?", {LATER}),
        ("what is left to do about the uploader?", {f"TODO: {KEYS}.", BUCKET}),
        ("is the migration guide finished?", {f"TODO: {GUIDE}."}),
        ("are the staging keys rotated?", {f"TODO: {KEYS}."}),
    ],
)
def test_what_is_kept_about_it_is_told_in_the_words_that_were_said(memory: Memory, question: str, words: set[str]) -> None:
    answer = ask(memory, question)
    assert answer.grounded and quoted(answer) == words
    texts = {(name, place): text for name, _, talk in TALKS for place, (_, text) in enumerate(talk)}
    for one in (cited.citation for cited in answer.citations):
        assert one.kind == "message" and texts[one.session_id, one.message_index][one.span_start : one.span_end] == one.quote


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("is the migration guide finished?", "open: "),
        ("영수증 문서 다 끝났어?", "할 일: "),
        ("did we rename the bucket of the uploader?", "said to be done, not proven: "),
    ],
)
def test_how_a_task_stands_is_told(memory: Memory, question: str, begins: str) -> None:
    assert ask(memory, question).answer.startswith(begins)


def test_a_task_that_is_done_is_told_as_done(tmp_path: Path) -> None:
    home = str(store(tmp_path).settings.home)
    memory = Memory(load_settings({"home": home, "embedding": {"model": "hashing"}}))
    with memory.database.reading() as connection:
        ((task,),) = connection.execute("SELECT entity_id FROM entities WHERE title LIKE '%migration guide%'").fetchall()
    given = ("task", "set-status", task, "done", "--note", "it is read")
    assert main(["--home", home, "--set", "embedding.model=hashing", *given]) == 0
    fresh = Memory(load_settings({"home": home, "embedding": {"model": "hashing"}}))
    assert ask(fresh, "is the migration guide finished?").answer.startswith("done: TODO: ")
    assert GUIDE not in ask(fresh, "what is left to do about the warehouse?").answer


def test_of_what_nothing_is_kept_is_searched(memory: Memory) -> None:
    for question in ("what did we decide about", "did we paint", "what is left to do about"):
        assert ask(memory, f"{question} the balloon?").refusal_reason == "score_gate"
    # It is said somewhere, and not as a decision or a task.
    assert "nobody waits" not in ask(memory, "what did we decide about the schema?").answer


def test_what_stands_beside_a_task_is_not_about_it(memory: Memory) -> None:
    """Both tasks are of the uploader; whose state is asked for is said by the verb."""
    assert quoted(ask(memory, "is the uploader bucket renamed?")) == {BUCKET}
    assert "Rotate" not in ask(memory, "are the uploader tests fixed?").answer


def test_what_answers_a_question_is_told_with_it(tmp_path: Path) -> None:
    """The question alone, which is quoted first, decides nothing."""
    asked, answered = "Should I keep the old images, or recycle them after 30 days?", "no, recycle them after 60 days"
    talk = (("user", "Clean up the machine images."), ("assistant", asked), ("user", answered), ("assistant", "Done."))
    messages = [
        {"id": f"i:{place}", "role": role, "content": text, "ts": f"2026-03-09T10:{place:02}:00+00:00"}
        for place, (role, text) in enumerate(talk)
    ]
    told = {"schema_version": "chat.v1", "session_id": "images", "project": "images", "started_at": messages[0]["ts"]}
    (tmp_path / "images.chat.json").write_text(json.dumps({**told, "messages": messages}), encoding="utf-8")
    given = ["--home", str(tmp_path / "home"), "--set", "embedding.model=hashing"]
    assert main([*given, "import", str(tmp_path / "images.chat.json")]) == 0
    memory = Memory(load_settings({"home": tmp_path / "home", "embedding": {"model": "hashing"}}))
    for question in ("what did we decide about the old images?", "what did we decide?"):
        answer = ask(memory, question)
        assert answer.answer.startswith(f"2026-03-09: {asked} no, recycle") and quoted(answer) <= {answered}


def test_another_project_keeps_nothing_of_it(memory: Memory) -> None:
    assert quoted(ask(memory, "what did we decide about timestamps?", "rules")) == {DECIDED}
    assert DECIDED not in ask(memory, "what did we decide about timestamps?", "depot").answer


def test_a_name_is_meant_as_it_is_written(memory: Memory) -> None:
    assert all(LONG.startswith(words) for words in quoted(ask(memory, "what did we decide about the exporter?")))
    assert not ask(memory, "what did we decide about exporter.toml?").answer.startswith("2026-03-07: ")


def test_a_task_that_was_entered_by_hand_is_named(tmp_path: Path) -> None:
    home = str(store(tmp_path).settings.home)
    given = ("task", "new", "Order the zeppelin engines", "--project", "quiet")
    assert main(["--home", home, "--set", "embedding.model=hashing", *given]) == 0
    fresh = Memory(load_settings({"home": home, "embedding": {"model": "hashing"}}))
    for question in ("what is left to do about the zeppelin engines?", "are the zeppelin engines done?"):
        told = ask(fresh, question)
        assert (told.grounded, told.answer) == (False, "Entered by hand: Order the zeppelin engines.")


def test_without_an_index_it_is_said_as_of_every_question(tmp_path: Path) -> None:
    memory = Memory(load_settings({"home": tmp_path / "empty", "embedding": {"model": "hashing"}}))
    questions = ["what did we decide about timestamps?", "Which keys are to be rotated?"]
    told = list(memory.asker.ask_all([AskRequest(question, mode="lexical") for question in questions]))
    reasons = [one.refusal_reason for one in told if isinstance(one, AnswerV1)]
    assert len(reasons) == 2 and reasons[0] == reasons[1] == ask(memory, questions[0]).refusal_reason


def test_many_questions_at_once_are_told_the_same(memory: Memory) -> None:
    questions = ["what did we decide about timestamps?", "Which keys are to be rotated?", "is the migration guide finished?"]
    told = list(memory.asker.ask_all([AskRequest(question, mode="lexical") for question in questions]))
    assert [one.answer for one in told if isinstance(one, AnswerV1)] == [ask(memory, question).answer for question in questions]


@pytest.mark.long
def test_the_order_of_the_sessions_changes_no_byte(tmp_path: Path) -> None:
    stores = [store(tmp_path / str(order), order) for order in (EVERY, EVERY[::-1])]
    for question in ("what did we decide about timestamps?", "what is left to do about the uploader?"):
        assert len({ask(one, question).answer for one in stores}) == 1
