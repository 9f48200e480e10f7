"""Stories of what tasks wait for: tasks, conditions, artifacts, and what nobody named."""

import pytest

from memory_assets.tasks.blockers import UNKNOWN, named_artifacts, placeholder_id
from memory_assets.tasks.canonical import condition_id, condition_key, normalize, task_key
from memory_assets.tasks.errors import BlockerNotFollowedError
from memory_assets.tasks.model import BlockersSaid, Cluster, ConditionAnswered, ConditionMade, StatusSaid
from memory_assets.tasks.resolver import finish, follow
from memory_assets_tests.tasks.telling import (
    PROJECT,
    Source,
    claim,
    cluster,
    declared,
    mentions,
    outcomes,
    replay,
    texts,
    tid,
    told,
    word,
)

PAYMENT, SPEC, SPEC_REWORDED = "결제 모듈 리팩터링", "정산 API 스펙 확정", "정산 API 스펙을 확정하기"
ALIKE = {(SPEC, SPEC_REWORDED): 1.0}


def cid(text: str) -> str:
    return condition_id(condition_key(PROJECT, normalize(text)))


def answered(text: str, *, satisfied: bool = False, to: str | None = None) -> ConditionAnswered:
    return ConditionAnswered(cid(text), satisfied, "task" if to else None, to)


# -- what a blocker's text names


def test_what_is_no_task_is_a_condition_and_never_makes_a_task() -> None:
    board = told(claim(PAYMENT, "blocked", waits=["Kim's review", "법무팀 승인"]))
    assert list(board.statuses()) == [PAYMENT]
    assert board.waits_for(PAYMENT) == ["condition: Kim's review", "condition: 법무팀 승인"]


def test_a_known_task_is_named_by_any_of_its_titles() -> None:
    said: list[Source] = [claim(SPEC, "in_progress"), claim(PAYMENT, "blocked", 1, waits=[SPEC_REWORDED])]
    board = told(*said, alike=ALIKE)
    assert board.waits_for(PAYMENT) == [f"task: {SPEC}"] and board.conditions == {}
    assert 0.92 <= board.task(PAYMENT).blockers[0].confidence < 1
    assert told(said[0], claim(PAYMENT, "blocked", 1, waits=[SPEC])).task(PAYMENT).blockers[0].confidence == 1


def test_a_done_task_may_be_named_and_a_cancelled_one_not() -> None:
    waiting = claim(PAYMENT, "blocked", 2, waits=[SPEC])
    assert told(claim(SPEC, "in_progress"), claim(SPEC, "done", 1), waiting).waits_for(PAYMENT) == [f"task: {SPEC}"]
    assert told(claim(SPEC, "in_progress"), claim(SPEC, "cancelled", 1), waiting).waits_for(PAYMENT) == [f"condition: {SPEC}"]


def test_a_task_is_named_outright_by_an_id_of_its_names() -> None:
    said: list[Source] = [
        claim(SPEC, "in_progress"),
        claim(SPEC_REWORDED, minute=1),
        claim(PAYMENT, "blocked", 2, waits=[tid(SPEC_REWORDED)]),
    ]
    assert told(*said, alike=ALIKE).waits_for(PAYMENT) == [f"task: {SPEC}"]


def test_an_id_that_nobody_knows_is_a_condition_until_somebody_does() -> None:
    board = told(claim(PAYMENT, "blocked", waits=[tid(SPEC)]), claim(SPEC, "pending", 1))
    assert board.waits_for(PAYMENT) == [f"condition: {tid(SPEC)}"]
    assert board.history[-1] == f"condition {tid(SPEC)}: is {SPEC} (title)"


def test_pull_requests_and_addresses_are_artifacts() -> None:
    text = "https://github.com/acme/shop/pull/41"
    blockers = named_artifacts(text, PROJECT)
    assert [(one.kind, one.text, one.confidence) for one in blockers] == [("artifact", text, 1.0)]
    assert told(claim(PAYMENT, "blocked", waits=[text])).waits_for(PAYMENT) == [f"artifact: {text}"]


def test_what_is_waited_for_is_looked_up_in_its_own_cluster() -> None:
    waiting = claim(PAYMENT, "blocked", 1, waits=[SPEC])
    first, second = Cluster(PROJECT, (waiting,)), Cluster(PROJECT, (claim(SPEC), *mentions(waiting)))
    assert replay(outcomes(second, first)).waits_for(PAYMENT) == [f"task: {SPEC}"]
    with pytest.raises(BlockerNotFollowedError, match="ent_001_0"):
        finish(follow(first), {})


