"""What is masked is nowhere: not in the log, not in a table, not in the index, not in Dagster's records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from memory_assets.defs import run
from memory_assets.defs.stages import extracted
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.defs.files import chat, claude, records
from memory_assets_tests.defs.state import (
    assert_rebuilds_equal,
    files_holding,
    index_rows,
    rows,
    texts_of_dagster,
    texts_of_store,
)

# Put together here, so that no scanner of repositories takes them for real ones.
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
AWS = "AKIA" + "Q3EGRIX5Z7PLW2TM"
ADDRESS = "gildong.hong" + "@" + "mail.example.org"
PRIVATE = "violet-otter-harbour"
HIDDEN = (GITHUB, AWS, ADDRESS, "gildong.hong", PRIVATE)
SHOWN = "amber-falcon-bridge"


def secretive(folder: Path) -> list[Path]:
    """A file of every way in, each with something to be masked and something that is to be kept."""
    told = [
        f"We decided to deploy with the token {GITHUB} on {SHOWN}. <private>{PRIVATE}</private> 배포는 이렇게 하기로 했다.",
        f"TODO: rotate the key {AWS} before the release and write to {ADDRESS} when {SHOWN} is ready.",
    ]
    unreadable = json.dumps({"token": GITHUB, "who": ADDRESS, "what": PRIVATE})[:-20]
    tool = records("claude-secret", ["x"], first=4)[0]
    tool["message"]["content"] = [
        {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": f"fatal: {GITHUB} refused for {ADDRESS}"}
    ]
    summary = {"type": "summary", "summary": f"Rotating {GITHUB} for {ADDRESS}", "leafUuid": "claude-secret-u1"}
    return [
        chat(folder, "chat-secret", told, title=f"{SHOWN} and {GITHUB}", cwd=f"/home/{ADDRESS}", project=f"p {AWS}"),
        claude(folder, "claude.jsonl", [summary, *records("claude-secret", told), unreadable, tool, unreadable]),
        chat(folder, "unclosed", [f"We decided on {SHOWN}. <private> {PRIVATE} {GITHUB}"]),
    ]


def found(texts: Any, words: tuple[str, ...]) -> set[tuple[str, str]]:
    return {(place, word) for place, text in texts for word in words if word in text}


@pytest.mark.long
def test_secrets_are_nowhere(inbox: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    secretive(inbox)
    (inbox / "no-session.json").write_text(json.dumps({"token": GITHUB, "mail": ADDRESS, "what": PRIVATE}))
    settle = extracted.extract

    def telling(history: Any, *rest: Any) -> Any:
        if history.session_id == "poison":
            raise ValueError(f"cannot read {history.messages[0].text}")
        return settle(history, *rest)

    monkeypatch.setattr(extracted, "extract", telling)
    poison = chat(inbox, "poison", [f"We decided on {SHOWN}-poison, {GITHUB}."])
    report = run.import_paths(settings, [inbox, inbox / "no-session.json"], project=None)
    assert (report.new, report.quarantined) == (3, 1), report

    assert not found(texts_of_store(settings), HIDDEN)
    assert not found(texts_of_dagster(settings), HIDDEN)
    for word in HIDDEN:
        assert files_holding(settings.home, word.encode()) == []
    # Positive controls: the scans do find what is there.
    places = {place for place, _ in found(texts_of_store(settings), (SHOWN,))}
    assert places >= {
        "events.payload_json",
        "messages.text",
        "memory_units.body",
        "sessions.title",
        "index.own_text",
        "index.context_text",
    }
    assert {"quarantined", "poison"} == {word for _, word in found(texts_of_dagster(settings), ("quarantined", "poison"))}
    # Dagster's records cannot be purged by session, so no text of one stands in them, masked or not.
    assert not found(texts_of_dagster(settings), (SHOWN, "We decided", "[SECRET:github]"))
    assert poison.exists() and not found([("report", json.dumps(report.as_json()))], (*HIDDEN, SHOWN))


def test_quotes_and_links_are_in_dagster_where_the_user_lets_them(inbox: Path) -> None:
    settings = load_settings({"dagster": {"show_quotes": True, "viewer_url": "https://viewer.example/at/{address}"}})
    plain = chat(inbox, "plain", ["We decided to deploy on Thursdays."])
    run.import_paths(settings, [plain, *secretive(inbox)], project=None)
    assert "](https://viewer.example/at/session%3Aplain)" in " ".join(text for _, text in texts_of_dagster(settings))
    assert found(texts_of_dagster(settings), ("We decided",))
    # Of a digest too, as text: no mark of it is Markdown.
    digests = [text for _, text in texts_of_dagster(settings) if "**Decided**" in text]
    assert digests and any("We decided to deploy with the token \\\\[SECRET:github\\\\]" in text for text in digests)
    assert not found(texts_of_dagster(settings), HIDDEN)


def policy(path: Path, *words: str) -> Path:
    rules = [
        {"name": f"word_{place}", "kind": "PII:word", "literals": [word], "pattern": word} for place, word in enumerate(words)
    ]
    path.write_text(json.dumps({"policy_id": "mine", "version": len(words) + 1, "patterns": rules}))
    return path


def visible(settings: Settings, word: str) -> set[str]:
    """Where a word stands outside the log's history: what any reader may come upon."""
    history = ("events.", "event_dedup.")
    return {place for place, _ in found(texts_of_store(settings), (word,)) if not place.startswith(history)}


