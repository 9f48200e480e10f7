import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.citations.addresses import (
    MAX_ATTEMPTS,
    MemoryCitation,
    MessageCitation,
    NotACitation,
    SpanCitation,
    TerminalCitation,
    memory_short_id,
    parse_citation,
)
from memory_assets.citations.encoding import MAX_NUMBER
from memory_assets.citations.errors import InvalidCitationError, ShortIdExhaustedError

SESSION_IDS = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,99}", fullmatch=True).filter(lambda key: ".." not in key)
INDEXES = st.integers(0, 999_999_999)


@st.composite
def segments(draw: st.DrawFn) -> tuple[tuple[int, int], ...]:
    edges = sorted(draw(st.sets(st.integers(0, 999_999_999), min_size=2, max_size=12)))
    return tuple(zip(edges[::2], edges[1::2], strict=False))


@given(SESSION_IDS, INDEXES, segments())
def test_a_span_prints_and_parses_to_itself(session_id: str, index: int, parts: tuple[tuple[int, int], ...]) -> None:
    citation = SpanCitation(session_id, index, parts)
    assert parse_citation(citation.uri) == citation
    assert parse_citation(f"[{citation.uri}]") == citation


@given(SESSION_IDS, INDEXES)
def test_a_message_prints_and_parses_to_itself(session_id: str, index: int) -> None:
    assert parse_citation(MessageCitation(session_id, index).uri) == MessageCitation(session_id, index)


@given(st.from_regex(r"[A-Za-z0-9]{6}", fullmatch=True))
def test_a_memory_prints_and_parses_to_itself(short_id: str) -> None:
    citation = MemoryCitation(short_id)
    assert parse_citation(short_id) == parse_citation(f"mem:{short_id}") == parse_citation(f" [mem:{short_id}] ") == citation


def test_the_forms_of_the_documentation() -> None:
    assert parse_citation("session:ab-1#m=12&c=140-182") == SpanCitation("ab-1", 12, ((140, 182),))
    assert parse_citation("session:ab-1#m=12&c=140-182,190-200") == SpanCitation("ab-1", 12, ((140, 182), (190, 200)))
    assert parse_citation("session:ab-1#c=1-2&m=0") == SpanCitation("ab-1", 0, ((1, 2),))
    span = SpanCitation("ab-1", 12, ((140, 182), (190, 200)))
    assert (span.span_start, span.span_end) == (140, 200)
    assert span.uri == "session:ab-1#m=12&c=140-182,190-200"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "mem:",
        "mem:abc",
        "mem:a7Bc3x9",
        "a7Bc3",
        "a7B-3x",
        "가나다라마바",
        "session:",
        "session:ab",
        "session:ab#",
        "session:ab#m=",
        "session:ab#m=01",
        "session:ab#m=-1",
        "session:ab#m=１",
        "session:ab#m=1&m=2",
        "session:ab#m=1&x=2",
        "session:ab#c=1-2",
        "session:ab#m=1&c=2-2",
        "session:ab#m=1&c=5-2",
        "session:ab#m=1&c=1-5,3-9",
        "session:ab#m=1&c=1-5,",
        "session:a..b#m=1",
        "session:../etc#m=1",
        "session:AB#m=1",
        "session:ab#m=" + "9" * 5000,
        "mem:" + "a" * 1_000_000,
        "session:ab#m=1&c=" + "1-2," * 1_000_000,
    ],
)
def test_what_is_no_address_says_why(text: str) -> None:
    outcome = parse_citation(text)
    assert isinstance(outcome, NotACitation)
    assert outcome.reason


@given(st.text() | st.text("mem:session#&=c0123456789-,[]ab", max_size=40))
def test_any_text_is_taken(text: str) -> None:
    match parse_citation(text):
        case MemoryCitation() | MessageCitation() | SpanCitation() as citation:
            assert parse_citation(citation.uri) == citation
        case NotACitation() as no:
            assert no.text == text


def test_what_is_no_address_cannot_be_made() -> None:
    with pytest.raises(InvalidCitationError):
        SpanCitation("ab", 1, ((3, 3),))
    with pytest.raises(InvalidCitationError):
        SpanCitation("ab", 1, ())
    with pytest.raises(InvalidCitationError):
        MessageCitation("a b", 1)
    with pytest.raises(InvalidCitationError):
        MessageCitation("ab", -1)


def test_an_address_that_could_not_be_read_back_cannot_be_made() -> None:
    whole, span = MessageCitation("ab", MAX_NUMBER), SpanCitation("ab", MAX_NUMBER, ((0, MAX_NUMBER),))
    assert [parse_citation(one.uri) for one in (whole, span)] == [whole, span]
    with pytest.raises(InvalidCitationError):
        MessageCitation("ab", MAX_NUMBER + 1)
    with pytest.raises(InvalidCitationError):
        SpanCitation("ab", 1, ((0, MAX_NUMBER + 1),))
    with pytest.raises(InvalidCitationError):
        TerminalCitation("ab", MAX_NUMBER + 1)


def test_short_ids_are_the_same_everywhere() -> None:
    # Written down, so that a change of the recipe is noticed: printed citations would stop resolving.
    assert memory_short_id("mem_0123456789abcdef0123456789abcdef") == EXPECTED
    assert memory_short_id("mem_0123456789abcdef0123456789abcdef", 1) != EXPECTED


EXPECTED = "I1BXFO"


def test_when_all_are_taken_it_says_so() -> None:
    assert len({memory_short_id("mem_a", attempt) for attempt in range(MAX_ATTEMPTS)}) == MAX_ATTEMPTS
    with pytest.raises(ShortIdExhaustedError, match="mem_a"):
        memory_short_id("mem_a", MAX_ATTEMPTS)
