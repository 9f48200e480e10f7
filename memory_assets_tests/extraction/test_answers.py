"""Reading what a model answers: one bad entry never takes the others with it, spans are refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.extraction.answers import ReadAnswer, UnreadableAnswer, read_answer
from memory_assets.extraction.schema import ExtractedEntry, Quote
from memory_assets.extraction.windows import Window

WINDOW = Window(start=3, end=9, context_start=1)
GOOD: dict[str, Any] = {
    "type": "decision",
    "title": "Keep the log",
    "evidence": [{"message_index": 4, "quote": "we keep the log for ever"}],
    "reason": "disks are cheap",
    "status": None,
    "priority": None,
    "blocked_by": [],
}


def read(*entries: Any) -> ReadAnswer:
    answer = read_answer(json.dumps({"entries": list(entries)}), WINDOW)
    assert isinstance(answer, ReadAnswer)
    return answer


def test_a_good_entry() -> None:
    answer = read(GOOD)
    quote = Quote(4, "we keep the log for ever")
    assert answer.entries == (ExtractedEntry("decision", "Keep the log", (quote,), reason="disks are cheap"),)
    assert answer.warnings == ()


def test_a_minimal_task_and_camel_case() -> None:
    answer = read(
        {"type": "task", "title": "t t t", "evidence": [{"messageIndex": 5, "quote": "fix it"}], "blockedBy": ["npm"]}
    )
    (entry,) = answer.entries
    assert (entry.status, entry.blocked_by, entry.evidence) == ("pending", ("npm",), (Quote(5, "fix it"),))


def test_spans_are_refused_and_counted() -> None:
    evidence = [{"message_index": 4, "quote": "we keep the log", "spanStart": 1, "span_end": 9, "offset": 3, "start": 0}]
    answer = read({**GOOD, "evidence": evidence, "span": [1, 2]})
    assert answer.entries[0].evidence == (Quote(4, "we keep the log"),)
    assert answer.warnings == ("span fields refused: 5",)


def test_unknown_fields_are_dropped_and_counted() -> None:
    answer = read({**GOOD, "confidence": 0.9, "entryId": "e1"}, {**GOOD, "mood": "good"})
    assert len(answer.entries) == 2 and answer.warnings == ("unknown fields dropped: 3",)


@pytest.mark.parametrize(
    "bad",
    [
        "text",
        None,
        {},
        {**GOOD, "type": "rumour"},
        {**GOOD, "title": 7},
        {**GOOD, "evidence": "we keep the log"},
        {**GOOD, "evidence": []},
        {**GOOD, "evidence": ["we keep the log"]},
        {**GOOD, "evidence": [{"message_index": "4", "quote": "q"}]},
        {**GOOD, "evidence": [{"message_index": 4}]},
        {**GOOD, "status": "sleeping"},
        {**GOOD, "evidence": [{"message_index": 1, "quote": "context only"}]},
    ],
)
def test_one_bad_entry_is_dropped_alone(bad: Any) -> None:
    answer = read(GOOD, bad, GOOD)
    assert len(answer.entries) == 2
    assert len(answer.warnings) == 1 and "keep" not in answer.warnings[0]


def test_fields_of_another_type_are_left_out() -> None:
    (entry,) = read({**GOOD, "type": "fact", "status": "done", "priority": "high", "blocked_by": ["x"]}).entries
    assert (entry.reason, entry.status, entry.priority, entry.blocked_by) == (None, None, None, ())


def test_titles_become_one_line() -> None:
    assert read({**GOOD, "title": "**Keep**\nthe log"}).entries[0].title == "Keep the log"
    assert read({**GOOD, "title": " "}).entries[0].title == "we keep the log for ever"


@pytest.mark.parametrize("text", ["", "not json", "[]", "{}", '{"entries": {}}', '{"entries": [', "[" * 100_000])
def test_unreadable(text: str) -> None:
    assert isinstance(read_answer(text, WINDOW), UnreadableAnswer)


def test_a_fence_around_the_json() -> None:
    assert isinstance(read_answer('```json\n{"entries": []}\n```', WINDOW), ReadAnswer)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*GOOD, "message_index", "quote", "x"]), inner),
    max_leaves=12,
)  # fmt: skip


@given(st.lists(JSON, max_size=4))
def test_any_json_is_read_without_an_exception(entries: list[Any]) -> None:
    answer = read(*entries)
    assert all(entry.evidence and entry.title for entry in answer.entries)
