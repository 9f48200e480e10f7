from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from memory_assets.sessions.model import Message
from memory_assets.sessions.union import Extended, Unchanged, Unrelated, merge_history


def history(*uids: str, text: str = "") -> tuple[Message, ...]:
    return tuple(Message(uid=uid, role="user", kind="said", text=text or f"text of {uid}") for uid in uids)


def ordinal(*texts: str) -> tuple[Message, ...]:
    return tuple(Message(uid=str(n), role="user", kind="said", text=text) for n, text in enumerate(texts))


def grown(known: Sequence[Message], incoming: Sequence[Message], *, ordinal_uids: bool = False) -> tuple[Message, ...]:
    match merge_history(known, incoming, ordinal_uids=ordinal_uids):
        case Extended(messages):
            return messages
        case Unchanged():
            return tuple(known)
        case Unrelated():
            raise AssertionError("unrelated")


def uids(messages: Sequence[Message]) -> list[str]:
    return [message.uid for message in messages]


def test_a_prefix_or_subset_adds_nothing() -> None:
    known = history("a", "b", "c", "d")
    for part in (known, known[:2], known[1:3], (known[0], known[3]), ()):
        assert merge_history(known, part, ordinal_uids=False) == Unchanged()


def test_an_extension_keeps_the_known_objects() -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    known = tuple(replace(message, ts=at) for message in history("a", "b"))
    merged = merge_history(known, history("a", "b", "c"), ordinal_uids=False)
    assert isinstance(merged, Extended)
    assert merged.common_prefix == 2
    assert merged.messages[0] is known[0] and merged.messages[1].ts == at


def test_a_first_history_is_an_extension_of_nothing() -> None:
    incoming = history("a")
    assert merge_history((), incoming, ordinal_uids=False) == Extended(incoming, 0)


def test_no_shared_record_is_unrelated() -> None:
    assert merge_history(history("a"), history("b", text="text of a"), ordinal_uids=False) == Unrelated()
    assert merge_history(ordinal("a"), ordinal("b"), ordinal_uids=True) == Unrelated()


def test_other_words_are_a_revision_but_half_of_them_are_not() -> None:
    known = history("a", "b")
    revised = merge_history(known, (known[0], replace(known[1], text="new words")), ordinal_uids=False)
    assert isinstance(revised, Extended)
    assert (revised.common_prefix, revised.messages[1].text) == (1, "new words")
    assert merge_history(known, (known[0], replace(known[1], text="text")), ordinal_uids=False) == Unchanged()
    assert grown((known[0], replace(known[1], text="text")), known) == known


def test_branches_are_united_in_the_order_of_the_longer() -> None:
    long, short = history("a", "b", "x", "y", "z"), history("a", "b", "p")
    assert uids(grown(long, short)) == uids(grown(short, long)) == ["a", "b", "x", "y", "z", "p"]
    assert uids(grown(history("b", "c", "d"), history("a", "b"))) == ["a", "b", "c", "d"]


def test_positions_a_prefix_an_extension_an_edit() -> None:
    known = ordinal("a", "b", "c")
    assert merge_history(known, ordinal("a", "b"), ordinal_uids=True) == Unchanged()
    assert merge_history(known, ordinal("a", "c"), ordinal_uids=True) == Unchanged()
    extended = merge_history(known, ordinal("a", "b", "c", "d"), ordinal_uids=True)
    assert isinstance(extended, Extended) and extended.common_prefix == 3
    edited = merge_history(known, ordinal("a", "B", "c"), ordinal_uids=True)
    assert isinstance(edited, Extended) and edited.common_prefix == 1
    assert [message.text for message in edited.messages] == ["a", "B", "c"]


def test_a_message_cut_off_at_the_end_of_a_file() -> None:
    whole, cut = ordinal("a", "long text", "c"), ordinal("a", "long")
    assert merge_history(whole, cut, ordinal_uids=True) == Unchanged()
    assert grown(cut, whole, ordinal_uids=True) == whole
    marked = ordinal("long text\n_**Ag")
    assert grown(marked, ordinal("long text", "b"), ordinal_uids=True) == ordinal("long text", "b")


