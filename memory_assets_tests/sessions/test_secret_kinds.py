"""What of the kinds of secrets is gone, in every place that a session can hold one; and what of ordinary text is touched."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.sessions.masking.redaction import redact_text
from memory_assets.sessions.masking.redaction_policy import default_policy
from memory_assets_tests.sessions.later_ordinary_lines import LATER_ORDINARY_LINES
from memory_assets_tests.sessions.later_secret_kinds import later_samples
from memory_assets_tests.sessions.ordinary_lines import ordinary_lines
from memory_assets_tests.sessions.secret_kinds import PLACES, samples

GONE = 0.97
TOUCHED = 0.01


def in_a_name(part: str) -> str:
    return part.replace("/", "_").replace("\n", " ")


@pytest.mark.parametrize("seed", ["first", "second", "third"])
def test_nearly_every_kind_is_gone_from_every_place(seed: str) -> None:
    survived: Counter[str] = Counter()
    kinds = samples(seed)
    for place, written in PLACES.items():
        for sample in kinds:
            masked = redact_text(written(sample.text), default_policy()).text
            parts = [in_a_name(part) for part in sample.parts] if place == "name" else sample.parts
            survived[place] += any(part in masked for part in parts)
    assert len(kinds) >= 150
    assert len(PLACES) == 12
    assert survived.total() <= (1 - GONE) * len(kinds) * len(PLACES), survived
    # Where text stays as it was written, no place is worse than another; a file's name has neither slashes nor lines.
    assert all(count <= (1 - GONE) * len(kinds) for place, count in survived.items() if place != "name"), survived


@pytest.mark.parametrize("seed", ["first", "second", "third"])
def test_kinds_that_were_written_down_later_are_gone(seed: str) -> None:
    """Three of four were gone at first sight, before any rule was made for them."""
    survived = Counter(
        sample.kind
        for place, written in PLACES.items()
        for sample in later_samples(seed)
        if any(
            (in_a_name(part) if place == "name" else part) in redact_text(written(sample.text), default_policy()).text
            for part in sample.parts
        )
    )
    assert len(later_samples(seed)) >= 120
    assert survived.total() <= 0.05 * len(later_samples(seed)) * len(PLACES), survived


def test_the_scan_finds_what_is_not_masked() -> None:
    """The control of the test above: the parts do stand in what is not masked."""
    for sample in (*samples(), *later_samples()):
        assert all(part in sample.text for part in sample.parts), sample.kind


def test_ordinary_lines_stay() -> None:
    lines = [*ordinary_lines("first"), *LATER_ORDINARY_LINES]
    touched = [line for line in lines if redact_text(line, default_policy()).text != line]
    assert len(lines) >= 600
    assert len(touched) <= TOUCHED * len(lines), touched


@pytest.mark.long
@settings(max_examples=150)
@given(st.integers(0, 10_000), st.lists(st.integers(0, 10_000), min_size=1, max_size=4), st.sampled_from(list(PLACES)))
def test_masking_secrets_twice_equals_once(seed: int, chosen: list[int], place: str) -> None:
    kinds = samples(f"seed {seed % 7}")
    text = PLACES[place]("\n".join(kinds[number % len(kinds)].text for number in chosen))
    once = redact_text(text, default_policy())
    again = redact_text(once.text, default_policy())
    assert (again.text, again.counts) == (once.text, {})
    assert once.text.count("\n") == text.count("\n")
