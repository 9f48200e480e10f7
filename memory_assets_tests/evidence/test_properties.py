"""Whatever the text: spans in range, whole graphemes, method and confidence at one, no exception."""

import unicodedata

import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory_assets.evidence.aligner import align
from memory_assets.evidence.model import AlignedEvidence
from memory_assets.evidence.prepared import PreparedText
from memory_assets.text import characters
from memory_assets.text.characters import inner_offsets, is_certain_boundary

AWKWARD = st.sampled_from([
    # line ends, Hangul in every form, marks
    *["\r\n", "\r", " ", "가", "각", "\u1100\u1161", "\u11a8", "\ud7b0", "é", "e\u0301", "कि", "ก็", "\u0600", "ﾊﾞ"],
    # emoji, compatibility forms, case folding that lengthens
    *["👩‍👩‍👧", "👍🏽", "🇰🇷", "1️⃣", "ﬁ", "Ａ", "½", "ß", "İ", "𝐀", "\u200b", "\u200d", "\ufe0f"],
    # marks that mean something, and Markdown
    *["-", "−", "5", ".", ",", "**", "`", "[a](b)", "<b>", "1. ", "\n- ", "\\n", "a", "B"],
])  # fmt: skip
TEXT = st.one_of(st.text(max_size=60), st.lists(AWKWARD, max_size=25).map("".join))


def grapheme_bounds(text: str) -> set[int]:
    return {0} | {match.end() for match in regex.finditer(r"\X", text)}


def check(messages: list[str], quote: str, index: int) -> AlignedEvidence | None:
    found = align(messages, quote, index)
    if not isinstance(found, AlignedEvidence):
        return None
    text = messages[found.message_index]
    assert 0 <= found.span_start < found.span_end <= len(text)
    assert text[found.span_start : found.span_end] == found.matched_text
    assert (found.segments[0][0], found.segments[-1][1]) == (found.span_start, found.span_end)
    edges = [edge for segment in found.segments for edge in segment]
    assert edges == sorted(edges) and set(edges) <= grapheme_bounds(text)
    match found.method:
        case "exact":
            assert found.confidence == 1.0 and found.matched_text == quote
        case "normalized":
            assert 0.95 <= found.confidence < 1.0
        case "fuzzy":
            assert 0.85 <= found.confidence < 0.95 and found.similarity >= 0.85
    assert found.ambiguous == (found.alternative_count > 0)
    assert found.relocated == (found.message_index != index)
    assert 0.0 <= found.similarity <= 1.0
    return found


@given(TEXT)
@example("a\u0600b")
def test_inner_offsets_are_those_of_whole_text_segmentation(text: str) -> None:
    inner = set(range(len(text) + 1)) - grapheme_bounds(text)
    assert inner_offsets(text) == inner
    assert not any(is_certain_boundary(text, offset) for offset in inner)


@given(TEXT)
def test_skeleton_points_into_the_text(text: str) -> None:
    prepared = PreparedText(text)
    letters = prepared.placed(0, len(prepared.skeleton))
    assert len(prepared.skeleton) == len(letters.cased) == len(letters.starts) == len(letters.ends)
    assert letters.starts == sorted(letters.starts) and letters.ends == sorted(letters.ends)
    assert {*letters.starts, *letters.ends} <= grapheme_bounds(text)
    folded = "".join(piece for letter in letters.cased for piece in letter.casefold())
    assert set(prepared.skeleton) <= set(folded)


@given(st.lists(TEXT, min_size=1, max_size=200).map("".join), st.data())
@settings(max_examples=50)
def test_a_stretch_of_a_skeleton_is_the_same_however_it_is_asked_for(text: str, data: st.DataObject) -> None:
    prepared = PreparedText(text)
    whole = prepared.placed(0, len(prepared.skeleton))
    low = data.draw(st.integers(0, len(prepared.skeleton)))
    high = data.draw(st.integers(low, len(prepared.skeleton)))
    part = PreparedText(text).placed(low, high)
    assert (part.cased, part.starts, part.ends) == (whole.cased[low:high], whole.starts[low:high], whole.ends[low:high])


@given(TEXT, TEXT, st.integers(-2, 3))
@settings(max_examples=200)
def test_arbitrary_quotes(text: str, quote: str, index: int) -> None:
    check([text, quote + text, text * 2], quote, index)


@given(TEXT, st.data())
@settings(max_examples=200)
def test_a_slice_on_grapheme_bounds_is_exact(text: str, data: st.DataObject) -> None:
    bounds = sorted(grapheme_bounds(text))
    low = data.draw(st.sampled_from(bounds))
    high = data.draw(st.sampled_from(bounds))
    quote = text[min(low, high) : max(low, high)]
    if quote.strip() and len(quote) <= 500:
        found = check([text], quote, 0)
        assert found is not None and found.method == "exact"
        check(["x", text * 2, quote], quote, 1)


@given(
    st.lists(st.sampled_from(["keep", "the", "log", "결정은", "로그다", "42", "not", "...", "…", "[link](a/b)"]), max_size=30)
)
@settings(max_examples=150)
def test_what_is_exact_somewhere_never_loses_to_something_similar(words: list[str]) -> None:
    quote = "we keep the log for 42 days"
    message = " ".join([*words, "we keep a log for 43 days,", *words, quote, *words])
    found = check([message], quote, 0)
    assert found is not None and found.method == "exact"


LONG = st.lists(
    st.sampled_from(
        ["we keep the event log for ever", "결정은 이벤트 로그를 남기는 것이다", "see [docs](http://a.b/c)", "x" * 40, "\n\n"]
    ),
    min_size=1,
    max_size=6,
).map(" ".join)


@given(LONG, st.data())
@settings(max_examples=150)
def test_damaged_quotes_never_break_the_rules(text: str, data: st.DataObject) -> None:
    """Letters exchanged, dropped and added at random: whatever comes of it, the rules of a result hold."""
    letters = list(text)
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, max(0, len(letters) - 1)))
        letters[place : place + data.draw(st.integers(0, 2))] = data.draw(st.text(max_size=2))
    check([text, text.upper()], "".join(letters)[:500], data.draw(st.integers(0, 1)))


WORDS = st.lists(
    st.sampled_from(["keep", "the", "log", "결정은", "로그다", "é", "체크포인트", "run", "Ünïcode", "日本"]),
    min_size=3,
    max_size=12,
)


@given(
    WORDS, st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]), st.sampled_from([" ", "\n", "\r\n", "  ", "\t", "\u3000", "\u00a0"])
)
def test_damage_of_form_and_space_is_undone(words: list[str], form: str, space: str) -> None:
    message = "앞 " + " ".join(words) + " 뒤"
    quote = unicodedata.normalize(form, space.join(words))
    found = check([message], quote, 0)
    assert found is not None and found.matched_text == " ".join(words)
    again = check([unicodedata.normalize(form, "앞 " + space.join(words) + " 뒤")], " ".join(words), 0)
    assert again is not None and again.confidence >= 0.99


def test_plain_characters_are_what_they_are_said_to_be() -> None:
    """The fast path rests on this: plain characters are NFKC-stable clusters of their own."""
    plain = regex.compile(f"[{characters._PLAIN}]")
    found = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000 and plain.fullmatch(chr(code))]
    assert len(found) > 30_000
    for character in found:
        assert unicodedata.is_normalized("NFKC", character), hex(ord(character))
        assert unicodedata.category(character) not in ("Cf", "Mn", "Mc", "Me"), hex(ord(character))
    joined = "".join(found) + "".join(reversed(found))
    assert len(regex.findall(r"\X", joined)) == len(joined)
