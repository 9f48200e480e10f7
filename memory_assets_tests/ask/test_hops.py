"""Questions taken apart by rule, and answered in several hops from a real store."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.ask.decomposition import RuleDecomposer, points_back
from memory_assets.ask.request import MOST_WORDS, AskRequest
from memory_assets.cli.main import main
from memory_assets.memory import Memory
from memory_assets.results.answer import AnswerV1
from memory_assets_tests.ask.test_asking import store


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Why did the deploy fail?", ["Why did the deploy fail?"]),
        ("What is bread and butter?", ["What is bread and butter?"]),
        ("What did Mina and Jonas make?", ["What did Mina and Jonas make?"]),
        ("When and where did they meet?", ["When did they meet?", "where did they meet?"]),
        ("What did Mina make and Jonas adopt?", ["What did Mina make?", "What did Jonas adopt?"]),
        ("When did Mina swim, and what did she win?", ["When did Mina swim", "what did she win?"]),
        ("Who wrote the parser? How long is it?", ["Who wrote the parser?", "How long is it?"]),
        ("Why did we move; how many retries are there?", ["Why did we move", "how many retries are there?"]),
        ("What broke while who was away?", ["What broke", "who was away?"]),
        ("캐시를 왜 옮겼고 재시도는 몇 번이지?", ["캐시를 왜 옮겼지?", "재시도는 몇 번이지?"]),
        ("배포는 언제 하며 누가 맡았지?", ["배포는 언제 하지?", "누가 맡았지?"]),
        ("캐시를 왜 골랐지? 그리고 재시도는 몇 번이지?", ["캐시를 왜 골랐지?", "재시도는 몇 번이지?"]),
        ("언제 어디서 배포했지?", ["언제 배포했지?", "어디서 배포했지?"]),
        ("캐시를 옮기고 재시도를 늘린 이유는?", ["캐시를 옮기고 재시도를 늘린 이유는?"]),
        ("광고 비용은 얼마지?", ["광고 비용은 얼마지?"]),
        ("Same? Same?", ["Same?"]),
    ],
)
def test_a_question_is_taken_apart_where_it_asks_several_things(question: str, parts: list[str]) -> None:
    assert list(RuleDecomposer().parts(question)) == parts


@given(st.text("aA 그리고언제왜and what,;?？고며 ", max_size=60))
def test_no_part_is_empty_and_every_question_has_one(question: str) -> None:
    parts = RuleDecomposer().parts(question)
    assert all(part.strip() for part in parts) and len(set(parts)) == len(parts)


@pytest.mark.parametrize(("question", "expected"), [("When was it?", True), ("그건 언제지?", True), ("그리고 언제지?", False)])
def test_what_speaks_of_it_points_back(question: str, expected: bool) -> None:
    assert points_back(question) is expected


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return store(tmp_path_factory.mktemp("asked"))


def ask(memory: Memory, question: str, words: int = MOST_WORDS) -> AnswerV1:
    return memory.ask(AskRequest(question, project="home", mode="lexical", most_words=words, multi_hop=True))


@pytest.mark.long
def test_each_part_is_answered_and_what_follows_on_another_is_asked_behind_it(memory: Memory) -> None:
    answer = ask(memory, "When did Jonas adopt a greyhound? What does he eat?")
    assert answer.grounded and "19 May 2023" in answer.answer and "salmon" in answer.answer
    assert [(hop.kind, hop.iter, hop.sub_queries, hop.forced_stop) for hop in answer.hops] == [
        ("decompose", 0, ("When did Jonas adopt a greyhound?", "What does he eat?"), False),
        ("decide", 1, ("When did Jonas adopt a greyhound?",), False),
        ("decide", 2, ("What does he eat?",), False),
        ("synthesize", 2, ("When did Jonas adopt a greyhound?", "What does he eat?"), False),
    ]
    assert answer.hops[1].context_chunks_added > 0 and {hop.llm_call_ms for hop in answer.hops} == {0}
    assert answer.conversation_id is None and answer.turn_index is None
    assert answer.question == "When did Jonas adopt a greyhound? What does he eat?"


def test_parts_in_both_languages_share_the_words_of_one_answer(memory: Memory) -> None:
    for question in (
        "캐시를 왜 Redis로 옮겼고 재시도는 몇 번까지 하지?",
        "Why did we move the uploads, and how many attempts does the retry budget have?",
    ):
        for words in (12, 30, MOST_WORDS):
            answer = ask(memory, question, words)
            quoted = [quote for claim in answer.claims for quote in claim.quotes]
            assert answer.grounded and (sum(len(quote.split()) for quote in quoted) <= words or len(quoted) == 1)
            assert [cited.marker for cited in answer.citations] == [f"[{n}]" for n in range(1, len(quoted) + 1)]
            assert len({cited.citation.uri for cited in answer.citations}) == len(answer.citations)
    assert {"disk was full", "3 attempts"} <= {words for words in ("disk was full", "3 attempts") if words in answer.answer}


def test_a_part_that_nobody_spoke_of_is_named_and_the_others_are_answered(memory: Memory) -> None:
    answer = ask(memory, "When did Jonas adopt a greyhound and which helicopter does he own?")
    assert answer.grounded and "19 May 2023" in answer.answer
    assert answer.notes[0] == "nothing that was said answers: which helicopter does he own?"
    refused = ask(memory, "Which helicopter does she own and which insurance covers it?")
    assert not refused.grounded and refused.refusal_reason in ("score_gate", "no_chunks")
    assert refused.hops[-1].sub_queries == ()


def test_more_than_five_parts_are_refused(memory: Memory) -> None:
    answer = ask(memory, "; ".join(f"what is number {number}" for number in range(6)))
    assert (answer.grounded, answer.refusal_reason) == (False, "multi_hop_decompose_failed")
    assert answer.hops[0].forced_stop and len(answer.hops[0].sub_queries) == 5
    assert ask(memory, "; ".join(f"what is number {number}" for number in range(5))).refusal_reason != answer.refusal_reason


def test_a_plain_question_is_answered_as_it_is_without_hops(memory: Memory) -> None:
    question = "Why did we move the uploads to object storage?"
    hopped, plain = ask(memory, question), memory.ask(AskRequest(question, project="home", mode="lexical"))
    assert (hopped.answer, hopped.citations, hopped.retrieval) == (plain.answer, plain.citations, plain.retrieval)
    assert plain.hops == ()


def test_the_command(memory: Memory, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    home = ["--home", str(memory.settings.home), "--set", "embedding.model=hashing", "ask", "--multi-hop"]
    capsys.readouterr()
    assert main([*home, "--explain", "When did Jonas adopt a greyhound? What does he eat?"]) == 0
    out = capsys.readouterr().out
    assert "hops" in out and "decide 2: What does he eat?" in out
    assert main([*home, "--bulk"]) == 2
    assert main([*home, ""]) == 2
