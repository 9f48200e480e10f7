"""Hits in layers: a line each, and what of them was opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.cli.output import clean, cut, plural, styled
from memory_assets.cli.tables import print_text, terminal_width

if TYPE_CHECKING:
    from memory_assets.results.disclosure import DisclosedV1, DisclosureV1

_WHY = {
    "explicit_ids": "opened as asked for",
    "high_confidence_single": "the one hit is plainly meant, so it is opened",
    "clear_winner": "the first hit is plainly meant, so it is opened",
    "ambiguous_multiple_high": "several hits are as good, so what was said around them is shown",
    "low_confidence": "no hit is sure enough to be opened: memory details ID opens one",
    "no_results": "nothing found",
    "no_expansion_rule_matched": "no hit stands out, so none is opened: memory details ID opens one",
}


def print_disclosure(found: DisclosureV1) -> None:
    """The index, then the surroundings and the full text of what was opened."""
    for line in found.index:
        print_text(cut(styled(line.text), terminal_width()))
    _print_layer("said around", found.timeline)
    _print_layer("in full", found.details)
    print_text(styled(""))
    shown = f"{plural(found.total_matches, 'hit')}, {found.estimated_tokens:,} of {found.budget:,} tokens"
    print_text(styled((f"{shown}; {_WHY[found.reason]}", "dim")))


def _print_layer(name: str, opened: tuple[DisclosedV1, ...]) -> None:
    for one in opened:
        print_text(styled(""), styled((f"{name} ", "dim"), (one.id, "cyan"), (" …" if one.is_cut else "", "dim")))
        print_text(*(styled(f"  {clean(line)}") for line in one.text.splitlines()))
