"""Both backends of the court with 20,000 lessons of 200 roles, and with one role of 10,000 more.

What is measured: CPU seconds (this process and the server's, user and system) to write everything, to write a step, and for a
search; and how many of the best ten of a role are those that plain arithmetic over every lesson of the role gives.
PostgreSQL 18 with pgvector comes from the extra `postgres-test`, 15 without it from Debian; what is missing is said.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memory_assets.court_backend import postgres_lessons, projector
from memory_assets.court_backend.court_in_postgres import CourtInPostgres
from memory_assets.court_backend.embedded import EmbeddedLessons
from memory_assets.court_backend.lesson_index import LessonIndex
from memory_assets.court_backend.postgres_lessons import PostgresLessons
from memory_assets_tests.court_backend.planted_court import Planted, PlantedCourt, lesson_id
from memory_assets_tests.postgres.servers import Server, debian_15, wheel_18

DIMENSIONS, ROLES, LESSONS, LARGE, QUESTIONS, K = 384, 200, 20_000, 10_000, 200, 10


def main() -> None:
    lessons = [(f"role {number % ROLES}", f"rule {number}") for number in range(LESSONS)]
    large = [("coder", f"another {number}") for number in range(LARGE)]
    with tempfile.TemporaryDirectory() as folder:
        court = PlantedCourt(Path(folder), Planted(DIMENSIONS))
        court.plant(lessons)
        by_hand = Arithmetic(court, [*lessons, *large])
        embedded = EmbeddedLessons(court.index, court.database)
        small_roles = [f"role {number % ROLES}" for number in range(QUESTIONS)]
        print(f"{LESSONS:,} lessons of {ROLES} roles, vectors of {DIMENSIONS}, {QUESTIONS} questions, best {K}")
        report("embedded", embedded, by_hand, small_roles)
        servers = [("PostgreSQL 18, pgvector", wheel_18()), ("PostgreSQL 15, arrays", debian_15())]
        running = []
        for name, programs in servers:
            if programs is None:
                print(f"{name}: not here, not measured")
                continue
            running.append((name, Server(programs)))
        try:
            mirrors = []
            for name, server in running:
                address = server.address(server.new_database())
                mirror = CourtInPostgres(address, court.database, court.embedder, court.index)
                mirrors.append((name, server, mirror))
                written(name, "everything", server, mirror)
                report(name, PostgresLessons(address, court.embedder), by_hand, small_roles, server)
            court.plant([("role 3", f"a step {number}") for number in range(10)])
            for name, server, mirror in mirrors:
                written(name, "a step of 10 lessons", server, mirror)
                written(name, "nothing new", server, mirror)
                print(f"  both sides differ in {dict(mirror.differing()) or 'no row'}")
            court.forget([lesson_id(number) for number in range(LESSONS, LESSONS + 10)])
            print(f"\nand a role of {LARGE:,}")
            court.plant(large)
            report("embedded", embedded, by_hand, ["coder"] * QUESTIONS)
            for name, server, mirror in mirrors:
                written(name, f"{LARGE:,} more", server, mirror)
                before = scans(server, mirror)
                report(name, PostgresLessons(mirror.address, court.embedder), by_hand, ["coder"] * QUESTIONS, server)
                print(f"  of these searches {scans(server, mirror) - before} were answered by the index")
                if "18" in name:
                    by_the_index_alone(server, mirror, court, by_hand, small_roles)
        finally:
            for _, server in running:
                server.remove()


def by_the_index_alone(
    server: Server, mirror: CourtInPostgres, court: PlantedCourt, by_hand: Arithmetic, small_roles: list[str]
) -> None:
    """What the index gives where nothing else may answer: for the large role and for roles of 100 among 30,000."""
    for setting in ("enable_seqscan", "enable_bitmapscan", "enable_sort"):
        server.execute("postgres", f"ALTER DATABASE {database_of(mirror)} SET {setting} = off")
    with as_if_large(50):
        for what, roles in (("the large role", ["coder"] * QUESTIONS), ("small roles", small_roles)):
            before = scans(server, mirror)
            report(f"  {what}, index alone", PostgresLessons(mirror.address, court.embedder), by_hand, roles, server)
            print(f"    of these searches {scans(server, mirror) - before} went to the index")
            with without_iterating():
                name = f"  {what}, index alone, without strict_order"
                report(name, PostgresLessons(mirror.address, court.embedder), by_hand, roles, server)


def scans(server: Server, mirror: CourtInPostgres) -> int:
    """How often the index of vectors was asked."""
    time.sleep(1.5)  # servers report what they did once a second
    counted = "SELECT coalesce(sum(idx_scan), 0)::int FROM pg_stat_user_indexes WHERE indexrelname LIKE '%near'"
    return int(str(server.execute(database_of(mirror), counted)[0][0]))


def database_of(mirror: CourtInPostgres) -> str:
    return urlsplit(mirror.address.url).path.removeprefix("/")


class Arithmetic:
    """The best of a role by plain arithmetic."""

    def __init__(self, court: PlantedCourt, lessons: list[tuple[str, str]]) -> None:
        self._embedder = court.embedder
        self._vectors = court.embedder.embed_documents([text for _, text in lessons]).astype(np.float64)
        self._roles = np.array([role for role, _ in lessons])

    def best(self, role: str, query: np.ndarray) -> set[str]:
        mine = np.flatnonzero(self._roles == role)
        order = mine[np.argsort(-(self._vectors[mine] @ query.astype(np.float64)))[:K]]
        return {lesson_id(int(place)) for place in order}


def report(name: str, index: LessonIndex, by_hand: Arithmetic, roles: list[str], server: Server | None = None) -> None:
    queries = [by_hand._embedder.embed_query(f"question {number}") for number in range(len(roles))]
    index.search_lessons(roles[0], queries[0], K)
    before = cpu_of(server)
    found = [index.search_lessons(role, query, K) for role, query in zip(roles, queries, strict=True)]
    spent = cpu_of(server) - before
    same = sum(
        len({hit.lesson_id for hit in hits} & by_hand.best(role, query))
        for hits, role, query in zip(found, roles, queries, strict=True)
    )
    fewest = min(len(hits) for hits in found)
    print(
        f"{name}: {same / len(roles) / K:.2%} as exact, at least {fewest} hits, {1000 * spent / len(roles):.1f} ms CPU a search"
    )
    if isinstance(index, PostgresLessons):
        index.close()


def written(name: str, what: str, server: Server, mirror: CourtInPostgres) -> None:
    before = cpu_of(server)
    done = mirror.project()
    told = f"{done.written:,} rows, {done.embedded:,} vectors{', an index' if done.has_index else ''}"
    print(f"{name}: {what} written in {cpu_of(server) - before:.2f} CPU-s ({told})")


def cpu_of(server: Server | None) -> float:
    """CPU of this process and of the server's processes, those that ended too."""
    return time.process_time() + (server.cpu_seconds() if server else 0.0)


@contextmanager
def as_if_large(rows: int) -> Iterator[None]:
    """Roles of more than so many lessons are searched by the index."""
    usual = projector.EXACT_ROWS_OF_A_ROLE
    projector.EXACT_ROWS_OF_A_ROLE = postgres_lessons.EXACT_ROWS_OF_A_ROLE = rows
    yield
    projector.EXACT_ROWS_OF_A_ROLE = postgres_lessons.EXACT_ROWS_OF_A_ROLE = usual


@contextmanager
def without_iterating() -> Iterator[None]:
    """The index is asked once, as it is asked by default; and what it misses is not looked for elsewhere."""
    by_index, exactly = postgres_lessons._by_index, postgres_lessons._exactly
    found: Callable[..., list[tuple[object, ...]]] = _by_default
    postgres_lessons._by_index, postgres_lessons._exactly = found, found
    yield
    postgres_lessons._by_index, postgres_lessons._exactly = by_index, exactly


def _by_default(connection, vectors, asked):  # type: ignore[no-untyped-def]
    near = postgres_lessons._NEAR.format(**postgres_lessons._names(connection, vectors))
    return connection.execute(near, asked, prepare=False).fetchall()


if __name__ == "__main__":
    main()
