"""The model path end to end: what careful readers marked goes in as a model's answers, and comes out as memories."""

from __future__ import annotations

import importlib.util
import io
import json
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import duckdb
import pytest

from memory_assets.cli.main import main
from memory_assets_tests.extraction.gold_model import GoldModel
from memory_assets_tests.extraction.provider import Provider, serving

pytestmark = pytest.mark.long

SHARED = Path(__file__).resolve().parents[2].parent / "shared"


def command(*arguments: str) -> tuple[int, Any, str]:
    """A command run in this process: its code, its JSON, and what it said to a person meanwhile."""
    out = io.StringIO()
    with redirect_stdout(out):
        code = main(list(arguments))
    text = out.getvalue()
    return code, json.loads(text) if "--json" in arguments else text, text


def configured(monkeypatch: pytest.MonkeyPatch, home: Path, provider: Provider) -> None:
    for name, value in {
        "MEMORY_HOME": str(home),
        "MEMORY_EMBEDDING_MODEL": "hashing",
        "MEMORY_EXTRACTION_MODEL": "openai/tiny",
        "MEMORY_EXTRACTION_API_BASE": provider.base,
        "OPENAI_API_KEY": "test-key",
        "DAGSTER_HOME": "",
    }.items():
        monkeypatch.setenv(name, value)


def scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What ``score.py`` says of the store."""
    for name, arguments in {"entries": ("entries", "list", "--all"), "sessions": ("sessions", "list")}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(command(*arguments, "--json")[1]), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("score", SHARED / "bench" / "extraction" / "score.py")
    assert spec is not None and spec.loader is not None
    score = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(score)
    files = [str(tmp_path / "entries.json"), str(tmp_path / "sessions.json")]
    monkeypatch.setattr(sys, "argv", ["score.py", *files])
    out = io.StringIO()
    with redirect_stdout(out):
        score.main()
    print(out.getvalue())
    result: dict[str, Any] = json.loads(out.getvalue()[out.getvalue().index("\n{") :])
    return result


def rows(home: Path, query: str) -> list[Any]:
    with duckdb.connect(str(home / "memory.duckdb"), read_only=True) as connection:
        return connection.execute(query).fetchall()


def assert_only_quotes(home: Path) -> None:
    """Every quote of an aligned entry stands in a message of its session, character for character."""
    messages = rows(home, "SELECT session_id, message_index, text FROM messages")
    texts = {(session_id, index): text for session_id, index, text in messages}
    _, entries, _ = command("entries", "list", "--all", "--json")
    assert entries
    for entry in entries:
        for quote in entry["evidence"] if entry["evidence_aligned"] else ():
            text = texts[quote["session_id"], quote["message_index"]]
            assert text[quote["span_start"] : quote["span_end"]] == quote["matched_text"]


def assert_costs_are_told(home: Path, requests: int) -> None:
    """Each session's own event, and the build's, say what was paid; together they say all of it."""
    sessions = rows(
        home,
        """SELECT session_id, (telemetry_json ->> '$.requests')::INT, telemetry_json ->> '$.total.input_tokens',
                  json_array_length(payload_json, '$.windows') FROM events WHERE event_type = 'memory_extracted'""",
    )
    asked = [row for row in sessions if row[3]]
    assert asked and all(row[1] and row[2] for row in asked)
    assert sum(row[1] for row in asked) == requests
    assert rows(home, "SELECT sum(model_requests) FROM build_runs") == [(requests,)]
    told = rows(home, "SELECT (telemetry_json ->> '$.requests')::INT FROM events WHERE event_type = 'build_finished'")
    assert sum(row[0] or 0 for row in told) == requests


@pytest.mark.shared_data
@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared is not here")
def test_gold_comes_out_as_memories(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    model = GoldModel(SHARED / "data" / "gold")
    with serving() as provider:
        provider.plan = [429, model]
        configured(monkeypatch, home, provider)
        files = [str(SHARED / "data" / "sessions" / name) for name in model.files]
        code, text, _ = command("import", *files)
        requests = len(provider.requests)
        assert code == 0
    before = capsys.readouterr().err
    # Said of each batch before it begins.
    said = re.findall(r"openai/tiny: (\d+) windows? of \d+ sessions? to be answered, at most (\d+) requests", before)
    assert sum(int(windows) for windows, _ in said) == requests - 1 <= sum(int(most) for _, most in said)
    assert f"openai/tiny: {requests - 1} windows answered, {requests} requests, {100 * (requests - 1):,} tokens in" in text
    assert_only_quotes(home)
    assert_costs_are_told(home, requests)
    score = scored(tmp_path, monkeypatch)
    assert score["f1"] >= 0.9 and score["f1_same_type"] >= 0.9 and min(score["f1_by_language"].values()) >= 0.9, score
