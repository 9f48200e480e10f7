"""Names, and the clusters of them: a function of what is said, and every change touches whatever it changes."""

import itertools
import tempfile
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from memory_assets.log.database import Database
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.task_words import (
    ConditionAnswered,
    EntityMerged,
    EntityMergeReverted,
    TaskBlockersSaid,
    TaskDeclared,
    TaskStatusSaid,
)
from memory_assets.log.payloads.tasks import TaskTitlesAlike
from memory_assets.projections.task_tables.clusters import Touched
from memory_assets.tasks.canonical import condition_id, condition_key, name_hash, task_id, task_key
from memory_assets.tasks.model import Cluster, Mention, PersonStatement, TaskClaim
from memory_assets.tasks.names import placeholder_id
from memory_assets_tests.depth import depth
from memory_assets_tests.projections.claimed import TABLES, Claims, claim, names_of, outcomes, tell
from memory_assets_tests.projections.people import LATER, said
from memory_assets_tests.projections.story import VERSIONS, Story

PROJECT = "hourglass"


@pytest.fixture
def claims(database: Database) -> Claims:
    return Claims(database)


def id_of(name: str, occurrence: int = 1, project: str = PROJECT) -> str:
    return task_id(task_key(project, name, occurrence))


def alike(one: str, other: str, similarity: float, *chains: str, project: str = PROJECT) -> NewEvent:
    first, second = sorted((name_hash(one), name_hash(other)))
    return NewEvent(
        TaskTitlesAlike(
            project=project, one=first, other=second, similarity=similarity, embedding_version=VERSIONS["session_vectorized"]
        ),
        inputs=(first, second, *chains, str(similarity)),
        basis_chains=chains or None,
    )


def names(clusters: Sequence[Cluster]) -> set[frozenset[str]]:
    return {names_of(cluster) for cluster in clusters}


# -- names and links


def test_what_is_said_in_other_words_belongs_together(claims: Claims) -> None:
    _, events = tell("a", 0, claim("Fix the login bug"), claim("Rotate the keys"))
    claims.fold(events)
    _, events = tell("b", 1, claim("Fix login bug", blocked_by=("rotate keys", "the design review")))
    touched = claims.fold(events)
    assert names(claims.everything()) == {
        frozenset({"fix the login bug", "fix login bug"}),
        frozenset({"rotate the keys", "rotate keys"}),
        frozenset({"the design review"}),
    }
    assert names([cluster for one in touched for cluster in one.resolved]) == names(claims.everything())
    (pair,) = [cluster.likenesses for cluster in claims.everything() if "fix login bug" in names_of(cluster)]
    assert list(pair) == [("fix login bug", "fix the login bug")] and pair[next(iter(pair))].method == "lexical"


def test_projects_have_names_of_their_own(claims: Claims) -> None:
    claims.fold([*tell("a", 0, claim("Fix the login"))[1], *tell("b", 0, claim("Fix the login"), project=None)[1]])
    assert {cluster.project_key for cluster in claims.everything()} == {PROJECT, "default"}
    assert claims.rows("SELECT count(DISTINCT task_id) FROM task_names") == [(2,)]


def test_names_that_mean_the_same_are_linked_as_long_as_it_shows(claims: Claims) -> None:
    one, first = tell("a", 0, claim("Fix the login"))
    _, second = tell("b", 1, claim("Repair sign-in"), claim("Fix the login"))
    claims.fold([*first, *second])
    event = alike("fix the login", "repair sign in", 0.95, str(one.chain_id))
    touched = claims.fold([event, alike("fix the login", "repair sign in", 0.93, "ev_other")])
    assert names([cluster for found in touched for cluster in found.resolved]) == {
        frozenset({"fix the login", "repair sign in"})
    }
    (cluster,) = claims.everything()
    assert cluster.embedding_version == VERSIONS["session_vectorized"]
    assert [(one.method, one.similarity) for one in cluster.likenesses.values()] == [("vector", 0.95)]
    # Both names are still said by the other session, and one measurement is left.
    touched = claims.fold([one.forget()])
    (cluster,) = claims.everything()
    assert [one.similarity for one in cluster.likenesses.values()] == [0.93]
    assert names([cluster for found in touched for cluster in found.resolved]) == {
        frozenset({"fix the login", "repair sign in"})
    }


