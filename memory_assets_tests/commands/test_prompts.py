"""The registry of prompts: proposed by anybody, approved by a person, applied once, taken back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.commands.errors import NotPossibleError
from memory_assets.commands.prompts import (
    apply_update,
    propose_update,
    register_prompt,
    review_update,
    roll_back,
)
from memory_assets.errors import InvalidArgumentError, MemoryAssetsError, NotFoundError
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.court import LessonRetired
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.memory import Memory
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import rebuild
from memory_assets.queries.prompts import list_prompts, list_updates, one_prompt, one_update
from memory_assets_tests.commands.prompted import FIRST, SECOND, THIRD, approved, events, memory, proposed, sound
from memory_assets_tests.depth import cases, depth
from memory_assets_tests.filled_store import tell_titles
from memory_assets_tests.filled_store import test_settings as settings_of
from memory_assets_tests.log.processes import python
from memory_assets_tests.projections.hearings import Heard
from memory_assets_tests.projections.people import said

__all__ = ["memory"]


# -- the road of a proposal --------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_proposal_is_approved_applied_and_taken_back(memory: Memory) -> None:
    first = register_prompt(memory.resources, "coder", f"{FIRST}\n", by="kim")
    assert (first.version, first.is_active, first.prompt, first.versions[0].cause) == (1, True, FIRST, "seed")
    update = proposed(memory)
    assert (update.status, update.base_version, update.base_is_active, update.proposed_by) == ("proposed", 1, True, "lee")
    assert update.diff.endswith("@@ -1 +1,2 @@\n You write code.\n+You test it.")
    assert memory.read(one_prompt, "coder").open_updates == 1
    assert memory.read(one_prompt, "coder").prompt == FIRST, "a proposal changes nothing"
    reviewed = review_update(memory.resources, update.update_id[:10], "approved", by=" 김  민아 ", note="yes")
    assert (reviewed.status, reviewed.reviewed_by, reviewed.note) == ("approved", "김 민아", "yes")
    assert memory.read(one_prompt, "coder").version == 1, "an approval changes nothing"
    applied = apply_update(memory.resources, update.update_id, by="kim")
    assert (applied.status, applied.applied_version, applied.applied_by, applied.base_is_active) == ("applied", 2, "kim", False)
    assert (active := memory.read(one_prompt, "coder")).prompt == SECOND and active.versions[0].update_id == update.update_id
    back = roll_back(memory.resources, "coder", 1, by="kim")
    assert (back.version, back.prompt, back.versions[0].cause, back.versions[0].rolled_back_to) == (3, FIRST, "rollback", 1)
    assert [version.is_active for version in back.versions] == [True, False, False]
    assert memory.read(one_prompt, "coder", 2).prompt == SECOND
    assert memory.read(list_updates) == [] and len(memory.read(list_updates, status="applied")) == 1
    sound(memory)
    before = memory.read(list_prompts), memory.read(list_updates, status="all")
    rebuild(memory.database, memory.resources.configured_versions)
    assert (memory.read(list_prompts), memory.read(list_updates, status="all")) == before


@pytest.mark.long
def test_a_proposal_from_a_text_that_is_active_again_can_be_applied(memory: Memory) -> None:
    """What counts is the text: the base is known by its hash."""
    register_prompt(memory.resources, "coder", FIRST, by="kim")
    one, other = approved(memory), approved(memory, THIRD)
    apply_update(memory.resources, one.update_id, by="kim")
    with pytest.raises(NotPossibleError, match="not active any more"):
        apply_update(memory.resources, other.update_id, by="kim")
    assert memory.read(one_prompt, "coder").prompt == SECOND
    roll_back(memory.resources, "coder", 1, by="kim")
    assert apply_update(memory.resources, other.update_id, by="kim").applied_version == 4
    sound(memory)


@pytest.mark.long
def test_what_cannot_be_said_is_refused_and_nothing_is_logged(memory: Memory) -> None:
    register_prompt(memory.resources, "coder", FIRST, by="kim")
    waiting = proposed(memory)
    rejected = review_update(memory.resources, proposed(memory, THIRD).update_id, "rejected", by="kim", note="no")
    done = apply_update(memory.resources, approved(memory, "You write tests.").update_id, by="kim")
    old = propose_update(memory.resources, "coder", THIRD, reason="again", by="lee")
    resources, before = memory.resources, events(memory)
    refusals: list[tuple[type[MemoryAssetsError], str, object]] = [
        (NotPossibleError, "has a prompt", lambda: register_prompt(resources, "coder", SECOND, by="kim")),
        (NotFoundError, "no prompt is registered", lambda: proposed(memory, role="nobody")),
        (NotFoundError, "no version 9", lambda: roll_back(resources, "coder", 9, by="kim")),
        (NotPossibleError, "is the active text", lambda: roll_back(resources, "coder", 2, by="kim")),
        (NotFoundError, "no proposal", lambda: review_update(resources, "pup_nothing", "approved", by="kim")),
        (NotFoundError, "no proposal", lambda: review_update(resources, "pup_\ud800\x00", "approved", by="kim")),
        (NotPossibleError, "and not approved", lambda: apply_update(resources, waiting.update_id, by="kim")),
        (NotPossibleError, "is rejected, by kim", lambda: review_update(resources, rejected.update_id, "approved", by="kim")),
        (NotPossibleError, "is rejected", lambda: apply_update(resources, rejected.update_id, by="kim")),
        (NotPossibleError, "is applied", lambda: review_update(resources, done.update_id, "rejected", by="kim")),
        (NotPossibleError, "is applied", lambda: apply_update(resources, done.update_id, by="kim")),
        (NotPossibleError, f"{old.update_id} proposes this", lambda: proposed(memory, THIRD)),
        (NotPossibleError, "as it is, version 2", lambda: proposed(memory, "You write tests.\n")),
        (InvalidArgumentError, "name of who", lambda: review_update(resources, waiting.update_id, "approved", by=" ")),
        (InvalidArgumentError, "empty", lambda: proposed(memory, "\n")),
        (InvalidArgumentError, "too long", lambda: proposed(memory, "x" * 1_000_000)),
        (InvalidArgumentError, r"U\+0000", lambda: proposed(memory, "a\x00b")),
        (InvalidArgumentError, r"U\+DC80", lambda: proposed(memory, "a\udc80b")),
        (InvalidArgumentError, "EMAIL", lambda: proposed(memory, "Write to kim@example.com first")),
        (InvalidArgumentError, "the reason", lambda: propose_update(resources, "coder", SECOND, reason=" ", by="lee")),
        (
            InvalidArgumentError,
            "no lesson's id",
            lambda: propose_update(resources, "coder", SECOND, reason="r", lessons=["a b"], by="lee"),
        ),
    ]
    for kind, says, word in refusals:
        with pytest.raises(kind, match=says) as refused:
            word()  # type: ignore[operator]
        assert refused.value.hint, says
    assert events(memory) == before
    sound(memory)


def test_an_id_is_approved_once_and_the_approval_is_taken_back_until_it_is_applied(memory: Memory) -> None:
    register_prompt(memory.resources, "coder", FIRST, by="kim")
    update = approved(memory)
    with pytest.raises(NotPossibleError, match=f"{update.update_id} is approved, by kim"):
        review_update(memory.resources, update.update_id, "approved", by="lee")
    assert review_update(memory.resources, update.update_id, "rejected", by="lee").reviewed_by == "lee"
    with pytest.raises(NotPossibleError, match="is rejected"):
        apply_update(memory.resources, update.update_id, by="kim")
    sound(memory)


# -- any sequence ------------------------------------------------------------------------------------------------------

ROLES = ("coder", "심사관")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["propose", "approve", "reject", "apply", "rollback"]),
        st.sampled_from(ROLES),
        st.integers(0, 5),
    ),
    max_size=depth(12, 30),
)


@pytest.mark.long
@pytest.mark.deep
@settings(max_examples=depth(4, 150), deadline=None)
@given(steps=STEPS)
def test_any_sequence_keeps_one_active_version_and_no_gap(tmp_path_factory: pytest.TempPathFactory, steps: object) -> None:
    folder = tmp_path_factory.mktemp("sequence")
    memory = Memory(settings_of(folder / "home"))
    resources, active, count = memory.resources, dict.fromkeys(ROLES, "text 0"), dict.fromkeys(ROLES, 1)
    texts = {role: ["text 0"] for role in ROLES}
    with memory.database.kept_open():
        for role in ROLES:
            register_prompt(resources, role, "text 0", by="kim")
        for step, role, number in steps:  # type: ignore[attr-defined]
            updates = memory.read(list_updates, status="all", role=role)
            chosen = updates[number % len(updates)] if updates else None
            try:
                match step:
                    case "propose":
                        propose_update(resources, role, f"text {number}", reason="why", by="lee")
                        continue
                    case "approve" | "reject":
                        if chosen is not None:
                            verdict = "approved" if step == "approve" else "rejected"
                            review_update(resources, chosen.update_id, verdict, by="kim")  # type: ignore[arg-type]
                        continue
                    case "apply" if chosen is not None:
                        apply_update(resources, chosen.update_id, by="kim")
                        assert chosen.status == "approved" and chosen.base_is_active
                        now = chosen.prompt
                    case "rollback":
                        roll_back(resources, role, number, by="kim")
                        now = texts[role][number - 1]
                    case _:
                        continue
            except (NotPossibleError, NotFoundError):
                continue
            active[role], count[role] = now, count[role] + 1
            texts[role].append(now)
        for role in ROLES:
            found = memory.read(one_prompt, role)
            assert (found.prompt, found.version) == (active[role], count[role])
            assert [one.version for one in found.versions] == list(range(count[role], 0, -1))
            assert [one.version for one in found.versions if one.is_active] == [count[role]]
        sound(memory)
    shutil.rmtree(folder)


APPLY = """
import sys
from pathlib import Path
from memory_assets.commands.prompts import apply_update
from memory_assets.configuration import Resources
from memory_assets.errors import MemoryAssetsError
from memory_assets_tests.filled_store import test_settings as settings_of
resources = Resources(settings_of(Path(sys.argv[1])))
print("ready", flush=True)
sys.stdin.readline()
try:
    print("applied", apply_update(resources, sys.argv[2], by="kim").applied_version)
