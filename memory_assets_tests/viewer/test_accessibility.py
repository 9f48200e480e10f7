"""Every page by the rules of axe-core, light and dark, on a phone and on a desk, in both languages: nothing to complain of."""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets.commands.lessons import retire_lesson
from memory_assets.commands.prompts import apply_update, propose_update, register_prompt, review_update
from memory_assets.memory import Memory
from memory_assets.queries.cases import list_cases
from memory_assets.queries.lessons import list_lessons
from memory_assets_tests.court.findings import VERSION
from memory_assets_tests.filled_store import fill
from memory_assets_tests.viewer.chromium import Browser, browsing
from memory_assets_tests.viewer.heard import hear_talks
from memory_assets_tests.viewer.served import Served, serving

AXE = "axe-core@4"
_RUN = """
axe.run(document, {resultTypes: ["violations"]}).then((found) => found.violations.map(
  (one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.target.join(" ") + " " + node.failureSummary).join("; ")}`))
"""


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The program of axe-core, from the registry of npm."""
    if shutil.which("npm") is None:
        pytest.skip("no npm here, so no page was looked at: `apt-get install npm`")
    folder: Path = tmp_path_factory.mktemp("axe")
    packed = subprocess.run(["npm", "pack", "--silent", AXE], cwd=folder, capture_output=True, text=True, timeout=120)
    if packed.returncode != 0:
        pytest.skip(f"{AXE} cannot be had, so no page was looked at: {packed.stderr[-300:]}")
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        file = archive.extractfile("package/axe.min.js")
        assert file is not None
        return file.read().decode("utf-8")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as opened:
        yield opened


@pytest.fixture(scope="module")
def looked_at(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """A store of this file's own, with prompts, lessons and cases in it."""
    memory = Memory(fill(tmp_path_factory.mktemp("looked-at")))
    _prompts(memory)
    _hearings(memory)
    return memory


@pytest.fixture(scope="module")
def pages_looked_at(looked_at: Memory) -> Iterator[Served]:
    with serving(looked_at) as served:
        yield served


def _paths(memory: Memory) -> list[str]:
    one = memory.memories().memories[0]
    session = one.session_id
    return [
        "/today?day=2025-01-02",
        "/projects",
        "/projects/shop",
        "/sessions",
        f"/sessions/{session}",
        f"/sessions/{session}?m=1&c=2-9",
        f"/sessions/{session}/about",
        f"/sessions/{session}/messages/1",
        f"/sessions/{session}/proof",
        f"/memories/{one.citation.removeprefix('mem:')}",
        "/search",
        "/search?q=PostgreSQL",
        "/search?q=zebra",
        "/ask",
        "/ask?q=Which+PostgreSQL+stays+for+orders%3F&whole=1",
        "/ask?q=Which+PostgreSQL+stays+for+orders%3F",
        "/tasks",
        "/tasks?status=pending",
        "/tasks/review",
        f"/tasks/{memory.tasks()[0].task_id}",
        "/conflicts",
        "/conflicts?status=all",
        "/lessons",
        "/lessons?status=all&role=coder",
        *(f"/lessons/{lesson.lesson_id}" for lesson in memory.read(list_lessons, status="all").lessons[:2]),
        "/cases",
        *(f"/cases/{case.case_id}" for case in memory.read(list_cases, version=VERSION).cases[:2]),
        "/prompts",
        "/prompts?status=all",
        "/prompts/coder",
        "/prompts/coder?version=1",
        "/projects/shop/map",
        "/events",
        "/health",
        "/health?look=1",
        "/privacy",
        "/say",
        f"/say?of={one.citation}",
        "/nothing-here",
    ]


def _hearings(memory: Memory) -> None:
    """Lessons that stand, one that is contested and one that is retired, and a case of which claims were left out."""
    order = "Always run the tests of the checkout before a commit to main"
    told = {
        "court-1": [order, "Hello", "Always answer in Korean"],
        "court-2": [order.replace("Always", "Never"), "Always answer in Korean", "Good.", "Always answer in Korean"],
        "court-3": ["Always write down what was measured"],
    }
    hear_talks(memory.settings, told)
    found = {lesson.rule: lesson for lesson in memory.read(list_lessons, status="all").lessons}
    retire_lesson(memory.resources, found["Always write down what was measured"].lesson_id, by="kim", note="enough")
    statuses = {lesson.status for lesson in memory.read(list_lessons, status="all").lessons}
    assert statuses == {"active", "contested", "retired"}


def _prompts(memory: Memory) -> None:
    """A role with two versions, and a proposal in each of its states."""
    resources = memory.resources
    register_prompt(resources, "coder", "You write code.\nYou run the tests before you say that it is done.", by="kim")
    texts = [f"You write code.\nYou run the tests of part {number} first." for number in range(4)]
    first, *_, last = [propose_update(resources, "coder", text, reason="why", by="lee") for text in texts]
    for update in (first, last):
        review_update(resources, update.update_id, "approved", by="kim", note="yes")
    apply_update(resources, first.update_id, by="kim")
    newest = propose_update(resources, "coder", "You write tests.", reason="why", by="lee")
    review_update(resources, newest.update_id, "approved", by="kim")
    propose_update(resources, "coder", "You write more tests.", reason="why", by="lee")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "dark", "language"), [(390, False, "ko"), (390, True, "en"), (1280, False, "en"), (1280, True, "ko")]
)
def test_axe_has_nothing_to_complain_of(
    pages_looked_at: Served, looked_at: Memory, browser: Browser, axe: str, width: int, dark: bool, language: str
) -> None:
    browser.screen(width, 900, dark=dark)
    complaints = {}
    for path in _paths(looked_at):
        browser.open(f"{pages_looked_at.url}{path}{'&' if '?' in path else '?'}language={language}")
        browser.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        if "about" not in path and browser.evaluate("document.querySelector('.about-part') !== null"):
            browser.wait_for("document.querySelector('.about-part .part') !== null")
        if browser.evaluate("document.querySelector('[data-stream]') !== null"):
            browser.wait_for("document.querySelector('.answer h2, .answer .note') !== null")
        browser.evaluate(f"{axe}; null")
        if found := browser.evaluate(_RUN):
            complaints[path] = found
        wide = browser.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{path} is {wide} pixels wider than a window of {width}"
    assert complaints == {}, json.dumps(complaints, indent=1, ensure_ascii=False)


def test_keys(pages: Served, browser: Browser) -> None:
    """j and k go through a list, / into the search field, and the first Tab leads past what stands around every page."""
    browser.screen(1280, 900)
    browser.open(f"{pages.url}/sessions")
    browser.keys("j")
    first = browser.evaluate("document.activeElement.getAttribute('href')")
    browser.keys("j")
    second = browser.evaluate("document.activeElement.getAttribute('href')")
    assert first != second and first.startswith("/sessions/") and second.startswith("/sessions/")
    browser.keys("k")
    assert browser.evaluate("document.activeElement.getAttribute('href')") == first
    browser.keys("/")
    assert browser.evaluate("document.activeElement.id") == "find"
    browser.keys("j")
    assert browser.evaluate("document.getElementById('find').value") == "j"
    browser.open(f"{pages.url}/sessions")
    browser.keys("Tab")
    assert browser.evaluate("document.activeElement.className") == "skip"
    assert browser.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    assert browser.evaluate("document.activeElement.getBoundingClientRect().top") >= 0
