"""What tasks cost: folding the events of many, and resolving one more session where many are known.

  python benchmarks/bench_tasks.py [--events 100000] [--known 1000 10000]

Entries and their quotes are written into the tables as the folds before would have left them; what is measured begins with the
claims that they make and ends with the units that search reads. The embedder has no part in it.

Bars: folding 100,000 task events <= 20 CPU-seconds; resolving a session of ten claims, three of them blocked, where
10,000 tasks are known, <= 50 CPU-milliseconds, and less than ten times what it costs where 1,000 are known.
"""

from __future__ import annotations

import argparse
import itertools
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb


def listed(names: str) -> list[str]:
    """Names that were written down one behind the other."""
    return names.split("|")


VERBS = listed("Fix|Add|Remove|Document|Refactor|Review|Test|Deploy")
THINGS = listed(
    "login form|retry queue|invoice export|search index|rate limiter|audit trail|session cache|upload "
    "dialog|billing webhook|feature flag|error page|cron job|data importer|settings screen|mail template|health "
    "check|token refresh|price table|image resizer|consent banner|report builder|sync worker|backup script|log "
    "viewer"
)
PLACES = listed(
    "checkout|the mobile app|the admin console|the partner portal|the staging cluster|the warehouse|onboarding|the "
    "public API|the data lake|the support desk|the desktop client|the billing service|the mail gateway|the identity "
    "provider|the analytics job|the storefront|the order service|the ledger|the build farm|the wiki|the "
    "catalogue|the gateway|the scheduler|the archive|the map view|the chat|the kiosk|the planner"
)
KOREAN = listed("결제|정산|로그인|알림|검색|배송|회원|쿠폰|재고|통계|주문|환불|리뷰|권한|캐시|배포")
KOREAN_THINGS = listed("모듈 리팩터링|화면 개편|API 문서화|테스트 보강|버그 수정|로그 정리|서버 이전|속도 개선")
WAITED_FOR = ("the answer of the {} team", "the numbers from {}", "{} 팀의 승인", "the contract with {}")
STARTED = datetime(2026, 1, 5, 9)
VERSION = "hashing-256-1"


@dataclass(frozen=True)
class Said:
    """One claim of a session."""

    title: str
    status: str
    blocked_by: tuple[str, ...] = ()


def titles(count: int) -> list[str]:
    """Titles of different tasks, made of few words, as they are."""
    english = [f"{verb} the {thing} of {place}" for verb, thing, place in itertools.product(VERBS, THINGS, PLACES)]
    korean = [
        f"{place} {part} {thing}" for place, part, thing in itertools.product(KOREAN, KOREAN, KOREAN_THINGS) if place != part
    ]
    found = [*english, *korean]
    random.Random(0).shuffle(found)
    if count > len(found):
        found = [*found, *(f"{title} for release {number}" for number in range(2, 200) for title in found)]
    return found[:count]


def histories(count: int) -> Iterator[list[Said]]:
    """Sessions of ten claims each: what every task goes through, one step a session."""
    names = titles(count)
    for start in range(0, count, 10):
        some = names[start : start + 10]
        blockers = [WAITED_FOR[number % 4].format(title.split()[-1]) for number, title in enumerate(some)]
        yield [Said(title, "pending") for title in some]
        yield [Said(title, "in_progress") for title in some]
        yield [Said(title, "blocked", (blocker,)) for title, blocker in zip(some, blockers, strict=True)]
        if start % 40 == 0:
            yield [Said(title, "done") for title in some]


