"""What an answer takes from a todo tool's call is shown, and so hashed: an equal hash means an equal answer."""

import json
from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memory_assets.evidence.aligner import Aligner
from memory_assets.extraction.aligned_entries import align_entry
from memory_assets.extraction.dedupe import merge_entries
from memory_assets.extraction.extractor import RuleExtractor
from memory_assets.extraction.rules import extract_window
from memory_assets.extraction.schema import ExtractedEntry
from memory_assets.extraction.status_history import MOST_STEPS
from memory_assets.extraction.todo_calls import checklist, told_in
from memory_assets.extraction.windows import window_hash, windows
from memory_assets.sessions.model import Message
from memory_assets_tests.extraction.talk import agent, user


def call(tool: str, told: object) -> Message:
    return Message("call", "assistant", "tool_call", json.dumps(told, ensure_ascii=False), tool_name=tool)


def answered(*talk: Message) -> tuple[str, list[ExtractedEntry]]:
    (window,) = windows(talk)
    return window_hash(talk, window), extract_window(talk, window)


def todos(priority: str | None, content: str = "Write the guide") -> Message:
    item = {"content": content, "status": "pending"} | ({"priority": priority} if priority else {})
    return call("TodoWrite", {"todos": [item]})


def test_a_priority_is_shown() -> None:
    assert [checklist(todos(name)) for name in ("high", "low", None)] == [
        "- [  high] Write the guide",
        "- [  low] Write the guide",
        "- [ ] Write the guide",
    ]
    (high, one), (low, other) = answered(user("so"), todos("high")), answered(user("so"), todos("low"))
    assert [entry.priority for entry in (*one, *other)] == ["high", "low"]
    assert high != low


def test_what_the_tools_name_changes_is_shown() -> None:
    item, update = (
        {"subject": "Write the guide", "status": "pending"},
        call("TaskUpdate", {"taskId": "1", "status": "completed"}),
    )
    counted, one = answered(user("so"), call("TaskCreate", item), update)
    listed, other = answered(user("so"), call("TodoWrite", {"todos": [item]}), update)
    assert [entry.status for entry in (*one, *other)] == ["done", "pending"]
    assert counted != listed
    named = call("TodoWrite", {"todos": [{"content": "#1", "status": "completed"}]})
    assert checklist(update) != checklist(named)


ITEMS = st.fixed_dictionaries(
    {
        "content": st.sampled_from(["Write the guide", "high] Write the guide", "#1"]),
        "status": st.sampled_from(["pending", "done"]),
    },
    optional={"priority": st.sampled_from(["low", "high", "High", "urgent"]), "id": st.sampled_from(["1", "2"])},
)
TOLD = st.one_of(
    st.builds(lambda item: call("TaskCreate", item), ITEMS),
    st.builds(lambda items: call("TodoWrite", {"todos": items}), st.lists(ITEMS, max_size=2)),
    st.builds(lambda number: call("TaskUpdate", {"taskId": number, "status": "done"}), st.integers(1, 2)),
)
KNOWN: dict[str, list[ExtractedEntry]] = {}


@given(st.lists(TOLD, min_size=1, max_size=3))
def test_an_equal_hash_is_an_equal_answer(calls: list[Message]) -> None:
    shown, found = answered(user("so"), *calls)
    assert KNOWN.setdefault(shown, found) == found


# -- what became of an item, and where it is said


def listed(*items: tuple[str, str], **fields: str) -> Message:
    return call("TodoWrite", {"todos": [{"content": content, "status": status, **fields} for content, status in items]})


def created(subject: str, **fields: object) -> Message:
    return call("TaskCreate", {"subject": subject, "description": "so", **fields})


def updated(number: int, **fields: object) -> Message:
    return call("TaskUpdate", {"taskId": str(number), **fields})


def found(*talk: Message) -> list[ExtractedEntry]:
    """The entries of all windows, each checked: quotes are verbatim, and each step stands in a quoted message."""
    entries = [entry for window in windows(talk) for entry in extract_window(talk, window)]
    texts, aligner = [one.text for one in talk], Aligner()
    for entry in entries:
        assert align_entry(aligner, texts, entry).aligned
        assert {step.message_index for step in entry.history} <= {quote.message_index for quote in entry.evidence}
        assert not entry.history or entry.history[-1].status == entry.status
        assert len(entry.history) <= MOST_STEPS
    return [entry for entry in entries if entry.entry_type == "task"]


