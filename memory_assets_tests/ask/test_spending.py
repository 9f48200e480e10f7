"""What answers may cost: a call, a day, among several processes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest

from memory_assets.ask.model import LanguageModel, ModelSettings
from memory_assets.providers.spending import Refused, Reserved, Spending

TODAY, TOMORROW = date(2026, 1, 1), date(2026, 1, 2)


def spending(folder: Path, day: date = TODAY, **limits: float) -> Spending:
    return Spending(folder, "ask", today=lambda: day, **limits)


def test_without_a_limit_nothing_is_kept(tmp_path: Path) -> None:
    unlimited = spending(tmp_path)
    reserved = unlimited.reserve(None)
    assert isinstance(reserved, Reserved) and unlimited.settle(reserved, 5.0) is None and not list(tmp_path.iterdir())


def test_a_call_that_may_cost_more_than_a_call_may_is_not_made(tmp_path: Path) -> None:
    assert isinstance(spending(tmp_path, per_call=0.01).reserve(0.01), Reserved)
    assert "ask.usd_per_call" in refused(spending(tmp_path, per_call=0.01), 0.011)


def test_a_day_is_spent_and_the_next_one_is_not(tmp_path: Path) -> None:
    today = spending(tmp_path, per_day=1.0)
    reserved = today.reserve(0.9)
    assert isinstance(reserved, Reserved)
    assert "$0.1000 are left" in refused(today, 0.2)  # what is put aside may be spent
    assert today.settle(reserved, 0.3) == pytest.approx(0.7)
    assert isinstance(spending(tmp_path, per_day=1.0).reserve(0.7), Reserved)
    assert isinstance(spending(tmp_path, TOMORROW, per_day=1.0).reserve(1.0), Reserved)


def test_what_cost_more_than_was_put_aside_is_spent(tmp_path: Path) -> None:
    today = spending(tmp_path, per_day=1.0)
    reserved = today.reserve(0.1)
    assert isinstance(reserved, Reserved) and today.settle(reserved, 2.0) == 0.0
    assert isinstance(today.reserve(0.01), Refused)


def test_a_price_that_nobody_knows_keeps_no_limit(tmp_path: Path) -> None:
    assert "price is not known" in refused(spending(tmp_path, per_day=1.0), None)
    assert LanguageModel(ModelSettings("openai/tiny")).price(1000) is None
    assert (LanguageModel(ModelSettings("openai/gpt-4o-mini")).price(1000) or 0) > 0


def test_many_at_once_spend_no_more_than_one_may(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda _: spending(tmp_path, per_day=1.0).reserve(0.1), range(30)))
    assert sum(isinstance(outcome, Reserved) for outcome in outcomes) == 10


@pytest.mark.parametrize("text", ["no JSON", "[]", '{"day": "2026-01-01"}', '{"day": "2026-01-01", "usd": "much"}'])
def test_a_file_that_says_nothing_lets_nobody_spend(tmp_path: Path, text: str) -> None:
    (tmp_path / "ask_spending.json").write_text(text)
    assert "cannot be kept" in refused(spending(tmp_path, per_day=1.0), 0.1)


def test_a_folder_that_is_not_there_lets_nobody_spend(tmp_path: Path) -> None:
    assert "cannot be kept" in refused(spending(tmp_path / "none", per_day=1.0), 0.1)


def refused(limits: Spending, most: float | None) -> str:
    outcome = limits.reserve(most)
    assert isinstance(outcome, Refused)
    return outcome.why
