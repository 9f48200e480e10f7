"""The page for people: everything with its address, and nothing of what a session says is Markdown."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from memory_assets.exchange.markdown_text import escaped
from memory_assets.memory import Memory
from memory_assets_tests.defs.files import chat
from memory_assets_tests.exchange.conftest import Store
from memory_assets_tests.filled_store import Said, fill, fill_one

HOSTILE = (
    "<script>alert(1)</script> & <img src=x onerror=alert(1)> <!-- --> &lt;b&gt; &#60;i&#62;",
    "[click](javascript:alert(1)) ![x](http://evil.example/p.png) [ref]: http://evil.example",
    "# heading\n## two\n- item\n* item\n+ item\n1. one\n> quote\n\n---\n***\n| a | b |\n|---|---|",
    "```\nfence\n``` ~~~ `code` **bold** __bold__ *em* _em_ ~~gone~~ \\`odd\\",
    "http://evil.example www.evil.example <http://evil.example> mailto:a@b.example $x^2$ $$y$$",
    "1) one",
    "=====",
    "    indented\n\tcode",
    "session:shop-1#m=1&c=0-4 `mem:abc123` [HYPOTHESIS]",
    "\x1b[31mred\x1b[0m \u202etxt.exe\u202c \x07 \x9b1m",
    "한국어는 그대로 읽힌다: 우리는 캐시를 Redis로 옮기기로 했다.",
)
OURS = {
    "inline", "text", "paragraph_open", "paragraph_close", "heading_open", "heading_close", "bullet_list_open",
    "bullet_list_close", "list_item_open", "list_item_close", "blockquote_open", "blockquote_close", "strong_open",
    "strong_close", "code_inline", "text_special",
}  # fmt: skip


def tokens(page: str) -> list[Token]:
    """What a parser of CommonMark with tables and strikethrough makes of a page."""
    found: list[Token] = []
    waiting = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(page)
    while waiting:
        token = waiting.pop(0)
        found.append(token)
        waiting = [*(token.children or []), *waiting]
    return found


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("frame", ["- {}", "  > {}", "# {}", "x {} y", "{}"])
def test_a_text_is_nothing_but_text(text: str, frame: str) -> None:
    found = tokens(frame.format(escaped(text)))
    inline = [token for token in found if token.type == "inline"]
    assert len(inline) == 1 and {child.type for child in inline[0].children or []} <= {"text", "text_special"}
    said = "".join(child.content for child in inline[0].children or [])
    shown = re.sub(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e]", "\ufffd", " ".join(text.split()))
    assert said.strip() == frame.lstrip("- >#").format(shown).strip()


@pytest.mark.long
def test_random_marks_are_nothing_but_text() -> None:
    draw = random.Random(3)
    for number in range(4_000):
        marks = "__**~~`\\a가 " if number % 2 else "\\`*_{}[]()#+-.!|~<>&;:=$^\"' \na1가"
        text = "".join(draw.choice(marks) for _ in range(draw.randrange(1, 14)))
        found = tokens(f"- {escaped(text)}")
        assert {token.type for token in found} <= {
            "bullet_list_open", "list_item_open", "paragraph_open", "inline", "text", "text_special", "paragraph_close",
            "list_item_close", "bullet_list_close",
        }, (text, escaped(text))  # fmt: skip


def test_bare_links_are_broken() -> None:
    assert "http://" not in escaped("see http://evil.example") and "www." not in escaped("see www.evil.example")
    assert "mailto:" not in escaped("mailto:me") and not re.search(r"(?<!\\)\$", escaped("$x$ and $y$"))


@pytest.mark.parametrize("text", ["~gone~", "~~gone~~", "~~~gone~~~", "\\~gone\\~", "a ~b~ c~~d~~"])
def test_no_wave_strikes_text_out(text: str) -> None:
    """Some programs take a single one for the mark."""
    assert not re.search(r"(?<!\\)(?:\\\\)*~", escaped(text))
    assert re.sub(r"\\(.)", r"\1", escaped(text)) == text


@pytest.mark.parametrize("text", ["I learned C #", "done ##", "it is #1 # #", "C#", "# #"])
def test_a_heading_keeps_the_marks_that_it_ends_with(text: str) -> None:
    inline = next(token for token in tokens(f"### {escaped(text)}") if token.type == "inline")
    assert "".join(child.content for child in inline.children or []) == text


def test_a_page_of_hostile_sessions_is_ours_alone(tmp_path: Path) -> None:
    talk = tuple(("user", text) for text in HOSTILE)
    said = tuple(
        Said("decision" if index % 2 else "fact", " ".join(text.split())[:80], ((index, text),))
        for index, text in enumerate(HOSTILE)
    )
    store = Store(fill_one(tmp_path / "home", "hostile", talk, said))
    page = store.export(tmp_path / "page.md", "markdown").read_text(encoding="utf-8")
    found = tokens(page)
    assert {token.type for token in found} <= OURS
    assert [token.content for token in found if token.type == "code_inline"].count("session:shop-1#m=1&c=0-4") == 0
    # As many headings, items and quotes as we wrote.
    assert sum(token.type == "list_item_open" for token in found) == len(HOSTILE) + page.count("\n- pending")
    assert sum(token.type == "blockquote_open" for token in found) == len(HOSTILE)
    assert "우리는 캐시를 Redis로 옮기기로 했다." in page
    assert "\x1b" not in page and "\u202e" not in page


@pytest.mark.long
def test_every_address_on_the_page_opens_and_shows_the_quote(tmp_path: Path) -> None:
    store = Store(fill(tmp_path / "home"))
    page = store.export(tmp_path / "page.md", "markdown").read_text(encoding="utf-8")
    assert page.count("\n### ") == 3 and "## shop" in page and "#### Decisions" in page and "### Tasks" in page
    memory = Memory(store.settings)
    cited = re.findall(r"`((?:session:|mem:|tsk_)[^`]+)`", page)
    assert len(cited) == len(re.findall(r"`", page)) // 2 - 3  # the hint, and each session's id
    for address in cited:
        assert memory.resolve(address)
    assert "(not found in the session)" in page
    assert store.rows("SELECT count(*) FROM evidence_spans WHERE match_method <> 'none'") == [(page.count("`session:"),)]


@pytest.mark.long
def test_only_a_project(tmp_path: Path, elsewhere: Store) -> None:
    chat(tmp_path / "inbox", "a", ["We decided to keep PostgreSQL 16 for orders."], project="shop")
    chat(tmp_path / "inbox", "b", ["We decided to keep MySQL 8 for invoices."], project="other")
    elsewhere.take(tmp_path / "inbox")
    page = elsewhere.export(tmp_path / "page.md", "markdown", project="shop").read_text(encoding="utf-8")
    assert "PostgreSQL 16" in page and "MySQL" not in page and "other" not in page
