"""Stores whose sessions were heard, for the pages of lessons and cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memory_assets.configuration import Resources
from memory_assets.log.event_log import EventLog
from memory_assets.projections.fold import catch_up
from memory_assets.settings import Settings
from memory_assets_tests.projections.hearings import Heard


def hear_talks(settings: Settings, talks: Mapping[str, Sequence[str]]) -> None:
    """Add sessions, a day apart, and hear each of them with the small detector of the tests."""
    resources = Resources(settings)
    log = EventLog(resources.database)
    for day, (session_id, texts) in enumerate(talks.items()):
        session = Heard(session_id, day=day, project="shop")
        log.append(session.tell(*texts))
        log.append(session.hear())
    catch_up(resources.database, resources.configured_versions, resolve=True)
