"""Answers recorded: the question masked, references in place of words, hidden with what they cite; conversations."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from memory_assets.ask.asker import considered
from memory_assets.ask.conversation import LAST_ANSWER_CHARACTERS, Conversation, Turn
from memory_assets.ask.packing import packed
from memory_assets.ask.request import AskRequest
from memory_assets.cli.main import main
from memory_assets.commands.answers import conversation_for, record_answer, recorded
from memory_assets.errors import InvalidArgumentError, NotFoundError
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.memory import Memory
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import verify
from memory_assets.queries.answers import list_answers, one_answer
from memory_assets.results.answer import AnswerV1
from memory_assets.search.answerability.passages import passages_of
from memory_assets.settings import load_settings
from memory_assets_tests.ask.test_asking import store
from memory_assets_tests.cli.test_machine import on_a_read_only_medium

ADOPTED = "When did Jonas adopt a greyhound?"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return store(tmp_path_factory.mktemp("asked")).settings.home


@pytest.fixture
def memory(filled: Path, tmp_path: Path) -> Iterator[Memory]:
    home = tmp_path / "home"
    shutil.copytree(filled, home)
    memory = Memory(load_settings({"home": home, "embedding": {"model": "hashing"}}))
    with memory.database.kept_open():
        yield memory


def asked(memory: Memory, question: str, name: str | None = None, *, wanted: bool | None = None) -> AnswerV1:
    talk = None if name is None else conversation_for(memory.resources, name)
    request = AskRequest(question, project="home", mode="lexical", conversation=talk)
    return recorded(memory.resources, request, memory.ask(request), wanted=wanted)


def forget(memory: Memory, session_id: str) -> None:
    EventLog(memory.database).append([NewEvent(SessionForgotten(reason="asked"), session_id=session_id, inputs=("now",))])
    catch_up(memory.database, memory.resources.configured_versions, resolve=True)


def log_of(memory: Memory) -> str:
    with memory.database.reading() as connection:
        return repr(connection.execute("SELECT * FROM events WHERE event_type = 'answer_recorded'").fetchall())


def test_an_answer_is_recorded_as_references_and_shown_with_its_words(memory: Memory) -> None:
    answer = asked(memory, ADOPTED, wanted=True)
    (one,) = memory.read(list_answers).answers
    assert (one.question, one.project, one.grounded, one.refusal_reason) == (ADOPTED, "home", True, None)
    assert (one.answerer, one.prompt_template_version) == ("extractive", answer.prompt_template_version)
    assert one.answerability == answer.retrieval.answerability and one.score_gate == answer.retrieval.score_gate
    assert [(cited.marker, cited.citation.uri, cited.citation.quote) for cited in one.citations] == [
        (cited.marker, cited.citation.uri, cited.citation.quote) for cited in answer.citations
    ]
    assert memory.read(one_answer, one.answer_id[4:12]) == one
    assert "Biscuit" in answer.answer and "Biscuit" not in log_of(memory)


def test_a_secret_in_a_question_is_masked_before_it_is_written(memory: Memory) -> None:
    secret = "AKIA" + "IOSFODNN7EXAMPLE"
    asked(memory, f"Who uses the key {secret}?", wanted=True)
    asked(memory, f"{'word ' * 399}{secret} and more", wanted=True)  # what is kept ends within the key
    told = log_of(memory) + repr(memory.read(list_answers))
    assert secret not in told and secret[:12] not in told and "[SECRET:" in told


@pytest.mark.parametrize(
    ("setting", "wanted", "name", "count"),
    [
        ("conversations", None, None, 0),
        ("conversations", None, "talk", 1),
        ("conversations", True, None, 1),
        ("conversations", False, "talk", 0),
        ("always", None, None, 1),
        ("never", None, "talk", 0),
    ],
)
def test_what_is_recorded_is_the_setting_or_the_word_of_the_asker(
    memory: Memory, setting: str, wanted: bool | None, name: str | None, count: int
) -> None:
    chosen = Memory(
        load_settings({"home": memory.settings.home, "embedding": {"model": "hashing"}, "ask": {"record": setting}})
    )
    asked(chosen, ADOPTED, name, wanted=wanted)
    assert memory.read(list_answers).total == count


@pytest.mark.long
def test_a_forgotten_session_takes_its_answers_along(memory: Memory) -> None:
    asked(memory, ADOPTED, "talk")
    asked(memory, "How many attempts does the retry budget have?", "talk")
    asked(memory, "Which insurance covers the helicopter?", wanted=True)
    cites = {one.question: {cited.citation.session_id for cited in one.citations} for one in memory.read(list_answers).answers}  # type: ignore[union-attr]
    forget(memory, "pottery")
    left = {one.question for one in memory.read(list_answers).answers}
    assert left == {question for question, sessions in cites.items() if "pottery" not in sessions} and ADOPTED not in left
    assert verify(memory.database, memory.resources.configured_versions).equal


def test_a_message_that_says_something_else_is_not_quoted(memory: Memory) -> None:
    asked(memory, ADOPTED, wanted=True)
    with memory.database.writing() as connection:
        connection.execute("UPDATE messages SET text = upper(text)")
    (one,) = memory.read(list_answers).answers
    assert one.citations and {cited.citation.quote for cited in one.citations} == {None}


@pytest.mark.long
@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("unshare") is None, reason="only root can mount a medium read-only")
def test_a_store_that_nobody_may_write_answers_all_the_same(memory: Memory) -> None:
    asked(memory, ADOPTED, "talk")
    ended = on_a_read_only_medium(memory.settings.home, "ask", "--session", "talk", "--json", "When was that?")
    answer = AnswerV1.model_validate_json(ended.stdout)
    assert answer.grounded and answer.turn_index == 1 and any("not recorded" in note for note in answer.notes)
    assert memory.read(list_answers).total == 1


def test_turns_count_from_nought_and_follow_on_the_last_answer(memory: Memory) -> None:
    answers = [asked(memory, question, "talk") for question in (ADOPTED, "What does he eat?", "When was that?")]
    assert [(one.conversation_id, one.turn_index) for one in answers] == [("talk", 0), ("talk", 1), ("talk", 2)]
    assert all(one.grounded for one in answers)
    assert "salmon" in answers[1].answer and "19 May 2023" in answers[2].answer
    # By itself it follows on nothing, and another conversation begins anew.
    assert not asked(memory, "When was that?").grounded
    assert asked(memory, "What does he eat?", "other").turn_index == 0


@pytest.mark.parametrize("question", ["How old is he?", "Which helicopter does he own?", "그 헬리콥터는 누구 거지?"])
def test_what_the_last_answer_said_answers_no_question_about_what_was_never_said(memory: Memory, question: str) -> None:
    asked(memory, ADOPTED, "talk")
    answer = asked(memory, question, "talk")
    assert not answer.grounded and answer.refusal_reason == "score_gate"


def test_an_earlier_answer_is_searched_with_and_is_no_evidence(memory: Memory) -> None:
    talk = Conversation("talk", 1, (Turn("?", "I adopted a greyhound called Zanzibar. He sleeps all day."),))
    answer = memory.ask(AskRequest("What is the greyhound called?", project="home", mode="lexical", conversation=talk))
    assert "Zanzibar" not in answer.answer and "Biscuit" in answer.answer
    assert all("Zanzibar" not in (cited.citation.quote or "") for cited in answer.citations)


def test_a_turn_that_is_forgotten_is_followed_on_no_more(memory: Memory) -> None:
    asked(memory, ADOPTED, "talk")
    assert "greyhound" in conversation_for(memory.resources, "talk").last_answer
    forget(memory, "pottery")
    assert conversation_for(memory.resources, "talk") == Conversation("talk")


def test_a_search_goes_on_from_the_beginning_of_the_last_answer_without_its_times() -> None:
    talk = Conversation("talk", 2, (Turn("b", ""), Turn("a", "We moved last Friday. " + "x" * 300)))
    assert len(talk.last_answer) == LAST_ANSWER_CHARACTERS
    searched = talk.searched("When was that?")
    assert searched.startswith("When was that? We moved . xxx") and "Friday" not in searched and "\0" not in searched


def test_a_conversation_that_is_to_go_on_has_to_be_there(memory: Memory) -> None:
    with pytest.raises(NotFoundError, match="no conversation to continue"):
        conversation_for(memory.resources, None, continued=True)
    with pytest.raises(NotFoundError, match="no conversation 'talk'"):
        conversation_for(memory.resources, "talk", continued=True)
    asked(memory, ADOPTED, "talk")
    assert conversation_for(memory.resources, None, continued=True).turn_index == 1
    assert conversation_for(memory.resources, "talk", continued=True).turns[0].question == ADOPTED


@pytest.mark.parametrize("name", ["", "  ", "x" * 101])
def test_a_name_that_is_none_is_an_error(memory: Memory, name: str) -> None:
    with pytest.raises(InvalidArgumentError, match="conversation's name"):
        conversation_for(memory.resources, name)


def test_a_question_without_an_index_is_recorded_too(memory: Memory) -> None:
    request = AskRequest(ADOPTED, mode="lexical")
    shutil.rmtree(memory.settings.vectors_folder)
    answer = Memory(memory.settings).ask(request)
    assert answer.refusal_reason == "no_index"
    record_answer(memory.resources, request, answer)
    assert memory.read(list_answers).answers[0].refusal_reason == "no_index"


@pytest.mark.long
def test_the_commands(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(["--home", str(memory.settings.home), "--set", "embedding.model=hashing", *arguments])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return code, printed.out, printed.err

    assert run("answers")[1].startswith("no recorded answers")
    code, _, err = run("ask", "--session", "talk", "--continue", "When was that?")
    assert code == 2 and "no conversation 'talk'" in err
    assert run("ask", "--continue", "When was that?")[0] == 2
    assert run("ask", "--bulk", "--session", "talk")[0] == run("ask", "--bulk", "--record")[0] == 2
    assert run("ask", "--session", "", ADOPTED)[0] == 2
    code, out, _ = run("ask", "--session", "talk", "--json", ADOPTED)
    assert code == 0 and (json.loads(out)["conversation_id"], json.loads(out)["turn_index"]) == ("talk", 0)
    assert json.loads(run("ask", "--continue", "--json", "When was that?")[1])["turn_index"] == 1
    assert run("ask", "--no-record", ADOPTED)[0] == 0
    listed = json.loads(run("answers", "list", "--json", "--session", "talk")[1])
    assert listed["total"] == 2 and [one["turn_index"] for one in listed["answers"]] == [1, 0]
    assert ADOPTED in run("answers")[1]
    code, out, _ = run("answers", "show", listed["answers"][1]["answer_id"])
    assert code == 0 and "turn 0 of talk" in out and "「I adopted a greyhound called Biscuit last Friday." in out
    assert run("answers", "show", "ans_nothing")[0] == 2


def test_a_model_is_shown_evidence_first_and_of_earlier_turns_the_newest_that_fit(memory: Memory) -> None:
    found = memory.asker.searcher.look_up(AskRequest(ADOPTED, project="home", mode="lexical").search())
    with memory.database.reading() as connection:
        passages = passages_of(connection, found.response.hits)

    def contents(most_tokens: int, turns: tuple[Turn, ...]) -> tuple[int, str]:
        talk = Conversation("talk", len(turns), turns) if turns else None
        request = AskRequest(ADOPTED, project="home", mode="lexical", conversation=talk)
        sent = packed(considered(request, found, passages), most_tokens)
        assert sent.tokens <= most_tokens
        return len(sent.pieces), sent.talk[1]["content"]

    turns = tuple(Turn(f"question {number}?", "word " * 60) for number in range(8))
    pieces, _ = contents(6_000, ())
    kept, told = contents(6_000, turns)
    assert kept == pieces and all(turn.question in told for turn in turns)
    least = next(tokens for tokens in range(100, 6_000, 10) if _fits(partial(contents, tokens, ()), pieces))
    kept, told = contents(least + 200, turns)
    assert kept == pieces and "question 0?" in told and "question 7?" not in told
    assert contents(least, turns)[0] == pieces and "asked:" not in contents(least, turns)[1]
    with pytest.raises(InvalidArgumentError, match=r"ask\.prompt_tokens"):
        contents(50, turns)


def _fits(contents: Callable[[], tuple[int, str]], pieces: int) -> bool:
    try:
        return contents()[0] == pieces
    except InvalidArgumentError:
        return False
