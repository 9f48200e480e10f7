"""Markdown of sessions as a tree that a template writes: no HTML is made here, and none that is written in it is any.

The template knows each kind of node; what it does not know is shown as the text that it is. Pictures are never loaded: of one
its words are shown, and a link where it leads to. Links lead to http, https and mailto alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

SCHEMES: Final = ("http", "https", "mailto")
_BLOCKS: Final = {
    "paragraph": "p",
    "heading": "heading",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
    "blockquote": "blockquote",
    "table": "table",
    "thead": "thead",
    "tbody": "tbody",
    "tr": "tr",
    "th": "th",
    "td": "td",
    "em": "em",
    "strong": "strong",
    "s": "s",
    "link": "a",
}
_CONTROLS: Final = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]")


@dataclass(frozen=True, slots=True)
class Node:
    """A piece of a text.

    Attributes:
        kind: what a template writes for it; ``text`` has no children.
        text: of text and code.
        href: of a link that may be followed.
    """

    kind: str
    text: str = ""
    href: str = ""
    start: int = 1
    children: tuple[Node, ...] = ()


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])


def tree_of(text: str) -> tuple[Node, ...]:
    """A text of Markdown as nodes."""
    tokens = _parser().parse(text)
    return _nodes(_leaves(tokens))


def size_of(nodes: Sequence[Node]) -> int:
    """How many elements a template makes of nodes, at the most."""
    return sum(1 + size_of(node.children) for node in nodes)


def safe_link(href: str) -> str:
    """An address that may be followed, or nothing: by its scheme, whatever is written to hide it."""
    if _CONTROLS.search(href):
        return ""
    try:
        parts = urlsplit(href)
    except ValueError:
        return ""
    if parts.scheme.lower() not in SCHEMES or (parts.scheme.lower() != "mailto" and not parts.netloc):
        return ""
    return href


def _leaves(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        if token.type == "inline":
            yield from token.children or ()
        else:
            yield token


def _nodes(tokens: Iterator[Token]) -> tuple[Node, ...]:
    """Nodes up to the end of the one that is open."""
    found: list[Node] = []
    for token in tokens:
        if token.nesting < 0:
            break
        if token.nesting > 0:
            found.append(_open(token, _nodes(tokens)))
        else:
            found.append(_leaf(token))
    return tuple(found)


def _open(token: Token, children: tuple[Node, ...]) -> Node:
    kind = _BLOCKS.get(token.type.removesuffix("_open"), "p")
    if kind == "p" and token.hidden:
        return Node("span", children=children)
    if kind == "a":
        return _link(str(token.attrs.get("href", "")), children)
    start = token.attrs.get("start", 1)
    return Node(kind, start=int(start) if str(start).isdigit() else 1, children=children)


def _leaf(token: Token) -> Node:
    match token.type:
        case "text" | "text_special":
            return Node("text", token.content)
        case "code_inline":
            return Node("code", token.content)
        case "fence" | "code_block":
            return Node("pre", token.content.removesuffix("\n"))
        case "softbreak" | "hardbreak":
            return Node("br")
        case "hr":
            return Node("hr")
        case "image":
            words = token.content or "image"
            return _link(str(token.attrs.get("src", "")), (Node("text", words),))
        case _:
            return Node("text", token.content)


def _link(href: str, children: tuple[Node, ...]) -> Node:
    """A link with the words that it has; one that may not be followed is these words."""
    followed = safe_link(href)
    return Node("a", href=followed, children=children) if followed else Node("span", children=children)
