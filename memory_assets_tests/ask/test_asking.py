"""Answers from a real store of three conversations: quotes that stand where they are cited, dates, names, refusals."""

from __future__ import annotations

import json
import re
from itertools import permutations
from pathlib import Path

import pytest

from memory_assets.ask.request import AskRequest
from memory_assets.cli.main import main
from memory_assets.errors import InvalidArgumentError
from memory_assets.memory import Memory
from memory_assets.results.answer import AnswerV1
from memory_assets.settings import load_settings
from memory_assets_tests.filled_store import copied

FIRST = (
    ("Mina", "Hey Jonas! I went to the pottery workshop yesterday, it was so calming."),
    ("Jonas", "Nice! Did you make anything?"),
    ("Mina", "Two blue bowls and a vase for my sister."),
    ("Jonas", "I adopted a greyhound called Biscuit last Friday. He sleeps all day."),
    ("Mina", "Oh, congratulations! What does he eat?"),
    ("Jonas", "Mostly salmon, the vet recommended it because of his skin."),
)
SECOND = (
    ("Mina", "We decided to move the uploads to object storage because the disk was full twice."),
    ("Jonas", "Agreed. The retry budget stays at 3 attempts with a back-off of 2 seconds."),
    ("Mina", "캐시는 Redis로 옮기기로 했다. 재시작이 빠르기 때문이다."),
    ("Jonas", "좋아, 배포는 내일 하자. 재시도는 다섯 번까지만 한다."),
)


def write(folder: Path, name: str, started: str, talk: tuple[tuple[str, str], ...]) -> None:
    messages = [
        {"id": f"{name}:{place}", "role": "user", "name": who, "content": text, "ts": f"{started}T10:{place:02}:00+00:00"}
        for place, (who, text) in enumerate(talk)
    ]
    told = {"schema_version": "chat.v1", "session_id": name, "project": "home", "started_at": messages[0]["ts"]}
    (folder / f"{name}.chat.json").write_text(json.dumps({**told, "messages": messages}), encoding="utf-8")


def store(folder: Path, order: tuple[int, ...] = (0, 1)) -> Memory:
    """A store that took the conversations in one after the other; made once in a process, and copied."""
    copied(("asked", order), folder / "home", lambda home: _take_in(home, order))
    return Memory(load_settings({"home": folder / "home", "embedding": {"model": "hashing"}}))


def _take_in(home: Path, order: tuple[int, ...]) -> None:
    talks = (("pottery", "2023-05-25", FIRST), ("uploads", "2023-06-02", SECOND))
    inbox = home.with_name(f"{home.name}-files") / "inbox"
    inbox.mkdir(parents=True)
    arguments = ["--home", str(home), "--set", "embedding.model=hashing"]
    for place in order:
        write(inbox, *talks[place])
        assert main([*arguments, "import", str(inbox)]) == 0


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return store(tmp_path_factory.mktemp("asked"))


def ask(memory: Memory, question: str, *, project: str | None = "home", words: int = 45) -> AnswerV1:
    return memory.ask(AskRequest(question, project=project, mode="lexical", most_words=words))


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("When did Mina go to the pottery workshop?", "24 May 2023: "),
        ("When did Jonas adopt a greyhound?", "19 May 2023 (the Friday before 25 May 2023): "),
        ("When did Mina make two blue bowls and a vase?", "said 25 May 2023: "),
        ("What is the greyhound of Jonas called?", "a greyhound called Biscuit"),
        ("Why did we move the uploads to object storage?", "because the disk was full twice"),
        ("How many attempts does the retry budget have?", "3 attempts"),
        ("왜 캐시를 Redis로 옮기기로 했지?", "재시작이 빠르기 때문이다"),
        ("재시도는 몇 번까지 하지?", "다섯 번까지만"),
    ],
)
def test_an_answer_quotes_what_was_said(memory: Memory, question: str, says: str) -> None:
    answer = ask(memory, question)
    assert answer.grounded and answer.refusal_reason is None, answer
    assert says in answer.answer


def test_a_cause_comes_before_what_happened(tmp_path: Path) -> None:
    """Who asks why has told what happened, in the words of the question."""
    talk = (
        ("Mina", "지난 금요일 배포 때문에 주말에 두 번이나 롤백했어. 무슨 일이 있었는지 정리해 줘."),
        ("Jonas", "롤백의 원인은 마이그레이션이 배포보다 늦게 실행된 것입니다."),
        ("Mina", "We rolled the exporter back twice on Sunday, what happened?"),
        ("Jonas", "The cause of the exporter's two roll backs was a clock that went wrong."),
    )
    write(tmp_path, "rolled", "2026-03-11", talk)
    arguments = ["--home", str(tmp_path / "home"), "--set", "embedding.model=hashing"]
    assert main([*arguments, "import", str(tmp_path / "rolled.chat.json")]) == 0
    memory = Memory(load_settings({"home": tmp_path / "home", "embedding": {"model": "hashing"}}))
    for question, begins in (
        ("왜 롤백했지?", "롤백의 원인은"),
        ("Why was the exporter rolled back twice?", "The cause of"),
    ):
        assert ask(memory, question).citations[0].citation.quote.startswith(begins)


