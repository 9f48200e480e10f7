import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.search.question.terms import names_in, query_terms, standing, stem, stemmed
from memory_assets.text.lexical_text import search_text

WORDS = st.lists(
    st.sampled_from(
        [
            "deploy",
            "deploys",
            "deployed",
            "deploying",
            "deployment",
            "cache",
            "caches",
            "배포",
            "배포는",
            "미뤘다",
            "API",
            "api.py",
            "v1.2",
            "a",
            "an",
            "값",
            "값이",
        ]
    ),
    max_size=12,
)


@given(WORDS, WORDS)
def test_what_stands_in_a_text_is_what_its_stems_share(asked: list[str], said: list[str]) -> None:
    text = search_text(" ".join(said))
    wanted = stemmed(search_text(" ".join(asked)).split())
    assert standing(wanted, text) == wanted & stemmed(text.split())


def test_a_word_is_held_under_other_endings_and_particles() -> None:
    terms = query_terms("deployments of the cache를 미룬 이유는")
    assert [term.text for term in terms][:2] == ["deployments", "cache를"]
    said = standing((token for term in terms for form in term.forms for token in form), search_text("deployment caches 이유"))
    assert [term.held_by(said) for term in terms if term.text in ("deployments", "cache를", "이유는")] == [1.0, 1.0, 1.0]


def test_only_question_words_are_all_the_words_there_are() -> None:
    assert [term.text for term in query_terms("what is it")] == ["what", "is", "it"]
    assert query_terms("") == ()


def test_a_stem_is_its_own_stem_or_shorter() -> None:
    assert [stem(word) for word in ("deployed", "배포", "api", "queries", "v1.2")] == ["deploy", "배포", "api", "quer", "v1.2"]


ASKING = """
언제야 뭐야 건 걸 언제였어 언제였지 언제예요 언제인가요 뭐였어 뭐예요 뭔가요 무엇인가요 어디야 어디였나요 누구야 누구였더라
얼마야 왜지 왜일까 거야 거지 건가요 것인가 것일까 걸까
"""


@pytest.mark.parametrize("asking", ASKING.split())
def test_what_a_korean_question_is_put_with_tells_nothing(asking: str) -> None:
    assert [term.text for term in query_terms(f"배포를 미룬 {asking}?")] == ["배포를", "미룬"]


@pytest.mark.parametrize(
    "telling",
    [
        "언제나",
        "누구나",
        "건물",
        "걸음",
        "거실",
        "뭐라도",
        "건강",
        "거리",
        "언제까지나",
        "걸어요",
        "걸었지",
        "걸었나",
    ],
)
def test_what_only_begins_like_a_question_word_tells_something(telling: str) -> None:
    assert [term.text for term in query_terms(f"배포를 {telling}")] == ["배포를", telling]


def test_what_only_a_name_is_written_with_names_something() -> None:
    def names(query: str) -> list[str]:
        terms = query_terms(query)
        return [term.text for term, is_name in zip(terms, names_in(terms), strict=True) if is_name]

    assert names("why was GetCloudToken moved to auth/token.go in a1b2c3d") == ["GetCloudToken", "auth/token.go", "a1b2c3d"]
    assert names("why is the well-known cloud down on the 2nd") == []
    assert names("dupl 훅은 다른 프로젝트에서도 쓸지") == ["dupl"]
