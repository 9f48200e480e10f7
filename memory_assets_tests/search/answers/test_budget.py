"""A cap is hard: whatever the text, what is packed under it never costs more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.search.answers.budget import CUT_MARK, Allocation, TokenBudget, cut_to, fit
from memory_assets.text.tokens import estimate_tokens

PIECES = (
    "우리는 캐시를 Redis로 옮기기로 했다.", "이유는 재시작이 빠르기 때문이다! ", "We decided to keep it.\n",
    "def f(x):\n    return x[1:2]\n", "👨‍👩‍👧", "e\u0301", "漢字かな。", "…", " ", "\t", "𝔘", "\ud800",
    "1234567890", "a" * 90, "가" * 40, "```", "",
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=30), max_size=12).map("".join)


@given(texts, st.integers(-3, 120))
def test_a_cut_text_keeps_within_its_tokens_and_says_what_was_lost(text: str, cap: int) -> None:
    cut = cut_to(text, cap)
    assert cut.tokens == estimate_tokens(cut.text) <= max(cap, 0)
    kept = cut.text.removesuffix(CUT_MARK) if cut.lost else cut.text
    assert text.startswith(kept)
    assert len(kept) + cut.lost == len(text)
    assert cut.lost > 0 or cut.text == text


@given(st.lists(texts, max_size=6), st.integers(0, 200), st.none() | st.integers(0, 60), st.integers(0, 20))
def test_packed_texts_never_cost_more_than_the_cap(given_texts: list[str], cap: int, each: int | None, least: int) -> None:
    fitted = fit(given_texts, cap, each=each, least=least)
    assert len(fitted.texts) == len(given_texts)
    joined = "\n".join(cut.text for cut in fitted.texts if cut.text)
    assert estimate_tokens(joined) <= fitted.tokens <= cap
    assert all(each is None or cut.tokens <= each for cut in fitted.texts)
    assert all(cut.lost == 0 or not cut.text or least <= cap for cut in fitted.texts)


def test_the_cut_is_behind_a_sentence_else_behind_a_word() -> None:
    said = "캐시를 Redis로 옮긴다. 재시작이 빠르다. 그래서 그렇게 한다."
    assert cut_to(said, 24).text == "캐시를 Redis로 옮긴다. 재시작이 빠르다." + CUT_MARK
    assert cut_to("no sentence ends here at all for a long while", 6).text == "no sentence ends here" + CUT_MARK
    # A first sentence of two letters is not all that is kept of what there is room for.
    assert len(cut_to("Ok. " + "word " * 100, 40).text) > 100


def test_what_belongs_together_is_not_cut_apart() -> None:
    for cap in range(4, 60):
        kept = cut_to("👨‍👩‍👧" * 12, cap).text.removesuffix(CUT_MARK)
        assert not kept.endswith("\u200d")
        accented = cut_to("e\u0301" * 40, cap).text.removesuffix(CUT_MARK)
        assert len(accented) % 2 == 0


def test_a_text_without_room_is_left_out_and_a_shorter_one_behind_it_is_not() -> None:
    fitted = fit(["a long text " * 30, "short"], 8, least=8)
    assert [cut.text for cut in fitted.texts] == ["", "short"]
    assert fitted.texts[0].lost == len("a long text " * 30)
    assert fit(["anything"], 0).texts[0].text == ""


@given(st.integers(0, 1_000_000))
def test_the_shares_add_up_to_the_total(total: int) -> None:
    shares = Allocation.of(total)
    assert shares.constitution + shares.skills + shares.context + shares.code_symbols == total
    assert min(shares.constitution, shares.skills, shares.context, shares.code_symbols) >= 0


def test_the_seeds_ranges_are_met_at_both_ends() -> None:
    assert Allocation.of(4000) == Allocation(500, 1000, 2000, 500)
    assert Allocation.of(8000) == Allocation(1000, 2000, 4000, 1000)


@given(st.integers(0, 5000), st.lists(st.integers(0, 900), max_size=9))
def test_what_remains_is_the_total_without_what_was_used(total: int, spendings: list[int]) -> None:
    budget = TokenBudget(total)
    for tokens in spendings:
        if tokens <= budget.remaining:
            budget = budget.spent(tokens)
        else:
            with pytest.raises(ValueError, match="cannot be used"):
                budget.spent(tokens)
        assert budget.remaining == total - budget.used >= 0


def test_the_least_cost_is_the_least() -> None:
    from memory_assets.text.tokens import LEAST_COST

    for character in ("a", " ", "7", "{", "가", "漢", "é", "👍", "\u0000", "\u200d"):
        assert estimate_tokens(character * 1000) >= int(1000 * LEAST_COST)
