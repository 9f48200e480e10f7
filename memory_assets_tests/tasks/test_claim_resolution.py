"""Stories of tasks, and the history that a careful reader would write down."""

from dataclasses import replace

from memory_assets.tasks.canonical import normalize, task_key
from memory_assets.tasks.model import Created, PrioritySaid, StatusSaid
from memory_assets.vocabulary import TaskStatus
from memory_assets_tests.tasks.telling import (
    PROJECT,
    Board,
    Source,
    claim,
    cluster,
    declared,
    outcomes,
    replay,
    tid,
    told,
    word,
)

LOGIN, LOGIN_REWORDED = "로그인 버그 수정", "로그인 버그 고치기"
ALIKE = {(LOGIN, LOGIN_REWORDED): 0.98}


def life(*statuses: TaskStatus | None) -> list[str]:
    """The history of one task whose claims say this."""
    return told(*(claim(LOGIN, status, minute) for minute, status in enumerate(statuses))).history


# -- statuses


def test_nothing_said_nothing_known() -> None:
    assert outcomes(cluster([])) == []


def test_a_task_lives_through_its_claims() -> None:
    assert life("pending", "in_progress", None, "done") == [
        "로그인 버그 수정: created pending",
        "로그인 버그 수정: spoken of (exact)",
        "로그인 버그 수정: pending > in_progress",
        "로그인 버그 수정: spoken of (exact)",
        "로그인 버그 수정: spoken of (exact)",
        "로그인 버그 수정: in_progress > done",
    ]


def test_a_task_that_nobody_saw_at_work_is_not_done() -> None:
    assert "로그인 버그 수정: pending x done" in life("pending", "done")
    board = told(claim(LOGIN, "done"))
    assert board.task(LOGIN).status == "in_progress" and board.task(LOGIN).requested == "done"
    assert life("done", "done")[-1] == "로그인 버그 수정: in_progress > done"


def test_a_done_task_is_reopened_where_the_quote_was_found() -> None:
    done = [claim(LOGIN, "in_progress"), claim(LOGIN, "done", 1)]
    assert told(*done, claim(LOGIN, "in_progress", 2)).statuses() == {LOGIN: "in_progress"}
    unfounded = told(*done, claim(LOGIN, "in_progress", 2, aligned=False))
    assert unfounded.statuses() == {LOGIN: "done"} and unfounded.history[-1] == "로그인 버그 수정: done x in_progress"


def test_a_cancelled_task_is_reopened_by_a_person_alone() -> None:
    cancelled = [claim(LOGIN, "in_progress"), claim(LOGIN, "cancelled", 1), claim(LOGIN, "in_progress", 2)]
    assert told(*cancelled).history[-1] == "로그인 버그 수정: cancelled x in_progress"
    reopened = told(*cancelled, word(StatusSaid(tid(LOGIN), "in_progress"), 3))
    assert reopened.statuses() == {LOGIN: "in_progress"}


def test_a_person_takes_the_legal_path() -> None:
    board = told(claim(LOGIN, "pending"), word(StatusSaid(tid(LOGIN), "done"), 1))
    assert board.history[1:] == ["로그인 버그 수정: pending > in_progress", "로그인 버그 수정: in_progress > done"]
    board = told(claim(LOGIN, "pending"), word(StatusSaid(tid(LOGIN), "done"), 1), word(StatusSaid(tid(LOGIN), "pending"), 2))
    assert board.history[3:] == ["로그인 버그 수정: done > in_progress", "로그인 버그 수정: in_progress > pending"]


def test_priorities_are_those_that_were_said_last() -> None:
    board = told(
        claim(LOGIN, priority="low"),
        claim(LOGIN, minute=1),
        claim(LOGIN, minute=2, priority="high"),
        word(PrioritySaid(tid(LOGIN), "critical"), 3),
        claim(LOGIN, minute=4, priority="critical"),
    )
    assert [line for line in board.history if "priority" in line] == [
        "로그인 버그 수정: priority low > high",
        "로그인 버그 수정: priority high > critical",
    ]


def test_a_word_about_nothing_leads_to_nothing() -> None:
    words = [word(StatusSaid("tsk_" + "0" * 32, "done"), 3), word(StatusSaid(tid(LOGIN), "done"), 0)]
    # The second was said before anybody spoke of the task.
    assert told(*words, claim(LOGIN, "pending", 1)).history == ["로그인 버그 수정: created pending"]


# -- names


