"""Sessions are heard by the assets: once, in a batch, again after their words were forgotten, and not where nothing was."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest

from memory_assets.commands.court_policy import activate_policy
from memory_assets.commands.lessons import retire_lesson
from memory_assets.commands.prompts import propose_update, register_prompt
from memory_assets.commands.said import settle
from memory_assets.configuration import Resources
from memory_assets.court.case import Case
from memory_assets.court.findings import Finding
from memory_assets.court.policy import policy, shipped_text
from memory_assets.defs import forgetting, purging, run
from memory_assets.defs.code_location import build_definitions
from memory_assets.defs.court import steps
from memory_assets.defs.court.run import hear
from memory_assets.errors import NotFoundError
from memory_assets.hooks.events import HookCall
from memory_assets.hooks.telling import told_at_start
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.maintenance.fsck import fsck
from memory_assets.maintenance.policy_check import active_policy
from memory_assets.memory import Memory
from memory_assets.queries.cases import list_cases, one_case
from memory_assets.queries.forgettable import ToForget
from memory_assets.queries.lessons import list_lessons, search_lessons
from memory_assets.search.request import SearchRequest
from memory_assets.search.searcher import Searcher
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.court.findings import orders_of
from memory_assets_tests.dagster_records import in_memory
from memory_assets_tests.defs.conftest import Import
from memory_assets_tests.defs.files import chat
from memory_assets_tests.defs.imported import Imported
from memory_assets_tests.defs.state import assert_rebuilds_equal, events, log_of, rows, tables, texts_of_store

TESTS, FORCE, NAMED = (
    "Always run the tests before a commit",
    "Never push to main by force",
    "Always ask Wilhelmina about the ledger",
)

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("small_detector")]


def write_sessions(inbox: Path) -> None:
    """Three sessions: two say the same, one names somebody."""
    chat(inbox, "one", [TESTS, "I will.", FORCE], project="shop")
    chat(inbox, "two", [TESTS, "I will."], project="hourglass")
    chat(inbox, "three", [NAMED, "I will.", "Never say her name, Wilhelmina"], project="shop")


@pytest.fixture
def store(settings: Settings, sessions: Imported, unrecorded: dg.DagsterInstance) -> Settings:
    sessions.copied(settings.home, unrecorded)
    return settings


@pytest.fixture(scope="module")
def heard_once(sessions: Imported, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That store with its sessions heard; to be copied."""
    home = tmp_path_factory.mktemp("heard") / "home"
    shutil.copytree(sessions.home, home)
    instance = in_memory()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
        patch.setattr(run, "dagster_instance", lambda settings: instance)
        patch.setattr(steps, "findings_of", orders_of)
        assert hear(load_settings({"home": home}), None).heard == 3
    return home


@pytest.fixture
def heard(settings: Settings, heard_once: Path, sessions: Imported, unrecorded: dg.DagsterInstance) -> Settings:
    """A store whose sessions were heard."""
    shutil.copytree(heard_once, settings.home)
    unrecorded.add_dynamic_partitions("sessions", list(sessions.session_ids))
    return settings


def lessons_of(settings: Settings) -> list[tuple[str, int]]:
    with Resources(settings).database.reading() as connection:
        return [(one.title, one.support_cases) for one in list_lessons(connection).lessons]


def test_all_sessions_are_heard_in_one_run_and_once(store: Settings, unrecorded: dg.DagsterInstance) -> None:
    runs = len(unrecorded.get_runs())
    report = hear(store, None)
    assert len(unrecorded.get_runs()) == runs + 1
    assert (report.cases, report.heard, report.unchanged, report.failed) == (3, 3, 0, ())
    assert (report.claims, report.selected, report.deferred) == (5, 5, 0)
    assert (report.lessons, report.new_lessons) == (4, 4)
    assert sorted(lessons_of(store)) == sorted([(TESTS, 2), (FORCE, 1), (NAMED, 1), ("Never say her name, Wilhelmina", 1)])
    told = events(store)
    again = hear(store, None)
    assert (again.heard, again.unchanged, again.events_appended, again.new_lessons) == (0, 3, 0, 0)
    assert events(store) == told
    assert_rebuilds_equal(store)


