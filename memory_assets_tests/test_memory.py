from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memory_assets.configuration import Resources
from memory_assets.errors import InvalidArgumentError, NotFoundError
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.maintenance.doctor import checks as doctor
from memory_assets.maintenance.indexing import write_waiting
from memory_assets.maintenance.init import initialise
from memory_assets.maintenance.outbox import outbox_status
from memory_assets.maintenance.rebuild import rebuild_all, verify_all
from memory_assets.memory import Memory, as_plain
from memory_assets.projections.fold import catch_up
from memory_assets.queries.entries import list_entries, one_entry
from memory_assets.queries.events import event_stats, newest_events, one_event
from memory_assets.queries.sessions import messages_of
from memory_assets.results.shown import ResolvedMemory, ResolvedSpan
from memory_assets.settings import load_settings
from memory_assets_tests.filled_store import SHOP, fill

POSTGRES = "Keep PostgreSQL 16 for orders"


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("MEMORY_") or name == "DAGSTER_HOME":
            monkeypatch.delenv(name)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return Memory(fill(tmp_path_factory.mktemp("store")))


@pytest.fixture
def own_memory(tmp_path: Path) -> Memory:
    return Memory(fill(tmp_path))


def cited(memory: Memory, title: str) -> str:
    return next(found.citation for found in memory.memories().memories if found.title == title)


def test_sessions_are_listed_newest_first_with_those_put_aside(memory: Memory) -> None:
    sessions = memory.sessions()
    assert [session.session_id for session in sessions] == ["notes-2", "shop-1", "odd-3"]
    plain = as_plain(sessions[1])
    assert plain["source_uri"] == "/srv/장애.jsonl" and plain["source_uris"] == ["/srv/장애.jsonl"]
    assert (plain["project"], plain["title"], plain["messages"], plain["status"]) == ("shop", "결제 서버 장애", 4, "vectorized")
    assert plain["entries"] == 4 and plain["started_at"] == "2025-01-02T03:04:05Z"
    assert (sessions[2].status, sessions[2].source_uri) == ("quarantined", "/srv/odd.md")
    assert [session.session_id for session in memory.sessions(status="quarantined")] == ["odd-3"]
    assert memory.sessions(project="none") == []


def test_a_session_is_found_by_the_beginning_of_its_id(memory: Memory) -> None:
    details = memory.session("shop")
    assert details.session.session_id == "shop-1"
    assert [message.text for message in details.messages] == [text for _, text in SHOP]
    assert memory.session("odd-3").quarantine[0].error_code == "unexpected"
    assert memory.read(messages_of, "shop-1") == list(details.messages)
    for unknown in ("", "nobody", "%", "' OR 1=1 --"):
        with pytest.raises(NotFoundError):
            memory.session(unknown)


def test_entries_have_the_names_that_programs_read(memory: Memory) -> None:
    entries, total = memory.read(list_entries)
    assert total == len(entries) == 6
    for entry in as_plain(entries):
        assert {"entry_id", "memory_id", "session_id", "entry_type", "title", "stage", "evidence"} <= entry.keys()
        for quote in entry["evidence"]:
            assert quote["session_id"] == entry["session_id"]
            if quote["method"] == "none":
                assert quote["matched_text"] is quote["message_index"] is quote["span_start"] is quote["span_end"] is None
                assert quote["segments"] == []
            else:
                text = SHOP[quote["message_index"]][1] if entry["session_id"] == "shop-1" else None
                assert text is None or text[quote["span_start"] : quote["span_end"]] == quote["matched_text"]
                assert quote["segments"] == [[quote["span_start"], quote["span_end"]]]
    raw = next(entry for entry in entries if entry.stage == "raw")
    assert raw.memory_id is None and raw.citation is None and raw.evidence[0].failure_reason == "not_found"


def test_entries_are_filtered_and_counted_without_the_page(memory: Memory) -> None:
    page, total = memory.read(list_entries, limit=2)
    assert len(page) == 2 and total == 6
    assert {entry.session_id for entry in memory.read(list_entries, session_id="notes-2")[0]} == {"notes-2"}
    assert memory.read(list_entries, entry_type="task")[1] == 1
    assert memory.read(list_entries, stage="verified", project="shop")[1] == 5
    assert memory.read(list_entries, project="other") == ([], 0)


