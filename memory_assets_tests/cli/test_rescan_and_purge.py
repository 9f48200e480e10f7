"""A masking policy that grows, with real commands: what an older one let in is masked, then purged, and citations hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.defs.files import chat
from memory_assets_tests.defs.state import events, files_holding, rows, texts_of_store
from memory_assets_tests.depth import IS_DEEP
from memory_assets_tests.filled_store import test_settings as settings_of

pytestmark = pytest.mark.long

CODENAME = "qzxfountainhead"
PLAIN = "We decided to keep the ledger in one region because backups are simple."
BEHIND = "We decided to use Redis for the cache, because a restart is fast."
TURNS = [
    f"For {CODENAME}: {PLAIN}",
    f"TODO: {CODENAME} needs a test before Friday.",
    f"{CODENAME} is what we call it. {BEHIND}",
    "I prefer tabs over spaces in this project.",
]


def policy(path: Path, monkeypatch: pytest.MonkeyPatch, *patterns: dict[str, object]) -> None:
    path.write_text(json.dumps({"policy_id": "mine", "version": 1 + len(patterns), "patterns": list(patterns)}))
    monkeypatch.setenv("MEMORY_PRIVACY_POLICY_FILE", str(path))


@pytest.mark.deep
def test_what_an_older_policy_let_in(memory: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, inbox = tmp_path / "home", tmp_path / "inbox"
    settings = settings_of(home)
    policy(tmp_path / "policy.json", monkeypatch)
    chat(inbox, "told", TURNS, title=f"About {CODENAME}")
    chat(inbox, "harmless", [PLAIN, "I prefer short commit messages."])
    assert memory("import", str(inbox), "--json").json["new"] == 2
    cited = {
        f"mem:{short_id}": (title, quotes)
        for short_id, title, quotes in rows(
            settings,
            """SELECT m.short_id, m.title, list(s.matched_text) FROM memories m JOIN entries e USING (memory_id)
               JOIN evidence_spans s USING (entry_id) GROUP BY 1, 2""",
        )
    }
    assert {PLAIN, BEHIND} <= {quote for _, quotes in cited.values() for quote in quotes}
    assert any(CODENAME in title for title, _ in cited.values())
    addresses = _addresses(memory)

    # Another length than what it stands for.
    policy(
        tmp_path / "policy.json",
        monkeypatch,
        {"name": "codename", "kind": "SECRET:codename", "literals": [CODENAME], "pattern": CODENAME},
    )
    dry = memory("privacy", "rescan", "--dry-run", "--json").json
    assert dry["newly_masked"] == {"SECRET:codename": 4} and dry["changed"] == ["told"] and _addresses(memory) == addresses
    done = memory("privacy", "rescan", "--json").json
    assert (done["newly_masked"], done["changed"]) == (dry["newly_masked"], ["told"])
    assert "the events of before stay" not in memory("privacy", "rescan").out

    for citation, (title, quotes) in cited.items():
        shown = memory("show", citation, "--json")
        if CODENAME in title or any(CODENAME in quote for quote in quotes):
            assert (shown.code, json.loads(shown.err)["code"]) == (2, "not_found"), citation
        else:
            assert shown.code == 0 and title in shown.out
            assert all(quote in shown.out for quote in quotes), citation
    assert CODENAME not in str(_addresses(memory)) and "[SECRET:codename]" in str(rows(settings, "SELECT text FROM messages"))
    if IS_DEEP:
        assert memory("fsck").code == 0 and memory("rebuild", "--verify").code == 0

    purged = memory("purge", "--yes", "--json").json
    assert purged["purged"] and purged["found_before"] > 0 and purged["found_after"] == 0
    assert [place for place, text in texts_of_store(settings) if CODENAME in text] == []
    assert files_holding(home, CODENAME.encode()) == []
    count = len(events(settings))
    again = memory("import", str(inbox), "--json").json
    assert (again["new"], again["updated"], again["quarantined"]) == (0, 0, 0)
    # The files were last read under the older policy: they are read once more, and say nothing new.
    came = {event.event_type for event in events(settings)[count:]}
    assert came <= {"build_started", "build_finished", "source_registered", "source_taken", "source_told"}, came
    assert memory("import", str(inbox), "--json").json["events_appended"] == 0
    assert files_holding(home, CODENAME.encode()) == []
    assert memory("fsck").code == 0 and memory("rebuild", "--verify").code == 0


def _addresses(memory: Run) -> dict[str, str]:
    """What search cites, and what it shows of it."""
    hits = memory("search", "ledger region Redis cache test tabs", "--json").json["hits"]
    return {str(hit["citations"]): f"{hit['title']} {hit['snippet']}" for hit in hits}