def write(connection: duckdb.DuckDBPyConnection, sessions: Sequence[tuple[str, Sequence[Said]]], first: int) -> None:
    """Sessions with their entries and quotes, as the folds before leave them."""
    import pyarrow as pa

    claims = [
        (name, first + number, place, said) for number, (name, told) in enumerate(sessions) for place, said in enumerate(told)
    ]
    table = pa.table(
        {
            "session_id": [name for name, _, _, _ in claims],
            "place": pa.array([place for _, _, place, _ in claims], pa.int32()),
            "said_at": pa.array([STARTED + timedelta(hours=number) for _, number, _, _ in claims], pa.timestamp("us")),
            "title": [said.title for _, _, _, said in claims],
            "status": [said.status for _, _, _, said in claims],
            "blocked_by": pa.array([list(said.blocked_by) for _, _, _, said in claims], pa.list_(pa.string())),
        }
    )
    connection.register("said", table)
    connection.execute(
        """INSERT INTO sessions BY NAME
           SELECT session_id, 1 AS revision, 'bench' AS source_kind, session_id AS source_id, [] AS source_uris,
             '' AS content_hash, '' AS parser_version, 'shop' AS project, min(said_at) AS started_at, max(said_at) AS ended_at,
             count(*) AS message_count, 0 AS char_len, 'ev_' || session_id AS ingest_event_id, 'ev_' || session_id AS chain_id,
             'projected' AS status, '{}' AS redactions_json
           FROM said GROUP BY session_id"""
    )
    connection.execute(
        """INSERT INTO entries BY NAME
           SELECT 'ent_' || md5(session_id || place) AS entry_id, said_at AS created_ts, 'task' AS entry_type, title,
             json_object('status', status, 'blocked_by', blocked_by) AS content_json, 'verified' AS stage,
             'verified' AS granted_stage, 'active' AS status, '[]' AS evidence_json, lower(title) AS canonical_key,
             said_at AS created_at, session_id, 'shop' AS project, true AS evidence_aligned, 1.0 AS confidence,
             place AS message_index, place AS ordinal, 'ev_' || md5(session_id || place) AS source_event_id, '{}' AS meta_json
           FROM said"""
    )
    connection.execute(
        """INSERT INTO evidence_spans BY NAME
           SELECT 'spn_' || md5(session_id || place) AS span_id, 'ent_' || md5(session_id || place) AS entry_id, 0 AS ordinal,
             session_id, 'ev_' || md5(session_id || place) AS event_id, place AS message_index, place AS claimed_message_index,
             title AS quote, md5(title) AS quote_hash, 0 AS span_start, length(title) AS span_end, title AS matched_text,
             'exact' AS match_method, 1.0 AS confidence, false AS ambiguous, 0 AS alternative_count, false AS relocated,
             false AS critical, '1' AS aligner_version
           FROM said"""
    )
    connection.unregister("said")


@dataclass
class Spent:
    """CPU-seconds: of making claims of entries, of finding what they mean and appending what follows, of the tables then."""

    claims: float = 0.0
    resolving: float = 0.0
    folding: float = 0.0
    events: int = 0


def resolve(connection: duckdb.DuckDBPyConnection, session_ids: Sequence[str], since: int = 1) -> Spent:
    """Fold the claims of these sessions, and all tasks that they concern."""
    from memory_assets.projections.scope import close_scope, open_scope
    from memory_assets.projections.task_tables import board
    from memory_assets.projections.task_tables.claims import close_touched_tasks, fold_claims, open_touched_tasks

    open_scope(connection, session_ids)
    connection.execute("CREATE OR REPLACE TEMP TABLE touched_memories (memory_id VARCHAR)")
    open_touched_tasks(connection)
    spent = Spent()
    steps = {name: getattr(board, name) for name in ("fold_names", "resolve_tasks")}

    def timed(step: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any, **options: Any) -> Any:
            started = time.process_time()
            try:
                return step(*given, **options)
            finally:
                spent.resolving += time.process_time() - started

        return run

    started = time.process_time()
    fold_claims(connection)
    spent.claims = time.process_time() - started
    try:
        for name, step in steps.items():
            setattr(board, name, timed(step))
        started = time.process_time()
        appended = board.fold_board(connection, since, VERSION, resolve=True, build=None)
        spent.folding = time.process_time() - started - spent.resolving
    finally:
        for name, step in steps.items():
            setattr(board, name, step)
    spent.events = sum(one.new for one in appended)
    close_touched_tasks(connection)
    close_scope(connection)
    return spent


