"""Everything that can be asked of a store says, where it shows a corrected memory, what a person said instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from memory_assets.memory import Memory
from memory_assets_tests.asked_surfaces import Surfaces, named_by
from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.defs.corrected_store import (
    LOGS,
    LOGS_NOW,
    LOGS_ONCE,
    ROUNDS,
    ROUNDS_NOW,
    WINDOW,
    WINDOW_NOW,
    corrected_store,
)
from memory_assets_tests.depth import cases
from memory_assets_tests.mcp.client import Connected, connected
from memory_assets_tests.viewer.served import serving

pytestmark = pytest.mark.long

WORDS = {ROUNDS: "15 minutes", WINDOW: "매주 목요일", LOGS: "logs for thirty days", LOGS_ONCE: "sixty days"}
"""Of each corrected memory, by its title, words that nothing else says."""
NOW = {ROUNDS: ROUNDS_NOW, WINDOW: WINDOW_NOW, LOGS: LOGS_NOW, LOGS_ONCE: LOGS_NOW}
QUESTIONS = ("How do we round every entry?", "배포 창은 언제지?", "For how many days do we keep the logs?")
# What is written into the log or made of it as it came, and the names of sessions, which are called by their first words.
AS_IT_CAME = {
    *("events", "extract", "proof show", "export jsonl", "export chat.v1", "sessions list", "court", "metrics", "prompts"),
    *(
        "/sessions",
        "/sessions/{session}/proof",
        "/events",
        "/live",
        "/api/sessions",
        "/api/sessions/{session}",
        "/api/events",
        "/api/events/{event}",
    ),
    *("/cases", "dagster", "mcp get_case", "mcp list_case_events"),
}
SAYS_SO = re.compile(r"said otherwise|corrected by|다르게 말했|says otherwise|said_otherwise|in favour of")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with corrected_store(tmp_path_factory.mktemp("corrected")) as memory:
        yield memory


@pytest.fixture(scope="module")
def client(made: Memory) -> Iterator[Connected]:
    """One server over that store, and its client."""
    with connected(made.settings.home) as client:
        yield client


def _is_as_it_came(place: str) -> bool:
    named = re.sub(r"\?.*| -.*", "", place)
    return any(named == one or named.startswith(f"{one} ") for one in AS_IT_CAME)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_nothing_shows_a_corrected_memory_without_what_holds(
    made: Memory, client: Connected, memory: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of all that can be asked; `defs/test_corrected_surfaces.py` looks with every change at what shows a memory."""
    monkeypatch.setenv("MEMORY_HOME", str(made.settings.home))

    def say(*arguments: str) -> str:
        ended = memory(*arguments)
        return ended.out + ended.err

    kept = {one.title: str(one.superseded_by).removeprefix("mem:") for one in made.memories().memories if one.title in WORDS}
    assert set(kept) == set(WORDS)
    shown: set[str] = set()
    silent: dict[str, str] = {}
    with serving(Memory(made.settings)) as pages:
        surfaces = Surfaces(say, client, pages, made.settings)
        for place, text in surfaces.told(QUESTIONS, named_by(made.settings, 20)):
            for old, words in WORDS.items():
                if words in text and not _is_as_it_came(place):
                    shown.add(re.split(r" -|\?", place)[0])
                    # Asked for by its own name, what holds is shown without it: what was asked is no part of an answer.
                    says_what_holds = kept[old] in text or NOW[old] in text
                    if not says_what_holds or SAYS_SO.search(text) is None:
                        silent.setdefault(place, text[:2_000])
    assert not silent, "\n\n".join(f"{place}: {text}" for place, text in silent.items())
    # The control: these show what was corrected, and say so.
    assert shown >= {"search {question}", "session {session}", "mcp get_timeline", "/sessions/{session}"}
    assert shown >= {"mcp get_session_digest", "today", "/today"}
    assert "/api/search" in shown


@pytest.mark.parametrize("old", cases([WINDOW, LOGS_ONCE], [ROUNDS, LOGS]))
def test_what_is_asked_for_by_its_address_is_told_behind_what_holds(
    made: Memory, client: Connected, memory: Run, monkeypatch: pytest.MonkeyPatch, old: str
) -> None:
    """With who said so, and on which day."""
    monkeypatch.setenv("MEMORY_HOME", str(made.settings.home))
    known = next(one for one in made.memories().memories if one.title == old)
    kept, today = str(known.superseded_by), f"{datetime.now(UTC):%Y-%m-%d}"
    told = f"a person said otherwise on {today}: {kept} (Jiho)"
    entry = memory("entries", "show", known.citation, "--json").json["entry_id"]
    pages = [memory(*words).out for words in (("show", known.citation), ("show", entry), ("entries", "show", entry))]
    pages += [memory("evidence", "show", known.citation).out, memory("show", known.uri).out]
    pages.append("\n".join(getattr(part, "text", "") for part in client.call("get_evidence", id=known.citation).content))
    for page in pages:
        assert told in page and NOW[old] in page and page.index(told) < page.index(WORDS[old]), page
    for words in (("details",), ("timeline",)):
        ended = memory(*words, known.citation)
        assert ended.code == 2 and f"set aside in favour of {kept}" in ended.err
    for words in (("show", known.citation), ("show", known.uri), ("entries", "show", entry)):
        found = memory(*words, "--json").json
        instead = found.get("memory", found.get("entry", found))["said_otherwise"]
        assert (instead["id"], instead["said_by"], instead["text"]) == (kept, "Jiho", NOW[old])
    with serving(Memory(made.settings)) as served:
        page = served.get(f"/memories/{known.citation.removeprefix('mem:')}").text
    body = page[page.index("<main") :]
    assert body.index(kept.removeprefix("mem:")) < body.index(WORDS[old]) and "Jiho" in body and today in body


def test_what_was_said_around_it_says_so(made: Memory, memory: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_HOME", str(made.settings.home))
    for session, old in (("talk-1", ROUNDS), ("talk-2", WINDOW), ("talk-3", LOGS)):
        kept = next(str(one.superseded_by) for one in made.memories().memories if one.title == old)
        for words in (("timeline", f"session:{session}#m=0"), ("details", f"session:{session}#m=1")):
            found = memory(*words, "--json").json["items"]
            marked = [one for one in found if one["said_otherwise"] is not None]
            assert [one["said_otherwise"]["id"] for one in marked] == [kept]
            assert all((WORDS[old] in (one.get("preview") or one["text"])) == (one in marked) for one in found)
            assert f"a person said otherwise on {datetime.now(UTC):%Y-%m-%d}: {kept} (Jiho)" in memory(*words).out