# -- what a task waits for


def test_sound_words_replace_and_others_suggest() -> None:
    board = told(
        claim(PAYMENT, "blocked", waits=["열쇠"]),
        claim(PAYMENT, minute=1, waits=["서버"], sound=False),
        claim(PAYMENT, minute=2, waits=["열쇠"], sound=False),
        claim(PAYMENT, minute=3, waits=["서버"], sound=False),
    )
    assert board.waits_for(PAYMENT) == ["condition: 열쇠"]
    assert [board.called(one) for one in board.task(PAYMENT).suggestions] == ["condition: 서버"]
    board = told(claim(PAYMENT, "blocked", waits=["열쇠"]), claim(PAYMENT, minute=1, waits=["서버"]))
    assert board.waits_for(PAYMENT) == ["condition: 서버"]


def test_the_same_blockers_again_are_no_news() -> None:
    board = told(claim(PAYMENT, "blocked", waits=["열쇠", "서버"]), claim(PAYMENT, "blocked", 1, waits=["서버", "열쇠"]))
    assert [line for line in board.history if "waits" in line] == [f"{PAYMENT}: waits for ['열쇠', '서버']"]


def test_a_session_that_names_no_cause_blocks_nothing() -> None:
    assert told(claim(PAYMENT, "blocked")).history == [f"{PAYMENT}: created pending"]
    going = told(claim(PAYMENT, "in_progress"), claim(PAYMENT, "blocked", 1))
    assert going.history == [f"{PAYMENT}: created in_progress", f"{PAYMENT}: spoken of (exact)"]
    finished = told(claim(PAYMENT, "done", done_basis="thanks"), claim(PAYMENT, "blocked", 1))
    assert finished.statuses() == {PAYMENT: "done"} and not [line for line in finished.history if " x " in line]
    assert told(claim(PAYMENT, "blocked"), claim(PAYMENT, "blocked", 1, waits=["열쇠"])).statuses() == {PAYMENT: "blocked"}


def test_blocked_by_nobody_knows_what() -> None:
    by_a_person = word(StatusSaid(tid(PAYMENT), "blocked"), 1)
    board = told(claim(PAYMENT), by_a_person)
    assert board.history[-2:] == [f"{PAYMENT}: waits for ['{UNKNOWN}']", f"condition {UNKNOWN}"]
    assert board.task(PAYMENT).blockers[0].auto_placeholder and board.task(PAYMENT).blockers[0].confidence == 0
    # A suggestion is no answer, a sound word is one.
    unsure = told(claim(PAYMENT), by_a_person, claim(PAYMENT, minute=2, waits=["열쇠"], sound=False))
    assert unsure.waits_for(PAYMENT) == [f"condition: {UNKNOWN}"]
    assert told(claim(PAYMENT), by_a_person, claim(PAYMENT, minute=2, waits=["열쇠"])).waits_for(PAYMENT) == ["condition: 열쇠"]


def test_a_person_who_says_blocked_does_not_have_to_say_by_what() -> None:
    board = told(claim(PAYMENT, "pending"), word(StatusSaid(tid(PAYMENT), "blocked"), 1))
    assert board.waits_for(PAYMENT) == [f"condition: {UNKNOWN}"]
    board = told(claim(PAYMENT, "blocked", waits=["열쇠"]), word(BlockersSaid(tid(PAYMENT), ()), 1))
    assert board.waits_for(PAYMENT) == [f"condition: {UNKNOWN}"]


def test_who_goes_on_waits_for_nothing_any_more() -> None:
    blocked = claim(PAYMENT, "blocked", waits=["열쇠"])
    assert told(blocked, claim(PAYMENT, "in_progress", 1)).waits_for(PAYMENT) == []
    assert told(blocked, claim(PAYMENT, "in_progress", 1, waits=["서버"])).waits_for(PAYMENT) == ["condition: 서버"]
    assert told(blocked, word(StatusSaid(tid(PAYMENT), "pending"), 1)).waits_for(PAYMENT) == []
    # The placeholder goes even where what is named is not certain.
    assert (
        told(
            claim(PAYMENT),
            word(StatusSaid(tid(PAYMENT), "blocked"), 1),
            claim(PAYMENT, "in_progress", 2, waits=["서버"], sound=False),
        ).waits_for(PAYMENT)
        == []
    )


