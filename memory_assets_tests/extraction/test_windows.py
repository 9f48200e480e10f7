"""Windows of whole messages: complete, stable under growth, hashed over what is shown."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.extraction.cues import built_in_rules
from memory_assets.extraction.scoring import score_window
from memory_assets.extraction.windows import Window, shown_text, window_hash, windows
from memory_assets.sessions.model import Message
from memory_assets_tests.extraction.talk import agent, message, user

MESSAGES = st.lists(
    st.builds(
        Message,
        uid=st.just("u"),
        role=st.sampled_from(["user", "assistant", "tool"]),
        kind=st.sampled_from(["said", "said", "said", "thinking", "tool_call", "tool_result", "injected"]),
        text=st.integers(0, 90).map(lambda n: "가" * n),
        sidechain=st.sampled_from([False, False, True]),
        is_error=st.booleans(),
    ),
    max_size=40,
)


def test_what_is_shown() -> None:
    assert shown_text(user("hello there")) == "hello there"
    assert shown_text(agent("working")) == "working"
    assert shown_text(user("<system-reminder>", kind="injected")) == ""
    assert shown_text(agent("hmm", kind="thinking")) == ""
    assert shown_text(agent("to a sub-agent", sidechain=True)) == ""
    assert shown_text(message("tool", "long listing", kind="tool_result")) == ""
    assert shown_text(message("tool", "boom " * 200, kind="tool_result", is_error=True)).startswith("boom boom")
    assert len(shown_text(message("tool", "boom " * 200, kind="tool_result", is_error=True))) <= 400


def test_a_todo_call_is_shown_as_a_short_checklist() -> None:
    def call(text: str, **fields: object) -> Message:
        return agent(text, kind="tool_call", tool_name="TodoWrite", **fields)

    told = '{"todos":[{"content":"리더 \\"고치기\\"","status":"completed"},{"content":"Ship it","status":"pending"}]}'
    assert shown_text(call(told)) == '- [x] 리더 \\"고치기\\"\n- [ ] Ship it'
    assert shown_text(call(told, sidechain=True)) == ""
    assert shown_text(agent(told, kind="tool_call", tool_name="Bash")) == ""
    many = ",".join(f'{{"content":"step number {n}","status":"pending"}}' for n in range(5_000))
    assert 1_000 < len(shown_text(call(f'{{"todos":[{many}]}}'))) <= 2_000


@given(MESSAGES, st.integers(1, 300))
def test_every_shown_message_is_in_one_window(messages: list[Message], budget: int) -> None:
    cut = windows(messages, budget=budget)
    for index, one in enumerate(messages):
        owners = [window for window in cut if window.owns(index)]
        assert len(owners) <= 1
        if shown_text(one):
            assert len(owners) == 1
    for before, after in pairwise(cut):
        assert before.end <= after.start
    for window in cut:
        shown = [len(shown_text(m)) for m in messages[window.start : window.end] if shown_text(m)]
        assert shown and (sum(shown) <= budget or len(shown) == 1)
        assert 0 <= window.context_start <= window.start


@given(MESSAGES, MESSAGES, st.integers(1, 300))
def test_growth_changes_the_last_window_only(known: list[Message], later: list[Message], budget: int) -> None:
    before = windows(known, budget=budget)
    after = windows(known + later, budget=budget)
    kept = before[:-1]
    assert after[: len(kept)] == kept
    for window in kept:
        assert window_hash(known, window) == window_hash(known + later, window)


def test_a_window_ends_before_a_person_speaks() -> None:
    talk = [user("a" * 50), agent("b" * 30), user("c" * 10), agent("d" * 10)]
    assert [(w.start, w.end) for w in windows(talk, budget=100)] == [(0, 2), (2, 4)]
    assert windows(talk, budget=100)[1].context_start == 0


def test_the_hash_is_of_what_is_seen() -> None:
    talk = [user("we use duckdb"), agent("thinking", kind="thinking"), agent("noted")]
    window = Window(0, 3, 0)
    same = [replace(talk[0], uid="other"), replace(talk[1], text="else"), talk[2]]
    assert window_hash(talk, window) == window_hash(same, window)
    for changed in (
        [replace(talk[0], text="we use sqlite"), *talk[1:]],
        [replace(talk[0], role="assistant"), *talk[1:]],
        [replace(talk[0], name="Mina"), *talk[1:]],
    ):
        assert window_hash(talk, window) != window_hash(changed, window)


def test_nothing_shown_is_no_window() -> None:
    assert windows([]) == []
    assert windows([agent("hmm", kind="thinking")]) == []
    with pytest.raises(ValueError):
        windows([], budget=0)


def test_a_window_tells_whether_its_last_turn_goes_on() -> None:
    def first(*behind: Message) -> tuple[bool, str]:
        talk = [user("Please fix the login."), agent("x" * 400), *behind]
        window, *_ = windows(talk, budget=450)
        return window.is_cut, window_hash(talk, window)

    cut, one = first(agent("y" * 400))
    ended, other = first(user("y" * 400))
    assert (cut, ended) == (True, False)
    assert one != other


def test_the_last_words_of_a_window_that_is_cut_are_no_last_words() -> None:
    talk = [user("Please fix the login."), agent("It is long. " * 40), agent("It is fixed. " * 40, uid="last")]
    voices = [
        {one.spot.voice for one in score_window(talk, window, built_in_rules())} - {"user"}
        for window in windows(talk, budget=600)
    ]
    assert voices == [{"working"}, {"closing"}]


def test_where_a_person_breaks_in_is_part_of_the_hash() -> None:
    def hash_of(*between: Message) -> str:
        talk = [user("Please fix the form."), agent("I look at it."), *between, user("the second piece only")]
        (window,) = windows(talk)
        return window_hash(talk, window)

    stopped = message("user", "[Request interrupted by user]", kind="injected")
    reminded = message("user", "Remember the style of the shop.", kind="injected")
    assert hash_of(reminded, reminded) != hash_of(stopped, reminded)
    assert hash_of(reminded, reminded) == hash_of(reminded, message("user", "Remember it.", kind="injected"))
