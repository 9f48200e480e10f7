"""What some hits are worth for a question."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.results.certificate import HINTS, CertificateV1
from memory_assets.search.question.terms import query_terms, stem, stemmed
from memory_assets.search.question.time_cues import TimeWindow
from memory_assets.search.ranking.certificate import SeenHit, certify, distinct_hits, next_action
from memory_assets.text.lexical_text import search_text


def hit(text: str, *citations: str, relevance: float = 1.0, **known: object) -> SeenHit:
    return SeenHit(search_text(text).split(), citations, relevance, **known)  # type: ignore[arg-type]


def missing(query: str, *texts: str) -> tuple[str, ...]:
    return certify(query, [hit(text) for text in texts], entities=()).missing


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("When did we decide on the orders?", "We decided about an order"),
        ("블로커를 왜 고쳐야 했나요?", "배포 전에 블로커는 고쳐야 한다"),
        ("API에서 죽었지", "API가 죽었지 뭐야"),
        ("키를 어디에 뒀더라", "키 뒀더라"),
        ("src/app/main.py에서 무엇이", "see src/app/main.py"),
        ("배포를 왜 연기했나요?", "배포 연기는 어제 정했다"),
        ("테스트가 완료됐는지", "테스트 완료"),
        ("누가 승인하나요", "승인은 팀장이 한다"),
        ("캐시를 어디로 옮겼나요?", "캐시는 Redis로 옮겼다"),
        ("인덱스를 언제 지웠는지", "인덱스를 지웠다"),
        ("지금 rebase했나요?", "지금 rebase 중"),
        ("그 값은 필수였던가", "그 값은 필수다"),
    ],
)
def test_particles_endings_and_words_of_asking_hide_nothing(query: str, said: str) -> None:
    assert missing(query, said) == ()


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("이미지 크기", "이미 크기를 줄였다"),
        ("메시지 순서", "메시의 순서"),
        ("무제한 요금", "무제의 요금"),
        ("관리자 권한", "관리의 권한"),
    ],
)
def test_what_only_looks_like_an_ending_stays(query: str, said: str) -> None:
    word = next(term for term in query_terms(query) if term.text == query.split()[0])
    assert word.held_by(stemmed(search_text(said).split())) <= 0.5


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("decide", "decided"),
        ("deploy", "deploys"),
        ("deploy", "deploying"),
        ("plan", "planned"),
        ("call", "calls"),
        ("story", "stories"),
        ("cache", "caches"),
        ("cache", "caching"),
        ("entry", "entries"),
    ],
)
def test_forms_of_an_english_word_are_one(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_what_is_no_english_word_stays() -> None:
    assert [stem(word) for word in ("캐시를", "v1.2", "bus", "src/cases", "aes256")] == [
        "캐시를",
        "v1.2",
        "bus",
        "src/cases",
        "aes256",
    ]


def test_what_no_hit_speaks_of_is_named_as_the_question_writes_it() -> None:
    assert missing("Redis 캐시를 Kafka로 옮긴 이유", "캐시를 Redis로 옮긴다") == ("Kafka로", "이유")
    assert missing("the deploy window of Berlin", "a window was opened") == ("deploy", "Berlin")


def test_hits_cover_a_question_together() -> None:
    one, other = hit("the retry budget is three", relevance=0.5), hit("Berlin deploys on Friday", relevance=0.5)
    query = "retry budget and Berlin deploy"
    assert certify(query, [one], entities=()).completeness == 0.5
    assert certify(query, [one, other], entities=()).completeness == 1.0


def test_thirty_hits_that_share_a_word_each_cover_no_question() -> None:
    words = ["retry", "budget", "Berlin", "deploy", "Friday"]
    found = certify(" ".join(words), [hit(f"{word} {n}", relevance=0.2) for n, word in enumerate(words * 6)], entities=())
    assert found.completeness == pytest.approx(0.4)
    assert found.next_action == "widen"


def test_a_name_is_covered_as_a_whole() -> None:
    apart = [hit("the payment page"), hit("a service of mine")]
    assert "payment service" in certify("payment service", apart, entities=["payment service"]).missing
    assert certify("payment service", [hit("the payment service")], entities=["payment service"]).missing == ()


def test_time_files_and_people_are_facets() -> None:
    window = TimeWindow(datetime(2025, 1, 1, tzinfo=UTC), datetime(2025, 2, 1, tzinfo=UTC), "in January", "date")
    asked = {"window": window, "files": ["src/app.py"], "speakers": ["Mina"], "entities": ()}
    said = {"said_at": datetime(2025, 1, 9, tzinfo=UTC), "files": ("src/app.py",), "speaker": "Mina"}
    assert certify("budget", [hit("budget", **said)], **asked).missing == ()  # type: ignore[arg-type]
    late = {"said_at": datetime(2025, 3, 9, tzinfo=UTC)}
    assert certify("budget", [hit("budget", **late)], **asked).missing == ("in January", "src/app.py", "Mina")  # type: ignore[arg-type]


def test_what_repeats_another_hit_is_redundant() -> None:
    words = " ".join(f"word{n}" for n in range(20))
    assert distinct_hits([hit(words), hit(f"{words} more"), hit("something else")]) == 2
    assert distinct_hits([hit("one", "session:a#m=1"), hit("another", "session:a#m=1"), hit("third", "session:a#m=2")]) == 2
    found = certify("word1", [hit(words), hit(words), hit(words), hit("other")])
    assert (found.redundancy, found.distinct, found.hits) == (0.5, 2, 4)


@given(st.lists(st.frozensets(st.sampled_from([f"t{n}" for n in range(14)]), max_size=14), max_size=14))
def test_near_duplicates_are_found_as_by_comparing_all(token_sets: list[frozenset[str]]) -> None:
    leaders: list[frozenset[str]] = []
    for tokens in token_sets:
        if not any(tokens and len(tokens & one) >= 0.9 * len(tokens | one) for one in leaders):
            leaders.append(tokens)
    assert distinct_hits([SeenHit(tokens) for tokens in token_sets]) == len(leaders)


@pytest.mark.parametrize(
    ("completeness", "hits", "widened", "action"),
    [
        (0.0, 0, False, "nothing_found"),
        (0.59, 3, False, "widen"),
        (0.59, 3, True, "ask_a_person"),
        (0.6, 3, False, "timeline"),
        (0.69, 3, True, "timeline"),
        (0.7, 3, False, "enough"),
    ],
)
def test_what_to_do_next(completeness: float, hits: int, widened: bool, action: str) -> None:
    assert next_action(completeness, hits=hits, widened=widened) == action


@given(st.text(max_size=80), st.lists(st.text(max_size=60), max_size=5))
def test_any_question_and_any_hits_give_a_certificate_that_can_be_printed(query: str, texts: list[str]) -> None:
    found = certify(query, [hit(text, relevance=0.7) for text in texts])
    assert 0 <= found.completeness <= 1
    assert 0 <= found.redundancy < 1
    printed = CertificateV1.of(found)
    assert printed.hint == HINTS[printed.next_action]
    assert set(found.missing) <= {facet.name for facet in found.facets}


def test_a_pasted_document_is_read_to_its_first_words_only() -> None:
    assert len(query_terms("단어 word " * 40_000)) <= 64
    assert len(query_terms(" ".join(f"w{n}" for n in range(100_000)))) == 64


def test_who_is_named_stands_in_the_same_order_in_every_process() -> None:
    names = [f"Name{letter}" for letter in "ABCDEFGHIJKL"]
    made = certify("what did they say", [SeenHit(["they", "said"])], speakers=frozenset(names))
    assert [facet.name for facet in made.facets if facet.kind == "speaker"] == names