def test_what_was_measured_goes_with_the_session_it_rests_on(claims: Claims) -> None:
    one, first = tell("a", 0, claim("Fix the login"))
    _, second = tell("b", 1, claim("Repair sign-in"), claim("Fix the login"))
    claims.fold([*first, *second, alike("fix the login", "repair sign in", 0.95, str(one.chain_id))])
    with claims.database.writing() as connection:
        connection.execute("INSERT INTO title_vectors SELECT project_key, name_hash, 'any', [1.0] FROM task_names")
    touched = claims.fold([one.forget()])
    assert names([cluster for found in touched for cluster in found.resolved]) == {
        frozenset({"fix the login"}),
        frozenset({"repair sign in"}),
    }
    # Both lose their vectors, so that they are compared again: the other session says both.
    assert claims.rows("SELECT * FROM title_vectors") == []


def test_likenesses_of_another_version_or_below_the_floor_link_nothing(claims: Claims) -> None:
    claims.fold(tell("a", 0, claim("Fix the login"), claim("Repair sign-in"))[1])
    claims.fold([alike("fix the login", "repair sign in", 0.89)])
    assert len(claims.everything()) == 2
    other = alike("fix the login", "repair sign in", 0.99)
    claims.fold([NewEvent(other.payload.model_copy(update={"embedding_version": "other"}), inputs=("x",))])
    assert len(claims.everything()) == 2


@pytest.mark.long
def test_a_name_that_goes_parts_those_that_it_linked(claims: Claims) -> None:
    _, outer = tell("a", 0, claim("Fix the login"), claim("Repair sign-in"))
    middle, inner = tell("b", 1, claim("Mend the entrance"))
    claims.fold([*outer, *inner])
    claims.fold([alike("fix the login", "mend the entrance", 0.95), alike("mend the entrance", "repair sign in", 0.95)])
    assert len(claims.everything()) == 1
    touched = claims.fold([middle.forget()])
    assert len(claims.everything()) == 2
    assert names([cluster for one in touched for cluster in one.resolved]) == names(claims.everything())
    assert {name for one in touched for _, name in one.names} == {"fix the login", "repair sign in", "mend the entrance"}
    # What was measured of it counts again when it comes back.
    claims.fold(tell("c", 2, claim("Mend the entrance"))[1])
    assert len(claims.everything()) == 1


# -- people


def test_a_merge_joins_and_its_reverting_parts(claims: Claims) -> None:
    claims.fold(tell("a", 0, claim("Fix the login"), claim("Rewrite billing"))[1])
    merge = {"entity_type": "task", "from_id": id_of("fix the login"), "into_id": id_of("rewrite billing"), "said_by": "kim"}
    touched = claims.fold([said(EntityMerged(**merge))])
    (cluster,) = [cluster for one in touched for cluster in one.resolved]
    assert cluster.merges == {id_of("fix the login"): id_of("rewrite billing")}
    touched = claims.fold([said(EntityMergeReverted(**merge), LATER + timedelta(days=1))])
    assert [cluster.merges for one in touched for cluster in one.resolved] == [{}, {}]
    assert len(claims.everything()) == 2


def test_a_task_that_a_person_declared_needs_no_session(claims: Claims) -> None:
    word = TaskDeclared(
        task_id=id_of("pay the rent", 2),
        title="Pay the rent",
        project=PROJECT,
        occurrence=2,
        said_by="kim",
        blockers=["the wages"],
    )
    touched = claims.fold([said(word)])
    assert names([cluster for one in touched for cluster in one.resolved]) == {
        frozenset({"pay the rent"}),
        frozenset({"the wages"}),
    }
    # Its id and that of its placeholder are addresses.
    claims.fold(
        [
            said(TaskStatusSaid(task_id=id_of("pay the rent", 2), status="done", said_by="kim"), LATER + timedelta(days=1)),
            said(ConditionAnswered(condition_id=placeholder_id(PROJECT, "pay the rent", 2), satisfied=True, said_by="kim")),
        ]
    )
    (cluster,) = [cluster for cluster in claims.everything() if "pay the rent" in names_of(cluster)]
    assert sum(isinstance(item, PersonStatement) for item in cluster.items) == 3


