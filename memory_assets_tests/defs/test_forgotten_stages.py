"""Forgetting in any order with corrections, settled conflicts and people's words on tasks, through all stages.

What is left equals a store whose files never held what was forgotten, and to which nobody spoke of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from memory_assets.commands import conflicts, task_links, tasks
from memory_assets.defs import correcting
from memory_assets.queries.conflicts import ConflictView, list_conflicts
from memory_assets.results.memories import MemoryView
from memory_assets.results.tasks import TaskView
from memory_assets.sessions.draft import title_from
from memory_assets.sessions.masking.forgotten_spans import overwritten
from memory_assets.sessions.masking.redaction_policy import default_policy
from memory_assets.sessions.model import Message, Session
from memory_assets.settings import load_settings
from memory_assets_tests.defs.staged_store import StagedStore
from memory_assets_tests.defs.state import assert_rebuilds_equal
from memory_assets_tests.defs.told_files import DAY, spans_at
from memory_assets_tests.depth import depth

_SESSIONS = ("mon", "tue", "wed")
_SAID = [
    "We decided to keep the {} ledger on PostgreSQL 16 because its replication is simple.",
    "We decided to keep the {} ledger on PostgreSQL 17 because its replication is simple.",
    "TODO: write the page about the {} release before Friday.",
    "TODO: write a page about the {} release.",
    "The page about the {} release is done.",
    "The root cause of the {} outage was a connection pool of five connections.",
    "We will not keep the {} ledger on PostgreSQL 16.",
    "I prefer short commit messages for the {} service.",
]
_ABOUT = ("zebra", "yak")


@dataclass
class Told:
    """What the sessions say, and what was forgotten of it: records by their places, and sessions."""

    texts: dict[str, list[list[str]]] = field(default_factory=lambda: {session_id: [] for session_id in _SESSIONS})
    gone: dict[tuple[str, int | None], str] = field(default_factory=dict)

    def session(self, session_id: str, uri: str, *, never: bool) -> Session:
        """What a file tells of a session now: each record as it was told last, or with more around it by another source."""
        is_page = uri == "page"
        messages = [
            Message(
                uid=str(place) if is_page else f"{session_id}-u{place}",
                role="assistant" if place % 2 else "user",
                text=overwritten(text, [(0, len(text))]) if never and (session_id, place) in self.gone else text,
                ts=None if is_page else self.at(session_id, place),
            )
            for place, text in enumerate(tellings[-1] for tellings in self.texts[session_id])
        ]
        source_format = "specstory" if is_page else "claude_code"
        title = title_from(messages)
        return Session(
            session_id, session_id, source_format, tuple(messages), title=title, project="shop", ordinal_uids=is_page
        )

    @staticmethod
    def at(session_id: str, place: int) -> datetime:
        return DAY + timedelta(days=_SESSIONS.index(session_id), minutes=place)


class Life:
    """A store that is told to forget; what was done to it is done again to one that need not."""

    def __init__(self, base: Path, seed: int, clock: Clock) -> None:
        self.chance = Random(seed)
        self.clock = clock
        self.told = Told()
        self.store = StagedStore(load_settings({"home": base / "real"}), default_policy())
        self.base = base
        self.done: list[Callable[[StagedStore], None]] = []
        self.of_itself: set[str] = set()
        """Corrections of what is gone: each stays as a memory of its own (docs/decisions/0034)."""

    def tell(self) -> None:
        session_id, uri = self.chance.choice(_SESSIONS), self.chance.choice(["records", "records", "page"])
        if (session_id, None) in self.told.gone:
            return
        texts = self.told.texts[session_id]
        known = {text for tellings in texts for text in tellings}
        for _ in range(self.chance.randint(0, 2) if texts else 3):
            said = self.chance.choice(_SAID).format(self.chance.choice(_ABOUT))
            if said not in known:
                known.add(said)
                texts.append([said])
        if texts and self.chance.random() < 0.3:
            self._edit(session_id)
        snapshot = [list(tellings) for tellings in texts]

        def take(store: StagedStore, *, never: bool) -> None:
            now, self.told.texts[session_id] = self.told.texts[session_id], snapshot
            if not (never and (session_id, None) in self.told.gone):
                taken = store.take(self.told.session(session_id, uri, never=never), f"{session_id}-{uri}")
                assert taken
                store.run(session_id)
            self.told.texts[session_id] = now

        take(self.store, never=False)
        self.done.append(lambda store: take(store, never=True))

    def _edit(self, session_id: str) -> None:
        """A record goes on, of which nothing was forgotten."""
        place = self.chance.randrange(len(self.told.texts[session_id]))
        if (session_id, place) not in self.told.gone:
            tellings = self.told.texts[session_id][place]
            tellings.append(f"{tellings[-1]} That is all.")

    def correct(self) -> None:
        memories = [one for one in self.store.memory.memories().memories if one.entry_type != "task"]
        if memories:
            one, number = self.chance.choice(memories), len(self.done)
            text = f"We keep it in DuckDB since version {number}."

            def said(store: StagedStore) -> str | None:
                found = _memory(store, one)
                return found and store.correct(found.citation, text)

            correction = said(self.store)
            assert correction

            def said_again(store: StagedStore) -> None:
                if (correction, None) not in self.told.gone and said(store) is None:
                    self.of_itself.add(correction.rpartition(".")[0])

            self.done.append(said_again)

    def settle(self) -> None:
        open_ones = self.store.memory.read(list_conflicts, status="open")
        if open_ones:
            one, resolution = self.chance.choice(open_ones), self.chance.choice(["keep_newer", "keep_older", "both"])

            def said(store: StagedStore) -> None:
                found = _conflict(store, one)
                if found:
                    conflicts.resolve_conflict(store.resources, found.conflict_id, resolution, by="Mina")

            self._say(said)

    def speak_of_task(self) -> None:
        known = self.store.memory.tasks()
        if not known:
            return
        one, other = self.chance.choice(known), self.chance.choice(known)
        match self.chance.choice(["status", "priority", "blockers", "merge", "new"]):
            case "status":
                status = self.chance.choice(["done", "in_progress", "cancelled"])
                self._say(lambda store: _of_task(store, one, lambda t: tasks.set_status(store.resources, t, status, by="Jo")))
            case "priority":
                self._say(lambda store: _of_task(store, one, lambda t: tasks.set_priority(store.resources, t, "high", by="Jo")))
            case "blockers" if one.status != "done":
                waits = ["the review of the budget"]
                self._say(lambda store: _of_task(store, one, lambda t: tasks.set_blockers(store.resources, t, waits, by="Jo")))
            case "merge" if one.task_id != other.task_id:

                def merged(store: StagedStore) -> None:
                    found = _task(store, other)
                    if found:
                        _of_task(store, one, lambda t: task_links.merge(store.resources, t, found.task_id, by="Jo"))

                self._say(merged)
            case "new":
                title = f"order the badge number {len(self.done)}"
                self._say(lambda store: void(tasks.new_task(store.resources, title, project="shop", by="Jo")))

    def _say(self, said: Callable[[StagedStore], None]) -> None:
        said(self.store)
        self.done.append(said)

    def forget(self) -> None:
        sessions = {one.session_id for one in self.store.memory.memories().memories}
        if not sessions:
            return
        session_id = self.chance.choice(sorted(sessions))
        if (session_id, None) in self.told.gone:
            return
        is_correction = session_id not in self.told.texts
        if is_correction or self.chance.random() < 0.2:
            at = DAY + timedelta(seconds=len(self.done))
            self.told.gone[session_id, None] = self.store.forget_session(session_id, at)
            return
        place = self.chance.randrange(len(self.told.texts[session_id]))
        uids = {f"{session_id}-u{place}", str(place)}
        if (session_id, place) not in self.told.gone:
            event_id = self.store.forget(session_id, lambda history: spans_at(history, uids))
            if event_id:
                self.told.gone[session_id, place] = event_id
                self.store.run(session_id)

    def unforget(self) -> None:
        if self.told.gone:
            (session_id, place), event_id = self.chance.choice(sorted(self.told.gone.items(), key=repr))
            if place is None:
                self.store.unforget_session(session_id, event_id)
            elif (session_id, None) in self.told.gone:
                return
            else:
                self.store.unforget(session_id, event_id)
                self.store.run(session_id)
            del self.told.gone[session_id, place]

    def live(self) -> None:
        steps = [self.tell, self.tell, self.correct, self.settle, self.speak_of_task, self.forget, self.forget, self.unforget]
        for _ in range(3):
            self._tick(self.tell)
        for _ in range(self.chance.randint(6, 12)):
            self._tick(self.chance.choice(steps))

    def _tick(self, step: Callable[[], None]) -> None:
        before = len(self.done)
        self.clock.step = before
        step()

    def expected(self) -> StagedStore:
        """The store to which nobody said anything of what is gone."""
        store = StagedStore(load_settings({"home": self.base / "model"}), default_policy())
        with store.database.kept_open():
            for step, do in enumerate(self.done):
                self.clock.step = step
                do(store)
        return store


class Clock:
    """The clock of everybody who says something: a minute a step."""

    step = 0

    def __call__(self) -> datetime:
        return datetime(2026, 4, 1, tzinfo=UTC) + timedelta(minutes=self.step)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (conflicts, tasks, task_links, correcting):
        monkeypatch.setattr(module, "now", clock)
    return clock


def void(_: object) -> None:
    """Nothing is returned."""


def _memory(store: StagedStore, like: MemoryView) -> MemoryView | None:
    return next((one for one in store.memory.memories().memories if one.title == like.title), None)


def _task(store: StagedStore, like: TaskView) -> TaskView | None:
    return next((one for one in store.memory.tasks() if one.title == like.title), None)


def _of_task(store: StagedStore, like: TaskView, say: Callable[[str], object]) -> None:
    found = _task(store, like)
    if found:
        say(found.task_id)


def _conflict(store: StagedStore, like: ConflictView) -> ConflictView | None:
    sides = {like.older.title, like.newer.title}
    known = store.memory.read(list_conflicts, status="open")
    return next((one for one in known if {one.older.title, one.newer.title} == sides), None)


def differences(one: dict[str, list[str]], other: dict[str, list[str]], of_itself: set[str]) -> Iterator[str]:
    """What only one of two stores shows; but for corrections that stay by themselves."""
    for name in one:
        mine = [row for row in one[name] if not any(session_id in row for session_id in of_itself)]
        yield from (f"{name}: + {row}" for row in mine if row not in other[name])
        yield from (f"{name}: - {row}" for row in other[name] if row not in one[name])


@pytest.mark.deep
@pytest.mark.timeout(7200)
def test_whatever_people_said_of_it_is_gone_with_it(tmp_path: Path, clock: Clock) -> None:
    first = int(os.environ.get("FIRST_SEED", "1"))
    for seed in range(first, first + depth(1, 14)):
        life = Life(tmp_path / str(seed), seed, clock)
        with life.store.database.kept_open():
            life.live()
        model = life.expected()
        assert list(differences(life.store.shows(), model.shows(), life.of_itself)) == [], seed
        assert_rebuilds_equal(life.store.settings)
