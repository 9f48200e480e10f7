"""The commands of tasks: the board as a person reads it, over tables filled by hand; and people's words, over a real store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_assets.cli import board as cli_board
from memory_assets.cli import memories, tables, task_detail, task_review
from memory_assets.cli.board import ago
from memory_assets.cli.output import styled
from memory_assets.cli.task_review import rule_words
from memory_assets.configuration import Resources
from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.filled_store import test_settings as settings_of
from memory_assets_tests.queries.task_tables import TaskTables

POOL = "결제 서버의 커넥션 풀을 늘리고 부하 시험을 다시 돌려서 지연 시간이 줄었는지 확인하기"
GUIDE = "Write the guide [bold]for[/bold] \x1b[31mversion 2\x1b[0m and everything that people asked us about it in March"
DONE = {"from_status": "pending", "requested_status": "done", "rule": "pending-to-done-is-no-transition"}


@pytest.fixture(scope="module")
def board_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("board")
    with Resources(settings_of(home)).database.writing() as connection:
        fill(TaskTables(connection))
    return home


@pytest.fixture
def board(board_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A board with everything on it, to be read only."""
    monkeypatch.setenv("MEMORY_HOME", str(board_home))


def fill(made: TaskTables) -> None:
    pool = made.task(POOL, "in_progress", priority="critical", days=9)
    guide = made.task(GUIDE, "pending", project="docs", days=3)
    ship = made.task("Ship release 2.1", "blocked", priority="high", days=8, status_days=5)
    made.task("Add the tests", "in_progress", requested="done", days=7)
    for number in range(5):
        made.task(f"Finished thing {number}", "done", days=number)
    for number in range(22):
        made.task(f"Small thing {number}", priority="low", days=number / 100)
    made.task("Dropped", "cancelled")
    made.task("Merge the branch", "done", done_basis="commit", done_named="commit 1a2b3c4", days=9)
    made.task("Run the checks", "done", done_basis="turn_ended", days=9)
    made.task("Old plan", project="attic")
    for number in range(5):
        made.session(f"attic-{number}", 1 + number, project="attic")
    unknown = made.task("배포 자동화", "blocked", project="infra")
    pull = made.artifact("art:gh_pr:acme/shop:12", "acme/shop#12", status="settled")
    review = made.condition("김 대리의 검토", candidates=[(pool, POOL, 0.81)])
    written = made.condition("문서", "resolved")
    made.resolves(written, guide)
    for blocker, raw in ((pull, "PR #12"), (review, "김 대리의 검토"), (written, "문서")):
        made.blocked(ship, blocker, raw=raw, days=5)
    made.blocked(unknown, made.condition("(unknown blocker)", placeholder=True), raw="(unknown blocker)")
    made.blocked(guide, pool, raw="the pool", suggested=True)
    entry = made.quote(pool, "talk-1", 2, "커넥션 풀을 늘려야 해요\x1b[31m.", days=9)
    made.outcome(pool, "task_evidence_linked", {"match_method": "lexical", "score": 0.95}, source=entry, session=("talk-1", 2))
    made.outcome(guide, "task_transition_rejected", DONE, source=entry, session=("talk-1", 2), days=9)
    made.outcome(
        unknown,
        "task_blocker_rejected",
        {"raw_text": "배포 자동화", "rule": "blocks-itself"},
        source=entry,
        session=("talk-1", 2),
    )
    word = made.word("task_status_said", ship, by="Mina", note="[red]until Friday[/red]", days=5)
    made.outcome(ship, "task_status_changed", {"from_status": "pending", "to_status": "blocked"}, source=word, days=5)
    made.outcome(
        ship,
        "task_blockers_set",
        {"mode": "replace", "blockers": [{"raw_text": "PR #12", "entity_id": pull}, {"raw_text": pool, "entity_id": pool}]},
        days=5,
    )
    made.cycle(pool, guide)
    made.alias(pool, "풀 늘리기")
    made.names(pull, "art:gh_pr:acme/shop:12", "talk-1", 2, (4, 10))


