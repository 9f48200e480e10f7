"""What is told of the way of sessions through the stages."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest

from memory_assets import stopping
from memory_assets.defs import run
from memory_assets.progress import NoProgress
from memory_assets.settings import Settings, load_settings
from memory_assets.vocabulary import PIPELINE_STAGES
from memory_assets_tests.defs.files import chat, talk


class Told(NoProgress):
    """Keeps what it is told of the sessions; the vectors that are made behind them have a bar of their own."""

    def __init__(self) -> None:
        self.total, self.done = 0, 0
        self.of_sessions = False
        self.seen: list[tuple[int, str]] = []

    def start_bytes(self, total: int, label: str) -> None:
        self.total = total
        self.of_sessions = True

    def start(self, total: int | None, label: str) -> None:
        self.of_sessions = False

    def advance(self, steps: int = 1, label: str | None = None) -> None:
        assert steps >= 0
        if not self.of_sessions:
            return
        self.done += steps
        assert self.done <= self.total
        if label is not None:
            self.seen.append((self.done, label))

    def labels(self) -> list[str]:
        return [label for _, label in self.seen]


def imported(settings: Settings, folder: Path) -> Told:
    told = Told()
    run.import_paths(settings, [folder], project=None, progress=told)
    return told


@pytest.mark.long
def test_the_bar_moves_by_session_and_stage_to_the_last_byte(inbox: Path, unrecorded: dg.DagsterInstance) -> None:
    for number in range(4):
        chat(inbox, f"s-{number}", talk(number, 5 + 5 * number))
    settings = load_settings({"dagster": {"batch_size": 2}})
    told = imported(settings, inbox)
    assert told.total == told.done == sum(path.stat().st_size for path in inbox.iterdir())
    labels = told.labels()
    for stage in PIPELINE_STAGES[:-1]:
        for number in (1, 2, 3, 4):
            assert f"session {number} of 4, {stage}" in labels, labels
    assert "reading file 2 of 2" in labels and "projected, sessions 3 to 4 of 4" in labels
    assert len({done for done, _ in told.seen}) > 20
    assert stopping.done_so_far() == "4 of 4 sessions are done"


def test_files_without_news_count_as_done(inbox: Path, unrecorded: dg.DagsterInstance) -> None:
    for number in range(3):
        chat(inbox, f"s-{number}", talk(number))
    (inbox / "notes.txt").write_text("no session")
    imported(load_settings(), inbox)
    told = imported(load_settings(), inbox)
    assert told.total == told.done
    assert not [label for label in told.labels() if "extracted" in label]
    assert stopping.done_so_far() == "3 of 3 sessions are done"


@pytest.mark.long
def test_a_long_session_moves_within_a_stage(inbox: Path, unrecorded: dg.DagsterInstance) -> None:
    chat(inbox, "long", talk(1, 400))
    told = imported(load_settings({"extraction": {"window_characters": 1000}}), inbox)
    windows = [label for label in told.labels() if label.startswith("session 1 of 1, extracted: window ")]
    assert len(windows) > 10 and len({done for done, label in told.seen if "extracted: window" in label}) > 10


@pytest.mark.slow
def test_known_sessions_are_counted_by_the_size_of_their_files(inbox: Path, unrecorded: dg.DagsterInstance) -> None:
    files = [chat(inbox, f"s-{number}", talk(number)) for number in range(3)]
    run.import_paths(load_settings(), [inbox], project=None)
    told = Told()
    run.run_sessions(load_settings(), None, progress=told)
    assert told.total == told.done == sum(file.stat().st_size for file in files)
    assert "session 3 of 3, ingested" in told.labels()
