"""Which differences change what is said, by kind, in English and Korean (evidence_alignment.md, step 6)."""

import pytest

from memory_assets.evidence.critical import CriticalDifference, critical_differences, says_otherwise


@pytest.mark.parametrize(
    ("quote", "found", "kinds"),
    [
        ("takes 15 seconds", "takes 16 seconds", {"number"}),
        ("takes two seconds", "takes three seconds", {"number", "word"}),
        ("세 번 시도한다", "네 번 시도한다", {"number"}),
        ("it is safe", "it is not safe", {"negation"}),
        ("it doesn't work", "it does work", {"negation"}),
        ("사용할 수 있다", "사용할 수 없다", {"negation"}),
        ("지우지 마세요", "지우세요", {"negation"}),
        ("안 됩니다", "됩니다", {"negation"}),
        ("use Oracle here", "use DuckDB here", {"word"}),
        ("금요일에 배포", "수요일에 배포", {"word"}),
        ("the daily build", "the build", {"word"}),
        ("cache enabled", "cache disabled", {"word"}),
        ("synchronous call", "asynchronous call", {"word"}),
        ("the old name", "the new name", {"word"}),
        ("when a > b", "when a < b", {"operator"}),
    ],
)
def test_kinds(quote: str, found: str, kinds: set[CriticalDifference]) -> None:
    assert kinds <= set(critical_differences(quote, found))


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("keep the evnt log", "keep the event log"),
        ("keep teh log", "keep the log"),
        ("keep the log", "keep the event log"),  # a word that the quote lacks
        ("이밴트 로그를 남긴다", "이벤트 로그를 남긴다"),
        ("이벤트 로그 남긴다", "이벤트 로그를 남긴다"),
        ("API 추가", "API를 추가"),
        ("데이터 베이스를 쓴다", "데이터베이스를 쓴다"),
        ("데이터베이스를 쓴다", "데이터 베이스를 쓴다"),
        ("안됩니다", "안 됩니다"),
        ("KEEP “the” LOG", 'keep "the" log'),
        ("", ""),
    ],
)
def test_the_same_thing_said(quote: str, found: str) -> None:
    assert critical_differences(quote, found) == ()


def test_an_omission_within_a_sentence() -> None:
    assert says_otherwise(" not, for now, ")
    assert says_otherwise(" 절대 쓰지 않고 ")
    assert not says_otherwise(" of the first server, and ")
    assert not says_otherwise(" here. That was not all. And so ")