@pytest.mark.long
def test_a_stricter_policy_begins_a_new_chain(
    inbox: Path, tmp_path: Path, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = policy(tmp_path / "policy.json")
    monkeypatch.setenv("MEMORY_PRIVACY_POLICY_FILE", str(file))
    settings = load_settings()
    told = [f"We decided to call the project {SHOWN}.", f"TODO: tell everybody that {SHOWN} is the name."]
    chat(inbox, "kept", told, title=f"Why {SHOWN}", git_branch=f"feature/{SHOWN}")
    chat(inbox, "no-ids", told[:1], ids=False, title=SHOWN)
    gone = chat(inbox, "gone", told, title=f"Why {SHOWN}", cwd=f"/srv/{SHOWN}", project=SHOWN)
    run.import_paths(settings, [inbox], project=None)
    chains = dict(rows(settings, "SELECT session_id, chain_id FROM sessions"))
    assert visible(settings, SHOWN) >= {"messages.text", "sessions.title", "sessions.git_branch", "visible_events.payload_json"}

    policy(file, SHOWN)
    gone.unlink()  # its text is in the log alone by now
    report = run.run_sessions(settings, None)
    assert (report.updated, report.quarantined) == (3, 0), report
    assert visible(settings, SHOWN) == set()
    assert ("events.payload_json", SHOWN) in found(texts_of_store(settings), (SHOWN,))  # the log keeps what was said
    assert dict(rows(settings, "SELECT session_id, revision FROM sessions")) == {"kept": 2, "no-ids": 2, "gone": 2}
    assert not chains.items() & dict(rows(settings, "SELECT session_id, chain_id FROM sessions")).items()
    assert all("[PII:word]" in row["own_text"] or "pii" in row["own_text"] for row in index_rows(settings))
    assert_rebuilds_equal(settings)

    # Files are read anew under the new policy; they say what is known.
    again = run.import_paths(settings, [inbox], project=None)
    assert (again.updated, again.unchanged, again.quarantined) == (0, 2, 0), again
    assert visible(settings, SHOWN) == set()


@pytest.mark.slow
def test_a_looser_policy_shows_what_the_files_still_say(
    inbox: Path, tmp_path: Path, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = policy(tmp_path / "policy.json", SHOWN)
    monkeypatch.setenv("MEMORY_PRIVACY_POLICY_FILE", str(file))
    settings = load_settings()
    chat(inbox, "with-ids", [f"We decided to call the project {SHOWN}."])
    chat(inbox, "no-ids", [f"We decided to call the project {SHOWN}."], ids=False)
    run.import_paths(settings, [inbox], project=None)
    assert visible(settings, SHOWN) == set()

    policy(file)
    report = run.import_paths(settings, [inbox], project=None)
    assert (report.updated, report.errors) == (2, [])
    told = dict(rows(settings, "SELECT session_id, text FROM messages"))
    assert told == dict.fromkeys(("with-ids", "no-ids"), f"We decided to call the project {SHOWN}.")
    assert_rebuilds_equal(settings)
