"""A month of work in one project, Korean and English, session by session, as its board ought to stand after each of them.

The sessions are files and go through the whole road; a model that a careful reader stands in for quotes what they say of tasks.
What is expected was written down by reading the sessions, before anything was run.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_assets.commands.task_links import merge, resolve, unmerge
from memory_assets.commands.tasks import accept, set_blockers, set_status
from memory_assets.defs import run
from memory_assets.identifiers import sha256_hex
from memory_assets.maintenance.rebuild import verify_all
from memory_assets.memory import Memory
from memory_assets.queries.conditions import list_conditions
from memory_assets.queries.task_review import task_review
from memory_assets.settings import Settings, load_settings
from memory_assets.tasks.canonical import normalize, task_id, task_key
from memory_assets_tests.dagster_records import in_memory
from memory_assets_tests.defs.files import chat
from memory_assets_tests.defs.state import rows
from memory_assets_tests.depth import cases, depth
from memory_assets_tests.extraction.gold_model import shown
from memory_assets_tests.extraction.provider import Asked, Provider, body, serving

pytestmark = pytest.mark.long


@dataclass(frozen=True)
class Told:
    """A message, and what a careful reader takes from it of tasks: title, status and the rest, quoting the whole message.

    A further quote that stands nowhere makes evidence that does not stand.
    """

    text: str
    tasks: tuple[dict[str, Any], ...] = ()


def task(title: str, status: str | None = None, priority: str | None = None, *blocked_by: str, **more: Any) -> dict[str, Any]:
    return {"title": title, "status": status, "priority": priority, "blocked_by": list(blocked_by), **more}


REFACTORING, LOGIN, MIGRATION = "결제 모듈 리팩터링", "로그인 버그 수정", "Migrate the orders table to PostgreSQL 16"
SETTLEMENT, RUNBOOK, RUNBOOK_KOREAN = "정산 API 스펙 확정", "Write the on-call runbook", "온콜 런북 작성"
DASHBOARD, CART, RELEASE, REDIS = "모니터링 대시보드 구축", "Drop the legacy cart", "릴리스 1.4 배포", "Upgrade Redis to 7.2"

SESSIONS: dict[str, tuple[int, list[Told]]] = {
    "s01": (
        2,
        [
            Told("결제 모듈 리팩터링을 해야 합니다. 이번 달에 제일 중요한 일이에요.", (task(REFACTORING, "pending", "high"),)),
            Told("알겠습니다. 로그인 버그 수정도 할 일에 올려 두겠습니다.", (task(LOGIN, "pending"),)),
        ],
    ),
    "s02": (3, [Told("로그인 버그 수정을 오늘 시작했습니다. 세션 만료 쪽부터 보고 있어요.", (task(LOGIN, "in_progress"),))]),
    "s03": (
        4,
        [
            Told(
                "The migration of the orders table to PostgreSQL 16 is blocked on PR #41 and on Kim's review.",
                (task(MIGRATION, "blocked", None, "PR #41", "Kim's review"),),
            )
        ],
    ),
    "s04": (
        5,
        [
            Told("로그인 버그 수정은 끝냈습니다. 테스트도 통과했어요.", (task(LOGIN, "done"),)),
            Told("결제 모듈 리팩터링은 진행 중입니다. 이틀쯤 더 걸려요.", (task(REFACTORING, "in_progress"),)),
        ],
    ),
    "s05": (
        9,
        [
            Told("PR #41 was merged this morning, so that part of the migration is no longer in the way.", ()),
            Told(
                "결제 모듈 리팩터링은 정산 API 스펙 확정을 기다리느라 막혀 있습니다.",
                (task(REFACTORING, "blocked", None, SETTLEMENT),),
            ),
        ],
    ),
    "s06": (
        10,
        [
            Told("Kim's review is done, two small comments only.", (task("Kim's review", "done"),)),
            Told(
                "I am working on the orders table now, the migration to PostgreSQL 16 runs on staging.",
                (task(MIGRATION, "in_progress"),),
            ),
        ],
    ),
    "s07": (
        12,
        [
            Told("정산 API 스펙 확정 작업을 제가 맡아서 시작했습니다.", (task(SETTLEMENT, "in_progress", "critical"),)),
            Told("모니터링 대시보드 구축은 지금 막혀 있어요. 이유는 나중에 정리할게요.", (task(DASHBOARD, "blocked"),)),
        ],
    ),
    "s08": (13, [Told("We still need to write the on-call runbook, low priority.", (task(RUNBOOK, "pending", "low"),))]),
    "s09": (
        16,
        [
            Told("온콜 런북 작성이 아직 안 됐네요. 다음 주에 합시다.", (task(RUNBOOK_KOREAN, "pending"),)),
            Told(
                "릴리스 1.4 배포는 결제 모듈 리팩터링이 끝나야 할 수 있어요.",
                (task(RELEASE, "blocked", "high", REFACTORING),),
            ),
        ],
    ),
    "s10": (
        17,
        [
            Told("로그인 버그가 다시 나타나서 로그인 버그 수정을 다시 열고 작업 중입니다.", (task(LOGIN, "in_progress"),)),
            Told(
                "Upgrade Redis to 7.2 may have to wait for the vendor's security fix, I am not sure.",
                (
                    task(
                        REDIS,
                        "pending",
                        None,
                        "the vendor's security fix",
                        unfounded="the vendor told us on Friday that it is late",
                    ),
                ),
            ),
        ],
    ),
    "s11": (
        18,
        [
            Told("정산 API 스펙 확정 완료했습니다. 문서도 올렸어요.", (task(SETTLEMENT, "done"),)),
            Told("The legacy cart should be dropped once nobody uses it.", (task(CART, "pending"),)),
        ],
    ),
    "s12": (
        20,
        [
            Told("결제 모듈의 리팩터링을 다시 이어서 진행하고 있습니다.", (task("결제 모듈의 리팩터링", "in_progress"),)),
            Told("The on-call runbook is written and published.", (task(RUNBOOK, "done"),)),
        ],
    ),
    "s13": (
        23,
        [
            Told("로그인 버그 수정이 이번에는 정말 끝났습니다.", (task(LOGIN, "done"),)),
            Told("The orders table is on PostgreSQL 16 now, the migration is finished.", (task(MIGRATION, "done"),)),
            Told("Dropping the legacy cart is no longer needed, the team removed the product.", (task(CART, "cancelled"),)),
        ],
    ),
    "s14": (
        26,
        [
            Told("결제 모듈 리팩터링을 마쳤습니다. 리뷰도 끝났어요.", (task(REFACTORING, "done"),)),
            Told("Somebody is working on dropping the legacy cart again.", (task(CART, "in_progress"),)),
        ],
    ),
    "s15": (30, [Told("릴리스 1.4 배포를 시작했습니다.", (task(RELEASE, "in_progress"),))]),
}

Board = dict[str, tuple[str, str | None, dict[str, bool]]]
"""Of each task its status, its priority, and what it waits for: whether that is cleared."""

UNKNOWN = "(unknown blocker)"
EXPECTED: dict[str, Board] = {}


def _after(session: str, **changed: Any) -> None:
    """What a session changes; the rest stands as it stood."""
    before = EXPECTED[list(EXPECTED)[-1]] if EXPECTED else {}
    EXPECTED[session] = before | changed["tasks"]


_after("s01", tasks={REFACTORING: ("pending", "high", {}), LOGIN: ("pending", None, {})})
_after("s02", tasks={LOGIN: ("in_progress", None, {})})
_after("s03", tasks={MIGRATION: ("blocked", None, {"PR #41": False, "Kim's review": False})})
_after("s04", tasks={LOGIN: ("done", None, {}), REFACTORING: ("in_progress", "high", {})})
# The pull request is merged, and no task: it clears its part of the migration's blockers, and the migration stays blocked.
_after(
    "s05",
    tasks={
        MIGRATION: ("blocked", None, {"PR #41": True, "Kim's review": False}),
        REFACTORING: ("blocked", "high", {SETTLEMENT: False}),
    },
)
_after("s06", tasks={MIGRATION: ("in_progress", None, {})})
# Blocked, and nobody says by what: the dashboard is as pending as before.
_after("s07", tasks={SETTLEMENT: ("in_progress", "critical", {}), DASHBOARD: ("pending", None, {})})
_after("s08", tasks={RUNBOOK: ("pending", "low", {})})
_after("s09", tasks={RUNBOOK_KOREAN: ("pending", None, {}), RELEASE: ("blocked", "high", {REFACTORING: False})})
# What may have to wait is a suggestion: the quote that would have founded it is nowhere.
_after("s10", tasks={LOGIN: ("in_progress", None, {}), REDIS: ("pending", None, {})})
_after(
    "s11",
    tasks={
        SETTLEMENT: ("done", "critical", {}),
        REFACTORING: ("blocked", "high", {SETTLEMENT: True}),
        CART: ("pending", None, {}),
    },
)
# Written from pending: nobody was seen at work on it, so the runbook waits for a person.
_after("s12", tasks={REFACTORING: ("in_progress", "high", {})})
_after(
    "s13",
    tasks={LOGIN: ("done", None, {}), MIGRATION: ("done", None, {}), CART: ("cancelled", None, {})},
)
# A cancelled task comes back by a person's word alone.
_after("s14", tasks={REFACTORING: ("done", "high", {}), RELEASE: ("blocked", "high", {REFACTORING: True})})
_after("s15", tasks={RELEASE: ("in_progress", "high", {})})


def careful_reader(asked: Asked) -> str:
    """Answers with what is marked in the messages that it is shown."""
    told = {one.text: one for _, messages in SESSIONS.values() for one in messages}
    return body(
        *(
            {
                "type": "task",
                "title": marked["title"],
                "evidence": [
                    {"message_index": message.index, "quote": quote}
                    for quote in (message.text, *([marked["unfounded"]] if "unfounded" in marked else []))
                ],
                "reason": None,
                "status": marked["status"],
                "priority": marked["priority"],
                "blocked_by": marked["blocked_by"],
            }
            for message in shown(asked)
            if not message.context and message.text in told
            for marked in told[message.text].tasks
        ),
        *(
            {
                "type": "fact",
                "title": message.text,
                "evidence": [{"message_index": message.index, "quote": message.text}],
                "reason": None,
                "status": None,
                "priority": None,
                "blocked_by": [],
            }
            for message in shown(asked)
            if not message.context and message.text in told and not told[message.text].tasks
        ),
    )


@contextmanager
def model() -> Iterator[Provider]:
    """The careful reader behind the model API on loopback, and a Dagster of the test's own."""
    with pytest.MonkeyPatch.context() as patch, serving() as provider:
        for name in [name for name in os.environ if name.startswith("MEMORY_")]:
            patch.delenv(name)
        instance = in_memory()
        patch.setattr(run, "dagster_instance", lambda settings: instance)
        patch.setenv("OPENAI_API_KEY", "test-key")
        patch.setenv("DAGSTER_HOME", "")
        mask = os.umask(0o022)
        provider.plan = [careful_reader]
        yield provider
        os.umask(mask)


