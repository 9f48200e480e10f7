"""What a session, a day and a project were about: every line is a quote, and stands where it says."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_assets.commands.conflicts import resolve_conflict
from memory_assets.commands.tasks import new_task, set_status
from memory_assets.configuration import Resources
from memory_assets.errors import AmbiguousIdError, NotFoundError
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.memory import Memory
from memory_assets.projections.fold import catch_up
from memory_assets.queries.conflicts import list_conflicts
from memory_assets.queries.day_digest import first_of_each_session
from memory_assets.queries.session_digest import first_of_each, session_digests
from memory_assets.results.digest import DigestQuoteV1
from memory_assets.results.model import WireModel
from memory_assets.results.shown import ShownSpan
from memory_assets.sessions.model import Message
from memory_assets_tests.filled_store import STARTED, Said, fill, tell, tell_titles
from memory_assets_tests.filled_store import test_settings as settings_of
from memory_assets_tests.queries.tool_talk import MESSAGES, fill_with_tools, tell_messages

EXPORT = "Move the export into a background job"
OLD, NEW = "The API listens on port 8080", "The API listens on port 9090"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(settings_of(tmp_path / "home"))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """The small filled store; to be read only."""
    return Memory(fill(tmp_path_factory.mktemp("shop")))


def quotes_in(value: Any) -> Iterator[DigestQuoteV1]:
    """Every quote of a digest, wherever it stands."""
    if isinstance(value, DigestQuoteV1):
        yield value
    elif isinstance(value, WireModel):
        for name in type(value).model_fields:
            yield from quotes_in(getattr(value, name))
    elif isinstance(value, tuple):
        for item in value:
            yield from quotes_in(item)


def check_quotes(memory: Memory, digest: WireModel) -> int:
    """That each quote stands where it says, character for character; how many there are."""
    found = list(quotes_in(digest))
    for quote in found:
        shown = memory.resolve(quote.uri)
        assert isinstance(shown, ShownSpan) and shown.text == quote.text, quote
    return len(found)


# -- a session ---------------------------------------------------------------------------------------------------------


def test_a_session_says_what_was_asked_decided_and_left_open(shop: Memory) -> None:
    digest = shop.session_digest("shop")
    assert (digest.session.session_id, digest.session.title, digest.session.messages) == ("shop-1", "결제 서버 장애", 4)
    assert digest.goal is not None and digest.goal.text == "결제 서버가 자꾸 죽어요. 원인을 찾아 주세요."
    redis, postgres = digest.decided
    assert redis.id is not None and redis.id.startswith("mem:") and redis.assurance == "held"
    # The title is no part of the quote: both are told. Its second quote says why.
    assert redis.text == "캐시를 Redis로 옮긴다" and redis.quote is not None
    assert redis.quote.text == "우리는 캐시를 Redis로 옮기기로 했다."
    assert [reason.text for reason in redis.because] == ["이유는 재시작이 빠르기 때문이다."]
    # What holds its title is told once, in its own words; a second session says it too.
    assert postgres.text == postgres.quote.text == "We decided to keep PostgreSQL 16 for orders."  # type: ignore[union-attr]
    assert postgres.assurance == "confirmed" and postgres.checker == "embedded 1"
    (task,) = digest.open
    assert task.kind == "task" and task.id is not None and task.id.startswith("tsk_") and task.status == "pending"
    # What stands nowhere in the session is nothing that it says.
    assert "Nobody said this" not in digest.model_dump_json()
    assert check_quotes(shop, digest) >= 5


def test_it_counts_what_it_has_and_says_so_where_it_is_cut(shop: Memory) -> None:
    digest = shop.session_digest("shop-1")
    for part in ("decided", "done", "files", "commits", "failed", "open", "noted"):
        assert getattr(digest.counts, part) == len(getattr(digest, part)), part
    first = first_of_each(digest, 1)
    assert len(first.decided) == 1 and first.counts == digest.counts and first_of_each(digest, None) == digest


def test_many_sessions_are_told_as_each_alone(shop: Memory) -> None:
    together = shop.read(session_digests, ["notes-2", "shop-1", "nobody"])
    assert list(together) == ["notes-2", "shop-1"]
    assert together == {name: shop.session_digest(name) for name in together}
    assert shop.read(session_digests, []) == {}


def test_what_was_done_names_files_and_what_ended_an_error(tmp_path: Path) -> None:
    memory = Memory(fill_with_tools(tmp_path))
    digest = memory.session_digest("tools-1")
    # An edit that failed changed nothing; the one that worked is counted, at the place of its path.
    (file,) = digest.files
    assert (file.path, file.times, file.quote.text) == ("src/shop/app.py", 1, "src/shop/app.py")
    assert file.quote.uri.startswith("session:tools-1#m=5&")
    (failure,) = digest.failed
    assert failure.id.startswith("unt_") and "ModuleNotFoundError" in failure.error.text and failure.mended
    assert digest.goal is not None and digest.goal.text.startswith("The build of `src/shop/app.py` fails")
    assert digest.ended is not None and digest.ended.uri.startswith("session:tools-1#m=9&")
    check_quotes(memory, digest)


def test_a_commit_is_what_the_terminal_shows_of_one(memory: Memory) -> None:
    shown = (
        Message("c0", "user", "said", "Commit it, please."),
        Message("c1", "assistant", "tool_call", '{"command":"git commit"}', tool_name="Bash", tool_use_id="c"),
        Message(
            "c2",
            "tool",
            "tool_result",
            "hooks ran\n[fix/utc 1a2b3c4] 모든 시각을 UTC로 저장한다\n 2 files changed, 3 insertions(+)\n",
            tool_use_id="c",
        ),
        Message("c3", "tool", "tool_result", "[detached HEAD 9a8b7c6] Again\n Date: today\n 1 file changed", tool_use_id="d"),
        # A log line, a commit that failed, and what somebody says of one are none.
        Message("c4", "tool", "tool_result", "[worker abcdef1] 3 rows changed\n", tool_use_id="e"),
        Message("c5", "tool", "tool_result", "[x 1111111] y\n 1 file changed", tool_use_id="f", is_error=True),
        Message("c6", "assistant", "said", "[main 2222222] z\n 1 file changed"),
    )
    tell_messages(memory.settings, "commits-1", shown)
    digest = memory.session_digest("commits-1")
    assert [(commit.commit, commit.subject) for commit in digest.commits] == [
        ("1a2b3c4", "모든 시각을 UTC로 저장한다"),
        ("9a8b7c6", "Again"),
    ]
    check_quotes(memory, digest)


@pytest.mark.long
def test_a_task_is_done_where_its_session_says_so_and_gone_once_it_is_closed_elsewhere(memory: Memory) -> None:
    talk = (("user", f"{EXPORT}."), ("assistant", "Added the byte order mark to the file."), ("user", "Call the accountant."))
    said = (
        Said("task", EXPORT, ((0, f"{EXPORT}."),), status="pending"),
        Said("task", "Add the byte order mark to the file", ((1, "Added the byte order mark to the file."),), status="done"),
        Said("task", "Call the accountant", ((2, "Call the accountant."),), status="pending"),
    )
    tell(memory.settings, "tasks-1", talk, said)
    digest = memory.session_digest("tasks-1")
    (done,) = digest.done
    assert done.status in ("done", "said_done") and done.quote is not None and "byte order mark" in done.quote.text
    assert {line.text for line in digest.open} == {f"{EXPORT}.", "Call the accountant."}
    (export,) = [line for line in digest.open if line.text.startswith("Move")]
    set_status(memory.resources, str(export.id), "in_progress", by="kim")
    set_status(memory.resources, str(export.id), "done", by="kim")
    later = memory.session_digest("tasks-1")
    assert [line.text for line in later.open] == ["Call the accountant."] and later.counts.closed_since == 1


def test_what_a_session_itself_drops_it_did_not_leave_open(memory: Memory) -> None:
    for name, text, status in (
        ("asked-1", "Call the accountant.", "pending"),
        ("dropped-1", "We drop the call of the accountant.", "cancelled"),
    ):
        tell(memory.settings, name, (("user", text),), (Said("task", "Call the accountant", ((0, text),), status=status),))
    left, dropped = (memory.session_digest(name) for name in ("asked-1", "dropped-1"))
    assert (left.open, left.counts.closed_since) == ((), 1)
    assert (dropped.open, dropped.counts.closed_since) == ((), 0)


def test_a_report_that_says_little_is_told_with_what_stands_below_it(memory: Memory) -> None:
    telling = "Moved the export into a background job, which the queue starts again whenever it fails."
    reports = (
        "All of it is done:\n\n## Changes\n\n- `export.py` runs in the queue\n- The button asks first\n\n"
        + f"Then there are the notes{', which say who does what' * 9}.",
        "수정을 완료했습니다.\n\n```\n2 files changed\n```\n\n다음은 내역입니다.",
        f"{telling} The rest is as before.",
        "Renamed the job.\n\nOne question:\n\nShall I push it?",
    )
    asked = ("Move the export into a job", "버튼을 고쳐 주세요", "Start it again when it fails", "Rename the job")
    quotes = ("All of it is done:", "수정을 완료했습니다.", telling, "Renamed the job.")
    talk = tuple(said for pair in zip(asked, reports, strict=True) for said in (("user", pair[0]), ("assistant", pair[1])))
    said = tuple(
        Said("task", title, ((2 * number + 1, quote),), status="done")
        for number, (title, quote) in enumerate(zip(asked, quotes, strict=True))
    )
    noted = Said("fact", "The button asks first", ((1, "The button asks first"),))
    wanted = Said("preference", "The button asks first", ((1, "The button asks first"),))
    tell(memory.settings, "reports-1", talk, (*said, noted))
    tell(memory.settings, "reports-2", talk, (*said, wanted))
    digest = memory.session_digest("reports-1")
    assert [line.quote.text for line in digest.done if line.quote] == [
        "All of it is done:\n\n## Changes\n\n- `export.py` runs in the queue\n- The button asks first",
        "수정을 완료했습니다.",
        telling,
        "Renamed the job.",
    ]
    # What stands in a report that is told is not told again, nor is the report as how it ended.
    assert digest.noted == () and digest.ended is None
    # What a person prefers is told for itself.
    assert [line.kind for line in memory.session_digest("reports-2").noted] == ["preference"]
    check_quotes(memory, digest)


def test_two_tasks_that_end_with_one_report_keep_their_names(memory: Memory) -> None:
    titles = ("Move the export", "Fix the button")
    talk = (("user", "Do both."), ("assistant", "All of it is done:\n\n- Move the export\n- Fix the button"))
    tell(
        memory.settings, "both-1", talk, tuple(Said("task", one, ((1, "All of it is done:"),), status="done") for one in titles)
    )
    assert {line.text for line in memory.session_digest("both-1").done} == set(titles)


def test_a_session_ends_with_the_plan_that_a_person_turned_down_and_said_no_more(memory: Memory) -> None:
    refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, ...)."
    talk = (
        Message("p0", "user", "said", "Plan how the shop closes on Sundays."),
        Message("p1", "assistant", "said", "I looked at the shop and wrote a plan for it, which follows."),
        Message("p2", "assistant", "tool_call", '{"plan":"# Close on Sundays"}', tool_name="ExitPlanMode", tool_use_id="p"),
        Message("p3", "tool", "tool_result", refusal, tool_use_id="p", is_error=True),
    )
    tell_messages(memory.settings, "plan-1", talk)
    digest = memory.session_digest("plan-1")
    assert digest.ended is not None and digest.ended.text == "The user doesn't want to proceed with this tool use"
    assert digest.ended.uri.startswith("session:plan-1#m=3&")
    check_quotes(memory, digest)
    # Whoever says a word behind it has the last one.
    tell_messages(memory.settings, "plan-2", (*talk, Message("p4", "assistant", "said", "The plan stays a plan, then.")))
    ended = memory.session_digest("plan-2").ended
    assert ended is None or "want to proceed" not in ended.text


def test_what_ended_an_error_is_not_told_a_second_time(memory: Memory) -> None:
    cause = "The root cause is that the module is not installed in the image that runs the shop."
    mended = (*MESSAGES[:3], Message("u2b", "assistant", "said", cause), *MESSAGES[3:])
    tell_messages(memory.settings, "mended-1", mended)
    digest = memory.session_digest("mended-1")
    (failure,) = digest.failed
    assert [quote.text for quote in failure.mended][:1] == [cause]
    assert cause not in [line.text for line in digest.noted]


def test_a_slip_that_the_next_edit_ended_is_none_of_what_was_mended(memory: Memory) -> None:
    slip = './hooks.go:7:2: "io" imported and not used'
    failed = Message("u2", "tool", "tool_result", slip, tool_use_id="t1", is_error=True)
    talk = (*MESSAGES[:2], failed, *MESSAGES[3:])
    assert talk[1].tool_use_id == "t1"
    tell_messages(memory.settings, "slip-1", talk)
    assert memory.session_digest("slip-1").failed == ()
    cause = "The root cause is that hooks.go no longer copies the body, so the build fails on `io`."
    tell_messages(memory.settings, "slip-2", (*talk[:3], Message("u2b", "assistant", "said", cause), *talk[3:]))
    (failure,) = memory.session_digest("slip-2").failed
    assert (failure.error.text, failure.mended[0].text) == (slip, cause)


def test_what_was_found_in_the_end_comes_before_what_was_supposed(memory: Memory) -> None:
    said = (
        "The token usually means trouble with the registry.",
        "The registry keeps the name of the calling workflow.",
        "Perhaps the registry knows two names.",
        "The root cause is that the registry sees another workflow.",
        "The list of tests names the registry twice.",
    )
    tell(
        memory.settings,
        "found-1",
        tuple(("assistant", text) for text in said),
        tuple(Said("insight", text, ((place, text),)) for place, text in enumerate(said)),
    )
    noted = [line.text for line in memory.session_digest("found-1").noted]
    assert noted == [said[3], said[4], said[1], said[2], said[0]]
    shown = first_of_each(memory.session_digest("found-1"), 1)
    assert [line.text for line in shown.noted] == [said[3]] and shown.counts.noted == 5


@pytest.mark.long
def test_the_beginning_of_two_ids_names_neither(memory: Memory) -> None:
    tell_titles(memory.settings, "week-1", OLD)
    tell_titles(memory.settings, "week-2", "Keep the logs", days=1)
    with pytest.raises(AmbiguousIdError):
        memory.session_digest("week")
    assert memory.session_digest("week-2").session.session_id == "week-2"


def test_what_was_asked_first_is_told_as_far_as_it_is_short(memory: Memory) -> None:
    asked = "The weekly report is wrong. Mondays land in the week before. " + "Look at it. " * 30
    ended = "All of it is done, and one thing is left:\n\n- The notes in the README are still to be written."
    tell(memory.settings, "long-1", (("user", asked), ("assistant", "I look at it."), ("assistant", ended)), ())
    digest = memory.session_digest("long-1")
    assert digest.goal is not None and digest.goal.text.startswith("The weekly report is wrong. Mondays land")
    assert len(digest.goal.text) <= 240 and digest.goal.text.endswith("Look at it.")
    # What a colon announces belongs to it.
    assert digest.ended is not None and digest.ended.text == ended
    check_quotes(memory, digest)


def test_ids_that_name_no_session(shop: Memory) -> None:
    with pytest.raises(NotFoundError) as unknown:
        shop.session_digest("nobody")
    assert "memory sessions list" in unknown.value.hint
    with pytest.raises(NotFoundError) as unread:
        shop.session_digest("odd-3")
    assert "memory run odd-3" in unread.value.hint


@pytest.mark.long
def test_a_forgotten_session_has_no_digest(memory: Memory) -> None:
    tell_titles(memory.settings, "a", OLD)
    tell_titles(memory.settings, "b", "Keep the logs", days=1)
    EventLog(memory.database).append([NewEvent(SessionForgotten(reason="asked"), session_id="a", inputs=("1",))])
    catch_up(memory.database, Resources(memory.settings).configured_versions, resolve=True)
    with pytest.raises(NotFoundError):
        memory.session_digest("a")
    assert "8080" not in memory.project_digest("shop").model_dump_json()
    assert memory.day_digest(STARTED.date()).sessions == ()


# -- a day -------------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_day_tells_what_was_said_on_it_and_no_more(memory: Memory) -> None:
    midnight = datetime(2025, 6, 2, tzinfo=UTC)
    tell(
        memory.settings,
        "over-midnight",
        (("user", "Let us settle the port."), ("user", OLD), ("user", "Keep the logs")),
        (Said("decision", OLD, ((1, OLD),)), Said("decision", "Keep the logs", ((2, "Keep the logs"),))),
        midnight - timedelta(minutes=2),
    )
    tell(memory.settings, "other-day", (("user", "Hello there, again"),), (), midnight + timedelta(days=3))
    before, after = memory.day_digest(date(2025, 6, 1)), memory.day_digest(date(2025, 6, 2))
    assert [line.text for one in before.sessions for line in one.decided] == [OLD]
    assert [line.text for one in after.sessions for line in one.decided] == ["Keep the logs"]
    assert (before.counts.decided, after.counts.decided) == (1, 1)
    # Without what was asked first nothing of the second day is understood.
    assert after.sessions[0].goal == before.sessions[0].goal is not None
    assert memory.day_digest(date(2025, 6, 4)).sessions == ()
    assert [one.session.session_id for one in memory.day_digest(date(2025, 6, 5)).sessions] == ["other-day"]
    assert memory.day_digest(date(2025, 6, 1), project="elsewhere").sessions == ()
    check_quotes(memory, before)


def test_what_two_sessions_of_a_day_say_alike_counts_once(memory: Memory) -> None:
    for session in ("a", "b"):
        tell(memory.settings, session, (("user", OLD),), (Said("decision", OLD, ((0, OLD),)),))
    digest = memory.day_digest(STARTED.date())
    assert [len(one.decided) for one in digest.sessions] == [1, 1] and digest.counts.decided == 1
    assert first_of_each_session(digest, 1).counts == digest.counts


# -- a project ---------------------------------------------------------------------------------------------------------


def test_a_project_says_what_holds_with_the_confirmed_first(shop: Memory) -> None:
    digest = shop.project_digest("shop")
    assert [line.assurance for line in digest.holds if line.kind == "decision"] == ["confirmed", "held"]
    assert digest.counts.holds == len(digest.holds) == sum(digest.counts.holds_by_type.values())
    assert digest.counts.sessions == 2 and [one.session.session_id for one in digest.recent_sessions] == ["notes-2", "shop-1"]
    assert [line.kind for line in digest.open] == ["task"] and digest.moved[0].to_status == "pending"
    assert "Nobody said this" not in digest.model_dump_json()
    assert check_quotes(shop, digest) >= 5
    first = shop.project_digest("shop", most=1)
    assert [line.kind for line in first.holds] == list(digest.counts.holds_by_type) and first.counts == digest.counts
    assert all(one in digest.holds for one in first.holds) and first.open == digest.open[:1] and first.moved == digest.moved[:1]
    assert first.recent_sessions == digest.recent_sessions[:1]


def test_lately_ends_where_the_project_was_left(memory: Memory) -> None:
    tell_titles(memory.settings, "a", OLD)
    tell_titles(memory.settings, "b", "Keep the logs", days=30)
    assert [one.session.session_id for one in memory.project_digest("shop").recent_sessions] == ["b"]
    assert [one.session.session_id for one in memory.project_digest("shop", days=40).recent_sessions] == ["b", "a"]


@pytest.mark.long
def test_a_project_says_what_is_contested_and_what_was_set_aside(memory: Memory) -> None:
    tell_titles(memory.settings, "a", OLD)
    tell_titles(memory.settings, "b", NEW, days=1)
    digest = memory.project_digest("shop")
    (conflict,) = digest.contested
    assert (conflict.older.text, conflict.newer.text) == (OLD, NEW) and conflict.older.assurance == "quoted"
    assert digest.holds == () and check_quotes(memory, digest) >= 2
    none = memory.project_digest("shop", most=0)
    assert (none.contested, none.counts) == ((), digest.counts)
    (found,) = memory.read(list_conflicts)
    resolve_conflict(memory.resources, found.conflict_id, "keep_newer", by="kim")
    settled = memory.project_digest("shop")
    assert [line.text for line in settled.holds] == [NEW] and settled.contested == ()
    assert [(line.text, line.status) for line in settled.replaced] == [(OLD, "deprecated")]


@pytest.mark.long
def test_a_task_of_a_persons_word_has_no_quote(memory: Memory) -> None:
    tell_titles(memory.settings, "a", OLD)
    new_task(memory.resources, "Call the accountant", project="shop", by="kim", blockers=["보안 검토"])
    (line,) = memory.project_digest("shop").open
    assert (line.text, line.quote, line.assurance, line.waits_for) == ("Call the accountant", None, "confirmed", ("보안 검토",))


def test_an_unknown_project_says_what_to_do(shop: Memory) -> None:
    with pytest.raises(NotFoundError) as unknown:
        shop.project_digest("nobody")
    assert "memory sessions list" in unknown.value.hint
