from hypothesis import given
from hypothesis import strategies as st

from memory_assets.search.question.terms import query_terms, standing, stem, stemmed
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
