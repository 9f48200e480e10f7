"""Units: what search can find of sessions, memories and tasks, and that each cites where it stands."""

import json
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.task_words import TaskDeclared
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import verify
from memory_assets.projections.unit_tables.unit_facets import MOST_FACETS, facets_of
from memory_assets.projections.unit_tables.unit_rows import SUMMARY_TOKENS, summary_of
from memory_assets.search.question.time_cues import date_tokens
from memory_assets.sessions.model import Message
from memory_assets.tasks.canonical import task_id, task_key
from memory_assets.text.lexical_text import search_text
from memory_assets.text.tokens import estimate_tokens
from memory_assets.vocabulary import Stage
from memory_assets_tests.depth import depth
from memory_assets_tests.projections.people import said
from memory_assets_tests.projections.story import STARTED, VERSIONS, Remark, Story, folded, rows, shuffled, tables
from memory_assets_tests.projections.talk import Talk, ingested

ATTACHED = "<context ref='a.md'>\nAlways write Korean.\n</context>"
DATE = search_text(date_tokens(STARTED))
LONG = (
    "## 첫째 부분\n\n"
    + "결제 서버의 커넥션 풀을 늘려야 합니다. " * 45
    + "\n\n## 둘째 부분\n\n"
    + "캐시는 Redis로 옮깁니다. " * 45
)


def units(database: Database, kind: str, columns: str = "*") -> list[tuple[Any, ...]]:
    return rows(database, f"SELECT {columns} FROM memory_units WHERE unit_kind = '{kind}' ORDER BY session_id, place, title")


def hashes(database: Database) -> dict[int, tuple[str, str]]:
    """Of each passage of the one session, by its place, the hash of all and of what is embedded."""
    return {
        place: (content, embedded) for place, content, embedded in units(database, "passage", "place, content_hash, embed_hash")
    }


def test_a_long_message_is_several_passages_that_cite_their_own_characters(log: EventLog, database: Database) -> None:
    log.append([ingested("a", Talk().user("안녕하세요.").agent(LONG).user("고마워요.").messages, title="결제")])
    catch_up(database, VERSIONS)
    found = units(database, "passage", "place, part, message_index, span_start, span_end, body, source_id, title")
    assert [row[:3] for row in found] == [(0, 0, 0), (1, 0, 1), (2, 1, 1), (3, 0, 2)]
    assert [row[5] for row in found] == [
        "안녕하세요.",
        LONG[found[1][3] : found[1][4]],
        LONG[found[2][3] : found[2][4]],
        "고마워요.",
    ]
    assert str(found[1][5]).startswith("## 첫째") and str(found[2][5]).startswith("## 둘째")
    assert [row[6] for row in found] == ["a#m0", "a#m1", "a/1#m1", "a#m2"]
    assert {row[7] for row in found} == {"결제"}
    for body, told in units(database, "passage", "body, citations_json"):
        (place,) = json.loads(told)
        ((text,),) = rows(database, "SELECT text FROM messages WHERE message_index = ?", place["message_index"])
        assert text[place["span_start"] : place["span_end"]] == body
        assert place["segments"] == [[place["span_start"], place["span_end"]]]


def test_what_a_program_wrote_is_a_passage_and_nobodys_neighbour_and_no_request(log: EventLog, database: Database) -> None:
    plan = "Implement the following plan:\n\n# Split it\n\n" + "It does too much. " * 50
    log.append([ingested("a", Talk().user(ATTACHED).user("문서를 고쳐줘.").user(plan).agent("Done.").messages)])
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT message_index, origin FROM message_origins ORDER BY message_index, span_start") == [
        (0, "template"),
        (2, "typed"),
        (2, "pasted"),
    ]
    ((end, length),) = rows(
        database,
        "SELECT max(span_end), max(char_len) FROM message_origins JOIN messages USING (session_id, message_index)"
        " WHERE message_index = 2",
    )
    assert end == length == len(plan)
    # A document that begins in the message of somebody who typed a word of it is the person's own.
    assert units(database, "passage", "message_index, origin, place") == [
        (1, "typed", 0),
        (2, "typed", 1),
        (3, "said", 2),
        (0, "template", None),
    ]
    around = units(database, "passage", "around_text")
    assert "korean" not in " ".join(text for (text,) in around) and around[-1] == (DATE,)
    queued = rows(
        database,
        """SELECT origin, embedding_version FROM vector_outbox JOIN memory_units ON unit_id = item_id
           WHERE origin = 'template' OR message_index = 1 ORDER BY ALL""",
    )
    assert queued == [("template", "words"), ("typed", VERSIONS["session_vectorized"]), ("typed", "words")]
    ((body,),) = units(database, "episode", "body")
    assert "> 문서를 고쳐줘." in body.splitlines() or body.startswith("문서를 고쳐줘.")
    assert "Always write Korean" not in body
    assert verify(database, VERSIONS).equal


