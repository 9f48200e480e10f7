"""What holds for all tests."""

from __future__ import annotations

from memory_assets.log import opening

# Two workers share two cores: threads of DuckDB would wait for each other, at a fifth more CPU for small stores.
opening.CONFIG["threads"] = 1
