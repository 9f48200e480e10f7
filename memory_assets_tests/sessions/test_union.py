"""One history out of what several sources tell."""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.sessions.model import Message
from memory_assets.sessions.rereading import Transcript, as_told, by_position, reread
from memory_assets.sessions.rereading import superseded as marked
from memory_assets.sessions.union import united
from memory_assets_tests.sessions.transcripts import history, ordinal, page, records, texts, uids

START = datetime(2026, 1, 1, tzinfo=UTC)


def at(*minutes: int) -> tuple[Message, ...]:
    return tuple(
        Message(f"m{minute:02}", "user", "said", f"at {minute}", START + timedelta(minutes=minute)) for minute in minutes
    )


def test_one_source_tells_its_own_history() -> None:
    for transcript in (records(history("a", "b")), page(ordinal("a", "b"))):
        assert united([transcript]).messages == transcript.messages
        assert united([transcript]).places == ((0, 1),)


def test_snapshots_of_one_session_are_one_history() -> None:
    long, short = history("a", "b", "c"), history("a", "b")
    for transcripts in itertools.permutations([records(long), records(short), records(long[1:])]):
        assert united(transcripts).messages == long
    for pages in itertools.permutations([page(ordinal("a", "b", "c")), page(ordinal("a")), page(ordinal("a", "c"))]):
        assert united(pages).messages == ordinal("a", "b", "c")


def test_a_record_that_two_tell_in_different_words_is_two_messages() -> None:
    victim = at(0, 1, 2)
    forged = (replace(victim[1], text="the port is 22, not 443"),)
    for transcripts in ([records(victim), records(forged)], [records(forged), records(victim)]):
        messages = united(transcripts).messages
        assert [message for message in messages if message in victim] == list(victim)
        assert texts(messages)[-1] == "the port is 22, not 443"
        assert messages[-1].source_uid == "m01" and messages[-1].uid.startswith("m01~")


def test_a_longer_text_of_another_source_replaces_nothing() -> None:
    victim = at(0, 1)
    forged = (replace(victim[1], text=victim[1].text + ", and drop the table"),)
    assert set(texts(united([records(victim), records(forged)]).messages)) == {"at 0", "at 1", "at 1, and drop the table"}


def test_one_word_in_common_replaces_nothing() -> None:
    victim = page(ordinal("We keep PostgreSQL.", "yes", "Deploy on Thursdays."))
    for words in (["yes"], ["Drop it all.", "yes"], ["We keep PostgreSQL.", "no"]):
        for transcripts in ([victim, page(ordinal(*words))], [page(ordinal(*words)), victim]):
            found = texts(united(transcripts).messages)
            assert Counter(found) >= Counter(["We keep PostgreSQL.", "yes", "Deploy on Thursdays."])
            assert set(words) <= set(found)


def test_what_no_source_says_any_more_is_superseded_and_what_another_says_is_not() -> None:
    rewritten = reread(page(ordinal("a", "b", "c")), page(ordinal("a", "x")))
    assert texts(united([rewritten]).messages) == ["a", "(b)", "(c)", "x"]
    both = texts(united([rewritten, page(ordinal("a", "b", "c"))]).messages)
    assert {"a", "b", "c", "x"} <= set(both)
    revised = reread(records(at(0, 1)), records((at(0)[0], replace(at(1)[0], text="otherwise"))))
    assert texts(united([revised]).messages) == ["at 0", "(at 1)", "otherwise"]
    assert sorted(texts(united([revised, records(at(0, 1))]).messages)) == ["at 0", "at 1", "otherwise"]


def test_conversations_that_share_nothing_stand_one_behind_the_other() -> None:
    one, other = records(at(0, 5, 9)), records(at(1, 2, 3))
    for transcripts in ([one, other], [other, one]):
        assert uids(united(transcripts).messages) == ["m00", "m05", "m09", "m01", "m02", "m03"]


def test_files_that_share_a_beginning_give_one_order_whichever_comes_first() -> None:
    files = [records(at(0, 1, 2, 5, 8)), records(at(0, 1, 3, 7)), records(at(0, 1, 4, 6, 9, 10))]
    for order in itertools.permutations(files):
        assert uids(united(order).messages) == [f"m{minute:02}" for minute in range(11)]


def test_a_damaged_copy_says_nothing_beside_a_sound_one() -> None:
    sound, damaged = history("a", text="배포는 금요일로 정했어."), history("a", text="배포는 \ufffd\ufffd요일로 정했어.")
    for transcripts in ([records(sound), records(damaged)], [records(damaged), records(sound)]):
        assert sorted(texts(united(transcripts).messages)) == ["(배포는 \ufffd\ufffd요일로 정했어.)", "배포는 금요일로 정했어."]


def test_a_page_that_renders_the_records_is_left_out_and_one_that_says_more_is_not() -> None:
    said = (*at(0, 1), Message("t", "tool", "tool_result", "ok", START))
    rendered = (*ordinal("at 0", " at 1 "), Message("2", "tool", "tool_result", "a table of ok", None))
    for transcripts in ([records(said), page(rendered)], [page(rendered), records(said)]):
        assert set(united(transcripts).messages) == set(said)
    more = page((*rendered, Message("3", "user", "said", "and this")))
    assert set(texts(united([more, records(said)]).messages)) == {"at 0", "at 1", "ok", " at 1 ", "a table of ok", "and this"}


