"""Forgetting in any order with corrections, settled conflicts and people's words on tasks, through all stages.

What is left equals a store whose files never held what was forgotten, and to which nobody spoke of it.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from memory_assets.commands import conflicts, task_links, tasks
from memory_assets.commands.errors import NotPossibleError
from memory_assets.defs import correcting
from memory_assets.errors import NotFoundError
from memory_assets.results.tasks import TaskView
from memory_assets.sessions.draft import title_from
from memory_assets.sessions.masking.forgotten_spans import FILLER, overwritten
from memory_assets.sessions.masking.redaction_policy import default_policy
from memory_assets.sessions.model import Message, Session
from memory_assets.settings import load_settings
from memory_assets_tests.defs.staged_store import OfProject, StagedStore
from memory_assets_tests.defs.state import assert_rebuilds_equal
from memory_assets_tests.defs.told_files import DAY, spans_at
from memory_assets_tests.depth import depth

pytestmark = pytest.mark.long

_DAYS = ("mon", "tue", "wed")
AT_ONCE = 100
"""Lives that share two stores, each with a project of its own: a fold costs them little more than one."""
_SAID = [
    "We decided to keep the {} ledger on PostgreSQL 16 because its replication is simple.",
    "We decided to keep the {} ledger on PostgreSQL 17 because its replication is simple.",
    "TODO: write the page about the {} release before Friday.",
    "TODO: write a page about the {} release.",
    "The page about the {} release is done.",
    "The root cause of the {} outage was a connection pool of five connections.",
    "We decided that the {} API listens on port 8080.",
    "We decided that the {} API listens on port 9090.",
    "We will not keep the {} ledger on PostgreSQL 16.",
    "I prefer short commit messages for the {} service.",
]
_ABOUT = ("zebra", "yak")
_TURNED = {"keep_newer": "keep_older", "keep_older": "keep_newer"}


@dataclass
class Told:
    """What the sessions of a project say, and what was forgotten of it: records by their places, and sessions."""

    project: str
    texts: dict[str, list[list[str]]]
    gone: dict[tuple[str, int | None], str] = field(default_factory=dict)

    def session(self, session_id: str, uri: str, *, never: bool) -> Session:
        """What a file tells of a session now: each record as it was told last, or with more around it by another source."""
        is_page = uri == "page"
        messages = [
            Message(
                uid=str(place) if is_page else f"{session_id}-u{place}",
                role="assistant" if place % 2 else "user",
                text=_never_held(text, place) if never and (session_id, place) in self.gone else text,
                ts=None if is_page else self.at(session_id, place),
            )
            for place, text in enumerate(tellings[-1] for tellings in self.texts[session_id])
        ]
        source_format = "specstory" if is_page else "claude_code"
        title = title_from(messages)
        return Session(
            session_id, session_id, source_format, tuple(messages), title=title, project=self.project, ordinal_uids=is_page
        )

    @staticmethod
    def at(session_id: str, place: int) -> datetime:
        return DAY + timedelta(days=_DAYS.index(session_id[:3]), minutes=place)


def _never_held(text: str, place: int) -> str:
    """The blank of a record; each is drawn in another way, for two that are as long as each other never said the same."""
    blank = overwritten(text, [(0, len(text))])
    mark = blank.index(" ") + 1 + place
    return blank[:mark] + FILLER + blank[mark + 1 :]


class Life:
    """A project of a store that is told to forget; what was done to it is done again to one that need not."""

    def __init__(self, seed: int, store: StagedStore, clock: Clock) -> None:
        self.chance = Random(seed)
        self.clock = clock
        self.seed = seed
        self.sessions = tuple(f"{day}-{seed}" for day in _DAYS)
        self.told = Told(f"shop-{seed}", {session_id: [] for session_id in self.sessions})
        self.store = store
        self.step = 0
        self.spoken: Counter[str] = Counter()
        """How often people said what they can say, by what it was."""
        self.done: dict[int, Callable[[StagedStore], None]] = {}
        self.unsaid: list[tuple[int, Callable[[StagedStore], bool]]] = []
        """Words that the other store could not be told yet, each with its step: it never saw what they were about."""
        self.of_itself: set[str] = set()
        """Corrections of what is gone: each stays as a memory of its own (docs/decisions/0034)."""
        steps = [self.tell, self.tell, self.correct, self.settle, self.speak_of_task, self.forget, self.forget, self.unforget]
        self.steps = [*[self.tell] * 3, *(self.chance.choice(steps) for _ in range(self.chance.randint(6, 12)))]

    def live(self, step: int) -> None:
        """One step more; none where it has ended."""
        self.step = step
        if step < len(self.steps):
            self.steps[step]()

    def live_again(self, step: int, store: StagedStore) -> None:
        """What was done in a step is done to a store to which nobody says anything of what is gone."""
        if step in self.done:
            self.done[step](store)
        # A person's word stays when all that it was about then is forgotten: it is about what is told of it later too.
        self.unsaid = [(at, said) for at, said in self.unsaid if not self._said_at(at, said, store)]

    def _said_at(self, step: int, said: Callable[[StagedStore], bool], store: StagedStore) -> bool:
        now, self.clock.step = self.clock.step, step
        try:
            return said(store)
        finally:
            self.clock.step = now

    def tell(self) -> None:
        session_id, uri = self.chance.choice(self.sessions), self.chance.choice(["records", "records", "page"])
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
        self.done[self.step] = lambda store: take(store, never=True)

    def _edit(self, session_id: str) -> None:
        """A record goes on, of which nothing was forgotten."""
        place = self.chance.randrange(len(self.told.texts[session_id]))
        if (session_id, place) not in self.told.gone:
            tellings = self.told.texts[session_id][place]
            tellings.append(f"{tellings[-1]} That is all.")

    def correct(self) -> None:
        memories = [one for one in self._known(self.store.known.memories) if one.entry_type != "task"]
        if memories:
            one, number = self.chance.choice(memories), self.step
            text = f"We keep it in DuckDB since version {number}."

            def said(store: StagedStore) -> str | None:
                found = next((known for known in self._known(store.known.memories) if known.title == one.title), None)
                return found and store.correct(found.citation, text)

            correction = said(self.store)
            assert correction
            self.spoken["correct"] += 1

            kind = correction.rpartition(".")[0]

            def said_again(store: StagedStore) -> bool:
                is_said = said(store) is not None
                (self.of_itself.discard if is_said else self.of_itself.add)(kind)
                return is_said

            def wait(store: StagedStore) -> None:
                if (correction, None) not in self.told.gone:
                    self.unsaid.append((number, said_again))

            self.done[number] = wait

    def settle(self) -> None:
        open_ones = [one for one in self._known(self.store.known.conflicts) if one.status == "open"]
        if open_ones:
            one, resolution = self.chance.choice(open_ones), self.chance.choice(["keep_newer", "keep_older", "both"])

            def said(store: StagedStore) -> bool:
                sides = {one.older.title, one.newer.title}
                # There it may have been settled by itself before: what a person says of it counts all the same.
                known = self._known(store.known.conflicts)
                found = next((other for other in known if {other.older.title, other.newer.title} == sides), None)
                if found:
                    # She keeps a side, whichever is the newer one where less was said of it.
                    is_turned = found.older.title == one.newer.title
                    kept = _TURNED.get(resolution, resolution) if is_turned else resolution
                    conflicts.resolve_conflict(store.resources, found.conflict_id, kept, by="Mina")
                return found is not None

            self._say(said, one.conflict_type)

    def speak_of_task(self) -> None:
        known = self._known(self.store.known.tasks)
        if not known:
            return
        one, other = self.chance.choice(known), self.chance.choice(known)
        match self.chance.choice(["status", "priority", "blockers", "merge", "new"]):
            case "status":
                status = self.chance.choice(["done", "in_progress", "cancelled"])
                self._say(
                    lambda store: self._of_task(store, one, lambda t: tasks.set_status(store.resources, t, status, by="Jo"))
                )
            case "priority":
                self._say(
                    lambda store: self._of_task(store, one, lambda t: tasks.set_priority(store.resources, t, "high", by="Jo"))
                )
            case "blockers" if one.status != "done":
                waits = ["the review of the budget"]
                self._say(
                    lambda store: self._of_task(store, one, lambda t: tasks.set_blockers(store.resources, t, waits, by="Jo"))
                )
            case "merge" if one.task_id != other.task_id:

                def merged(store: StagedStore) -> bool:
                    found = self._task(store, other)
                    return found is not None and self._of_task(
                        store, one, lambda t: task_links.merge(store.resources, t, found.task_id, by="Jo")
                    )

                self._say(merged, "merge")
            case "new":
                title = f"order the badge number {self.step}"
                self._say(lambda store: self._new_task(store, title))

    def _say(self, said: Callable[[StagedStore], bool], what: str = "task") -> None:
        step = self.step
        if said(self.store):
            self.spoken[what] += 1
            self.done[step] = lambda store: self.unsaid.append((step, said))

    def _known(self, by_project: Mapping[str, Sequence[OfProject]]) -> Sequence[OfProject]:
        return by_project.get(self.told.project, ())

    def _task(self, store: StagedStore, like: TaskView) -> TaskView | None:
        """By its title; of one that is part of another there by the words that it is called by, for what says that it is done
        may be said of another one there."""
        known = self._known(store.known.tasks)
        told = {quote.uri for quote in like.evidence if like.title.rstrip(".") in quote.quote}
        same_title = next((one for one in known if one.title == like.title), None)
        return same_title or next((one for one in known if told & {quote.uri for quote in one.evidence}), None)

    def _of_task(self, store: StagedStore, like: TaskView, say: Callable[[str], object]) -> bool:
        found = self._task(store, like)
        # A task that a person made is another one's part there, of which nothing was forgotten, and bears that one's title.
        task_id = found.task_id if found else None if like.evidence else like.task_id
        if task_id is None:
            return False
        try:
            say(task_id)
        except (NotFoundError, NotPossibleError):  # what says that it is done is hidden in one of the two for now
            return False
        return True

    def _new_task(self, store: StagedStore, title: str) -> bool:
        # It is not there before the store is settled.
        with suppress(NotFoundError):
            tasks.new_task(store.resources, title, project=self.told.project, by="Jo")
        return True

    def forget(self) -> None:
        sessions = {one.session_id for one in self._known(self.store.known.memories)}
        if not sessions:
            return
        session_id = self.chance.choice(sorted(sessions))
        if (session_id, None) in self.told.gone:
            return
        is_correction = session_id not in self.told.texts
        if is_correction or self.chance.random() < 0.2:
            at = DAY + timedelta(seconds=self.step)
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
            self.spoken["unforget"] += 1
            del self.told.gone[session_id, place]


class Clock:
    """The clock of everybody who says something: an hour a step, and a second for each project."""

    step = 0
    project = 0

    def __call__(self) -> datetime:
        return datetime(2026, 4, 1, tzinfo=UTC) + timedelta(hours=self.step, seconds=self.project)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """With it, what people say waits until the store is settled: all of one step together."""
    clock = Clock()
    for module in (conflicts, tasks, task_links, correcting):
        monkeypatch.setattr(module, "now", clock)
        monkeypatch.setattr(module, "settle", lambda resources: None)
    monkeypatch.setattr(correcting, "catch_up", lambda *given: None)
    return clock


def differences(one: dict[str, list[str]], other: dict[str, list[str]], of_itself: set[str]) -> Iterator[str]:
    """What only one of two stores shows; but for corrections that stay by themselves."""
    for name in one:
        mine = [row for row in one[name] if not any(session_id in row for session_id in of_itself)]
        yield from (f"{name}: + {row}" for row in mine if row not in other[name])
        yield from (f"{name}: - {row}" for row in other[name] if row not in one[name])


class Lives:
    """Lives that share a store that is told to forget, and another one that need not."""

    def __init__(self, base: Path, seeds: Iterable[int], clock: Clock, patch: pytest.MonkeyPatch) -> None:
        self.clock = clock
        self.store = StagedStore(load_settings({"home": base / "real"}), default_policy())
        self.model = StagedStore(load_settings({"home": base / "model"}), default_policy())
        self.lives = [Life(seed, self.store, clock) for seed in seeds]
        of_resources = {id(store.resources): store for store in (self.store, self.model)}
        for module in (conflicts, tasks, task_links):
            patch.setattr(module, "say", lambda resources, *said: of_resources[id(resources)].said.extend(said))

    def live(self) -> None:
        steps = range(max(len(life.steps) for life in self.lives))
        with self.store.database.kept_open():
            for step in steps:
                for life in self._each(step):
                    life.live(step)
                self.store.settle()
        with self.model.database.kept_open():
            for step in steps:
                for life in self._each(step):
                    life.live_again(step, self.model)
                self.model.settle()
            self._say_the_rest(steps.stop)

    def _say_the_rest(self, step: int) -> None:
        """What a word is about may be told by the last step, and a word may be about what another one says."""
        before = -1
        while before != (waiting := sum(len(life.unsaid) for life in self.lives)):
            before = waiting
            for life in self._each(step):
                life.live_again(step, self.model)
            self.model.settle()

    def _each(self, step: int) -> Iterator[Life]:
        self.clock.step = step
        for place, life in enumerate(self.lives):
            self.clock.project = place
            yield life

    def differences(self) -> list[str]:
        of_itself = {session_id for life in self.lives for session_id in life.of_itself}
        return list(differences(self.store.shows(), self.model.shows(), of_itself))


@pytest.mark.deep
@pytest.mark.timeout(36_000)
def test_whatever_people_said_of_it_is_gone_with_it(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Real stores; a difference names its project, which is the seed that ``FIRST_SEED`` begins with."""
    first = int(os.environ.get("FIRST_SEED", "1"))
    last = first + int(os.environ.get("HISTORIES", str(depth(5, 2_000))))
    spoken: Counter[str] = Counter()
    for begin in range(first, last, AT_ONCE):
        lives = Lives(tmp_path / str(begin), range(begin, min(last, begin + AT_ONCE)), clock, monkeypatch)
        lives.live()
        assert lives.differences() == []
        assert sum(len(life.told.gone) for life in lives.lives) > len(lives.lives) / 2
        spoken = sum((life.spoken for life in lives.lives), spoken)
        print(f"{begin}: {dict(spoken)}")
        assert_rebuilds_equal(lives.store.settings)
        shutil.rmtree(tmp_path / str(begin))
    # Few projects have two tasks that can be merged.
    if last - first >= 5 * AT_ONCE:
        assert {"correct", "different_value", "merge", "task", "unforget"} <= spoken.keys()