_SNAPSHOTS = st.integers(2, 12).flatmap(
    lambda length: st.tuples(st.just(length), st.lists(st.integers(1, length), min_size=1, max_size=6))
)


@given(_SNAPSHOTS, st.booleans(), st.randoms(use_true_random=False))
def test_growing_snapshots_in_any_order_end_in_one_history(
    drawn: tuple[int, list[int]], ordinal_uids: bool, random: object
) -> None:
    length, cuts = drawn
    texts = [("계속", "ok", "go on")[n % 3] for n in range(length)]  # the same words again and again
    whole = tuple(Message(uid=str(n), role="user", kind="said", text=text) for n, text in enumerate(texts))
    snapshots = [whole[:cut] for cut in (*cuts, length)]
    random.shuffle(snapshots)  # type: ignore[attr-defined]
    known: tuple[Message, ...] = ()
    for snapshot in snapshots:
        known = grown(known, snapshot, ordinal_uids=ordinal_uids)
    assert known == whole
    for snapshot in snapshots:
        assert merge_history(known, snapshot, ordinal_uids=ordinal_uids) == Unchanged()


@given(st.lists(st.integers(0, 8), unique=True, min_size=1), st.lists(st.integers(0, 8), unique=True, min_size=1))
def test_two_histories_are_united_alike_in_either_order(one: list[int], other: list[int]) -> None:
    first, second = history(*map(str, one)), history(*map(str, other))
    if set(one).isdisjoint(other):
        assert merge_history(first, second, ordinal_uids=False) == Unrelated()
        return
    forth, back = grown(first, second), grown(second, first)
    assert set(uids(forth)) == set(uids(back)) == {str(n) for n in {*one, *other}}
    if not (set(one) <= set(other) or set(other) <= set(one)):
        assert forth == back


def test_long_histories_take_linear_time() -> None:
    whole = history(*map(str, range(60_000)))
    texts = ordinal(*(f"{n % 7}" for n in range(60_000)))
    began = time.process_time()
    assert isinstance(merge_history(whole[:-1], whole[::2] + whole[-1:], ordinal_uids=False), Extended)
    assert isinstance(merge_history(texts[:-1], texts, ordinal_uids=True), Extended)
    assert merge_history(texts, texts[::-1], ordinal_uids=True) != Unrelated()
    assert time.process_time() - began < 3


def test_a_copy_with_characters_that_were_lost_revises_nothing() -> None:
    sound = history("a", text="배포는 금요일로 정했어.")
    for text in ("배포는 \ufffd\ufffd요일로 정했어.", "\ufffd포는 금요일로 정했어\ufffd", "배포는 금요일로 정했\ufffd\ufffd"):
        damaged = history("a", text=text)
        assert merge_history(sound, damaged, ordinal_uids=False) == Unchanged()
        assert grown(damaged, sound) == sound
    for text in ("배포는 \ufffd", "배포는 \ufffd요일로 미뤘어.", "\ufffd"):
        assert isinstance(merge_history(sound, history("a", text=text), ordinal_uids=False), Extended)


def test_an_answer_that_was_left_is_a_revision() -> None:
    known = history("a", "b")
    left = (known[0], replace(known[1], sidechain=True))
    assert grown(known, left) == left


def test_files_that_share_a_beginning_give_one_order_whichever_comes_first() -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)

    def at(*minutes: int) -> tuple[Message, ...]:
        return tuple(
            Message(f"m{minute:02}", "user", "said", f"at {minute}", start + timedelta(minutes=minute)) for minute in minutes
        )

    files = (at(0, 1, 2, 5, 8), at(0, 1, 3, 7), at(0, 1, 4, 6, 9, 10))
    for order in itertools.permutations(files):
        merged: tuple[Message, ...] = ()
        for file in order:
            merged = grown(merged, file)
        assert uids(merged) == [f"m{minute:02}" for minute in range(11)]
