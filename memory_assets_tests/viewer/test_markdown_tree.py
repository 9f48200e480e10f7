"""Markdown becomes a tree without HTML, whose links lead to http, https and mailto alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.viewer.links import cited_link
from memory_assets.viewer.markdown_tree import Node, safe_link, size_of, tree_of
from memory_assets_tests.viewer.payloads import PAYLOADS

_KINDS = {
    *(
        "text",
        "br",
        "hr",
        "code",
        "pre",
        "a",
        "span",
        "p",
        "heading",
        "ul",
        "ol",
        "li",
        "blockquote",
        "table",
        "thead",
        "tbody",
    ),
    *("tr", "th", "td", "em", "strong", "s"),
}


def _all(nodes: tuple[Node, ...]) -> list[Node]:
    return [one for node in nodes for one in (node, *_all(node.children))]


def _words(nodes: tuple[Node, ...]) -> str:
    return "".join(node.text for node in _all(nodes))


@pytest.mark.parametrize(
    ("href", "followed"),
    [
        ("https://example.org/a?b=c#d", True),
        ("http://example.org", True),
        ("mailto:mina@example.org", True),
        ("HTTPS://EXAMPLE.ORG", True),
        ("javascript:alert(1)", False),
        ("java\tscript:alert(1)", False),
        (" javascript:alert(1)", False),
        ("https:javascript", False),
        ("//example.org", False),
        ("/today", False),
        ("data:text/html,x", False),
        ("file:///etc/passwd", False),
        ("vbscript:x", False),
        ("https://[::1", False),
        ("", False),
    ],
)
def test_a_link_is_followed_by_its_scheme(href: str, followed: bool) -> None:
    assert safe_link(href) == (href if followed else "")


def test_html_is_text() -> None:
    assert _words(tree_of("a <b>c</b> <script>d</script>")) == "a <b>c</b> <script>d</script>"


def test_a_picture_is_a_link_with_its_words() -> None:
    (paragraph,) = tree_of("![a chart](https://example.org/c.png)")
    assert paragraph.children == (Node("a", href="https://example.org/c.png", children=(Node("text", "a chart"),)),)


def test_lists_tables_and_code_keep_their_words() -> None:
    made = tree_of("1. one\n2. two\n\n| a | b |\n|---|---|\n| `c` | **d** |\n\n```py\nx = 1\n```\n")
    assert [node.kind for node in made] == ["ol", "table", "pre"]
    assert _words(made) == "onetwoabcdx = 1"


@given(st.one_of(st.sampled_from(PAYLOADS), st.text(alphabet="<>[]()!*_`#|-\n :/ahtps\\&;\"'", max_size=120)))
def test_whatever_is_written_is_known_to_the_template_and_leads_nowhere_else(text: str) -> None:
    nodes = _all(tree_of(text))
    assert {node.kind for node in nodes} <= _KINDS
    assert all(safe_link(node.href) for node in nodes if node.kind == "a")
    assert size_of(tree_of(text)) == len(nodes)


@pytest.mark.parametrize(
    ("uri", "link"),
    [
        ("session:shop-1#m=12&c=140-182", "/sessions/shop-1?m=12&c=140-182#m12"),
        ("session:shop-1#m=12&c=1-2,5-9", "/sessions/shop-1?m=12&c=1-2%2C5-9#m12"),
        ("terminal:session:shop-1#m=7", "/sessions/shop-1?m=7#m7"),
        ("mem:a7Bc3x", "/memories/a7Bc3x"),
        ("file:src/app.py", None),
        ("javascript:alert(1)", None),
        (None, None),
    ],
)
def test_an_address_leads_to_the_page_that_shows_its_words(uri: str | None, link: str | None) -> None:
    assert cited_link(uri) == link
