import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.search.answers import snippets
from memory_assets.search.answers.snippets import SNIPPET_LENGTH, Part, Snippet, around
from memory_assets.search.question.terms import query_terms
from memory_assets.text.characters import clusters

FILLER = "아무 말이나 적어 둔다. Some words that say nothing at all. " * 30


def snippet(text: str, query: str, length: int = SNIPPET_LENGTH, *, shown: tuple[int, int] | None = None) -> str:
    """What is shown of one text."""
    return snippets.snippet([Part(text, shown)], query_terms(query), length).text


def of_parts(query: str, *parts: Part) -> Snippet:
    return snippets.snippet(parts, query_terms(query))


def test_a_short_text_is_its_own_snippet() -> None:
    assert snippet("한 줄\n\n두 줄", "줄") == "한 줄 두 줄"


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("redis cache", "the cache was moved to Redis"),
        ("배포를 미룬 이유", "배포는 금요일로 미뤘다. 이유는 점검이다."),
        ("REDIS", "redis"),
    ],
)
def test_the_words_of_the_question_stand_in_it(query: str, told: str) -> None:
    found = snippet(FILLER + told + " " + FILLER, query)
    assert told in found
    assert len(found) <= SNIPPET_LENGTH
    assert found.startswith("…") and found.endswith("…")


def test_where_most_of_them_stand_together_goes_before_where_one_stands() -> None:
    text = "cache. " + FILLER + "the cache of redis" + FILLER
    assert "the cache of redis" in snippet(text, "redis cache")


def test_a_question_that_stands_nowhere_gives_the_beginning() -> None:
    assert snippet(FILLER, "zzz").startswith("아무 말이나")


def test_sentences_that_answer_apart_are_shown_with_a_gap_between_them() -> None:
    text = f"The branch is fix-publish. {FILLER}The branch still needs to be merged. {FILLER}"
    found = snippet(text, "what is left to merge of the branch fix-publish")
    assert found.startswith("The branch is fix-publish.") and " … " in found and "still needs to be merged." in found


@pytest.mark.parametrize(
    ("query", "asked", "why"),
    [
        ("왜 배포를 미뤘나", "배포를 미뤘다.", "점검이 그날이기 때문이다."),
        ("why was the cache moved", "The cache was moved.", "Its disk was full, so nothing could be written."),
    ],
)
def test_a_question_why_is_shown_what_says_why(query: str, asked: str, why: str) -> None:
    text = f"{FILLER}{why} {asked} {FILLER}"
    part, terms = Part(text), query_terms(query)
    assert why in snippets.snippet([part], terms, 120, asks_why=True).text
    assert why not in snippets.snippet([part], terms, 120).text


def test_a_piece_ends_where_a_sentence_does() -> None:
    told = "The full name (e.g. `abc.jsonl` or `abc.json`) is less composable."
    text = f"{FILLER}\n\n1. The list is sorted.\n2. {told}\n{FILLER}"
    assert told in snippet(text, "composable", 100)
    assert "1. The list is sorted." in snippet(text, "sorted", 60)


def test_a_word_that_few_sentences_hold_counts_for_more() -> None:
    text = "The release is on Thursday. " * 40 + "The token expires in May. " + "The release is on Thursday. " * 40
    assert "The token expires in May." in snippet(text, "release token", 100)


def test_what_must_be_shown_is_shown_whatever_was_asked() -> None:
    text = FILLER + "We keep PostgreSQL. " + FILLER + "MySQL loses the time zone. " + FILLER
    start = text.index("We keep")
    found = snippet(text, "why not MySQL", shown=(start, start + 19))
    assert "We keep PostgreSQL." in found and "MySQL loses the time zone." in found


ANY = st.text(st.characters(), max_size=1200)


@given(ANY, st.text(max_size=60), st.integers(60, 500))
def test_every_part_of_a_snippet_stands_in_the_text(text: str, query: str, length: int) -> None:
    line = " ".join(text.split())
    for part in snippet(text, query, length).strip("…").split(" … "):
        assert part.strip("…") in line


@given(ANY, st.text(max_size=60), st.integers(60, 500))
def test_a_snippet_is_never_too_long_and_never_empty(text: str, query: str, length: int) -> None:
    found = snippet(text, query, length)
    assert len(found) <= max(length, 0)
    assert bool(found) == bool(text.split())


ASKED = "Which database do we use for the orders?"
ANSWERED = "PostgreSQL. It keeps the time zone of a moment."


def test_of_what_stands_beside_that_is_shown_which_holds_words_of_the_question() -> None:
    beside = Part(f"{FILLER}The orders are in PostgreSQL. {FILLER}", is_beside=True)
    found = of_parts("orders database", Part(ASKED), beside)
    assert found.text.startswith(f"{ASKED} … The orders are in PostgreSQL.") and found.parts == {0, 1}


def test_what_stands_beside_and_says_nothing_of_it_is_not_shown() -> None:
    assert of_parts("orders database", Part(ASKED), Part(FILLER, is_beside=True)) == Snippet(ASKED, frozenset({0}))


def test_the_first_sentence_of_an_answer_is_shown_whatever_it_says() -> None:
    answer = Part(ANSWERED, is_beside=True, is_answer=True)
    assert of_parts("orders database", Part(ASKED), answer).text == f"{ASKED} … {ANSWERED}"


