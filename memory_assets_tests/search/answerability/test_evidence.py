"""What nothing that was found has together, and what calibrations are read."""

from __future__ import annotations

import pytest

from memory_assets.search.answerability.evidence import Evidence, Found, Word
from memory_assets.search.answerability.sureness import FEATURES, answerability_of, read_calibration, shipped, written


def evidence(*held: tuple[float, ...], weights: tuple[float, ...] = (3.0, 2.0, 1.0)) -> Evidence:
    seen = [any(one[place] for one in held) for place in range(len(weights))]
    texts = ("kakao", "login", "page")
    words = tuple(Word(texts[place], weight, seen[place], is_name=False) for place, weight in enumerate(weights))
    return Evidence(words, frozenset(), tuple(found(one) for one in held))


def found(held: tuple[float, ...]) -> Found:
    return Found("u", 1.0, 9.0, 0.0, 0.5, held, (0.0,) * len(held), None, None, 100, is_remembered=False, is_of_others=False)


@pytest.mark.parametrize(
    ("held", "together"),
    [
        (((1.0, 1.0, 1.0),), ()),
        (((1.0, 0.0, 1.0), (0.0, 1.0, 1.0)), ("kakao", "login")),
        (((1.0, 1.0, 0.0), (0.0, 1.0, 1.0)), ("kakao", "login", "page")),
        (((0.0, 1.0, 1.0),), ("kakao",)),
        (((0.0, 1.0, 0.0), (0.0, 1.0, 0.0)), ("kakao", "page")),
        (((0.7, 0.7, 0.7),), ()),
    ],
)
def test_the_fewest_words_that_nothing_has_together_the_rarest_first(
    held: tuple[tuple[float, ...], ...], together: tuple[str, ...]
) -> None:
    assert evidence(*held).not_together == together


def test_nothing_found_is_no_answer() -> None:
    sure = answerability_of(evidence(), within=False)
    assert (sure.value, sure.is_known, sure.suffices) == (0.0, False, False)
    assert sure.unknown == ("kakao", "login", "page")


def test_one_text_with_all_words_is_surer_than_two_with_a_part_each() -> None:
    whole = answerability_of(evidence((1.0, 1.0, 1.0), (0.0, 0.0, 0.0)), within=False)
    parts = answerability_of(evidence((1.0, 0.0, 1.0), (0.0, 1.0, 1.0)), within=False)
    assert whole.value > parts.value


def test_what_is_written_is_read_again_and_of_other_signs_nothing_is() -> None:
    text = written(shipped(), heading="as shipped")
    assert read_calibration(text) == shipped()
    assert read_calibration(text.replace(f'features = "{FEATURES}"', 'features = "0"')) is None
