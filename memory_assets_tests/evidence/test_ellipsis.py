"""Quotes that leave something out: hull, segments, and what an omission may not hide."""

import pytest

from memory_assets.evidence.aligner import align
from memory_assets.evidence.ellipsis import quoted_parts, smallest_hull
from memory_assets.evidence.model import AlignedEvidence, FailedEvidence

MESSAGE = (
    "We keep the event log on the disk of the first server, and it is copied every night. "
    "백업은 매일 새벽에 돌리고, 결과는 채널에 남깁니다."
)


@pytest.mark.parametrize("mark", [" ... ", "...", " … ", "…", " [...] ", " (…) ", " (중략) ", "[중략]", " [ ... ] "])
def test_the_parts_are_segments_of_the_hull(mark: str) -> None:
    found = align([MESSAGE], f"We keep the event log{mark}copied every night", 0)
    assert isinstance(found, AlignedEvidence)
    assert (found.method, found.confidence) == ("normalized", 0.95)
    assert [MESSAGE[low:high] for low, high in found.segments] == ["We keep the event log", "copied every night"]
    assert found.matched_text == MESSAGE[: MESSAGE.index(". 백업")]
    assert 0.9 < found.similarity <= 1 and not found.critical


def test_three_parts_in_korean() -> None:
    found = align([MESSAGE], "백업은 매일 새벽에 … 결과는 채널에 … 남깁니다", 0)
    assert isinstance(found, FailedEvidence)  # the last part says too little to be found by itself
    found = align([MESSAGE], "event log on … 백업은 매일 새벽에 … 채널에 남깁니다", 0)
    assert isinstance(found, AlignedEvidence) and len(found.segments) == 3


def test_parts_in_another_order_or_of_another_message_fail() -> None:
    assert isinstance(align([MESSAGE], "copied every night … We keep the event log", 0), FailedEvidence)
    assert isinstance(
        align([MESSAGE, "and a word about money"], "We keep the event log … a word about money", 0), FailedEvidence
    )


@pytest.mark.parametrize(
    ("message", "quote"),
    [
        ("we will not, for now, use DuckDB in the analytics service", "we will … use DuckDB in the analytics service"),
        (
            "운영 환경에서는 이 방식을 절대 쓰지 않고, 개발 환경에서만 허용한다",
            "운영 환경에서는 이 방식을 … 개발 환경에서만 허용한다",
        ),
    ],
)
def test_an_omitted_negation_is_flagged(message: str, quote: str) -> None:
    found = align([message], quote, 0)
    assert isinstance(found, FailedEvidence) or found.critical


def test_an_ellipsis_that_the_message_has_is_no_omission() -> None:
    found = align(["well … that is what we said … in the end"], "that is what we said … in the end", 0)
    assert isinstance(found, AlignedEvidence) and found.method == "exact" and len(found.segments) == 1


def test_the_closest_places_are_taken() -> None:
    assert smallest_hull([[(0, 5), (50, 55)], [(60, 65), (90, 95)]]) == ((50, 55), (60, 65))
    assert smallest_hull([[(70, 75)], [(60, 65)]]) is None
    assert quoted_parts("nothing is left out of this sentence") == []
    assert quoted_parts("… only at its beginning, this sentence") == []
