"""A person puts a policy of the judge in force: an event, held to what was in force before, and lessons stand by it at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets.commands import court_policy
from memory_assets.commands.court_policy import activate_policy
from memory_assets.commands.errors import NotPossibleError
from memory_assets.configuration import Resources
from memory_assets.court.policy import policy, shipped_text
from memory_assets.errors import InvalidArgumentError, MemoryAssetsError
from memory_assets.identifiers import sha256_hex
from memory_assets.log.court_policy import Activation
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.court import CourtPolicyActivated
from memory_assets.maintenance.policy_check import active_policy, check_policy
from memory_assets.memory import Memory
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import verify
from memory_assets.queries.lessons import list_lessons
from memory_assets_tests.filled_store import test_settings as settings_of
from memory_assets_tests.log.processes import python
from memory_assets_tests.projections.hearings import Heard

RULES = ("Always run the tests", "Never push to main", "Always write a changelog")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A case that gives three lessons."""
    memory = Memory(settings_of(tmp_path / "home"))
    with memory.database.kept_open():
        session = Heard("case")
        log = EventLog(memory.database)
        log.append(session.tell(*RULES))
        log.append(session.hear())
        catch_up(memory.database, memory.resources.configured_versions)
        yield memory


def text_of(version: str, most: int = 100) -> str:
    """The shipped file under another name, with another number of lessons that stand for a role."""
    text = shipped_text().replace(f'version = "{policy().version}"', f'version = "{version}"')
    return text.replace("active_lessons_of_a_role = 100", f"active_lessons_of_a_role = {most}")


def standing(memory: Memory) -> int:
    return memory.read(list_lessons).total


def said(memory: Memory) -> list[tuple[str, str]]:
    rows = memory.read(
        lambda connection: connection.execute(
            """SELECT payload_json ->> '$.version', payload_json ->> '$.activated_by' FROM events
               WHERE event_type = 'court_policy_activated' ORDER BY seq"""
        ).fetchall()
    )
    return [(str(version), str(by)) for version, by in rows]


@pytest.mark.long
def test_what_is_activated_holds_is_told_and_is_the_same_after_a_rebuild(memory: Memory) -> None:
    assert standing(memory) == 3 and memory.read(active_policy).history == ()
    strict = text_of("strict", most=1)
    found = activate_policy(memory.resources, strict, by=" 김  민아 ")
    assert (found.version, found.sha256, found.numbers["budget.active_lessons_of_a_role"]) == ("strict", sha256_hex(strict), 1)
    assert [(one.version, one.activated_by, one.is_active) for one in found.history] == [("strict", "김 민아", True)]
    assert standing(memory) == 1, "lessons stand by it at once"
    assert memory.resources.court_policy.active_lessons_of_a_role == 1
    assert f"policy strict {sha256_hex(strict)[:12]}" in memory.resources.court_version
    assert verify(memory.database, memory.resources.configured_versions).equal
    looser = activate_policy(memory.resources, text_of("looser", most=2), by="kim")
    assert standing(memory) == 2 and [one.is_active for one in looser.history] == [True, False]
    back = activate_policy(memory.resources, strict, by="kim")
    assert standing(memory) == 1 and [one.version for one in back.history] == ["strict", "looser", "strict"]
    shipped = activate_policy(memory.resources, None, by="kim")
    assert standing(memory) == 3 and (shipped.version, shipped.sha256) == (policy().version, sha256_hex(shipped_text()))
    assert f"policy {policy().version}" in memory.resources.court_version and not memory.resources.court_policy.sha256
    assert verify(memory.database, memory.resources.configured_versions).equal


@pytest.mark.long
def test_a_check_compares_with_what_is_in_force(memory: Memory) -> None:
    activate_policy(memory.resources, text_of("strict", most=1), by="kim")
    found = check_policy(memory.resources, text_of("other"))
    assert (found.active_version, found.lessons_now, found.lessons_then) == ("strict", 1, 3)
    assert [(one.key, one.now, one.then) for one in found.changes] == [("budget.active_lessons_of_a_role", 1, 100)]


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("version = 'x'\n[budget", "it is no TOML"),
        (text_of("x").replace("near = 0.6", "near = 7"), "likeness.near: a number from 0 to 1 is wanted"),
        ('version = "x"', "least_confidence: this section is missing"),
        (f"# ask kim@example.com\n{text_of('x')}", "masking policy keeps out"),
        (f"# AKIAIOSFODNN7EXAMPLE\n{text_of('x')}", "masking policy keeps out"),
    ],
)
def test_what_is_no_policy_or_is_private_is_not_activated(memory: Memory, text: str, told: str) -> None:
    end = EventLog(memory.database).last_seq()
    with pytest.raises(InvalidArgumentError) as refused:
        activate_policy(memory.resources, text, by="kim")
    assert told in str(refused.value) and refused.value.hint
    assert "kim@example.com" not in str(refused.value) and "AKIA" not in str(refused.value)
    assert EventLog(memory.database).last_seq() == end and memory.read(active_policy).version == policy().version


