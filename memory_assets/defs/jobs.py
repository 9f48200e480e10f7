"""The jobs that the sensor asks for and a person can launch: the seven stages over a range of sessions, and vectors behind."""

from __future__ import annotations

import dagster as dg

graduate_sessions = dg.define_asset_job(
    "graduate_sessions",
    selection=dg.AssetSelection.groups("graduation"),
    description="From session files to searchable memory: all seven stages.",
)

embed_waiting_units = dg.define_asset_job(
    "embed_waiting_units",
    selection=dg.AssetSelection.assets("vectors"),
    description="Vectors for what is searchable by its words alone.",
)