def test_a_done_task_waits_for_nothing() -> None:
    said: list[Source] = [claim(PAYMENT, "blocked", waits=["열쇠"]), claim(PAYMENT, "done", 1, waits=["서버"])]
    board = told(*said, claim(PAYMENT, minute=2, waits=["서버"]), word(BlockersSaid(tid(PAYMENT), texts(["서버"])), 3))
    assert board.waits_for(PAYMENT) == []
    assert board.history.count(f"{PAYMENT}: 서버 refused, done-has-no-blockers") == 3
    reopened = told(*said, claim(PAYMENT, "in_progress", 2, waits=["서버"]))
    assert reopened.waits_for(PAYMENT) == ["condition: 서버"]


def test_a_task_that_blocks_itself() -> None:
    board = told(claim(PAYMENT, "blocked", waits=[PAYMENT]))
    assert f"{PAYMENT}: {PAYMENT} refused, blocks-itself" in board.history
    assert board.waits_for(PAYMENT) == [f"condition: {UNKNOWN}"]
    said: list[Source] = [
        claim(PAYMENT, "blocked", waits=["열쇠"]),
        word(BlockersSaid(tid(PAYMENT), texts([PAYMENT, tid(PAYMENT)])), 1),
    ]
    assert told(*said).waits_for(PAYMENT) == ["condition: 열쇠"]


def test_tasks_that_wait_for_each_other() -> None:
    board = told(claim(SPEC, "pending"), claim(PAYMENT, "blocked", 1, waits=[SPEC]), claim(SPEC, "blocked", 2, waits=[PAYMENT]))
    assert board.waits_for(PAYMENT) == [f"task: {SPEC}"] and board.waits_for(SPEC) == [f"task: {PAYMENT}"]


# -- what becomes of conditions


def test_a_condition_turns_out_to_be_a_task() -> None:
    waiting = claim(PAYMENT, "blocked", waits=[SPEC])
    board = told(waiting, claim(SPEC, "in_progress", 1))
    assert board.history[-2:] == [f"{SPEC}: created in_progress", f"condition {SPEC}: is {SPEC} (title)"]
    assert told(waiting, claim(SPEC_REWORDED, "pending", 1), alike=ALIKE).open_conditions() == []
    assert told(waiting, word(declared(SPEC), 1)).open_conditions() == []


def test_what_was_waited_for_and_is_done_is_met_and_no_task() -> None:
    said: list[Source] = [claim(PAYMENT, "blocked", waits=["Kim's review"]), claim("Kim's review", "done", 1)]
    board = told(*said)
    assert board.history[-1] == "condition Kim's review: met (entry)" and list(board.statuses()) == [PAYMENT]
    # Told again it is no task either; waited for again it is open again.
    assert list(told(*said, claim("Kim's review", "done", 2)).statuses()) == [PAYMENT]
    assert told(*said, claim(PAYMENT, "blocked", 2, waits=["Kim's review"])).open_conditions() == ["Kim's review"]


def test_who_waits_for_what_was_cancelled_waits_again() -> None:
    said: list[Source] = [claim(PAYMENT, "blocked", waits=[SPEC]), claim(SPEC, "in_progress", 1), claim(SPEC, "cancelled", 2)]
    assert told(*said, claim(PAYMENT, minute=3, waits=[SPEC])).open_conditions() == [SPEC]
    reopened = told(*said, claim(PAYMENT, minute=3, waits=[SPEC]), word(StatusSaid(tid(SPEC), "in_progress"), 4))
    assert reopened.open_conditions() == []


def test_conditions_of_nearly_one_wording_are_one() -> None:
    said: list[Source] = [
        claim(PAYMENT, "blocked", waits=["Kim's review"]),
        claim(SPEC, "blocked", 1, waits=["the Kim’s review"]),
    ]
    board = told(*said, alike={("Kim's review", "the Kim’s review"): 1.0})
    assert list(board.conditions) == [cid("Kim's review")]
    assert board.task(SPEC).blockers[0].text == "the Kim’s review" and board.task(SPEC).blockers[0].confidence < 1


def test_a_person_answers() -> None:
    waiting = claim(PAYMENT, "blocked", waits=[SPEC])
    assert told(waiting, word(answered(SPEC, satisfied=True), 1)).conditions[cid(SPEC)].status == "satisfied"
    board = told(waiting, claim("다른 일", minute=1), word(answered(SPEC, to=tid("다른 일")), 2))
    assert board.history[-1] == f"condition {SPEC}: is 다른 일 (person)"
    board = told(waiting, word(answered(SPEC, satisfied=True), 1), word(answered(SPEC), 2))
    assert board.open_conditions() == [SPEC]