def test_a_passage_knows_what_is_said_around_it_and_when(log: EventLog, database: Database) -> None:
    talk = Talk()
    for text in ("one", "two", "three", "four " * 200, "five", "six"):
        talk.user(text, name="Kim")
    log.append([ingested("a", talk.messages)])
    catch_up(database, VERSIONS)
    found = units(database, "passage", "own_text, around_text, speaker, role, worktree, scope")
    assert found[0][0] == "kim one"
    assert found[2][1] == f"kim one kim two kim {'four ' * 80}kim five {DATE}"
    assert found[5][1] == f"kim {'four ' * 80}kim five {DATE}"
    assert {row[2:] for row in found} == {("Kim", "user", "/srv/hourglass", "project")}


@pytest.mark.long
def test_of_a_session_that_grows_only_what_has_other_neighbours_changes(log: EventLog, database: Database) -> None:
    story = Story("a")
    texts = [f"message number {number}" for number in range(8)]
    log.append(story.tell(texts))
    catch_up(database, VERSIONS)
    before = hashes(database)
    with database.writing() as connection:
        connection.execute("UPDATE vector_outbox SET status = 'done'")
    log.append(story.tell([*texts, "one more"]))
    catch_up(database, VERSIONS)
    after = hashes(database)
    assert [place for place, (content, _) in before.items() if after[place][0] != content] == [6, 7]
    assert all(after[place][1] == embedded for place, (_, embedded) in before.items())
    queued = rows(
        database,
        """SELECT place FROM vector_outbox JOIN memory_units ON unit_id = item_id
           WHERE vector_outbox.status = 'pending' AND unit_kind = 'passage' AND embedding_version = 'words' ORDER BY place""",
    )
    assert queued == [(6,), (7,), (8,)]
    assert verify(database, VERSIONS).equal


def test_an_entry_has_its_message_around_its_quote(log: EventLog, database: Database) -> None:
    log.append(Story("a").tell(["We keep PostgreSQL."], [Remark("Keep PostgreSQL", 0)]))
    catch_up(database, VERSIONS)
    ((own, around, body, index, role, citations),) = units(
        database, "entry", "own_text, around_text, body, message_index, role, citations_json"
    )
    assert (own, around) == (search_text("Keep PostgreSQL\nWe keep PostgreSQL."), DATE)
    assert (body, index, role) == ("Keep PostgreSQL\nWe keep PostgreSQL.", 0, "user")
    assert json.loads(citations)[0]["segments"] == [[0, 19]]


def test_a_stage_or_status_that_changes_is_written_and_not_embedded_again(log: EventLog, database: Database) -> None:
    found: list[tuple[Any, ...]] = []
    stages: tuple[Stage | None, ...] = (None, "verified")
    for promoted in stages:
        story = Story(f"with-{promoted}")
        log.append(story.tell(["We keep PostgreSQL."], [Remark("Keep PostgreSQL", 0, promoted=promoted)]))
        catch_up(database, VERSIONS)
        found += units(database, "entry", "embed_hash, content_hash, stage")
    assert len({row[0] for row in found}) == 1
    assert len({row[1] for row in found}) == len({row[2] for row in found}) == 2


def test_a_task_that_only_a_person_declared_is_found_and_cites_nothing(log: EventLog, database: Database) -> None:
    task = task_id(task_key("office", "order new chairs"))
    log.append([said(TaskDeclared(task_id=task, title="Order new chairs", project="office", said_by="kim"), STARTED)])
    catch_up(database, VERSIONS, resolve=True)
    assert units(database, "task", "title, citations_json, project, session_id, entry_type, confidence") == [
        ("Order new chairs", "[]", "office", None, "task", 1.0)
    ]
    assert verify(database, VERSIONS).equal


