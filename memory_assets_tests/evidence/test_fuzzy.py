"""Damaged quotes: found at the quote's own words, and flagged where they say something else."""

import random

import pytest

from memory_assets.evidence.aligner import Aligner, align
from memory_assets.evidence.model import AlignedEvidence, FailedEvidence

KOREAN = "어제 회의에서 이벤트 로그는 절대로 지우지 않고 계속 남기기로 결정했습니다. 백업은 매주 두 번 돌립니다."
ENGLISH = "In the end we decided to keep the event log for ever, because disks are cheap and trust is not. Backups run at 5 pm."


def fuzzy(message: str, quote: str) -> AlignedEvidence:
    found = align([message], quote, 0)
    assert isinstance(found, AlignedEvidence), found
    assert found.method == "fuzzy" and 0.85 <= found.confidence < 0.95
    assert message[found.span_start : found.span_end] == found.matched_text
    return found


@pytest.mark.parametrize(
    ("message", "quote", "matched"),
    [
        (ENGLISH, "we decidde to keep the evnt log for ever", "we decided to keep the event log for ever"),
        (
            ENGLISH,
            "we decided to keep the log for ever, because disks",
            "we decided to keep the event log for ever, because disks",
        ),
        (
            ENGLISH,
            "keep the event log for ever, becuase disks are chaep",
            "keep the event log for ever, because disks are cheap",
        ),
        (KOREAN, "이벤트 로그 절대로 지우지 않고 계속 남기기로 결정", "이벤트 로그는 절대로 지우지 않고 계속 남기기로 결정"),
        (KOREAN, "이벤트 로그는 절대루 지우지 않고 계속 남기기로", "이벤트 로그는 절대로 지우지 않고 계속 남기기로"),
        (KOREAN, "회의에서 이밴트 로그는 절대로 지우지 않고", "회의에서 이벤트 로그는 절대로 지우지 않고"),
    ],
)
def test_typos_particles_and_dropped_words(message: str, quote: str, matched: str) -> None:
    found = fuzzy(message, quote)
    assert found.matched_text == matched
    assert not found.critical


def test_the_edges_are_the_quotes_own_words() -> None:
    """A word that the quote leaves out next to its edge belongs to the place; a sentence that ends alike does not."""
    assert fuzzy(ENGLISH, "the we decided to keep the event log for ever").matched_text.startswith("the end we decided")
    message = "if it is missing then we return True and then at last return False"
    assert fuzzy(message, "if it is missing then we return False").matched_text.endswith("return True")


def test_the_full_stop_of_a_quote_marks_its_end() -> None:
    found = fuzzy(KOREAN, "이밴트 로그는 절대로 지우지 않고 계속 남기기로 결정했습니.")
    assert found.matched_text.endswith("결정했습니다.")


@pytest.mark.parametrize(
    ("message", "quote"),
    [
        (ENGLISH, "Backups run at 6 pm, because disks are cheap and trust is not"),
        ("the retry limit of the worker is 15 attempts now", "the retry limit of the worker is 16 attempts now"),
        ("we should keep the event log for ever and ever", "we should not keep the event log for ever and ever"),
        ("we should not keep the event log for ever and ever", "we should keep the event log for ever and ever"),
        ("the job isn't allowed to write to the main table", "the job is allowed to write to the main table"),
        ("이 옵션은 운영 환경에서 사용할 수 있습니다, 확인했음", "이 옵션은 운영 환경에서 사용할 수 없습니다, 확인했음"),
        ("로그 파일은 지우지 않고 백업 서버로 옮깁니다", "로그 파일은 지우고 백업 서버로 옮깁니다"),
        ("회의는 두 시간 동안 진행하고 기록은 남기지 맙시다", "회의는 세 시간 동안 진행하고 기록은 남기지 맙시다"),
        ("we will use DuckDB for the analytics store this year", "we will use Oracle for the analytics store this year"),
        ("please enable the cache before the deploy of today", "please disable the cache before the deploy of today"),
        ("the value must be above the minimum of the column", "the value must be above the maximum of the column"),
        ("배포는 항상 수요일 오전에 진행하기로 정했습니다", "배포는 항상 금요일 오전에 진행하기로 정했습니다"),
        ("the check fails when a < b in the sorted column", "the check fails when a > b in the sorted column"),
        ("we keep the event log on the disk of the server", "we keep the event log on the encrypted disk of the server"),
    ],
)
def test_a_changed_fact_is_flagged(message: str, quote: str) -> None:
    found = align([message], quote, 0)
    if isinstance(found, AlignedEvidence):
        assert found.critical, found
    else:
        assert found.failure_reason == "below_threshold"


