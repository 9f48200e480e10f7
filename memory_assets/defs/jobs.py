"""The job that the sensor asks for and a person can launch: the seven stages over a range of sessions."""

from __future__ import annotations

import dagster as dg

from memory_assets.defs.partitions import sessions_partitions

graduate_sessions = dg.define_asset_job(
    "graduate_sessions",
    selection=dg.AssetSelection.groups("graduation"),
    partitions_def=sessions_partitions,
    description="From session files to searchable memory: all seven stages.",
)
