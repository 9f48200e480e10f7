"""Whether anything is known of a question: one number for a search, its certificate and the answer, over a real store."""

from __future__ import annotations

import pytest

from memory_assets.ask.request import AskRequest
from memory_assets.memory import Memory
from memory_assets.results.retrieval import RetrievalV1
from memory_assets.vectors.errors import IndexCorruptError
from memory_assets.vectors.units import LexicalHits
from memory_assets.vectors.words import WordIndex
from memory_assets_tests.filled_store import fill

KNOWN = ("PostgreSQL orders", "왜 캐시를 Redis로 옮겼지?", "What is the retry budget?", "배포 전에 뭘 고쳐야 하지?")
UNKNOWN = ("Why did the cafeteria menu change?", "카카오 로그인은 누가 맡았지?", "Redis quokka marsupial wombat dingo")


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return Memory(fill(tmp_path_factory.mktemp("store")))


def retrieval(memory: Memory, query: str, **fields: object) -> RetrievalV1:
    found = memory.search(query, **fields).retrieval
    assert found is not None
    return found


@pytest.mark.parametrize("question", [*KNOWN, *UNKNOWN])
def test_a_search_and_the_answer_to_its_question_are_as_sure(memory: Memory, question: str) -> None:
    answer = memory.ask(AskRequest(question))
    for fields in ({}, {"k": 1}, {"k": 20}, {"budget": 30}, {"beside": False}):
        found = retrieval(memory, question, **fields)
        assert found.answerability == answer.retrieval.answerability, fields
        assert found.score_gate == answer.retrieval.score_gate
    assert answer.grounded is found.known


@pytest.mark.parametrize("question", KNOWN)
def test_what_was_said_is_known(memory: Memory, question: str) -> None:
    found = retrieval(memory, question)
    assert found.known and found.answerability >= found.score_gate
    assert (found.unknown, found.says, found.other_language) == ((), "", None)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Why did the cafeteria menu change?", ("cafeteria", "menu", "change")),
        ("카카오 로그인은 누가 맡았지?", ("카카오", "맡았지")),
        ("Redis quokka marsupial wombat dingo", ("quokka", "marsupial", "wombat", "dingo")),
    ],
)
def test_what_nobody_spoke_of_is_named_and_the_nearest_are_shown(memory: Memory, question: str, words: tuple[str, ...]) -> None:
    response = memory.search(question)
    found = response.retrieval
    assert response.hits and found is not None and not found.known
    assert found.unknown == words and found.says.startswith(f"nothing is known about: {', '.join(words)}")
    assert response.certificate is not None and response.certificate.next_action == "ask_a_person"


def test_where_nothing_at_all_is_found_it_is_said_too(memory: Memory) -> None:
    response = memory.search("식당 메뉴", mode="lexical")
    assert not response.hits and response.retrieval is not None
    assert (response.retrieval.answerability, response.retrieval.known) == (0.0, False)
    assert response.retrieval.says == "nothing is known about: 식당, 메뉴"


def test_hits_that_repeat_the_words_of_a_question_are_not_enough(memory: Memory) -> None:
    for question in UNKNOWN:
        certificate = memory.search(question).certificate
        assert certificate is not None and certificate.next_action != "enough"
    certificate = memory.search("PostgreSQL orders").certificate
    assert certificate is not None and certificate.next_action == "enough"


def test_the_signs_of_the_number_are_shown_where_that_is_asked_for(memory: Memory) -> None:
    question = "What is the retry budget?"
    explained = memory.search(question, explain=True).retrieval
    assert explained is not None and {"held", "held_by_them", "unseen", "best"} <= set(explained.answerability_parts)
    assert retrieval(memory, question).answerability_parts == {}
    answer = memory.ask(AskRequest(question)).retrieval
    assert answer.answerability_parts == explained.answerability_parts


def test_what_only_the_other_language_could_hold_is_said(memory: Memory) -> None:
    korean = retrieval(memory, "쿼카 사육 일지")
    assert korean.other_language == "en" and "ask in English" in korean.says
    english = retrieval(memory, "Who feeds the quokka marsupial?")
    assert english.other_language == "ko" and "ask in Korean" in english.says
    # Of what the glossary knows, text of the other language was looked through.
    assert retrieval(memory, "식당 메뉴").other_language is None


@pytest.mark.parametrize("mode", ["lexical", "hybrid", "vector"])
def test_every_mode_knows_what_it_does_not_know(memory: Memory, mode: str) -> None:
    known, unknown = (retrieval(memory, question, mode=mode) for question in (KNOWN[0], UNKNOWN[0]))
    assert known.answerability > unknown.answerability and not unknown.known


@pytest.mark.parametrize("question", KNOWN)
def test_what_is_ranked_by_vectors_alone_is_as_sure_by_its_words(memory: Memory, question: str) -> None:
    """To rank by vectors is no reason to know less: `memory search --mode vector` ended with 1 above the right hit."""
    response = memory.search(question, mode="vector", explain=True)
    assert response.channels == ("vector",) and response.crossed == ()
    assert response.retrieval is not None and response.retrieval.answerability_parts["bm25"] > 0
    assert response.retrieval.known and retrieval(memory, question, mode="lexical").known


def test_vectors_are_searched_though_the_index_of_words_cannot_be_read(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> LexicalHits:
        raise IndexCorruptError("table words cannot be read")

    whole = memory.search(KNOWN[0], mode="vector")
    monkeypatch.setattr(WordIndex, "lexical_search", broken)
    assert [hit.unit_id for hit in memory.search(KNOWN[0], mode="vector").hits] == [hit.unit_id for hit in whole.hits]
    with pytest.raises(IndexCorruptError):
        memory.search(KNOWN[0], mode="hybrid")


def test_each_line_of_a_bulk_search_says_it(memory: Memory) -> None:
    lines = [f'{{"id": "{number}", "query": "{question}"}}' for number, question in enumerate((KNOWN[0], UNKNOWN[0]))]
    told = [item.response.retrieval for item in memory.bulk_search(lines) if item.response]
    assert [one.known for one in told if one] == [True, False]


def test_a_context_says_it(memory: Memory) -> None:
    assert (known := memory.context(KNOWN[0]).retrieval) is not None and known.known
    bundle = memory.context(UNKNOWN[0])
    assert bundle.retrieval is not None and not bundle.retrieval.known and "cafeteria" in bundle.retrieval.says
    assert bundle.certificate is not None and bundle.certificate.next_action == "ask_a_person"