@pytest.mark.long
def test_a_task_follows_what_stands_around_its_quote(log: EventLog, database: Database) -> None:
    remark = Remark("Fix the login", 0, "task")
    story = Story("a")
    log.append(story.tell(["Fix the login."], [remark]))
    catch_up(database, VERSIONS, resolve=True)
    log.append(story.tell(["Fix the login.", "And the logout."], [remark]))
    catch_up(database, VERSIONS, resolve=True)
    assert [row[0] for row in units(database, "task", "body")] == ["Fix the login\nstatus: pending\nFix the login."]
    report = verify(database, VERSIONS)
    assert report.equal, report.differences


def test_an_episode_tells_what_was_asked_decided_changed_and_how_it_ended(log: EventLog, database: Database) -> None:
    talk = (
        Talk()
        .user("안녕하세요! 로그인 오류를 고쳐 주세요.")
        .edits("/srv/hourglass/src/login.py")
        .agent("로그인 오류를 고쳤습니다. 테스트도 통과합니다.")
    )
    log.append([ingested("a", talk.messages, title="로그인")])
    catch_up(database, VERSIONS)
    ((title, summary, body, citations),) = units(database, "episode", "title, summary, body, citations_json")
    assert title == "로그인"
    assert summary == "로그인 · 로그인 오류를 고쳐 주세요. · 로그인 오류를 고쳤습니다."
    assert body == "로그인\n2026-03-01 · hourglass\n> 로그인 오류를 고쳐 주세요.\nlogin.py\n… 로그인 오류를 고쳤습니다."
    assert [(place["message_index"], place["span_start"]) for place in json.loads(citations)] == [(0, 7), (3, 0)]
    facets = rows(
        database,
        "SELECT value FROM unit_facets JOIN memory_units USING (unit_id) WHERE unit_kind = 'episode' AND facet = 'file'",
    )
    assert {row[0] for row in facets} == {"src/login.py", "login.py", "/srv/hourglass/src/login.py"}


@pytest.mark.parametrize(
    ("title", "asked", "told"),
    [
        ("Implement the following plan: move the cache", "Implement the following plan:\n\n# Move the cache", []),
        ("로그인 오류를 고쳐 주세요", "로그인 오류를 고쳐 주세요.", []),
        ("Move the cache", "Move the cache to Redis before Friday.", ["> Move the cache to Redis before Friday."]),
    ],
)
def test_an_episode_does_not_say_its_title_twice(
    log: EventLog, database: Database, title: str, asked: str, told: list[str]
) -> None:
    talk = Talk().user(asked).agent("The cache is at its new place.")
    log.append([ingested("a", talk.messages, title=title)])
    catch_up(database, VERSIONS)
    ((summary, body, citations),) = units(database, "episode", "summary, body, citations_json")
    assert [line for line in body.splitlines() if line.startswith(">")] == told
    assert summary == " · ".join([title, *(line[2:] for line in told), "The cache is at its new place."])
    assert json.loads(citations)[0]["message_index"] == 0


def test_an_episode_lists_what_its_session_decided_and_cites_at_most_five_places(log: EventLog, database: Database) -> None:
    texts = [f"We decided to keep number {number} of the options." for number in range(9)]
    remarks = [Remark(f"Keep number {number}", number) for number in range(8)]
    log.append(
        Story("a").tell([*texts, "Fix the login page."], [*remarks, Remark("Fix the login page now", 9, "task", status="done")])
    )
    catch_up(database, VERSIONS)
    ((body, citations),) = units(database, "episode", "body, citations_json")
    assert "- Keep number 3\n" in body and "- [x] Fix the login page now" in body
    assert len(json.loads(citations)) == 5


def test_a_session_in_which_nothing_is_said_has_no_episode(log: EventLog, database: Database) -> None:
    log.append([ingested("a", Talk().runs("ls", "a.py").messages)])
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT count(*) FROM memory_units") == [(0,)]


def everything() -> list[list[list[NewEvent]]]:
    """Sessions with all kinds of units, some of which share a memory and a task."""
    streams: list[list[list[NewEvent]]] = []
    for number in range(depth(2, 3)):
        remarks = [Remark("Keep PostgreSQL", 0), Remark("Fix the login", 1, "task", status="in_progress")]
        story = Story(f"said-{number}", started=STARTED + timedelta(days=number))
        texts = ["We keep PostgreSQL.", "로그인을 고쳐야 한다.", LONG, ATTACHED]
        streams.append([story.tell(texts[:2], remarks), story.tell(texts, remarks)])
        talk = (
            Talk()
            .user(ATTACHED)
            .user("Run `make_all()` of src/app.py.")
            .runs("pytest", "FAILED test_a.py::test - x", is_error=True)
        )
        talk.agent("The problem is that `one` is missing.").edits("src/app.py").runs("pytest", "1 passed")
        streams.append([[ingested(f"done-{number}", talk.messages, started=STARTED + timedelta(days=number))]])
    return streams


