"""An error and what ended it: what is found, what is left alone, and that it cites both."""

import json

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.projections.fold import catch_up
from memory_assets.projections.unit_tables.unit_rows import SUMMARY_TOKENS
from memory_assets_tests.projections.story import VERSIONS, rows
from memory_assets_tests.projections.talk import Talk, ingested

MISSING = "Traceback (most recent call last):\n  File \"a.py\", line 1\nModuleNotFoundError: No module named 'yaml'\n"
FAILED_TEST = "FAILED tests/test_sum.py::test_sum - AssertionError: assert 3 == 4\n1 failed in 0.1s"


def found(log: EventLog, database: Database, talk: Talk) -> list[tuple[str, str]]:
    """The gotchas of a session: title and body."""
    log.append([ingested("a", talk.messages)])
    catch_up(database, VERSIONS)
    return rows(database, "SELECT title, body FROM memory_units WHERE unit_kind = 'gotcha' ORDER BY message_index")


def quoted(database: Database) -> list[str]:
    """What the gotchas cite."""
    texts = dict(rows(database, "SELECT message_index, text FROM messages"))
    places = [
        json.loads(row[0]) for row in rows(database, "SELECT citations_json FROM memory_units WHERE unit_kind = 'gotcha'")
    ]
    return [texts[place["message_index"]][place["span_start"] : place["span_end"]] for told in places for place in told]


def test_a_test_that_failed_passes_after_an_edit(log: EventLog, database: Database) -> None:
    talk = Talk().user("Make the tests pass.").runs("pytest -q", FAILED_TEST, is_error=True)
    talk.agent("The problem is that `total` starts at one.").edits("/srv/hourglass/src/sum.py").runs("pytest -q", "1 passed")
    assert found(log, database, talk) == [
        (
            "FAILED tests/test_sum.py::test_sum - AssertionError: assert 3 == 4",
            "FAILED tests/test_sum.py::test_sum - AssertionError: assert 3 == 4\n1 failed in 0.1s\n"
            "→ src/sum.py\n→ The problem is that `total` starts at one.",
        )
    ]
    assert quoted(database) == [
        "FAILED tests/test_sum.py::test_sum - AssertionError: assert 3 == 4",
        "The problem is that `total` starts at one.",
        "/srv/hourglass/src/sum.py",
    ]
    facets = rows(database, "SELECT facet, value FROM unit_facets JOIN memory_units USING (unit_id) WHERE unit_kind = 'gotcha'")
    assert {
        ("file", "src/sum.py"),
        ("file", "sum.py"),
        ("file", "/srv/hourglass/src/sum.py"),
        ("project", "hourglass"),
        ("tag", "error:failed test_sum.py::test_sum - assertionerror: assert # == #"),
    } <= set(facets)


def test_what_is_missing_is_installed(log: EventLog, database: Database) -> None:
    talk = Talk().runs("python a.py", MISSING, is_error=True).agent("PyYAML이 설치되어 있지 않아서 그렇습니다.")
    talk.runs("pip install pyyaml", "Successfully installed").runs("python a.py", "ok")
    ((title, body),) = found(log, database, talk)
    assert title == "ModuleNotFoundError: No module named 'yaml'"
    assert body.endswith("→ PyYAML이 설치되어 있지 않아서 그렇습니다.")


def test_a_slip_at_the_prompt_is_typed_otherwise(log: EventLog, database: Database) -> None:
    talk = Talk().runs("gh run view 3 --json actor", 'Unknown JSON field: "actor"', is_error=True)
    talk.runs("gh run view 3 --json event", '{"event": "push"}')
    ((title, body),) = found(log, database, talk)
    assert (title, body.splitlines()[-1]) == ('Unknown JSON field: "actor"', "→ $ gh run view 3 --json event")
    assert quoted(database) == ['Unknown JSON field: "actor"', "gh run view 3 --json event"]


def test_a_person_shows_an_error_and_says_that_it_works_now(log: EventLog, database: Database) -> None:
    talk = (
        Talk()
        .user(f"이런 오류가 나요.\n\n{MISSING}")
        .agent("원인은 가상 환경에 `pyyaml` 패키지가 없는 것입니다. 설치하면 됩니다.")
    )
    talk.user("이제 잘 됩니다. 고마워요!")
    ((title, body),) = found(log, database, talk)
    assert title == "ModuleNotFoundError: No module named 'yaml'"
    assert body.endswith("→ 원인은 가상 환경에 `pyyaml` 패키지가 없는 것입니다.")


def test_the_cause_is_told_and_something_is_changed_but_nothing_runs_again(log: EventLog, database: Database) -> None:
    talk = Talk().runs("make deploy", "fatal: could not read the key", is_error=True)
    talk.agent("The root cause is that the key file was renamed.").edits("/srv/hourglass/deploy.sh")
    ((_, body),) = found(log, database, talk)
    assert body.splitlines()[-2:] == ["→ deploy.sh", "→ The root cause is that the key file was renamed."]


