"""The code location, under the name that Dagster is given: ``-m memory_assets.definitions``."""

from __future__ import annotations

from memory_assets.defs.code_location import build_definitions

defs = build_definitions()
