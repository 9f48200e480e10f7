"""Entries that say the same become one with all their quotes."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.evidence.aligner import Aligner
from memory_assets.extraction.aligned_entries import AlignedEntry, align_entry
from memory_assets.extraction.dedupe import merge_entries
from memory_assets.extraction.schema import ExtractedEntry, Quote, StatusAt
from memory_assets.extraction.status_history import MOST_STEPS, changes, joined_history
from memory_assets.vocabulary import EntryType, TaskStatus

MESSAGES = [
    "We keep the log for ever, because disks are cheap.",
    "Fix the flaky sensor test please.",
    "As I said: keep the log!",
    "Fixed the flaky sensor test.",
]
ALIGNER = Aligner()


def item(title: str, *quotes: tuple[int, str], kind: EntryType = "decision", status: TaskStatus | None = None) -> AlignedEntry:
    entry = ExtractedEntry(kind, title, tuple(Quote(index, quote) for index, quote in quotes), status=status)
    return align_entry(ALIGNER, MESSAGES, entry)


def test_the_same_span_is_the_same_memory() -> None:
    (merged,) = merge_entries([
        item("Keep the log", (0, "We keep the log for ever")),
        item("The log is kept", (0, "We keep the log for ever,"), (0, "disks are cheap")),
    ])  # fmt: skip
    assert merged.entry.title == "Keep the log"
    assert [q.quote for q in merged.entry.evidence] == [
        "We keep the log for ever",
        "We keep the log for ever,",
        "disks are cheap",
    ]
    assert len(merged.evidence) == 3 and merged.aligned


def test_the_same_title_is_the_same_memory() -> None:
    (merged,) = merge_entries([item("Keep the log", (0, "We keep the log")), item("keep  the LOG!", (2, "keep the log!"))])
    assert [q.message_index for q in merged.entry.evidence] == [0, 2]


def test_other_types_and_short_titles_stay_apart() -> None:
    apart = [
        item("Keep the log", (0, "We keep the log")),
        item("Keep the log", (0, "We keep the log"), kind="fact"),
        item("fixed", (1, "Fix the flaky")),
        item("fixed", (3, "Fixed the flaky")),
    ]
    assert merge_entries(apart) == apart


def test_a_task_takes_the_later_status() -> None:
    asked = item("Fix the flaky sensor test", (1, "Fix the flaky sensor test"), kind="task", status="pending")
    done = item("fix the flaky sensor test.", (3, "Fixed the flaky sensor test"), kind="task", status="done")
    assert merge_entries([asked, done])[0].entry.status == "done"
    assert merge_entries([done, asked])[0].entry.status == "done"


def steps(merged: AlignedEntry) -> list[tuple[str, int]]:
    return [(step.status, step.message_index) for step in merged.entry.history]


def test_statuses_that_are_joined_are_kept_with_their_messages() -> None:
    asked = item("Fix the flaky sensor test", (1, "Fix the flaky sensor test"), kind="task", status="pending")
    done = item("fix the flaky sensor test.", (3, "Fixed the flaky sensor test"), kind="task", status="done")
    for one, other in ((asked, done), (done, asked)):
        (merged,) = merge_entries([one, other])
        assert steps(merged) == [("pending", 1), ("done", 3)]
        assert {quote.message_index for quote in merged.entry.evidence} == {1, 3}
        assert merge_entries([merged, merged, one]) == [merged]
    (same,) = merge_entries([asked, replace(done, entry=replace(done.entry, status="pending"))])
    assert (same.entry.status, same.entry.history) == ("pending", ())
    # A list that is repeated after the end opens nothing again; work that goes on does.
    late = item("Fix the flaky sensor test", (3, "Fixed the flaky sensor test"), kind="task", status="pending")
    early = item("Fix the flaky sensor test", (1, "Fix the flaky sensor test"), kind="task", status="done")
    assert [(m.entry.status, m.entry.history) for m in merge_entries([early, late])] == [("done", ())]
    going = replace(late, entry=replace(late.entry, status="in_progress"))
    assert steps(merge_entries([early, going])[0]) == [("done", 1), ("in_progress", 3)]


def test_a_decision_takes_no_status_of_a_task() -> None:
    decided = item("Keep the log", (0, "We keep the log for ever"))
    (merged,) = merge_entries([decided, item("Log", (0, "We keep the log for ever"), kind="task", status="done")])
    assert (merged.entry.entry_type, merged.entry.status, merged.entry.history) == ("decision", None, ())


def test_what_a_reply_decides_and_asks_for_stays_two() -> None:
    quotes = ((0, "We keep the log for ever"), (0, "disks are cheap"))
    decided, asked = item("Keep the log", *quotes), item("Keep the log", *quotes, kind="task", status="done")
    assert decided.aligned and [entry.entry.entry_type for entry in merge_entries([decided, asked])] == ["decision", "task"]


STATUSES: st.SearchStrategy[TaskStatus] = st.sampled_from(["pending", "in_progress", "blocked", "done", "cancelled"])
HISTORIES = st.lists(st.tuples(STATUSES, st.integers(0, 60)), min_size=1, max_size=14)


def told(history: list[tuple[TaskStatus, int]]) -> ExtractedEntry:
    at = sorted({index: StatusAt(status, index) for status, index in history}.values(), key=lambda step: step.message_index)
    kept = changes(at)
    return ExtractedEntry("task", "t", (Quote(at[0].message_index, "q"),), status=at[-1].status, history=kept)


@given(HISTORIES, HISTORIES)
def test_any_two_histories_are_one_in_order(one: list[tuple[TaskStatus, int]], other: list[tuple[TaskStatus, int]]) -> None:
    first, second = told(one), told(other)
    joined = joined_history(first, first.evidence[0].message_index, second, second.evidence[0].message_index)
    kept = changes(joined)
    assert joined and len(kept) <= MOST_STEPS and len(kept) != 1
    assert not kept or kept[-1] == joined[-1]
    for before, after in pairwise(kept):
        assert before.status != after.status and before.message_index <= after.message_index
    again = joined_history(first, first.evidence[0].message_index, first, first.evidence[0].message_index)
    assert changes(again) == first.history


def test_an_entry_that_is_not_aligned_stays_visible() -> None:
    good = item("Keep the log", (0, "We keep the log"))
    bad = item("Keep the log", (0, "We keep the log"), (0, "an invented sentence"))
    assert merge_entries([good, bad]) == [good, bad]
    assert merge_entries([bad, good]) == [bad, good]


def test_merging_is_idempotent() -> None:
    once = merge_entries([item("Keep the log", (0, "We keep the log")), item("keep the log", (2, "keep the log!"))])
    assert merge_entries(once) == once
    assert merge_entries([*once, *once]) == once


def test_a_text_that_is_quoted_already_is_no_second_memory() -> None:
    first = item("Keep the log", (0, "We keep the log for ever"), (1, "Fix the flaky sensor test"))
    again = item("The sensor test is flaky", (1, "Fix the flaky sensor test please."), kind="task", status="pending")
    same = item("Flaky", (1, "Fix the flaky sensor test"), kind="task", status="pending")
    assert merge_entries([first, again]) == [first, again]
    assert [len(merged.evidence) for merged in merge_entries([first, same])] == [2]


def test_short_korean_titles_stand_for_their_entries() -> None:
    texts = ["테스트 실행", "네, 테스트 실행"]
    statuses: tuple[TaskStatus, ...] = ("pending", "done")
    one, two = (
        align_entry(ALIGNER, texts, ExtractedEntry("task", "테스트 실행", (Quote(n, "테스트 실행"),), status=status))
        for n, status in enumerate(statuses)
    )
    (merged,) = merge_entries([one, two])
    assert merged.entry.status == "done"


def says(*texts: str, titled: bool = True) -> list[AlignedEntry]:
    """One entry for each message, titled or only quoted with its whole text."""
    found = []
    for index, text in enumerate(texts):
        title = text if titled else f"Something of message number {index}"
        found.append(align_entry(ALIGNER, texts, ExtractedEntry("fact", title, (Quote(index, text),))))
    return found


OTHER_FACTS = [
    ("C++", "C"),
    ("1.5 seconds", "15 seconds"),
    ("x > 5", "x < 5"),
    ("-5", "5"),
    ("50%", "50"),
    ("1.2.3", "12.3"),
    ("--force", "force"),
    ("-f", "f"),
    ("!enabled", "enabled"),
    ("1.5시간", "15시간"),
    ("10²", "102"),
    ("C#", "C"),
    ("src/app.py", "srcapp.py"),
    ("1 5", "15"),
]


@pytest.mark.parametrize("titled", [True, False])
@pytest.mark.parametrize(("one", "other"), [*OTHER_FACTS, *(pair[::-1] for pair in OTHER_FACTS)])
def test_what_is_no_letter_may_be_the_fact(one: str, other: str, titled: bool) -> None:
    said = says(
        f"The reader is now told about {one} in its settings",
        f"The reader is now told about {other} in its settings",
        titled=titled,
    )
    assert merge_entries(said) == said
    said = says(f"{one} settings of the reader", f"{other} settings of the reader", titled=titled)
    assert merge_entries(said) == said


@pytest.mark.parametrize("titled", [True, False])
@pytest.mark.parametrize(
    "other",
    [
        "the READER waits 1.5 seconds, then tries again",
        "The reader  waits 1.5 seconds, then tries again!",
        "“The reader” waits 1.5 seconds, then tries again…",
        "'The reader' waits **1.5 seconds** then tries again.",
        "- The reader waits 1.5 seconds; then tries again",
        "The reader waits `1.5` seconds – then tries again.",
        "The Reader waits 1.5seconds, then tries again",
        "Ｔhe reader waits 1.5 seconds, then tries again",
    ],
)
def test_how_it_is_written_is_no_difference(other: str, titled: bool) -> None:
    one = "The reader waits 1.5 seconds, then tries again."
    assert len(merge_entries(says(one, other, titled=titled))) == 1
    assert len(merge_entries(says(other, one, titled=titled))) == 1


def test_entries_that_share_their_rare_words_are_one() -> None:
    texts = [
        "The outbox worker holds the writer lock while the embedder loads.",
        "So the embedder loads while the outbox worker holds the lock of the writer.",
        "The outbox worker never holds the writer lock while the embedder loads.",
        "Dagster keeps its runs in SQLite.",
    ]
    aligner = Aligner()
    found = [
        align_entry(aligner, texts, ExtractedEntry(kind, text, (Quote(index, text),)))
        for index, (text, kind) in enumerate(zip(texts, ("insight", "fact", "fact", "fact"), strict=True))
    ]
    merged = merge_entries(found)
    assert [[quote.message_index for quote in item.entry.evidence] for item in merged] == [[0, 1], [2], [3]]
    assert merge_entries(merged) == merged


def test_two_tasks_stay_two() -> None:
    tasks = [
        item("Fix the flaky sensor test please.", (1, "Fix the flaky sensor test please."), kind="task"),
        item("Fixed the flaky sensor test.", (3, "Fixed the flaky sensor test."), kind="task"),
    ]
    assert merge_entries(tasks) == tasks