def test_a_word_on_what_nobody_knows_does_nothing(claims: Claims) -> None:
    unknown = TaskBlockersSaid(task_id=id_of("fix the login"), blockers=["the review"], said_by="kim")
    assert claims.fold([said(unknown)]) == []
    assert claims.everything() == []
    # Once a session speaks of the task it counts, and no longer than that.
    story, events = tell("a", 0, claim("Fix the login"))
    claims.fold(events)
    assert names(claims.everything()) == {frozenset({"fix the login"}), frozenset({"the review"})}
    touched = claims.fold([story.forget()])
    assert claims.everything() == [] and claims.rows("SELECT * FROM task_names") == []
    assert {name for one in touched for _, name in one.names} == {"fix the login", "the review"}


def test_a_placeholder_is_answered_under_the_name_of_its_task(claims: Claims) -> None:
    claims.fold(tell("a", 0, claim("Fix the login", status="blocked"))[1])
    touched = claims.fold(
        [said(ConditionAnswered(condition_id=placeholder_id(PROJECT, "fix the login"), satisfied=True, said_by="kim"))]
    )
    (cluster,) = [cluster for one in touched for cluster in one.resolved]
    assert names_of(cluster) == {"fix the login"} and any(isinstance(item, PersonStatement) for item in cluster.items)


def test_a_task_named_by_its_id_is_that_task_in_any_project(claims: Claims) -> None:
    task = id_of("fix the login")
    claims.fold(tell("a", 0, claim("Fix the login"))[1])
    touched = claims.fold(tell("b", 1, claim("Ship it", blocked_by=(task,)), project="other")[1])
    (cluster,) = [cluster for cluster in claims.everything() if "fix the login" in names_of(cluster)]
    assert cluster.project_key == PROJECT and names_of(cluster) == {"fix the login", task}
    assert (PROJECT, task) in touched[0].names
    found = outcomes(touched[0].resolved, touched[0].followed)
    assert any(f"kind='task', entity_id='{task}'" in outcome for told in found.values() for outcome in told)


# -- what is touched


def test_whoever_waits_is_resolved_again_when_that_becomes_a_task(claims: Claims) -> None:
    claims.fold(tell("a", 0, claim("Ship it", blocked_by=("the contract",)))[1])
    touched = claims.fold(tell("b", -1, claim("The contract", status="in_progress"))[1])
    assert names([cluster for one in touched for cluster in one.resolved]) == {
        frozenset({"ship it"}),
        frozenset({"the contract"}),
    }


@pytest.mark.long
def test_who_waits_first_may_change_what_a_name_is_to_others(claims: Claims) -> None:
    claims.fold(tell("a", 5, claim("Ship it", blocked_by=("the contract",)))[1])
    claims.fold(tell("b", 1, claim("The contract", status="done"))[1])
    before = outcomes(claims.everything())
    # Somebody waited for it before: what is done was a condition, and no task.
    touched = claims.fold(tell("c", 0, claim("Hire somebody", blocked_by=("the contract",)))[1])
    assert before != outcomes(claims.everything())
    check(before, outcomes(claims.everything()), touched)
    assert frozenset({"ship it"}) in names([cluster for one in touched for cluster in one.resolved])


@pytest.mark.long
def test_who_else_waits_for_the_same_is_left_alone(claims: Claims) -> None:
    claims.fold(
        tell("a", 0, claim("Ship it", blocked_by=("the review",)), claim("Write the docs", blocked_by=("the review",)))[1]
    )
    touched = claims.fold(tell("b", 1, claim("Rotate the keys", blocked_by=("the review",)))[1])
    assert names([cluster for one in touched for cluster in one.resolved]) == {
        frozenset({"rotate the keys"}),
        frozenset({"the review"}),
    }
    # Who only waits for it is given with the mention that is asked for.
    touched = claims.fold(tell("c", 2, claim("Ship it", status="done"))[1])
    ((followed,), (resolved,)) = (touched[0].followed, touched[0].resolved)
    assert names_of(resolved) == {"ship it"}
    assert [item.source.session_id for item in followed.items if isinstance(item, Mention)] == ["a"]  # type: ignore[union-attr]