def test_of_what_the_hit_says_itself_something_is_always_shown() -> None:
    beside = Part("The orders are in the database. " * 40, is_beside=True)
    found = of_parts("orders database", Part(FILLER), beside)
    assert 0 in found.parts and "아무 말이나" in found.text


def test_all_messages_that_a_hit_cites_are_looked_through() -> None:
    start = FILLER.index("Some words")
    found = of_parts(
        "removed field", Part(FILLER, (start, start + 10)), Part(f"{FILLER}The field author was removed. {FILLER}")
    )
    assert "Some words" in found.text and "The field author was removed." in found.text and found.parts == {0, 1}


@given(st.lists(st.tuples(ANY, st.booleans(), st.booleans()), max_size=3), ANY, st.text(max_size=60), st.integers(60, 500))
def test_every_part_of_a_snippet_of_several_texts_stands_in_one_of_those_it_names(
    others: list[tuple[str, bool, bool]], own: str, query: str, length: int
) -> None:
    texts = [Part(own), *(Part(text, None, beside, answers and beside) for text, beside, answers in others)]
    found = snippets.snippet(texts, query_terms(query), length)
    assert len(found.text) <= length
    named = [" ".join(texts[number].text.split()) for number in found.parts]
    for part in found.text.strip("…").split(" … "):
        assert any(part.strip("…") in line for line in named)


@given(ANY.filter(bool), st.data(), st.integers(60, 500))
def test_the_cited_characters_stand_around(text: str, data: st.DataObject, length: int) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    found = around(text, start, end, length)
    assert len(found) <= length
    cited = " ".join(text[start:end].split())
    if len(text) <= length:
        assert found == " ".join(text.split())
    elif end - start <= length - 4:
        assert cited in found
    else:
        assert found.strip("…")[:10].strip() in " ".join(text.split())


def test_a_question_in_decomposed_letters_leads_to_the_same_words() -> None:
    text = "앞의 이야기 " * 100 + "방화벽 포트는 8443" + " 뒤의 이야기" * 100
    asked = "방화벽 포트"
    assert "8443" in snippet(text, asked) and snippet(text, unicodedata.normalize("NFD", asked)) == snippet(text, asked)


ADDRESS = "https://example.org/" + "/".join(f"part-{number:03}" for number in range(60))
PICTURES = {
    "an accent of its own": "e\u0301",
    "jamo": "\u1100\u1161\u11a8",
    "a family": "👨\u200d👩\u200d👧\u200d👦",
    "a flag": "🇰🇷",
    "a skin": "👍🏽",
}


def parts(found: str) -> list[str]:
    """What a snippet shows, without the marks of what it leaves out."""
    return [part.strip("…") for part in found.strip("…").split(" … ")]


@pytest.mark.parametrize("query", ["example.org", "part-030", "nothing of it"])
def test_a_long_word_has_no_blank_in_it(query: str) -> None:
    text = f"The page is {ADDRESS} and nothing else. {FILLER}"
    line = " ".join(text.split())
    found = snippet(text, query)
    assert all(part in line for part in parts(found)), found
    assert len(found) > 0.8 * SNIPPET_LENGTH


@pytest.mark.long
@pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES.keys())
@pytest.mark.parametrize("lead", ["", "a", "ab", "abc"])
def test_what_one_sees_as_one_character_is_shown_whole(picture: str, lead: str) -> None:
    text = lead + picture * 2_000
    middle = len(lead) + len(picture) * 1_000
    shown = [
        snippet(text, "nothing of it"),
        snippet(text, "nothing of it", 100),
        snippet(text, "nothing of it", shown=(middle, middle + len(picture))),
        around(text, middle, middle + len(picture)),
        around(text, middle, len(text)),
    ]
    for found in shown:
        for part in parts(found):
            assert {part[start:end] for start, end in clusters(part)} <= {*lead, picture}, ascii(found)


@pytest.mark.parametrize(
    "text",
    [
        (" " * 30).join(f"word{number}" for number in range(500)),
        "\n".join(f"- {number}" for number in range(500)),
        "\n\n".join(f"\t\tline {number};      # why" for number in range(500)),
    ],
    ids=["blanks", "short lines", "indented"],
)
def test_blanks_and_short_lines_take_no_room(text: str) -> None:
    middle = len(text) // 2
    for found in (
        snippet(text, "nothing of it"),
        snippet(text, "word250 250"),
        snippet(text, "x", shown=(middle, middle + 5)),
        around(text, middle, middle + 5),
    ):
        assert 0.85 * SNIPPET_LENGTH < len(found) <= SNIPPET_LENGTH


WORDS = st.lists(st.sampled_from([*PICTURES.values(), "a", "가"]), min_size=1, max_size=150).map("".join)


@given(st.lists(st.one_of(WORDS, st.sampled_from([" ", "\n", ". "])), min_size=5, max_size=30), st.integers(60, 500), st.data())
def test_no_cluster_of_a_text_is_cut_and_no_word_is_parted(written: list[str], length: int, data: st.DataObject) -> None:
    text = "".join(written)
    line = " ".join(text.split())
    start = data.draw(st.integers(0, max(0, len(text) - 1)))
    whole = {line[low:high] for low, high in clusters(line)}
    for found in (snippet(text, "가 a", length), snippet(text, "가", length, shown=(start, start + 9))):
        assert len(found) <= length
        for part in parts(found):
            assert part in line
            assert {part[low:high] for low, high in clusters(part)} <= whole, ascii(found)