@pytest.mark.long
@pytest.mark.deep
def test_any_order_gives_the_same_units_and_a_rebuild_too(tmp_path: Path) -> None:
    found = []
    for number, seed in enumerate((1, 7)):
        batches = shuffled(everything(), Random(seed))
        database = folded(tmp_path / str(number), batches, [True] * len(batches))
        kept = {table: told for table, told in tables(database).items() if table in ("memory_units", "unit_facets")}
        found.append(kept)
        assert {row["unit_kind"] for row in kept["memory_units"]} == {"entry", "task", "passage", "episode", "gotcha"}
        assert {row["origin"] for row in kept["memory_units"]} == {"typed", "said", "pasted", "template", None}
    assert found[0] == found[1]
    report = verify(database, VERSIONS)
    assert report.equal, report.differences


@pytest.mark.long
def test_a_forgotten_session_leaves_no_unit_and_no_facet(log: EventLog, database: Database) -> None:
    kept, gone = Story("kept"), Story("gone", started=STARTED + timedelta(days=1))
    log.append(kept.tell(["We keep PostgreSQL 16."], [Remark("Keep PostgreSQL", 0)]))
    log.append(gone.tell(["Fix `run_all()` in src/app.py.", LONG], [Remark("Fix it", 0, "task"), Remark("Keep PostgreSQL", 0)]))
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, "SELECT count(*) FROM unit_facets WHERE value = 'src/app.py'") != [(0,)]
    log.append([gone.forget()])
    catch_up(database, VERSIONS, resolve=True)
    assert rows(database, "SELECT DISTINCT unit_kind, session_id FROM memory_units ORDER BY 1") == [
        ("entry", "kept"),
        ("episode", "kept"),
        ("passage", "kept"),
    ]
    assert rows(database, "SELECT count(*) FROM unit_facets WHERE unit_id NOT IN (SELECT unit_id FROM memory_units)") == [(0,)]
    assert "app.py" not in repr(tables(database))


def test_messages_whose_ids_look_like_parts_stay_apart(log: EventLog, database: Database) -> None:
    talk = Talk().user(LONG)
    like_parts = [Message(uid, "user", "said", f"text {uid}") for uid in ("m0#1", "/1#m0", "1#m0")]
    log.append([ingested("a", [*talk.messages, *like_parts])])
    catch_up(database, VERSIONS)
    assert len({source_id for (source_id,) in units(database, "passage", "source_id")}) == 5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See @src/app.py and ./README.md.", {("file", "src/app.py"), ("file", "app.py"), ("file", "README.md")}),
        ("커밋 0fc1a2b3d4e5f6에서 고쳤다", {("commit", "0fc1a2b3d4e5"), ("commit", "0fc1a2b")}),
        ("`useState` and `run_all()` but not `main`", {("symbol", "useState"), ("symbol", "run_all")}),
        ("`Foo::bar`도 `app.Store.open`도", {("symbol", "Foo::bar"), ("symbol", "app.Store.open")}),
        ("`config.yaml`의 값", {("file", "config.yaml")}),
        ("```\nfoo_bar = 1\n```", set()),
        ("Nothing here, e.g. no file.", set()),
    ],
)  # fmt: skip
def test_the_facets_of_a_text(text: str, expected: set[tuple[str, str]]) -> None:
    assert set(facets_of(text)) == expected


def test_a_listing_has_no_more_facets_than_it_can_be_about() -> None:
    found = facets_of("\n".join(f"src/module_{number}.py" for number in range(500)), ["first.py"])
    assert len(found) == MOST_FACETS and found[0] == ("file", "first.py")


@given(st.text(max_size=1_500) | st.text(alphabet="가나다 abc.\n", max_size=3_000))
def test_a_summary_is_short_and_never_empty(text: str) -> None:
    summary = summary_of(text)
    assert summary and "\n" not in summary and estimate_tokens(summary) <= SUMMARY_TOKENS


def test_a_short_text_is_its_own_summary() -> None:
    assert summary_of("로그인을\n 고쳤습니다.") == "로그인을 고쳤습니다."
    assert summary_of("word " * 100).endswith("word…")