# -- any history, in any order


TITLES = (
    "Fix the login bug",
    "Fix login bug",
    "로그인 버그를 고치기",
    "로그인 버그 고치기",
    "Repair sign-in",
    "Release version 1.2",
    "Write the docs",
    "???",
)
BLOCKERS = (*TITLES[:6], "the design review", "design review", "PR #12", id_of("write the docs"), id_of("write the docs", 2))
NAMES = ("fix the login bug", "fix login bug", "repair sign in", "write the docs", "the design review", "release version 1 2")
STATUSES = ("pending", "in_progress", "blocked", "done", "cancelled", None)


def history(chance: Random) -> list[list[NewEvent]]:
    """Sessions that begin, go on and are forgotten, people who speak, and names that are measured: a batch each."""
    stories: list[Story] = []
    batches: list[list[NewEvent]] = []
    clock = itertools.count()

    def remarks() -> list:  # type: ignore[type-arg]
        return [
            claim(
                title,
                status=chance.choice(STATUSES),
                blocked_by=tuple(chance.sample(BLOCKERS, chance.choice((0, 0, 1, 2)))),
                critical=chance.random() < 0.2,
            )
            for title in chance.sample(TITLES, chance.randint(1, 3))
        ]

    def begin() -> list[NewEvent]:
        project = chance.choice((PROJECT, PROJECT, PROJECT, None))
        story, events = tell(f"s{len(stories)}", chance.randint(0, 9), *remarks(), project=project)
        stories.append(story)
        return events

    def go_on() -> list[NewEvent]:
        story = chance.choice(stories)
        if chance.random() < 0.3:
            story.begin_anew()
        said_now = remarks()
        texts = [f"{next(clock)} {remark.title}" for remark in said_now]
        placed = [
            type(remark)(remark.title, index, "task", status=remark.status, blocked_by=remark.blocked_by)
            for index, remark in enumerate(said_now)
        ]
        return story.tell(texts, placed)

    def forget() -> list[NewEvent]:
        return [chance.choice(stories).forget()]

    def word() -> list[NewEvent]:
        at = LATER + timedelta(minutes=next(clock))
        task, other = (id_of(name) for name in chance.sample(NAMES, 2))
        text = list(chance.sample(BLOCKERS, 2))
        merged = {"entity_type": "task", "from_id": task, "into_id": other, "said_by": "kim"}
        condition = condition_id(condition_key(PROJECT, "the design review"))
        return [
            said(
                chance.choice(
                    [
                        TaskDeclared(
                            task_id=id_of("write the docs", 2),
                            title="Write the docs",
                            project=PROJECT,
                            occurrence=2,
                            said_by="kim",
                            blockers=text[:1],
                        ),
                        TaskStatusSaid(task_id=task, status="done", said_by="kim"),
                        TaskBlockersSaid(task_id=task, blockers=text, said_by="kim"),
                        EntityMerged(**merged),
                        EntityMerged(**merged),
                        EntityMergeReverted(**merged),
                        ConditionAnswered(condition_id=condition, to_kind="task", to_id=task, said_by="kim"),
                        ConditionAnswered(condition_id=placeholder_id(PROJECT, "fix login bug"), satisfied=True, said_by="kim"),
                    ]
                ),
                at,
            )
        ]

    def measure() -> list[NewEvent]:
        one, other = chance.sample(NAMES[:5], 2)
        chains = [str(story.chain_id) for story in chance.sample(stories, 1)]
        return [alike(one, other, chance.choice((0.8, 0.92, 0.95)), *chains)]

    doing: list[Callable[[], list[NewEvent]]] = [begin, begin, go_on, forget, word, word, word, measure]
    batches.append(begin())
    while len(batches) < depth(8, 14):
        batches.append(chance.choice(doing)())
    return batches


