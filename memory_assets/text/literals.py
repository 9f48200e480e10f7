"""Many literals looked for in one reading of a text (Aho-Corasick), whatever their number."""

from __future__ import annotations

from collections.abc import Iterable

from memory_assets.text.half_characters import HALF

# A mark or two letters stand in nearly every text: to report each place costs more than to ask for them when they are needed.
_SHORTEST = 3


class LiteralSearch:
    """Literals of either case, looked for in a text in lower case.

    A literal that it does not report is not in the text. One that it reports may be: letters may have another case there,
    and those whose lower case depends on what surrounds them, and the shortest, are always reported.
    """

    def __init__(self, literals: Iterable[str]) -> None:
        from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

        lowered = {literal.lower(): _is_findable(literal) for literal in literals}
        self._known = tuple(sorted(literal for literal, findable in lowered.items() if findable))
        self._always = frozenset(literal for literal, findable in lowered.items() if not findable)
        # All literals that stand at one place are wanted, which only the standard kind of match reports.
        self._search = AhoCorasick(self._known, matchkind=MatchKind.Standard, implementation=Implementation.DFA)

    def held(self, lowered: str) -> frozenset[str]:
        """The literals, in lower case, that a text in lower case may hold."""
        try:
            found = self._search.find_matches_as_indexes(lowered, overlapping=True)
        except UnicodeEncodeError:
            whole = HALF.sub("\ufffd", lowered)
            found = self._search.find_matches_as_indexes(whole, overlapping=True)
        return self._always.union([self._known[number] for number in {match[0] for match in found}])


def _is_findable(literal: str) -> bool:
    if literal.isascii():
        return len(literal) >= _SHORTEST
    return all(char.lower() == char.upper() or char.isascii() for char in literal)
