"""What a leaf of the graph said when it was made last: how far the log was then, above all."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

LOG_SEQ = "log_seq"


def last_metadata(instance: dg.DagsterInstance, leaf: dg.AssetKey) -> Mapping[str, Any]:
    """What Dagster keeps of a leaf's newest materialization; nothing where it was never made."""
    made = instance.get_latest_materialization_event(leaf)
    return made.asset_materialization.metadata if made and made.asset_materialization else {}


def log_seq_of(metadata: Mapping[str, Any]) -> int | None:
    """How far the log was; None where the metadata of a leaf does not say."""
    seen = metadata.get(LOG_SEQ)
    return seen.value if isinstance(seen, dg.IntMetadataValue) else None