def test_an_entry_is_named_by_id_beginning_or_memory(memory: Memory) -> None:
    entry = memory.read(list_entries, entry_type="task")[0][0]
    assert (
        memory.read(one_entry, entry.entry_id)
        == memory.read(one_entry, entry.entry_id[:12])
        == memory.read(one_entry, entry.entry_id[4:12])
        == entry
    )
    assert (
        entry.citation is not None
        and memory.read(one_entry, entry.citation) == memory.read(one_entry, f"[{entry.citation}]") == entry
    )
    for nothing in ("ent_", "ent_zzzz"):
        with pytest.raises(NotFoundError):
            memory.read(one_entry, nothing)


def test_evidence_comes_with_its_messages(memory: Memory) -> None:
    view = memory.evidence(cited(memory, "캐시를 Redis로 옮긴다"))
    assert len(view.quotes) == 2
    for item in view.quotes:
        assert item.message is not None and item.quote.span_start is not None
        assert item.message.text[item.quote.span_start : item.quote.span_end] == item.quote.quote
    failed = next(entry for entry in memory.read(list_entries)[0] if entry.stage == "raw")
    assert memory.evidence(failed.entry_id).quotes[0].message is None


def test_memories_group_entries_that_say_the_same(memory: Memory) -> None:
    page = memory.memories()
    assert page.total == len(page.memories) == 4
    postgres = next(found for found in page.memories if found.title == POSTGRES)
    assert (postgres.entry_count, postgres.session_count, postgres.stage, postgres.checker) == (2, 2, "verified", "embedded 1")
    assert postgres.uri.startswith("session:shop-1#m=2&c=")


def test_memories_of_sessions_come_in_their_order_as_said(memory: Memory) -> None:
    page = memory.memories(session_ids=["notes-2", "shop-1"])
    assert [found.title for found in page.memories] == [
        POSTGRES,
        "The retry budget is 3 attempts",
        "캐시를 Redis로 옮긴다",
        "배포 전에 블로커를 고친다",
    ]
    assert memory.memories(session_ids=["shop-1"], limit=1).total == 3
    assert memory.memories(session_ids=[]).total == 0


@pytest.mark.parametrize("form", ["{}", "[{}]", " {} ", "bare"])
def test_a_memory_is_resolved_in_every_form(memory: Memory, form: str) -> None:
    citation = cited(memory, POSTGRES)
    resolved = memory.resolve(citation.removeprefix("mem:") if form == "bare" else form.format(citation))
    assert isinstance(resolved, ResolvedMemory)
    assert [item.quote.session_id for item in resolved.quotes] == ["shop-1", "notes-2"]
    first, second = resolved.quotes
    assert first.previous is not None and first.previous.preview == "배포 전에 블로커를 고친다" and first.next is None
    assert second.previous is None and second.next is not None and second.next.preview == "The retry budget is 3 attempts"
    assert (first.role, first.ts is not None) == ("user", True)


def test_every_entrys_short_id_resolves_to_the_memory_that_holds_it(memory: Memory) -> None:
    with memory.database.reading() as connection:
        rows = connection.execute("SELECT short_id, memory_id FROM memory_citations").fetchall()
    assert len(rows) == 5
    for short_id, memory_id in rows:
        resolved = memory.resolve(f"mem:{short_id}")
        assert isinstance(resolved, ResolvedMemory) and resolved.memory.memory_id == memory_id


def test_a_span_is_resolved_with_what_stands_around_it(memory: Memory) -> None:
    entry = memory.read(list_entries, entry_type="task")[0][0]
    uri = entry.evidence[0].uri
    assert uri is not None
    resolved = memory.resolve(uri)
    assert isinstance(resolved, ResolvedSpan)
    assert resolved.text == entry.evidence[0].quote
    assert resolved.before is not None and resolved.before.message_index == 1
    assert resolved.after is not None and resolved.after.message_index == 3
    assert [found.title for found in resolved.memories] == ["배포 전에 블로커를 고친다"]
    assert resolved.previous is not None and resolved.previous.preview == "캐시를 Redis로 옮긴다"
    assert resolved.next is not None and resolved.next.preview == POSTGRES