@pytest.mark.parametrize(
    "quote",
    [
        "the donkeys of the neighbour sing every morning at dawn",
        "이웃집 당나귀는 매일 아침 해가 뜰 때 노래를 부릅니다",
        "for ever log event the keep to decided we end the In",
        "ten letter",
    ],
)
def test_what_is_not_there_is_not_found(quote: str) -> None:
    for message in (ENGLISH, KOREAN, (ENGLISH + KOREAN) * 40):
        found = align([message], quote, 0)
        assert isinstance(found, FailedEvidence)
        assert found.failure_reason in ("not_found", "below_threshold")


def test_short_quotes_are_never_fuzzy() -> None:
    assert isinstance(align(["the cat sat"], "the cta", 0), FailedEvidence)
    assert isinstance(align(["로그 남김"], "로그 넘김", 0), FailedEvidence)


def test_fuzzy_can_be_switched_off_and_made_stricter() -> None:
    quote = "we decidde to keep the evnt log for ever"
    assert isinstance(Aligner(fuzzy=False).align([ENGLISH], quote, 0), FailedEvidence)
    found = Aligner(fuzzy_threshold=0.98).align([ENGLISH], quote, 0)
    assert isinstance(found, FailedEvidence) and found.failure_reason == "below_threshold"
    assert found.best_similarity is not None and 0.85 < found.best_similarity < 0.98


def test_two_places_that_are_as_similar_are_counted() -> None:
    sentence = "we decided to keep the event log for ever"
    found = fuzzy(f"{sentence}. And again: {sentence}.", "we decidde to keep the evnt log for ever")
    assert found.span_start == 0 and found.ambiguous and found.alternative_count == 1


@pytest.mark.parametrize("length", [3_000, 60_000])
def test_long_messages(length: int) -> None:
    """Markdown that a long message hides is left out around the place alone; the place is found all the same."""
    rng = random.Random(7)
    words = (ENGLISH + " " + KOREAN).split()
    filler = [" ".join(rng.choices(words, k=12)) + ".\n" for _ in range(length // 80)]
    place = "1. The **whole plan** is in [the design document](https://example.com/plan?id=42), and Minsu wrote it.\n"
    filler.insert(len(filler) // 2, place)
    message = "".join(filler)
    stripped = align([message], "The whole plan is in the design document, and Minsu wrote it.", 0)
    assert isinstance(stripped, AlignedEvidence) and stripped.method == "normalized"
    assert stripped.matched_text == place[3:-1].removesuffix("\n")
    damaged = align([message], "The whole plna is in the design documnt, and Minsu wrote it.", 0)
    assert isinstance(damaged, AlignedEvidence) and damaged.method == "fuzzy" and not damaged.critical
    assert damaged.matched_text == stripped.matched_text


@pytest.mark.timeout(30)  # below a second if it is linear, minutes if it is not
def test_a_hostile_text_stays_cheap() -> None:
    """Repetition makes every piece stand everywhere: work stays bounded, whatever comes of it."""
    text = "keep the log " * 20_000
    for quote in ("keep teh log keep the lgo keep the log", "keep the fog " * 30, "the log kepe " * 35):
        align([text], quote, 0)
