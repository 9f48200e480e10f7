"""The stage that folds: titles are compared once, by one model; and its checks see what must not be."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg
import pytest

from memory_assets.configuration import Resources
from memory_assets.defs.stages.projected import CHECKS
from memory_assets.settings import Settings
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets_tests.defs.conftest import Import
from memory_assets_tests.defs.files import STARTED, chat
from memory_assets_tests.defs.state import assert_rebuilds_equal, events, rows
from memory_assets_tests.defs.test_quarantine import latest_check, metadata_of

if TYPE_CHECKING:
    from memory_assets.vectors.embedder import Vectors


class Counted(HashingEmbedder):
    """The hashing embedder under a name that promises meaning; it tells who was asked for what."""

    def __init__(self, asked: list[tuple[Counted, list[str]]]) -> None:
        super().__init__()
        self.embedding_version = "counted-1"
        self.asked = asked

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.asked.append((self, list(texts)))
        return super().embed_documents(texts)


def todo(inbox: Path, name: str, day: int, *texts: str) -> Path:
    return chat(inbox, name, [f"TODO: {text}" for text in texts], started=STARTED + timedelta(days=day))


def test_new_titles_are_compared_once_and_known_ones_never_again(
    inbox: Path, settings: Settings, take: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Counted, list[str]]] = []
    embedder = cached_property(lambda resources: Counted(asked))
    embedder.__set_name__(Resources, "embedder")
    monkeypatch.setattr(Resources, "embedder", embedder)
    take(todo(inbox, "one", 0, "fix the login form of the shop", "write the release notes for spring"))
    names = {name for (name,) in rows(settings, "SELECT name FROM task_names")}
    assert len(names) == 2
    assert [set(texts) for _, texts in asked if names.intersection(texts)] == [names]
    assert rows(settings, "SELECT count(*) FROM title_vectors") == [(2,)]
    # Another session that speaks of them under the same names has nothing to compare.
    take(todo(inbox, "two", 1, "fix the login form of the shop"))
    assert len([texts for _, texts in asked if names.intersection(texts)]) == 1
    # Titles and units are embedded by one embedder, whose model is loaded once a process.
    assert len(asked) > 1 and len({id(embedder) for embedder, _ in asked}) == 1
    assert_rebuilds_equal(settings)


def test_an_embedder_without_meaning_is_not_asked(inbox: Path, settings: Settings, take: Import) -> None:
    take(todo(inbox, "one", 0, "fix the login form of the shop", "write the release notes for spring"))
    assert rows(settings, "SELECT count(*) FROM task_names") == [(2,)]
    assert rows(settings, "SELECT count(*) FROM title_vectors") == [(0,)]
    assert events(settings, "task_titles_alike") == []


def test_what_a_session_touched_is_counted(
    inbox: Path, settings: Settings, take: Import, unrecorded: dg.DagsterInstance
) -> None:
    take(todo(inbox, "one", 0, "fix the login form of the shop", "write the release notes for spring"))
    take(todo(inbox, "two", 1, "fix the login form of the shop"))
    assert metadata_of(unrecorded, "projected", "one")["tasks_touched"] == 2
    assert metadata_of(unrecorded, "projected", "two")["tasks_touched"] == 1
    for name in CHECKS:
        assert latest_check(unrecorded, "projected", name).passed, name


@pytest.mark.parametrize(
    ("check", "statement"),
    [
        ("tasks_rest_on_evidence", "DELETE FROM task_claims"),
        ("blocked_tasks_have_blockers", """UPDATE entities SET current_json = '{"status": "blocked"}'"""),
        (
            "done_tasks_have_none",
            """UPDATE entities SET current_json = '{"status": "done"}';
               INSERT INTO edges SELECT 'edg_1', 'entity', entity_id, 'blocked_by_suggested', 'entity', entity_id, '{}',
                 created_at, 'ev_1' FROM entities""",
        ),
        (
            "no_duplicate_edges",
            "INSERT INTO edges SELECT * REPLACE ('edg_other' AS edge_id) FROM edges WHERE rel_type = 'evidence_of'",
        ),
    ],
)
def test_each_check_sees_what_must_not_be(check: str, statement: str, inbox: Path, settings: Settings, take: Import) -> None:
    take(todo(inbox, "one", 0, "fix the login form of the shop"))
    database = Resources(settings).database
    with database.writing() as connection:
        connection.execute(statement)
    found = {name: rows(settings, query)[0][0] for name, (_, query) in CHECKS.items()}
    assert {name for name, count in found.items() if count} == {check}