def steps(entry: ExtractedEntry) -> list[tuple[str, int]]:
    return [(step.status, step.message_index) for step in entry.history]


def test_a_list_tells_what_became_of_its_items() -> None:
    talk = [
        user("so"),
        listed(("로그인 버그 고치기", "pending"), ("Write the guide", "pending")),
        listed(("로그인 버그 고치기", "in_progress"), ("Write the guide", "pending")),
        agent("Let me see."),
        listed(("로그인 버그 고치기", "completed"), ("Write the guide", "pending")),
    ]
    bug, guide = found(*talk)
    assert (bug.status, steps(bug)) == ("done", [("pending", 1), ("in_progress", 2), ("done", 4)])
    assert [(q.message_index, q.quote) for q in bug.evidence] == [(n, "로그인 버그 고치기") for n in (1, 2, 4)]
    assert (guide.status, guide.history, len(guide.evidence)) == ("pending", (), 1)


def test_an_item_that_a_list_names_no_longer_is_dropped_or_called_anew() -> None:
    talk = [
        user("so"),
        listed(
            ("Create the skill file", "in_progress"),
            ("Create a hook script", "pending"),
            ("Test the skill and hook", "pending"),
        ),
        listed(
            ("Create the skill file", "completed"), ("Add a mise task", "pending"), ("Test the skill and mise task", "pending")
        ),
        listed(
            ("Create the skill file", "completed"),
            ("Add a mise task", "completed"),
            ("Test the skill and mise task", "completed"),
        ),
    ]
    skill, hook, test, mise = found(*talk)
    assert steps(skill) == [("in_progress", 1), ("done", 2)]
    assert steps(hook) == [("pending", 1), ("cancelled", 2)]
    assert [(q.message_index, q.quote) for q in hook.evidence] == [(1, "Create a hook script"), (2, "Create the skill file")]
    assert (test.title, steps(test)) == ("Test the skill and mise task", [("pending", 1), ("done", 3)])
    assert (mise.title, mise.status) == ("Add a mise task", "done")


def test_a_list_of_other_things_says_nothing_of_the_one_before() -> None:
    (first, other) = found(user("so"), listed(("Write the guide", "pending")), listed(("Ship the release", "completed")))
    assert (first.status, other.status) == ("pending", "done")


def test_a_list_of_which_not_all_is_read_drops_nothing() -> None:
    long = [(f"Move module {number} " + "to its own room " * 8, "pending") for number in range(20)]
    first, second = listed(("Write the guide", "pending"), *long[:1]), listed(*long, ("Write the guide", "pending"))
    assert checklist(second).endswith("\n…")
    assert [entry.status for entry in found(user("so"), first, second) if entry.title == "Write the guide"] == ["pending"]
    assert [entry.status for entry in found(user("so"), first, listed(*long[:2])) if entry.title == "Write the guide"] == [
        "cancelled"
    ]


def test_a_plan_of_codex_and_a_checklist_tell_the_same_story() -> None:
    plan = [call("update_plan", {"plan": [{"step": "설정 파일 나누기", "status": told}]}) for told in ("pending", "completed")]
    (one,) = found(user("so"), *plan)
    (other,) = found(user("so"), agent("- [ ] 설정 파일 나누기"), agent("- [x] 설정 파일 나누기"))
    (mixed,) = found(user("so"), plan[0], agent("- [x] 설정 파일 나누기"))
    assert steps(one) == steps(other) == steps(mixed) == [("pending", 1), ("done", 2)]
    assert [q.quote for q in mixed.evidence] == ["설정 파일 나누기"] * 2


def test_updates_by_number_are_quoted_as_they_stand() -> None:
    (entry,) = found(user("so"), created("리더 나누기"), updated(1, status="in_progress"), updated(1, status="completed"))
    assert steps(entry) == [("pending", 1), ("in_progress", 2), ("done", 3)]
    assert [q.quote for q in entry.evidence][1:] == [
        '"taskId": "1", "status": "in_progress"',
        '"taskId": "1", "status": "completed"',
    ]
    long = updated(1, description="x" * 400, status="completed")
    (entry,) = found(user("so"), created("리더 나누기"), long)
    assert entry.evidence[-1].quote == '"status": "completed"'


