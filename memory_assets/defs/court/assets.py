"""The assets of the court by name."""

from __future__ import annotations

import dagster as dg

STEPS = ("court_case", "court_statements", "court_judgement")
LEAVES = ("lessons", "improvements", "prompt_proposals")
MIRROR = "court_mirror"


def court_assets() -> frozenset[dg.AssetKey]:
    """The steps, and what all cases together have become."""
    return frozenset(dg.AssetKey(name) for name in (*STEPS, *LEAVES))
