"""The leaf ``court_mirror``: the court's tables in PostgreSQL follow the lessons, where the settings name one."""

from collections.abc import Iterator

import dagster as dg

from memory_assets.court_backend.court_in_postgres import CourtInPostgres
from memory_assets.defs.court.batch import GROUP
from memory_assets.defs.court.leaves import improvements, lessons
from memory_assets.defs.court.proposals import prompt_proposals
from memory_assets.defs.last_made import LOG_SEQ
from memory_assets.defs.resources import EventLogResource
from memory_assets.errors import MemoryAssetsError
from memory_assets.maintenance.court_mirror import project_court

_CHECK = "postgres_follows"


@dg.asset(
    deps=[lessons, improvements, prompt_proposals],
    group_name=GROUP,
    kinds={"postgres"},
    owners=["team:memory"],
    check_specs=[
        dg.AssetCheckSpec(
            _CHECK, asset="court_mirror", description="PostgreSQL, where there is one, holds what the store holds."
        )
    ],
    description="""The court's tables and the vectors of its lessons in the PostgreSQL that `court.postgres_url` names.

- **reads** the court's tables of the store
- **guarantees** that PostgreSQL holds the same rows, as of one event of the log

With `court.backend = "embedded"` there is none: it does nothing, and says so. A PostgreSQL that does not answer holds up no
run: the check warns, and the next run tries again.
""",
)
def court_mirror(event_log: EventLogResource) -> Iterator[dg.MaterializeResult[None]]:
    opened = event_log.opened
    seq = opened.log.last_seq()
    if opened.settings.court.backend != "postgres":
        yield _made({"mirror": "none: court.backend is embedded, the store alone is searched", LOG_SEQ: seq}, str(seq))
        return
    try:
        mirror = opened.resources.court_in_postgres
        before = _rests_on(mirror) if mirror is not None else 0
        done = project_court(opened.resources)
    except MemoryAssetsError as error:
        yield _made({"mirror": f"it did not follow: {error}", LOG_SEQ: seq}, str(seq), error)
        return
    yield _made(
        {
            "mirror": f"{mirror.address}" if mirror is not None else "",
            "offset_seq": done.upto_seq,
            "lag_before": done.upto_seq - before,
            "rows_written": done.written,
            "rows_deleted": done.deleted,
            "vectors_written": done.embedded,
            "vectors": done.vectors,
            "has_index": done.has_index,
            **({"written_anew": done.rebuilt} if done.rebuilt else {}),
            LOG_SEQ: seq,
        },
        str(done.upto_seq),
    )


def _rests_on(mirror: CourtInPostgres) -> int:
    place = mirror.state().place
    return 0 if place is None else place.seq


def _made(
    metadata: dict[str, str | int | bool], version: str, failed: MemoryAssetsError | None = None
) -> dg.MaterializeResult[None]:
    return dg.MaterializeResult(
        metadata=metadata,
        data_version=dg.DataVersion(version),
        check_results=[
            dg.AssetCheckResult(
                check_name=_CHECK,
                asset_key="court_mirror",
                passed=failed is None,
                severity=dg.AssetCheckSeverity.WARN,
                metadata={"code": failed.code, "what to do": failed.hint} if failed is not None else {},
            )
        ],
    )