def test_each_event_names_what_led_to_it(store: Settings) -> None:
    hear(store, ["one"])
    led = {
        (caused, event_type)
        for caused, event_type in rows(
            store,
            """SELECT c.event_type, e.event_type FROM events e JOIN events c ON c.event_id = e.causation_id
               WHERE e.event_type IN ('case_opened', 'court_statement_recorded', 'judgement_rendered', 'lesson_accepted')""",
        )
    }
    assert led == {
        ("session_ingested", "case_opened"),
        ("case_opened", "court_statement_recorded"),
        ("case_opened", "judgement_rendered"),
        ("judgement_rendered", "lesson_accepted"),
    }
    assert rows(store, "SELECT DISTINCT session_id FROM cases") == [("one",)]


def test_a_case_is_shown_with_every_claim(heard: Settings) -> None:
    version = Resources(heard).court_version
    memory = Memory(heard)
    found = memory.read(list_cases, version=version)
    assert found.total == 3 and all(case.is_current and not case.is_behind for case in found.cases)
    case = memory.read(one_case, "one", version=version)
    assert case == memory.read(one_case, case.case_id[:12], version=version)
    assert [(claim.title, claim.decision, claim.court_role) for claim in case.judged] == [
        (TESTS, "selected", "defense"),
        (FORCE, "selected", "defense"),
    ]
    (shown,) = case.judged[0].evidence
    assert shown.citation.quote == TESTS and shown.citation.uri.startswith("session:one#m=0")
    with pytest.raises(NotFoundError):
        memory.read(one_case, "nobody", version=version)


@pytest.mark.parametrize("kind", ["injected", "superseded"])
def test_a_case_quotes_nothing_that_a_program_put_there_or_that_is_said_otherwise_now(heard: Settings, kind: str) -> None:
    with Resources(heard).database.writing() as connection:
        connection.execute("UPDATE messages SET kind = ? WHERE session_id = 'one' AND message_index = 0", [kind])
    case = Memory(heard).read(one_case, "one", version=Resources(heard).court_version)
    assert {claim.title: len(claim.evidence) for claim in case.judged} == {TESTS: 0, FORCE: 1}


def test_lessons_are_found_by_role_and_words(heard: Settings) -> None:
    searcher = Searcher(Resources(heard))
    found = search_lessons(searcher, "what to run before a commit", role=" CODER")
    assert found.lessons[0].title == TESTS and found.lessons[0].evidence[0].citation.quote == TESTS
    assert search_lessons(searcher, "what to run before a commit", role="reviewer").lessons == ()


def test_what_was_said_is_a_hit_beside_the_lesson_that_quotes_it(heard: Settings) -> None:
    found = Searcher(Resources(heard)).search(SearchRequest(FORCE, kinds=("lesson", "passage"), mode="lexical"))
    saying = {hit.unit_kind for hit in found.hits for said in hit.citations if said.quote == FORCE or said.message_index == 2}
    assert saying == {"lesson", "passage"}


def test_a_grown_session_is_heard_anew(heard: Settings, take: Import, inbox: Path) -> None:
    chat(inbox, "two", [TESTS, "I will.", "Always answer in Korean"], project="hourglass")
    take(inbox)
    assert ("Always answer in Korean", 1) not in lessons_of(heard) and (TESTS, 2) in lessons_of(heard)
    cases = Memory(heard).read(list_cases, version=Resources(heard).court_version).cases
    assert [case.session_id for case in cases if case.is_behind] == ["two"]
    report = hear(heard, None)
    assert (report.heard, report.unchanged, report.new_lessons) == (1, 2, 1)
    assert ("Always answer in Korean", 1) in lessons_of(heard)
    assert_rebuilds_equal(heard)


