"""Everything that knows Dagster."""

import warnings

import dagster as dg

# Metadata of single partitions and backfill policies are marked beta or preview; their warnings would fill every run's log.
for _category in (dg.BetaWarning, dg.PreviewWarning):
    warnings.filterwarnings("ignore", category=_category)
