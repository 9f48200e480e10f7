"""The stage that folds: titles are compared once, by one model; and its checks see what must not be."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg
import pytest

from memory_assets.configuration import Resources
from memory_assets.defs import run
from memory_assets.defs.digest_page import DigestPage
from memory_assets.defs.stages.projected import CHECKS
from memory_assets.memory import Memory
from memory_assets.settings import Settings, load_settings
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets_tests.dagster_records import in_memory
from memory_assets_tests.defs.conftest import Import
from memory_assets_tests.defs.files import STARTED, chat
from memory_assets_tests.defs.state import assert_rebuilds_equal, events, rows
from memory_assets_tests.defs.test_quarantine import latest_check, metadata_of
from memory_assets_tests.filled_store import fill, tell

if TYPE_CHECKING:
    from memory_assets.vectors.embedder import Vectors

pytestmark = pytest.mark.long


class Counted(HashingEmbedder):
    """The hashing embedder under a name that promises meaning; it tells who was asked for what."""

    def __init__(self, asked: list[tuple[Counted, list[str]]]) -> None:
        super().__init__()
        self.embedding_version = "counted-1"
        self.asked = asked

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.asked.append((self, list(texts)))
        return super().embed_documents(texts)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """The small filled store, a session that says Markdown, and one in which an agent says one word."""
    settings = fill(tmp_path_factory.mktemp("shop"))
    tell(settings, "marked-8", (("user", "Please fix <b>this</b> | [link](http://x.example)"),), ())
    tell(settings, "empty-9", (("assistant", "Hello."),), ())
    return Memory(settings)


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


def test_a_session_is_digested_on_its_page(
    inbox: Path, settings: Settings, take: Import, unrecorded: dg.DagsterInstance
) -> None:
    take(todo(inbox, "one", 0, "fix the login form of the shop"))
    (task_id,) = [task_id for (task_id,) in rows(settings, "SELECT task_id FROM v_tasks")]
    digest = metadata_of(unrecorded, "projected", "one")["digest"]
    assert f"**Open ends** 1\n\n- `{task_id[:12]}` · pending · `session:one#m=0&c=" in digest
    assert "login form" not in digest, "no text of a session"


def test_a_digest_for_the_ui_holds_words_where_they_may_stand_there(shop: Memory) -> None:
    digest = shop.session_digest("shop-1")
    bare = DigestPage(show_quotes=False, viewer_url=None).markdown(digest)
    assert "**Decided** 2" in bare and " · decision · held · `session:shop-1#m=1&c=21-44`" in bare
    assert "캐시" not in bare and "PostgreSQL" not in bare and "결제" not in bare
    told = DigestPage(show_quotes=True, viewer_url="https://viewer.example/at/{address}").markdown(digest)
    assert "- 캐시를 Redis로 옮긴다 · `mem:" in told and "](https://viewer.example/at/session%3Ashop-1" in told
    # What a session says is no Markdown.
    marked = DigestPage(show_quotes=True, viewer_url=None).markdown(shop.session_digest("marked-8"))
    assert marked.startswith(
        "**Goal**\n\n- Please fix &lt;b&gt;this&lt;/b&gt; \\| \\[link\\]\\(http://x.example\\) · `session:"
    )
    nothing = DigestPage(show_quotes=True, viewer_url=None).markdown(shop.session_digest("empty-9"))
    assert nothing == "nothing was decided, done or left open"


@pytest.fixture(scope="module")
def told_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a store that one session with one task was imported into."""
    folder = tmp_path_factory.mktemp("told")
    with pytest.MonkeyPatch.context() as patch:
        instance = in_memory()
        patch.setattr(run, "dagster_instance", lambda settings: instance)
        path = todo(folder / "inbox", "one", 0, "fix the login form of the shop")
        settings = load_settings({"home": folder / "home", "embedding": {"model": "hashing"}})
        run.import_paths(settings, [path], project=None)
    return folder / "home"


@pytest.fixture
def told(told_once: Path, settings: Settings) -> Settings:
    """A copy of it that a test may change."""
    shutil.copytree(told_once, settings.home, dirs_exist_ok=True)
    return settings


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
def test_each_check_sees_what_must_not_be(check: str, statement: str, told: Settings) -> None:
    database = Resources(told).database
    with database.writing() as connection:
        connection.execute(statement)
    found = {name: rows(told, query)[0][0] for name, (_, query) in CHECKS.items()}
    assert {name for name, count in found.items() if count} == {check}
