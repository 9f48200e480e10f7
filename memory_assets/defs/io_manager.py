"""The event log as IO manager: a stage's output is appended, its input is read back.

A batch of partitions is one transaction. What a stage gives is loaded by the next one as the events of each session's latest
chain, for one key, a range, or a backfill alike.
"""

from typing import Any, cast

import dagster as dg

from memory_assets.defs.batch import StageOutput
from memory_assets.defs.court.batch import CourtOutput
from memory_assets.defs.court.inputs import opened_cases, spoken_statements
from memory_assets.defs.resources import EventLogResource
from memory_assets.log.batches import Appended
from memory_assets.log.errors import HeadMovedError
from memory_assets.log.payloads.catalogue import CHAIN
from memory_assets.log.session_history import alignments, extractions, materializations
from memory_assets.vocabulary import PipelineStage

MAX_REPEATS = 5


class EventLogIOManager(dg.ConfigurableIOManager):
    """Appends outputs to the log and loads inputs from it."""

    store: EventLogResource

    def handle_output(self, context: dg.OutputContext, obj: StageOutput | CourtOutput) -> None:
        """Append what a stage made of its batch: all of it or nothing."""
        appended = self._append(obj)
        self.store.opened.wrote(appended.new)
        # Of the batch as a whole: on the page of one session it would be read as that session's.
        context.log.info(f"{appended.new} events appended, {appended.known} known; the log ends at {appended.last_seq}")
        if appended.conflicts:
            context.add_output_metadata({"batch_checksum_conflicts": len(appended.conflicts)})
        for conflict in appended.conflicts:
            context.log.error(f"event {conflict.event_id} was offered with another payload than the log holds")

    def load_input(self, context: dg.InputContext) -> dict[str, Any]:
        """What the stage before logged, by session; a session without it is absent."""
        session_ids = list(context.asset_partition_keys)
        opened = self.store.opened
        stage = context.asset_key.path[-1]
        with opened.database.reading():
            match stage:
                case "court_case":
                    return opened_cases(opened, session_ids)
                case "court_statements":
                    return spoken_statements(opened, session_ids)
                case "ingested":
                    return opened.histories(session_ids)
                case "extracted":
                    return extractions(opened.log, session_ids)
                case "aligned":
                    return alignments(opened.log, session_ids)
                case "materialized":
                    return materializations(opened.log, session_ids)
                case _:
                    return dict(opened.log.current(session_ids, CHAIN[cast(PipelineStage, stage)]))

    def _append(self, output: StageOutput | CourtOutput) -> Appended:
        opened = self.store.opened
        if isinstance(output, CourtOutput):
            return self._append_heard(output)
        for _ in range(MAX_REPEATS):
            try:
                return opened.log.append(output.events, build=opened.build, heads=output.heads, metrics=output.metrics)
            except HeadMovedError:
                if output.repeat is None:
                    raise
                output = output.repeat()
        return opened.log.append(output.events, build=opened.build, heads=output.heads, metrics=output.metrics)

    def _append_heard(self, output: CourtOutput) -> Appended:
        """Append what was heard of sessions that are still what they were: the next run hears the others."""
        opened = self.store.opened
        events, heads = list(output.events), dict(output.heads)
        while True:
            try:
                return opened.log.append(events, build=opened.build, heads=heads)
            except HeadMovedError as moved:
                gone = set(moved.session_ids)
                events = [event for event in events if event.session_id not in gone]
                heads = {session_id: head for session_id, head in heads.items() if session_id not in gone}
