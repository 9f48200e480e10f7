"""What a person says on a page, in front of a real server: shown first, refused without its token, said once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from memory_assets.commands.conflicts import resolve_conflict
from memory_assets.commands.lessons import keep_lesson, retire_lesson
from memory_assets.commands.prompts import apply_update, propose_update, register_prompt, review_update
from memory_assets.commands.tasks import new_task
from memory_assets.log.event_log import EventLog
from memory_assets.log.payloads.task_words import TaskStatusSaid
from memory_assets.log.upcasting import payload_as
from memory_assets.memory import Memory
from memory_assets.queries.conflicts import list_conflicts
from memory_assets.queries.forgettings import list_forgettings
from memory_assets.queries.lessons import list_lessons, one_lesson
from memory_assets.queries.promotions import ladders
from memory_assets.queries.prompts import one_prompt, one_update
from memory_assets.queries.task_review import task_review
from memory_assets.server.people import admit, dismiss
from memory_assets_tests.filled_store import Said, fill, tell, tell_titles
from memory_assets_tests.server.running import running
from memory_assets_tests.viewer.heard import hear_talks
from memory_assets_tests.viewer.person import FORM, Person

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def person(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    home: Path = tmp_path_factory.mktemp("said")
    settings = fill(home)
    tell_titles(settings, "cart-1", "The cart limit is 3 items", "Use feature flags for checkout", "Ship the cart on Friday")
    tell_titles(settings, "cart-2", "The cart limit is 5 items", days=9)
    with running(home, MEMORY_SERVER_TAKE_SESSIONS="false", MEMORY_EMBEDDING_MODEL="hashing") as server:
        yield Person(server, Memory(settings), server.browser())


def test_a_conflict_is_settled(person: Person) -> None:
    conflict = next(one for one in person.memory.read(list_conflicts) if "cart" in one.older.title)
    assert conflict.conflict_id in person.get("/conflicts")
    fields = {"conflict": conflict.conflict_id, "as": "keep_newer", "note": "<b>measured</b>"}
    page = person.say("resolve", fields)
    assert "The cart limit is 3 items" in page and "The cart limit is 5 items" in page
    settled = next(one for one in person.memory.read(list_conflicts, status="resolved"))
    assert (settled.conflict_id, settled.resolution, settled.note) == (conflict.conflict_id, "keep_newer", "<b>measured</b>")
    assert "<b>measured" not in person.get("/conflicts?status=resolved")
    assert person.shown("reopen", {"conflict": conflict.conflict_id})[1], "it can be opened again"


@pytest.mark.slow
def test_a_settled_conflict_is_opened_again(person: Person) -> None:
    conflict = next(one for one in person.memory.read(list_conflicts, status="all") if "cart" in one.older.title)
    if conflict.status == "open":
        resolve_conflict(person.memory.resources, conflict.conflict_id, "keep_newer", by="kim")
    person.say("reopen", {"conflict": conflict.conflict_id})
    assert conflict.conflict_id in {one.conflict_id for one in person.memory.read(list_conflicts)}
    nothing, key = person.shown("reopen", {"conflict": conflict.conflict_id})
    assert key == "" and "would change nothing" in nothing


def test_a_memory_is_vouched_for_and_rated(person: Person) -> None:
    memory = next(one for one in person.memory.memories().memories if one.title == "Use feature flags for checkout")
    page = person.say("promote", {"memory": str(memory.citation), "stage": "candidate", "note": ""})
    assert memory.title in page
    after = next(one for one in person.memory.read(ladders) if one.memory_id == memory.memory_id)
    assert after.stage == "candidate"
    person.say("feedback", {"id": str(memory.citation), "signal": "helpful", "note": "yes"})
    assert person.memory.stats().feedback_by_signal == {"helpful": 1}


@pytest.mark.slow
def test_a_memory_is_corrected(person: Person) -> None:
    memory = next(one for one in person.memory.memories().memories if one.title == "Ship the cart on Friday")
    page = person.say("correct", {"memory": str(memory.citation), "text": "We ship the cart on <i>Monday</i>."})
    assert "Ship the cart on Friday" in page and "We ship the cart on <i>Monday</i>." in page
    now = person.memory.memories().memories
    assert "We ship the cart on <i>Monday</i>." in {one.title for one in now}
    assert next(one for one in now if one.memory_id == memory.memory_id).status == "deprecated"


@pytest.mark.slow
def test_tasks_are_merged(person: Person) -> None:
    into = person.memory.tasks()[0]
    other = new_task(person.memory.resources, "블로커를 먼저 고친다", project=into.project, by="mina").task.task
    page = person.say("merge", {"task": other.task_id, "into": into.task_id, "note": ""})
    assert into.title in page and other.title in page
    assert person.memory.task(other.task_id).task.task_id == into.task_id


@pytest.mark.slow
def test_a_merge_is_taken_back(person: Person) -> None:
    from memory_assets.commands.task_links import merge

    into = person.memory.tasks()[0]
    other = new_task(person.memory.resources, "<b>Clear</b> the shelf", project=into.project, by="mina").task.task
    merge(person.memory.resources, other.task_id, into.task_id, by="mina")
    shown = person.get(f"/tasks/{into.task_id}")
    assert 'action="/say/unmerge"' in shown and other.task_id in shown and "<b>Clear" not in shown
    page = person.say("unmerge", {"task": other.task_id, "note": ""})
    assert into.title in page
    assert person.memory.task(other.task_id).task.task_id == other.task_id
    nothing, key = person.shown("unmerge", {"task": other.task_id})
    assert key == "" and "would change nothing" in nothing


def test_that_a_task_is_begun_is_said(person: Person) -> None:
    new = new_task(person.memory.resources, "창고를 <i>비운다</i>", project="shop", by="mina").task.task
    page = person.say("set_status", {"task": new.task_id, "status": "in_progress", "note": "begun"})
    assert "창고를 <i>비운다</i>" in page and "It is pending now" in page and "You say: in progress" in page
    assert person.memory.task(new.task_id).task.status == "in_progress"
    nothing, key = person.shown("set_status", {"task": new.task_id, "status": "in_progress"})
    assert key == "" and "would change nothing" in nothing
    assert person.post("set_status", {"task": new.task_id, "status": "gone"}).status == 400
    assert person.post("set_priority", {"task": "tsk_nothing", "priority": "low"}).status == 404


def test_what_other_words_would_do_is_shown(person: Person) -> None:
    """That each of them does it when the answer is yes is seen by the slow tests of this file."""
    task = person.memory.tasks()[0]
    shown, key = person.shown("set_blockers", {"task": task.task_id, "blockers": "the key of the <u>gate</u>", "note": ""})
    assert key and "the key of the <u>gate</u>" in shown
    assert person.shown("set_priority", {"task": task.task_id, "priority": "critical", "note": ""})[1]
    memory = next(one for one in person.memory.memories().memories if one.title == "Ship the cart on Friday")
    shown, key = person.shown("correct", {"memory": str(memory.citation), "text": "We ship the cart on <i>Monday</i>."})
    assert key and "Ship the cart on Friday" in shown and "We ship the cart on <i>Monday</i>." in shown


def test_who_was_admitted_speaks_under_that_name(person: Person) -> None:
    home, server, resources = person.server.home, person.server, person.memory.resources
    token = admit(home, "<b>민아</b>")
    for _ in range(2):
        entered = server.request("POST", "/login", body=token.encode())
        assert entered.status == 204
    assert "secure" not in entered.headers["set-cookie"].lower()
    mina = Person(server, person.memory, {"Cookie": entered.headers["set-cookie"].partition(";")[0]})
    assert "&lt;b&gt;민아&lt;/b&gt;" in mina.get("/today") and "민아" not in person.get("/today")

    new = new_task(resources, "창고를 두 번 비운다", project="shop", by="kim").task.task
    mina.say("set_status", {"task": new.task_id, "status": "in_progress", "note": ""})
    said = [payload_as(event, TaskStatusSaid) for event in EventLog(resources.database).replay(["task_status_said"])]
    assert [one.said_by for one in said if one.task_id == new.task_id] == ["<b>민아</b>"]
    role = "code/tester"
    register_prompt(resources, role, "You test code.", by="kim")
    update = propose_update(resources, role, "You test code.\nYou ask.", reason="why", by="lee")
    assert 'value="&lt;b&gt;민아&lt;/b&gt;" readonly' in mina.get("/prompts")
    mina.say("approve_prompt", {"update": update.update_id, "by": "somebody else", "note": ""})
    assert person.memory.read(one_update, update.update_id).reviewed_by == "<b>민아</b>"

    # A link of somebody else's changes nobody's name.
    for other in (admit(home, "lee"), "not a key"):
        assert server.request("POST", "/login", headers=mina.cookie, body=other.encode()).status == 409
    assert "민아" in mina.get("/today") and 'action="/leave"' in mina.get("/today")

    # What was shown in one browser is said in no other one, not even by the store's owner.
    _, key = mina.shown("set_status", {"task": new.task_id, "status": "done", "note": ""})
    assert key and person.post("set_status", {"yes": key}).status == 409
    # Who is gone before the form has come says nothing, under no name.
    assert (
        mina.sent_late("set_status", {"yes": key}, lambda: server.request("POST", "/leave", headers=mina.form, body=b""))
        == b"401"
    )
    assert person.memory.task(new.task_id).task.status == "in_progress"
    entered = server.request("POST", "/login", body=token.encode())
    mina = Person(server, person.memory, {"Cookie": entered.headers["set-cookie"].partition(";")[0]})

    # The token is for the pages, and for nothing that the store's own opens.
    assert server.request("GET", "/server", headers={"Authorization": f"Bearer {token}"}).status == 401
    for path in ("/server/link", "/server/stop", "/questions/search", "/hooks/stop"):
        sent = {"Origin": f"http://{server.host}", "X-CSRF-Token": mina.csrf, **mina.cookie}
        assert server.request("POST", path, headers=sent, body=b"{}").status == 403
    dismiss(home, "<b>민아</b>")
    assert server.request("GET", "/today", headers=mina.cookie).status == 401
    assert mina.post("set_status", {"task": new.task_id, "status": "done"}, csrf=mina.csrf).status == 401
    assert server.request("POST", "/login", body=token.encode()).status == 403
    assert person.get("/today")


@pytest.mark.slow
def test_how_a_task_stands_is_said(person: Person) -> None:
    new = new_task(person.memory.resources, "창고를 <i>정리</i>한다", project="shop", by="mina").task.task
    shown = person.get(f"/tasks/{new.task_id}")
    assert all(f'action="/say/{name}"' in shown for name in ("set_status", "set_priority", "set_blockers"))
    page = person.say("set_status", {"task": new.task_id, "status": "in_progress", "note": "begun"})
    assert "창고를 <i>정리</i>한다" in page and "It is pending now" in page and "You say: in progress" in page
    person.say("set_priority", {"task": new.task_id, "priority": "high", "note": ""})
    page = person.say("set_blockers", {"task": new.task_id, "blockers": "the key of the <u>gate</u>\n\n  a van  ", "note": ""})
    assert "the key of the <u>gate</u>" in page
    after = person.memory.task(new.task_id).task
    assert (after.status, after.priority) == ("in_progress", "high")
    assert {blocker.effective for blocker in after.blockers} == {"the key of the <u>gate</u>", "a van"}
    shown = person.get(f"/tasks/{new.task_id}")
    assert "the key of the &lt;u&gt;gate&lt;/u&gt;" in shown and "<u>gate" not in shown
    page = person.say("set_blockers", {"task": new.task_id, "blockers": "", "note": ""})
    assert "Nothing is in its way" in page and not person.memory.task(new.task_id).task.blockers
    for action, fields in (("set_status", {"status": "in_progress"}), ("set_priority", {"priority": "high"})):
        nothing, key = person.shown(action, {"task": new.task_id, **fields})
        assert key == "" and "would change nothing" in nothing
    person.say("set_status", {"task": new.task_id, "status": "done", "note": ""})
    assert person.post("set_blockers", {"task": new.task_id, "blockers": "a van"}).status == 409
    assert person.post("set_status", {"task": new.task_id, "status": "gone"}).status == 400
    assert person.post("set_priority", {"task": "tsk_nothing", "priority": "low"}).status == 404


@pytest.mark.slow
def test_a_refused_move_is_accepted(person: Person) -> None:
    talk = (("user", "We have to paint the gate."), ("assistant", "The <s>gate</s> is painted."))
    said = (
        Said("task", "Paint the gate", ((0, "We have to paint the gate."),)),
        Said("task", "Paint the gate", ((1, "The <s>gate</s> is painted."),), status="done"),
    )
    tell(person.memory.settings, "gate-1", talk, said)
    (move,) = person.memory.read(task_review, project=None).refused
    assert move.event_id in person.get("/tasks/review") and move.event_id in person.get(f"/tasks/{move.task.task_id}")
    page = person.say("accept", {"task": move.task.task_id, "event": move.event_id, "note": ""})
    assert move.task.title in page and "The <s>gate</s> is painted." in page and "You say: done" in page
    assert person.memory.task(move.task.task_id).task.status == move.requested_status == "done"
    nothing, key = person.shown("accept", {"task": move.task.task_id, "event": move.event_id})
    assert key == "" and "would change nothing" in nothing


def test_a_proposal_is_approved_by_name(person: Person) -> None:
    resources, role = person.memory.resources, "code/<b>reviewer</b>"
    register_prompt(resources, role, "You read code.", by="kim")
    update = propose_update(resources, role, "You read code.\nYou <i>ask</i>.", reason="<u>why</u>", by="lee")
    listed = person.get("/prompts")
    assert "+You &lt;i&gt;ask&lt;/i&gt;." in listed and update.update_id in listed and "<b>reviewer" not in listed
    assert person.post("approve_prompt", {"update": update.update_id, "by": ""}).status == 400, "a name is needed"
    assert person.post("apply_prompt", {"update": update.update_id}).status == 409, "nobody approved it"
    page = person.say("approve_prompt", {"update": update.update_id, "by": "민아", "note": "good"})
    assert "민아" in page and role in page
    approved = person.memory.read(one_update, update.update_id)
    assert (approved.status, approved.reviewed_by, approved.note) == ("approved", "민아", "good")
    nothing, key = person.shown("approve_prompt", {"update": update.update_id, "by": "kim"})
    assert key == "" and "would change nothing" in nothing
    assert person.shown("apply_prompt", {"update": update.update_id})[1]


@pytest.mark.slow
def test_an_approved_proposal_is_applied_and_taken_back_and_another_rejected(person: Person) -> None:
    resources, role = person.memory.resources, "code/<b>writer</b>"
    register_prompt(resources, role, "You read code.", by="kim")
    update = propose_update(resources, role, "You read code.\nYou <i>ask</i>.", reason="<u>why</u>", by="lee")
    review_update(resources, update.update_id, "approved", by="민아")
    person.say("apply_prompt", {"update": update.update_id})
    shown = person.get(f"/prompts/{quote(role, safe='')}")
    assert "You &lt;i&gt;ask&lt;/i&gt;." in shown and "version 2" in shown
    assert 'value="1"' in person.get(f"/prompts/{quote(role, safe='')}?version=1")
    person.say("roll_back_prompt", {"role": role, "to": "1"})
    back = person.memory.read(one_prompt, role)
    assert (back.version, back.prompt, back.versions[0].cause) == (3, "You read code.", "rollback")
    other = propose_update(resources, role, "You read more.", reason="why", by="lee")
    person.say("reject_prompt", {"update": other.update_id, "by": "민아", "note": ""})
    assert person.memory.read(one_update, other.update_id).status == "rejected"


def test_a_lesson_is_retired(person: Person) -> None:
    rule = "Always run the <i>tests</i> before a commit"
    hear_talks(person.memory.settings, {"court-1": [rule]})
    (lesson,) = person.memory.read(list_lessons).lessons
    assert lesson.lesson_id in person.get("/lessons") and "<i>tests" not in person.get("/lessons")
    assert person.post("retire_lesson", {"lesson": lesson.lesson_id}, csrf="").status == 403, (
        "the page's own form holds a token"
    )
    assert person.post("retire_lesson", {"lesson": "les_0"}).status == 404
    page = person.say("retire_lesson", {"lesson": lesson.lesson_id, "note": "CI does"})
    assert rule in page and "It stands now" in page and "CI does" in page
    retired = person.memory.read(one_lesson, lesson.lesson_id)
    assert retired.status == "retired" and retired.reason.endswith(": CI does")
    assert person.shown("keep_lesson", {"lesson": lesson.lesson_id})[1], "it can be kept again"


@pytest.mark.slow
def test_a_retired_lesson_is_kept(person: Person) -> None:
    rule = "Never push <i>to</i> main by force"
    hear_talks(person.memory.settings, {"court-2": [rule]})
    lesson = next(one for one in person.memory.read(list_lessons).lessons if one.rule == rule)
    retire_lesson(person.memory.resources, lesson.lesson_id, by="kim")
    _, key = person.shown("keep_lesson", {"lesson": lesson.lesson_id})
    keep_lesson(person.memory.resources, lesson.lesson_id, by="kim")
    shown_again = person.post("keep_lesson", {"yes": key})
    assert shown_again.status == 200 and b"has changed since" in shown_again.body
    person.say("retire_lesson", {"lesson": lesson.lesson_id})
    assert "It is retired now" in person.say("keep_lesson", {"lesson": lesson.lesson_id})
    assert person.memory.read(one_lesson, lesson.lesson_id).status == "active"


def test_what_changes_between_the_page_and_the_yes_is_shown_again(person: Person) -> None:
    resources = person.memory.resources
    register_prompt(resources, "late", "one", by="kim")
    first, second = (propose_update(resources, "late", text, reason="why", by="lee") for text in ("two", "three"))
    for update in (first, second):
        review_update(resources, update.update_id, "approved", by="kim")
    _, key = person.shown("apply_prompt", {"update": first.update_id})
    apply_update(resources, second.update_id, by="kim")
    answer = person.post("apply_prompt", {"yes": key})
    assert answer.status == 409 and b"not active any more" in answer.body
    assert person.memory.read(one_prompt, "late").prompt == "three"


def test_what_would_go_is_shown_before_it_goes_and_comes_back(person: Person) -> None:
    page, key = person.shown("forget", {"words": "Redis"})
    assert key and "Places in messages" in page and "shop-1" in page
    tell_titles(person.memory.settings, "late-9", "Redis is late to the party")
    changed = person.post("forget", {"yes": key})
    assert changed.status == 200 and b"Something has changed" in changed.body
    assert person.memory.read(list_forgettings).forgettings == ()
    person.say("forget", {"words": "Redis"})
    forgotten = person.memory.read(list_forgettings).forgettings
    assert {one.session_id for one in forgotten} == {"shop-1", "late-9"} and all(one.holds for one in forgotten)
    assert "Redis" not in person.memory.session("shop-1").messages[1].text
    shown = person.get("/privacy")
    assert "shop-1" in shown and "Redis" not in shown
    event = next(one for one in forgotten if one.session_id == "shop-1")
    person.say("unforget", {"id": event.event_id})
    assert "Redis" in person.memory.session("shop-1").messages[1].text


def test_what_search_must_not_know_is_not_sent_back_by_the_page(person: Person) -> None:
    """The words of a forgetting wait in the server: a page that masks them could not send them back."""
    secret = "ghp_" + "Ab3dE5" * 6
    answer = person.post("forget", {"words": secret})
    assert answer.status == 200 and secret.encode() not in answer.body


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("resolve", {"conflict": "cfl_", "as": "keep_newer"}),
        ("resolve", {"conflict": "x", "as": "burn"}),
        ("promote", {"memory": "mem:zzzzzz", "stage": "certified"}),
        ("promote", {"memory": "mem:zzzzzz", "stage": "raw"}),
        ("correct", {"memory": "mem:zzzzzz", "text": ""}),
        ("feedback", {"id": "mem:zzzzzz", "signal": "helpful"}),
        ("merge", {"task": "../x", "into": "tsk_"}),
        ("forget", {}),
        ("forget", {"before": "yesterday"}),
        ("forget", {"ids": "../../etc/passwd"}),
        ("unforget", {"id": "ev_nothing"}),
        ("burn", {"id": "1"}),
        ("forget", {"words": "x" * 200_000}),
        ("approve_prompt", {"update": "pup_nothing", "by": "kim"}),
        ("approve_prompt", {"update": "pup_nothing"}),
        ("apply_prompt", {"update": "pup_"}),
        ("roll_back_prompt", {"role": "nobody", "to": "1"}),
        ("roll_back_prompt", {"role": "nobody", "to": "one"}),
    ],
)
def test_what_cannot_be_said_is_a_page_that_names_it(person: Person, action: str, fields: dict[str, str]) -> None:
    before = person.end
    answer = person.post(action, fields)
    assert answer.status in (400, 404) and b"<h1>" in answer.body, answer
    assert person.end == before


def test_nothing_is_said_without_the_token_of_the_form_or_from_elsewhere(person: Person) -> None:
    before = person.end
    _, key = person.shown("forget", {"session": "cart-2"})
    assert person.post("forget", {"yes": key}, csrf="wrong").status == 403
    assert person.post("forget", {"yes": key}, Origin="http://evil.example").status == 403
    assert person.post("forget", {"yes": key}, Cookie="memory=x").status == 401
    assert person.post("forget", {"yes": "guessed"}).status == 409
    assert person.post("unforget", {"yes": key}).status == 409, "a yes is to what was shown"
    for path in ("/say/forget", f"/say/forget?yes={quote(key)}", "/say/forget?session=cart-2"):
        assert person.server.request("GET", path, headers=person.cookie).status in (404, 405)
    assert person.end == before and person.memory.session("cart-2").messages


def test_a_program_that_holds_the_token_says_nothing(person: Person) -> None:
    before, fields = person.end, urlencode({"session": "cart-2"}).encode()
    sent = {"Content-Type": FORM, "Authorization": f"Bearer {person.server.token}"}
    answer = person.server.request("POST", "/say/forget", headers=sent, body=fields)
    assert answer.status == 403 and b'name="yes"' not in answer.body
    assert person.end == before


def test_a_form_in_another_form_is_refused(person: Person) -> None:
    token = {"X-CSRF-Token": person.csrf, "Content-Type": "application/json"}
    answer = person.post("forget", {"session": "cart-2"}, **token)
    assert answer.status == 400 and b"no form" in answer.body
