"""The jobs that the sensor asks for and a person can launch."""

from __future__ import annotations

import dagster as dg

from memory_assets.defs.checks import ON_REQUEST
from memory_assets.defs.leaves import ledgers, memory_index
from memory_assets.defs.store_state import store_state
from memory_assets.defs.task_board import task_board

LEAVES = (memory_index, ledgers, task_board)
"""What all sessions together have become, cheap enough to be made with every run of all stages."""

_leaves = dg.AssetSelection.assets(*LEAVES) - dg.AssetSelection.checks(*ON_REQUEST)

_graduation = dg.AssetSelection.groups("graduation") | _leaves | dg.AssetSelection.checks(*store_state.check_keys)
_court = dg.AssetSelection.groups("court")

graduate_sessions = dg.define_asset_job(
    "graduate_sessions",
    selection=_graduation,
    description="From session files to searchable memory: all seven stages, and what all sessions together have become.",
)

graduate_and_hear = dg.define_asset_job(
    "graduate_and_hear",
    selection=_graduation | _court,
    description="As `graduate_sessions`, and each session is heard as a case: what the sensor asks for with `court.automatic`.",
)

embed_waiting_units = dg.define_asset_job(
    "embed_waiting_units",
    selection=dg.AssetSelection.assets("vectors"),
    description="Vectors for what is searchable by its words alone.",
)

hear_cases = dg.define_asset_job(
    "hear_cases",
    selection=_court,
    description="What sessions teach: each is heard as a case, and lessons follow from all of them.",
)

refresh_leaves = dg.define_asset_job(
    "refresh_leaves",
    selection=_leaves,
    description="What all sessions together have become, where the log has moved and no run of all stages made it.",
)