def check(before: dict, after: dict, touched: Sequence[Touched]) -> None:  # type: ignore[type-arg]
    """Whatever follows otherwise than before was touched, and what was touched is complete."""
    resolved = {}
    for one in touched:
        resolved.update(outcomes(one.resolved, one.followed))
    gone_first = {node for one in touched for node in one.names}
    for cluster, told in after.items():
        if before.get(cluster) != told:
            assert resolved.get(cluster) == told, cluster
    for cluster, told in before.items():
        if after.get(cluster) != told:
            assert cluster <= gone_first, cluster - gone_first
    for cluster, told in resolved.items():
        assert after[cluster] == told
        assert cluster <= gone_first


# Forty were tried; one each time, and a dozen where there is time.
@pytest.mark.long
@pytest.mark.deep
@pytest.mark.parametrize("seed", [2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(11, 23))])
def test_every_change_touches_what_it_changes_and_any_order_gives_the_same(seed: int) -> None:
    chance = Random(seed)
    batches = history(chance)
    with tempfile.TemporaryDirectory() as folder:
        step_by_step = Claims(Database(Path(folder) / "one"))
        before = outcomes(step_by_step.everything())
        for batch in batches:
            touched = step_by_step.fold(batch)
            after = outcomes(step_by_step.everything())
            check(before, after, touched)
            before = after
        # Another order of what different sessions and people said; each of them in its own.
        streams: dict[str | None, list[NewEvent]] = {}
        for event in itertools.chain.from_iterable(batches):
            streams.setdefault(event.session_id, []).append(event)
        at_once = Claims(Database(Path(folder) / "other"))
        order = list(streams)
        chance.shuffle(order)
        for session_id in order[:2]:
            at_once.fold(streams[session_id])
        at_once.fold([event for session_id in order[2:] for event in streams[session_id]])
        expected = step_by_step.tables()
        assert different(at_once.tables(), expected) == {}
        assert outcomes(at_once.everything()) == before
        # And all over again, in a store that has it already.
        at_once.since = 0
        at_once.fold()
        assert different(at_once.tables(), expected) == {}


def different(one: dict[str, list[str]], other: dict[str, list[str]]) -> dict[str, set[str]]:
    """The rows that only one of the stores has."""
    return {table: set(one[table]) ^ set(other[table]) for table in TABLES if one[table] != other[table]}


@pytest.mark.long
def test_a_forgotten_session_takes_everything_of_its_own_along(claims: Claims) -> None:
    _, first = tell("kept", 0, claim("Write the docs"))
    claims.fold(first)
    before = claims.tables()
    story, events = tell("gone", 1, claim("Fix the login", blocked_by=("PR #12", "the review")), claim("Fix login"))
    claims.fold(events)
    with claims.database.writing() as connection:
        connection.execute("INSERT INTO title_vectors SELECT project_key, name_hash, 'any', [1.0] FROM task_names")
    claims.fold([story.forget()])
    assert claims.tables() == before
    assert claims.rows("SELECT project_key, name_hash FROM title_vectors") == [(PROJECT, name_hash("write the docs"))]


def test_many_clusters_come_in_chunks_that_are_complete(claims: Claims, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory_assets.projections.task_tables.clusters.ITEMS_AT_ONCE", 3)
    titles = [f"{verb} the {what}" for verb in ("write", "drop") for what in ("docs", "index", "cache", "table")]
    told = [claim(title, blocked_by=(titles[index - 3],)) for index, title in enumerate(titles)]
    touched = claims.fold(tell("a", 0, *told)[1])
    assert len(touched) > 2
    assert sorted(
        item.name for one in touched for cluster in one.resolved for item in cluster.items if isinstance(item, TaskClaim)
    ) == sorted(titles)
    whole = outcomes(claims.everything())
    for one in touched:
        assert outcomes(one.resolved, one.followed).items() <= whole.items()
