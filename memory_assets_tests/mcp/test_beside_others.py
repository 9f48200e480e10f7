"""The server beside others: several calls at once, a pipeline that writes, a writer that is killed, a store that is held."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memory_assets_tests.defs.files import chat, talk
from memory_assets_tests.filled_store import test_settings as settings_of
from memory_assets_tests.mcp.client import Connected, connected, environment, text_of

pytestmark = pytest.mark.long

HOLD = """
import sys, time
from pathlib import Path
from memory_assets.log.database import Database
with Database(Path(sys.argv[1])).writing() as connection:
    connection.execute("CREATE TABLE half_done AS SELECT range AS x FROM range(100000)")
    print("held", flush=True)
    time.sleep(600)
"""
QUESTIONS = ("Redis 캐시", "PostgreSQL", "블로커", "retry budget", "zebrakey", "커넥션 풀")


def holding(home: Path) -> subprocess.Popen[str]:
    """A process in the middle of a transaction on the store."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(settings_of(home).store_folder)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout and process.stdout.readline() == "held\n"
    return process


def test_calls_at_once_do_not_mix_their_answers(client: Connected) -> None:
    asked = [("search_memory", {"query": question}) for question in QUESTIONS * 3]
    asked += [("stats", {}), ("list_tasks", {}), ("search_memory", {"query": ""})]
    results = client.calls(*asked)
    for (tool, arguments), result in zip(asked, results, strict=True):
        assert result.is_error == (arguments.get("query") == "")
        if tool == "search_memory" and not result.is_error:
            assert result.structured_content["query"] == arguments["query"] and result.structured_content["hits"]


@pytest.mark.slow
def test_it_answers_while_sessions_are_imported(own_home: Path, tmp_path: Path) -> None:
    home, inbox = own_home, tmp_path / "inbox"
    chat(inbox, "new-1", [*talk(1, 8), "우리는 고래상어라는 이름을 쓰기로 했다."])
    with connected(home) as client:
        before = client.call("stats").structured_content["sessions"]
        importing = subprocess.Popen(
            [sys.executable, "-m", "memory_assets", "import", str(inbox)],
            env=environment(home),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        answers = 0
        while importing.poll() is None:
            result = client.call("search_memory", query=QUESTIONS[answers % len(QUESTIONS)])
            assert not result.is_error, text_of(result)
            assert result.structured_content["hits"]
            answers += 1
            time.sleep(0.4)
        assert importing.wait() == 0 and answers > 3
        assert client.call("stats").structured_content["sessions"] == before + 1
        found = client.call("search_memory", query="고래상어").structured_content["hits"]
        assert found and found[0]["session_id"] == "new-1"


def test_a_writer_that_is_killed_leaves_an_answering_server(own_home: Path) -> None:
    with connected(own_home, MEMORY_STORE_LOCK_TIMEOUT_SECONDS="1") as client:
        assert not client.call("stats").is_error
        writer = holding(own_home)
        try:
            # Held for longer than it waits: said, with who holds it, and soon.
            started = time.monotonic()
            result = client.call("list_tasks")
            assert result.is_error and result.structured_content["code"] == "store_locked"
            assert str(writer.pid) in text_of(result) and time.monotonic() - started < 10
        finally:
            os.kill(writer.pid, signal.SIGKILL)
            writer.wait()
        assert not client.call("stats").is_error
        assert client.call("search_memory", query="Redis 캐시").structured_content["hits"]
        assert client.call("list_tasks").structured_content["tasks"]


def test_a_corrupt_index_says_how_to_rebuild_and_the_rest_answers(own_home: Path) -> None:
    settings = settings_of(own_home)
    for path in settings.vectors_folder.rglob("*"):
        if path.is_file():
            path.write_bytes(b"\0" * 64)
    with connected(own_home) as client:
        result = client.call("search_memory", query="Redis")
        assert result.is_error and result.structured_content["code"] == "index_corrupt"
        assert "rebuild" in result.structured_content["hint"] and "Traceback" not in text_of(result)
        assert client.call("list_tasks").structured_content["tasks"]
        assert not client.call("doctor").structured_content["healthy"]


@pytest.mark.slow
def test_a_missing_model_leaves_the_words(own_home: Path) -> None:
    with connected(own_home, MEMORY_EMBEDDING_MODEL=str(own_home / "no-model")) as client:
        result = client.call("search_memory", query="Redis", mode="vector")
        code = result.structured_content.get("code")
        # Another model has another index; there is none of it, and so nothing to look up.
        assert (code == "model_unreachable") if result.is_error else "there is no index" in text_of(result)


@pytest.mark.slow
def test_words_answer_while_the_model_is_loaded(tmp_path: Path) -> None:
    home, inbox = tmp_path / "home", tmp_path / "inbox"
    chat(inbox, "one", talk(1, 8))
    bundled = environment(home) | {"MEMORY_EMBEDDING_MODEL": "bundled"}
    subprocess.run([sys.executable, "-m", "memory_assets", "import", str(inbox)], env=bundled, check=True, capture_output=True)
    with connected(home, MEMORY_EMBEDDING_MODEL="bundled") as client:
        question = "Which database does the service use?"
        first = client.call("search_memory", query=question)
        assert first.structured_content["mode"] == "lexical" and first.structured_content["hits"]
        assert "being loaded" in text_of(first)
        second = client.call("search_memory", query=question, mode="hybrid")
        assert second.structured_content["mode"] == "hybrid"
        third = client.call("search_memory", query=question)
        assert third.structured_content["mode"] == "hybrid" and "being loaded" not in text_of(third)
