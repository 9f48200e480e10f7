"""``<private>`` blocks: honoured everywhere but in quoted examples."""

from __future__ import annotations

import pytest

from memory_assets.sessions.masking.redaction import redact_text
from memory_assets.sessions.masking.redaction_policy import default_policy


def _masked(text: str) -> str:
    return redact_text(text, default_policy()).text


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("a <private>b</private> c", "a [PRIVATE] c"),
        ("<PRIVATE>b</Private>", "[PRIVATE]"),
        ('< private reason="x" >b< / private >', "[PRIVATE]"),
        ("<private\n>b</private\n>c", "[PRIVATE]\n\nc"),
        ("<private></private>", "[PRIVATE]"),
        ("한글<private>비밀</private>한글", "한글[PRIVATE]한글"),
        ("a</private>b", "a</private>b"),
        ("<private/>b", "<private/>b"),
        ("<privateer>b</privateer>", "<privateer>b</privateer>"),
    ],
)
def test_tags_are_read_tolerantly(text: str, masked: str) -> None:
    assert _masked(text) == masked


def test_nested_tags_reach_to_the_last_close() -> None:
    assert _masked("a <private>b <private>c</private> d</private> e") == "a [PRIVATE] e"


def test_unclosed_tag_masks_to_the_end_and_says_so() -> None:
    redacted = redact_text("a <private>b\nc\n", default_policy())
    assert (redacted.text, redacted.unclosed_private) == ("a [PRIVATE]\n\n", True)
    assert redact_text("<private>a</private>", default_policy()).unclosed_private is False


def test_an_inner_open_tag_without_its_close_leaves_the_outer_unclosed() -> None:
    redacted = redact_text("<private>a<private>b</private>secret", default_policy())
    assert (redacted.text, redacted.unclosed_private) == ("[PRIVATE]", True)


@pytest.mark.parametrize(
    "text",
    [
        "write `<private>secret</private>` to hide",
        "write ``<private>`x`</private>`` to hide",
        "```\n<private>x</private>\n```\nend",
        "  ~~~html\n<private>x</private>\n~~~\n",
        "> ```\n> <private>x</private>\n> ```\n",
        "- ```\n  <private>x</private>\n  ```\n",
        "````\n```\n<private>x</private>\n```\n````\n",
        "the `<private>` tag masks until `</private>`",
        "only the `<private>` tag is named",
        "```\n<private>\n```\n",
        "```a <private>x</private>``` inline at the start of a line",
    ],
)
def test_quoted_examples_are_left_alone(text: str) -> None:
    redacted = redact_text(text, default_policy())
    assert (redacted.text, redacted.counts, redacted.unclosed_private) == (text, {}, False)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        # the fence opens inside the region
        ("<private>\n```\nsecret\n```\n</private>x", "[PRIVATE]\n\n\n\nx"),
        ("<private>\n```\nsecret</private>\n```\n", "[PRIVATE]\n\n\n```\n"),
        # the fence closes inside the region
        ("```\n<private>\n```\nsecret\n</private>", "```\n[PRIVATE]\n\n\n"),
        ("it`s <private>my secret`s</private> x", "it`s [PRIVATE] x"),
        # the fence never closes
        ("```\n<private>secret</private>", "```\n[PRIVATE]"),
        ("a ` b <private>secret</private>", "a ` b [PRIVATE]"),
        ("~~~\n<private>secret</private>\n```\n", "~~~\n[PRIVATE]\n```\n"),
        # inline code does not span lines
        ("a ` b\n<private>secret</private>\nc ` d", "a ` b\n[PRIVATE]\nc ` d"),
        # a closing tag quoted inside the region does not close it
        ("<private>the tag `</private>` and secret</private> x", "[PRIVATE] x"),
        # unless nothing else would
        ("<private>a`b</private> c`d", "[PRIVATE] c`d"),
        # a fence inside a region says nothing about what follows it
        ("<private>```\na</private>\n<private>secret</private>\n```\n", "[PRIVATE]\n\n[PRIVATE]\n```\n"),
        # an example first, then one that is meant
        ("`<private>` hides: <private>secret</private>.", "`<private>` hides: [PRIVATE]."),
        ("```\n<private>x</private>\n```\n<private>secret</private>", "```\n<private>x</private>\n```\n[PRIVATE]"),
    ],
)
def test_everything_else_is_private(text: str, masked: str) -> None:
    assert _masked(text) == masked


def test_private_text_is_not_counted_by_what_it_holds() -> None:
    redacted = redact_text("<private>password=hunter2 a@b.io</private>", default_policy())
    assert redacted.counts == {"PRIVATE": 1}
