"""What a person says of memories: it is checked, logged once, folded at once, and can be taken back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from memory_assets.commands.conflicts import reopen_conflict, resolve_conflict
from memory_assets.commands.decisions import record_decision
from memory_assets.commands.errors import NotPossibleError
from memory_assets.commands.outcomes import NotRecorded as NotRecordedDecision
from memory_assets.commands.promotions import demote_by_age, ladder_of, promote
from memory_assets.commands.said import MOST_SAID, masked, now, settle
from memory_assets.configuration import Resources
from memory_assets.errors import InvalidArgumentError, NotFoundError
from memory_assets.memory import Memory
from memory_assets.projections.rebuild import verify
from memory_assets.queries.conflicts import ConflictView, list_conflicts
from memory_assets.queries.conflicts import one_conflict as read_conflict
from memory_assets.queries.decisions import list_decisions
from memory_assets.queries.entries import list_entries
from memory_assets.queries.events import event_stats, newest_events, one_event
from memory_assets.queries.promotions import review
from memory_assets_tests.depth import cases
from memory_assets_tests.filled_store import STARTED, Said, tell, tell_titles
from memory_assets_tests.filled_store import test_settings as settings_of

OLD, NEW = "The API listens on port 8080", "The API listens on port 9090"
COMPILED = "idris2 0.8.0"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    memory = Memory(settings_of(tmp_path / "home"))
    with memory.database.kept_open():
        yield memory


def cited(memory: Memory, title: str) -> str:
    (found,) = [view.citation for view in memory.memories().memories if view.title == title]
    return found


def stage(memory: Memory, title: str) -> str:
    (found,) = [view.stage for view in memory.memories().memories if view.title == title]
    return found


def sound(memory: Memory) -> None:
    report = verify(memory.database, Resources(memory.settings).configured_versions)
    assert report.equal, report.differences


def only_conflict(memory: Memory) -> ConflictView:
    (found,) = memory.read(list_conflicts, status="all")
    return found


def events(memory: Memory, event_type: str) -> int:
    return memory.read(event_stats).by_type.get(event_type, 0)


# -- conflicts ---------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_conflict_is_listed_with_both_sides_and_what_differs(memory: Memory) -> None:
    tell_titles(memory.settings, "a", OLD)
    tell_titles(memory.settings, "b", NEW, days=1)
    conflict = only_conflict(memory)
    assert (conflict.conflict_type, conflict.status, conflict.project) == ("different_value", "open", "shop")
    assert (conflict.older.title, conflict.newer.title) == (OLD, NEW)
    assert (conflict.older.differs, conflict.newer.differs) == ("8080", "9090")
    assert (conflict.older.uri, conflict.newer.quote) == ("session:a#m=0", NEW)
    assert memory.read(read_conflict, conflict.conflict_id[:10]) == conflict
    assert memory.read(list_conflicts, status="resolved") == []
    # What is logged of it says nothing of what the sessions say.
    (event,) = memory.read(newest_events, limit=1, event_type="conflict_detected")
    assert "8080" not in str(memory.read(one_event, event.event_id).payload)
    measures = {measure.name: measure for measure in memory.audit().measures}
    assert (measures["contested"].count, measures["contested"].of) == (2, 2)


@pytest.mark.long
@pytest.mark.parametrize(
    ("resolution", "searched"),
    cases([("keep_newer", {NEW}), ("merge", {OLD})], [("keep_older", {OLD}), ("both", {OLD, NEW})]),
)
def test_each_resolution_changes_what_is_found_and_reopening_undoes_it(
    memory: Memory, resolution: str, searched: set[str]
) -> None:
    tell_titles(memory.settings, "a", OLD)
    tell_titles(memory.settings, "b", NEW, days=1)
    resolved = resolve_conflict(
        memory.resources, only_conflict(memory).conflict_id, resolution, by="kim", note="asked in <private>the room</private>"
    )
    assert (resolved.status, resolved.resolution, resolved.resolved_by, resolved.note) == (
        "resolved",
        resolution,
        "kim",
        "asked in [PRIVATE]",
    )
    found = {hit.title for hit in memory.search("API port", mode="lexical", kinds=["entry"]).hits}
    assert found == searched
    sound(memory)
    reopened = reopen_conflict(memory.resources, resolved.conflict_id, by="kim")
    assert (reopened.status, reopened.resolution) == ("open", None)
    assert {hit.status for hit in memory.search("API port", mode="lexical", kinds=["entry"]).hits} == {"contested"}
    sound(memory)


@pytest.mark.long
def test_with_what_was_set_aside_nothing_is_in_conflict(memory: Memory) -> None:
    last = "The API listens on port 7070"
    for day, title in enumerate((OLD, NEW, last)):
        tell_titles(memory.settings, f"talk-{day}", title, days=day)
    assert len(memory.read(list_conflicts)) == 3
    for old in (OLD, NEW):
        (conflict,) = [found for found in memory.read(list_conflicts) if (found.older.title, found.newer.title) == (old, last)]
        resolve_conflict(memory.resources, conflict.conflict_id, "keep_newer", by="kim")
    assert memory.read(list_conflicts) == []
    assert [found.older.title for found in memory.read(list_conflicts, status="moot")] == [OLD]
    assert {title: stage(memory, title) for title in (OLD, NEW, last)} == {OLD: "candidate", NEW: "candidate", last: "verified"}
    views = {view.title: view for view in memory.memories().memories}
    assert (views[OLD].status, views[OLD].superseded_by) == ("deprecated", views[last].citation)
    sound(memory)


@pytest.mark.long
def test_what_is_contested_ranks_lower(memory: Memory) -> None:
    tell_titles(memory.settings, "a", "The billing API listens on port 8080", "On a socket the billing API listens for now")
    assert _found(memory)[0] == "The billing API listens on port 8080"  # fewer other words
    tell_titles(memory.settings, "b", "The billing API listens on port 9090", days=1)
    assert _found(memory)[0] == "On a socket the billing API listens for now"


def _found(memory: Memory) -> list[str]:
    settle(memory.resources)
    return [hit.title for hit in memory.search("billing API listens", mode="lexical", kinds=("entry",)).hits]


@pytest.mark.long
def test_what_makes_no_sense_is_refused_and_writes_nothing(memory: Memory) -> None:
    tell_titles(memory.settings, "a", OLD)
    tell(memory.settings, "b", (("user", NEW),), (Said("fact", NEW, ((0, NEW),)),), STARTED + timedelta(days=1))
    conflict = only_conflict(memory)
    before = memory.read(event_stats)
    with pytest.raises(NotPossibleError, match="decision and a fact"):
        resolve_conflict(memory.resources, conflict.conflict_id, "merge", by="kim")
    with pytest.raises(NotPossibleError, match="is open"):
        reopen_conflict(memory.resources, conflict.conflict_id, by="kim")
    with pytest.raises(InvalidArgumentError):
        resolve_conflict(memory.resources, conflict.conflict_id, "newer", by="kim")
    with pytest.raises(NotFoundError):
        resolve_conflict(memory.resources, "cfl_nothing", "both", by="kim")
    # One there is, and yet its prefix does not name it.
    for empty in ("cfl_", " cfl_ ", "cfl", "", " "):
        with pytest.raises(NotFoundError):
            resolve_conflict(memory.resources, empty, "both", by="kim")
    with pytest.raises(InvalidArgumentError, match="2,000"):
        resolve_conflict(memory.resources, conflict.conflict_id, "both", by="kim", note="가" * 2_001)
    assert memory.read(event_stats) == before


# -- the ladder --------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_review_says_what_waits_for_what(memory: Memory) -> None:
    tell_titles(memory.settings, "a", OLD, "Keep the logs")
    tell_titles(memory.settings, "b", NEW, days=1)
    tell(
        memory.settings,
        "c",
        (("user", "Maybe later"),),
        (Said("fact", "Maybe later", ((0, "Maybe later"), (-1, "nowhere")), verified=False),),
    )
    found = memory.read(review)
    assert found.stages == {"working": 1, "candidate": 2, "verified": 1}
    waits = {ladder.title: (ladder.next_stage, ladder.waits_for) for ladder in found.waiting}
    assert waits[OLD] == ("verified", "A conflict about the memory is open")
    assert waits["Keep the logs"] == ("certified", "Only the real idris2 certifies")
    assert waits["Maybe later"][0] == "candidate"
    assert found.total == 4 and sum(count for _, _, count in found.reasons) == 4
    assert memory.read(review, limit=1).total == 4


@pytest.mark.long
def test_a_word_certifies_only_where_the_compiler_proved(memory: Memory) -> None:
    tell_titles(memory.settings, "a", "Keep the logs")
    spoken = promote(memory.resources, cited(memory, "Keep the logs"), "certified", by="kim")
    assert (spoken.reached, spoken.reason, spoken.gates["proved_by_idris2"]) == (False, "Only the real idris2 certifies", False)
    assert stage(memory, "Keep the logs") == "verified"
    assert (events(memory, "promotion_confirmed"), events(memory, "entry_promotion_rejected")) == (1, 1)
    # The word is kept: when the compiler proves it, it counts.
    tell_titles(memory.settings, "b", "Keep the logs", days=1, checker=COMPILED)
    assert stage(memory, "Keep the logs") == "certified"
    sound(memory)


@pytest.mark.long
def test_the_compiler_and_a_word_certify(memory: Memory) -> None:
    tell_titles(memory.settings, "a", "Keep the logs", checker=COMPILED)
    spoken = promote(memory.resources, cited(memory, "Keep the logs"), "certified", by="kim")
    assert (spoken.reached, spoken.from_stage, spoken.memory.stage, spoken.memory.checker) == (
        True,
        "verified",
        "certified",
        COMPILED,
    )
    with pytest.raises(NotPossibleError, match="already"):
        promote(memory.resources, cited(memory, "Keep the logs"), "certified", by="kim")
    down = promote(memory.resources, cited(memory, "Keep the logs"), "candidate", by="kim", note="no longer sure")
    assert (down.reached, down.memory.stage, down.memory.waits_for) == (
        True,
        "candidate",
        "It was demoted, and neither said again nor confirmed since",
    )
    up = promote(memory.resources, cited(memory, "Keep the logs"), "verified", by="kim")
    assert (up.reached, up.memory.stage) == (True, "verified")
    sound(memory)


@pytest.mark.long
def test_what_was_merged_waits_for_a_persons_word(memory: Memory) -> None:
    tell_titles(memory.settings, "a", OLD, checker=COMPILED)
    tell_titles(memory.settings, "b", NEW, days=1, checker=COMPILED)
    resolve_conflict(memory.resources, only_conflict(memory).conflict_id, "merge", by="kim")
    ladder = ladder_of(memory.database, cited(memory, OLD))
    assert (ladder.stage, ladder.gates["supported_twice"]) == ("verified", False)
    assert "two sessions" in ladder.waits_for
    assert promote(memory.resources, cited(memory, OLD), "certified", by="kim").reached


def test_to_look_at_a_memory_writes_nothing(memory: Memory) -> None:
    tell_titles(memory.settings, "a", OLD)
    before = memory.stats().outbox_by_status
    assert ladder_of(memory.database, cited(memory, OLD)).stage == "verified"
    assert memory.stats().outbox_by_status == before == {"pending": 3}


@pytest.mark.long
def test_no_word_helps_where_a_conflict_is_open(memory: Memory) -> None:
    tell_titles(memory.settings, "a", OLD, checker=COMPILED)
    tell_titles(memory.settings, "b", NEW, days=1, checker=COMPILED)
    for wanted in ("verified", "certified"):
        spoken = promote(memory.resources, cited(memory, OLD), wanted, by="kim")
        assert not spoken.reached and spoken.memory.stage == "candidate"
    assert "conflict" in promote(memory.resources, cited(memory, OLD), "verified", by="kim").reason
    resolve_conflict(memory.resources, only_conflict(memory).conflict_id, "keep_older", by="kim")
    assert stage(memory, OLD) == "certified"
    with pytest.raises(NotPossibleError, match="set aside"):
        promote(memory.resources, cited(memory, NEW), "verified", by="kim")


def test_nobodys_word_makes_evidence(memory: Memory) -> None:
    tell(
        memory.settings, "a", (("user", "Maybe later"),), (Said("fact", "Nobody said it", ((-1, "nowhere"),), verified=False),)
    )
    ((entry,), _) = memory.read(list_entries)
    with pytest.raises(NotFoundError, match="no memory"):
        promote(memory.resources, entry.entry_id[:12], "verified", by="kim")
    for wanted in ("raw", "working", "gold"):
        with pytest.raises(InvalidArgumentError):
            promote(memory.resources, entry.entry_id, wanted, by="kim")


@pytest.mark.long
def test_what_grew_old_is_shown_first_and_demoted_when_asked(memory: Memory) -> None:
    today = (now() - STARTED).days
    tell_titles(memory.settings, "a", "Keep the logs", "Write in English", days=today - 740)
    tell_titles(memory.settings, "b", "Write in English", days=today - 10)
    assert demote_by_age(memory.resources, as_of=now() - timedelta(days=20)).demotions == ()
    dry = demote_by_age(memory.resources)
    assert [(ladder.title, demotion.from_stage, demotion.to_stage) for ladder, demotion in dry.demotions] == [
        ("Keep the logs", "verified", "candidate")
    ]
    assert 739 < dry.demotions[0][1].age_days < 741 and 0.24 < dry.demotions[0][1].score < 0.25
    assert (dry.applied, stage(memory, "Keep the logs"), events(memory, "entries_demoted")) == (False, "verified", 0)
    with pytest.raises(InvalidArgumentError, match="to come"):
        demote_by_age(memory.resources, as_of=now() + timedelta(days=1), apply=True)
    applied = demote_by_age(memory.resources, apply=True, by="kim")
    assert (applied.applied, len(applied.demotions)) == (True, 1)
    assert stage(memory, "Keep the logs") == "candidate"
    assert demote_by_age(memory.resources, apply=True).demotions == ()
    tell_titles(memory.settings, "c", "Keep the logs", days=today + 1)
    assert stage(memory, "Keep the logs") == "verified"
    sound(memory)


# -- decisions ---------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_decision_is_recorded_with_its_proof_and_weakened_when_its_evidence_is(memory: Memory) -> None:
    tell_titles(memory.settings, "a", OLD)
    recorded = record_decision(
        memory.resources,
        "Open the firewall for it, key AKIAIOSFODNN7EXAMPLE",
        because=[cited(memory, OLD)],
        outcome="done",
        confidence=0.9,
        by="kim",
    )
    assert not isinstance(recorded, NotRecordedDecision)
    decision = recorded.decision
    assert (decision.checker, decision.weakened, decision.outcome, decision.confidence) == ("embedded 1", False, "done", 0.9)
    assert decision.action.startswith("Open the firewall for it, key [SECRET")
    assert [(cited.stage_then, cited.stage, cited.uri) for cited in decision.evidence] == [
        ("verified", "verified", "session:a#m=0")
    ]
    effect = record_decision(
        memory.resources, "Tell the others", because=[cited(memory, OLD)], caused_by=decision.decision_id[:12], by="kim"
    )
    assert not isinstance(effect, NotRecordedDecision) and effect.decision.caused_by == decision.decision_id
    assert {view.source for view in memory.read(list_decisions)} == {"recorded", "session"}
    tell_titles(memory.settings, "b", NEW, days=1)
    assert [view.weakened for view in memory.read(list_decisions, source="recorded")] == [True, True]
    sound(memory)


@pytest.mark.long
def test_a_decision_rests_on_what_is_verified_and_was_said_before(memory: Memory) -> None:
    tell_titles(memory.settings, "a", OLD)
    tell(
        memory.settings,
        "c",
        (("user", "Maybe later"),),
        (Said("fact", "Maybe later", ((0, "Maybe later"), (-1, "nowhere")), verified=False),),
    )
    before = memory.read(event_stats)

    def failed(because: str, **more: object) -> set[str]:
        outcome = record_decision(memory.resources, "Go", because=[because] if because else [], by="kim", **more)  # type: ignore[arg-type]
        assert isinstance(outcome, NotRecordedDecision)
        return {failure.rule for failure in outcome.rules_failed}

    def reason(because: str, **more: object) -> str:
        outcome = record_decision(memory.resources, "Go", because=[because], by="kim", **more)  # type: ignore[arg-type]
        assert isinstance(outcome, NotRecordedDecision)
        (said,) = outcome.reasons
        return said

    later, old = cited(memory, "Maybe later"), cited(memory, OLD)
    assert reason(later) == f"{later} is working, not verified"
    assert reason(old, decided_at=STARTED - timedelta(days=1)) == f"{old} was said after the decision, at 2025-01-02 03:04 UTC"
    assert failed(cited(memory, "Maybe later")) == {"decision-cites-verified"}
    assert failed(cited(memory, OLD), decided_at=STARTED - timedelta(days=1)) == {"evidence-precedes-decision"}
    assert failed("") >= {"decision-has-evidence"}
    for wrong in ({"confidence": 1.5}, {"decided_at": now() + timedelta(days=1)}, {"caused_by": "dec_unknown"}):
        with pytest.raises((InvalidArgumentError, NotFoundError)):
            record_decision(memory.resources, "Go", because=[cited(memory, OLD)], by="kim", **wrong)
    for wrong in ({"caused_by": ""}, {"caused_by": " "}, {"by": ""}, {"outcome": "x" * 2_001}):
        with pytest.raises(InvalidArgumentError):
            record_decision(memory.resources, "Go", because=[cited(memory, OLD)], **{"by": "kim", **wrong})  # type: ignore[arg-type]
    for prefix in ("ent_", "mem:", "ent"):
        with pytest.raises(NotFoundError):
            record_decision(memory.resources, "Go", because=[prefix], by="kim")
    with pytest.raises(InvalidArgumentError, match="says nothing"):
        record_decision(memory.resources, "  ", because=[cited(memory, OLD)], by="kim")
    assert memory.read(event_stats) == before


@pytest.mark.long
def test_what_is_contested_or_set_aside_carries_no_decision(memory: Memory) -> None:
    tell_titles(memory.settings, "a", OLD)
    tell_titles(memory.settings, "b", NEW, days=1)

    def reason(title: str) -> str:
        outcome = record_decision(memory.resources, "Go", because=[cited(memory, title)], by="kim")
        assert isinstance(outcome, NotRecordedDecision)
        return outcome.reasons[0].removeprefix(cited(memory, title))

    assert reason(OLD) == " is candidate, not verified: a conflict about it is open"
    resolve_conflict(memory.resources, only_conflict(memory).conflict_id, "keep_newer", by="kim")
    assert reason(OLD) == " is candidate, not verified: it was set aside"


def test_a_long_text_is_masked_whole_and_never_cut(memory: Memory) -> None:
    secret = "AKIAIOSFODNN7EXAMPLE"
    # A cut at the limit would have left the half of it, which is no secret to the mask.
    text = "x" * (MOST_SAID - 5 - 1) + " " + secret
    with pytest.raises(InvalidArgumentError, match="2,000"):
        masked(memory.resources, text)
    whole = masked(memory.resources, "x" * (MOST_SAID - 100) + " " + secret)
    assert secret[:5] not in whole and len(whole) <= MOST_SAID
    hidden = masked(memory.resources, "before <private>" + "y" * (2 * MOST_SAID) + "</private> after")
    assert hidden == "before [PRIVATE] after"


@pytest.mark.long
def test_a_cause_comes_first(memory: Memory) -> None:
    tell_titles(memory.settings, "a", OLD)
    late = record_decision(memory.resources, "Late", because=[cited(memory, OLD)], by="kim")
    assert not isinstance(late, NotRecordedDecision)
    with pytest.raises(InvalidArgumentError, match="decided later"):
        record_decision(
            memory.resources,
            "Early",
            because=[cited(memory, OLD)],
            caused_by=late.decision.decision_id,
            decided_at=STARTED + timedelta(hours=1),
            by="kim",
        )