@pytest.mark.long
def test_a_version_has_one_text_and_what_holds_is_not_activated_again(memory: Memory) -> None:
    activate_policy(memory.resources, text_of("mine", most=2), by="kim")
    for text, told in (
        (text_of("mine", most=2), "in force, with the same text"),
        (text_of("mine", most=3), "another policy has the version 'mine'"),
        (text_of(policy().version, most=3), "another policy has the version"),
    ):
        with pytest.raises(NotPossibleError, match=told):
            activate_policy(memory.resources, text, by="kim")
    with pytest.raises(InvalidArgumentError, match="who says so is empty"):
        activate_policy(memory.resources, text_of("next"), by=" \u200b ")
    activate_policy(memory.resources, None, by="kim")
    with pytest.raises(NotPossibleError, match="in force"):
        activate_policy(memory.resources, None, by="kim")
    assert said(memory) == [("mine", "kim"), (policy().version, "kim")]


def test_the_shipped_one_is_not_activated_where_nothing_else_is(memory: Memory) -> None:
    for text in (None, shipped_text()):
        with pytest.raises(NotPossibleError, match="in force"):
            activate_policy(memory.resources, text, by="kim")
    assert said(memory) == []


@pytest.mark.long
def test_of_two_that_saw_the_same_policy_the_second_is_told_of_the_first(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = court_policy._in_force_now
    others = [text_of("theirs", most=1)]

    def look_and_be_late(resources: Resources) -> Activation | None:
        found = look(resources)
        if others:  # somebody else is faster, behind our look and before our word
            activate_policy(resources, others.pop(), by="lee")
        return found

    monkeypatch.setattr(court_policy, "_in_force_now", look_and_be_late)
    with pytest.raises(NotPossibleError, match=r"lee activated version 'theirs' meanwhile \(ev_"):
        activate_policy(memory.resources, text_of("mine", most=2), by="kim")
    assert said(memory) == [("theirs", "lee")] and standing(memory) == 1


@pytest.mark.long
def test_many_that_activate_at_once_leave_one_in_force_and_the_log_sound(tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "home")
    memory = Memory(settings)
    catch_up(memory.database, memory.resources.configured_versions)
    start, done, refused = threading.Barrier(4), list[str](), list[MemoryAssetsError]()

    def run(name: str) -> None:
        start.wait()
        try:
            activate_policy(Resources(settings), text_of(name), by=name)
            done.append(name)
        except MemoryAssetsError as error:
            refused.append(error)

    threads = [threading.Thread(target=run, args=(f"v{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) + len(refused) == 4 and done
    assert all(isinstance(error, NotPossibleError) and "meanwhile" in str(error) for error in refused)
    assert sorted(version for version, _ in said(memory)) == sorted(done)
    assert memory.read(active_policy).version == said(memory)[-1][0]
    assert verify(memory.database, memory.resources.configured_versions).equal


ACTIVATE = """
import sys
from pathlib import Path
from memory_assets.commands.court_policy import activate_policy
from memory_assets.configuration import Resources
from memory_assets.errors import MemoryAssetsError
from memory_assets_tests.commands.test_court_policy import text_of
from memory_assets_tests.filled_store import test_settings as settings_of
resources = Resources(settings_of(Path(sys.argv[1])))
print("ready", flush=True)
sys.stdin.readline()
try:
    activate_policy(resources, text_of(sys.argv[2]), by=sys.argv[2])
    print("activated")
except MemoryAssetsError as error:
    print(error.code, error)
"""


@pytest.mark.long
def test_of_two_programs_that_activate_at_once_each_is_told_how_it_ended(tmp_path: Path) -> None:
    memory = Memory(settings_of(tmp_path / "home"))
    catch_up(memory.database, memory.resources.configured_versions)
    with python(ACTIVATE, tmp_path / "home", "left") as left, python(ACTIVATE, tmp_path / "home", "right") as right:
        for process in (left, right):
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
        for process in (left, right):
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        told = {name: process.communicate(timeout=120)[0].strip() for name, process in (("left", left), ("right", right))}
    done = [name for name, words in told.items() if words == "activated"]
    assert done and all(words == "activated" or words.startswith("not_possible ") for words in told.values()), told
    assert sorted(by for _, by in said(memory)) == sorted(done)
    assert memory.read(active_policy).version == said(memory)[-1][0]
    assert verify(memory.database, memory.resources.configured_versions).equal


@pytest.mark.long
def test_a_policy_that_this_program_cannot_read_leaves_the_one_before_in_force(memory: Memory) -> None:
    activate_policy(memory.resources, text_of("mine", most=2), by="kim")
    newer = CourtPolicyActivated(version="of a newer program", sha256="0" * 64, text="[another]", activated_by="kim")
    EventLog(memory.database).append([NewEvent(newer, inputs=("newer",), actor="person")])
    catch_up(memory.database, memory.resources.configured_versions)
    found = memory.read(active_policy)
    assert found.version == "mine" and standing(memory) == 2
    assert [(one.version, one.is_active, one.is_usable) for one in found.history] == [
        ("of a newer program", False, False),
        ("mine", True, True),
    ]
