"""The JSON API, asked over loopback."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest

from memory_assets.log.event_log import EventLog
from memory_assets.log.fetching import scalar
from memory_assets.maintenance.indexing import write_waiting
from memory_assets.memory import Memory
from memory_assets.results.registry import schema_of
from memory_assets.viewer.api import MOST_BODY_BYTES, ROUTES
from memory_assets.vocabulary import STAGES
from memory_assets_tests.filled_store import fill, tell, tell_each
from memory_assets_tests.viewer.loopback import served


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    settings = fill(tmp_path_factory.mktemp("api"))
    tell_each(settings, {f"day-{number:03}": (("user", f"word {number}"), ("assistant", "yes")) for number in range(30)})
    return Memory(settings)


@pytest.fixture(scope="module")
def client(memory: Memory) -> Iterator[httpx.Client]:
    with served(memory, ROUTES) as address, httpx.Client(base_url=address, timeout=30) as asking:
        yield asking


def got(client: httpx.Client, path: str, schema: str, status: int = 200) -> dict[str, Any]:
    """The answer of a GET, which is what its schema says."""
    answer = client.get(path)
    assert answer.status_code == status, answer.text
    found: dict[str, Any] = answer.json()
    jsonschema.validate(found, schema_of(schema))
    return found


def test_sessions_come_in_pages_with_their_total(client: httpx.Client, memory: Memory) -> None:
    every = [session.session_id for session in memory.sessions()]
    assert len(every) == 33
    pages = [got(client, f"/api/sessions?page={page}&page_size=15", "session_page.v1") for page in (1, 2, 3, 4)]
    assert [session["session_id"] for page in pages for session in page["sessions"]] == every
    assert [page["total"] for page in pages] == [33] * 4 and pages[3]["sessions"] == []
    assert got(client, "/api/sessions?status=quarantined", "session_page.v1")["total"] == 1
    assert got(client, "/api/sessions?project=nothing", "session_page.v1")["total"] == 0


def test_a_session_is_counted_without_its_messages(client: httpx.Client) -> None:
    found = got(client, "/api/sessions/shop-1", "session_overview.v1")
    counts = found["counts"]
    assert (counts["messages"], counts["prompts"], counts["responses"], counts["other"]) == (4, 2, 2, 0)
    assert (counts["memories"], counts["tasks"]) == (3, 1)
    assert found["event_total"] == 15 and found["events"][0]["event_type"] == "session_vectorized"
    assert got(client, "/api/sessions/odd-3", "session_overview.v1")["quarantine"][0]["error_code"] == "unexpected"


def test_messages_come_in_pages(client: httpx.Client) -> None:
    found = got(client, "/api/sessions/shop-1/messages?offset=1&limit=2", "message_page.v1")
    assert [message["message_index"] for message in found["messages"]] == [1, 2] and found["total"] == 4
    assert got(client, "/api/sessions/shop-1/messages?offset=99", "message_page.v1")["messages"] == []


def test_events_come_in_pages_with_their_total(client: httpx.Client, memory: Memory) -> None:
    total = memory.read(scalar, "SELECT count(*) FROM visible_events")
    first = got(client, "/api/events?limit=40", "event_page.v1")
    second = got(client, "/api/events?limit=1000&offset=40", "event_page.v1")
    seqs = [event["seq"] for event in (*first["events"], *second["events"])]
    assert len(seqs) == total == first["total"] == second["total"] and seqs == sorted(seqs, reverse=True)
    behind = got(client, "/api/events?offset=100000", "event_page.v1")
    assert behind["events"] == [] and behind["total"] == total
    typed = got(client, "/api/events?type=entry_promoted&session_id=shop-1", "event_page.v1")
    assert typed["total"] == 3 == len(typed["events"])


def test_an_event_says_what_it_was_made_from(client: httpx.Client) -> None:
    page = got(client, "/api/events?type=evidence_aligned&session_id=shop-1", "event_page.v1")
    event_id = page["events"][0]["event_id"]
    found = got(client, f"/api/events/{event_id}", "event_with_related.v1")
    assert found["caused_by"]["event_type"] == "memory_extracted"
    assert found["caused_total"] == len(found["caused"]) == 5
    assert {event["event_type"] for event in found["caused"]} == {"entry_materialized", "entries_materialized"}
    assert found["payload"]["aligned_count"] == 4


def test_a_search_answers_as_the_command_does(client: httpx.Client, memory: Memory) -> None:
    answer = client.post("/api/search", json={"query": "PostgreSQL orders", "k": 3, "project": "shop"})
    assert answer.status_code == 200
    jsonschema.validate(answer.json(), schema_of("search_response.v1"))
    hits = memory.search("PostgreSQL orders", k=3, project="shop").hits
    assert [hit["unit_id"] for hit in answer.json()["hits"]] == [hit.unit_id for hit in hits] != []


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b"{}", "query"),
        (b"", "JSON"),
        (b"[1]", "body"),
        (b"\xff\xfe", "JSON"),
        (b'{"query": ""}', "question"),
        (b'{"query": "x", "k": 0}', "k"),
        (b'{"query": "x", "proyect": "shop"}', "proyect"),
        (b"[" * 100_000, "JSON"),
        (b'{"query": "' + b"x" * MOST_BODY_BYTES + b'"}', "longer"),
    ],
)
def test_a_search_that_cannot_be_asked_is_named(client: httpx.Client, body: bytes, named: str) -> None:
    answer = client.post("/api/search", content=body)
    assert answer.status_code == 400
    error = answer.json()
    jsonschema.validate(error, schema_of("error.v1"))
    assert error["code"] == "invalid_argument" and named in error["message"]


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/api/sessions/nobody", 404, "not_found"),
        ("/api/sessions/nobody/messages", 404, "not_found"),
        ("/api/events/ev_00000000", 404, "not_found"),
        ("/api/events/999999", 404, "not_found"),
        ("/api/nothing", 404, "not_found"),
        ("/api/citations/mem:zzzzzz", 404, "not_found"),
        ("/api/citations/no address", 400, "invalid_argument"),
        ("/api/sessions/..%2f..%2fetc%2fpasswd", 404, "not_found"),
        ("/api/sessions/%00", 404, "not_found"),
        ("/api/sessions/%ff%fe", 404, "not_found"),
        ("/api/sessions?page=0", 400, "invalid_argument"),
        ("/api/sessions?page=x", 400, "invalid_argument"),
        ("/api/sessions?page_size=100000", 400, "invalid_argument"),
        ("/api/sessions?pagesize=3", 400, "invalid_argument"),
        ("/api/sessions?status=lost", 400, "invalid_argument"),
        ("/api/events?limit=0", 400, "invalid_argument"),
        ("/api/events?type=nothing", 400, "invalid_argument"),
        ("/api/stats/timeline?days=0", 400, "invalid_argument"),
        ("/api/stats/levels/famous", 400, "invalid_argument"),
        ("/api/stats?days=3", 400, "invalid_argument"),
    ],
)
def test_what_cannot_be_answered_is_an_error_that_names_it(client: httpx.Client, path: str, status: int, code: str) -> None:
    assert got(client, path, "error.v1", status)["code"] == code


def test_stats_are_counted(client: httpx.Client, memory: Memory) -> None:
    found = got(client, "/api/stats", "stats.v1")
    assert found["sessions"] == 32 and found["messages"] == 66
    assert found["events"] == memory.read(scalar, "SELECT count(*) FROM events")


def test_memories_are_listed_and_counted_by_stage(client: httpx.Client, memory: Memory) -> None:
    found = got(client, "/api/stats/graduation", "graduation.v1")
    every = memory.memories().memories
    stood = Counter(one.stage for one in every)
    assert found["stages"] == {stage: stood[stage] for stage in STAGES} and sum(stood.values()) == len(every) == 4
    taken = {(one["from_stage"], one["to_stage"], one["outcome"]) for one in found["promotions"]}
    assert ("candidate", "verified", "promoted") in taken
    stage, many = stood.most_common(1)[0]
    pages = [got(client, f"/api/stats/levels/{stage}?page_size=2&page={page}", "memory_page.v1") for page in (1, 2, 3)]
    assert [one["memory_id"] for page in pages for one in page["memories"]] == [
        one.memory_id for one in every if one.stage == stage
    ]
    assert {page["total"] for page in pages} == {many}
    assert got(client, f"/api/stats/levels/{stage}?project=nothing", "memory_page.v1")["total"] == 0


def test_the_settings_are_shown_and_no_key(client: httpx.Client, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-to-be-shown-000000000000")
    found = got(client, "/api/config", "settings_shown.v1")["settings"]
    assert found["embedding"]["model"] == "hashing" and "sk-not" not in json.dumps(found)


def test_days_are_counted(client: httpx.Client) -> None:
    days = got(client, "/api/stats/timeline?days=3000&project=shop", "stats_timeline.v1")["days"]
    assert len(days) == 3000
    told = {day["day"]: day for day in days if day["messages"]}
    assert {day: (told[day]["sessions"], told[day]["messages"]) for day in told} == {
        "2025-01-02": (31, 64),
        "2025-01-05": (1, 2),
    }
    assert [(told[day]["memories"], told[day]["decisions"]) for day in sorted(told)] == [(3, 2), (1, 0)]
    assert sum(day["events"] for day in days) > 100


@pytest.mark.parametrize(
    ("address", "kind"), [("session:shop-1#m=1&c=3-9", "span"), ("session:shop-1#m=1", "span"), ("file:src/app.py", None)]
)
def test_an_address_is_resolved(client: httpx.Client, address: str, kind: str | None) -> None:
    from urllib.parse import quote

    if kind is None:
        assert got(client, f"/api/citations/{quote(address, safe='')}", "error.v1", 404)["code"] == "not_found"
        return
    found = got(client, f"/api/citations/{quote(address, safe='')}", "shown.v1")
    assert found["kind"] == kind and found["message"]["message_index"] == 1
    if "c=" in address:
        assert found["text"] == found["message"]["text"][3:9]


def test_health_counts_what_waits(client: httpx.Client, memory: Memory) -> None:
    found = got(client, "/api/health", "store_health.v1")
    assert found["folded_seq"] == found["last_seq"] == found["events"]
    assert found["quarantined"] == 1
    assert {stage["stage"]: (stage["waiting"], stage["aside"]) for stage in found["stages"]}["ingested"] == (0, 1)
    assert sum(found["queue"]["words"].values()) == memory.read(scalar, "SELECT count(*) FROM vector_outbox") / len(
        found["queue"]
    )


def test_a_session_on_its_way_waits_for_its_next_stage(tmp_path: Path) -> None:
    from memory_assets.queries.store_health import store_health
    from memory_assets_tests.filled_store import STARTED, session_events

    settings = fill(tmp_path)
    memory = Memory(settings)
    versions = memory.resources.configured_versions
    told = session_events("late-4", "shop", "Late", "/srv/late", STARTED, (("user", "later"),), (), versions)
    EventLog(memory.database).append([event for event in told if event.payload.event_type != "session_vectorized"][:3])
    found = memory.read(store_health)
    assert {stage.stage: stage.waiting for stage in found.stages if stage.waiting} == {"aligned": 1}
    assert found.folded_seq < found.last_seq


@pytest.mark.long
def test_what_is_masked_today_goes_out_masked(tmp_path: Path) -> None:
    """A text that an older policy let in, with a title to it."""
    settings = fill(tmp_path)
    secret = "ghp_" + "Ab3dE5" * 6
    tell(settings, "old-5", (("user", f"the token is {secret}"),), ())
    memory = Memory(settings)
    write_waiting(memory.resources)
    with served(memory, ROUTES) as address, httpx.Client(base_url=address, timeout=30) as client:
        paths = ["/api/sessions/old-5/messages", "/api/citations/session%3Aold-5%23m%3D0"]
        event = client.get("/api/events?session_id=old-5&type=session_ingested").json()["events"][0]
        texts = [client.get(path).text for path in [*paths, f"/api/events/{event['event_id']}"]]
        texts.append(client.post("/api/search", json={"query": "token"}).text)
    assert all("token is" in text and "[SECRET:github]" in text for text in texts), texts
    assert [text for text in texts if secret in text] == []


def test_a_get_changes_nothing(client: httpx.Client, memory: Memory) -> None:
    before = memory.read(scalar, "SELECT max(seq) FROM events"), memory.database.path.read_bytes()
    for path in ("/api/sessions", "/api/stats", "/api/health", "/api/events", "/api/stats/timeline"):
        assert client.get(path).status_code == 200
    assert (memory.read(scalar, "SELECT max(seq) FROM events"), memory.database.path.read_bytes()) == before
    assert client.get("/api/search").status_code in (404, 405)


@pytest.mark.long
def test_forgotten_sessions_are_neither_shown_nor_counted(tmp_path: Path) -> None:
    from memory_assets.defs.forgetting import forget
    from memory_assets.queries.forgettable import ToForget

    settings = fill(tmp_path)
    memory = Memory(settings)
    before = memory.read(scalar, "SELECT count(*) FROM events WHERE session_id = 'shop-1'")
    forget(settings, ToForget(sessions=("shop-1",)))
    with served(memory, ROUTES) as address, httpx.Client(base_url=address, timeout=30) as client:
        events = client.get("/api/events?session_id=shop-1").json()
        assert before == 15 and events["total"] == 1
        assert [event["event_type"] for event in events["events"]] == ["session_forgotten"]
        assert client.get("/api/sessions/shop-1").status_code == 404
        assert "PostgreSQL 16" not in json.dumps(client.get("/api/events?limit=1000").json())
