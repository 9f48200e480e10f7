"""What Dagster is told of a stage's version: what the settings make of it, so that it calls stale what they have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import dagster as dg

from memory_assets.defs.sources import SourceReader
from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.vocabulary import PIPELINE_STAGES

if TYPE_CHECKING:
    from memory_assets.configuration import Resources

_SHOWN_DIGITS = 8


def code_versions(resources: Resources) -> dict[dg.AssetKey, str]:
    """The code version of each stage: its own, and in a few digits those of the stages before it.

    What a stage logged follows one version of each stage before it: under another one of any of them it has to be made anew.

    Raises:
        ConfigInvalidError: a file that the settings name cannot be read.
        RulesInvalidError: the rules cannot be used.
    """
    reader = SourceReader(resources.redaction_policy)
    own = {"ingested": reader.version, **resources.stage_versions}
    versions: dict[dg.AssetKey, str] = {}
    before: list[str] = []
    for stage in PIPELINE_STAGES:
        behind = f" behind {sha256_hex(canonical_json(before))[:_SHOWN_DIGITS]}" if before else ""
        versions[dg.AssetKey(stage)] = own[stage] + behind
        before.append(own[stage])
    return versions
