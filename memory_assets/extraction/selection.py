"""Which sentences of a window become entries, and which others support them.

The best sentence is taken first, with the neighbours that say most, and with a sentence that says the same elsewhere;
what only repeats an entry becomes its evidence and no entry of its own. A window gives so many entries as its length
allows, so that a long one does not bury what matters.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memory_assets.extraction.completeness import belongs_behind, can_carry, points_back
from memory_assets.extraction.conflicts import conflict
from memory_assets.extraction.cues import Rules
from memory_assets.extraction.schema import Quote
from memory_assets.extraction.scoring import Scored
from memory_assets.extraction.todos import Todo
from memory_assets.tasks.done_phrases import thanks
from memory_assets.tasks.one_turn import is_one_turn
from memory_assets.text.normal_form import folded

QUOTED_SENTENCES = 3
"""How many sentences an entry quotes."""
REVERSAL = "reversal"
"""The cue of a sentence that takes back what was decided."""
CAUSES = ("cause", "ko-cause", "because")
"""The cues of a sentence that says why something is so."""
ORDER = "imperative"
"""The cue of a sentence that begins with what is to be done."""
_COUNTED = 4_000
"""Characters of a message that count towards the budget: a pasted document is no longer talk."""
_ALIKE_CANDIDATES = 5
_SHORT = 8
"""Telling words of a person's order that may not say what it is about."""
_TELLING = 3
"""Telling words of a sentence that says what it is about."""
_MOVES_A_FILE = re.compile(r"^\W{0,4}[\w./@~-]{1,120}\.[A-Za-z]{1,5}\W{0,4}(?:→|->|=>)\W{0,4}[\w./@~-]{1,120}\W{0,4}$")
"""A step of a plan that names a file, and where it goes."""
_MOST_STANDING = 12
"""Orders from now on that a window keeps whatever they weigh: a longer list is a document."""
_PERSONS_ITEMS = 6
"""How many more entries a message may give where a person lists them."""
_PRAISES = re.compile(
    r"\b(?:great|nice|good|awesome|excellent) (?:work|job|one)\b|\bwell done\b|고마|감사|수고|잘 ?했", re.IGNORECASE
)


@dataclass(slots=True)
class Choice:
    """The sentence that carries an entry, what says the same elsewhere, its neighbours, and what became of it.

    Attributes:
        outcome: what the last words say of it, beside a report of it.
        steps: of a request, the items of the list by which it is worked off.
        is_request: it is a task whatever its phrases say.
        is_listed: it stands in a list of what was decided.
        is_left_open: the last words of its turn say that it failed, or that some of it is left.
        withdrawn: of a request, the words by which the person takes it back.
    """

    main: Scored
    same: list[Scored] = field(default_factory=list)
    near: list[Scored] = field(default_factory=list)
    outcome: tuple[Scored, ...] = ()
    steps: list[Todo] = field(default_factory=list)
    is_request: bool = False
    is_listed: bool = False
    is_left_open: bool = False
    withdrawn: Scored | None = None

    def take(self, other: Scored) -> None:
        """Another sentence for the same memory: a person's words carry it before an agent's, a request before its report."""
        if other.spot.voice == "user" and self.main.spot.voice != "user" and not self.is_request:
            self.main, other = other, self.main
            self.same.insert(0, other)
        else:
            self.same.append(other)

    @property
    def sentences(self) -> list[Scored]:
        """The sentences to quote, best support first; what became of it, and what takes it back, are each one more."""
        quoted = [self.main, *self.same[:1], *self.near][:QUOTED_SENTENCES]
        further = (one for one in (*self.outcome, self.withdrawn) if one is not None)
        return [*quoted, *(one for one in further if not any(one is known for known in quoted))]


def says_what_of(order: Scored, before: Scored) -> bool:
    """Whether a sentence says what a person's short order behind it is about ("The header is Korean. Write it in English")."""
    if order.spot.origin != "typed" or order.entry_type != "preference" or len(order.spot.words) > _SHORT:
        return False
    text = before.spot.sentence.text
    tells = before.entry_type in (None, "fact", "insight") and len(before.spot.words) >= _TELLING
    praises = thanks(text) or _PRAISES.search(text) is not None
    return before.spot.origin == "typed" and before.spot.sentence.shape == "prose" and tells and not praises