def store(home: Path, provider: Provider) -> Settings:
    chosen = {"model": "openai/tiny", "api_base": provider.base, "max_retries": 0}
    return load_settings({"home": home, "embedding": {"model": "hashing"}, "extraction": chosen})


def written(folder: Path, name: str) -> Path:
    """A session's file."""
    day, told = SESSIONS[name]
    started = datetime(2026, 3, day, 9, 0, tzinfo=UTC)
    return chat(folder, name, [one.text for one in told], started=started)


def board(settings: Settings) -> Board:
    return {
        task.title: (
            task.status,
            task.priority,
            {blocker.title: blocker.cleared for blocker in task.blockers if not blocker.suggested},
        )
        for task in Memory(settings).tasks()
    }


def id_of(settings: Settings, title: str) -> str:
    (found,) = [task.task_id for task in Memory(settings).tasks() if task.title == title]
    return found


def state(settings: Settings) -> dict[str, list[Any]]:
    """Every table of tasks."""
    tables = ("entities", "entity_aliases", "edges", "task_claims", "task_names", "artifact_references")
    return {table: rows(settings, f"SELECT * FROM {table} ORDER BY ALL") for table in tables}


# An import costs seconds: with every change it is looked at the board at these ends, and behind each session in `make slow`.
ENDS = ["s07", "s15"]


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Settings, Path, dict[str, Board]]]:
    """The month, session by session or some at a time; the board behind each import."""
    with model() as provider:
        folder = tmp_path_factory.mktemp("month")
        settings = store(folder / "home", provider)
        boards, last = {}, 0
        for name in depth(ENDS, list(SESSIONS)):
            some = list(SESSIONS)[last : list(SESSIONS).index(name) + 1]
            report = run.import_paths(settings, [written(folder / "sessions", one) for one in some], project="shop")
            assert (report.new, report.quarantined, report.errors) == (len(some), 0, [])
            boards[name], last = board(settings), last + len(some)
        yield settings, folder, boards


