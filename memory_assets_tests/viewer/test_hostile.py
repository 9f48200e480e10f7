"""Thirty payloads in every text that a session or a person brings, in a real browser: nothing runs, loads or leads away."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from memory_assets.commands.feedback import give_feedback
from memory_assets.configuration import Resources
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.maintenance.indexing import write_waiting
from memory_assets.memory import Memory
from memory_assets.projections.fold import catch_up
from memory_assets.sessions.model import Message
from memory_assets_tests import filled_store
from memory_assets_tests.depth import depth
from memory_assets_tests.filled_store import Said, session_events
from memory_assets_tests.viewer.chromium import Browser, browsing
from memory_assets_tests.viewer.payloads import AWAY, PAYLOADS
from memory_assets_tests.viewer.served import Served, serving

EACH = depth(10, 1)
"""Every so many of them is looked at."""

# What a page may have: everything else in it came from a text.
_FOREIGN = """
(() => {
  const bad = [];
  for (const one of document.querySelectorAll("*")) {
    const name = one.localName;
    if (["img", "iframe", "object", "embed", "base", "style", "math", "video", "audio", "frame"].includes(name)) bad.push(name);
    if (name === "script" && !/^\\/static\\//.test(one.getAttribute("src") || "")) bad.push("script");
    if (name === "link" && !/^\\/static\\//.test(one.getAttribute("href") || "")) bad.push("link");
    if (name === "form" && !/^\\/[a-z]*(\\/[a-z_-]+)?$/.test(one.getAttribute("action") || "")) bad.push("form");
    if (name === "meta" && one.httpEquiv) bad.push("meta " + one.httpEquiv);
    for (const held of one.attributes) {
      if (/^on/i.test(held.name) || held.name === "style" || held.name === "formaction" || held.name === "srcdoc")
        bad.push(held.name);
      if (/^hx-/.test(held.name) && !/^\\/sessions\\/|^toggle once$|^find /.test(held.value)) bad.push(held.name);
    }
    const leads = name === "a" ? new URL(one.getAttribute("href"), location.href) : location;  // in a drawing too
    if (!["http:", "https:", "mailto:"].includes(leads.protocol)) bad.push(leads.protocol);
    if (leads.host !== location.host && !/noopener noreferrer nofollow/.test(one.rel)) bad.push("rel");
  }
  return bad;
})()
"""


@dataclass
class Hostile:
    memory: Memory
    served: Served
    browser: Browser


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hostile]:
    memory = Memory(_hostile_store(tmp_path_factory.mktemp("hostile")))
    for ladder in memory.memories(limit=3).memories:
        give_feedback(memory.resources, ladder.citation, "wrong", by=PAYLOADS[0], note=PAYLOADS[2])
    with browsing() as browser, serving(memory) as served:
        yield Hostile(memory, served, browser)


def _hostile_store(home: Path) -> Any:
    """A session for each payload, which is its title, its project, its file's name, its speaker, its tool, and all it says."""
    settings = filled_store.test_settings(home)
    resources = Resources(settings)
    versions = resources.configured_versions
    told_of_all: list[NewEvent] = []
    kinds = {2: ("tool_call", "assistant"), 3: ("tool_result", "tool")}
    for number, payload in enumerate(PAYLOADS):

        def hostile_message(uid: str, role: str, kind: str, text: str, ts: Any, payload: str = payload) -> Message:
            made = Message(uid, role, kind, text, ts, name=payload, tool_name=payload)  # type: ignore[arg-type]
            told = kinds.get(int(uid[1:]))
            return replace(made, kind=told[0], role=told[1]) if told else made  # type: ignore[arg-type]

        words = f"We decided on {payload}"
        talk = (("user", words), ("assistant", f"Say {payload}"), ("user", payload), ("user", payload))
        said = (
            Said("decision", words, ((0, words),)),
            Said("task", f"Do {payload}", ((1, f"Say {payload}"),), status="pending"),
        )
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(filled_store, "Message", hostile_message)
            events = session_events(
                f"hostile-{number}",
                f"p{number}/{payload}",
                payload,
                f"/srv/{payload}",
                filled_store.STARTED,
                talk,
                said,
                versions,
            )
        told_of_all += events
    EventLog(resources.database).append(told_of_all)
    catch_up(resources.database, versions, resolve=True)
    write_waiting(resources)
    return settings


def _looked_at(hostile: Hostile, path: str, *, failing: bool = False) -> None:
    """Open a page, and see that it is ours alone."""
    browser, served = hostile.browser, hostile.served
    browser.asked.clear()
    browser.said.clear()
    browser.open(f"{served.url}{path}")
    foreign = browser.evaluate(_FOREIGN)
    assert foreign == [], (path, foreign)
    complaints = [one for one in browser.said if not (failing and "Failed to load resource" in one)]
    assert complaints == [], (path, complaints)
    # The browser draws its own fields from data: addresses, which ask nobody.
    assert [url for url in browser.asked if not url.startswith((served.url, "data:"))] == [], path
    assert served.reports == [], (path, served.reports)


@pytest.mark.long
def test_the_lists_of_all_of_them(hostile: Hostile) -> None:
    day = filled_store.STARTED.date()
    for path in ("/sessions", "/projects", f"/today?day={day}", "/search?q=decided&kind=entry", "/search?q=decided", "/ask"):
        _looked_at(hostile, path)
        assert hostile.browser.evaluate("document.body.innerText").count("alert(1)") >= (0 if path == "/ask" else 5), path


@pytest.mark.long
@pytest.mark.deep
def test_the_page_of_each(hostile: Hostile) -> None:
    for number, payload in list(enumerate(PAYLOADS))[::-EACH]:
        _looked_at(hostile, f"/sessions/hostile-{number}")
        hostile.browser.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        hostile.browser.wait_for("document.querySelector('.about-part .part') !== null")
        assert hostile.browser.evaluate(_FOREIGN) == [], payload
        assert hostile.browser.said == [] and hostile.served.reports == [], payload
        _looked_at(hostile, f"/sessions/hostile-{number}?m=0&c=14-{14 + len(payload)}")
        _looked_at(hostile, f"/sessions/hostile-{number}/proof")
        _looked_at(hostile, f"/projects/{quote(f'p{number}/{payload}', safe='')}")
    assert hostile.browser.evaluate("document.querySelector('h1').innerText").startswith(f"p{number}/")


@pytest.mark.long
@pytest.mark.deep
def test_each_memory(hostile: Hostile) -> None:
    memories = hostile.memory.memories().memories
    assert len(memories) >= len(PAYLOADS)
    for memory in memories[::EACH]:
        _looked_at(hostile, f"/memories/{memory.citation.removeprefix('mem:')}")


@pytest.mark.long
def test_the_pages_of_work_and_of_the_store(hostile: Hostile) -> None:
    for path in ("/tasks", "/tasks/review", "/conflicts?status=all", "/health?look=1", "/privacy"):
        _looked_at(hostile, path)
    assert hostile.browser.evaluate("document.body.innerText").count("SECRET") == 0
    _looked_at(hostile, "/events")
    hostile.browser.wait_for("document.querySelector('.live-state.on') !== null")
    assert hostile.browser.evaluate("document.body.innerText").count("alert(1)") >= 5


@pytest.mark.long
@pytest.mark.deep
def test_what_is_said_of_a_memory_and_each_map(hostile: Hostile) -> None:
    for memory in hostile.memory.memories().memories[:: 2 * EACH]:
        _looked_at(hostile, f"/say?of={memory.citation}")
        _looked_at(hostile, f"/projects/{quote(memory.project or '', safe='')}/map")
    for payload in PAYLOADS[::EACH]:
        for path in ("/say?of=", "/tasks/", "/tasks?status=", "/conflicts?status=", "/privacy?ids="):
            _looked_at(hostile, f"{path}{quote(payload, safe='')}", failing=True)


@pytest.mark.long
def test_what_comes_live(hostile: Hostile) -> None:
    """Titles of sessions that come while the page is open are set as text."""
    _looked_at(hostile, "/events")
    hostile.browser.wait_for("document.querySelector('.live-state.on') !== null")
    versions = hostile.memory.resources.configured_versions
    for number, payload in enumerate(PAYLOADS[::5]):
        words = (("user", payload),)
        events = session_events(f"live-{number}", payload, payload, "/srv/x", filled_store.STARTED, words, (), versions)
        EventLog(hostile.memory.database).append(events[:1])
    hostile.browser.wait_for(f"document.querySelector('a[href$=\"live-{number}\"]') !== null")
    assert hostile.browser.evaluate(_FOREIGN) == []
    assert hostile.browser.said == [] and hostile.served.reports == []


@pytest.mark.long
@pytest.mark.deep
def test_what_an_address_says(hostile: Hostile) -> None:
    for payload in PAYLOADS[::EACH]:
        asked = urlencode({"q": payload, "project": "", "language": payload, "theme": payload})
        _looked_at(hostile, f"/search?{asked}")
        _looked_at(hostile, f"/ask?{asked}&whole=1")
        for place in ("sessions", "memories", "projects", "static", "nowhere"):
            _looked_at(hostile, f"/{place}/{quote(payload, safe='')}", failing=True)


@pytest.mark.long
def test_an_answer_as_it_comes(hostile: Hostile) -> None:
    for payload in PAYLOADS[::5]:
        _looked_at(hostile, f"/ask?{urlencode({'q': f'What was decided on {payload}?'})}")
        hostile.browser.wait_for("document.querySelector('.answer h2, .answer .note') !== null")
        assert hostile.browser.evaluate(_FOREIGN) == [], payload
        assert hostile.browser.said == [] and hostile.served.reports == [], payload


def test_the_browser_would_tell(hostile: Hostile) -> None:
    """The same looks see what they are there for, on a page that is none of ours."""
    browser = hostile.browser
    browser.open(f"{hostile.served.url}/ask")
    browser.said.clear()
    browser.evaluate(
        f"document.body.innerHTML = {json.dumps(f'<img src={AWAY}/x onerror=alert(1)><a href=javascript:alert(1)>x</a>')}"
    )
    assert {"img", "onerror", "javascript:"} <= set(browser.evaluate(_FOREIGN))
    browser.wait_for("true")
    assert any("Content Security Policy" in one for one in browser.said)