except MemoryAssetsError as error:
    print(error.code, error)
"""


@pytest.mark.long
@pytest.mark.parametrize("same", cases([False], [True]))
def test_of_two_that_are_applied_at_once_one_wins(tmp_path: Path, same: bool) -> None:
    memory = Memory(settings_of(tmp_path / "home"))
    register_prompt(memory.resources, "coder", FIRST, by="kim")
    one = approved(memory)
    other = one if same else approved(memory, THIRD)
    with python(APPLY, tmp_path / "home", one.update_id) as left, python(APPLY, tmp_path / "home", other.update_id) as right:
        for process in (left, right):
            assert process.stdout is not None and process.stdin is not None
            assert process.stdout.readline() == "ready\n"
        for process in (left, right):
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        said = sorted(process.communicate(timeout=120)[0].strip() for process in (left, right))
    assert said[0] == "applied 2"
    assert said[1].startswith("not_possible ") and ("is applied" if same else "not active any more") in said[1]
    found = memory.read(one_prompt, "coder")
    assert found.version == 2 and [version.is_active for version in found.versions] == [True, False]
    sound(memory)


# -- what it rests on --------------------------------------------------------------------------------------------------


RULE = "Always run the build before a commit"


def heard(memory: Memory, *rules: str, case: int | tuple[int, ...], name: str = "case") -> None:
    """Sessions that give lessons, heard by the court: one of each case, and one fold for all of them."""
    for one in (case,) if isinstance(case, int) else case:
        session = Heard(f"{name}-{one}", day=one)
        log = EventLog(memory.database)
        log.append(session.tell(*rules))
        log.append(session.hear())
    catch_up(memory.database, memory.resources.configured_versions)


def lesson_id(memory: Memory, title: str) -> str:
    with memory.database.reading() as connection:
        ((found,),) = connection.execute("SELECT lesson_id FROM lessons WHERE title = ?", [title]).fetchall()
    return str(found)


@pytest.mark.long
def test_a_session_and_the_bundle_that_was_made_of_it_are_one_case(memory: Memory) -> None:
    """The bundle has an id of its own, and quotes what was said at the same moment."""
    register_prompt(memory.resources, "coder", FIRST, by="kim")
    heard(memory, RULE, case=1)
    heard(memory, RULE, "Never commit a lock file", case=1, name="bundle")
    lessons = [lesson_id(memory, RULE), lesson_id(memory, "Never commit a lock file")]
    for named in ([lessons[0]], lessons):
        with pytest.raises(NotPossibleError, match="these are of 1"):
            propose_update(memory.resources, "coder", SECOND, reason="r", lessons=named, by="lee")
    heard(memory, RULE, case=2)
    assert propose_update(memory.resources, "coder", SECOND, reason="r", lessons=lessons, by="lee").status == "proposed"


@pytest.mark.long
def test_a_proposal_rests_on_lessons_of_two_cases(memory: Memory) -> None:
    resources = memory.resources
    register_prompt(resources, "coder", FIRST, by="kim")
    with pytest.raises(NotPossibleError, match="these are of 0"):
        propose_update(resources, "coder", SECOND, reason="r", by="agent", author="agent")
    heard(memory, RULE, case=1)
    run = lesson_id(memory, RULE)
    with pytest.raises(NotFoundError, match="no lesson 'les_9'"):
        propose_update(resources, "coder", SECOND, reason="r", lessons=[run, "les_9"], by="lee")
    for named, author in (([run], "person"), ([run, run], "agent"), ([], "agent")):
        with pytest.raises(NotPossibleError, match="these are of 1"):
            propose_update(resources, "coder", SECOND, reason="r", lessons=named, by="lee", author=author)  # type: ignore[arg-type]
    heard(memory, RULE, case=2)
    update = propose_update(resources, "coder", SECOND, reason="r", lessons=[run], by="lee")
    assert [(one.lesson_id, one.standing, one.title) for one in update.lessons] == [(run, "stands", RULE)]
    # A program that names none speaks for all that stand for the role; a person needs none.
    assert propose_update(resources, "coder", THIRD, reason="r", by="agent", author="agent").lessons == ()
    register_prompt(resources, "tester", FIRST, by="kim")
    with pytest.raises(NotPossibleError, match="these are of 0"):
        propose_update(resources, "tester", SECOND, reason="r", by="agent", author="agent")
    assert propose_update(resources, "tester", SECOND, reason="r", by="lee").lessons == ()
    sound(memory)
    # What a person retired is no ground any more, and what was forgotten is gone: the proposal that is there says so.
    EventLog(memory.database).append([said(LessonRetired(lesson_id=run, said_by="kim"))])
    assert [one.standing for one in memory.read(one_update, update.update_id).lessons] == ["stands"], "not folded yet"
    catch_up(memory.database, resources.configured_versions)
    assert [one.standing for one in memory.read(one_update, update.update_id).lessons] == ["set_aside"]
    with pytest.raises(NotPossibleError, match="does not stand"):
        propose_update(resources, "coder", "You run it.", reason="r", lessons=[run], by="lee")
    EventLog(memory.database).append(
        NewEvent(SessionForgotten(reason="asked"), session_id=session_id, inputs=(session_id,), actor="person")
        for session_id in ("case-1", "case-2")
    )
    catch_up(memory.database, resources.configured_versions)
    shown = memory.read(one_update, update.update_id)
    assert [(one.standing, one.title) for one in shown.lessons] == [("gone", "")]
    assert shown.prompt == SECOND, "a prompt is no session text"
    sound(memory)


def test_what_nobody_sees_is_in_no_reason_and_in_no_name(memory: Memory) -> None:
    register_prompt(memory.resources, "coder", FIRST, by="kim")
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "approve")
    told = propose_update(memory.resources, "coder", SECOND, reason=f"it forgets{hidden} tests", by=f"l\u200bee{hidden}")
    assert (told.reason, told.proposed_by) == ("it forgets tests", "lee")


@pytest.mark.long
def test_what_a_program_proposes_copies_no_session(memory: Memory) -> None:
    tell_titles(memory.settings, "a", "Always use the blue deployment script", "무조건 먼저 테스트를 돌리고 나서 커밋해")
    register_prompt(memory.resources, "coder", FIRST, by="kim")
    heard(memory, RULE, case=(1, 2))
    run = lesson_id(memory, RULE)
    for copied, where in (
        ("You always use the BLUE deployment, script!", "session:a#m=0"),
        ("규칙: 무조건 먼저 테스트를 돌리고 나서 커밋해", "session:a#m=1"),
    ):
        with pytest.raises(InvalidArgumentError, match=where) as refused:
            propose_update(memory.resources, "coder", copied, reason="r", by="agent", author="agent")
        assert "words of your own" in refused.value.hint
        with pytest.raises(InvalidArgumentError, match="5 words in a row"):
            propose_update(memory.resources, "coder", copied, reason="r", lessons=[run], by="lee")
    for reason in ("always_use_the_blue deployment", "alwa\u00adys use the blue deployment"):
        with pytest.raises(InvalidArgumentError, match="session:a#m=0"):
            propose_update(memory.resources, "coder", "Deploy in blue", reason=reason, by="agent", author="agent")
    mine = propose_update(memory.resources, "coder", "Always use the blue deployment script", reason="mine", by="lee")
    assert mine.status == "proposed", "a person's own words are theirs"
    other = propose_update(memory.resources, "coder", "Use the script named blue", reason="r", by="agent", author="agent")
    assert other.status == "proposed"


def test_a_proposal_of_a_program_is_logged_as_one(memory: Memory) -> None:
    register_prompt(memory.resources, "coder", FIRST, by="kim")
    heard(memory, RULE, case=(1, 2))
    run = lesson_id(memory, RULE)
    propose_update(memory.resources, "coder", SECOND, reason="r", lessons=[run], by="x", author="agent")
    propose_update(memory.resources, "coder", THIRD, reason="r", by="lee")
    with memory.database.reading() as connection:
        said = connection.execute(
            "SELECT actor FROM events WHERE event_type = 'prompt_update_proposed' ORDER BY seq"
        ).fetchall()
    assert said == [("agent",), ("person",)]
