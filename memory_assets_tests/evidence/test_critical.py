"""Which differences change what is said, by kind, in English and Korean."""

import pytest

from memory_assets.evidence.critical import CriticalDifference, critical_differences, joins_otherwise


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


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("공개 상태로 둔다", "비공개 상태로 둔다"),
        ("수동으로 배포한다", "자동으로 배포한다"),
        ("동기 호출", "비동기 호출"),
        ("일요일에 배포", "월요일에 배포"),
        ("매월 백업", "매일 백업"),
        ("100 이하인 값", "100 이상인 값"),
        ("최소값은 얼마", "최대값은 얼마"),
        ("사십일 동안", "삼십일 동안"),
        ("네 단계로 나눈다", "세 단계로 나눈다"),
        ("켜기로 했다", "안 켜기로 했다"),
        ("김민지가 정했다", "김민수가 정했다"),
        ("A를 B로 바꾼다", "B를 A로 바꾼다"),
        ("B is better than A", "A is better than B"),
        ("100 s at most", "100 ms at most"),
        ("64 KB of memory", "64 MB of memory"),
        ("10pt of margin", "10px of margin"),
        ("must be decrypted", "must be encrypted"),
        ("excluding the tax", "including the tax"),
        ("decreasing order", "increasing order"),
        ("an imported name", "an exported name"),
        ("a trillion rows", "a billion rows"),
        ("see deadbaef", "see deadbeef"),
        ("timeout 3, retries 5", "timeout 5, retries 3"),
        ("We delete old logs", "We only delete old logs"),
        ("it should use the cache", "it should avoid the cache"),
        ("- [x] deploy the site", "- [ ] deploy the site"),
        ("git push force origin", "git push --force origin"),
    ],
)
def test_small_differences_that_are_all_of_the_meaning(quote: str, found: str) -> None:
    assert critical_differences(quote, found)
    assert critical_differences(found, quote)


def test_an_omission_within_a_sentence() -> None:
    def omits(before: str, omitted: str, after: str) -> bool:
        return joins_otherwise(before + omitted + after, len(before), len(before + omitted))

    assert omits("we will", " not, for now, ", "use DuckDB")
    assert omits("이 방식을", " 절대 쓰지 않고 ", "개발 환경에서만")
    assert omits("we delete it", " only if the owner agrees, ", "on Friday")
    assert not omits("on the disk", " of the first server, and ", "it is copied")


def test_parts_of_two_sentences_made_into_one() -> None:
    text = "We decided to use Postgres for the orders table. After a long talk we rejected MySQL for the orders table."
    first, second = "We decided to use", "MySQL for the orders table."
    assert joins_otherwise(text, len(first), text.index(second))
    whole = "We decided to use Postgres for the orders table."
    assert not joins_otherwise(text, len(whole), text.index("After a long"))
    text = "We will never touch it. We will not delete the production tables."
    assert joins_otherwise(text, len("We will"), text.index("delete"))
