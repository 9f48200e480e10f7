import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.search.question.speakers import named_speakers
from memory_assets.text.particles import stems

KNOWN = [
    *("Caroline", "Melanie", "James", "Bob", "Mary", "Mary Jane", "O'Brien", "Jean-Luc", "Will", "May", "J. R. Smith"),
    *("민수", "민준", "유나", "김 민수", "민", "하나"),
]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What did caroline do?", {"Caroline"}),
        ("CAROLINE'S brother", {"Caroline"}),
        ("Caroline’s brother and Melanie'll come", {"Caroline", "Melanie"}),
        ("James' cat", {"James"}),
        ("@caroline said", {"Caroline"}),
        ("Mary Jane's cat", {"Mary Jane"}),
        ("mary and jane", {"Mary"}),
        ("Mary, Jane", {"Mary"}),
        ("O'Brien's and Jean-Luc는", {"O'Brien", "Jean-Luc"}),
        ("what J. R. Smith wrote", {"J. R. Smith"}),
        ("Caroline/Melanie 둘 다", {"Caroline", "Melanie"}),
        ("민수가 말한 것", {"민수"}),
        ("민수의 의견", {"민수"}),
        ("민수씨는", {"민수"}),
        ("김 민수씨가", {"김 민수"}),
        ("민준이가 왔다", {"민준"}),
        ("유나는요", {"유나"}),
        ("Caroline이랑 Melanie와", {"Caroline", "Melanie"}),
        ("민 말로는", {"민"}),
        ("What will she do?", set()),
        ("What did Will say?", {"Will"}),
        ("in may", set()),
        ("민이 말했다", set()),
        ("carolines", set()),
        ("하나은행", set()),
        ("민수은", set()),
        ("민수라는 이름", {"민수"}),
        ("bob@x.com wrote src/bob/main.py and bob_1 in bob.py", set()),
        ("Bobby", set()),
        ("", set()),
        ("'' ... @@ //", set()),
    ],
)
def test_who_is_named(query: str, expected: set[str]) -> None:
    assert named_speakers(query, KNOWN) == expected


def test_nobody_is_known() -> None:
    assert named_speakers("Caroline", ()) == frozenset()
    assert named_speakers("Caroline", ["", "?!"]) == frozenset()


def test_names_that_fold_alike_are_all_named_as_they_are_spelled() -> None:
    assert named_speakers("bob", ["Bob", "BOB", "Rob"]) == {"Bob", "BOB"}


def test_a_decomposed_name_is_the_same_name() -> None:
    assert named_speakers(unicodedata.normalize("NFD", "민수가"), ["민수"]) == {"민수"}
    assert named_speakers("민수가", [unicodedata.normalize("NFD", "민수")]) == {unicodedata.normalize("NFD", "민수")}


HANGUL = st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3)
NAMES = st.text(HANGUL, min_size=2, max_size=3) | st.from_regex(r"\A[A-Z][a-z]{4,8}\Z")


@given(NAMES, st.sampled_from(["의", "도", "에게", "까지", "한테", "님이", "씨는", "만"]))
def test_a_name_is_named_under_a_particle(name: str, particle: str) -> None:
    assert name in named_speakers(f"어제 {name}{particle} 뭐", [name])


@given(NAMES, st.from_regex(r"\A[a-z0-9_]{1,3}\Z"))
def test_a_name_inside_another_word_is_none(name: str, before: str) -> None:
    assert named_speakers(f"{before}{name}", [name]) == frozenset()


@given(st.text(st.characters(), max_size=60), st.sets(st.text(st.characters(), max_size=8), max_size=8))
def test_only_known_names_are_named(query: str, speakers: set[str]) -> None:
    assert named_speakers(query, speakers) <= speakers


@given(st.text(HANGUL, min_size=1, max_size=8))
def test_stems_are_beginnings_the_longest_first(word: str) -> None:
    found = list(stems(word))
    assert found[0] == word
    assert all(word.startswith(stem) and stem for stem in found)
    assert [len(stem) for stem in found] == sorted({len(stem) for stem in found}, reverse=True)


def test_a_thousand_names_are_quick() -> None:
    names = [f"person{n} of house{n % 7}" for n in range(500)] + [f"name{n}" for n in range(500)]
    assert named_speakers("did name77 meet person8 of house1?", names) == {"name77", "person8 of house1"}
    start = time.process_time()
    for _ in range(100):
        named_speakers("What did name77 say to person8 of house1 yesterday?", list(names))
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize("unit", ["가", "a'", "a-", "민수가 ", "user ", "a.b/", "@", "user user2 "])
def test_cost_is_linear(unit: str) -> None:
    names = [f"user {n}" for n in range(1000)]
    start = time.process_time()
    named_speakers(unit * (100_000 // len(unit)), names)
    assert time.process_time() - start < 1
