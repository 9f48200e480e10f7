"""A long message falls into passages that cover it and are cut where it falls apart best."""

import gc
import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.text.passages import MOST_CHARACTERS, PASSAGE_CHARACTERS, passages

SENTENCE = "The retry budget is three attempts with a back-off of two seconds. "
KOREAN = "재시도는 세 번까지 하고 그 사이에 이 초를 기다립니다. "
PIECES = st.sampled_from(
    [
        SENTENCE,
        KOREAN,
        "마침표 없이 이어서 말합니다 그리고 또 말했어요 ",
        "# A heading\n",
        "\n\n",
        "\r\n",
        "- an item\n",
        "```python\nprint(1)\n```\n",
        "~~~\nnever closed\n",
        "x" * 700,
        "각" + "\u1100\u1161\u11a8" * 40,
        "👨‍👩‍👧‍👦" * 30,
        " " * 90,
        "\u2028\x0b\x1c",
    ]
)
TEXTS = st.lists(PIECES, max_size=60).map("".join) | st.text(max_size=4_000)


def parts(text: str) -> list[str]:
    return [text[start:end] for start, end in passages(text)]


@given(TEXTS)
def test_the_passages_of_a_text_are_the_text(text: str) -> None:
    spans = passages(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(end == start for (_, end), (start, _) in itertools.pairwise(spans))
    assert all(0 < end - start <= MOST_CHARACTERS for start, end in spans)
    assert passages(text) == spans


@given(TEXTS.map(lambda text: text + SENTENCE * 24))
def test_there_are_about_as_many_as_the_length_asks_for(text: str) -> None:
    assert len(text) / MOST_CHARACTERS <= len(passages(text)) <= len(text) / 100 + 2


@pytest.mark.parametrize("length", [1, PASSAGE_CHARACTERS, MOST_CHARACTERS])
def test_a_message_that_fits_is_one_passage(length: int) -> None:
    assert passages("가" * length) == [(0, length)]
    assert passages("") == []


def test_a_text_is_cut_before_a_heading() -> None:
    text = SENTENCE * 10 + "\n\n" + SENTENCE * 5 + "\n## What comes next\n\n" + SENTENCE * 12
    assert [part.startswith("## What comes next") for part in parts(text)] == [False, True]


def test_a_heading_stays_with_what_it_is_the_heading_of() -> None:
    section = "## 다음에 할 일\n\n" + KOREAN * 28 + "\n\n"
    assert all(part.startswith("## 다음에 할 일") for part in parts(section * 5))


def test_a_text_without_headings_is_cut_at_empty_lines_then_at_lines() -> None:
    assert all(part.endswith("\n\n") for part in parts((SENTENCE * 6 + "\n\n") * 12)[:-1])
    assert all(part.endswith("\n") for part in parts((SENTENCE * 6 + "\n") * 12)[:-1])


@pytest.mark.parametrize("sentence", [SENTENCE, KOREAN, "그 값은 설정에서 읽어 오는 것이 맞습니다 "])
def test_a_text_on_one_line_is_cut_behind_sentences(sentence: str) -> None:
    found = parts(sentence * 120)
    assert len(found) >= 3
    assert all(part.startswith(sentence) and part.endswith(sentence) for part in found)


def test_words_are_not_cut_where_there_are_no_sentences() -> None:
    assert all(part.endswith(" ") for part in parts("블로커를고쳐야 " * 400)[:-1])


def test_a_run_without_spaces_is_cut_all_the_same_and_no_character_in_two() -> None:
    assert [len(part) for part in parts("가" * 3_000)] == [1_000, 1_000, 1_000]
    family = "👨‍👩‍👧‍👦"
    assert all(part.startswith("👨") for part in parts(family * 400))


def test_a_fenced_block_that_fits_is_kept_whole() -> None:
    code = "```python\n" + "print('one of many lines')\n\n" * 40 + "```\n"
    text = SENTENCE * 12 + "\n" + code + "\n" + SENTENCE * 14
    assert len(code) < MOST_CHARACTERS < len(text)
    assert any(code in part for part in parts(text))


def test_one_that_does_not_fit_is_cut_at_its_lines() -> None:
    code = "```\n" + "one of very many lines of code\n" * 200 + "```\n"
    assert all(part.endswith("\n") for part in parts(code))


def test_the_last_passage_is_no_scrap() -> None:
    assert min(len(part) for part in parts(SENTENCE * 24)) > 500


@pytest.mark.long
@pytest.mark.parametrize("piece", ["```\n", "\n", "# h\n", "`", " ", "다. ", "**", "\r", "- ", "~~~\nx\n", "1. "])
def test_the_time_is_linear(piece: str) -> None:
    def seconds(characters: int) -> float:
        text = piece * (characters // len(piece))
        # What a collection costs depends on all that the process holds, not on the text.
        gc.disable()
        started = time.process_time()
        passages(text)
        taken = time.process_time() - started
        gc.enable()
        return taken

    seconds(1_000)
    # Ten times as much takes ten times as long; what grows with the square would take a hundred times.
    assert seconds(400_000) < 30 * max(seconds(40_000), 0.005) + 0.5