def width(monkeypatch: pytest.MonkeyPatch, cells: int) -> None:
    for module in (cli_board, memories, tables, task_detail, task_review):
        monkeypatch.setattr(module, "terminal_width", lambda: cells)


# -- looking -----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("board")
def test_the_board_in_a_pipe(memory: Run) -> None:
    ended = memory("tasks")
    assert ended.code == 0
    headings = [line for line in ended.out.splitlines() if line and not line.startswith(" ")]
    assert headings == [
        "In progress  1",
        "Blocked  2",
        "Pending  23",
        "Said to be finished  1",
        "Done  6",
        "Cancelled  1",
        "Quiet  1  no later session spoke of them: `memory tasks list --quiet` lists them",
        "Passed  1  orders of one turn: --all lists them",
        "!! critical   ! high   ↓ low",
    ]
    lines = ended.out.splitlines()
    merged = next(number for number, line in enumerate(lines) if "Merge the branch" in line)
    assert lines[merged + 1].strip() == "done: commit 1a2b3c4 is named"
    assert "Run the checks" not in ended.out and "Old plan" not in ended.out
    (pool,) = [line for line in lines if line.startswith("  tsk_") and POOL in line]
    assert pool.split()[1] == "!!" and pool.endswith("ago")
    place = next(number for number, line in enumerate(lines) if "Ship release 2.1" in line)
    assert [line.strip() for line in lines[place + 1 : place + 4]] == [
        "· 김 대리의 검토  condition open",
        "· 문서 → Write the guide [bold]for[/bold] ␛[31mversion 2␛[0m and everything that people asked us about it in March"
        "  task pending",
        "✓ PR #12 → acme/shop#12  artifact settled",
    ]
    assert "? (unknown blocker)" in ended.out and "? the pool" in ended.out and "\x1b" not in ended.out
    assert ended.out.count("Finished thing") == 2 and ended.out.count("… and 3 more: --all lists them") == 2
    everything = memory("tasks", "--all").out
    assert everything.count("Finished thing") == 5 and "Run the checks" in everything and "Old plan" in everything


@pytest.mark.usefixtures("board")
def test_what_the_board_is_asked_for(memory: Run) -> None:
    assert memory("tasks", "--status", "done").out.count("Finished thing") == 5
    assert memory("tasks", "--project", "infra").out.splitlines()[0] == "Blocked  1"
    assert memory("tasks", "--unknown-blocker", "--json").json[0]["title"] == "배포 자동화"
    assert [task["title"] for task in memory("tasks", "--only-suggested", "--json").json] == [GUIDE]
    assert [(task["title"], task["quiet"]) for task in memory("tasks", "--quiet", "--json").json] == [("Old plan", True)]
    assert memory("tasks", "--quiet", "--project", "infra").out == "no quiet tasks\n"
    assert memory("tasks", "--quiet", "--unknown-blocker").code == 2
    assert len(memory("tasks", "--json").json) == 36 and len(memory("tasks", "-n", "4", "--json").json) == 4
    assert memory("tasks", "--status", "pending", "--project", "none").out == "no pending tasks\n"
    wrong = memory("tasks", "--status", "finished")
    assert (wrong.code, wrong.out) == (2, "") and "one of pending, in_progress, blocked, done, cancelled" in wrong.err
    assert memory("tasks", "--only-suggested", "--unknown-blocker").code == 2


@pytest.mark.usefixtures("board")
@pytest.mark.parametrize("cells", [80, 40])
@pytest.mark.parametrize(
    "command", [("tasks",), ("tasks", "--all"), ("blocked",), ("tasks", "review"), ("conditions",), ("conditions", "resolved")]
)
def test_nothing_is_wider_than_the_terminal(
    memory: Run, monkeypatch: pytest.MonkeyPatch, cells: int, command: tuple[str, ...]
) -> None:
    width(monkeypatch, cells)
    lines = [line for line in memory(*command).out.splitlines() if "`memory " not in line and "… and" not in line]
    # An address is never cut.
    assert max(styled(line).cell_len for line in lines if "session:" not in line) <= cells