@pytest.mark.parametrize(
    "question", ["When did Mina go to the pottery workshop?", "왜 캐시를 Redis로 옮겼나?", "retry budget?"]
)
def test_each_mark_has_its_citation_and_each_citation_its_characters(memory: Memory, question: str) -> None:
    answer = ask(memory, question)
    texts = {("pottery", place): text for place, (_, text) in enumerate(FIRST)}
    texts |= {("uploads", place): text for place, (_, text) in enumerate(SECOND)}
    assert answer.grounded and answer.citations
    for cited in answer.citations:
        citation = cited.citation
        assert citation.kind == "message" and cited.marker is not None and cited.marker in answer.answer
        text = texts[citation.session_id, citation.message_index]
        assert text[citation.span_start : citation.span_end] == citation.quote
        assert " ".join((citation.quote or "").split()) in answer.answer
    assert [claim.markers for claim in answer.claims] == [(cited.marker,) for cited in answer.citations]


def test_what_nobody_spoke_of_is_refused_and_named(memory: Memory) -> None:
    answer = ask(memory, "Which insurance covers the helicopter?")
    assert not answer.grounded and answer.refusal_reason in ("score_gate", "no_chunks")
    assert {"insurance", "helicopter"} <= set(answer.retrieval.unseen) and "helicopter" in answer.answer
    assert all(cited.marker is None for cited in answer.citations) and "[1]" not in answer.answer


def test_a_refusal_speaks_the_language_of_the_question(memory: Memory) -> None:
    answer = ask(memory, "카카오 로그인은 누가 맡았지?")
    assert not answer.grounded and "알려진 것이 없습니다: 카카오" in answer.answer


def test_what_another_said_is_less_of_an_answer(memory: Memory) -> None:
    of_him = ask(memory, "When did Jonas adopt a greyhound?").retrieval
    of_her = ask(memory, "When did Mina adopt a greyhound?").retrieval
    assert of_her.answerability < of_him.answerability
    assert of_her.answerability_parts["held_by_them"] < of_him.answerability_parts["held_by_them"]


@pytest.mark.parametrize("words", [1, 12, 30, 45])
def test_an_answer_keeps_to_its_words_but_for_its_first_sentence(memory: Memory, words: int) -> None:
    answer = ask(memory, "What did Mina make in the pottery workshop?", words=words)
    said = [claim.text.split() for claim in answer.claims]
    assert answer.grounded and (sum(map(len, said)) <= words + len(answer.claims) or len(said) == 1)


@pytest.mark.parametrize("question", ["", "   ", "x" * 20_001])
def test_an_empty_or_an_endless_question_is_an_error(memory: Memory, question: str) -> None:
    with pytest.raises(InvalidArgumentError, match="question"):
        ask(memory, question)


def test_an_unknown_project_holds_nothing(memory: Memory) -> None:
    answer = ask(memory, "When did Mina go to the pottery workshop?", project="elsewhere")
    assert not answer.grounded and answer.refusal_reason == "no_chunks"


def test_an_empty_store_answers_nothing(tmp_path: Path) -> None:
    memory = Memory(load_settings({"home": tmp_path, "embedding": {"model": "hashing"}}))
    answer = memory.ask(AskRequest("When was it?"))
    assert not answer.grounded and answer.refusal_reason == "no_chunks" and answer.notes


@pytest.mark.long
def test_the_answer_is_the_same_in_whatever_order_sessions_came(tmp_path: Path) -> None:
    questions = ("When did Jonas adopt a greyhound?", "왜 캐시를 Redis로 옮겼나?", "Which insurance covers the helicopter?")
    answers = []
    for order in permutations((0, 1)):
        asked = store(tmp_path / "".join(map(str, order)), order)
        given = [ask(asked, question).model_dump_json(exclude={"usage", "created_at"}) for question in questions]
        # Where the files lay is told with each citation.
        answers.append([re.sub(r'"path":"[^"]*/inbox/', '"path":"', one) for one in given])
    assert answers[0] == answers[1]


def test_lines_are_answered_in_their_order_and_an_error_stays_with_its_line(memory: Memory) -> None:
    lines = [
        '{"id": 1, "question": "When did Jonas adopt a greyhound?", "project": "home"}',
        '{"id": "b", "question": ""}',
        "no JSON",
        '{"id": "d", "question": "왜 캐시를 Redis로 옮겼나?", "mode": "lexical"}',
        '{"id": "e", "question": "retry?", "most_words": 0}',
    ]
    items = list(memory.asker.ask_lines(lines, AskRequest("")))
    assert [item.id for item in items] == ["1", "b", "line 3", "d", "e"]
    assert [item.error is None for item in items] == [True, False, False, True, False]
    assert items[0].answer is not None and "19 May 2023" in items[0].answer.answer
    alone = memory.ask(AskRequest("왜 캐시를 Redis로 옮겼나?", mode="lexical"))
    assert items[3].answer is not None and items[3].answer.citations == alone.citations


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["When did Jonas adopt a greyhound?", "--json"], 0),
        (["When did Jonas adopt a greyhound?", "--explain"], 0),
        (["Which insurance covers the helicopter?", "--json"], 1),
        (["Which insurance covers the helicopter?", "--explain"], 1),
        ([""], 2),
        ([], 2),
        (["--bulk", "a question"], 2),
    ],
)
def test_the_command_ends_as_it_should(
    memory: Memory, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int
) -> None:
    home = memory.settings.home
    capsys.readouterr()
    assert main(["--home", str(home), "--set", "embedding.model=hashing", "ask", *arguments]) == code
    printed = capsys.readouterr()
    assert "Traceback" not in printed.err and (code == 2) is ("error:" in printed.err)
    if "--json" in arguments:
        assert AnswerV1.model_validate_json(printed.out).grounded is (code == 0)
    elif code < 2:
        assert ("grounded ✓" in printed.out) is (code == 0)
