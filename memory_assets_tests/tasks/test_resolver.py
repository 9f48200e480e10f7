"""Whatever sessions and people say in whatever order: what always holds of what follows."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.tasks.blockers import placeholder_id
from memory_assets.tasks.canonical import condition_id, condition_key, normalize, task_id, task_key
from memory_assets.tasks.model import (
    BlockerRejected,
    BlockersSaid,
    BlockersSet,
    Cluster,
    ConditionAnswered,
    ConditionMet,
    Created,
    Declared,
    Linked,
    Mention,
    Moved,
    Outcome,
    PersonStatement,
    PrioritySaid,
    Rejected,
    Said,
    StatusSaid,
    TaskClaim,
)
from memory_assets.tasks.transitions import ALLOWED
from memory_assets.vocabulary import Priority, TaskStatus
from memory_assets_tests.tasks.telling import (
    PROJECT,
    START,
    Alike,
    Source,
    claim,
    cluster,
    declared,
    mentions,
    outcomes,
    replay,
    texts,
    tid,
    word,
)

TITLES = ["결제 고치기", "결제 수정", "결제를 고치기", "Settlement spec", "the settlement spec"]
IDS = [*(tid(title, occurrence) for title in TITLES for occurrence in (1, 2)), "tsk_" + "0" * 32]
CONDITIONS = [
    *(condition_id(condition_key(PROJECT, normalize(title))) for title in TITLES),
    *(placeholder_id(PROJECT, task_key(PROJECT, normalize(title))) for title in TITLES),
]
PULL_REQUEST = "https://github.com/acme/shop/pull/41"

titles = st.sampled_from(TITLES)
waits = st.lists(st.sampled_from([*TITLES, *TITLES, tid(TITLES[0]), tid(TITLES[1], 2), PULL_REQUEST]), max_size=2)
statuses: st.SearchStrategy[TaskStatus] = st.sampled_from(get_args(TaskStatus))
priorities: st.SearchStrategy[Priority] = st.sampled_from(get_args(Priority))
claims = st.builds(
    claim,
    titles,
    st.none() | statuses,
    st.integers(0, 9),
    waits=waits,
    priority=st.none() | priorities,
    aligned=st.booleans(),
    sound=st.booleans(),
    stage=st.sampled_from(["candidate", "verified"]),
    contested=st.sampled_from([False, False, True]),
    done_basis=st.none() | st.sampled_from(["todo_tool", "report", "turn_ended"]),
)
said: st.SearchStrategy[Said] = st.one_of(
    st.builds(StatusSaid, st.sampled_from(IDS), statuses),
    st.builds(PrioritySaid, st.sampled_from(IDS), priorities),
    st.builds(BlockersSaid, st.sampled_from(IDS), waits.map(texts)),
    st.builds(declared, titles, statuses, waits=waits, occurrence=st.sampled_from([1, 1, 2])),
    st.builds(
        ConditionAnswered,
        st.sampled_from(CONDITIONS),
        st.booleans(),
        st.sampled_from([None, "task", "condition"]),
        st.none() | st.sampled_from([*IDS, *CONDITIONS]),
    ),
)
words = st.builds(word, said, st.integers(0, 9))
likenesses: st.SearchStrategy[Alike] = st.dictionaries(
    st.tuples(titles, titles).filter(lambda pair: pair[0] < pair[1]), st.sampled_from([0.85, 0.95, 0.98, 1.0]), max_size=5
)


@dataclass(frozen=True)
class Story:
    """Everything that is said, and how names hang together."""

    sources: tuple[Source, ...]
    alike: Alike
    merges: dict[str, str]

    def cluster(self, sources: Iterable[Source] | None = None) -> Cluster:
        return cluster(self.sources if sources is None else sources, self.alike, self.merges)

    def outcomes(self) -> list[Outcome]:
        return outcomes(self.cluster())


def numbered(sources: list[Source]) -> tuple[Source, ...]:
    """Each with an id of its own."""
    return tuple(
        replace(one, claim_id=f"{one.claim_id}_{number}", entry_id=f"{one.entry_id}_{number}", ordinal=number)
        if isinstance(one, TaskClaim)
        else replace(one, event_id=f"{one.event_id}_{number}")
        for number, one in enumerate(sources)
    )


def names(sources: Iterable[Source]) -> list[str]:
    """The names that are used as a title or blocker."""
    used = set()
    for source in sources:
        used |= {mention.name for mention in mentions(source)}
        if isinstance(source, TaskClaim):
            used.add(source.name)
        elif isinstance(source.said, Declared):
            used.add(source.said.name)
    return sorted(name for name in used if not name.startswith("tsk_"))


@st.composite
def stories(draw: st.DrawFn) -> Story:
    sources = numbered(draw(st.lists(claims | words, max_size=12)))
    used = names(sources)
    merges: dict[str, str] = {}
    if len(used) > 1 and draw(st.booleans()):
        one, other = draw(st.lists(st.sampled_from(used), min_size=2, max_size=2, unique=True))
        into = task_id(task_key(PROJECT, other))
        merges[task_id(task_key(PROJECT, one))] = into
        if any(isinstance(source, PersonStatement) and isinstance(source.said, Declared) for source in sources):
            merges[task_id(task_key(PROJECT, one, 2))] = into
        if draw(st.booleans()):
            merges[condition_id(condition_key(PROJECT, one))] = condition_id(condition_key(PROJECT, other))
    return Story(sources, draw(likenesses), merges)


@given(stories())
def test_every_history_keeps_to_the_table(story: Story) -> None:
    status: dict[str, TaskStatus] = {}
    for outcome in story.outcomes():
        match outcome.result:
            case Created(task_id, initial_status=initial):
                assert task_id not in status and initial not in ("done", "cancelled")
                status[task_id] = initial
            case Moved(task_id, before, after):
                assert status[task_id] == before and after in ALLOWED[before]
                assert isinstance(outcome.source, PersonStatement) or before != "cancelled"
                status[task_id] = after
            case Rejected(task_id, before, after, rule):
                assert status[task_id] == before != after and rule and isinstance(outcome.source, TaskClaim)


@given(stories())
def test_blocked_waits_for_something_and_done_for_nothing(story: Story) -> None:
    told = story.outcomes()
    for place, outcome in enumerate(told):
        if place + 1 < len(told) and told[place + 1].source is outcome.source:
            continue
        board = replay(told[: place + 1])
        for its_id, task in board.tasks.items():
            blockers = [*task.blockers, *task.suggestions]
            assert task.status != "blocked" or task.blockers
            assert task.status != "done" or not blockers
            assert all(blocker.entity_id != its_id for blocker in blockers)
            assert task.status == "blocked" or not any(blocker.auto_placeholder for blocker in blockers)
            known = board.tasks.keys() | board.conditions.keys()
            assert all(blocker.kind == "artifact" or blocker.entity_id in known for blocker in blockers)


@given(stories())
def test_no_claim_is_lost(story: Story) -> None:
    accounted = {id(one.source) for one in story.outcomes() if isinstance(one.result, Created | Linked | ConditionMet)}
    assert all(id(source) in accounted for source in story.sources if isinstance(source, TaskClaim))


@pytest.mark.long
@given(stories(), st.randoms(use_true_random=False))
def test_the_order_in_which_things_are_heard_of_changes_nothing(story: Story, chance: random.Random) -> None:
    whole = story.cluster()
    items, likenesses = list(whole.items), list(whole.likenesses.items())
    chance.shuffle(items)
    chance.shuffle(likenesses)
    assert outcomes(replace(whole, items=tuple(items), likenesses=dict(likenesses))) == story.outcomes()


@given(stories(), claims)
def test_what_is_said_last_changes_nothing_before(story: Story, later: TaskClaim) -> None:
    later = without_new_names(story, replace(later, occurred_at=START.replace(year=2027)))
    before, after = story.outcomes(), outcomes(story.cluster([*story.sources, later]))
    assert after[: len(before)] == before and {id(one.source) for one in after[len(before) :]} <= {id(later)}


@given(stories(), claims)
def test_what_is_heard_late_changes_nothing_before_its_place(story: Story, late: TaskClaim) -> None:
    late = without_new_names(story, late)
    earlier = [one for one in story.outcomes() if one.source.place < late.place]
    assert outcomes(story.cluster([*story.sources, late]))[: len(earlier)] == earlier


def without_new_names(story: Story, one: TaskClaim) -> TaskClaim:
    """People merge what they know: a merge does not begin to hold with a claim that is heard later."""
    used = names(story.sources)
    if not story.merges or not used:
        return one
    name = one.name if one.name in used else used[0]
    return replace(one, name=name, blockers=tuple(text for text in one.blockers if text.name in ("", *used)))


@given(stories())
def test_it_does_not_matter_how_widely_clusters_are_drawn(story: Story) -> None:
    apart = outcomes(*split(story.cluster()))
    assert Counter(apart) == Counter(story.outcomes())


def split(whole: Cluster) -> Iterator[Cluster]:
    """The smallest clusters: names that are linked, and what is said under them."""
    group: dict[str, set[str]] = {name: {name} for item in whole.items if (name := _name(item))}
    ids = {address: name for name in group for address in _addresses(name)}
    pairs = [pair for pair, likeness in whole.likenesses.items() if likeness.similarity >= 0.9]
    pairs += [(ids[one], ids[other]) for one, other in whole.merges.items() if one in ids and other in ids]
    pairs += [(name, ids[name]) for name in group if name.startswith("tsk_") and name in ids]
    for one, other in pairs:
        if one in group and other in group:
            together = group[one] | group[other]
            group |= dict.fromkeys(together, together)
    for linked in {frozenset(one) for one in group.values()}:
        items = tuple(item for item in whole.items if (_name(item) or ids.get(_id(item), "")) in linked)
        yield replace(whole, items=items)


def _name(item: TaskClaim | Mention | PersonStatement) -> str:
    if isinstance(item, PersonStatement):
        return item.said.name if isinstance(item.said, Declared) else ""
    return item.name


def _id(item: TaskClaim | Mention | PersonStatement) -> str:
    match item:
        case PersonStatement(
            said=StatusSaid(task_id=entity_id) | PrioritySaid(task_id=entity_id) | BlockersSaid(task_id=entity_id)
        ):
            return entity_id
        case PersonStatement(said=ConditionAnswered(condition_id=entity_id)):
            return entity_id
        case _:
            return ""


def _addresses(name: str) -> Iterator[str]:
    for occurrence in (1, 2):
        yield task_id(task_key(PROJECT, name, occurrence))
        yield placeholder_id(PROJECT, task_key(PROJECT, name, occurrence))
    yield condition_id(condition_key(PROJECT, name))


@given(stories())
def test_every_outcome_has_an_identity_of_its_own(story: Story) -> None:
    told = story.outcomes()
    assert len({(one.basis, one.number) for one in told}) == len(told)
    filed = {_name(item) for item in story.cluster().items}
    assert all(one.name in filed for one in told)


@pytest.mark.long
@given(stories())
def test_the_basis_says_what_follows(story: Story) -> None:
    """Two stories that differ have no basis in common on which something else rests."""
    told = {(one.basis, one.number): one.result for one in story.outcomes()}
    for other in variations(story):
        assert all(told.get((one.basis, one.number), one.result) == one.result for one in other.outcomes())


def variations(story: Story) -> Iterator[Story]:
    """The story with one thing left out, or carried otherwise."""
    yield replace(story, merges={})
    yield replace(story, alike={})
    for place, source in enumerate(story.sources):
        before, behind = story.sources[:place], story.sources[place + 1 :]
        yield replace(story, sources=before + behind)
        if isinstance(source, TaskClaim):
            yield replace(story, sources=(*before, replace(source, contested=not source.contested), *behind))
            yield replace(story, sources=(*before, replace(source, stage="working"), *behind))


@given(stories())
@settings(max_examples=50)
def test_a_refused_blocker_is_named_with_its_rule(story: Story) -> None:
    for outcome in story.outcomes():
        if isinstance(outcome.result, BlockerRejected):
            assert outcome.result.rule in ("blocks-itself", "done-has-no-blockers") and outcome.result.text
        if isinstance(outcome.result, BlockersSet) and outcome.result.mode == "suggest":
            assert isinstance(outcome.source, TaskClaim) and not outcome.source.sound and outcome.result.blockers
