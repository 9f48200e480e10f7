"""What entries claim of tasks, and the artifacts that they name."""

from datetime import timedelta

import pytest

from memory_assets.log.database import Database
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.entries import EntriesMaterialized, EntryMaterialized
from memory_assets.projections.task_tables.artifact_references import NAMES_SOMETHING
from memory_assets.tasks.references import references_in
from memory_assets_tests.projections.claimed import Claims, claim, tell, with_history
from memory_assets_tests.projections.people import resolved
from memory_assets_tests.projections.story import STARTED, Remark, Story


@pytest.fixture
def claims(database: Database) -> Claims:
    return Claims(database)


def test_an_entry_claims_what_it_says(claims: Claims) -> None:
    blocked = claim("[ ] TODO: Fix the login", status="blocked", blocked_by=("the design review", "PR #12"), critical=True)
    _, events = tell("a", 0, blocked, claim("배포하기"), claim("???"), Remark("Keep it simple", 0))
    claims.fold(events)
    rows = claims.rows(
        """SELECT name, title, status, blocked_by, blocker_names, evidence_aligned, sound, project_key, stage, evidence_ordinal,
             occurred_at, step, claim_id = entry_id FROM task_claims ORDER BY ordinal"""
    )
    assert rows[0][:5] == (
        "fix the login",
        "Fix the login",
        "blocked",
        ["the design review", "PR #12"],
        ["the design review", ""],
    )
    assert rows[0][5:] == (True, False, "hourglass", "verified", 0, STARTED.replace(tzinfo=None), 0, True)
    assert rows[1][6] is True and rows[1][0].startswith("배포")
    # A title without a letter is a task all the same.
    assert len(rows) == 3 and rows[2][0] and rows[2][1] == "???"


def test_what_was_quoted_from_nowhere_or_set_aside_claims_nothing(claims: Claims) -> None:
    _, told = tell("a", 0, claim("Fix the login", status="done"))
    _, more = tell("b", 1, claim("Fix the login", status="cancelled"), claim("Nobody said this", quoted=False))
    claims.fold([*told, *more])
    conflicts = claims.rows("SELECT conflict_id, older_entries, newer_entries FROM conflicts")
    assert claims.rows("SELECT title, contested FROM task_claims ORDER BY occurred_at") == [
        ("Fix the login", bool(conflicts)),
        ("Fix the login", bool(conflicts)),
    ]
    ((conflict_id, older, newer),) = conflicts
    touched = claims.fold([resolved(conflict_id, older, newer, "keep_newer")])
    assert claims.rows("SELECT session_id, contested FROM task_claims") == [("b", False)]
    assert [name for one in touched for _, name in one.names] == ["fix the login"]


def test_a_todo_list_claims_each_status_that_a_quote_carries(claims: Claims) -> None:
    story = Story("a")
    texts = ["1. fix the login (pending)", "something else", "fix the login (in progress)", "fix the login (done)"]
    remark = claim("fix the login", status="done", priority="high", blocked_by=("the review",))
    events = with_history(
        story.tell(texts, [remark]),
        "fix the login",
        [("pending", 0), ("blocked", 1), ("in_progress", 2), ("done", 3)],
        [(0, texts[0]), (2, texts[2]), (3, texts[3])],
    )
    claims.fold(events)
    rows = claims.rows(
        """SELECT claim_id, status, priority, blocked_by, message_index, step, evidence_ordinal, occurred_at
           FROM task_claims ORDER BY step"""
    )
    entry_id = story.entry_id(remark)
    times = [row[0] for row in claims.rows("SELECT ts FROM messages ORDER BY message_index")]
    assert rows == [
        (entry_id, "pending", "high", ["the review"], 0, 0, 0, times[0]),
        (f"{entry_id}#1", "in_progress", None, [], 2, 1, 1, times[2]),
        (f"{entry_id}#2", "done", None, [], 3, 2, 2, times[3]),
    ]


def test_a_history_that_no_quote_carries_claims_once(claims: Claims) -> None:
    story = Story("a")
    texts = ["fix the login", "fix the login"]
    events = with_history(
        story.tell(texts, [claim("fix the login", status="done")]), "fix the login", [("pending", 1)], [(0, texts[0])]
    )
    claims.fold(events)
    assert claims.rows("SELECT status, message_index, step FROM task_claims") == [("done", 0, 0)]


def test_a_session_that_grows_touches_what_is_new_in_it(claims: Claims) -> None:
    story = Story("a")
    texts = ["Fix the login", "Write the docs", "Rotate the keys"]
    remarks = [Remark(text, index, "task") for index, text in enumerate(texts)]
    before = story.tell(texts[:2], remarks[:2])
    claims.fold(before)
    touched = claims.fold(_without_what_was_said(story.tell(texts, remarks), before))
    assert [one.names for one in touched] == [frozenset({("hourglass", "rotate the keys")})]
    assert len(claims.rows("SELECT * FROM task_claims")) == 3


