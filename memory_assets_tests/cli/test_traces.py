"""What was forgotten, in every way of forgetting, is told by nothing that a person or an agent can ask, and it was before."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.routing import Route

from memory_assets.commands.prompts import propose_update, register_prompt
from memory_assets.configuration import Resources
from memory_assets.memory import Memory
from memory_assets.settings import Settings, load_settings
from memory_assets.viewer.routes import viewer_routes
from memory_assets_tests.asked_surfaces import (
    OF_A_NAME,
    OF_A_QUESTION,
    OF_THE_STORE,
    PAGES_OF_A_NAME,
    PAGES_OF_A_QUESTION,
    PAGES_OF_THE_STORE,
    Say,
    Surfaces,
    named_by,
    saying,
    told_by_dagster,
)
from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.cli.test_documented import commands
from memory_assets_tests.defs.files import STARTED, chat, claude, records
from memory_assets_tests.defs.state import rows, texts_of_store
from memory_assets_tests.depth import IS_DEEP, depth
from memory_assets_tests.mcp.client import connected
from memory_assets_tests.viewer.served import serving

pytestmark = pytest.mark.long

NEUTRAL = "The weekly report goes out on Monday."


@dataclass(frozen=True)
class Way:
    """A way of forgetting.

    Attributes:
        marks: words that stand in what goes and nowhere else.
        forget: the command's arguments.
    """

    marks: tuple[str, ...]
    forget: Callable[[Settings], list[str]]


def told(*marks: str) -> list[str]:
    """What a session says, with a mark in each sentence that something is remembered of."""
    one, two, three, four, five, six = marks
    return [
        f"We decided to move the {one} ledger to PostgreSQL 16 because {two} is simple.",
        f"알겠습니다. {three} 캐시를 Redis로 옮기기로 했습니다. {one} 재시작이 빠르기 때문입니다.",
        f"TODO: finish the {four} migration before the release. It is blocked by the {five} review.",
        f"Error: {six} connection refused on the pool. The root cause was that {four} had five connections only.",
        f"I prefer the {five} style for commit messages. 앞으로는 커밋하기 전에 항상 {three} 검사를 돌려 주세요.",
        NEUTRAL,
    ]


SESSION = ("brimsette", "quolvane", "tarnuvo", "zelkovar", "pintreth", "mordwick")
SESSION_TITLE = "Vashtirel"
MESSAGE = ("glendrith", "ospavane")
MEMORY = ("haverlock", "jinturel")
SESSION_TOO = "lorvanter"
NAME = "Wilhelmina"
PROJECT = ("cavendrel", "umbrosk", "lintharow", "dromeska", "fenwarrick", "oltrevane")
PROJECT_NAME = "skarnholt"
QUERY = ("trevantis", "norbessa")
SOURCE = ("yelmarith", "corvantes", "baldrissa", "ingmaroth", "sulvenna", "perrowick")
SOURCE_FILE = "ruskamel"
OLD = ("antharos", "bekkarin", "dulvessa", "ethmarand", "grolvian", "hestrova")


def memory_of(word: str) -> Callable[[Settings], list[str]]:
    def found(settings: Settings) -> list[str]:
        query = "SELECT 'mem:' || short_id FROM memories WHERE contains(title, ?)"
        return [row[0] for row in rows(settings, query, word)]

    return found


WAYS = {
    "session": Way(
        (*SESSION, SESSION_TITLE, SESSION_TOO),
        lambda _: ["--session", "a-session", "--session", "a-session-16", "--session", "a-session-17"],
    ),
    "message": Way(MESSAGE, lambda _: ["session:stays#m=0"]),
    "memory": Way(MEMORY, memory_of("haverlock")),
    "name": Way((NAME,), lambda _: ["--words", NAME]),
    "project": Way((*PROJECT, PROJECT_NAME), lambda _: ["--project", PROJECT_NAME]),
    "query": Way(QUERY, lambda _: ["--query", "trevantis indentation"]),
    "source": Way(
        (*SOURCE, SOURCE_FILE), lambda settings: ["--source", str(settings.home.parent / f"inbox/{SOURCE_FILE}.jsonl")]
    ),
    "date": Way(OLD, lambda _: ["--before", "2021-01-01"]),
}
TELLING = {
    *("search {question}", "ask {question}", "context {question}", "entries list", "tasks list", "export jsonl"),
    *("lessons list", "court show {case}"),
    *(
        "/search",
        "/ask",
        "/ask/stream",
        "/api/search",
        "/today",
        "/sessions/{session}",
        "/memories/{memory}",
        "/tasks",
        "/projects",
    ),
    *("/api/sessions/{session}/messages", "/projects/{project}", "/live"),
    *("show {address}", "details {address}", "timeline {address}", "session {session}", "project {project}", "today"),
    *("mcp search_memory", "mcp ask_memory", "mcp get_context", "mcp get_details", "mcp get_session_digest", "eval run"),
}
"""Surfaces that tell the marks before they are forgotten."""
UNASKED = {
    *("init", "import", "forget", "unforget", "run", "retry", "prune", "dev", "purge", "backup", "restore", "recover"),
    *(
        "feedback",
        "correct",
        "reembed",
        "sessions add",
        "eval init",
        "eval calibrate",
        "idris check",
        "decisions record",
        "export",
    ),
    *("outbox drain", "outbox retry-failed", "task new", "task set-status", "task set-priority", "task set-blockers"),
    *("task accept", "task resolve", "task merge", "task unmerge", "conflicts resolve", "conflicts reopen"),
    *("mcp serve", "mcp install", "mcp uninstall", "mcp status", "align", "schema", "privacy scan"),
    *("serve run", "serve status", "serve link", "serve stop", "serve take", "serve install", "serve uninstall"),
    *("serve people", "serve admit", "serve dismiss"),
    *("court open", "court from-session", "court run", "court project", "lessons retire", "lessons keep"),
    *("prompts show", "prompts propose", "prompts diff", "prompts approve", "prompts reject", "prompts apply"),
    *("prompts rollback", "prompts write", "prompts register", "policy check", "policy activate"),
    *("mirror status", "mirror update", "mirror verify", "mirror rebuild", "mirror pin", "move"),
    *("mirror grant", "mirror revoke", "mirror retire"),
    *("hook", "hooks install", "hooks uninstall", "hooks status", "hooks off", "hooks on"),
}
"""Commands that write, or that read files and nothing of sessions; an export is made beside, the server asked by a client."""
HELD = {
    "events": (
        "event_type",
        *("entity_merged", "task_priority_said", "conflict_detected", "conflict_resolved"),
        *("unit_feedback", "decision_recorded", "answer_recorded", "usage_counted", "build_finished"),
        *depth((), ("memory_corrected", "entry_promotion_rejected", "lesson_accepted")),
        *depth((), ("prompt_update_proposed", "eval_run_recorded")),
    ),
    "conflicts": ("conflict_type", "different_value", *depth((), ("corrected",))),
    "memory_units": ("unit_kind", "entry", "task", "passage", "episode", *depth((), ("lesson",))),
}
"""A column of a table, and what stands there in the store that is told to forget: all kinds of things in one store."""
MARKS = tuple(mark for way in WAYS.values() for mark in way.marks)


def write_sessions(inbox: Path) -> None:
    chat(inbox, "a-session", told(*SESSION), title=f"The {SESSION_TITLE} call", project="shop")
    for version in (16, 17):
        kept = f"We decided that the {SESSION_TOO} API listens on port 80{version}."
        turns = [kept, f"TODO: finish copy {version} of the {SESSION_TOO} before Friday.", NEUTRAL]
        chat(inbox, f"a-session-{version}", turns, project="shop", started=STARTED + timedelta(days=version))
    stays = [
        f"We decided to keep the {MESSAGE[0]} orders on MySQL 8 because {MESSAGE[1]} asked for it.",
        "Noted. That is what we do from now on.",
        f"We decided to write the {MEMORY[0]} invoices in Typst, since {MEMORY[1]} knows it.",
        f"The root cause of the outage was a full disk, says {NAME}.",
        f"I prefer {QUERY[0]} indentation of {QUERY[1]} in this project.",
        "We decided to keep the backups in Frankfurt because the law wants it.",
        NEUTRAL,
    ]
    chat(inbox, "stays", stays, title=f"Call with {NAME}", project="shop")
    chat(inbox, "in-project", told(*PROJECT), project=PROJECT_NAME)
    chat(inbox, "in-project-too", told(*PROJECT)[:4], project=PROJECT_NAME)
    both = [*records("of-source", told(*SOURCE)), *records("of-source-too", told(*SOURCE)[:3])]
    claude(inbox, f"{SOURCE_FILE}.jsonl", both)
    chat(inbox, "long-ago", told(*OLD), started=datetime(2020, 5, 1, tzinfo=UTC), project="shop")
    chat(inbox, "beside", ["We decided to deploy on Tuesdays because nobody is on leave then.", NEUTRAL], project="shop")


def questions(marks: tuple[str, ...]) -> list[str]:
    """Sixty: by each mark, and in words that say none of them."""
    by_mark = [f"{ask} {mark}?" for mark in marks for ask in ("what about", "왜")]
    others = [
        "Why did we move the ledger to PostgreSQL 16?",
        "Redis로 캐시를 옮긴 이유는?",
        "What has to be finished before the release?",
        "What was the root cause of the outage?",
        "Which style do I prefer for commit messages?",
        "What blocks the migration?",
        "With whom did we speak?",
        "connection refused on the pool",
        "Which decisions did we make?",
        "Why are the orders on MySQL 8?",
        "How are invoices written?",
        "Which indentation do I prefer?",
    ]
    spread = by_mark[:: max(1, len(by_mark) // 48)][: 60 - len(others)]
    return [*others, *spread]


@pytest.fixture
def say(memory: Run) -> Say:
    def said(*arguments: str) -> str:
        ended = memory(*arguments)
        return ended.out + ended.err

    return said


@pytest.fixture
def store(memory: Run, tmp_path: Path) -> Settings:
    """A store in which everything was said, and to which people said what they say."""
    write_sessions(tmp_path / "inbox")
    assert memory("import", str(tmp_path / "inbox")).code == 0
    settings = load_settings()
    speak(memory, settings)
    return settings


def speak(memory: Run, settings: Settings) -> None:
    """People and programs say all that they can say of what is there."""
    for word in (SESSION[0], PROJECT[0], MEMORY[0]):
        assert memory("ask", f"Why did we decide on the {word}?", "--record", "--session", "talk").code in (0, 1)
    task, other = task_of(settings, SESSION[3]), task_of(settings, SESSION_TOO)
    assert memory("task", "set-priority", task, "high", "--by", "Jiho").code == 0
    assert memory("task", "merge", other, task, "--by", "Jiho", "--note", f"both are {SESSION[3]}").code == 0
    (decision,) = memory_of(SESSION[0])(settings)[:1]
    assert memory("feedback", decision, "helpful", "--by", "Jiho").code == 0
    assert memory("decisions", "record", "We go on so.", "--because", decision, "--by", "Jiho").code in (0, 1)
    (conflict,) = rows(settings, "SELECT conflict_id FROM conflicts WHERE status = 'open'")[0]
    note = f"the {SESSION_TOO} API was moved"
    assert memory("conflicts", "resolve", conflict, "--as", "keep_newer", "--by", "Jiho", "--note", note).code == 0
    assert memory("eval", "init").code == 0
    if IS_DEEP:
        speak_further(memory, settings, decision)
    for table, kinds in HELD.items():
        assert {kind for (kind,) in rows(settings, f"SELECT DISTINCT {kinds[0]} FROM {table}")} >= set(kinds[1:]), table


def speak_further(memory: Run, settings: Settings, decision: str) -> None:
    """What takes as long as an import: `commands` and `defs` look one by one at what is left of it."""
    assert memory("promote", decision, "--to", "certified", "--by", "Jiho").code in (0, 1)
    assert memory("correct", memory_of(OLD[0])(settings)[0], "The ledger stays where it is.", "--by", "Jiho").code == 0
    assert memory("court", "run", "--all").code == 0
    assert memory("eval", "run").code == 0
    resources = Resources(settings)
    register_prompt(resources, "coder", "You write code.", by="Mina")
    (lesson,) = rows(settings, "SELECT lesson_id FROM lessons WHERE role = 'coder' AND status = 'active'")[0]
    propose_update(resources, "coder", "You write code and check it.", reason="it forgets", lessons=[lesson], by="Mina")


def task_of(settings: Settings, word: str) -> str:
    query = "SELECT entity_id FROM entities WHERE entity_type = 'task' AND contains(title, ?)"
    return str(rows(settings, query, word)[0][0])


def forget_all(memory: Run, store: Settings) -> None:
    """In every way, one after the other; where time is short parts of sessions go at once, as the stages go on behind each."""
    session, message, remembered, name, project, query, *others = [way.forget(store) for way in WAYS.values()]
    found = memory("forget", *query, "--dry-run", "--json").json["parts"]
    by_address = [f"session:{part['session_id']}#m={part['message_index']}" for part in found if part["whole"]]
    assert by_address == ["session:stays#m=4"]
    parts = depth([[*message, *remembered, *by_address, *name]], [message, remembered, name, query])
    for arguments in (session, *parts, project, *others):
        ended = memory("forget", *arguments, "--yes", "--json")
        assert ended.code == 0, ended


@pytest.mark.deep
def test_sixty_questions_about_what_was_forgotten_and_then_purged(memory: Run, say: Say, store: Settings) -> None:
    asked = questions(MARKS)
    assert len(asked) == 60
    asked = asked[:: depth(4, 1)]
    # The servers keep open what they read before.
    with connected(store.home) as client, serving(Memory(store)) as pages:
        surfaces = Surfaces(say, client, pages, store, in_turn=True)
        assert sum(map(bool, saying(surfaces.to_questions(asked[:: depth(2, 6)]), MARKS).values())) > len(MARKS) // depth(4, 3)
        forget_all(memory, store)
        after = saying(surfaces.to_questions(asked), MARKS)
    assert {mark: places for mark, places in after.items() if places} == {}
    purged = memory("purge", "--yes", "--json").json
    assert purged["found_before"] > purged["pieces"] > 0
    # The proof counts no words that this program writes of its own: `claude_code`, `preference`, Dagster's tables.
    assert purged["found_after"] == 0, purged["traces"]
    everything = [*texts_of_store(store), *told_by_dagster(store), ("golden", (store.home / "golden.yaml").read_text())]
    assert {mark: places for mark, places in saying(everything, MARKS).items() if places} == {}
    assert memory("fsck").code == 0 and memory("rebuild", "--verify").code == 0


@pytest.mark.slow
@pytest.mark.deep
@pytest.mark.timeout(3600)
def test_nothing_that_can_be_asked_tells_of_it(memory: Run, say: Say, store: Settings) -> None:
    """Sixty questions, what the store named, and all that is listed: of eight ways to forget nothing is told."""
    asked, named = questions(MARKS), named_by(store, depth(2, 10))
    with connected(store.home) as client, serving(Memory(store)) as pages:
        surfaces = Surfaces(say, client, pages, store, in_turn=not IS_DEEP)
        # The control: with fewer questions every mark is told, and by whatever tells text.
        before = saying(surfaces.told(asked[::3], named), MARKS)
        assert [mark for mark, places in before.items() if not places] == []
        assert {re.split(r" -|\?", place)[0] for places in before.values() for place in places} >= TELLING
        forget_all(memory, store)
        after = saying(surfaces.told(asked, named), MARKS)
    # What a file or a project is called stands in Dagster's records of its runs until they are purged.
    names = {PROJECT_NAME, SOURCE_FILE}
    left = {mark: {place for place in places if not (mark in names and "dagster" in place)} for mark, places in after.items()}
    assert {mark: places for mark, places in left.items() if places} == {}


def test_every_command_that_tells_something_is_asked() -> None:
    asked = {template.split(" -")[0].split(" {")[0] for template in (*OF_A_QUESTION, *OF_A_NAME, *OF_THE_STORE)}
    told_of = {" ".join(path[1:]) for path in commands()} - {""}
    # `promote review` is a word of `promote`, and an audit's examples a number.
    assert told_of - {"promote"} == (asked - {"promote review"}) | UNASKED


def test_every_page_that_tells_something_is_asked() -> None:
    asked = {
        re.sub(r"\{\w+\}|(?<=/levels/)\w+", "{}", page.split("?")[0]).replace("/messages/0", "/messages/{}")
        for page in (*PAGES_OF_A_QUESTION, *PAGES_OF_A_NAME, *PAGES_OF_THE_STORE)
    }
    telling = {re.sub(r"\{\w+(:\w+)?\}", "{}", route.path) for route in viewer_routes() if isinstance(route, Route)}
    # What nobody knows, the files that ship, what is sent to alone, and what people wrote as prompts.
    assert telling - {"/{}", "/static/{}", "/api/{}", "/say/{}", "/prompts/{}"} == asked | {"/today"}


def test_what_is_kept_away_is_told_by_number_and_place(memory: Run, tmp_path: Path) -> None:
    turns = [
        "Hello Wilhelmina, Wilhelmina is my name.",
        "Noted <private>it rains</private> and <private>pours</private>.",
        NEUTRAL,
    ]
    chat(tmp_path / "inbox", "kept", turns, title="Call with Wilhelmina")
    assert memory("import", str(tmp_path / "inbox")).code == 0
    assert memory("privacy", "places", "kept").out.strip() == "kept  message 1: 2 private blocks"
    assert memory("forget", "session:kept#m=2", "--words", "Wilhelmina", "--yes").code == 0
    listed = memory("privacy", "places", "--json").json
    assert [tuple(place.values()) for place in listed["places"]] == [
        ("kept", None, 0, 1, 10),
        ("kept", 0, 0, 2, 20),
        ("kept", 1, 2, 0, 0),
        ("kept", 2, 0, 1, len(NEUTRAL)),
    ]
    assert "message 0: 2 forgotten spans (20 characters)" in memory("privacy", "places").out
    shown = memory("sessions", "show", "kept", "--full").out + memory("session", "kept").out
    assert "Wilhelmina" not in shown and "rains" not in shown and "[PRIVATE]" in shown
    assert memory("privacy", "places", "nobody").code == 2
    assert memory("forget", "--session", "kept").code == 0
    assert memory("privacy", "places").out.strip() == "nothing is kept away"
