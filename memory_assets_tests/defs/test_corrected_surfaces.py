"""Wherever words are shown of which a person said otherwise, it says so, and where what holds stands."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime

import pytest

from memory_assets.cli.digest_page import print_session
from memory_assets.cli.search import print_response
from memory_assets.hooks.events import HookCall
from memory_assets.hooks.telling import told_after_compaction, told_with_prompt
from memory_assets.mcp.digest_text import day_digest_lines, project_digest_lines, session_digest_lines
from memory_assets.mcp.layer_text import context_lines
from memory_assets.mcp.search_text import search_lines
from memory_assets.memory import AskRequest, Memory
from memory_assets.queries.disclosure import address_of as address_of_hit
from memory_assets.results.digest import DigestLineV1
from memory_assets.results.search import SearchHitV1
from memory_assets.search.answers import corrections
from memory_assets.search.answers.said_otherwise import shows_something_of
from memory_assets.search.request import SearchRequest
from memory_assets_tests.defs.conftest import Mixed
from memory_assets_tests.defs.corrected_store import (
    FOLDER_KOREAN_NOW,
    FOLDER_NOW,
    LOGS,
    LOGS_NOW,
    OLD,
    ROUNDS,
    ROUNDS_NOW,
    WINDOW,
    WINDOW_NOW,
)
from memory_assets_tests.viewer.served import serving

pytestmark = pytest.mark.long

OF_SESSION = [("talk-1", ROUNDS, ROUNDS_NOW), ("talk-2", WINDOW, WINDOW_NOW), ("talk-3", LOGS, LOGS_NOW)]
SEARCHED = [
    ("round every entry up to 15 minutes", ROUNDS_NOW),
    ("배포 창 매주 목요일 오전 10시", WINDOW_NOW),
    ("keep the logs for thirty days", LOGS_NOW),
    ("keep the thumbnails in a folder", FOLDER_NOW),
    ("썸네일을 세션 폴더에 저장", FOLDER_KOREAN_NOW),
]


def address_of(memory: Memory, title: str) -> str:
    return next(one.citation for one in memory.memories().memories if one.title == title)


def call_of(event: str, *, session: str | None = None, prompt: str = "") -> HookCall:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return HookCall(event, "someone", "1", at, session_id=session, cwd="/srv/shop", prompt=prompt)  # type: ignore[arg-type]


def line_of(lines: Iterable[DigestLineV1], title: str) -> DigestLineV1:
    return next(line for line in lines if line.text == title)


@pytest.mark.parametrize(("session", "old", "now"), OF_SESSION)
def test_a_session_s_digest_says_what_stands_in_place_of_a_memory(
    corrected: Memory, session: str, old: str, now: str, capsys: pytest.CaptureFixture[str]
) -> None:
    digest, kept = corrected.session_digest(session), address_of(corrected, now)
    line = line_of((*digest.decided, *digest.noted), old)
    assert (line.status, line.superseded_by) == ("deprecated", kept)
    print_session(digest)
    of_mcp = "\n".join(session_digest_lines(digest))
    told = told_after_compaction(corrected, call_of("session_start", session=session), 2_000)
    for page in (capsys.readouterr().out, of_mcp, told):
        assert old in page and f"in favour of {kept}" in page


def test_so_do_those_of_the_day_and_of_the_project(corrected: Memory) -> None:
    kept = address_of(corrected, ROUNDS_NOW)
    day = corrected.day_digest(date(2025, 3, 1))
    assert f"in favour of {kept}" in "\n".join(day_digest_lines(day))
    project = corrected.project_digest("shop", days=1_000)
    assert line_of(project.replaced, ROUNDS).superseded_by == kept
    assert [line.superseded_by for line in project.holds] == [None] * len(project.holds)
    assert f"in favour of {kept}" in "\n".join(project_digest_lines(project))


def _is_marked(hits: Iterable[SearchHitV1], now: str, kept: str) -> bool:
    """Whether each hit that shows something old says what holds, and no other one does."""
    some = False
    for hit in hits:
        is_old = any(old in f"{hit.title if hit.unit_kind != 'passage' else ''} {hit.snippet}" for old in OLD)
        said = hit.said_otherwise
        assert (said is not None) == is_old, (hit.title, hit.snippet)
        if said is not None and said.id == kept:
            some = True
            assert (said.said_by, said.text, said.said_at.date()) == ("Jiho", now, datetime.now(UTC).date())
            assert said.uri.startswith("session:correction.")
    return some


@pytest.mark.parametrize(("query", "now"), SEARCHED)
def test_a_hit_that_shows_what_was_corrected_says_so(
    corrected: Memory, query: str, now: str, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = address_of(corrected, now)
    found = corrected.search_for(SearchRequest(query, mode="lexical", k=20, log=False))
    assert _is_marked(found.hits, now, kept)
    (other,) = corrected.asker.searcher.search_all([SearchRequest(query, mode="lexical", k=20, log=False)])
    assert other == found
    told = {line.id: line.text for line in corrected.disclose(found, budget=4_000).index}
    for hit in found.hits:
        assert ("a person said otherwise" in told[address_of_hit(hit)]) == (hit.said_otherwise is not None)
    print_response(found)
    for page in (capsys.readouterr().out, "\n".join(search_lines(found))):
        assert f"a person said otherwise on {datetime.now(UTC):%Y-%m-%d}: {kept}" in page and now in page


@pytest.mark.parametrize(("query", "now"), SEARCHED)
def test_a_context_and_what_an_agent_is_told_say_so(corrected: Memory, query: str, now: str) -> None:
    said = f"a person said otherwise on {datetime.now(UTC):%Y-%m-%d}: {address_of(corrected, now)}"
    bundle = corrected.context(query, log=False)
    items = [item for section in bundle.sections for item in section.items]
    for item in items:
        assert (item.said_otherwise is not None) == any(old in item.text for old in OLD), item.text
    old_lines = [line for line in bundle.text.split("\n") if any(old in line for old in OLD)]
    assert old_lines and all("a person said otherwise on" in line for line in old_lines)
    assert said in bundle.text and said in "\n".join(context_lines(bundle))
    told = told_with_prompt(corrected, call_of("prompt", prompt=query), 2_000).split("\n")
    old_lines = [line for line in told if any(old in line for old in OLD)]
    assert old_lines and all("a person said otherwise on" in line for line in old_lines)


@pytest.mark.long
def test_the_pages_say_so(corrected: Memory) -> None:
    with serving(corrected) as pages:
        for session, old, now in OF_SESSION:
            link = f'href="/memories/{address_of(corrected, now).removeprefix("mem:")}"'
            about = pages.get(f"/sessions/{session}/about").text
            assert about.count("In its place stands") >= 2 and link in about
            old_page = pages.get(f"/memories/{address_of(corrected, old).removeprefix('mem:')}").text
            assert link in old_page and now in old_page and "Jiho" in old_page
        assert "In its place stands" in pages.get("/today?day=2025-03-01").text
        for query, now in SEARCHED:
            language, said = ("en", "A person said otherwise:") if query.isascii() else ("ko", "사람이 다르게 말했습니다:")
            page = pages.get(f"/search?q={query}&language={language}").text
            assert said in page and f'href="/memories/{address_of(corrected, now).removeprefix("mem:")}"' in page


def test_some_words_are_shown_where_a_part_of_a_sentence_is() -> None:
    text = "We decided to round every entry up to 15 minutes, because customers check the invoice.\nSo it is."
    for shown in (text.split("\n")[0], "…round every entry up to 15 minutes, because…", "the rest … So it is. And then"):
        assert shows_something_of(text, shown)
    for shown in ("", "We decided to go.", "every entry", "So it goes."):
        assert not shows_something_of(text, shown)


@pytest.mark.long
def test_a_store_without_corrections_is_asked_nothing_of_them(mixed_copy: Mixed, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a statement more")

    monkeypatch.setattr(corrections, "fetch", refuse)
    memory = Memory(mixed_copy.settings)
    assert memory.search("PostgreSQL replication", mode="lexical", log=False).hits
    assert memory.context("PostgreSQL replication", log=False).sections
    assert memory.ask(AskRequest("Why do we keep service 1 on PostgreSQL?")).grounded