@pytest.mark.usefixtures("board")
def test_artifacts_fit_a_narrow_terminal(memory: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    width(monkeypatch, 60)
    lines = memory("artifacts").out.splitlines()
    assert "pull request" in "".join(lines) and max(styled(line).cell_len for line in lines) <= 60


@pytest.mark.usefixtures("board")
def test_columns_stand_below_each_other_in_korean_too(memory: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    width(monkeypatch, 100)
    rows = [line for line in memory("tasks", "--all").out.splitlines() if line.startswith("  tsk_")]
    assert {styled(line).cell_len for line in rows} == {max(styled(line).cell_len for line in rows)}


@pytest.mark.usefixtures("board")
def test_what_is_blocked_and_since_when(memory: Run) -> None:
    shown = memory("blocked").out
    assert "· 김 대리의 검토  condition open, since 2025-01-07" in shown
    assert "✓ PR #12 → acme/shop#12  artifact settled, since 2025-01-07" in shown
    assert "2 tasks blocked" in shown
    assert [task["status"] for task in memory("blocked", "--json").json] == ["blocked", "blocked"]
    assert memory("blocked", "--project", "docs").out == "nothing is blocked\n"


@pytest.mark.usefixtures("board")
def test_the_review_names_the_command_that_settles_each(memory: Run) -> None:
    shown = memory("tasks", "review").out
    found = memory("tasks", "review", "--json").json
    assert {name: len(items) for name, items in found.items()} == {
        "refused": 2,
        "refused_blockers": 1,
        "cycles": 1,
        "conditions": 1,
        "duplicates": len(found["duplicates"]),
    }
    begins = {item["task"]["title"]: item["task"]["task_id"][:12] for item in (*found["refused"], *found["refused_blockers"])}
    for command in (
        f"memory task accept {begins['Add the tests']}",
        f"memory task accept {begins[GUIDE]}",
        "where it is not so: memory task set-status ID",
        f"memory task set-blockers {begins['배포 자동화']} …",
        f"memory task resolve {found['conditions'][0]['condition_id'][:12]} --to tsk_",
    ):
        assert command in shown
    assert "from pending there is no way to done" in shown and "it is the task itself" in shown
    assert memory("tasks", "review", "--project", "none").out == "nothing waits for anybody's word\n"


@pytest.mark.usefixtures("board")
def test_one_task_with_its_past(memory: Run) -> None:
    tasks = {task["title"]: task["task_id"] for task in memory("tasks", "--json").json}
    shown = memory("task", "show", tasks["Ship release 2.1"][:10])
    for part in (
        "blocked since 2025-01-07  priority high  project shop",
        tasks["Ship release 2.1"],
        "pending → blocked  said Mina: [red]until Friday[/red]",
        f"waits for PR #12, {tasks[POOL][:12]}",
        "came to be, blocked",
    ):
        assert part in shown.out, part
    pool = memory("task", "show", "task:shop:풀 늘리기")
    for part in (
        "also called  풀 늘리기",
        "in a circle with",
        "spoken of again (lexical, 95% alike)",
        "session:talk-1#m=2&c=0-19",
    ):
        assert part in pool.out, part
    assert "\x1b" not in pool.out
    assert memory("task", "show", tasks[POOL], "--json").json["task"]["title"] == POOL
    guide = memory("task", "show", tasks[GUIDE]).out
    assert "sessions say done 2025-01-11" in guide and "perhaps waits for" in guide
    for given in ("tsk_ffffffff", "", "task:shop:nothing", "cnd_00"):
        missing = memory("task", "show", given)
        assert missing.code == 2 and missing.err.startswith("error: "), given


@pytest.mark.usefixtures("board")
def test_conditions_and_artifacts(memory: Run) -> None:
    shown = memory("conditions").out
    assert "김 대리의 검토  open  project shop" in shown and "  perhaps  tsk_" in shown and "  holds up tsk_" in shown
    assert "문서 → Write the guide" in memory("conditions", "resolved").out
    assert len(memory("conditions", "--status", "all", "--json").json) == 3
    assert memory("conditions", "--status", "closed").code == 2
    artifacts = memory("artifacts").out
    for part in ("pull request", "settled", "acme/shop#12", "session:talk-1#m=2&c=4-10"):
        assert part in artifacts
    assert memory("artifacts", "--kind", "jira").out == "no artifacts\n"
    assert memory("artifacts", "--kind", "gitlab").code == 2


def test_ages_are_in_one_unit() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    days = {0: "today", 1: "1d ago", 13: "13d ago", 14: "2w ago", 29: "4w ago", 30: "1mo ago", 364: "12mo ago", 365: "1y ago"}
    assert {count: ago(now - timedelta(days=count), now) for count in days} == days
    assert ago(now + timedelta(days=3), now) == "today"


def test_every_rule_is_said_in_words() -> None:
    assert rule_words("done-to-pending-is-no-transition") == "from done there is no way to pending"
    assert rule_words("cancelled-to-in_progress-is-no-transition") == "from cancelled there is no way to in progress"
    assert rule_words("something-new") == "something new"
    assert rule_words(None).startswith("nothing bears it out")


# -- speaking ----------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_task_from_its_beginning_to_its_end(memory: Run) -> None:
    made = memory("task", "new", "배포하기", "--project", "shop", "--blocked-by", "리뷰", "--priority", "high", "--by", "김")
    assert made.code == 0
    assert made.out.splitlines()[0] == "Blocked" and "! " in made.out and "· 리뷰  condition open" in made.out
    again = memory("task", "new", "배포하기", "--project", "shop")
    assert again.code == 2 and "there is this task already" in again.err and "--again" in again.err
    (task,) = memory("tasks", "--json").json
    begin = task["task_id"][:12]
    (condition,) = memory("conditions", "--json").json
    met = memory("task", "resolve", condition["condition_id"][:12], "--satisfied", "--by", "Mina")
    assert "리뷰  satisfied" in met.out and "said Mina" in met.out
    assert f"memory task set-status {begin} in_progress" in memory("blocked").out
    freed = memory("task", "set-blockers", begin)
    assert freed.out.splitlines()[0] == "Pending" and freed.out.splitlines()[-1] == "it is pending again"
    done = memory("task", "set-status", begin, "done", "--note", "드디어", "--json").json
    assert (done["said"], done["task"]["task"]["status"]) == (True, "done")
    same = memory("task", "set-status", begin, "done")
    assert same.code == 0 and same.out.endswith("it is done already\n")
    assert "in progress → done" in memory("task", "show", begin).out


@pytest.mark.long
def test_what_cannot_be_said_is_refused_in_a_line(memory: Run) -> None:
    home = memory("task", "new", "Ship it", "--json").json["task"]["task"]["task_id"]
    for arguments, code, words in (
        (("task", "new", "x" * 10_000), 2, "a title of 10,000 characters is too long: 2,000 are kept"),
        (("task", "new", "a", "--status", "urgent"), 2, "no status 'urgent'"),
        (("task", "set-status", home, "finished"), 2, "one of pending, in_progress, blocked, done, cancelled"),
        (("task", "set-priority", home, "urgent"), 2, "one of low, medium, high, critical"),
        (("task", "set-status", "tsk_00", "done"), 2, "there is no task 'tsk_00'"),
        (("task", "set-blockers", home, "Ship it"), 2, "cannot wait for itself"),
        (("task", "accept", home), 2, "no refused move"),
        (("task", "resolve", "cnd_00", "--open"), 2, "there is no condition 'cnd_00'"),
        (("task", "resolve", "cnd_00"), 2, "say one thing of the condition"),
        (("task", "resolve", "cnd_00", "--open", "--satisfied"), 2, "say one thing of the condition"),
        (("task", "merge", home, home), 2, "cannot be merged with itself"),
        (("task", "unmerge", home), 2, "was merged into anything"),
        (("task", "set-status", home, "done", "--by", " "), 2, "the name of who says so is empty"),
    ):
        ended = memory(*arguments)
        assert (ended.code, ended.out) == (code, ""), arguments
        assert words in ended.err and len(ended.err.splitlines()) <= 2, (arguments, ended.err)
    assert len(memory("tasks", "--json").json) == 1
    assert memory("task", "set-status", home, "gone", "--json").err.startswith('{"schema_version":"error.v1"')
