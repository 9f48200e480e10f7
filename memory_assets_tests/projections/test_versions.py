"""The folds follow the configured versions, there and back again, whatever was appended last."""

import pytest

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import verify
from memory_assets_tests.projections.story import VERSIONS, Remark, Story, other_versions, rows, tables

TEXTS = ["We keep PostgreSQL.", "We fix the login."]
OLD = [Remark("Keep PostgreSQL", 0), Remark("Fix the login", 1, "task", status="in_progress")]
NEW = [Remark("PostgreSQL stays", 0, promoted=None)]


@pytest.mark.long
def test_a_newer_version_is_followed_only_while_it_is_configured(log: EventLog, database: Database) -> None:
    story = Story("a")
    log.append(story.tell(TEXTS, OLD))
    catch_up(database, VERSIONS, resolve=True)
    catch_up(database, VERSIONS)
    before = tables(database)
    newer = other_versions("extracted", "rules 2")
    log.append(story.follow(NEW, newer))

    # The newer events lie in the log, the older version is configured still.
    catch_up(database, VERSIONS)
    assert _memories(database) == {"Keep PostgreSQL", "Fix the login"}

    catch_up(database, newer, resolve=True)
    assert _memories(database) == {"PostgreSQL stays"}
    assert rows(database, "SELECT count(*) FROM entities") == [(0,)]
    assert rows(database, "SELECT title, status FROM entries ORDER BY title") == [
        ("Fix the login", "superseded"),
        ("Keep PostgreSQL", "superseded"),
        ("PostgreSQL stays", "active"),
    ]
    assert verify(database, newer).equal

    events = log.last_seq()
    catch_up(database, VERSIONS, resolve=True)
    assert log.last_seq() == events, "the outcomes of these claims are known"
    now = tables(database)
    assert {table for table in now if now[table] != before[table]} == {"entries", "promotions"}
    assert _memories(database) == {"Keep PostgreSQL", "Fix the login"}
    assert verify(database, VERSIONS).equal


def test_a_version_that_no_stage_ran_in_leaves_the_session_at_the_stage_before(log: EventLog, database: Database) -> None:
    log.append(Story("a").tell(TEXTS, OLD))
    catch_up(database, other_versions("aligned", "aligner 2"))
    assert rows(database, "SELECT status FROM sessions") == [("extracted",)]
    assert _memories(database) == set()
    assert rows(database, "SELECT unit_kind, count(*) FROM memory_units GROUP BY 1 ORDER BY 1") == [
        ("episode", 1),
        ("passage", 2),
    ]
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT status FROM sessions") == [("vectorized",)]


@pytest.mark.long
def test_a_checker_s_verdicts_count_only_in_its_configured_version(log: EventLog, database: Database) -> None:
    story = Story("a")
    log.append(story.tell(TEXTS, [Remark("Keep PostgreSQL", 0, promoted=None)]))
    later = other_versions("idris_checked", "idris2 0.8")
    told = story.follow([Remark("Keep PostgreSQL", 0, promoted="verified")], later)
    log.append(told)
    for versions, stage in ((VERSIONS, "candidate"), (later, "verified"), (VERSIONS, "candidate")):
        catch_up(database, versions)
        assert rows(database, "SELECT stage FROM memories") == [(stage,)]
        assert rows(database, "SELECT count(*) FROM idris_checks") == [(1,)]


@pytest.mark.long
def test_another_embedding_queues_every_unit_again(log: EventLog, database: Database) -> None:
    log.append(Story("a").tell(TEXTS, OLD))
    catch_up(database, VERSIONS, resolve=True)
    units = rows(database, "SELECT count(*) FROM memory_units")[0][0]
    catch_up(database, other_versions("vectorized", "multilingual-1"))
    assert dict(rows(database, "SELECT embedding_version, count(*) FROM vector_outbox GROUP BY 1")) == {
        "hashing-1": units,
        "multilingual-1": units,
        # The words are the same, whatever the embedding.
        "words": units,
    }


def _memories(database: Database) -> set[str]:
    return {row[0] for row in rows(database, "SELECT title FROM memories")}