@pytest.mark.deep
@pytest.mark.parametrize("name", cases(ENDS, [name for name in SESSIONS if name not in ENDS]))
def test_the_board_stands_as_a_careful_reader_would_write_it(month: tuple[Settings, Path, dict[str, Board]], name: str) -> None:
    assert month[2][name] == EXPECTED[name]


def test_a_task_is_found_again_and_never_made_anew(month: tuple[Settings, Path, dict[str, Board]]) -> None:
    settings, _, _ = month
    login = Memory(settings).task(id_of(settings, LOGIN))
    assert [quote.session_id for quote in login.task.evidence] == ["s01", "s02", "s04", "s10", "s13"]
    moves = [
        (event.details["from_status"], event.details["to_status"])
        for event in login.history
        if event.event_type == "task_status_changed"
    ]
    assert moves == [("pending", "in_progress"), ("in_progress", "done"), ("done", "in_progress"), ("in_progress", "done")]
    refactoring = Memory(settings).task(id_of(settings, REFACTORING))
    assert {quote.session_id for quote in refactoring.task.evidence} == {"s01", "s04", "s05", "s12", "s14"}
    assert all(quote.quote in SESSIONS[quote.session_id][1][quote.message_index].text for quote in login.task.evidence)


def test_what_was_refused_waits_for_a_person(month: tuple[Settings, Path, dict[str, Board]]) -> None:
    review = Memory(month[0]).read(task_review)
    assert {(refused.task.title, refused.requested_status) for refused in review.refused} == {
        (RUNBOOK, "done"),
        (CART, "in_progress"),
    }


