"""What becomes of what a source told once it is read again."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from memory_assets.sessions.rereading import reread
from memory_assets_tests.sessions.transcripts import history, ordinal, page, records, texts, uids


def test_a_prefix_or_subset_adds_nothing() -> None:
    known = history("a", "b", "c", "d")
    for part in (known, known[:2], known[1:3], (known[0], known[3]), ()):
        assert reread(records(known), records(part)) == records(known)
    said = ordinal("a", "b", "c")
    for words in (ordinal("a", "b"), ordinal("a", "c"), ordinal("b"), ()):
        assert reread(page(said), page(words)) == page(said)


def test_an_extension_keeps_what_is_known() -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    known = tuple(replace(message, ts=at) for message in history("a", "b"))
    told = reread(records(known), records(history("a", "b", "c"))).messages
    assert uids(told) == ["a", "b", "c"]
    assert told[0] is known[0] and told[1].ts == at
    assert reread(page(ordinal("a")), page(ordinal("a", "b"))).messages == ordinal("a", "b")


def test_other_words_supersede_the_record_but_half_of_them_do_not() -> None:
    known = history("a", "b")
    told = reread(records(known), records((known[0], replace(known[1], text="new words")))).messages
    assert texts(told) == ["text of a", "(text of b)", "new words"]
    assert told[1].kind == "superseded" and told[1].superseded_kind == "said"
    half = (known[0], replace(known[1], text="text"))
    assert reread(records(known), records(half)) == records(known)
    assert reread(records(half), records(known)) == records(known)


def test_words_that_are_said_again_are_not_superseded_any_more() -> None:
    one, other = history("a", "b"), (history("a")[0], replace(history("b")[0], text="other words"))
    there = reread(records(one), records(other))
    assert texts(reread(there, records(one)).messages) == ["text of a", "(other words)", "text of b"]
    page_there = reread(page(ordinal("a", "b")), page(ordinal("a", "c")))
    assert texts(page_there.messages) == ["a", "(b)", "c"]
    assert texts(reread(page_there, page(ordinal("a", "b"))).messages) == ["a", "(c)", "b"]


def test_a_page_that_goes_on_otherwise_supersedes_the_rest_of_it() -> None:
    known = page(ordinal("a", "b", "c", "d"))
    told = reread(known, page(ordinal("a", "x", "c", "y")))
    assert texts(told.messages) == ["a", "(b)", "(d)", "x", "c", "y"]
    assert texts(reread(told, page(ordinal("a", "x", "c", "y", "z"))).messages) == ["a", "(b)", "(d)", "x", "c", "y", "z"]


def test_a_message_cut_off_at_the_end_of_a_file() -> None:
    whole, cut = page(ordinal("a", "long text", "c")), page(ordinal("a", "long"))
    assert reread(whole, cut) == whole
    assert reread(cut, whole) == whole
    marked = page(ordinal("long text\n_**Ag"))
    assert reread(marked, page(ordinal("long text", "b"))) == page(ordinal("long text", "b"))


def test_a_copy_with_characters_that_were_lost_revises_nothing() -> None:
    sound = records(history("a", text="배포는 금요일로 정했어."))
    for text in ("배포는 \ufffd\ufffd요일로 정했어.", "\ufffd포는 금요일로 정했어\ufffd", "배포는 금요일로 정했\ufffd\ufffd"):
        damaged = records(history("a", text=text))
        assert reread(sound, damaged) == sound
        assert reread(damaged, sound) == sound
    for text in ("배포는 \ufffd", "배포는 \ufffd요일로 미뤘어.", "\ufffd"):
        assert len(reread(sound, records(history("a", text=text))).messages) == 2


def test_an_answer_that_was_left_is_no_other_words() -> None:
    known = history("a", "b")
    left = (known[0], replace(known[1], sidechain=True))
    assert reread(records(known), records(left)).messages == left


def test_what_was_misread_is_not_kept() -> None:
    known = history("a", "b")
    read_now = (known[0], replace(known[1], text="as it should have been read"))
    assert reread(records(known), records(read_now), misread=True).messages == read_now
    before = reread(page(ordinal("a", "b")), page(ordinal("a", "c")))
    assert texts(reread(before, page(ordinal("a", "d")), misread=True).messages) == ["a", "(b)", "d"]


def test_parts_of_a_record_that_is_one_message_now_are_said_in_it() -> None:
    parts = tuple(
        replace(message, text=text) for message, text in zip(history("m", "m#1", "m#2"), ["보자", "이 파일", "끝"], strict=True)
    )
    before = records((*parts, *history("n", "n#1")))
    whole = replace(parts[0], text="보자 이 파일 끝")
    for misread in (True, False):
        told = reread(before, records((whole, *history("n", "n#1", "o"))), misread=misread)
        assert uids(told.messages) == ["m", "n", "n#1", "o"]
    # What the record does not say now was misread in the same bytes; of a file that was written anew it is kept.
    short = records((replace(parts[0], text="보자 이 파일"), *history("n")))
    assert uids(reread(before, short, misread=True).messages) == ["m", "n"]
    assert uids(reread(before, short).messages) == ["m", "m#2", "n", "n#1"]


_WORDS = st.lists(st.sampled_from(["yes", "계속", "ok", "go on", "ok, go on"]), min_size=1, max_size=8)


@given(st.lists(_WORDS, min_size=1, max_size=5), st.booleans())
def test_nothing_that_a_source_ever_said_goes_away(readings: list[list[str]], is_page: bool) -> None:
    kind = page if is_page else records
    told = kind(ordinal(*readings[0]))
    for words in readings[1:]:
        said_before = {message.text for message in told.messages}
        told = reread(told, kind(ordinal(*words)))
        lost = said_before - {message.text for message in told.messages}
        # But the half of a message, once the whole of it is there.
        assert all(any(message.text.startswith(text) for message in told.messages) for text in lost)
        assert {message.text for message in told.messages} >= {
            word for word in words if not any(message.text.startswith(word) for message in told.messages)
        }
        assert reread(told, kind(ordinal(*words))) == told
