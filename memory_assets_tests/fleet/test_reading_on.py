"""Reading a mirror while it cannot be brought up, and the shared lock while somebody folds: nobody waits for long."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from memory_assets.fleet import connections
from memory_assets.fleet.opening import shared_log
from memory_assets.log.database import Database
from memory_assets.log.errors import SharedLogUnavailableError, StoreLockedError
from memory_assets.log.event_log import EventLog
from memory_assets.log.mirror import AWAY_SECONDS, FRESH_SECONDS
from memory_assets.log.payloads.catalogue import CHAIN
from memory_assets.projections import rebuild as rebuilding
from memory_assets.projections.fold import Folded, fold
from memory_assets_tests.fleet.hosts import Fleet, database_of, is_sound
from memory_assets_tests.fleet.proxies import proxied
from memory_assets_tests.fleet.test_failures import on_loopback
from memory_assets_tests.log.samples import taken
from memory_assets_tests.postgres.databases import There


@pytest.mark.long
def test_beside_a_backup_the_mirror_is_read_as_it_is(shared: Fleet, caplog: pytest.LogCaptureFixture) -> None:
    one = shared.database("one")
    EventLog(one).append([taken(1)])
    shared.log("two").append([taken(2)])
    with Database(shared.home("one")).standing_still():
        reader = shared.database("one")
        began = time.monotonic()
        assert EventLog(reader).last_seq() == 1
        assert time.monotonic() - began < 2, "its lock timeout is ten seconds"
        assert isinstance(reader.mirror.away, StoreLockedError) and " old" in caplog.text
    time.sleep(AWAY_SECONDS)
    assert EventLog(reader).last_seq() == 2


@pytest.mark.long
def test_a_server_that_was_silent_is_not_asked_again_at_once(
    there: There, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with proxied(there.server.port) as proxy:
        fleet = Fleet(tmp_path, on_loopback(there, monkeypatch, proxy.port))
        monkeypatch.setattr(connections, "SILENT_SECONDS", 2.0)
        monkeypatch.setitem(connections.OPTIONS, "connect_timeout", 2)
        fleet.log("one").append([taken(1)])
        time.sleep(FRESH_SECONDS)
        proxy.is_silent = True
        assert fleet.log("one").last_seq() == 1
        # As another command of the machine would: what one process learned another one knows.
        caplog.clear()
        next_one = fleet.database("one")
        began = time.monotonic()
        assert EventLog(next_one).last_seq() == 1
        assert time.monotonic() - began < 1 and isinstance(next_one.mirror.away, SharedLogUnavailableError)
        assert " old" in caplog.text
        with pytest.raises(SharedLogUnavailableError):
            EventLog(next_one).append([taken(2)])
        proxy.is_silent = False
        assert fleet.log("one").append([taken(2)]).last_seq == 2, "who writes asks it"
        Fleet(tmp_path, there.address.url).log("two").append([taken(3)])
        assert fleet.log("one").last_seq() == 3


def test_versions_that_others_pinned_meanwhile_are_followed_by_who_has_them(shared: Fleet) -> None:
    """What the mirror's own table says is of when it was used last."""
    first, second = (dict.fromkeys(CHAIN.values(), version) for version in ("1", "2"))
    EventLog(database_of(shared.home("one"), shared.url, versions=first)).append([taken(1)])
    shared.log("one").configure(first)
    with shared_log(shared.url, 10.0).exclusive() as log:
        log.pin(second)
    later = EventLog(database_of(shared.home("one"), shared.url, versions=second))
    assert later.append([taken(2)]).last_seq == 2
    assert shared_log(shared.url, 10.0).state().versions == second


@pytest.mark.long
def test_a_rebuild_keeps_nobody_from_writing_while_it_folds(shared: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = dict.fromkeys(CHAIN.values(), "1")
    one = database_of(shared.home("one"), shared.url, versions=versions)
    EventLog(one).append([taken(1)])
    two = EventLog(shared.database("two", lock_timeout=1.0))
    two.last_seq()
    folds = []

    def folding(*arguments: object, **named: object) -> Folded:
        folds.append(two.append([taken(2 + len(folds))]).last_seq)
        return fold(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(rebuilding, "fold", folding)
    rebuilt = rebuilding.rebuild(one, versions)
    assert folds == [2] and rebuilt.upto_seq == 2
    assert is_sound(one) == is_sound(shared.database("two")) == 2
    assert rebuilding.verify(one, versions).equal
