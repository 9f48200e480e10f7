"""The job that the sensor asks for and a person can launch: the seven stages over a range of sessions."""

from __future__ import annotations

import dagster as dg

graduate_sessions = dg.define_asset_job(
    "graduate_sessions",
    selection=dg.AssetSelection.groups("graduation"),
    description="From session files to searchable memory: all seven stages.",
)