def test_another_wording_is_the_same_task_and_its_new_title() -> None:
    board = told(claim(LOGIN, "in_progress"), claim(LOGIN_REWORDED, "done", 1), claim(LOGIN_REWORDED, minute=2), alike=ALIKE)
    assert board.history == [
        "로그인 버그 수정: created in_progress",
        "로그인 버그 수정: spoken of (lexical)",
        "로그인 버그 수정: now 로그인 버그 고치기",
        "로그인 버그 고치기: in_progress > done",
        "로그인 버그 고치기: spoken of (alias)",
    ]
    assert [task.key for task in board.tasks.values()] == [task_key(PROJECT, normalize(LOGIN))]


def test_a_likeness_that_leaves_doubt_makes_two_tasks() -> None:
    assert len(told(claim(LOGIN), claim(LOGIN_REWORDED, minute=1), alike={(LOGIN, LOGIN_REWORDED): 0.85}).tasks) == 2
    # Two tasks are equally like the third name: it is none of them.
    both = {("Add the cache", "The cache"): 0.98, ("Create the cache", "The cache"): 0.98}
    assert (
        len(told(claim("Add the cache"), claim("Create the cache", minute=1), claim("The cache", minute=2), alike=both).tasks)
        == 3
    )


def test_a_name_that_differs_from_any_name_of_a_task_in_a_fact_is_another_task() -> None:
    alike = {("Add the cache", "캐시 작업"): 1.0, ("캐시 작업", "Remove the cache"): 1.0}
    board = told(claim("Add the cache"), claim("캐시 작업", minute=1), claim("Remove the cache", minute=2), alike=alike)
    assert board.statuses() == {"캐시 작업": "pending", "Remove the cache": "pending"}


def test_another_spelling_is_no_other_title() -> None:
    alike = {(LOGIN, "로그인 버그를 수정"): 1.0}
    board = told(claim(LOGIN, "in_progress"), claim("로그인 버그를 수정", "done", 1), alike=alike)
    assert board.statuses() == {LOGIN: "done"}


def test_half_a_year_later_only_the_same_words_mean_the_same_task() -> None:
    said: list[Source] = [claim(LOGIN, "in_progress"), claim(LOGIN_REWORDED, "in_progress", 60 * 24 * 180)]
    assert len(told(*said, alike=ALIKE).tasks) == 2
    assert len(told(said[0], claim(LOGIN, "done", 60 * 24 * 180)).tasks) == 1


def test_a_contested_task_is_recognised_by_its_name_and_by_no_other() -> None:
    contested = claim(LOGIN, "in_progress", contested=True)
    assert len(told(contested, claim(LOGIN_REWORDED, "done", 1), alike=ALIKE).tasks) == 2
    assert told(contested, claim(LOGIN, "done", 1)).statuses() == {LOGIN: "done"}


def test_people_speak_of_a_task_by_the_id_of_any_of_its_names() -> None:
    said: list[Source] = [
        claim(LOGIN, "in_progress"),
        claim(LOGIN_REWORDED, minute=1),
        word(StatusSaid(tid(LOGIN_REWORDED), "done"), 2),
    ]
    assert told(*said, alike=ALIKE).statuses() == {LOGIN_REWORDED: "done"}


def test_a_title_of_ten_thousand_characters_is_a_title() -> None:
    title = "아주 긴 제목 " * 1500
    assert told(claim(title), claim(title, "done", 1)).statuses() == {title: "pending"}


# -- what people declare


def test_a_person_s_new_task() -> None:
    board = told(word(declared(LOGIN, "blocked", waits=["열쇠"], priority="high"), 0), claim(LOGIN, "in_progress", 1))
    assert board.history == [
        "로그인 버그 수정: created blocked",
        "로그인 버그 수정: waits for ['열쇠']",
        "condition 열쇠",
        "로그인 버그 수정: spoken of (exact)",
        "로그인 버그 수정: blocked > in_progress",
        "로그인 버그 수정: waits for []",
    ]


def test_what_a_person_declares_done_was_at_work_and_waits_for_no_review() -> None:
    board = told(word(declared(LOGIN, "done"), 0))
    assert board.history == ["로그인 버그 수정: created in_progress", "로그인 버그 수정: in_progress > done"]
    assert board.task(LOGIN).requested == "in_progress"


def test_declaring_a_known_task_speaks_of_it() -> None:
    board = told(claim(LOGIN, "in_progress"), word(declared(LOGIN, priority="low"), 1))
    assert board.history[1:] == ["로그인 버그 수정: spoken of (person)", "로그인 버그 수정: priority None > low"]
    assert told(claim(LOGIN, "in_progress"), word(declared(LOGIN, "cancelled"), 1)).statuses() == {LOGIN: "cancelled"}


