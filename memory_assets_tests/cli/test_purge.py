"""`memory purge`: who is asked, what is refused, and what is printed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from memory_assets.cli.main import main
from memory_assets.hooks.taking import only_taker, sources_to_take, taken
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.vectors.writer_lock import only_writer
from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.defs.state import files_holding, rows, texts_of_store
from memory_assets_tests.filled_store import test_settings as settings_of
from memory_assets_tests.hooks.test_taking import Agent


@pytest.fixture(scope="module")
def once_forgotten(imported_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of which a session is forgotten; to be copied."""
    home = Path(shutil.copytree(imported_home, tmp_path_factory.mktemp("forgotten") / "home"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
        patch.setenv("DAGSTER_HOME", "")
        assert main(["--home", str(home), "forget", "--session", "one", "--yes"]) == 0
    return home


@pytest.fixture
def forgotten(once_forgotten: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of which the session ``one`` is forgotten."""
    monkeypatch.setenv("MEMORY_HOME", str(tmp_path / "forgotten"))
    return Path(shutil.copytree(once_forgotten, tmp_path / "forgotten"))


def test_nothing_to_purge(memory: Run, store: Path) -> None:
    ended = memory("purge")
    assert (ended.code, ended.out.strip()) == (0, "there is nothing to purge")
    assert memory("purge", "--yes", "--json").json["purged"] is False


@pytest.mark.long
def test_it_is_refused_where_nobody_can_be_asked(memory: Run, forgotten: Path) -> None:
    before = memory("events", "--json").out
    for arguments in (["purge"], ["purge", "--json"]):
        ended = memory(*arguments)
        assert ended.code == 2 and "--yes" in ended.err, ended
    assert json.loads(memory("purge", "--json").err)["code"] == "invalid_argument"
    dry = memory("purge", "--dry-run", "--json").json
    assert dry["dry_run"] and dry["events_removed"]["session_ingested"] >= 1 and dry["found_before"] > 0
    assert memory("events", "--json").out == before


@pytest.mark.long
def test_purged_and_printed(memory: Run, forgotten: Path) -> None:
    count = EventLog(Database(forgotten)).last_seq()
    ended = memory("purge", "--yes", "--json")
    told = ended.json
    assert ended.code == 0 and told["purged"] and told["found_before"] > 0 and told["found_after"] == 0
    assert told["old_seq"] == count and told["events_kept"] == count - sum(told["events_removed"].values())
    assert {item["what"] for item in told["out_of_reach"]} >= {"backups and exports"}
    assert memory("fsck").code == 0 and memory("rebuild", "--verify").code == 0
    assert memory("privacy", "forgotten", "--json").json["forgettings"][0]["purged"] is True
    assert memory("backup", str(forgotten.parent / "behind.memory")).code == 0
    assert memory("recover", "--to", str(forgotten.parent / "saved"), "--json").json["incomplete_sessions"] == []
    assert "there is nothing to purge" in memory("purge").out


@pytest.mark.slow
def test_words_of_the_program_are_no_trace(memory: Run, store: Path, tmp_path: Path) -> None:
    """A session may say what the program says of itself in every record, and be all that there is."""
    said = "We decided that the timestamp of every materialization is verified by the embedded asset_backfill_data."
    assert memory("import", str(chat(tmp_path / "inbox", "three", [said, *talk(3)])), "--json").json["new"] == 1
    assert memory("forget", "--before", "2030-01-01", "--yes").code == 0
    ended = memory("purge", "--yes", "--json")
    left = [trace for trace in ended.json["traces"] if trace["after"]]
    assert (ended.code, left) == (0, []) and ended.json["found_before"] > ended.json["pieces"] > 8


@pytest.mark.long
def test_files_of_the_user_are_named_and_left(memory: Run, store: Path) -> None:
    """A purge exits 0 where only what a person keeps still says it."""
    inbox = store / "sessions"
    inbox.mkdir(exist_ok=True)
    said = [text for (text,) in _texts(store)]
    kept = inbox / "kept.txt"
    kept.write_text("\n".join(said), encoding="utf-8")
    assert memory("forget", "--session", "one", "--yes").code == 0
    ended = memory("purge", "--yes", "--json")
    (trace,) = [trace for trace in ended.json["traces"] if trace["after"]]
    assert (ended.code, ended.json["found_after"]) == (0, 0)
    assert (trace["place"], trace["within_reach"]) == ("sessions/kept.txt", False) and kept.exists()


def _texts(store: Path) -> list[tuple[str]]:
    with Database(store).reading() as connection:
        return connection.execute("SELECT text FROM messages WHERE session_id = 'one'").fetchall()


@pytest.mark.long
def test_what_hooks_kept_of_it_goes_too(memory: Run, store: Path) -> None:
    """Of a session that is gone the whole file, of a message that is gone its words; what was never forgotten stays."""
    settings = settings_of(store)
    (settings.hooks_folder / "spool").mkdir(parents=True)
    for session_id, word in (("gone", "zelkovar"), ("part", "pintreth")):
        agent = Agent(settings, "cursor", session_id)
        agent.call("user-prompt-submit", ago=60, prompt=f"We decided to keep the {word} orders on MySQL 8.")
        agent.call("stop", ago=30, prompt_response=f"Noted: the {word} orders stay where they are.")
        agent.call("user-prompt-submit", ago=20, prompt="We decided to deploy on Tuesdays.")
        agent.call("stop", ago=10)
    files = sources_to_take(settings)
    assert memory("import", *map(str, files)).code == 0
    taken(settings, files)
    # What was typed since then waits in the spool.
    Agent(settings, "cursor", "gone").call("user-prompt-submit", prompt="And what of the zelkovar invoices?")
    (place,) = rows(settings, "SELECT message_index FROM messages WHERE session_id = 'part' AND contains(text, 'keep the pin')")
    assert memory("forget", "session:gone", f"session:part#m={place[0]}", "--words", "pintreth", "--yes").code == 0
    assert {path.split("/")[0] for path in files_holding(settings.hooks_folder, b"zelkovar")} == {"sessions", "spool"}
    ended = memory("purge", "--yes", "--json")
    assert (ended.code, ended.json["found_after"]) == (0, 0), [trace for trace in ended.json["traces"] if trace["after"]]
    assert [files_holding(store, word) for word in (b"zelkovar", b"pintreth")] == [[], []]
    (kept,) = (settings.hooks_folder / "sessions").rglob("*.json")
    assert "Tuesdays" in kept.read_text()
    again = memory("import", str(kept), "--json").json
    assert (again["new"], again["errors"], again["quarantined"]) == (0, [], 0)
    assert not any("pintreth" in text for _, text in texts_of_store(settings))
    assert memory("fsck").code == 0 and memory("rebuild", "--verify").code == 0


@pytest.mark.slow
def test_who_takes_in_what_hooks_told_of_is_waited_for(memory: Run, store: Path) -> None:
    """It would write again what the purge takes away. A purge that waited for nothing goes on when it is run again."""
    settings = settings_of(store)
    (settings.hooks_folder / "spool").mkdir(parents=True)
    agent = Agent(settings, "cursor", "gone")
    agent.call("user-prompt-submit", ago=60, prompt="We decided to keep the zelkovar orders on MySQL 8.")
    agent.call("stop", ago=30)
    files = sources_to_take(settings)
    assert memory("import", *map(str, files)).code == 0
    taken(settings, files)
    assert memory("forget", "--session", "gone", "--yes").code == 0
    with only_taker(settings) as is_alone:
        assert is_alone
        ended = memory("--set", "store.lock_timeout_seconds=0.2", "purge", "--yes", "--json")
    assert ended.code == 2 and json.loads(ended.err)["code"] == "unavailable"
    assert files_holding(settings.hooks_folder, b"zelkovar") != []
    assert memory("purge", "--yes").code == 0
    assert files_holding(store, b"zelkovar") == []


@pytest.mark.long
def test_one_purge_at_a_time(memory: Run, forgotten: Path) -> None:
    with only_writer(forgotten, "words"):
        ended = memory("--set", "store.lock_timeout_seconds=0.2", "purge", "--yes", "--json")
    assert ended.code == 2 and json.loads(ended.err)["code"] == "store_locked"
    assert memory("purge", "--yes", "--json").json["purged"] is True


@pytest.mark.long
def test_golden_questions_that_were_made_of_it_go_and_others_are_named(memory: Run, store: Path) -> None:
    assert memory("eval", "init").code == 0
    golden = store / "golden.yaml"
    own = '  - id: mine\n    query: "my own words"\n    expected:\n      - "session:one#m=0"\n'
    golden.write_text(golden.read_text(encoding="utf-8") + own, encoding="utf-8")
    made = golden.read_text(encoding="utf-8").count("session:one#")
    assert made > 1
    assert memory("forget", "--session", "one", "--yes").code == 0
    told = memory("purge", "--yes", "--json").json
    assert "mine" in told["golden_questions"] and len(told["golden_questions"]) == made
    assert golden.read_text(encoding="utf-8").count("session:one#") == 1


@pytest.mark.slow
def test_golden_questions_of_a_forgotten_message_are_not_asked_and_go(memory: Run, store: Path) -> None:
    """The message is there still, without its words: its address names something."""
    assert memory("eval", "init").code == 0
    golden = store / "golden.yaml"
    text = golden.read_text(encoding="utf-8")
    (said,) = [line for line in text.splitlines() if "query" in line and "service 1 on PostgreSQL" in line]
    title = said.split('"')[1]
    asked = memory("eval", "run", "--json")
    assert title in asked.out
    assert memory("forget", "session:one#m=0").code == 0
    for command in ("run", "compare", "ask"):
        ended = memory("eval", command, "--json")
        assert ended.code == 0 and title not in ended.out, command
    assert golden.read_text(encoding="utf-8") == text
    assert memory("purge", "--yes").code == 0
    assert title not in golden.read_text(encoding="utf-8")