def test_a_person_s_answer_holds_against_titles() -> None:
    waiting = claim(PAYMENT, "blocked", waits=[SPEC])
    elsewhere = word(answered(SPEC, to=tid("다른 일")), 2)
    board = told(
        waiting, claim("다른 일", minute=1), elsewhere, claim(SPEC, "pending", 3), claim(PAYMENT, minute=4, waits=[SPEC])
    )
    assert board.conditions[cid(SPEC)].status == tid("다른 일") and board.waits_for(PAYMENT) == [f"condition: {SPEC}"]
    is_no_task = told(waiting, claim(SPEC, "pending", 1), word(answered(SPEC), 2), claim(SPEC, "in_progress", 3))
    assert is_no_task.open_conditions() == [SPEC]


def test_that_something_is_met_does_not_say_what_it_is() -> None:
    waiting = claim(PAYMENT, "blocked", waits=[SPEC])
    met = word(answered(SPEC, satisfied=True), 1)
    board = told(waiting, met, claim(SPEC, "pending", 2), claim(PAYMENT, minute=3, waits=[SPEC]))
    assert board.waits_for(PAYMENT) == [f"task: {SPEC}"]


def test_answers_to_nothing_and_in_circles() -> None:
    assert told(word(answered(SPEC, satisfied=True), 0), claim(PAYMENT, minute=1)).conditions == {}
    waiting = claim(PAYMENT, "blocked", waits=["a key", "a lock"])
    to_itself = word(ConditionAnswered(cid("a key"), False, "condition", cid("a key")), 1)
    round_about = [
        word(ConditionAnswered(cid("a key"), False, "condition", cid("a lock")), 2),
        word(ConditionAnswered(cid("a lock"), False, "condition", cid("a key")), 3),
    ]
    board = told(waiting, to_itself, *round_about)
    assert board.conditions[cid("a key")].status == cid("a lock") and board.conditions[cid("a lock")].status == cid("a key")


def test_a_person_says_what_the_unknown_blocker_is() -> None:
    unknown = placeholder_id(PROJECT, task_key(PROJECT, normalize(PAYMENT)))
    said: list[Source] = [claim(PAYMENT), word(StatusSaid(tid(PAYMENT), "blocked"), 0), claim(SPEC, minute=1)]
    board = told(*said, word(ConditionAnswered(unknown, False, "task", tid(SPEC)), 2))
    assert board.history[-1] == f"condition {UNKNOWN}: is {SPEC} (person)"
    assert told(*said, word(ConditionAnswered(unknown, True, None, None), 2)).conditions[unknown].status == "satisfied"
    never = told(claim(PAYMENT, "pending"), word(ConditionAnswered(unknown, True, None, None), 2))
    assert never.conditions == {}
    # Blocked again by nobody knows what, it is open again.
    again: list[Source] = [
        word(ConditionAnswered(unknown, True, None, None), 2),
        claim(PAYMENT, "pending", 3),
        word(StatusSaid(tid(PAYMENT), "blocked"), 4),
    ]
    assert told(*said, *again).open_conditions() == [UNKNOWN]


def test_what_is_unknown_tells_no_title() -> None:
    """Its event may be another session's than the one that gave the task its title, which may be forgotten."""
    said = told(claim(PAYMENT), word(StatusSaid(tid(PAYMENT), "blocked"), 1))
    assert said.waits_for(PAYMENT) == [f"condition: {UNKNOWN}"]
    made = [o.result for o in outcomes(cluster([claim(PAYMENT), word(StatusSaid(tid(PAYMENT), "blocked"), 1)]))]
    keys = [result.canonical_key for result in made if isinstance(result, ConditionMade)]
    assert len(keys) == 1 and normalize(PAYMENT) not in keys[0]


def test_conditions_that_people_merged_are_one() -> None:
    said: list[Source] = [claim(PAYMENT, "blocked", waits=["a key"]), claim(SPEC, "blocked", 1, waits=["열쇠"])]
    board = told(*said, word(answered("a key", satisfied=True), 2), merges={cid("a key"): cid("열쇠")})
    assert [(key, condition.status) for key, condition in board.conditions.items()] == [(cid("열쇠"), "satisfied")]


def test_a_cluster_may_hold_a_claim_and_what_it_waits_for() -> None:
    waiting = claim(PAYMENT, "blocked", waits=["결제 모듈의 리팩터링"])
    one = cluster([waiting], {(PAYMENT, "결제 모듈의 리팩터링"): 1.0})
    assert f"{PAYMENT}: 결제 모듈의 리팩터링 refused, blocks-itself" in replay(outcomes(one)).history
