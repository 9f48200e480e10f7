"""The whole road over real sessions that nobody of us wrote: nothing crashes, nothing is done twice, all of it rebuilds."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets.defs import run
from memory_assets.defs.reports import ImportReport
from memory_assets.log.event_log import EventLog
from memory_assets.maintenance.rebuild import verify_all
from memory_assets.memory import Memory
from memory_assets.queries.entries import list_entries
from memory_assets.queries.sessions import messages_of
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.depth import IS_DEEP, depth

SESSIONS = Path(__file__).resolve().parents[2] / "shared" / "data" / "sessions"
FILES = 42

pytestmark = [
    pytest.mark.long,
    pytest.mark.deep,
    pytest.mark.shared_data,
    pytest.mark.skipif(not SESSIONS.is_dir(), reason=f"the real sessions are not there: {SESSIONS}"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all sessions in ``make slow``, else one with every eighth of their files."""
    if IS_DEEP:
        return SESSIONS
    some = tmp_path_factory.mktemp("sessions")
    for path in sorted(files(SESSIONS))[::8]:
        copy = some / Path(path).relative_to(SESSIONS)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    return some


@pytest.fixture(scope="module")
def road(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Settings, ImportReport]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
        patch.delenv("DAGSTER_HOME", raising=False)
        settings = load_settings({"home": tmp_path_factory.mktemp("road")})
        yield settings, run.import_paths(settings, [folder], project=None)


def files(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json"}


def test_every_file_is_taken_or_named(road: tuple[Settings, ImportReport], folder: Path) -> None:
    settings, report = road
    count = len(files(folder))
    assert len(files(SESSIONS)) == FILES and count >= FILES // depth(8, 1)
    assert (report.quarantined, report.errors) == (0, [])
    assert report.new == report.sessions >= count - 1
    taken = {uri for session in Memory(settings).sessions() for uri in session.source_uris}
    named = {warning["path"] for warning in report.warnings}
    assert files(folder) <= taken | named
    assert {Path(path).name for path in named - taken} <= {"manifest.json"} | {Path(path).name for path in files(folder)}
    assert {session.status for session in Memory(settings).sessions()} == {"vectorized"}


def test_a_second_import_adds_nothing(road: tuple[Settings, ImportReport], folder: Path) -> None:
    settings, first = road
    again = run.import_paths(settings, [folder], project=None)
    assert (again.events_appended, again.new, again.updated, again.unchanged) == (0, 0, 0, first.sessions)


def test_all_of_it_rebuilds(road: tuple[Settings, ImportReport]) -> None:
    settings, _ = road
    report = verify_all(Memory(settings).resources)
    assert report.equal, report.differences
    assert report.tables["entries"] > depth(10, 100)


def test_every_span_is_the_text(road: tuple[Settings, ImportReport]) -> None:
    settings, _ = road
    memory = Memory(settings)
    texts = {
        (session.session_id, message.message_index): message.text
        for session in memory.sessions()
        for message in memory.read(messages_of, session.session_id)
    }
    entries, count = memory.read(list_entries)
    quotes = [quote for entry in entries for quote in entry.evidence if quote.method != "none"]
    assert count == len(entries) and len(quotes) > depth(50, 200)
    for quote in quotes:
        assert quote.message_index is not None
        text = texts[quote.session_id, quote.message_index]
        assert text[quote.span_start : quote.span_end] == quote.matched_text


def test_the_log_is_whole(road: tuple[Settings, ImportReport]) -> None:
    settings, report = road
    log = EventLog(Memory(settings).database)
    seqs = [event.seq for event in log.replay()]
    assert seqs == list(range(1, len(seqs) + 1)) and len(seqs) == report.events_appended
    assert all(json.loads(event.payload_json) is not None for event in list(log.replay())[:50])
