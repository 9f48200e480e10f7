"""What a page marks is the quote, character by character: in Hangul, behind emoji, across line breaks of any kind."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from memory_assets.memory import Memory
from memory_assets_tests import filled_store
from memory_assets_tests.depth import depth
from memory_assets_tests.viewer.chromium import Browser, browsing
from memory_assets_tests.viewer.served import Served, serving

pytestmark = pytest.mark.long

CITATIONS = depth(20, 1_000)
_PARTS = (
    "배포는 매주 목요일 오전에만 한다.",
    "각각 자모 한글",
    "😀👨‍👩‍👧‍👦🏳️‍🌈 emoji",
    "\r\n",
    "\n\n",
    "\n",
    "\r",
    "\t",
    "We decided to keep PostgreSQL 16.",
    "<b>&amp; &lt;script&gt;</b>",
    "e\u0301 \u00e9 \u200b zero",
    "\u202eright to left\u202c",
    "  two  spaces  ",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "```python\nprint('x')\n```",
    "\u2028\u2029\x85",
    "𝒳𝒴𝒵 \U0001f9d1\u200d\U0001f4bb",
    "[PRIVATE]",
)
# The page as the browser reads it, without opening it: what is marked, in the message that is named.
_MARKED = """
(async () => {
  const found = [];
  for (const [path, id] of %s) {
    const page = new DOMParser().parseFromString(await (await fetch(path)).text(), "text/html");
    const marks = page.querySelectorAll(`#${id} mark`);
    found.push([[...marks].map((one) => one.textContent).join(""), page.querySelectorAll("mark").length - marks.length]);
  }
  return found;
})()
"""


def _texts() -> list[str]:
    chance = random.Random(7)
    made = ["".join(chance.choice(_PARTS) for _ in range(chance.randint(1, 40))) for _ in range(45)]
    return [*made, "\n\r\n하나" + made[0], "가" * 30_000 + "끝🎉\r\n" + "나" * 30_000]


@dataclass
class Told:
    memory: Memory
    served: Served
    browser: Browser
    texts: list[str]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    texts = _texts()
    talk = tuple(("user" if place % 2 else "assistant", text) for place, text in enumerate(texts))
    memory = Memory(filled_store.fill_one(tmp_path_factory.mktemp("marked"), "marked-1", talk, ()))
    stored = [one.text for one in memory.session("marked-1").messages]
    assert stored == texts, "the store keeps what was said"
    with browsing() as browser, serving(memory) as served:
        browser.open(f"{served.url}/sessions/marked-1")
        yield Told(memory, served, browser, texts)


def _segments(chance: random.Random, length: int) -> list[tuple[int, int]]:
    edges = sorted(chance.sample(range(length + 1), min(length + 1, 2 * chance.choice([1, 1, 1, 2, 3]))))
    return list(zip(edges[::2], edges[1::2], strict=False))


@pytest.mark.deep
def test_what_is_marked_is_the_quote(told: Told) -> None:
    chance = random.Random(11)
    asked, expected = [], []
    while len(asked) < CITATIONS:
        index = chance.randrange(len(told.texts))
        text = told.texts[index]
        segments = _segments(chance, len(text)) if len(text) < 5_000 else [(29_990, 30_006)]
        characters = ",".join(f"{start}-{end}" for start, end in segments)
        if not segments:
            continue
        asked.append([f"/sessions/marked-1?m={index}&c={characters}", f"m{index}"])
        expected.append("".join(text[start:end] for start, end in segments))
    found = [
        one
        for first in range(0, CITATIONS, 50)
        for one in told.browser.evaluate(_MARKED % json.dumps(asked[first : first + 50]))
    ]
    assert [one for one, _ in found] == expected
    assert {others for _, others in found} == {0}


def test_an_address_with_a_fragment_leads_to_its_words(told: Told) -> None:
    """``session:ID#m=12&c=140-182`` is how addresses are written; no server sees what stands behind the number sign."""
    text = told.texts[7]
    told.browser.open(f"{told.served.url}/sessions/marked-1#m=7&c=0-{len(text)}")
    told.browser.wait_for("document.querySelector('#m7 mark') !== null")
    marked = told.browser.evaluate("[...document.querySelectorAll('#m7 mark')].map((one) => one.textContent).join('')")
    assert marked == text
    assert told.browser.evaluate("location.search") == f"?m=7&c=0-{len(text)}"
    assert told.browser.evaluate(
        "(() => { const at = document.querySelector('#m7').getBoundingClientRect();"
        " return at.top < innerHeight && at.bottom > 0; })()"
    )


def test_words_far_inside_a_long_message_are_shown(told: Told) -> None:
    index = len(told.texts) - 1
    page = told.served.get(f"/sessions/marked-1?m={index}&c=30000-30002").text
    assert "<mark>끝🎉</mark>" in page and page.count("가") < 2_500 and "28,000 characters before" in page


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ("m=0&c=0-99999999", 400),
        ("m=0&c=5-2", 400),
        ("m=0&c=", 200),
        ("m=0&c=a-b", 400),
        ("m=-1", 400),
        ("m=9999", 404),
        ("m=99999999999999999999", 400),
        ("m=1.5", 400),
        ("page=0", 400),
        ("page=2", 200),
        ("page=3", 404),
        ("page=99999999999", 400),
        ("page=x", 400),
        ("page=%D9%A1", 400),
    ],
)
def test_what_names_no_words_is_told(told: Told, asked: str, status: int) -> None:
    answer = told.served.get(f"/sessions/marked-1?{asked}")
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"].startswith("text/html") and "<h1" in answer.text