def test_a_result_without_a_call_or_a_mark_is_read_by_its_text(log: EventLog, database: Database) -> None:
    """As formats give it that do not say which results are errors."""
    talk = Talk().calls("Bash", "Run it\n\n`go vet ./...`", "Exit code 1\npkg/a.go:11:2: field engine is unused\n1 issues:\n")
    talk.edits("pkg/a.go").calls("Bash", "Again\n\n`go vet ./...`", "ok\n")
    ((title, _),) = found(log, database, talk)
    assert title == "pkg/a.go:11:2: field engine is unused"


def failing() -> Talk:
    return Talk().user("Make the tests pass.").runs("pytest -q", FAILED_TEST, is_error=True)


def far_behind() -> Talk:
    talk = failing()
    for _ in range(45):
        talk.user("Go on, please.")
    return talk.edits("src/sum.py").runs("pytest -q", "1 passed")


def lint_of_many() -> Talk:
    issues = "".join(f"pkg/a{number}.go:{number}:2: {name} is wrong\n" for number, name in enumerate("abcdef"))
    return Talk().runs("make lint", issues, is_error=True).edits("pkg/a1.go").runs("make lint", "ok")


REFUSED = "The user doesn't want to proceed with this tool use. Error: rejected"
SLIP = "<tool_use_error>Error: File does not exist.</tool_use_error>"
CAUSE = "The problem is that `yaml` is missing there."
NOTHING = {
    "nothing ends it": failing().agent("The problem is that `total` starts at one."),
    "it goes away by itself": failing().runs("pytest -q", "1 passed"),
    "another program runs well": failing().edits("src/sum.py").runs("ruff check", "All checks passed"),
    "it fails again": failing().edits("src/sum.py").runs("pytest -q", FAILED_TEST, is_error=True),
    "what runs well says the same": failing().edits("src/sum.py").runs("pytest -q || true", FAILED_TEST),
    "a refusal": Talk().calls("Edit", "{}", REFUSED, is_error=True).agent(CAUSE).edits("a.py"),
    "a slip of a tool": Talk().calls("Read", "{}", SLIP, is_error=True).agent(CAUSE).edits("a.py"),
    "an error in a file that is read": Talk().calls("Read", '{"file_path": "log.txt"}', MISSING).agent(CAUSE).edits("a.py"),
    "a search that finds nothing": Talk().runs("grep -r yaml src", "Exit code 1", is_error=True).runs("grep -r yml .", "a.yml"),
    "too late": far_behind(),
    "one of many": lint_of_many(),
    "it still does not work": Talk().user(MISSING).agent(CAUSE).user("Thanks, but it still does not work."),
    "nobody says that it works": Talk().user(MISSING).agent(CAUSE).user("And what about the colours?"),
}


def test_rather_none_than_one_that_nobody_learns_from(log: EventLog, database: Database) -> None:
    log.append([ingested(name.replace(" ", "-"), talk.messages) for name, talk in NOTHING.items()])
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT count(*) FROM sessions") == [(len(NOTHING),)]
    assert rows(database, "SELECT session_id, body FROM memory_units WHERE unit_kind = 'gotcha'") == []


def test_an_error_counts_once_a_session_and_has_one_tag_in_all(log: EventLog, database: Database) -> None:
    for number, session_id in enumerate(("a", "b")):
        talk = Talk()
        for path in ("src/sum.py", "src/total.py"):
            output = f'src/x{number}.py:{number + 3}: error: Name "total" is not defined\n'
            talk.runs("mypy src", output, is_error=True).edits(path).runs("mypy src", "Success")
        log.append([ingested(session_id, talk.messages)])
    catch_up(database, VERSIONS)
    tags = rows(
        database,
        """SELECT session_id, value FROM unit_facets JOIN memory_units USING (unit_id)
           WHERE facet = 'tag' AND unit_kind = 'gotcha' ORDER BY session_id""",
    )
    tag = 'error:name "total" is not defined'
    assert tags == [("a", tag), ("b", tag)]


def test_a_long_line_and_a_long_explanation_still_give_a_short_summary(log: EventLog, database: Database) -> None:
    talk = Talk().runs("make", f"fatal: {'설정을 읽지 못했습니다 ' * 20}", is_error=True)
    talk.agent(f"원인은 {'설정 파일의 이름이 바뀐 것이고 ' * 8}그래서 읽지 못했습니다.").edits("a.toml").runs("make", "ok")
    found(log, database, talk)
    ((summary, tokens),) = rows(database, "SELECT summary, summary_tokens FROM memory_units WHERE unit_kind = 'gotcha'")
    assert summary and tokens <= SUMMARY_TOKENS


def test_an_error_at_the_end_of_a_long_output_is_cited_where_it_stands(log: EventLog, database: Database) -> None:
    talk = Talk().runs("python a.py", "가 building\n" * 2_000 + MISSING, is_error=True)
    talk.agent("The issue is that `yaml` is missing.").runs("pip install pyyaml", "ok").runs("python a.py", "ok")
    assert len(found(log, database, talk)) == 1
    assert quoted(database)[0] == "ModuleNotFoundError: No module named 'yaml'"
