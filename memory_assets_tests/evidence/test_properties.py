"""Whatever the text: spans in range, whole graphemes, method and confidence at one, no exception."""

import unicodedata

import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory_assets.evidence import characters
from memory_assets.evidence.aligner import align
from memory_assets.evidence.characters import inner_offsets, surely_between
from memory_assets.evidence.model import AlignedEvidence
from memory_assets.evidence.prepared import prepare

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
    assert found.segments == ((found.span_start, found.span_end),)
    assert {found.span_start, found.span_end} <= grapheme_bounds(text)
    if found.method == "exact":
        assert found.confidence == 1.0 and found.matched_text == quote
    else:
        assert found.method == "normalized" and 0.95 <= found.confidence < 1.0
    assert found.ambiguous == (found.alternative_count > 0)
    assert found.relocated == (found.message_index != index)
    assert 0.0 <= found.similarity <= 1.0
    return found


@given(TEXT)
@example("a\u0600b")
def test_inner_offsets_are_those_of_whole_text_segmentation(text: str) -> None:
    inner = set(range(len(text) + 1)) - grapheme_bounds(text)
    assert inner_offsets(text) == inner
    assert not any(surely_between(text, offset) for offset in inner)


@given(TEXT)
def test_skeleton_points_into_the_text(text: str) -> None:
    prepared = prepare(text)
    assert len(prepared.skeleton) == len(prepared.cased) == len(prepared.starts) == len(prepared.ends)
    assert list(prepared.starts) == sorted(prepared.starts) and list(prepared.ends) == sorted(prepared.ends)
    assert set(prepared.starts) | set(prepared.ends) <= grapheme_bounds(text)


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
