"""A secret in a file's name and in the ids: nowhere in the store, the index and Dagster's records; and told apart all the same."""

from __future__ import annotations

from pathlib import Path

from memory_assets.defs import rescanning, run
from memory_assets.settings import Settings
from memory_assets_tests.defs.files import chat
from memory_assets_tests.defs.state import files_holding, texts_of_dagster, texts_of_store

# Put together here, so that no scanner of repositories takes them for real ones.
ONE, OTHER = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2, "ghp_" + "k1L2m3N4o5P6q7R8s9T0" * 2
SHOWN = "amber-falcon-bridge"


def test_names_with_secrets_are_masked_and_known_again(inbox: Path, settings: Settings) -> None:
    for secret in (ONE, OTHER):
        chat(inbox, f"notes-{secret}", [f"We decided on {SHOWN}."])
    report = run.import_paths(settings, [inbox], project=None)
    assert (report.new, report.quarantined) == (2, 0), report
    again = run.import_paths(settings, [inbox], project=None)
    assert (again.unchanged, again.events_appended) == (2, 0), again

    texts = [*texts_of_store(settings), *texts_of_dagster(settings), ("report", str(report.as_json()))]
    for secret in (ONE, OTHER):
        for word in (secret, secret.lower()):
            assert {place for place, text in texts if word in text} == set()
            assert files_holding(settings.home, word.encode()) == []
    assert {place for place, text in texts if SHOWN in text}

    assert rescanning.rescan(settings, dry_run=True).older == []
