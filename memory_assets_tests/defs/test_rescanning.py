"""`memory privacy rescan`: what an older policy let in is masked in every table and in the index; the rest is said."""

from __future__ import annotations

import json
from pathlib import Path

import dagster as dg
import pytest

from memory_assets.cli.privacy import print_rescan
from memory_assets.defs import rescanning, run
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.defs.files import chat
from memory_assets_tests.defs.state import assert_rebuilds_equal, files_holding, index_rows, rows
from memory_assets_tests.defs.test_privacy import found, texts_of_store, visible

pytestmark = pytest.mark.long

# Put together here, so that no scanner of repositories takes them for real ones.
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
ADDRESS = "gildong.hong" + "@" + "mail.example.org"
PASSWORD = "velvet7" + "Harbor!2"
HIDDEN = (GITHUB, ADDRESS, PASSWORD)
SHOWN = "amber-falcon-bridge"


@pytest.fixture
def filled_long_ago(inbox: Path, tmp_path: Path, unrecorded: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A store that a policy without rules filled; its files are gone."""
    lax = dict.fromkeys(("private_keys", "emails", "encoded", "random_tokens", "seed_phrases", "personal_numbers"), False)
    file = tmp_path / "policy.json"
    file.write_text(json.dumps({"policy_id": "mine", "version": 1} | lax))
    monkeypatch.setenv("MEMORY_PRIVACY_POLICY_FILE", str(file))
    told = [
        f"We decided to deploy {SHOWN} with the token {GITHUB}, because the other one had no rights.",
        f"TODO: write to {ADDRESS} before the release. 비밀번호는 {PASSWORD} 입니다.",
    ]
    files = [
        chat(inbox, "secretive", told, title=f"{SHOWN} and {GITHUB}", cwd=f"/home/{ADDRESS}", git_branch=f"fix/{GITHUB}"),
        chat(inbox, "harmless", [f"We decided to keep {SHOWN} as it is, because it works."]),
    ]
    report = run.import_paths(load_settings(), [inbox], project=None)
    assert (report.new, report.quarantined) == (2, 0), report
    for path in files:
        path.unlink()
    monkeypatch.delenv("MEMORY_PRIVACY_POLICY_FILE")
    return load_settings()


def test_what_an_older_policy_let_in_is_masked_everywhere_but_in_the_log(
    filled_long_ago: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = filled_long_ago
    for word in HIDDEN:
        assert visible(settings, word), word
    before = dict(rows(settings, "SELECT session_id, revision FROM sessions"))

    dry = rescanning.rescan(settings, dry_run=True)
    assert sorted(dry.older) == ["harmless", "secretive"] and dry.changed == ["secretive"]
    assert visible(settings, GITHUB)

    report = rescanning.rescan(settings)
    assert report.changed == ["secretive"] and report.newly_masked == dry.newly_masked
    assert {"EMAIL", "SECRET:github", "SECRET:password"} <= report.newly_masked.keys()
    for word in HIDDEN:
        assert visible(settings, word) == set(), word
        assert not [row for row in index_rows(settings) if word in str(row) or word.lower() in str(row)]
        # The log keeps what was said, and nothing else does.
        kept = {place for place, _ in found(texts_of_store(settings), (word,))}
        assert "events.payload_json" in kept and kept <= {"events.payload_json", "events.project"}
    after = dict(rows(settings, "SELECT session_id, revision FROM sessions"))
    assert all(after[session] == before[session] + 1 for session in before)
    (title, cwd) = rows(settings, "SELECT title, cwd FROM sessions WHERE session_id = 'secretive'")[0]
    assert title == f"{SHOWN} and [SECRET:github]" and "[EMAIL]" in cwd
    assert visible(settings, SHOWN) >= {"messages.text", "sessions.title", "index.own_text"}
    assert_rebuilds_equal(settings)

    again = rescanning.rescan(settings)
    assert (again.older, again.newly_masked, again.run) == ([], {}, None)

    capsys.readouterr()
    print_rescan(report.as_json())
    _says_what_stays(settings, json.dumps(report.as_json()), capsys.readouterr().out)


def _says_what_stays(settings: Settings, report: str, out: str) -> None:
    printed = " ".join(out.split())
    assert "2 sessions of 2 masked under an older policy" in printed
    assert "the events of before stay in the log and deleted rows in files of the index" in printed
    assert not [word for word in HIDDEN if word in printed or word in report]
    for spelling in (GITHUB, GITHUB.lower()):
        holding = {file.partition("/")[0] for file in files_holding(settings.home, spelling.encode())}
        assert holding <= {"memory.duckdb", "memory.duckdb.wal", "vectors"}