def test_an_update_is_understood_in_a_later_window() -> None:
    talk = [user("so"), created("Split the reader"), user("a" * 23_000), agent("b" * 2_000), updated(1, status="completed")]
    first, second = windows(talk)
    assert (first.numbered, second.numbered) == ((), ((1, "Split the reader"),))
    assert [(e.title, e.status) for e in extract_window(talk, second)] == [("Split the reader", "done")]
    merged = merge_entries(align_entry(Aligner(), [m.text for m in talk], entry) for entry in found(*talk))
    assert [steps(item.entry) for item in merged] == [[("pending", 1), ("done", 4)]]
    # Another title behind the number is another window.
    other = [talk[0], created("Split the writer"), *talk[2:]]
    assert windows(other)[1].numbered != second.numbered
    assert window_hash(other, windows(other)[1]) != window_hash(talk, second)


def test_the_tool_numbers_its_tasks() -> None:
    def answer(uid: str, text: str) -> Message:
        return Message("r", "tool", "tool_result", text, tool_use_id=uid)

    talk = [
        user("so"),
        replace(created("Split the reader"), tool_use_id="a"),
        replace(created("Write the guide"), tool_use_id="b"),
        answer("a", "Task #7 created successfully: Split the reader"),
        answer("b", "Task #8 created successfully: Write the guide"),
        updated(8, status="completed"),
        updated(1, status="completed"),
    ]
    assert [(e.title, e.status) for e in found(*talk)] == [("Split the reader", "pending"), ("Write the guide", "done")]


def test_numbers_of_blockers_are_the_titles_of_their_tasks() -> None:
    talk = [
        user("so"),
        created("Split the reader"),
        created("Write the guide", blockedBy=["1"]),
        created("Ship it", status="pending"),
        updated(3, addBlockedBy=["1", "2"]),
        updated(1, addBlocks=["3"]),
        updated(3, removeBlockedBy=["2"], status="in_progress"),
    ]
    assert [(e.title, e.status, e.blocked_by) for e in found(*talk)] == [
        ("Split the reader", "pending", ()),
        ("Write the guide", "pending", ("Split the reader",)),
        ("Ship it", "in_progress", ("Split the reader",)),
    ]
    ids = call(
        "TodoWrite",
        {
            "todos": [
                {"id": "1", "content": "One task", "status": "pending"},
                {"id": "2", "content": "Other task", "status": "pending", "dependencies": ["1"]},
            ]
        },
    )
    assert [e.blocked_by for e in found(user("so"), ids)] == [(), ("One task",)]


def test_what_is_only_said_to_wait_keeps_its_status() -> None:
    talk = [
        user("so"),
        created("One task"),
        created("Other task"),
        updated(2, status="in_progress"),
        user("a" * 23_000),
        agent("b" * 2_000),
        updated(2, addBlockedBy=["1"]),
    ]
    (later,) = extract_window(talk, windows(talk)[1])
    assert (later.title, later.status, later.blocked_by) == ("Other task", None, ("One task",))
    merged = merge_entries(align_entry(Aligner(), [m.text for m in talk], entry) for entry in found(*talk))
    assert [(i.entry.title, i.entry.status, i.entry.blocked_by) for i in merged] == [
        ("One task", "pending", ()),
        ("Other task", "in_progress", ("One task",)),
    ]


def test_a_task_that_is_called_anew_is_the_same() -> None:
    (entry,) = found(user("so"), created("Split the reader"), updated(1, subject="Split the reader in two", status="completed"))
    assert (entry.title, entry.status) == ("Split the reader in two", "done")
    lists = [
        {"todos": [{"id": "1", "content": text, "status": status}]}
        for text, status in (
            ("Split the reader", "pending"),
            ("Split the big reader", "completed"),
            ("Paint the house", "pending"),
        )
    ]
    one, other = found(user("so"), *(call("TodoWrite", told) for told in lists))
    assert (one.title, one.status, other.title) == ("Split the big reader", "done", "Paint the house")


def test_a_title_that_stands_twice_is_quoted_with_its_field() -> None:
    (entry,) = found(user("so"), created("Split it", description="Split it up", activeForm="Split it"))
    assert (entry.title, entry.evidence[0].quote) == ("Split it", '"subject": "Split it"')


def test_a_long_history_keeps_its_first_and_last_steps() -> None:
    told = ["pending", "in_progress"] * 9 + ["completed"]
    (entry,) = found(user("so"), *(listed(("Write the guide", status)) for status in told))
    assert (
        MOST_STEPS - 1 <= len(entry.history) <= MOST_STEPS
        and steps(entry)[0] == ("pending", 1)
        and steps(entry)[-1] == ("done", 19)
    )
    assert all(one.status != other.status for one, other in pairwise(entry.history))