class Selection:
    """The choices of a window while they are made."""

    def __init__(self, scored: Sequence[Scored], rules: Rules, *, people_only: bool, opening: bool) -> None:
        self._scored = scored
        self._limits = rules.limits
        self._people_only = people_only
        self._opening = opening
        self._by_message: dict[int, list[Scored]] = defaultdict(list)
        for one in scored:
            self._by_message[one.spot.message_index].append(one)
        self._texts: set[str] = set()
        self._folded: dict[tuple[int, int], str] = {}
        self._used: set[tuple[int, int]] = set()
        self._by_word: dict[str, list[int]] = defaultdict(list)
        self._count: Counter[int] = Counter()
        self._answered: set[int] = set()
        self._worked = {one.turn for one in scored if one.reports}
        self.choices: list[Choice] = []

    def use(self, one: Scored) -> None:
        """A sentence that is quoted already, and is not to be quoted again."""
        self._used.add(_place(one))
        self._texts.add(self._text(one))

    def answer(self, quotes: Iterable[Quote]) -> None:
        """What a reply decided: of the message that it answers only a cause is one more memory, no option and no argument."""
        self._answered.update(quote.message_index for quote in quotes)

    def require(
        self, request: Scored, steps: Sequence[Todo] = (), beside: Sequence[Scored] = (), withdrawn: Scored | None = None
    ) -> None:
        """A request that is a task whatever it weighs, with what is told beside it."""
        near = list(beside[: QUOTED_SENTENCES - 1])
        self._keep(Choice(request, near=near, steps=list(steps), is_request=True, withdrawn=withdrawn))

    def require_decided(self, item: Scored) -> None:
        """An item of a list of what was decided; what is quoted already stays as it is."""
        if not self.is_used(item):
            self._keep(Choice(item, is_listed=True))

    def require_standing(self, orders: Iterable[Scored]) -> None:
        """What a person wants from now on is kept whatever it weighs, each order for itself; what is quoted stays as it is."""
        new: list[Scored] = []
        for order in orders:
            if not self.is_used(order) and len(new) < _MOST_STANDING:
                self.use(order)
                new.append(order)
        for order in new:
            before = self._names_what(order)
            self._keep(Choice(order, near=[before] if before is not None else []))

    def run(self) -> list[Choice]:
        """All choices, in the order of the talk."""
        budget = self._budget()
        listed = sum(choice.is_listed for choice in self.choices)
        for best in sorted(self._scored, key=lambda one: (-one.score, _place(one))):
            if best.score < 0 or len(self.choices) - listed >= budget:
                break
            if (
                not (self._people_only or self._can_carry(best))
                or self.is_used(best)
                or self._count[best.spot.message_index] >= self._room(best)
            ):
                continue
            known = None if self._people_only else self._alike(best) or self._asked_with(best)
            if known is not None:
                self.use(best)
                known.take(best)
            else:
                self._choose(best)
        return sorted(self.choices, key=lambda choice: _place(choice.main))

    def _can_carry(self, one: Scored) -> bool:
        if not can_carry(one) or _is_over_with_it(one):
            return False
        if one.spot.voice == "user":
            return True
        proposed = one.spot.message_index in self._answered and not any(one.has(name) for name in CAUSES)
        return not (proposed or self._lists_work(one))

    def _lists_work(self, one: Scored) -> bool:
        """Whether it is a line of the list in which an agent reports what it did, and no phrase says what it is."""
        listed = one.spot.voice == "closing" and one.spot.sentence.shape == "item" and one.turn in self._worked
        return listed and one.entry_type in ("fact", None) and all(cue.entry_type is None for cue in one.cues)

    def _choose(self, best: Scored) -> None:
        self._keep(Choice(best, near=self._near(best)))

    def _keep(self, choice: Choice) -> None:
        best = choice.main
        for one in (best, *choice.near):
            self.use(one)
        for word in best.spot.words:
            self._by_word[word].append(len(self.choices))
        self._count[best.spot.message_index] += 1
        self.choices.append(choice)

    def _near(self, best: Scored) -> list[Scored]:
        reach, enough = self._limits["reach"], self._limits["support"]
        if self._people_only:
            reach, enough = 2, -2
        around = self._by_message[best.spot.message_index]
        first = max(0, best.spot.position - int(reach))
        around = around[first : best.spot.position + int(reach) + 1]
        near = [one for one in around if one is not best and one.score >= enough and not self.is_used(one)]
        near = [one for one in near if not (_is_listed_by_person(one) and one.score >= 0)]
        near.sort(key=lambda one: (-one.score, _place(one)))
        before = self._names_what(best)
        if before is not None:
            near = [before, *(one for one in near if one is not before)]
        return near[: QUOTED_SENTENCES - 1]

    def _names_what(self, one: Scored) -> Scored | None:
        """The sentence before, where it names what this one speaks of."""
        if one.spot.position == 0:
            return None
        before = self._by_message[one.spot.message_index][one.spot.position - 1]
        names = belongs_behind(one.spot.sentence.text) or (says_what_of(one, before) and not self.is_used(before))
        return before if names else None

    def _asked_with(self, best: Scored) -> Choice | None:
        """The request right before a person's further words for it, which point back at what it names."""
        if best.entry_type != "task" or best.spot.origin != "typed" or not points_back(best.spot.sentence.text):
            return None
        before = self._names_what(best)
        return next((choice for choice in self.choices if choice.is_request and choice.main is before), None)

    def _alike(self, best: Scored) -> Choice | None:
        """The choice whose sentence has most of this one's words, when that is enough to be the same memory.

        A sentence that says another thing in these words is none, nor is one that takes the other back.
        """
        mine = best.spot.words
        if len(mine) < 2:
            return None
        shared = Counter(number for word in mine for number in self._by_word.get(word, ()))
        found: list[tuple[float, int]] = []
        for number, count in sorted(shared.items(), key=lambda item: (-item[1], item[0]))[:_ALIKE_CANDIDATES]:
            theirs = self.choices[number].main.spot.words
            smaller = min(len(mine), len(theirs))
            share = count / (smaller if smaller >= 3 else max(len(mine), len(theirs)))
            if share >= self._limits["alike"] and not _differ(best, self.choices[number].main):
                found.append((-share, number))
        return self.choices[min(found)[1]] if found else None

    def is_used(self, one: Scored) -> bool:
        """Whether a sentence is quoted already, here or in the same words elsewhere."""
        return _place(one) in self._used or self._text(one) in self._texts

    def is_quoted(self, one: Scored) -> bool:
        """Whether this very sentence is quoted already; a request that is said again is one more."""
        return _place(one) in self._used

    def _text(self, one: Scored) -> str:
        place = _place(one)
        if place not in self._folded:
            self._folded[place] = folded(one.spot.sentence.text)
        return self._folded[place]

    def _room(self, one: Scored) -> int:
        """How many entries the message of a sentence may give: a document that a person pastes, few."""
        length = len(one.spot.message.text)
        if one.spot.voice == "user" and length > self._limits["pasted_length"]:
            return int(self._limits["per_pasted"])
        listed = _PERSONS_ITEMS if _is_listed_by_person(one) else 0
        return listed + int(self._limits["per_message"] + self._limits["per_thousand"] * length / 1000)

    def _budget(self) -> float:
        """How many entries the window may give: what is code or a program's output does not count as talk."""
        if self._people_only:
            return float("inf")
        talked = 0
        for found in self._by_message.values():
            talked += min(_COUNTED, sum(len(one.spot.sentence.text) for one in found))
        allowed = self._limits["budget"] + self._limits["budget_growth"] * float(talked**0.5)
        return allowed if self._opening else allowed * self._limits["budget_later"]


def _is_listed_by_person(one: Scored) -> bool:
    """Whether it is an item of a list that a person typed: each says something for itself."""
    return one.spot.origin == "typed" and one.spot.sentence.shape == "item"


def _is_over_with_it(one: Scored) -> bool:
    """Whether a sentence orders a step of a plan, which is the plan's task, or what is over with its turn."""
    if one.spot.origin == "typed":
        return is_one_turn(one.spot.sentence.text)
    return one.spot.in_plan and (one.has(ORDER) or _MOVES_A_FILE.match(one.spot.sentence.text) is not None)


def _differ(one: Scored, other: Scored) -> bool:
    return one.has(REVERSAL) != other.has(REVERSAL) or conflict(one.spot.sentence.text, other.spot.sentence.text)


def _place(one: Scored) -> tuple[int, int]:
    return one.spot.message_index, one.spot.position