@pytest.mark.slow  # test_model_hearing.py lets one case fail with every change
def test_a_case_that_cannot_be_heard_holds_up_no_other(store: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(case: Case) -> list[Finding]:
        if case.session_id == "one":
            raise ValueError(case.events[0].message.text)
        return orders_of(case)

    monkeypatch.setattr(steps, "findings_of", failing)
    report = hear(store, None)
    assert (report.heard, report.failed) == (2, ("one",))
    assert rows(store, "SELECT count(*) FROM quarantine") == [(0,)]
    monkeypatch.setattr(steps, "findings_of", orders_of)
    assert (hear(store, None).heard, hear(store, None).failed) == (1, ())


def test_what_is_forgotten_while_it_is_heard_is_not_said_behind_its_tombstone(
    store: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgetting_it(case: Case) -> list[Finding]:
        if case.session_id == "one":
            forgotten = NewEvent(SessionForgotten(reason="asked"), session_id="one", inputs=("meanwhile",))
            log_of(store).append([forgotten])
        return orders_of(case)

    monkeypatch.setattr(steps, "findings_of", forgetting_it)
    assert hear(store, None).heard == 2
    behind = rows(
        store,
        """SELECT event_type FROM events WHERE session_id = 'one'
             AND seq > (SELECT max(seq) FROM events WHERE event_type = 'session_forgotten')""",
    )
    assert behind == []
    assert sorted(rows(store, "SELECT session_id FROM cases")) == [("three",), ("two",)]


def test_another_court_replaces_and_the_first_can_come_back(store: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    hear(store, ["one"])
    first = Resources(store).court_version
    with monkeypatch.context() as patch:
        patch.setattr("memory_assets.court.detectors.DETECTORS_VERSION", "another")
        patch.setattr(steps, "findings_of", lambda case: orders_of(case)[:1])
        assert hear(store, ["one"]).selected == 1
    assert hear(store, ["one"]).selected == 2
    assert rows(store, "SELECT version FROM cases") == [(first,)]
    assert hear(store, ["one"]).heard == 0
    assert_rebuilds_equal(store)


@pytest.mark.slow  # another court, below, and commands/test_court_policy.py stand for it with every change
def test_another_policy_judges_anew_and_every_judgement_names_its_own(store: Settings) -> None:
    hear(store, None)
    shipped = policy().version
    strict = shipped_text().replace(f'version = "{shipped}"', 'version = "strict"')
    strict = strict.replace("lessons_of_a_case = 10", "lessons_of_a_case = 1")
    activate_policy(Resources(store), strict, by="kim")
    cases = Memory(store).read(list_cases, version=Resources(store).court_version).cases
    assert not any(case.is_current for case in cases), "they were heard under another policy"
    report = hear(store, None)
    assert (report.heard, report.selected, report.deferred) == (3, 3, 2)
    judged = (
        "SELECT payload_json ->> '$.policy_version', count(*) FROM events WHERE event_type = 'judgement_rendered' GROUP BY 1"
    )
    assert sorted(rows(store, judged)) == [(shipped, 3), ("strict", 3)]
    assert rows(store, "SELECT DISTINCT policy_version FROM judgements") == [("strict",)]
    assert Memory(store).read(active_policy).cases == {"strict": 3}
    assert_rebuilds_equal(store)
    activate_policy(Resources(store), None, by="kim")
    assert hear(store, None).selected == 5 and Memory(store).read(active_policy).cases == {shipped: 3}
    assert hear(store, None).heard == 0
    assert_rebuilds_equal(store)


def test_forgetting_words_has_the_session_heard_again_without_them(heard: Settings) -> None:
    forgetting.forget(heard, ToForget(words="Wilhelmina"))
    titles = {title for title, _ in lessons_of(heard)}
    assert not any("Wilhelmina" in title for title in titles) and len(titles) == 4
    assert not any("Wilhelmina" in str(row) for table, found in tables(heard).items() for row in found)
    settle(Resources(heard))
    assert not [hit for hit in Memory(heard).search("Wilhelmina", mode="lexical").hits if "Wilhelmina" in str(hit)]
    assert_rebuilds_equal(heard)


def test_forgetting_a_session_takes_what_it_taught_and_a_purge_leaves_nothing(heard: Settings) -> None:
    resources = Resources(heard)
    given = {lesson.title: lesson.lesson_id for lesson in Memory(heard).read(list_lessons).lessons}
    retire_lesson(resources, given[NAMED], by="kim", note="Wilhelmina has left")
    retire_lesson(resources, given[FORCE], by="kim", note="it stays")
    forgetting.forget(heard, ToForget(ids=("session:three",)))
    assert lessons_of(heard) == [(TESTS, 2)]
    purging.purge_all(heard, purging.planned_purge(heard))
    assert not any("Wilhelmina" in text for _, text in texts_of_store(heard))
    assert fsck(Resources(heard)).clean
    assert rows(heard, "SELECT status, reason FROM lessons WHERE title = ?", FORCE) == [("retired", "kim: it stays")]
    assert_rebuilds_equal(heard)


def test_what_would_go_names_the_lessons_the_cases_and_the_prompts_that_stay(
    store: Settings, take: Import, inbox: Path
) -> None:
    chat(inbox, "four", [TESTS, "I will."], project="shop", started=datetime(2025, 4, 1, tzinfo=UTC))
    take(inbox)
    hear(store, None)
    resources = Resources(store)
    given = {lesson.title: lesson.lesson_id for lesson in Memory(store).read(list_lessons).lessons}
    register_prompt(resources, "coder", "You write code.", by="kim")
    named = [given[FORCE], given[TESTS]]
    update = propose_update(
        resources, "coder", "You write code and keep the history of branches.", reason="asked", lessons=named, by="kim"
    )
    before = tables(store)

    def would(wanted: ToForget) -> tuple[list[str], list[str], int, list[str]]:
        report = forgetting.what_would_go(store, wanted)
        told = [[one.title for one in named] for named in (report.lessons_gone, report.lessons_kept)]
        return told[0], told[1], report.cases, [one.address for one in report.prompts_kept]

    assert would(ToForget(sessions=("one",))) == ([FORCE], [TESTS], 1, [update.update_id])
    assert would(ToForget(sessions=("two",))) == ([], [TESTS], 1, [])
    assert would(ToForget(ids=("session:one#m=2",))) == ([FORCE], [], 0, [update.update_id])
    assert would(ToForget(words="Wilhelmina"))[:3] == (sorted([NAMED, "Never say her name, Wilhelmina"]), [], 0)
    assert tables(store) == before
    report = forgetting.forget(store, ToForget(sessions=("one",)))
    assert ([one.title for one in report.lessons_gone], report.cases) == ([FORCE], 1)
    assert FORCE not in {title for title, _ in lessons_of(store)}


def test_nobody_is_heard_who_is_not_known(store: Settings) -> None:
    with pytest.raises(NotFoundError):
        hear(store, ["nobody"])


def test_the_job_hears_and_its_leaves_say_what_a_person_reads(store: Settings, unrecorded: dg.DagsterInstance) -> None:
    job = build_definitions(store).resolve_job_def("hear_cases")
    keys = unrecorded.get_dynamic_partitions("sessions")
    result = job.execute_in_process(instance=unrecorded, tags={run.RANGE_START_TAG: keys[0], run.RANGE_END_TAG: keys[-1]})
    assert result.success
    (made,) = result.asset_materializations_for_node("lessons")
    assert (made.metadata["cases"].value, made.metadata["claims"].value, made.metadata["lessons"].value) == (3, 5, 4)
    assert [record.data["role"] for record in made.metadata["by_role"].value.records] == ["coder"]  # type: ignore[union-attr]
    assert not any(TESTS in str(value) for value in made.metadata.values())
    evaluations = {one.check_name: one.passed for one in result.get_asset_check_evaluations()}
    assert evaluations["lessons_rest_on_evidence"] and evaluations["every_case_heard"]
    assert len(result.asset_materializations_for_node("court_judgement")) == 3


def test_a_role_in_free_words_stays_out_of_dagsters_records(
    store: Settings, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = "wilhelmina of the ledger"
    monkeypatch.setattr(steps, "findings_of", lambda case: [replace(one, role=told) for one in orders_of(case)])
    hear(store, None)
    for shows in (False, True):
        monkeypatch.setenv("MEMORY_DAGSTER_SHOW_QUOTES", str(shows).lower())
        job = build_definitions(load_settings()).resolve_job_def("hear_cases")
        result = job.execute_in_process(instance=unrecorded, asset_selection=[dg.AssetKey("lessons")])
        (made,) = result.asset_materializations_for_node("lessons")
        assert any(told in str(value) for value in made.metadata.values()) == shows
        (role,) = (record.data["role"] for record in made.metadata["by_role"].value.records)  # type: ignore[union-attr]
        assert role == told or (str(role).startswith("role ") and len(str(role)) == 13)


@pytest.mark.parametrize(
    ("change", "counts"),
    [
        (None, (0, 0)),
        ("DELETE FROM lesson_evidence", (4, 0)),
        (f"DELETE FROM lesson_evidence WHERE session_id = 'one' AND quote = '{TESTS}'", (1, 0)),
        ("DELETE FROM accepted_lessons", (0, 0)),
        ("UPDATE messages SET text = 'x' || text", (0, 4)),
        ("UPDATE messages SET kind = 'injected' WHERE session_id = 'two'", (0, 1)),
        ("UPDATE lesson_evidence SET message_index = 99 WHERE session_id = 'three'", (0, 2)),
        ("UPDATE lesson_evidence SET span_end = span_end - 1 WHERE session_id = 'two'", (0, 1)),
    ],
)
def test_lessons_that_do_not_rest_on_their_evidence_fail_their_check(
    heard: Settings, unrecorded: dg.DagsterInstance, change: str | None, counts: tuple[int, int]
) -> None:
    if change is not None:
        with Resources(heard).database.writing() as connection:
            connection.execute(change)
    job = build_definitions(heard).resolve_job_def("hear_cases")
    result = job.execute_in_process(instance=unrecorded, asset_selection=[dg.AssetKey("lessons")])
    (check,) = (one for one in result.get_asset_check_evaluations() if one.check_name == "lessons_rest_on_evidence")
    assert (check.metadata["without"].value, check.metadata["misquoting"].value) == counts
    assert check.passed == (counts == (0, 0))


def test_the_leaf_of_proposals_says_what_is_open_and_why_a_role_has_none(
    store: Settings, inbox: Path, take: Import, unrecorded: dg.DagsterInstance
) -> None:
    resources = Resources(store)
    for role in ("coder", "wilhelmina's own"):
        register_prompt(resources, role, "You write code.", by="kim")
    chat(inbox, "four", ["Never force push", "I will."], project="shop")
    chat(inbox, "five", ["Where is the ledger?", "There.", "Never force push", "Right."], project="hourglass")
    take(inbox)
    job = build_definitions(store).resolve_job_def("hear_cases")
    keys = unrecorded.get_dynamic_partitions("sessions")
    tags = {run.RANGE_START_TAG: keys[0], run.RANGE_END_TAG: keys[-1]}
    shown = []
    for _ in range(2):
        result = job.execute_in_process(instance=unrecorded, tags=tags)
        (made,) = result.asset_materializations_for_node("prompt_proposals")
        shown.append({name: value.value for name, value in made.metadata.items()})
    first, again = shown
    assert (first["roles_with_a_prompt"], first["proposals_open"], first["proposed_now"]) == (2, 1, 1)
    assert (again["proposals_open"], again["proposed_now"]) == (1, 0)
    (row,) = [record.data for record in again["open"].records]  # type: ignore[union-attr]
    assert (row["role"], row["lines added"], row["lines removed"], row["lessons"], row["most cases"]) == ("coder", 4, 0, 1, 2)
    (none,) = [record.data for record in again["why_none"].records]  # type: ignore[union-attr]
    assert none["why"] == "no lesson is sure enough" and str(none["role"]).startswith("role ")
    assert not any("force" in str(value) or "wilhelmina" in str(value) for value in again.values())


def test_sessions_are_heard_by_the_run_that_takes_them_in_where_that_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unrecorded: dg.DagsterInstance
) -> None:
    monkeypatch.setenv("MEMORY_COURT_AUTOMATIC", "true")
    wanting = load_settings()
    run.import_paths(wanting, [chat(tmp_path / "files", "one", [TESTS, "I will."], project="shop")], project=None)
    assert lessons_of(wanting) == [(TESTS, 1)]
    assert hear(wanting, None).events_appended == 0


def test_an_agent_is_told_what_earlier_sessions_teach(store: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        steps, "findings_of", lambda case: [replace(one, rule=f"In short: {one.rule}") for one in orders_of(case)]
    )
    hear(store, None)
    memory = Memory(store)
    new = HookCall("session-start", "gemini", "c1", datetime.now(UTC), session_id="new", cwd="/srv/shop")
    told = told_at_start(memory, new, 1_200)
    assert f"session:one#m=2&c=0-27 lesson for coder: “In short: {FORCE}”" in told and f"short: {TESTS}”" in told
    # A session is not told its own words; what another project teaches as well is.
    own = told_at_start(memory, replace(new, session_id="one"), 1_200)
    assert f"short: {FORCE}" not in own and f"session:two#m=0&c=0-36 lesson for coder: “In short: {TESTS}”" in own
    assert "teach" not in told_at_start(memory, replace(new, cwd="/srv/elsewhere"), 1_200)
    found = memory.context("may I push to main by force", project="shop")
    skills = next(section for section in found.sections if section.name == "skills")
    assert f"In short: {FORCE}" in [item.text for item in skills.items]
