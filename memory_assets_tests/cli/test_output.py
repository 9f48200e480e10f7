"""Text on a terminal: clean, in the right width, never markup."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from memory_assets.cli import memories, tables
from memory_assets.cli.importing import print_defects
from memory_assets.cli.memories import assurance_text, print_memories, stage_text
from memory_assets.cli.output import clean, cut, json_text, moment, one_line, styled
from memory_assets.cli.quotes import CLOSE, FAILURE_WORDS, OPEN, Mark, highlighted, marked, why_aligned, why_failed
from memory_assets.cli.tables import print_table
from memory_assets.evidence.model import FailureReason
from memory_assets.results.memories import MemoryView, Quote

any_text = st.text(st.characters(exclude_categories=()))


@given(any_text)
def test_cleaning_keeps_every_character_in_its_place(text: str) -> None:
    shown = clean(text)
    assert len(shown) == len(text) and clean(shown) == shown
    assert all(a == b for a, b in zip(text, shown, strict=True) if a.isprintable() and a.isascii())
    assert not any((ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0 for c in shown)
    shown.encode()


@given(any_text)
def test_json_is_one_clean_line_that_reads_back(text: str) -> None:
    line = json_text({"text": text})
    assert json.loads(line) == {"text": text}
    assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or c in "\u2028\u2029\u202e" for c in line)
    line.encode()


@given(any_text, st.integers(1, 40))
def test_what_is_cut_fits(text: str, width: int) -> None:
    assert cut(styled(one_line(text)), width).cell_len <= width


def test_hangul_takes_two_cells() -> None:
    assert cut(styled("가나다라마"), 7).plain == "가나다…"
    assert cut(styled("가나다"), 6).plain == "가나다"


def test_markup_is_not_read(capsys: pytest.CaptureFixture[str]) -> None:
    print_defects("odd :smile:", [{"path": "[red]x[/red].md", "line": 3, "reason": "malformed_record", "detail": "[/]"}], "red")
    assert capsys.readouterr().out == "odd :smile:: 1\n  [red]x[/red].md:3  malformed_record  [/]\n"


@given(any_text, st.data())
def test_the_highlight_is_the_span(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    context = data.draw(st.integers(0, 10))
    shown = highlighted(text, [(start, end)] if end > start else [], context)
    assert reversed_in(shown) == ([clean(text[start:end])] if end > start else [])


def reversed_in(shown: Text) -> list[str]:
    return [shown.plain[span.start : span.end] for span in shown.spans if span.style == "bold reverse"]


@given(any_text, st.data(), st.booleans(), st.integers(0, 30) | st.none())
def test_marks_leave_the_text_as_it_is(text: str, data: st.DataObject, always: bool, context: int | None) -> None:
    """What is shown is the text with brackets and labels added, whatever overlaps, and every mark is inside it whole."""
    text = text.replace(OPEN, "<").replace(CLOSE, ">").replace("…", ".").replace("#", "-")
    spans = []
    for _ in range(data.draw(st.integers(0, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        spans += [(start, end)] if end > start else []
    shown = marked(text, [Mark(start, end, (("#", "cyan"),)) for start, end in spans], context, always=always).plain
    assert shown.count(OPEN) == shown.count(CLOSE) == shown.count("#") == len(spans)
    plain = shown.replace(OPEN, "").replace(CLOSE, "")
    for piece in plain.replace("(#", "#").replace("#)", "#").replace(", #", "#").replace(" … ", "…").split("…"):
        assert piece.replace("#", "") in clean(text)
    if context is None:
        assert "…" not in shown


def test_every_segment_is_highlighted_and_what_lies_far_between_is_cut() -> None:
    text = "앞" * 50 + "첫 부분" + "-" * 500 + "둘째 부분" + "뒤" * 50
    first, second = text.index("첫"), text.index("둘째")
    segments = [(first, first + 4), (second, second + 5)]
    shown = highlighted(text, segments, 20)
    assert reversed_in(shown) == ["첫 부분", "둘째 부분"]
    assert shown.plain == f"…{'앞' * 20}⟦첫 부분⟧{'-' * 20} … {'-' * 20}⟦둘째 부분⟧{'뒤' * 20}…"
    assert highlighted(text, segments, None).plain.count("-") == 500


def test_brackets_stand_where_no_style_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert highlighted("가나다", [(1, 2)]).plain == "가⟦나⟧다"
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert highlighted("가나다", [(1, 2)]).plain == "가나다"
    assert marked("가나다", [Mark(1, 2)]).plain == "가⟦나⟧다"


def test_each_mark_has_its_label_behind_it() -> None:
    marks = [Mark(0, 2, ("A",)), Mark(1, 2, ("B",)), Mark(0, 3, ("C",)), Mark(4, 5)]
    assert marked("가나다라마", marks).plain == "⟦⟦가⟦나⟧⟧(A, B)다⟧(C)라⟦마⟧"


QUOTE = Quote(
    session_id="s",
    quote="a … b",
    matched_text="a and b",
    message_index=4,
    span_start=0,
    span_end=7,
    segments=((0, 1), (6, 7)),
    method="fuzzy",
    confidence=0.91,
    claimed_message_index=3,
    similarity=0.912,
    ambiguous=True,
    relocated=True,
    critical=True,
    failure_reason=None,
    uri="session:s#m=4&c=0-1,6-7",
    alternative_count=2,
)


def test_why_a_quote_was_found_is_said_in_words() -> None:
    words = [line.plain for line in why_aligned(QUOTE)]
    assert words == [
        "fuzzy: similar, not the same: 91.2% alike",
        "leaves something out: 2 parts, in their order",
        "critical: a number, a negation, an operator or a word differs; it never supports verified",
        "ambiguous: it stands 2 times more just as well",
        "relocated: claimed in message 3, found in 4",
    ]
    said = {"method": "exact", "segments": ((0, 7),), "alternative_count": 0}
    exact = QUOTE.model_copy(update={**said, "ambiguous": False, "relocated": False, "critical": False})
    assert [line.plain for line in why_aligned(exact)] == ["exact: the same, character for character"]


def test_why_a_quote_failed_is_said_in_words() -> None:
    assert why_failed("not_found", None).plain == "not_found: nothing like it stands there"
    below = why_failed("below_threshold", 0.724).plain
    assert below.startswith("below_threshold: ") and below.endswith("the best place is 72.4% alike")
    assert why_failed(None, None).plain == "-: no reason was logged"
    assert set(FAILURE_WORDS) == set(get_args(FailureReason))


def test_a_checker_is_named_where_it_granted_what_is_shown() -> None:
    assert assurance_text("held", "embedded 1") == "held (embedded 1)"
    assert assurance_text("quoted", "embedded 1", "contested") == "quoted, contested"
    assert assurance_text("confirmed", "idris2 0.8.0", "deprecated") == "confirmed (idris2 0.8.0), set aside"
    assert stage_text("verified", "embedded 1") == "verified (embedded 1)"
    assert stage_text("candidate", "embedded 1") == "candidate"


def test_times_are_utc() -> None:
    assert moment(datetime(2025, 1, 2, 3, 4, tzinfo=UTC)) == "2025-01-02 03:04" and moment(None) == "-"


def table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int) -> list[str]:
    monkeypatch.setattr(tables, "terminal_width", lambda: width)
    print_table(
        ("id", "n", "title", "address"),
        [("mem:a", "5", "결제 서버가 자꾸 죽는다", "session:a#m=1"), ("mem:b", "1,000", "short", "session:b#m=2&c=1-2")],
        shrink=((2, 10), (2, 4)),
        drop=(3,),
        right=frozenset((1,)),
    )
    return capsys.readouterr().out.splitlines()


def test_a_table_is_aligned_in_cells(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    header, first, second = table(capsys, monkeypatch, 1000)
    assert second == "mem:b  1,000  short                    session:b#m=2&c=1-2"
    assert first == "mem:a      5  결제 서버가 자꾸 죽는다  session:a#m=1"
    assert header.startswith("id         n  title")


@pytest.mark.parametrize("width", [20, 30, 40, 50, 60])
def test_a_table_fits_the_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    lines = table(capsys, monkeypatch, width)
    assert all(styled(line).cell_len <= width for line in lines)
    assert ("session:b#m=2&c=1-2" in lines[2]) == (width >= 46)  # left out, never cut


LONG = MemoryView(
    memory_id="mem_1",
    citation="mem:a7Bc3x",
    entry_type="decision",
    title="우리는 캐시를 Redis로 옮기기로 했다, because restarts are quick",
    project=None,
    stage="verified",
    checker="embedded 1",
    entry_count=1,
    session_count=1,
    first_said_at=datetime(2025, 1, 2, tzinfo=UTC),
    last_said_at=datetime(2025, 1, 2, tzinfo=UTC),
    session_id="s",
    uri="session:e8811ad6-93d9-4ee6-997d-2447a5d496f3#m=12&c=140-182",
)


@pytest.mark.parametrize("width", [80, 100, 120, tables.UNLIMITED])
def test_a_memorys_address_is_never_cut(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setattr(memories, "terminal_width", lambda: width)
    print_memories([LONG])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == (2 if width == 80 else 1 if width > 110 else len(lines))
    assert LONG.uri in lines[-1] and lines[0].startswith("mem:a7Bc3x  decision    우리는")
    assert all(styled(line).cell_len <= width for line in lines)
    if width == tables.UNLIMITED:
        assert lines == [f"mem:a7Bc3x  decision    {LONG.title}  {LONG.uri}"]