def test_a_recurring_task_is_the_newest_that_is_not_closed() -> None:
    said: list[Source] = [
        claim("주간 보고", "in_progress"),
        claim("주간 보고", "done", 1),
        word(declared("주간 보고", occurrence=2), 2),
        claim("주간 보고", "in_progress", 3),
        word(declared("주간 보고", occurrence=3), 4),
        claim("주간 보고", "in_progress", 5),
        claim("주간 보고", "done", 6),
        claim("주간 보고", "done", 7),
        claim("주간 보고", None, 8),
    ]
    board = told(*said)
    assert [(task.key[-2:], task.status) for task in board.tasks.values()] == [("보고", "done"), ("#2", "done"), ("#3", "done")]
    assert [len(task.claims) for task in board.tasks.values()] == [2, 3, 4]


def test_an_occurrence_is_declared_once() -> None:
    board = told(word(declared("주간 보고", occurrence=2), 0), word(declared("주간 보고", occurrence=2), 1))
    assert board.history == ["주간 보고: created pending", "주간 보고: spoken of (person)"]


# -- merges


def merged(board_of: dict[str, str]) -> Board:
    return told(
        claim("정산 작업", "pending"),
        claim("Settlement", "in_progress", 1),
        claim("정산 작업", "done", 2),
        merges=board_of,
    )


def test_what_is_merged_is_one_task_from_the_first_claim_on() -> None:
    board = merged({tid("정산 작업"): tid("Settlement")})
    assert board.history == [
        "정산 작업: created pending",
        "정산 작업: spoken of (exact)",
        "정산 작업: now Settlement",
        "Settlement: pending > in_progress",
        "Settlement: spoken of (person)",
        "Settlement: in_progress > done",
    ]
    assert list(board.tasks) == [tid("Settlement")]


def test_a_merge_that_is_taken_back_leaves_no_trace() -> None:
    assert merged({}).statuses() == {"정산 작업": "pending", "Settlement": "in_progress"}


def test_a_merged_task_is_addressed_by_its_former_id() -> None:
    said: list[Source] = [
        claim("정산 작업"),
        claim("Settlement", "in_progress", 1),
        word(StatusSaid(tid("정산 작업"), "done"), 2),
    ]
    assert told(*said, merges={tid("정산 작업"): tid("Settlement")}).statuses() == {"Settlement": "done"}


def test_an_occurrence_can_be_merged_into_the_first() -> None:
    said: list[Source] = [
        claim("주간 보고", "in_progress"),
        word(declared("주간 보고", occurrence=2), 1),
        claim("주간 보고", "done", 2),
    ]
    board = told(*said, merges={tid("주간 보고", 2): tid("주간 보고")})
    assert board.statuses() == {"주간 보고": "done"} and list(board.tasks) == [tid("주간 보고")]


def test_tasks_that_were_merged_into_a_forgotten_one_are_still_one() -> None:
    merges = {tid("정산 작업"): tid("forgotten"), tid("Settlement"): tid("forgotten")}
    board = merged(merges)
    assert list(board.tasks) == [tid("정산 작업")] and board.task("정산 작업").status == "done"


# -- what an outcome rests on


def test_a_proof_that_comes_later_changes_no_basis_where_nothing_was_compared() -> None:
    said = [claim(LOGIN, "pending"), claim(LOGIN, "in_progress", 1)]
    proved = [replace(one, stage="verified") for one in said]
    assert [one.basis for one in outcomes(cluster(said))] == [one.basis for one in outcomes(cluster(proved))]


def test_what_is_read_again_under_another_history_is_said_again() -> None:
    one = claim(LOGIN)
    again = replace(one, chain_id="another")
    assert outcomes(cluster([one]))[0].basis != outcomes(cluster([again]))[0].basis


def test_names_that_a_later_one_brings_together_keep_their_histories() -> None:
    apart = [claim("Add the cache", "pending"), claim("Create the cache", "pending", 1)]
    both = {("Add the cache", "The cache"): 1.0, ("Create the cache", "The cache"): 0.93}
    together = outcomes(cluster([*apart, claim("The cache", minute=2)], both))
    assert together[:2] == [*outcomes(cluster(apart[:1])), *outcomes(cluster(apart[1:]))]
    assert len(together) == 4 and not isinstance(together[2].result, Created)


def test_outcomes_are_filed_under_the_name_that_was_heard() -> None:
    said: list[Source] = [claim(LOGIN), claim(LOGIN_REWORDED, minute=1), word(StatusSaid(tid(LOGIN), "done"), 2)]
    filed = [outcome.name for outcome in outcomes(cluster(said, ALIKE))]
    assert filed == [normalize(LOGIN), *[normalize(LOGIN_REWORDED)] * 2, *[normalize(LOGIN)] * 2]
    assert replay(outcomes(cluster(said, ALIKE))).statuses() == {LOGIN_REWORDED: "done"}
