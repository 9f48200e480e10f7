"""One partition a session, and how many of them a run takes (architecture.md section 6)."""

from __future__ import annotations

import dagster as dg

SESSIONS_PARTITIONS_NAME = "sessions"
BATCH_SIZE = 25

sessions_partitions = dg.DynamicPartitionsDefinition(name=SESSIONS_PARTITIONS_NAME)
"""Keys are session keys (``sessions.keys``), checked before they are added: Dagster itself takes tabs and commas."""

backfill_policy = dg.BackfillPolicy.multi_run(max_partitions_per_run=BATCH_SIZE)
"""The same on all seven stages: a differing policy would split the chain into separate runs."""
