"""What an answer takes from a todo tool's call is shown, and so hashed: an equal hash means an equal answer."""

import json

from hypothesis import given
from hypothesis import strategies as st

from memory_assets.extraction.rules import extract_window
from memory_assets.extraction.schema import ExtractedEntry
from memory_assets.extraction.todos import checklist
from memory_assets.extraction.windows import window_hash, windows
from memory_assets.sessions.model import Message
from memory_assets_tests.extraction.talk import user


def call(tool: str, told: object) -> Message:
    return Message("call", "assistant", "tool_call", json.dumps(told, ensure_ascii=False), tool_name=tool)


def answered(*talk: Message) -> tuple[str, list[ExtractedEntry]]:
    (window,) = windows(talk)
    return window_hash(talk, window), extract_window(talk, window)


def todos(priority: str | None, content: str = "Write the guide") -> Message:
    item = {"content": content, "status": "pending"} | ({"priority": priority} if priority else {})
    return call("TodoWrite", {"todos": [item]})


def test_a_priority_is_shown() -> None:
    assert [checklist(todos(name)) for name in ("high", "low", None)] == [
        "- [  high] Write the guide",
        "- [  low] Write the guide",
        "- [ ] Write the guide",
    ]
    (high, one), (low, other) = answered(user("so"), todos("high")), answered(user("so"), todos("low"))
    assert [entry.priority for entry in (*one, *other)] == ["high", "low"]
    assert high != low


def test_what_the_tools_name_changes_is_shown() -> None:
    item, update = (
        {"subject": "Write the guide", "status": "pending"},
        call("TaskUpdate", {"taskId": "1", "status": "completed"}),
    )
    counted, one = answered(user("so"), call("TaskCreate", item), update)
    listed, other = answered(user("so"), call("TodoWrite", {"todos": [item]}), update)
    assert [entry.status for entry in (*one, *other)] == ["done", "pending"]
    assert counted != listed
    named = call("TodoWrite", {"todos": [{"content": "#1", "status": "completed"}]})
    assert checklist(update) != checklist(named)


ITEMS = st.fixed_dictionaries(
    {
        "content": st.sampled_from(["Write the guide", "high] Write the guide", "#1"]),
        "status": st.sampled_from(["pending", "done"]),
    },
    optional={"priority": st.sampled_from(["low", "high", "High", "urgent"]), "id": st.sampled_from(["1", "2"])},
)
TOLD = st.one_of(
    st.builds(lambda item: call("TaskCreate", item), ITEMS),
    st.builds(lambda items: call("TodoWrite", {"todos": items}), st.lists(ITEMS, max_size=2)),
    st.builds(lambda number: call("TaskUpdate", {"taskId": number, "status": "done"}), st.integers(1, 2)),
)
KNOWN: dict[str, list[ExtractedEntry]] = {}


@given(st.lists(TOLD, min_size=1, max_size=3))
def test_an_equal_hash_is_an_equal_answer(calls: list[Message]) -> None:
    shown, found = answered(user("so"), *calls)
    assert KNOWN.setdefault(shown, found) == found
