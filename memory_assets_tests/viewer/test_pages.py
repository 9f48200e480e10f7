"""What each page tells, and where its citations lead."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from memory_assets.commands.feedback import give_feedback
from memory_assets.memory import Memory
from memory_assets_tests import filled_store
from memory_assets_tests.filled_store import Said
from memory_assets_tests.viewer.served import Served, serving

SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


def _places(page: str) -> list[str]:
    """Where the citations of a page lead."""
    return [html.unescape(link) for link in re.findall(r'href="(/sessions/[^"]*[?&]m=[^"]*)"', page)]


def _memory_of(memory: Memory, title: str) -> str:
    found = next(one for one in memory.memories().memories if title in one.title)
    return found.citation.removeprefix("mem:")


@pytest.mark.parametrize(
    "path",
    [
        "/today?day=2025-01-05",
        "/projects/shop",
        "/sessions/shop-1/about",
        "/search?q=PostgreSQL",
        "/ask?q=Which+PostgreSQL+stays%3F&whole=1",
    ],
)
def test_every_citation_of_a_page_leads_to_words_that_are_marked(pages: Served, path: str) -> None:
    places = _places(pages.get(path).text)
    assert places
    for place in dict.fromkeys(places):
        page = pages.get(place.partition("#")[0])
        assert page.status_code == 200 and 'class="message' in page.text, place
        assert "c=" not in place or "<mark>" in page.text, place
        assert f'id="{place.partition("#")[2]}"' in page.text, place


def test_a_session_shows_who_said_what_and_how_it_came_to_be_there(pages: Served) -> None:
    page = pages.get("/sessions/shop-1").text
    assert "결제 서버 장애" in page and "4 messages" in page
    assert re.findall(r'<article class="message (\w+)', page) == ["user", "assistant", "user", "assistant"]
    assert page.count("<span>typed</span>") == 2 and page.count("<span>said</span>") == 2


def test_sessions_are_counted_and_those_of_a_project_are_found(pages: Served) -> None:
    page = pages.get("/sessions").text
    assert '<span class="total">3</span>' in page and "/sessions/odd-3" in page and "put aside" in page
    of_project = pages.get("/sessions?project=shop").text
    assert '<span class="total">2</span>' in of_project and "/sessions/odd-3" not in of_project
    assert pages.get("/sessions?project=nobody%27s").status_code == 404
    assert "too strange" in pages.get("/sessions/odd-3").text


def test_a_memory_shows_its_words_and_what_is_proved_of_them(pages: Served, memory: Memory) -> None:
    short = _memory_of(memory, "PostgreSQL 16")
    page = pages.get(f"/memories/{short}").text
    assert page.count("<mark>We decided to keep PostgreSQL 16 for orders.</mark>") == 2
    assert "Held, and a person vouched for it or several sessions say it." in page and "embedded 1" in page
    assert {"/sessions/shop-1", "/sessions/notes-2"} <= set(re.findall(r'href="(/sessions/[\w-]+)"', page))
    assert "/srv/notes.md" in page and "two sessions say it, or a person vouched for it" in page
    entry = next(one.entry_id for one in memory.resolve(f"mem:{short}").quotes)  # type: ignore[union-attr]
    assert pages.get(f"/memories/{entry}").status_code == 200
    in_korean = pages.get(f"/memories/{short}?language=ko").text
    assert "증명된 것" in in_korean and "What is proved" not in in_korean


@pytest.mark.long
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/memories/AAAAAA", 404),
        ("/memories/not-an-id", 400),
        ("/memories/ent_0000", 404),
        ("/memories/..%2f..%2fetc", 404),
        ("/memories/" + "x" * 5_000, 400),
        ("/sessions/nothing", 404),
        ("/sessions/..%2f..%2fetc%2fpasswd", 404),
        ("/sessions/%ff%fe", 404),
        ("/sessions/%00", 404),
        ("/sessions/shop-1/messages/99", 404),
        ("/sessions/shop-1/messages/x", 404),
        ("/sessions?page=2", 404),
        ("/sessions?page=0", 400),
        ("/sessions?page=-1", 400),
        ("/projects/nothing", 404),
        ("/projects/shop?days=x", 400),
        ("/projects?page=2", 404),
        ("/search?q=x&kind=everything", 400),
        ("/search?q=" + "x" * 30_000, 400),
        ("/ask?q=" + "x" * 30_000 + "&whole=1", 400),
    ],
)
def test_what_is_asked_for_wrongly_is_a_page_that_names_it(pages: Served, memory: Memory, path: str, status: int) -> None:
    before = memory.stats().events
    answer = pages.get(path)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"].startswith("text/html") and "<h1" in answer.text and len(answer.text) < 50_000
    assert memory.stats().events == before


def test_the_proof_of_a_session_is_shown_with_its_modules(pages: Served) -> None:
    page = pages.get("/sessions/shop-1/proof").text
    assert '<span class="tag good">accepted</span>' in page and "embedded 1" in page
    assert page.count("data-row") == 4 and "module " in page
    assert pages.get("/sessions/odd-3/proof").status_code == 404


def test_a_search_says_whether_what_it_found_can_be_an_answer(pages: Served) -> None:
    known = pages.get("/search?q=PostgreSQL+16+orders").text
    assert "hits that can hold the answer" in known and "/memories/" in known
    unknown = pages.get("/search?q=quantum+zebra+telescope").text
    assert "Nothing that was said seems to answer this." in unknown or "Nothing was found." in unknown
    assert "hits that can hold" not in unknown
    assert "Korean and English are both understood" in pages.get("/search").text


def test_an_answer_comes_as_events_and_as_a_page(pages: Served) -> None:
    question = quote("What did we decide to keep for orders?")
    streamed = pages.get(f"/ask/stream?q={question}")
    assert streamed.headers["content-type"].startswith("text/event-stream")
    events = re.findall(r"event: (\w+)\ndata: (.*)\n", streamed.text)
    assert [name for name, _ in events] == ["answer"]
    piece = json.loads(events[0][1])
    assert "PostgreSQL 16" in piece and _places(piece)
    whole = pages.get(f"/ask?q={question}&whole=1").text
    assert set(_places(piece)) == set(_places(whole))
    nothing = json.loads(re.findall(r"data: (.*)\n", pages.get("/ask/stream?q=").text)[0])
    assert "the question is empty" in nothing


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Memory, Served]]:
    """A session that was taken in before any policy masked it, and one with more than words."""
    talk = (
        ("user", f"The token is {SECRET}. We decided to rotate it monthly."),
        ("user", "Before [PRIVATE] and after, write to [EMAIL]."),
        (
            "assistant",
            "# Plan\n\nsee [it](https://example.org/plan) and [that](javascript:alert(1)), ![a chart](https://example.org/c.png)\n",
        ),
        ("user", 'Look at this:\n<details ref="src/a.py">\n' + "attached line\n" * 120 + "</details>\nand fix it."),
        ("assistant", f"A secret\\_in escapes: {SECRET[:12]}&#{ord(SECRET[12])};{SECRET[13:]}"),
    )
    said = (Said("decision", "Rotate the token monthly", ((0, "We decided to rotate it monthly."),)),)
    memory = Memory(filled_store.fill_one(tmp_path_factory.mktemp("odd"), "odd-1", talk, said))
    with serving(memory) as served:
        yield memory, served


@pytest.mark.long
def test_what_the_policy_masks_is_on_no_page(odd: tuple[Memory, Served]) -> None:
    memory, served = odd
    short = _memory_of(memory, "Rotate")
    asked = "/search?q=token", "/ask?q=What+is+the+token%3F&whole=1", "/ask/stream?q=What+is+the+token%3F"
    for path in ("/sessions/odd-1", "/sessions/odd-1/about", "/sessions/odd-1/messages/0", f"/memories/{short}", *asked):
        answer = served.get(path)
        assert answer.status_code == 200 and SECRET not in html.unescape(answer.text), path
    cited = served.get("/sessions/odd-1?m=0&c=0-12").text
    assert SECRET not in cited and "its words cannot be marked" in cited and "[SECRET" in cited


def test_what_is_private_says_so(odd: tuple[Memory, Served]) -> None:
    _, served = odd
    for path in ("/sessions/odd-1", "/sessions/odd-1?m=1&c=0-6"):
        page = served.get(path).text
        assert '<span class="private">Private content (not stored)</span>' in page and "[PRIVATE]" not in page
    assert "비공개 내용 (저장하지 않음)" in served.get("/sessions/odd-1?language=ko").text


def test_markdown_of_an_agent_is_read_and_leads_nowhere_bad(odd: tuple[Memory, Served]) -> None:
    page = odd[1].get("/sessions/odd-1").text
    assert '<p class="heading">Plan</p>' in page
    assert '<a href="https://example.org/plan" rel="noopener noreferrer nofollow" class="away">it</a>' in page
    assert "javascript:" not in page.replace("[that](javascript:alert(1))", "") and "<img" not in page
    assert 'href="https://example.org/c.png"' in page and "a chart" in page


def test_what_an_editor_attached_is_told_from_what_was_typed(odd: tuple[Memory, Served]) -> None:
    page = odd[1].get("/sessions/odd-1").text
    attached = page[page.index('id="m3"') : page.index('id="m4"')]
    assert re.findall(r'<div class="stretch (\w+)', attached) == ["typed", "template", "typed"]
    assert re.search(r"<summary>template, [\d,]+ characters</summary>", attached)


def test_what_people_said_of_a_memory_comes_first(tmp_path_factory: pytest.TempPathFactory) -> None:
    memory = Memory(filled_store.fill(tmp_path_factory.mktemp("corrected")))
    short = _memory_of(memory, "retry budget")
    give_feedback(memory.resources, f"mem:{short}", "wrong", by="Mina", note="It is five since March.")
    with serving(memory) as served:
        page = served.get(f"/memories/{short}").text
    assert page.index("It is five since March.") < page.index("Its words, in their places")
    assert re.search(r"<dt>wrong</dt><dd>1</dd>", page)
