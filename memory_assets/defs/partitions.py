"""One partition a session, and how many of them a run takes."""

from __future__ import annotations

import dagster as dg

SESSIONS_PARTITIONS_NAME = "sessions"
BATCH_SIZE = 25
# A run over a range of partitions carries these tags, which are Dagster's own.
RANGE_START_TAG = "dagster/asset_partition_range_start"
RANGE_END_TAG = "dagster/asset_partition_range_end"

sessions_partitions = dg.DynamicPartitionsDefinition(name=SESSIONS_PARTITIONS_NAME)
"""Keys are session keys (``sessions.keys``), checked before they are added: Dagster itself takes tabs and commas."""

backfill_policy = dg.BackfillPolicy.multi_run(max_partitions_per_run=BATCH_SIZE)
"""The same on all seven stages: a differing policy would split the chain into separate runs."""
