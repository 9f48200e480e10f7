"""Reading what a model answers: one bad entry never takes the others with it, spans are refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.extraction.answers import ReadAnswer, UnreadableAnswer, read_answer, read_broken_answer
from memory_assets.extraction.schema import ExtractedEntry, Quote

TEXT = "we keep the log for ever and never cut it"
GOOD: dict[str, Any] = {
    "type": "decision",
    "title": "Keep the log",
    "evidence": [{"message_index": 4, "quote": TEXT}],
    "reason": "disks are cheap",
    "status": None,
    "priority": None,
    "blocked_by": [],
}
TASK = {**GOOD, "type": "task", "reason": None}


def read(*entries: Any) -> ReadAnswer:
    answer = read_answer(json.dumps({"entries": list(entries)}))
    assert isinstance(answer, ReadAnswer)
    return answer


def test_a_good_entry() -> None:
    answer = read(GOOD)
    assert answer.entries == (ExtractedEntry("decision", "Keep the log", (Quote(4, TEXT),), reason="disks are cheap"),)
    assert answer.warnings == {}


def test_a_minimal_task_in_other_spellings() -> None:
    answer = read(
        {
            "entryType": "Task",
            "Title": "t t t",
            "evidence": {"messageIndex": "5", "quote": TEXT},
            "blockedBy": "npm",
            "Status": "In Progress",
            "priority": "",
        }
    )
    (entry,) = answer.entries
    assert (entry.entry_type, entry.status, entry.priority) == ("task", "in_progress", None)
    assert (entry.blocked_by, entry.evidence) == (("npm",), (Quote(5, TEXT),)) and answer.warnings == {}


def test_spans_are_refused_and_counted() -> None:
    evidence = [{"message_index": 4, "quote": TEXT, "spanStart": 1, "span_end": 9, "offset": 3, "start": 0, "endChar": 4}]
    answer = read({**GOOD, "evidence": evidence, "span": [1, 2], "charStart": 1})
    assert answer.entries[0].evidence == (Quote(4, TEXT),)
    assert answer.warnings == {"span fields refused": 7}


def test_unknown_fields_are_dropped_and_counted() -> None:
    answer = read({**GOOD, "confidence": 0.9, "entryId": "e1"}, {**GOOD, "title": "b", "mood": "good"})
    assert len(answer.entries) == 2 and answer.warnings == {"unknown fields dropped": 3}


@pytest.mark.parametrize(
    "bad",
    [
        "text",
        None,
        {},
        {**GOOD, "type": "rumour"},
        {**GOOD, "type": ["decision"]},
        {**GOOD, "title": 7},
        {**GOOD, "evidence": "we keep the log"},
        {**GOOD, "evidence": []},
        {**GOOD, "evidence": ["we keep the log"]},
        {**GOOD, "evidence": [{"message_index": "four", "quote": TEXT}]},
        {**GOOD, "evidence": [{"message_index": 4}]},
        {**GOOD, "evidence": [{"message_index": 4, "quote": " \n"}]},
        {**GOOD, "reason": 4},
    ],
)
def test_one_bad_entry_is_dropped_alone(bad: Any) -> None:
    answer = read(GOOD, bad, {**GOOD, "title": "b"})
    assert len(answer.entries) == 2
    assert list(answer.warnings.values()) == [1] and "keep" not in str(answer.warnings)


def test_what_belongs_to_another_type_is_left_out_whatever_it_is() -> None:
    (entry,) = read({**GOOD, "type": "fact", "status": "n/a", "priority": 3, "blocked_by": "x"}).entries
    assert (entry.reason, entry.status, entry.priority, entry.blocked_by) == (None, None, None, ())


def test_titles_become_one_line() -> None:
    assert read({**GOOD, "title": "**Keep**\nthe log"}).entries[0].title == "Keep the log"
    assert read({**GOOD, "title": " "}).entries[0].title == TEXT
    assert read({**GOOD, "title": "Keep\x1b[2J\u202e the\x07 log"}).entries[0].title == "Keep [2J the log"


def test_half_characters_and_nul_do_not_get_in() -> None:
    text = json.dumps(
        {"entries": [{**GOOD, "title": "Keep \ud83d", "evidence": [{"message_index": 0, "quote": "a\x00\udc00"}]}]}
    )
    answer = read_answer(text)
    assert isinstance(answer, ReadAnswer)
    assert (answer.entries[0].title, answer.entries[0].evidence[0].quote) == ("Keep \ufffd", "a\ufffd\ufffd")


def test_what_is_too_much_is_bounded() -> None:
    quotes = [{"message_index": n, "quote": TEXT} for n in range(9)]
    answer = read({**GOOD, "evidence": [{"message_index": 1, "quote": "x" * 5_000}, {"message_index": 10**30, "quote": TEXT}]})
    assert answer.entries == () and answer.warnings["quotes beyond every limit dropped"] == 2
    answer = read({**GOOD, "evidence": quotes, "title": "long " * 100_000, "reason": "r" * 100_000})
    assert len(answer.entries[0].evidence) == 5 and answer.warnings == {"quotes beyond the fifth dropped": 4}
    assert len(answer.entries[0].title) <= 120 and len(answer.entries[0].reason or "") <= 2_000
    answer = read(*({**GOOD, "title": f"number {n}"} for n in range(250)))
    assert len(answer.entries) == 200 and answer.warnings == {"entries beyond the limit dropped": 50}
    assert len(read(*[GOOD] * 100).entries) == 1


def test_quotes_of_odd_length_are_taken_and_counted() -> None:
    evidence = [{"message_index": 4, "quote": quote} for quote in ("short", "가" * 201, "x" * 30, "y" * 200)]
    answer = read({**GOOD, "evidence": evidence})
    assert len(answer.entries[0].evidence) == 4 and answer.warnings == {"quotes not of 30 to 200 characters": 2}


@pytest.mark.parametrize("text", ["", "not json", "{}", '{"entries": {}}', '{"entries": [', "[" * 100_000, "[1]", '"entries"'])
def test_unreadable(text: str) -> None:
    assert isinstance(read_answer(text), UnreadableAnswer)
    assert isinstance(read_broken_answer(text), UnreadableAnswer)


def test_an_answer_beyond_all_length() -> None:
    assert isinstance(read_answer(json.dumps({"entries": [GOOD]}) + " " * 1_000_000), UnreadableAnswer)


@pytest.mark.parametrize(
    "around", ["```json\n{}\n```", "{}", "Sure! [1] {{:\n{}\nAnything else? {{", "<think>[{{]}}</think>\n{}"]
)
def test_text_around_the_json(around: str) -> None:
    answer = read_answer(around.format(json.dumps({"entries": [GOOD]}, indent=1)))
    assert isinstance(answer, ReadAnswer) and len(answer.entries) == 1


@pytest.mark.parametrize("text", ["[]", '{"entries": []}', "```\n[]\n```"])
def test_nothing_to_remember(text: str) -> None:
    assert read_answer(text) == ReadAnswer((), {})


def test_a_broken_answer_is_not_taken_for_its_first_entry() -> None:
    text = json.dumps({"entries": [GOOD, {**GOOD, "title": "b"}, GOOD]})
    assert isinstance(read_answer(text[:-30]), UnreadableAnswer)
    broken = read_broken_answer(text[:-30])
    assert isinstance(broken, ReadAnswer) and [entry.title for entry in broken.entries] == ["Keep the log", "b"]


@given(st.integers(0, 600))
def test_wherever_an_answer_breaks_off_only_whole_entries_are_read(cut: int) -> None:
    entries = [{**GOOD, "title": f"number {n}"} for n in range(3)]
    text = json.dumps({"entries": entries})
    broken = read_broken_answer(text[:cut])
    titles = [entry.title for entry in broken.entries] if isinstance(broken, ReadAnswer) else []
    assert titles == ["number 0", "number 1", "number 2"][: len(titles)]
    assert len(titles) == sum(text[:cut].count(json.dumps(entry)) for entry in entries)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*GOOD, "message_index", "quote", "x"]), inner),
    max_leaves=12,
)  # fmt: skip


@given(st.lists(JSON, max_size=4))
def test_any_json_is_read_without_an_exception(entries: list[Any]) -> None:
    answer = read(*entries)
    assert all(entry.evidence and entry.title for entry in answer.entries)


@given(st.text(alphabet='{}[]",:entris \\', max_size=60))
def test_any_text_is_read_without_an_exception(text: str) -> None:
    read_answer(text)
    read_broken_answer(text)


@pytest.mark.parametrize(
    ("given", "status", "priority", "blocked_by", "warnings"),
    [
        ({"status": "Frozen Solid"}, "pending", None, (), {"unknown status 'frozen_solid' left out": 1}),
        ({"status": "진행"}, "pending", None, (), {"unknown status '진행' left out": 1}),
        ({"status": "a\n<b>"}, "pending", None, (), {"unknown status 'a??b?' left out": 1}),
        ({"status": 7}, "pending", None, (), {"unknown status '(int)' left out": 1}),
        ({"status": "done", "priority": "cosmic"}, "done", None, (), {"unknown priority 'cosmic' left out": 1}),
        ({"status": "Not Started", "priority": "P0"}, "pending", "critical", (), {}),
        ({"status": "inProgress", "priority": "Urgent"}, "in_progress", "high", (), {}),
        ({"status": None, "priority": "none"}, "pending", None, (), {}),
        (
            {"status": "blocked", "blocked_by": [1, "PR #1"]},
            "blocked",
            None,
            ("PR #1",),
            {"blockers that are no texts dropped": 1},
        ),
        ({"status": "blocked", "blocked_by": {"title": "x"}}, "blocked", None, (), {"blockers that are no texts dropped": 1}),
    ],
)
def test_an_unknown_status_is_named_and_the_task_is_kept(
    given: dict[str, Any], status: str, priority: str | None, blocked_by: tuple[str, ...], warnings: dict[str, int]
) -> None:
    answer = read({**TASK, **given})
    (entry,) = answer.entries
    assert (entry.status, entry.priority, entry.blocked_by) == (status, priority, blocked_by)
    assert {name: count for name, count in answer.warnings.items() if "quotes" not in name} == warnings
