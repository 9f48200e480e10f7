"""A store whose files are told to it, and over which the stages run without Dagster: a twentieth of what a run costs."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from memory_assets.commands.said import settle
from memory_assets.defs.correcting import log_correction
from memory_assets.defs.forgetting_words import session_forgotten, session_unforgotten
from memory_assets.defs.stages.aligned import align
from memory_assets.defs.stages.extracted import extract
from memory_assets.defs.stages.idris_checked import prove
from memory_assets.defs.stages.materialized import materialize
from memory_assets.defs.stages.projected import project
from memory_assets.extraction.asking import Asking
from memory_assets.graduation.proofs.checker import check_sessions, checker_labels
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.entries import EntryMaterialized, WindowAligned, WindowExtracted
from memory_assets.log.proof_session import proof_session
from memory_assets.log.proofs import Proofs, proofs_of
from memory_assets.log.session_history import alignments, extractions, materializations
from memory_assets.memory import Memory
from memory_assets.queries.conflicts import ConflictSide, ConflictView, list_conflicts
from memory_assets.results.memories import MemoryView
from memory_assets.results.tasks import TaskView
from memory_assets.sessions.masking.redaction_policy import RedactionPolicy
from memory_assets.settings import Settings
from memory_assets_tests.defs.state import index_rows
from memory_assets_tests.defs.told_files import ToldStore, plain

_CORRECTION = re.compile(r"(correction\.\w+\.\w+)\.[0-9a-f]{12}")


class StagedStore(ToldStore):
    """Whatever is said to it in one breath goes through all stages together, when it is asked to settle."""

    def __init__(self, settings: Settings, policy: RedactionPolicy) -> None:
        super().__init__(settings, policy)
        self.memory = Memory(settings)
        self.follow_versions()
        self.said: list[NewEvent] = []
        self._to_run: dict[str, None] = {}
        self._known: Known | None = None

    @property
    def known(self) -> Known:
        """What it holds, as it was settled last."""
        if self._known is None:
            self._known = Known(
                _by_project(self.memory.memories().memories),
                _by_project(self.memory.tasks()),
                _by_project(self.memory.read(list_conflicts, status="all")),
            )
        return self._known

    def run(self, *session_ids: str) -> None:
        """The stages run over these sessions, once it is settled."""
        self._to_run.update(dict.fromkeys(session_ids))

    def settle(self) -> None:
        """What the assets do, and what follows every command."""
        self._append(self.said)
        sessions = [one for one in self._to_run if self.history(one) is not None]
        if sessions:
            self._stages(sessions)
        self.said, self._to_run, self._known = [], {}, None
        settle(self.resources)

    def _stages(self, sessions: list[str]) -> None:
        log, extractor = self.log, self.resources.extractor
        told = self.histories(sessions)
        known = log.known(sessions, WindowExtracted.event_type)
        self._append(
            event
            for one in sessions
            for event in extract(told[one], extractor, known, self, Asking(extractor, [], at_once=1)).events
        )
        extracted, known = extractions(log, sessions), log.known(sessions, WindowAligned.event_type)
        self._append(event for one in sessions for event in align(told[one], extracted[one], known, self).events)
        aligned, known = alignments(log, sessions), log.known(sessions, EntryMaterialized.event_type)
        self._append(
            event for one in sessions for event in materialize(told[one], extracted[one], aligned[one], known, self).events
        )
        made = materializations(log, sessions)
        checked = check_sessions(
            [proof_session(told[one], made[one]) for one in sessions], idris2=None, stopwatch=time.perf_counter
        )
        version, wanted = self.versions["idris_checked"], checker_labels(None)
        before = proofs_of(log, sessions, version)
        unproved = [one for one in sessions if not before[one].stands(made[one].event_id, wanted)]
        self._append(
            event for one in unproved for event in prove(told[one], made[one], checked[one], before[one], wanted, self).events
        )
        proved = proofs_of(log, sessions, version)
        self._append(event for one in sessions for event in self._projected(proved[one]))

    def _projected(self, proofs: Proofs) -> list[NewEvent]:
        assert proofs.checked is not None
        return project(proofs.checked.event, self.versions["projected"], {}).events

    def _append(self, events: Iterable[NewEvent]) -> None:
        self.log.append(list(events))

    def correct(self, citation: str, text: str) -> str:
        """A person says otherwise; the correction's session."""
        said = log_correction(self, citation, text, by="Jiho")
        self.run(said.session_id)
        return said.session_id

    def forget_session(self, session_id: str, at: datetime) -> str:
        """All of it goes; the id of the word."""
        word = session_forgotten(session_id, at, "asked")
        self.said.append(word)
        return word.event_id

    def unforget_session(self, session_id: str, event_id: str) -> None:
        self._append([session_unforgotten(session_id, event_id)])
        self.run(session_id)

    def shows(self) -> dict[str, Any]:
        """What anybody is shown of it, without ids: memories, conflicts, tasks, and the rows of search."""
        memories = self.memory.memories().memories
        titles = {memory.citation: memory.title for memory in memories}
        shown = {
            "memories": [(*_memory(one), titles.get(one.superseded_by or "")) for one in memories],
            "conflicts": [
                (one.conflict_type, one.status, one.resolution, *_side(one.older), *_side(one.newer))
                for one in self.memory.read(list_conflicts, status="all")
            ],
            "tasks": [_task(one) for one in self.memory.tasks()],
            "index": [(row["session_id"], row["own_text"], row["context_text"]) for row in index_rows(self.settings)],
        }
        # A correction's id holds a digest of one of the entries that it is about: any of those that say the same.
        return {name: sorted(_CORRECTION.sub(r"\1", plain(repr(row))) for row in rows) for name, rows in shown.items()}


@dataclass(frozen=True, slots=True)
class Known:
    """What a store holds, by project."""

    memories: Mapping[str, list[MemoryView]]
    tasks: Mapping[str, list[TaskView]]
    conflicts: Mapping[str, list[ConflictView]]


OfProject = TypeVar("OfProject", MemoryView, TaskView, ConflictView)


def _by_project(views: Iterable[OfProject]) -> dict[str, list[OfProject]]:
    found: dict[str, list[OfProject]] = {}
    for one in views:
        found.setdefault(one.project or "", []).append(one)
    return found


def _side(side: ConflictSide) -> tuple[object, ...]:
    return side.title, side.entry_type, side.session_id, side.uri, len(side.entries)


def _memory(one: MemoryView) -> tuple[object, ...]:
    return one.title, one.entry_type, one.stage, one.status, one.entry_count, one.session_id, one.uri


def _task(one: TaskView) -> tuple[object, ...]:
    waits_for = sorted(blocker.title for blocker in one.blockers)
    told = sorted(evidence.uri for evidence in one.evidence)
    return one.title, one.status, one.priority, one.project, one.entity_status, one.done_basis, one.stage, waits_for, told