def _without_what_was_said(events: list[NewEvent], before: list[NewEvent]) -> list[NewEvent]:
    """An entry's content is its identity: a later revision names the events of those that it still has."""
    known = {event.payload.entry_id: event.event_id for event in before if isinstance(event.payload, EntryMaterialized)}
    entries = {event.event_id: event.payload.entry_id for event in events if isinstance(event.payload, EntryMaterialized)}
    for event in events:
        if isinstance(event.payload, EntriesMaterialized):
            event.payload.entries[:] = [known.get(entries[name], name) for name in event.payload.entries]
    return [event for event in events if entries.get(event.event_id) not in known]


def test_quotes_name_artifacts_where_they_stand(claims: Claims) -> None:
    story = Story("a", started=STARTED)
    text = "나는 PR #12가 머지되면 src/app.py 를 고친다. See https://example.org/a?b=1"
    claims.fold(story.tell([text, "Nothing here"], [Remark("A decision", 0), Remark("Another", 1)]))
    rows = claims.rows("SELECT artifact_kind, raw, span_start, span_end, match_method, message_index FROM artifact_references")
    assert {row[0] for row in rows} == {"gh_pr", "file", "url"}
    for _, raw, start, end, method, index in rows:
        assert text[start:end] == raw and method == "exact" and index == 0


def test_titles_and_blockers_name_artifacts_too(claims: Claims) -> None:
    story = Story("a")
    texts = ["We wait, see #7 first.", "Both are merged.", "Merge them"]
    claims.fold(
        story.tell(
            texts,
            [
                Remark("Ship it", 0, "task", status="blocked", blocked_by=("#7", "PR #8")),
                Remark("Merge PR #9", 2, "task", status="done"),
                Remark("Look at PR #10", 1, "task", status="done"),
            ],
        )
    )
    rows = claims.rows(
        "SELECT canonical_key, is_blocker, settles, span_start, span_end, match_method FROM artifact_references ORDER BY 1"
    )
    found = {key.rpartition(":")[2]: row for key, *row in rows}
    place = texts[0].index("#7")
    assert found["7"] == [True, False, place, place + 2, "exact"]
    assert found["8"] == [True, False, None, None, "title"]
    assert found["9"] == [False, True, None, None, "title"]
    assert found["10"][1] is False


def test_a_quote_in_parts_names_nothing_that_it_leaves_out(claims: Claims) -> None:
    story = Story("a")
    text = "see PR #12 but first PR #13 and PR #14"
    events = story.tell([text], [Remark("Order", 0)])
    first, last = text.index("PR #12") + 6, text.index("PR #14")
    for event in events:
        if event.event_type == "entry_materialized":
            event.payload.evidence[0].segments[:] = [(0, first), (last, len(text))]  # type: ignore[attr-defined]
    claims.fold(events)
    assert claims.rows("SELECT raw, span_start FROM artifact_references ORDER BY place") == [("PR #12", 4), ("PR #14", last)]


def test_artifacts_go_with_the_sessions_that_name_them(claims: Claims) -> None:
    one, told = tell("a", 0, Remark("See PR #12", 0))
    _, more = tell("b", 1, Remark("See PR #12 and PR #13", 0))
    claims.fold([*told, *more])
    claims.fold([one.forget()])
    assert claims.rows("SELECT session_id, raw FROM artifact_references ORDER BY place") == [("b", "PR #12"), ("b", "PR #13")]


@pytest.mark.parametrize(
    "text",
    [
        "PR 12", "PR #12", "#12", "owner/repo#3", "https://github.com/o/r/pull/4", "PROJ-12", "src/app.py", "설정.yaml",
        "commit 1a2b3c4d", "12번 PR", "https://example.org", "notes.md", "이슈 7번",
    ],
)  # fmt: skip
def test_no_quote_that_names_something_is_passed_over(claims: Claims, text: str) -> None:
    assert references_in(text, "p", is_blocker=True)
    assert claims.rows("SELECT regexp_matches(?, ?)", text, NAMES_SOMETHING) == [(True,)]


def test_times_are_the_sessions_own(claims: Claims) -> None:
    _, events = tell("a", 3, claim("Fix the login"), claim("Write the docs"))
    claims.fold(events)
    start = (STARTED + timedelta(days=3)).replace(tzinfo=None)
    assert [row[0] for row in claims.rows("SELECT occurred_at FROM task_claims ORDER BY ordinal")] == [
        start,
        start + timedelta(seconds=1),
    ]