def filled(connection: duckdb.DuckDBPyConnection, tasks: int) -> int:
    """Make tasks known; how many sessions speak of them."""
    sessions = [(f"known-{number}", told) for number, told in enumerate(histories(tasks))]
    connection.execute("BEGIN")
    write(connection, sessions, 0)
    spent = resolve(connection, [name for name, _ in sessions])
    connection.execute("COMMIT")
    connection.execute("CHECKPOINT")
    seconds = spent.claims + spent.resolving + spent.folding
    print(
        f"  … {tasks:,} tasks of {len(sessions):,} sessions: {spent.events:,} events appended and folded in {seconds:.1f} CPU-s"
    )
    return len(sessions)


def one_more(connection: duckdb.DuckDBPyConnection, number: int, known: Sequence[str], clock: int) -> Spent:
    """A session that speaks of seven known tasks and three new ones, three of them blocked."""
    chance = random.Random(number)
    spoken_of = chance.sample(known, 9)
    told = [
        *(Said(title, "in_progress") for title in spoken_of[:5]),
        Said(spoken_of[5], "blocked", (spoken_of[7],)),
        Said(spoken_of[6], "blocked", (f"the answer of the {number} committee",)),
        Said(f"Plan the offsite {number}", "blocked", (f"https://github.com/acme/app/pull/{number}",)),
        Said(f"Order the {number} chairs", "pending"),
        Said(f"회의록 {number} 정리", "in_progress"),
    ]
    connection.execute("BEGIN")
    write(connection, [(f"more-{number}", told)], clock + number)
    spent = resolve(connection, [f"more-{number}"])
    connection.execute("COMMIT")
    assert spent.events > 15, spent
    return spent


def fold_again(connection: duckdb.DuckDBPyConnection) -> tuple[Spent, int]:
    """Fold every task anew from the events that are in the log; how many events these are."""
    connection.execute("BEGIN")
    for table in ("task_claims", "task_names", "task_outcomes", "entities", "entity_aliases", "edges", "memory_units"):
        connection.execute(f"DELETE FROM {table}")
    sessions = [row[0] for row in connection.execute("SELECT session_id FROM sessions").fetchall()]
    spent = resolve(connection, sessions, since=0)
    assert spent.events == 0, spent
    connection.execute("COMMIT")
    events = connection.execute(
        "SELECT count(*) FROM events WHERE starts_with(event_type, 'task_') OR starts_with(event_type, 'condition_')"
    ).fetchall()[0][0]
    return spent, events


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--known", type=int, nargs=2, default=[1_000, 10_000])
    parser.add_argument("--sessions", type=int, default=20, help="measured after two that are not")
    chosen = parser.parse_args()
    from memory_assets.log.database import Database

    costs = []
    for known in chosen.known:
        with tempfile.TemporaryDirectory() as folder, Database(Path(folder)).held() as connection:
            print(f"{known:,} known tasks")
            clock = filled(connection, known)
            spent = [one_more(connection, number, titles(known), clock) for number in range(chosen.sessions + 2)][2:]
            claims, resolving, folding = (
                1000 * statistics.median(getattr(one, part) for one in spent) for part in ("claims", "resolving", "folding")
            )
            costs.append(resolving)
            print(f"  a session more: {resolving:.1f} CPU-ms to resolve, {claims:.1f} for claims, {folding:.1f} for the tables")
    print(
        f"{costs[1] / costs[0]:.2f} times as much for {chosen.known[1] / chosen.known[0]:.0f} times as many known   bar 50 ms"
    )
    with tempfile.TemporaryDirectory() as folder, Database(Path(folder)).held() as connection:
        filled(connection, chosen.events * 10 // 65)
        once, events = fold_again(connection)
        seconds = once.resolving + once.folding
        print(
            f"{events:,} task events folded in {seconds:.1f} CPU-s   bar 20.0 for 100,000   (the claims {once.claims:.1f} more)"
        )


if __name__ == "__main__":
    main()
