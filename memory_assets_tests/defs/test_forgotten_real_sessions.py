"""Forgetting in a store of real sessions: a dry run names exactly what goes, and taking it back brings exactly that back."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from memory_assets.configuration import Resources
from memory_assets.defs import forgetting, run
from memory_assets.maintenance.fsck import fsck
from memory_assets.memory import Memory
from memory_assets.queries.forgettable import ToForget
from memory_assets.results.forgetting import ForgetReportV1
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.dagster_records import in_memory
from memory_assets_tests.defs.state import assert_rebuilds_equal, differing, rows, tables
from memory_assets_tests.defs.test_forgotten_parts import OF_TELLING
from memory_assets_tests.test_road import SESSIONS

FILES = (
    "aider/BeehiveInnovations__zen-mcp-server__.aider.chat.history.md",
    "claude_code/daaain__claude-code-log__test_test_data_todowrite_examples.jsonl",
    "claude_code/entireio__cli__a8_95cb11d3ba_0_full.jsonl",
    "claude_code/ujuc__agent-stuff__35_5fa75ae8fb_0_full.jsonl",
    "claude_code/ujuc__agent-stuff__72_25d8022b28_0_full.jsonl",
)
# Queues and counts of what searches showed: not of what is remembered.
OF_WORK = {"vector_outbox", "unit_usage"}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.shared_data,
    pytest.mark.skipif(not SESSIONS.is_dir(), reason=f"the real sessions are not there: {SESSIONS}"),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """One store for all: each test leaves it as it was, and says so."""
    base = tmp_path_factory.mktemp("real")
    inbox = base / "inbox"
    inbox.mkdir()
    for name in FILES:
        shutil.copy(SESSIONS / name, inbox)
    with pytest.MonkeyPatch.context() as patch:
        instance = in_memory()
        patch.setattr(run, "dagster_instance", lambda settings: instance)
        patch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
        settings = load_settings({"home": base / "home"})
        report = run.import_paths(settings, [inbox], project=None)
        assert report.quarantined == 0 and report.sessions >= len(FILES)
        yield settings


def by_project(store: Settings) -> ToForget:
    ((project,),) = rows(
        store, "SELECT project FROM sessions WHERE project IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1"
    )
    return ToForget(project=project)


def by_day(store: Settings) -> ToForget:
    ((ended,),) = rows(store, "SELECT quantile_disc(ended_at, 0.5) FROM sessions")
    return ToForget(before=ended.date() + timedelta(days=1))


def by_file(store: Settings) -> ToForget:
    ((uri,),) = rows(store, "SELECT source_uri FROM sessions WHERE source_uri LIKE '%72_25d8022b28%' LIMIT 1")
    return ToForget(source=uri)


def by_query(store: Settings) -> ToForget:
    return ToForget(query="commit")


def by_memory(store: Settings) -> ToForget:
    ((short_id,),) = rows(store, "SELECT short_id FROM memories ORDER BY entry_count DESC, short_id LIMIT 1")
    return ToForget(ids=(f"mem:{short_id}",))


def by_messages(store: Settings) -> ToForget:
    found = rows(store, "SELECT session_id, message_index FROM entries ORDER BY session_id, message_index LIMIT 3 OFFSET 5")
    return ToForget(ids=tuple(f"session:{session_id}#m={index}" for session_id, index in found))


def _titles(store: Settings) -> dict[str, str]:
    return {f"mem:{short_id}": title for short_id, title in rows(store, "SELECT short_id, title FROM memories")}


def _tasks(store: Settings) -> dict[str, str]:
    return dict(rows(store, "SELECT entity_id, title FROM entities WHERE entity_type = 'task'"))


@pytest.mark.timeout(900)
@pytest.mark.parametrize("choose", [by_project, by_day, by_file, by_query, by_memory, by_messages])
def test_exactly_what_is_named_goes_and_comes_back(store: Settings, choose: Callable[[Settings], ToForget]) -> None:
    wanted = choose(store)
    before, sessions = tables(store, without=OF_TELLING), {row[0] for row in rows(store, "SELECT session_id FROM sessions")}
    titles, tasks = _titles(store), _tasks(store)
    dry = forgetting.what_would_go(store, wanted)
    assert dry.sessions or dry.parts
    assert tables(store, without=OF_TELLING) == before

    report = forgetting.forget(store, wanted)

    assert report.model_copy(update={"events": (), "dry_run": True}) == dry
    assert sessions - {row[0] for row in rows(store, "SELECT session_id FROM sessions")} == {
        session.session_id for session in dry.sessions
    }
    assert {key: titles[key] for key in titles.keys() - _titles(store).keys()} == _named(dry, "memories_gone")
    assert {key: tasks[key] for key in tasks.keys() - _tasks(store).keys()} == _named(dry, "tasks_gone")
    _overwritten(store, dry)
    assert_rebuilds_equal(store)

    forgetting.unforget(store, report.events)

    assert Memory(store).database
    left = differing(tables(store, without=OF_TELLING), before)
    assert left.keys() <= OF_WORK, left
    assert_rebuilds_equal(store)
    assert fsck(Resources(store)).finding_count == 0


def _named(report: ForgetReportV1, kind: str) -> dict[str, str]:
    return {one.address: one.title for one in getattr(report, kind)}


def _overwritten(store: Settings, report: ForgetReportV1) -> None:
    """Of parts as many characters as were named, and nothing else of their messages."""
    for part in report.parts:
        if part.field == "text" and part.whole:
            ((text,),) = rows(
                store,
                "SELECT text FROM messages WHERE session_id = ? AND message_index = ?",
                part.session_id,
                part.message_index,
            )
            assert not text.replace("█", "").strip(), part
