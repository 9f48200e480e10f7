"""One partition a session, and how many of them a run takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import dagster as dg

SESSIONS_PARTITIONS_NAME = "sessions"
BATCH_SIZE = 25
# Sessions between two that have work are run along with them when there are few: a range is one run, and what is done
# already costs next to nothing.
BRIDGED_GAP = 3
# A run over a range of partitions carries these tags, which are Dagster's own.
RANGE_START_TAG = "dagster/asset_partition_range_start"
RANGE_END_TAG = "dagster/asset_partition_range_end"

sessions_partitions = dg.DynamicPartitionsDefinition(name=SESSIONS_PARTITIONS_NAME)
"""Keys are session keys (``sessions.keys``), checked before they are added: Dagster itself takes tabs and commas."""

backfill_policy = dg.BackfillPolicy.multi_run(max_partitions_per_run=BATCH_SIZE)
"""The same on all seven stages: a differing policy would split the chain into separate runs."""


def ranges(instance: dg.DagsterInstance, session_ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Contiguous ranges of partitions that cover these sessions; a run takes one range."""
    keys = list(instance.get_dynamic_partitions(SESSIONS_PARTITIONS_NAME))
    place = {key: position for position, key in enumerate(keys)}
    places = sorted(place[session_id] for session_id in session_ids)
    start = previous = places[0]
    for position in places[1:]:
        if position - previous > BRIDGED_GAP + 1:
            yield keys[start], keys[previous]
            start = position
        previous = position
    yield keys[start], keys[previous]
