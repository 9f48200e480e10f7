"""What the stage ``aligned`` shows of the quotes of a session."""

from __future__ import annotations

from datetime import UTC, datetime

import dagster as dg

from memory_assets.defs.resources import open_store
from memory_assets.defs.stages.aligned import align
from memory_assets.extraction.schema import ExtractedEntry, Quote
from memory_assets.log.payloads.entries import WindowExtracted
from memory_assets.log.payloads.sessions import SessionHeading
from memory_assets.log.session_history import Extraction, History
from memory_assets.settings import Settings
from memory_assets_tests.extraction.talk import user

STARTED = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
HEADING = SessionHeading(
    source_format="chat.v1", source_id="s", started_at=STARTED, parser_version="1", redaction_policy="default"
)
MESSAGES = (
    user("We keep the log for ever. 우리는 로그를 지우지 않는다."),
    user("The timeout is 30 seconds now. The timeout is 30 seconds now."),
)


def listed(settings: Settings, *quotes: Quote) -> list[str]:
    history = History("talk-1", "ev_1", "ev_1", 0, HEADING, MESSAGES)
    entry = ExtractedEntry("fact", "A title", quotes)
    window = WindowExtracted(window_hash="w", first_message=0, end_message=2, extractor="rules", entries=[entry])
    result = align(history, Extraction("ev_2", (("ev_3", window),)), {}, open_store(settings))
    shown = result.metadata["failed_or_flagged"]
    assert isinstance(shown, dg.MarkdownMetadataValue) and shown.md_str is not None
    return shown.md_str.splitlines()


def test_what_failed_or_was_flagged_is_listed_with_its_place_and_why(settings: Settings) -> None:
    assert listed(settings, Quote(0, "We keep the log for ever.")) == ["none"]
    assert listed(
        settings,
        Quote(0, "We keep the log for ever."),
        Quote(1, "The timeout is 30 seconds now."),
        Quote(0, "The timeout is 30 seconds"),
        Quote(-1, "We keep the log for ever."),
        Quote(7, "우리는 로그를 지우지 않는다."),
    ) == [
        "- `session:talk-1#m=1&c=0-30 ambiguous`",
        "- `session:talk-1#m=1&c=0-25 relocated ambiguous`",
        "- `session:talk-1#m=-1 index_out_of_range`",
        "- `session:talk-1#m=7 index_out_of_range`",
    ]