def test_what_is_not_founded_is_a_suggestion(month: tuple[Settings, Path, dict[str, Board]]) -> None:
    (redis,) = Memory(month[0]).tasks(which="only_suggested")
    assert (redis.title, [blocker.title for blocker in redis.blockers]) == (REDIS, ["the vendor's security fix"])
    assert Memory(month[0]).tasks(which="unknown_blocker") == []


@pytest.mark.slow
def test_any_order_of_the_month_gives_the_same_tables(month: tuple[Settings, Path, dict[str, Board]], tmp_path: Path) -> None:
    settings, folder, boards = month
    with model() as provider:
        shuffled = store(tmp_path / "home", provider)
        names = sorted(SESSIONS, key=lambda name: sha256_hex(name))
        for some in (names[:4], names[4:5], names[5:]):
            run.import_paths(shuffled, [written(folder / "sessions", name) for name in some], project="shop")
        assert board(shuffled) == boards["s15"]
        for table, found in state(shuffled).items():
            assert found == state(settings)[table], table
        assert verify_all(Memory(shuffled).resources).equal
        # And the month as it was lived: once more it adds nothing, and it rebuilds.
        again = run.import_paths(settings, [folder / "sessions"], project="shop")
        assert again.events_appended == 0
        assert verify_all(Memory(settings).resources).equal


@pytest.mark.slow
def test_people_have_the_last_word(month: tuple[Settings, Path, dict[str, Board]], tmp_path: Path) -> None:
    shutil.copytree(month[0].home, tmp_path / "home")
    with model() as provider:
        settings = store(tmp_path / "home", provider)
        memory = Memory(settings)
        before = board(settings)
        # Two languages, one runbook: a person sees that, and says so.
        merge(memory.resources, id_of(settings, RUNBOOK_KOREAN), id_of(settings, RUNBOOK), by="Mina")
        merged = board(settings)
        assert RUNBOOK_KOREAN not in merged and merged[RUNBOOK] == ("pending", "low", {})
        assert {quote.session_id for quote in memory.task(id_of(settings, RUNBOOK)).task.evidence} == {"s08", "s09", "s12"}
        # Refused, for nobody was seen at work on it; accepted, it takes the legal path.
        accept(memory.resources, id_of(settings, RUNBOOK), by="Mina")
        assert board(settings)[RUNBOOK] == ("done", "low", {})
        moves = [
            (event.details["from_status"], event.details["to_status"], event.said_by)
            for event in memory.task(id_of(settings, RUNBOOK)).history
            if event.event_type == "task_status_changed"
        ]
        assert moves == [("pending", "in_progress", "Mina"), ("in_progress", "done", "Mina")]
        # What nobody named is named, and met.
        set_status(memory.resources, id_of(settings, DASHBOARD), "blocked", by="Mina")
        assert board(settings)[DASHBOARD] == ("blocked", None, {UNKNOWN: False})
        set_blockers(memory.resources, id_of(settings, DASHBOARD), ["the Grafana licence"], by="Mina")
        assert board(settings)[DASHBOARD] == ("blocked", None, {"the Grafana licence": False})
        (licence,) = [one for one in memory.read(list_conditions, status="open") if one.title == "the Grafana licence"]
        resolve(memory.resources, licence.condition_id, satisfied=True, by="Mina")
        assert board(settings)[DASHBOARD] == ("blocked", None, {"the Grafana licence": True})
        set_status(memory.resources, id_of(settings, CART), "in_progress", by="Mina")
        assert board(settings)[CART][0] == "in_progress"
        # Everything can be taken back but time.
        unmerge(memory.resources, task_id(task_key("shop", normalize(RUNBOOK_KOREAN))), by="Mina")
        assert board(settings)[RUNBOOK_KOREAN] == before[RUNBOOK_KOREAN]
        assert verify_all(memory.resources).equal