def test_segments_and_whole_messages_are_resolved(memory: Memory) -> None:
    whole = memory.resolve("session:shop-1#m=0")
    assert isinstance(whole, ResolvedSpan) and whole.text == SHOP[0][1] and whole.before is None
    parts = memory.resolve("session:shop-1#m=0&c=0-2,3-5")
    assert isinstance(parts, ResolvedSpan) and parts.text == f"{SHOP[0][1][:2]} … {SHOP[0][1][3:5]}"


@pytest.mark.parametrize(
    ("citation", "error"),
    [
        ("mem:zzzzzz", NotFoundError),
        ("session:shop-1#m=99", NotFoundError),
        ("session:shop#m=0", NotFoundError),  # a beginning is no address
        ("session:nobody#m=0", NotFoundError),
        ("session:shop-1#m=0&c=0-9999", InvalidArgumentError),
        ("session:shop-1#m=0&c=5-5", InvalidArgumentError),
        ("what is this?", InvalidArgumentError),
        ("", InvalidArgumentError),
    ],
)
def test_what_names_nothing_is_an_error_with_a_hint(memory: Memory, citation: str, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        memory.resolve(citation)
    assert caught.value.hint  # type: ignore[attr-defined]


@pytest.mark.parametrize("mode", ["lexical", "vector", "hybrid", "auto"])
def test_search_finds_units_with_their_citations(memory: Memory, mode: str) -> None:
    found = memory.search("PostgreSQL orders", mode=mode, k=3)
    assert [hit.rank for hit in found.hits] == [1, 2, 3]
    for hit in found.hits:
        assert hit.is_cited
        for citation in hit.citations:
            assert citation.kind == "message" and isinstance(memory.resolve(citation.uri), ResolvedSpan)
    kept = cited(memory, POSTGRES)
    hit = next(hit for hit in found.hits if hit.id == kept or kept in [related.id for related in hit.related])
    if hit.id == kept:
        assert hit.checker == "embedded 1"
        assert {one.session_id for one in hit.citations if one.kind == "message"} == {"shop-1", "notes-2"}
        assert {one.quote for one in hit.citations} == {"We decided to keep PostgreSQL 16 for orders."}
    plain = json.loads(found.model_dump_json())
    assert plain["schema_version"] == "search_response.v1" and "checker" in plain["hits"][0]


def test_cosines_of_a_model_that_knows_no_such_language_say_nothing_of_what_is_known(memory: Memory) -> None:
    found = memory.search("PostgreSQL orders", mode="vector", explain=True)
    assert found.channels == ("vector",) and found.retrieval.answerability_parts["cosine"] == 0.0
    assert found.retrieval.answerability_parts["held"] == 1.0 and found.retrieval.known


def test_search_finds_korean_nouns_without_their_particles(memory: Memory) -> None:
    found = memory.search("블로커", mode="lexical")
    assert found.hits[0].title == "배포 전에 블로커를 고친다"
    # The memory, the task and the passage rest on one message: one hit, with what else rests on its words.
    assert {found.hits[0].unit_kind, *(related.unit_kind for related in found.hits[0].related)} >= {"entry", "task"}


def test_search_keeps_to_kinds_and_projects(memory: Memory) -> None:
    assert {hit.unit_kind for hit in memory.search("PostgreSQL", mode="lexical", kinds=["passage"]).hits} == {"passage"}
    assert not memory.search("PostgreSQL", mode="lexical", project="other").hits
    assert not memory.search("zzzxxyyqq", mode="lexical").hits
    for query, kinds, k in (("", (), 5), ("x", ("nothing",), 5), ("x", (), 0)):
        with pytest.raises(InvalidArgumentError):
            memory.search(query, kinds=kinds, k=k)


def test_events_are_listed_counted_and_shown(memory: Memory) -> None:
    stats = memory.read(event_stats)
    assert stats.total == sum(stats.by_type.values()) == stats.last_seq
    assert stats.by_type["entry_materialized"] == 6
    tail = memory.read(newest_events, limit=5)
    assert [event.seq for event in tail] == list(range(stats.last_seq - 4, stats.last_seq + 1))
    assert {event.event_type for event in memory.read(newest_events, limit=99, event_type="entry_promoted")} == {
        "entry_promoted"
    }
    ingested = memory.read(newest_events, event_type="session_ingested", session_id="shop-1")[0]
    details = memory.read(one_event, ingested.event_id)
    assert details == memory.read(one_event, ingested.event_id[:14]) == memory.read(one_event, str(ingested.seq))
    assert len(details.payload["messages"]) == 4 and details.payload["heading"]["title"]


@pytest.mark.long
def test_a_forgotten_session_is_shown_nowhere(own_memory: Memory) -> None:
    ingested = own_memory.read(newest_events, event_type="session_ingested", session_id="shop-1")[0]
    uri = next(quote.uri for quote in own_memory.read(list_entries, session_id="shop-1")[0][0].evidence if quote.uri)
    settings, database = own_memory.settings, own_memory.database
    EventLog(database).append([NewEvent(SessionForgotten(reason="asked"), session_id="shop-1", inputs=("1",))])
    catch_up(database, Resources(settings).configured_versions, resolve=True)
    before = own_memory.search("Redis", mode="lexical")
    assert not before.hits and any("wait" in note for note in before.notes)
    write_waiting(Resources(settings, database))
    assert [session.session_id for session in own_memory.sessions()] == ["notes-2", "odd-3"]
    assert {entry.session_id for entry in own_memory.read(list_entries)[0]} == {"notes-2"}
    for named in (lambda: own_memory.read(one_event, ingested.event_id), lambda: own_memory.resolve(uri)):
        with pytest.raises(NotFoundError):
            named()
    assert verify_all(own_memory.resources, with_vectors=True).equal


@pytest.mark.long
def test_the_first_search_forgets_before_it_reads_the_index(own_memory: Memory) -> None:
    """What is to be forgotten moves no other hit and names no speaker, not even once."""
    settings, question = own_memory.settings, "Redis 세션 Kim says the report"
    EventLog(own_memory.database).append([NewEvent(SessionForgotten(reason="asked"), session_id="shop-1", inputs=("1",))])
    first, second = Memory(settings), Memory(settings)
    found = [memory.search(question, mode="lexical", log=False) for memory in (first, first, second)]
    scores = [[(hit.unit_id, hit.score) for hit in one.hits] for one in found]
    assert scores[0] and scores[0] == scores[1] == scores[2]


def test_stats_count_what_there_is(memory: Memory) -> None:
    stats = memory.stats()
    assert (stats.sessions, stats.messages, stats.entries, stats.memories, stats.quarantined) == (2, 6, 6, 4, 1)
    assert stats.units_by_kind == {"entry": 4, "episode": 2, "passage": 6, "task": 1} and stats.outbox_by_status == {"done": 13}
    assert stats.characters == sum(
        len(message.text) for name in ("shop-1", "notes-2") for message in memory.read(messages_of, name)
    )
    assert stats.store_bytes > 0 and stats.vectors_bytes > 0


def test_a_store_that_holds_nothing_answers(tmp_path: Path) -> None:
    empty = Memory(load_settings({"home": tmp_path / "new", "embedding": {"model": "hashing"}}))
    assert empty.sessions() == [] and empty.read(list_entries) == ([], 0) and empty.memories().total == 0
    assert empty.read(event_stats).total == 0 and empty.read(newest_events) == []
    found = empty.search("anything")
    assert not found.hits and any("no index" in note for note in found.notes)
    assert empty.stats().events == 0
    assert verify_all(empty.resources).equal


def test_doctor_names_what_is_wrong(own_memory: Memory) -> None:
    checks = {check.name: check for check in doctor(own_memory.resources)}
    assert {name for name, check in checks.items() if not check.ok} == set()
    assert checks["quarantine"].warning
    assert "odd-3" in checks["quarantine"].detail and "retry" in checks["quarantine"].hint
    assert "carries Korean" in checks["korean"].detail
    with own_memory.database.writing() as connection:
        connection.execute("UPDATE vector_outbox SET status = 'failed', error = 'poison' WHERE item_kind = 'unit'")
        connection.execute("DELETE FROM memory_units WHERE unit_kind = 'task'")
    EventLog(own_memory.database).append([NewEvent(SessionForgotten(reason="asked"), session_id="shop-1", inputs=("1",))])
    own_memory.settings.home.chmod(0o755)
    checks = {check.name: check for check in doctor(own_memory.resources)}
    assert {name for name, check in checks.items() if not check.ok} == {"folders", "outbox", "projections"}
    assert "poison" in checks["outbox"].detail


def test_doctor_finds_a_log_that_another_program_changed(own_memory: Memory) -> None:
    newest = own_memory.read(event_stats).last_seq
    with own_memory.database.writing() as connection:
        connection.execute("""UPDATE events SET payload_json = '{"reason": "tampered"}' WHERE seq = 3""")
        connection.execute("DELETE FROM events WHERE seq = ?", [newest - 1])
    (log,) = [check for check in doctor(own_memory.resources) if check.name == "log"]
    assert not log.ok and log.hint
    assert log.detail == f"{newest - 1} events up to seq {newest}, {newest - 1} keys, 1 payloads that are not what was written"


def test_doctor_survives_a_store_that_does_not_open(tmp_path: Path) -> None:
    (tmp_path / "memory.duckdb").write_bytes(b"this is no database" * 1000)
    checks = doctor(Memory(load_settings({"home": tmp_path, "embedding": {"model": "hashing"}})).resources)
    assert {check.name for check in checks if not check.ok} >= {"store"}
    assert all(check.hint for check in checks if not check.ok)


@pytest.mark.long
def test_rebuild_mends_tables_and_index(own_memory: Memory) -> None:
    with own_memory.database.writing() as connection:
        connection.execute("UPDATE entries SET title = 'tampered' WHERE entry_type = 'task'")
    index = Resources(own_memory.settings).vector_index
    units = index.rows(["unit_id"])["unit_id"].to_pylist()
    index.delete(units[:2])
    report = verify_all(own_memory.resources)
    assert not report.equal and report.difference_count == 3
    by_table = {difference.table: difference for difference in report.differences}
    assert (by_table["entries"].column, by_table["entries"].stored) == ("title", "tampered")
    assert (by_table[index.table_name].stored, by_table[index.table_name].replayed) == (None, "present")
    rebuilt = rebuild_all(own_memory.resources)
    assert rebuilt.units_written == 2 and rebuilt.units_failed == 0
    assert verify_all(own_memory.resources, with_vectors=True).equal


@pytest.mark.long
def test_rebuild_finds_and_mends_vectors_of_another_value(own_memory: Memory) -> None:
    index = Resources(own_memory.settings).vector_index
    table = index._open_or_create()
    unit_id, vector = (index.rows(["unit_id", "vector"])[name].to_pylist()[0] for name in ("unit_id", "vector"))
    # A little off: of the tests' embedder every vector is exact.
    table.update(where=f"unit_id = '{unit_id}'", values={"vector": [vector[0] + 0.01, *vector[1:]]})
    assert verify_all(own_memory.resources).equal
    report = verify_all(own_memory.resources, with_vectors=True)
    assert [difference.key for difference in report.differences] == [unit_id]
    assert rebuild_all(own_memory.resources, with_vectors=True).units_written == outbox_status(own_memory.resources).units
    assert verify_all(own_memory.resources, with_vectors=True).equal


@pytest.mark.long
def test_rebuild_replaces_an_index_that_cannot_be_read(own_memory: Memory) -> None:
    for file in (own_memory.settings.vectors_folder).rglob("*.manifest"):
        file.write_bytes(b"broken")
    assert rebuild_all(own_memory.resources).units_written == outbox_status(own_memory.resources).units
    assert verify_all(own_memory.resources).equal


def test_initialise_keeps_what_is_there(tmp_path: Path) -> None:
    memory = Memory(load_settings({"home": tmp_path / "집", "embedding": {"model": "hashing"}}))
    assert all(item.made for item in initialise(memory.resources))
    file = tmp_path / "집" / "memory.toml"
    file.write_text("[store]\nlock_timeout_seconds = 3\n")
    assert not any(item.made for item in initialise(memory.resources))
    assert file.read_text().startswith("[store]")
    assert [item.path for item in initialise(memory.resources, force=True) if item.made] == [file]
    assert (tmp_path / "집").stat().st_mode & 0o777 == 0o700 and file.stat().st_mode & 0o777 == 0o600