def test_a_message_cut_off_at_the_end_of_another_file_is_superseded() -> None:
    whole, cut = page(ordinal("a", "long text", "c")), page(ordinal("a", "long"))
    for transcripts in ([whole, cut], [cut, whole]):
        assert sorted(texts(united(transcripts).messages)) == ["(long)", "a", "c", "long text"]


def _decoded(transcript: Transcript, messages: Sequence[Message], places: Sequence[int]) -> Transcript:
    """A transcript as it is read back from the log, where only the union and the places are kept."""
    gone = [message.superseded_kind is not None for message in transcript.messages]
    told = [
        marked(as_told(messages[place])) if is_gone else as_told(messages[place])
        for place, is_gone in zip(places, gone, strict=False)
    ]
    return replace(transcript, messages=tuple(by_position(told) if transcript.ordinal_uids else told))


_MINUTES = st.lists(st.integers(0, 8), min_size=1, max_size=7, unique=True)
_VOICES = st.sampled_from(["yes", "yes, go on", "ok", "계속", "롤백하자"])


@st.composite
def _transcripts(draw: st.DrawFn) -> Transcript:
    if draw(st.booleans()):
        words = draw(st.lists(_VOICES, min_size=1, max_size=6))
        readings = [page(ordinal(*words)), page(ordinal(*draw(st.lists(_VOICES, min_size=1, max_size=6))))]
    else:
        readings = []
        for _ in range(2):
            told = [
                Message(f"m{minute}", "user", "said", draw(_VOICES), START + timedelta(minutes=minute) if timed else None)
                for minute in draw(_MINUTES)
                for timed in [draw(st.booleans())]
            ]
            readings.append(records(told))
    return readings[0] if draw(st.booleans()) else reread(*readings)


@given(st.lists(_transcripts(), min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_any_transcripts_in_any_order(transcripts: list[Transcript], shuffle: random.Random) -> None:
    whole = united(transcripts)
    assert len(set(uids(whole.messages))) == len(whole.messages)
    shuffled = transcripts.copy()
    shuffle.shuffle(shuffled)
    assert united(shuffled).messages == whole.messages

    # Nobody takes away or changes what another one says: all that is said is in the history, as often as its source says it.
    found = Counter(texts(whole.messages))
    for transcript in transcripts:
        for text, times in Counter(message.text for message in transcript.current).items():
            assert found[text] + found[f"({text})"] >= min(times, 1)
        if transcript.ordinal_uids:
            continue
        said = set(map(as_told, whole.messages))
        assert {as_told(message) for message in transcript.messages} <= said

    # What the log keeps of it is enough to unite it again.
    again = [
        _decoded(transcript, whole.messages, places) if places else transcript
        for transcript, places in zip(transcripts, whole.places, strict=True)
    ]
    assert united(again).messages == whole.messages


@given(st.lists(_transcripts(), min_size=2, max_size=4))
def test_uniting_one_by_one_is_uniting_at_once(transcripts: list[Transcript]) -> None:
    known: list[Transcript] = []
    for transcript in transcripts:
        known.append(transcript)
        whole = united(known)
        known = [
            _decoded(one, whole.messages, places) if places else one for one, places in zip(known, whole.places, strict=True)
        ]
    assert united(known).messages == united(transcripts).messages


_SNAPSHOTS = st.integers(2, 12).flatmap(
    lambda length: st.tuples(st.just(length), st.lists(st.integers(1, length), min_size=1, max_size=6))
)


@given(_SNAPSHOTS, st.booleans(), st.randoms(use_true_random=False))
def test_growing_snapshots_in_any_order_end_in_one_history(
    drawn: tuple[int, list[int]], is_page: bool, shuffle: random.Random
) -> None:
    length, cuts = drawn
    words = [("계속", "ok", "go on")[n % 3] for n in range(length)]  # the same words again and again
    whole = ordinal(*words)
    snapshots = [(page if is_page else records)(whole[:cut]) for cut in (*cuts, length)]
    shuffle.shuffle(snapshots)
    assert united(snapshots).messages == whole
    told = snapshots[0]
    for snapshot in snapshots[1:]:
        told = reread(told, snapshot)
    assert told.messages == whole


@pytest.mark.long
def test_long_histories_take_linear_time() -> None:
    whole = history(*map(str, range(60_000)))
    words = ordinal(*(f"{n % 7}" for n in range(60_000)))
    began = time.process_time()
    assert len(united([records(whole[:-1]), records(whole[::2] + whole[-1:])]).messages) == 60_000
    assert len(united([page(words[:-1]), page(words)]).messages) == 60_000
    assert len(united([page(words), page(words[::-1])]).messages) > 60_000
    assert len(reread(page(words), page(words[:30_000] + words[31_000:])).messages) == 60_000
    assert time.process_time() - began < 5
