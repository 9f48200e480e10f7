"""Search over a real store and a real index: what is asked, what is delivered, and what bad questions get."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.configuration import Resources
from memory_assets.errors import InvalidArgumentError, NotFoundError
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.memory import Memory, SearchRequest
from memory_assets.projections.fold import catch_up
from memory_assets.settings import load_settings
from memory_assets.vectors.errors import FingerprintMismatchError, IndexCorruptError
from memory_assets.vectors.library import lancedb
from memory_assets_tests.filled_store import NOTES, SHOP, STARTED, fill, tell


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return Memory(fill(tmp_path_factory.mktemp("store")))


@pytest.fixture
def own_memory(tmp_path: Path) -> Memory:
    return Memory(fill(tmp_path))


def test_a_hit_delivers_what_its_turns_say_and_what_stands_beside_them(memory: Memory) -> None:
    told = {"shop-1": SHOP, "notes-2": NOTES}
    for question in ("PostgreSQL orders", "결제 서버", "retry budget", "캐시"):
        for hit in memory.search(question).hits:
            shown = [" ".join(told[one.session_id][one.message_index][1].split()) for one in (*hit.citations, *hit.beside)]
            first = hit.citations[0]
            assert hit.snippet and shown[0] in hit.snippet
            for part in hit.snippet.strip("…").split(" … "):
                assert any(part in text for text in shown)
            assert first.ts is not None and first.label
            assert hit.tokens > 0 and 0.0 <= hit.relevance <= 1.0


def test_the_reply_is_shown_beside_what_was_asked_and_cited(memory: Memory) -> None:
    hit = next(hit for hit in memory.search("결제 서버 로그", k=5).hits if "원인을 찾아" in hit.snippet)
    (beside,) = hit.beside
    assert (beside.session_id, beside.message_index) == ("shop-1", 1)
    assert [one.message_index for one in hit.citations] == [0]
    assert "커넥션 풀이 모자랍니다" in hit.snippet


def test_what_stands_beside_is_left_out_where_that_is_asked_for(memory: Memory) -> None:
    for hit in memory.search("PostgreSQL orders", beside=False).hits:
        assert hit.beside == ()


def test_what_says_the_same_is_one_hit(memory: Memory) -> None:
    for question in ("PostgreSQL", "블로커", "Redis"):
        hits = memory.search(question).hits
        delivered: set[tuple[str, int]] = set()
        for hit in hits:
            places = {(one.session_id, one.message_index) for one in hit.citations}
            assert not places <= delivered
            delivered |= places
        assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_a_question_with_half_a_character_is_answered(memory: Memory) -> None:
    assert memory.search("PostgreSQL \udcff orders").hits


def test_a_question_behind_another_one_sees_what_was_written_between_them(own_memory: Memory) -> None:
    assert not any("to be made searchable" in note for note in own_memory.search("PostgreSQL orders").notes)
    # The store that answered it lingers, and lets the writer in.
    tell(own_memory.settings, "later", (("user", "PostgreSQL orders are archived."),), ())
    notes = own_memory.search("PostgreSQL orders").notes
    assert any("to be made searchable" in note for note in notes), notes


def test_the_question_is_read_and_shown(memory: Memory) -> None:
    response = memory.search("왜 캐시를 Redis로 옮겼지?", explain=True)
    assert response.complexity is not None and response.complexity.why
    assert response.k is not None and response.k >= 5
    assert response.certificate is not None and response.certificate.completeness > 0
    steps = response.hits[0].steps
    assert steps is not None and steps.parts["lexical"]["context"] > 0
    assert response.hits[0].score == pytest.approx(
        sum(steps.legs.values()) + sum(bonus.score for bonus in steps.bonuses), abs=1e-4
    )
    assert memory.search("Redis").hits[0].steps is None


def test_an_intent_is_taken_by_any_of_its_names(memory: Memory) -> None:
    asked = memory.search("Redis", intent="known_issues")
    assert (asked.intent, asked.intent_asked) == ("known_issues", True)
    told = memory.search("PostgreSQL", intent="what_happened").hits
    assert [hit.ts for hit in told] == sorted(hit.ts for hit in told if hit.ts)


def test_time_is_a_filter_where_it_is_an_option(memory: Memory) -> None:
    later = STARTED + timedelta(days=2)
    assert {hit.session_id for hit in memory.search("PostgreSQL", since=later, kinds=("passage",)).hits} == {"notes-2"}
    assert {hit.session_id for hit in memory.search("PostgreSQL", until=later, kinds=("passage",)).hits} == {"shop-1"}


def test_stage_role_project_and_task_are_filters(memory: Memory) -> None:
    assert {hit.unit_kind for hit in memory.search("PostgreSQL 캐시", stage_min="verified").hits} <= {"entry", "task"}
    roles = {hit.citations[0].role for hit in memory.search("PostgreSQL", roles=("assistant",), kinds=("passage",)).hits}
    assert roles == {"assistant"}
    assert memory.search("PostgreSQL", project="shop").hits and not memory.search("PostgreSQL", project="other").hits
    task = memory.tasks()[0]
    evidence = memory.search("블로커 배포 PostgreSQL Redis", scope="task", task=task.task_id).hits
    assert evidence and {one.message_index for hit in evidence for one in hit.citations} == {2}


def test_a_budget_is_a_hard_cap(memory: Memory) -> None:
    whole = memory.search("PostgreSQL", k=10)
    for budget in (1, 5, whole.estimated_tokens // 2, whole.estimated_tokens):
        cut = memory.search("PostgreSQL", k=10, budget=budget)
        assert cut.estimated_tokens == sum(hit.tokens for hit in cut.hits) <= budget
    assert len(memory.search("PostgreSQL", k=10, budget=whole.estimated_tokens).hits) == len(whole.hits)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"query": ""}, "empty"),
        ({"query": "   \n"}, "empty"),
        ({"query": "?!… -- ///"}, "no word"),
        ({"query": "x" * 100_000}, "too long"),
        ({"query": "a", "k": 0}, "0 hits"),
        ({"query": "a", "k": 1001}, "1001 hits"),
        ({"query": "a", "budget": 0}, "budget"),
        ({"query": "a", "budget": -5}, "budget"),
        ({"query": "a", "kinds": ("nothing",)}, "nothing"),
        ({"query": "a", "roles": ("boss",)}, "boss"),
        ({"query": "a", "stage_min": "best"}, "best"),
        ({"query": "a", "mode": "magic"}, "magic"),
        ({"query": "a", "fusion": "magic"}, "magic"),
        ({"query": "a", "scope": "project"}, "project"),
        ({"query": "a", "scope": "world"}, "world"),
        ({"query": "a", "since": datetime(2026, 1, 2, tzinfo=UTC), "until": datetime(2026, 1, 1, tzinfo=UTC)}, "--since"),
    ],
)
def test_what_cannot_be_asked_says_what_and_why(memory: Memory, fields: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidArgumentError, match=words) as caught:
        memory.search_for(SearchRequest(**fields))  # type: ignore[arg-type]
    assert caught.value.hint


@pytest.mark.parametrize(
    ("how", "next_action"),
    [({"project": "shop"}, "widen"), ({"kinds": ("entry",)}, "widen"), ({"k": 20}, "ask_a_person"), ({"k": 3}, "ask_a_person")],
)
def test_where_everything_was_searched_a_person_is_to_be_asked(memory: Memory, how: dict[str, Any], next_action: str) -> None:
    found = memory.search("Redis quokka marsupial wombat dingo", **how)
    assert found.hits and found.certificate is not None and found.certificate.next_action == next_action


@pytest.mark.parametrize("task", ["tsk_nobody", "nobody", "task:shop:nobody", "\udcff", "tsk_\udcff", "task:\ud800:x"])
def test_an_unknown_task_is_not_found(memory: Memory, task: str) -> None:
    with pytest.raises(NotFoundError):
        memory.search("a", scope="task", task=task)


@pytest.mark.parametrize(
    "query",
    [
        "'; DROP TABLE events; --",
        'title:"PostgreSQL" AND NOT (orders^5 OR +x -y)',
        "post* grep?",
        "%_[]{}\\",
        "\x00\x1b[31m블로커",
        "\ud800 lone",
        "NEAR(a, b) ~0.5",
        "🦆🦆 캐시",
    ],
)
def test_no_character_of_a_question_is_an_operator(memory: Memory, query: str) -> None:
    if query == "%_[]{}\\":
        with pytest.raises(InvalidArgumentError):
            memory.search(query)
        return
    assert memory.search(query).mode == "lexical"


@pytest.mark.long
@settings(max_examples=60)
@given(st.text(max_size=200))
def test_any_question_is_answered_or_refused(memory: Memory, query: str) -> None:
    try:
        response = memory.search(query, log=False)
    except InvalidArgumentError:
        return
    assert response.model_dump_json()


def test_a_forgotten_session_is_no_hit_before_the_index_knows_it(own_memory: Memory) -> None:
    EventLog(own_memory.database).append([NewEvent(SessionForgotten(reason="asked"), session_id="shop-1", inputs=("1",))])
    catch_up(own_memory.database, Resources(own_memory.settings).configured_versions, resolve=True)
    hits = own_memory.search("Redis PostgreSQL 블로커").hits
    assert "shop-1" not in {one.session_id for hit in hits for one in hit.citations}


def test_a_broken_index_says_how_to_rebuild_and_loses_nothing(own_memory: Memory) -> None:
    folder = own_memory.settings.vectors_folder
    for file in folder.rglob("*.manifest"):
        file.write_bytes(b"no manifest")
    with pytest.raises(IndexCorruptError) as caught:
        Memory(own_memory.settings).search("Redis")
    assert "rebuild" in caught.value.hint
    assert own_memory.stats().units_by_kind["passage"] == 6


@pytest.mark.parametrize("damaged", ["*.manifest", "*.lance"])
def test_bulk_says_of_each_line_that_the_index_is_broken(own_memory: Memory, damaged: str) -> None:
    asked = lines({"id": "1", "query": "PostgreSQL"}, {"id": "2", "query": ""}, {"id": "3", "query": "Redis"})
    for path in own_memory.settings.vectors_folder.rglob(damaged):
        if path.is_file():
            path.write_bytes(b"broken")
    answers = list(own_memory.bulk_search(asked, defaults=SearchRequest("", mode="lexical")))
    assert [(one.id, one.error.code if one.error else None) for one in answers] == [
        ("1", "index_corrupt"),
        ("2", "invalid_argument"),
        ("3", "index_corrupt"),
    ]


def test_without_an_index_nothing_is_found_and_it_says_so(tmp_path: Path) -> None:
    empty = Memory(load_settings({"home": tmp_path, "embedding": {"model": "hashing"}}))
    response = empty.search("anything")
    assert response.hits == () and any("no index" in note for note in response.notes)
    assert response.certificate is not None and response.certificate.next_action == "nothing_found"


def test_a_korean_question_goes_by_words_where_the_embedder_knows_none(memory: Memory) -> None:
    response = memory.search("블로커", mode="hybrid")
    assert response.mode == "lexical" and response.channels == ("lexical",)
    assert any("knows no Korean" in note for note in response.notes)


@pytest.mark.long
def test_what_only_the_last_words_of_a_long_turn_say_is_cited_where_it_stands(tmp_path: Path) -> None:
    opened = fill(tmp_path)
    filler = "\n\n".join(f"문단 {n}: 아무 상관 없는 이야기를 길게 적어 둔다. Nothing of note here." for n in range(60))
    tell(opened, "long-4", (("user", f"{filler}\n\n마지막으로 방화벽 포트는 8443으로 정했다."),), ())
    from memory_assets.maintenance.indexing import write_waiting

    write_waiting(Resources(opened))
    hit = Memory(opened).search("방화벽 포트").hits[0]
    citation = hit.citations[0]
    assert (citation.session_id, citation.message_index) == ("long-4", 0)
    assert citation.span_start is not None and citation.span_start > 1000
    assert "8443" in hit.snippet and len(hit.snippet) <= 400


def lines(*values: object) -> list[str]:
    return [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in values]


def test_bulk_answers_each_line_in_its_place(memory: Memory) -> None:
    items = list(
        memory.bulk_search(
            lines(
                {"id": "a", "query": "PostgreSQL", "project": "shop"},
                {"id": 7, "query": ""},
                "no json",
                "",
                {"query": "no id"},
                {"id": "b", "query": "블로커", "k": 1, "kinds": ["passage"], "mode": "lexical"},
                {"id": "c", "query": "x", "mode": "magic"},
                {"id": "d", "query": "Redis", "project": "other"},
                [1, 2],
                {"id": "e", "query": "Redis", "since": "2026-01-01"},
            )
        )
    )
    assert [item.id for item in items] == ["a", "7", "line 3", "line 5", "b", "c", "d", "line 9", "e"]
    assert [item.error is None for item in items] == [True, False, False, False, True, False, True, False, False]
    assert all(item.error is None or (item.error.code == "invalid_argument" and item.error.hint) for item in items)
    assert items[0].response == memory.search("PostgreSQL", project="shop")
    assert len(items[4].response.hits) == 1 and items[4].response.hits[0].unit_kind == "passage"  # type: ignore[union-attr]
    assert items[6].response is not None and items[6].response.hits == ()


@pytest.mark.long
def test_bulk_takes_any_number_of_lines(memory: Memory) -> None:
    def endless() -> Iterator[str]:
        for n in range(250):
            yield json.dumps({"id": n, "query": "Redis" if n % 2 else "캐시", "k": 1})

    defaults = SearchRequest("", log=False)
    assert [item.id for item in memory.bulk_search(endless(), defaults=defaults)] == [str(n) for n in range(250)]


def test_bulk_is_the_same_as_one_by_one(memory: Memory) -> None:
    questions = ["PostgreSQL orders", "결제 서버가 왜 죽었지", "retry budget 2 seconds"]
    together = [item.response for item in memory.bulk_search(lines(*({"id": q, "query": q} for q in questions)))]
    assert together == [memory.search(question) for question in questions]


def test_what_is_shown_is_counted_unless_it_is_not_to_be(own_memory: Memory) -> None:
    own_memory.search("Redis", log=False)
    assert not (own_memory.settings.home / "usage").exists()
    hits = own_memory.search("Redis").hits
    spool = (own_memory.settings.home / "usage" / "shown.ndjson").read_text(encoding="utf-8")
    assert "Redis" not in spool
    # What is shown with a hit is delivered as well.
    assert len(json.loads(spool.strip())["shown"]) == len(hits) + sum(len(hit.related) for hit in hits)


def test_a_task_and_a_folder_are_filters_without_a_scope_and_together(memory: Memory) -> None:
    question = "블로커 배포 PostgreSQL Redis"
    task = memory.tasks()[0].task_id
    evidence = memory.search(question, scope="task", task=task).hits
    assert memory.search(question, task=task).hits == evidence
    assert memory.search(question, task=task, project="shop").hits
    for fields in ({"project": "other"}, {"worktree": "/nowhere"}, {"worktree": "/nowhere", "scope": "task"}):
        assert memory.search(question, task=task, **fields).hits == ()
    assert memory.search(question, worktree="/nowhere").hits == ()
    assert memory.search(question, worktree="/nowhere", project="shop", scope="project").hits
    assert memory.search(question, task=task, project="other", scope="org").hits


@pytest.mark.parametrize("stage", ["raw", "working", "candidate", "verified"])
def test_what_stands_on_no_stage_is_left_out_by_any(memory: Memory, stage: str) -> None:
    kinds = {hit.unit_kind for hit in memory.search("PostgreSQL Redis 블로커", stage_min=stage).hits}
    assert kinds and kinds <= {"entry", "task"}
    assert memory.search("PostgreSQL", stage_min=stage, kinds=("passage", "episode", "gotcha")).hits == ()


@pytest.mark.long
def test_a_file_is_found_as_it_is_typed(tmp_path: Path) -> None:
    opened = fill(tmp_path)
    tell(opened, "files-4", (("user", "src/결제.py 의 재시도를 고쳤다. See src/pay.py too."),), ())
    from memory_assets.maintenance.indexing import write_waiting

    write_waiting(Resources(opened))
    store = Memory(opened)
    for name in ("src/pay.py", "pay.py", "./src/pay.py", "@src/pay.py", "결제.py", "./src/결제.py"):
        assert [hit.session_id for hit in store.search("재시도", files=(name,)).hits] == ["files-4"], name
    assert store.search("재시도", files=("pay.py", "other.py")).hits == ()


def test_what_a_budget_leaves_out_is_said(memory: Memory) -> None:
    response = memory.search("PostgreSQL", budget=1)
    assert response.hits == () and any("budget" in note for note in response.notes)
    assert not any("budget" in note for note in memory.search("PostgreSQL", budget=10_000).notes)


@pytest.mark.parametrize(
    "bad",
    [
        {"since": datetime.min.replace(tzinfo=timezone(timedelta(hours=9)))},
        {"until": datetime.max.replace(tzinfo=timezone(-timedelta(hours=9)))},
    ],
)
def test_a_time_that_no_clock_tells_is_no_broken_index(memory: Memory, bad: dict[str, datetime]) -> None:
    with pytest.raises(InvalidArgumentError, match="end of all time"):
        memory.search("Redis", **bad)  # type: ignore[arg-type]


def test_vectors_of_another_model_are_not_compared_and_it_says_so(tmp_path: Path) -> None:
    own = Memory(fill(tmp_path))
    table = lancedb().connect(own.settings.vectors_folder).open_table("vectors_hashing-256-1")
    table.update(values={"fingerprint": "another"})
    own.searcher.__dict__["_calibration"] = None  # as long as nothing has measured a model, its leg takes part
    hybrid = own.search("keep PostgreSQL for orders", mode="hybrid")
    assert hybrid.hits and hybrid.mode == "lexical" and hybrid.channels == ("lexical",)
    assert any("vector search left out" in note and "another" in note for note in hybrid.notes)
    with pytest.raises(FingerprintMismatchError):
        own.search("keep PostgreSQL for orders", mode="vector")
    asked = lines(*({"id": mode, "query": "orders", "mode": mode} for mode in ("vector", "hybrid")))
    vector, both = own.bulk_search(asked)
    assert vector.error is not None and both.response is not None and both.response.hits


@pytest.mark.long
def test_without_a_model_only_those_lines_fail_that_need_one(tmp_path: Path) -> None:
    made = fill(tmp_path).vectors_folder
    settings = load_settings({"home": tmp_path, "embedding": {"model": "nobody/none"}})
    (made / "vectors_hashing-256-1.lance").rename(made / f"{Resources(settings).vector_index.table_name}.lance")
    asked = ({"id": mode, "query": "PostgreSQL", "mode": mode} for mode in ("lexical", "vector", "hybrid"))
    lexical, vector, hybrid = Memory(settings).bulk_search(lines(*asked))
    assert vector.error is not None and vector.error.code == "model_unreachable" and vector.error.hint
    assert lexical.response is not None and lexical.response.hits and lexical.response.notes == ()
    assert hybrid.response is not None and hybrid.response.hits
    assert any("vector search left out" in note for note in hybrid.response.notes)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"query": "what did we decide on the cache in May 2019"}, "nothing was said from 2019-05-01 to 2019-05-31: "),
        ({"query": "2019년 5월에 캐시를 어떻게 했지"}, "nothing was said from 2019-05-01 to 2019-05-31: "),
        ({"query": "cache", "since": STARTED + timedelta(days=400)}, "nothing was said since 2026-02-06: "),
        ({"query": "cache", "until": STARTED - timedelta(days=1)}, "nothing was said before 2025-01-01: "),
        (
            {"query": "cache on 4 January 2025", "project": "shop"},
            "nothing of project shop was said on 2025-01-04: ",
        ),
    ],
)
def test_a_time_without_anything_is_said_to_be_empty(memory: Memory, asked: dict[str, Any], said: str) -> None:
    response = memory.search_for(SearchRequest(**asked))
    notes = [note for note in response.notes if note.startswith("nothing")]
    assert [note.removeprefix(said) for note in notes] == ["what is known is from 2025-01-02 to 2025-01-05"]
    # The time of a question filters nothing; that of an option does.
    assert bool(response.hits) == ("since" not in asked and "until" not in asked)


@pytest.mark.parametrize("query", ["cache in January 2025", "recent cache", "cache", "최근에 캐시를 어떻게 했지"])
def test_a_time_of_which_something_is_known_needs_no_note(memory: Memory, query: str) -> None:
    assert not [note for note in memory.search(query).notes if note.startswith("nothing")]


def test_a_store_without_anything_says_nothing_of_times(tmp_path: Path) -> None:
    empty = Memory(load_settings({"home": tmp_path, "embedding": {"model": "hashing"}}))
    assert not [note for note in empty.search("cache in May 2019").notes if note.startswith("nothing")]