def test_an_unknown_status_is_named_and_the_task_stays() -> None:
    talk = [user("so"), listed(("Write the guide", "frozen")), created("Ship it"), updated(1, status="melted")]
    (window,) = windows(talk)
    answer = RuleExtractor().extract(talk, window)
    assert [(e.title, e.status) for e in answer.entries] == [("Write the guide", "pending"), ("Ship it", "pending")]
    assert answer.warnings == (
        "unknown status 'frozen' of a todo tool: 1",
        "unknown status 'melted' of a todo tool: 1",
    )


def test_boxes_of_people_and_agents() -> None:
    text = (
        "할 일:\n- [ ] 배포 (blocked on the npm token)\n- [x] 문서\n- [~] Split the reader\n- [-] 다크 모드\n"
        "* [ ] urgent: fix the login. It fails."
    )
    for speaker in (user, agent):
        assert [(e.title, e.status, e.priority, e.blocked_by) for e in found(user("so"), speaker(text))] == [
            ("배포 (blocked on the npm token)", "blocked", None, ("the npm token",)),
            ("문서", "done", None, ()),
            ("Split the reader", "in_progress", None, ()),
            ("다크 모드", "cancelled", None, ()),
            ("urgent: fix the login. It fails.", "pending", "high", ()),
        ]
    many = "\n".join(f"- [ ] write chapter {n} of the guide" for n in range(30))
    assert len(found(user(many))) == 30
    assert len(found(user(many + "\n\n" + "The rules of this document are long. " * 100))) <= 4


def test_what_a_task_is_about_is_not_its_status() -> None:
    lines = [
        "Show orders in progress",
        "Fix: the user is blocked",
        "Handle cancelled payments",
        "Split the reader (in progress)",
    ]
    talk = [user("so"), agent("\n".join(f"- [ ] {line}" for line in lines))]
    assert [e.status for e in found(*talk)] == ["pending", "pending", "pending", "in_progress"]


def test_an_escape_of_half_a_character_is_left_out() -> None:
    made = created("Split HALF the reader NUL")
    made = replace(made, text=made.text.replace("HALF", r"\ud800").replace("NUL", r"\u0000"))
    talk = [made, user("x" * 9_000), updated(1, status="completed")]
    assert [told.text for told in told_in(made)] == ["Split  the reader"]
    assert [window_hash(talk, window) for window in windows(talk)]


def test_a_line_that_is_called_a_task_is_one() -> None:
    talk = [user("TODO: fix the login\n할 일: 문서 정리"), agent("FIXME: the reader drops the last line")]
    assert [(e.title, e.status) for e in found(*talk)] == [
        ("fix the login", "pending"),
        ("문서 정리", "pending"),
        ("the reader drops the last line", "pending"),
    ]


NUMBERED = st.lists(
    st.one_of(
        st.builds(created, st.sampled_from(["Split the reader", "Write the guide", "배포하기"])),
        st.builds(
            updated,
            st.integers(1, 4),
            status=st.sampled_from(["pending", "in_progress", "completed", "deleted", "odd"]),
            addBlockedBy=st.lists(st.sampled_from("1234"), max_size=2),
        ),
        st.builds(
            lambda items: listed(*items),
            st.lists(
                st.tuples(st.sampled_from(["배포하기", "Ship it"]), st.sampled_from(["pending", "in_progress", "done"])),
                max_size=3,
            ),
        ),
        st.sampled_from([user("x" * 9_000), agent("- [x] 배포하기\n- [ ] Ship it")]),
    ),
    max_size=14,
)
ANSWERS: dict[str, list[ExtractedEntry]] = {}


@given(NUMBERED)
def test_any_calls_give_sound_histories(talk: list[Message]) -> None:
    found(*talk)
    for window in windows(talk):
        answer = extract_window(talk, window)
        # An equal hash is an equal answer, wherever the numbers come from.
        assert ANSWERS.setdefault(window_hash(talk, window), answer) == answer


@given(NUMBERED, NUMBERED)
def test_what_follows_changes_no_window_but_the_last(known: list[Message], later: list[Message]) -> None:
    kept, after = windows(known)[:-1], windows(known + later)
    assert after[: len(kept)] == kept
