"""`memory builds` and `memory metrics` on a terminal and as JSON."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_assets.cli.times import moment_of
from memory_assets.errors import InvalidArgumentError
from memory_assets_tests.cli.conftest import Run

pytestmark = pytest.mark.long

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def imported(imported_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of two builds, to be read only."""
    monkeypatch.setenv("MEMORY_HOME", str(imported_home))
    return imported_home


def test_the_newest_build_comes_first(memory: Run, imported: Path) -> None:
    page = memory("builds", "--json").json
    assert (page["schema_version"], page["total"]) == ("builds.v1", 2)
    assert [build["sessions"] for build in page["builds"]] == [2, 1]
    assert memory("builds", "list", "--limit", "1", "--json").json == {**page, "builds": page["builds"][:1]}
    ended = memory("builds", "-n", "1")
    assert (ended.code, ended.err) == (0, "")
    head, row, rest = ended.out.splitlines()
    assert head.split()[:5] == ["started", "build", "status", "sessions", "events"]
    assert page["builds"][0]["build_id"][:16] in row and "success" in row
    assert rest == "the newest 1 of 2; --limit shows more"


def test_one_build_by_the_beginning_of_its_id(memory: Run, imported: Path) -> None:
    newest = memory("builds", "--json").json["builds"][0]
    told = memory("builds", "show", newest["build_id"][4:14], "--json").json
    assert (told["schema_version"], told["build"]) == ("build.v1", newest)
    assert sorted(told["session_ids"]) == ["one", "two"] and told["forgotten"] == 0
    assert sum(told["events_by_type"].values()) == newest["events"]
    ended = memory("builds", "show", newest["build_id"])
    assert (ended.code, ended.err) == (0, "")
    for fact in (newest["build_id"], newest["dagster_run_id"], newest["checker"], "not asked", "idris_checked", "session  two"):
        assert fact in ended.out


@pytest.mark.parametrize("arguments", [("builds", "show", "bld_0nobody"), ("metrics", "--build", "bld_0nobody")])
def test_a_build_that_there_is_not(memory: Run, imported: Path, arguments: tuple[str, ...]) -> None:
    ended = memory(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.splitlines() == [
        "error: there is no build 'bld_0nobody'",
        "hint: `memory builds list` lists what there is",
    ]


def test_metrics_of_everything_and_of_a_part(memory: Run, imported: Path) -> None:
    found = memory("metrics", "--json").json
    assert found["schema_version"] == "metrics.v1" and len(found["stages"]) == 7
    assert found["stages"][0]["runs"] == 3 and found["stages"][0]["sessions"] == 2
    assert found["verdicts"][0]["checker"] == "embedded" and found["verdicts"][0]["mean_ms"] > 0
    assert sum(found["quotes_by_method"].values()) > 0 and found["promotions"][0]["outcome"] == "promoted"

    newest = memory("builds", "--json").json["builds"][0]["build_id"]
    part = memory("metrics", "--build", newest, "--stage", "aligned", "--session", "tw", "--since", "1d", "--json").json
    assert part["within"]["build_id"] == newest and part["within"]["session_id"] == "two"
    assert [(stage["stage"], stage["runs"]) for stage in part["stages"]] == [("aligned", 1)]
    assert part["promotions"] == part["verdicts"] == []
    ended = memory("metrics")
    assert (ended.code, ended.err) == (0, "")
    assert "slowest session" in ended.out.splitlines()[0] and "candidate -> verified" in ended.out


def test_an_empty_store(memory: Run) -> None:
    assert memory("builds").out == "no builds; `memory import PATH` makes one\n"
    assert memory("metrics").out == "nothing was measured\n"
    assert memory("builds", "--json").json == {"schema_version": "builds.v1", "builds": [], "total": 0}


@pytest.mark.parametrize(
    "arguments",
    [("--since", "yesterday"), ("--stage", "polished"), ("--session", "nobody"), ("--since", "")],
)
def test_what_names_nothing_is_refused(memory: Run, imported: Path, arguments: tuple[str, ...]) -> None:
    ended = memory("metrics", *arguments)
    assert (ended.code, ended.out) == (2, "") and ended.err.startswith("error: ") and "hint: " in ended.err


def test_moments() -> None:
    assert moment_of("--since", "90m", NOW) == NOW - timedelta(minutes=90)
    assert moment_of("--since", " 2w ", NOW) == NOW - timedelta(days=14)
    assert moment_of("--since", "2026-02-01", NOW) == datetime(2026, 2, 1, tzinfo=UTC)
    assert moment_of("--since", "2026-02-01T09:00+09:00", NOW) == datetime(2026, 2, 1, tzinfo=UTC)
    for wrong in ("7x", "-1d", "2026-13-01", "९d", "0001-01-01T00:00+14:00"):
        with pytest.raises(InvalidArgumentError, match="no moment"):
            moment_of("--since", wrong, NOW)
